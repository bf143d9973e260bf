"""Random walks over a graph as text: a node is a word, a walk is a sentence (DeepWalk, or node2vec with p and q).

>>> walks = walk([("a", "b"), ("b", "c"), ("c", "a")], walks=2, length=5)
>>> len(walks), len(next(iter(walks))), walks.graph.nodes
(6, 5, ('a', 'b', 'c'))

Walks are computed while they are read, on all cores. They are the same every time and for any number of threads.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from pairloom.config import Errors, TextOptions, check_names, check_number, check_whole, checked_threads
from pairloom.corpus.inputs.word_lists import WordLine
from pairloom.corpus.kinds.corpus import Corpus, GeneratedText, Utf8Block
from pairloom.corpus.lines import reading_options
from pairloom.drawing.notebook import card, first_words
from pairloom.errors import ConfigError
from pairloom.method.draws import Purpose, draw, key
from pairloom.preparing.graphs.edges import Edges, EdgesLike
from pairloom.preparing.graphs.graph import Graph, graph_of
from pairloom.progress import OnProgress, Progress, ignore, logged, reporter
from pairloom.system.display import number_of
from pairloom.system.files import check_folder, output_errors, packed_write
from pairloom.system.threads import in_order
from pairloom.types import Ids, PathName

if TYPE_CHECKING:
    from pairloom.kernel.counts.walks import Net, NodeNames

_NODES_PER_TASK = 1 << 17  # nodes of the walks that a thread computes at a time


@dataclass(frozen=True, kw_only=True, slots=True)
class WalkConfig:
    """The choices that change the walks."""

    walks: int = 10  # from each node; the DeepWalk paper uses 80
    length: int = 40  # nodes in a walk
    p: float = 1.0  # a large p makes it rare to go straight back
    q: float = 1.0  # a large q keeps a walk near its previous node, a small q sends it away
    directed: bool = False  # whether edges go one way only
    seed: int = 1

    def __post_init__(self) -> None:
        check_whole("walks", self.walks, 1, 1_000_000, "10 is usual, the DeepWalk paper uses 80")
        check_whole("length", self.length, 2, 1_000_000, "40 to 80 is usual")
        for name, value in (("p", self.p), ("q", self.q)):
            check_number(name, value, 1e-6, 1e6, "0.25 to 4 is usual, 1 is DeepWalk")
        if not isinstance(self.directed, bool):
            raise ConfigError(f"directed={self.directed!r} is not a choice. Use True or False.")
        check_whole("seed", self.seed, 0, 2**63 - 1, "any whole number")


class WalkKeywords(TypedDict, total=False):
    """The fields of `WalkConfig`, and how to read files, as keyword arguments that an editor can check."""

    walks: int
    length: int
    p: float
    q: float
    directed: bool
    seed: int
    encoding: str
    errors: Errors


_CONFIG = [f.name for f in fields(WalkConfig)]
_READING = ["encoding", "errors"]


def walk(
    edges: EdgesLike,
    *,
    threads: int | None = None,
    on_progress: OnProgress = ignore,
    **options: Unpack[WalkKeywords],
) -> "Walks":
    """Random walks over a graph, as a corpus for `train`: `pairloom.train(pairloom.walk("edges.txt"), sample=0)`.

    edges: one or more files of lines `u v` or `u v weight`, compressed or not, or an iterable of such tuples.
    options: `walks` from each node (10), `length` (40), node2vec's `p` and `q` (1), `directed` (False), `seed` (1),
    and for files `encoding` ("utf-8") and `errors` ("strict").

    A step goes to a neighbour with a probability proportional to the weight of the edge. The weights of repeated edges
    are added up. There are `walks` passes, and in each of them every node starts one walk, in a random order. A walk
    ends early at a node without outgoing edges, which only directed graphs have.
    """
    check_names(options, [*_CONFIG, *_READING, "threads", "on_progress"])
    given: dict[str, Any] = {**options}
    config = WalkConfig(**{name: given[name] for name in _CONFIG if name in given})
    threads = checked_threads(threads)
    source = Edges(edges, reading_options({name: given[name] for name in _READING if name in given}))
    graph = graph_of(source, directed=config.directed, threads=threads, on_progress=logged(on_progress))
    return Walks(graph, config, threads)


class Walks(GeneratedText):
    """Random walks over a graph, as token lists or as a corpus. They can be read any number of times."""

    def __init__(self, graph: Graph, config: WalkConfig, threads: int) -> None:
        self.graph, self.config, self.threads = graph, config, threads

    def __len__(self) -> int:
        return self.config.walks * len(self.graph.nodes)

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value}" for name, value in asdict(self.config).items())
        return f"Walks({number_of(len(self.graph.nodes), 'node')}, {options})"

    def _repr_html_(self) -> str:
        rows = [["first nodes", first_words(self.graph.nodes)]]
        rows += [[name, str(value)] for name, value in asdict(self.config).items()]
        return card(f"Walks: {len(self):,} over {number_of(len(self.graph.nodes), 'node')}", rows)

    def __iter__(self) -> Iterator[list[str]]:
        for nodes, lengths in self.node_walks():
            for row, length in zip(nodes.tolist(), lengths.tolist(), strict=True):
                yield [self.graph.nodes[node] for node in row[:length]]

    def open(self, text: TextOptions) -> Corpus:
        return _WalkCorpus(self, text)

    def save(self, path: PathName, on_progress: OnProgress = ignore) -> None:
        """Write one walk per line, compressed if `path` ends in .gz. The file appears complete or not at all."""
        check_folder(path)
        with packed_write(path) as file:
            for data in self.texts(on_progress):
                with output_errors(path):
                    file.write(data)

    def texts(self, on_progress: OnProgress = ignore) -> Iterator[memoryview]:
        """The lines that `save` writes, many at a time, as UTF-8."""
        on_progress(Progress(stage="compile"))
        report, done = reporter("walk", len(self), on_progress), 0
        for data, n in self._spelled(self.graph.nodes):
            yield data.data
            done += n
            report(done)

    def node_walks(self) -> Iterator["NodeWalks"]:
        """All walks as ids of the graph's nodes, many at a time."""
        return in_order(self._walker(), self._starts(), self.threads)

    def _spelled(self, names: tuple[str, ...]) -> Iterator[tuple[npt.NDArray[np.uint8], int]]:
        """The walks as lines of text, many at a time, and the number of these lines."""
        from pairloom.kernel.counts.walks import spell

        walk_from, node_names = self._walker(), _node_names(names)

        def spelled(starts: "_WalkStarts") -> tuple[npt.NDArray[np.uint8], int]:
            return spell(node_names, *walk_from(starts)), len(starts.nodes)

        return in_order(spelled, self._starts(), self.threads)

    def _starts(self) -> Iterator["_WalkStarts"]:
        """The first nodes of walks: in each pass every node once, in random order."""
        n = len(self.graph.nodes)
        per_task = max(1, _NODES_PER_TASK // self.config.length)
        for pass_number in range(self.config.walks):
            draws = draw(key(self.config.seed, Purpose.WALK_ORDER, pass_number), np.arange(n))
            nodes = np.argsort(draws, kind="stable").astype(np.int32)
            for begin in range(0, n, per_task):
                yield _WalkStarts(nodes[begin : begin + per_task], pass_number * n)

    def _walker(self) -> Callable[["_WalkStarts"], "NodeWalks"]:
        """The function that computes the walks from some first nodes."""
        from pairloom.kernel.counts.walks import Alpha, walk

        alpha = Alpha(back=1 / self.config.p, near=1.0, far=1 / self.config.q)
        keys = key(self.config.seed, Purpose.WALK_STEP), key(self.config.seed, Purpose.WALK_ACCEPT)

        def walk_from(starts: "_WalkStarts") -> NodeWalks:
            n, length = len(starts.nodes), self.config.length
            numbers = starts.before + starts.nodes.astype(np.int64)
            walks = NodeWalks(np.empty((n, length), np.int32), np.empty(n, np.int64))
            walk(self._tables, starts.nodes, numbers, length, alpha, *keys, *walks)
            return walks

        return walk_from

    @cached_property
    def _tables(self) -> "Net":
        """The graph as the kernel needs it."""
        from pairloom.kernel.counts.walks import net_of

        return net_of(self.graph.starts, self.graph.ends, self.graph.weights)


class NodeWalks(NamedTuple):
    """Some walks: walk i is nodes[i, :lengths[i]]."""

    nodes: Ids
    lengths: npt.NDArray[np.int64]


class _WalkStarts(NamedTuple):
    """The first nodes of some walks of one pass. The number of a walk is `before` plus its first node."""

    nodes: Ids
    before: int  # the number of walks in earlier passes


def _node_names(names: tuple[str, ...]) -> "NodeNames":
    from pairloom.kernel.counts.walks import NodeNames

    encoded = [name.encode() for name in names]
    return NodeNames(np.frombuffer(b"".join(encoded), np.uint8), np.cumsum([0, *map(len, encoded)], dtype=np.int64))


class _WalkCorpus(Corpus):
    """Walks as a corpus: the text that `Walks.save` writes."""

    def __init__(self, walks: Walks, text: TextOptions) -> None:
        super().__init__(f"the walks over {number_of(len(walks.graph.nodes), 'node')}", text, None)
        self._walks = walks
        self._names = tuple(name.lower() for name in walks.graph.nodes) if text.lowercase else walks.graph.nodes

    @property
    def has_blocks(self) -> bool:
        return True

    def blocks(self) -> Iterator[Utf8Block]:
        done = 0
        for data, _ in self._walks._spelled(self._names):
            done += len(data)
            yield Utf8Block(data, False, done)
        self.size_bytes = done

    def word_lines(self) -> Iterator[WordLine]:
        for block in self.blocks():
            for line in block.data.tobytes().decode().removesuffix("\n").split("\n"):
                yield WordLine(line.split(), 0, False, block.done)
