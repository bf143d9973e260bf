"""Random walks over a graph as a text: a node is a word, a walk is a sentence (DeepWalk; node2vec with p and q).

>>> walks = walk([("a", "b"), ("b", "c"), ("c", "a")], walks=2, length=5)
>>> len(walks), len(next(iter(walks))), walks.graph.nodes
(6, 5, ('a', 'b', 'c'))

They are computed while they are read, on all cores, and are the same every time and for any number of threads.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import TextOptions, check_names, check_number, check_whole, checked_threads
from pairloom.corpus.lines import reading_options
from pairloom.corpus.sentences import Block, Corpus, Piece, TextMaker
from pairloom.errors import ConfigError
from pairloom.graphs.edges import Edges
from pairloom.graphs.graph import Graph, graph_of
from pairloom.method.draws import Purpose, draw, key
from pairloom.progress import OnProgress, Progress, ignore, reporter
from pairloom.system.files import check_folder, output_errors, packed_write
from pairloom.system.threads import in_order
from pairloom.types import Ids

if TYPE_CHECKING:
    from pairloom.kernel.counts.walks import Net, NodeNames

_NODES_AT_ONCE = 1 << 17  # of walks in one piece of work


@dataclass(frozen=True, kw_only=True, slots=True)
class WalkConfig:
    """The choices that change the walks."""

    walks: int = 10  # from each node; the DeepWalk paper has 80
    length: int = 40  # nodes in a walk
    p: float = 1.0  # a large p makes it rare to go straight back
    q: float = 1.0  # a large q keeps a walk near where it came from, a small one sends it away
    directed: bool = False  # whether edges lead one way only
    seed: int = 1

    def __post_init__(self) -> None:
        check_whole("walks", self.walks, 1, 1_000_000, "10 is usual, the DeepWalk paper has 80")
        check_whole("length", self.length, 2, 1_000_000, "40 to 80 is usual")
        for name, value in (("p", self.p), ("q", self.q)):
            check_number(name, value, 1e-6, 1e6, "0.25 to 4 is usual, 1 is DeepWalk")
        if not isinstance(self.directed, bool):
            raise ConfigError(f"directed={self.directed!r} is not a choice. Use True or False.")
        check_whole("seed", self.seed, 0, 2**63 - 1, "any whole number")


_CONFIG = [f.name for f in fields(WalkConfig)]
_READING = ["encoding", "errors"]


def walk(edges: Any, *, threads: int | None = None, on_progress: OnProgress = ignore, **options: Any) -> "Walks":
    """Walks over the graph of these edges, for `train`: `pairloom.train(pairloom.walk("edges.txt"), sample=0)`.

    edges: a file of lines `u v` or `u v weight` (or several, packed or not), or an iterable of such tuples.
    options: walks from each node (10), length (40), node2vec's p and q (1), directed (False), seed (1); of a file
    encoding ("utf-8") and errors ("strict").
    A step goes to a neighbour in proportion to the edge's weight; edges given twice weigh their sum. In each of the
    `walks` passes every node begins one walk, in an order drawn anew. A walk that comes to a node that leads nowhere,
    which only a directed graph has, ends there.
    """
    check_names(options, [*_CONFIG, *_READING, "threads", "on_progress"])
    config = WalkConfig(**{name: options[name] for name in _CONFIG if name in options})
    threads = checked_threads(threads)
    source = Edges(edges, reading_options({name: options[name] for name in _READING if name in options}))
    return Walks(graph_of(source, directed=config.directed, on_progress=on_progress), config, threads)


class Walks(TextMaker):
    """Walks over a graph, as token lists or as a corpus. They can be read again and again."""

    def __init__(self, graph: Graph, config: WalkConfig, threads: int) -> None:
        self.graph, self.config, self.threads = graph, config, threads

    def __len__(self) -> int:
        return self.config.walks * len(self.graph.nodes)

    def __iter__(self) -> Iterator[list[str]]:
        for nodes, lengths in self.paths():
            for row, length in zip(nodes.tolist(), lengths.tolist(), strict=True):
                yield [self.graph.nodes[node] for node in row[:length]]

    def open(self, text: TextOptions) -> Corpus:
        return _WalkCorpus(self, text)

    def save(self, path: str | os.PathLike[str], on_progress: OnProgress = ignore) -> None:
        """Write them, a line each; the file appears whole or not at all, packed if its name ends in .gz."""
        check_folder(path)
        with packed_write(path) as file:
            for data in self.texts(on_progress):
                with output_errors(path):
                    file.write(data)

    def texts(self, on_progress: OnProgress = ignore) -> Iterator[memoryview]:
        """Many lines at a time, as UTF-8."""
        on_progress(Progress(stage="compile"))
        report, done = reporter("walk", len(self), on_progress), 0
        for data, n in self._spelled(self.graph.nodes):
            yield data.data
            done += n
            report(done)

    def paths(self) -> Iterator["Paths"]:
        """Many walks at a time, as ids of the graph's nodes."""
        return in_order(self._walker(), self._starts(), self.threads)

    def _spelled(self, names: tuple[str, ...]) -> Iterator[tuple[npt.NDArray[np.uint8], int]]:
        """Many lines at a time, and how many."""
        from pairloom.kernel.counts.walks import spell

        walk, in_bytes = self._walker(), _in_bytes(names)

        def spelled(starts: "_Starts") -> tuple[npt.NDArray[np.uint8], int]:
            return spell(in_bytes, *walk(starts)), len(starts.nodes)

        return in_order(spelled, self._starts(), self.threads)

    def _starts(self) -> Iterator["_Starts"]:
        """Where walks begin: every node once in each pass, in the order of a draw."""
        n = len(self.graph.nodes)
        at_once = max(1, _NODES_AT_ONCE // self.config.length)
        for number in range(self.config.walks):
            draws = draw(key(self.config.seed, Purpose.WALK_ORDER, number), np.arange(n))
            nodes = np.argsort(draws, kind="stable").astype(np.int32)
            for begin in range(0, n, at_once):
                yield _Starts(nodes[begin : begin + at_once], number * n)

    def _walker(self) -> Callable[["_Starts"], "Paths"]:
        """What makes the walks that begin at some nodes."""
        from pairloom.kernel.counts.walks import Alpha, walk

        alpha = Alpha(back=1 / self.config.p, near=1.0, far=1 / self.config.q)
        keys = key(self.config.seed, Purpose.WALK_STEP), key(self.config.seed, Purpose.WALK_ACCEPT)

        def make(starts: "_Starts") -> Paths:
            n, length = len(starts.nodes), self.config.length
            paths = Paths(np.empty((n, length), np.int32), np.empty(n, np.int64))
            walk(self._net, starts.nodes, starts.before + starts.nodes.astype(np.int64), length, alpha, *keys, *paths)
            return paths

        return make

    @cached_property
    def _net(self) -> "Net":
        from pairloom.kernel.counts.walks import net_of

        return net_of(self.graph.starts, self.graph.ends, self.graph.weights)


class Paths(NamedTuple):
    """Some walks: nodes[i, :lengths[i]]."""

    nodes: Ids
    lengths: npt.NDArray[np.int64]


class _Starts(NamedTuple):
    """Nodes at which walks begin. The number of such a walk is `before` + the node."""

    nodes: Ids
    before: int


def _in_bytes(names: tuple[str, ...]) -> "NodeNames":
    from pairloom.kernel.counts.walks import NodeNames

    encoded = [name.encode() for name in names]
    return NodeNames(np.frombuffer(b"".join(encoded), np.uint8), np.cumsum([0, *map(len, encoded)], dtype=np.int64))


class _WalkCorpus(Corpus):
    """Walks as the text that `Walks.save` writes."""

    def __init__(self, walks: Walks, text: TextOptions) -> None:
        super().__init__(f"the walks over {len(walks.graph.nodes):,} nodes", text, None)
        self._walks = walks
        self._names = tuple(name.lower() for name in walks.graph.nodes) if text.lowercase else walks.graph.nodes

    @property
    def has_blocks(self) -> bool:
        return True

    def blocks(self) -> Iterator[Block]:
        done = 0
        for data, _ in self._walks._spelled(self._names):
            done += len(data)
            yield Block(data, False, done)
        self.size_bytes = done

    def pieces(self) -> Iterator[Piece]:
        for block in self.blocks():
            for line in block.data.tobytes().decode().removesuffix("\n").split("\n"):
                yield Piece(line.split(), 0, False, block.done)
