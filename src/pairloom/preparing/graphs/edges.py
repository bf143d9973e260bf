"""Read the edges of a graph: lines `u v` or `u v weight`, or tuples of the same.

Columns are separated by white space. A line whose first word is # or % is a comment, as in the headers of SNAP's and
KONECT's files. So `# Nodes: 5` is a comment, and `#tag #other` is an edge. An edge without a weight has weight 1.

>>> [(u, v) for block in Edges([("a", "b"), (7, 8)]).blocks() for u, v, _ in block.edges]
[('a', 'b'), ('7', '8')]
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import MAX_WORD_BYTES, TextOptions, is_number, is_whole
from pairloom.corpus.lines import ByteLines, LineFiles, Lines, check_lengths, is_path
from pairloom.errors import CorpusTypeError, InputError
from pairloom.system.display import of_type
from pairloom.system.threads import in_order
from pairloom.types import Float64s, Ids, PathName

Edge = tuple[str, str, float | None]  # u, v, and the weight if one was given

Node = str | int | np.integer[Any]
# Files of edges, or an iterable of tuples. Type checkers infer the last form for a list that mixes both tuples.
EdgesLike = (
    PathName
    | Sequence[PathName]
    | Iterable[tuple[Node, Node]]
    | Iterable[tuple[Node, Node, float]]
    | Iterable[tuple[Node | float, ...]]
)

HEAVIEST = 1e30  # a limit that keeps sums of weights finite
_WEIGHT_ADVICE = f"Use a number above 0, at most {HEAVIEST:g}, or leave it out for 1."
_COMMENT = ("#", "%")
_EDGES_PER_BLOCK = 1 << 16  # of an iterable


class EdgeBlock(NamedTuple):
    """Some edges, in their order."""

    edges: list[Edge]
    done: int  # bytes of files read so far


class NumberedEdges(NamedTuple):
    """Some edges, in their order, with nodes as numbers. Node i has the name names[offsets[i] : offsets[i + 1]]."""

    names: npt.NDArray[np.uint8]  # UTF-8, in the order in which nodes first occur
    offsets: npt.NDArray[np.int64]
    ends: Ids  # (edges, 2): u and v
    weights: Float64s
    done: int  # bytes of files read so far


class Edges:
    """The edges of files or of an iterable. They can be read as often as the source can."""

    def __init__(self, source: Any, text: TextOptions = TextOptions()) -> None:  # noqa: B008 (frozen)
        self._files = LineFiles(source, text) if is_path(source) else None
        if self._files is None and (isinstance(source, bytes) or not isinstance(source, Iterable)):
            raise CorpusTypeError(
                f"Edges cannot be of type {type(source).__name__}. Give a path, or tuples (u, v) or (u, v, weight)."
            )
        self._tuples, self._lowercase = source, text.lowercase
        self.name = self._files.name if self._files else f"the graph ({of_type(source)})"
        self.size_bytes = self._files.size_bytes if self._files else None

    def blocks(self) -> Iterator[EdgeBlock]:
        """All edges in order, checked, many at a time."""
        if self._files:
            for lines in self._files.blocks():
                yield EdgeBlock(edges_of(lines), lines.done)
            return
        numbered = enumerate(self._tuples)
        while edges := [checked_edge(edge, f"edge {number}") for number, edge in islice(numbered, _EDGES_PER_BLOCK)]:
            yield EdgeBlock([(u.lower(), v.lower(), weight) for u, v, weight in edges] if self._lowercase else edges, 0)

    def numbered(self, threads: int = 1) -> Iterator[NumberedEdges]:
        """`blocks` with numbers for nodes, in each block its own. Compiled code parses files, on several threads."""
        if self._files:
            return in_order(_parsed, self._files.byte_blocks(), threads)
        return map(_numbered, self.blocks())


def _parsed(lines: ByteLines) -> NumberedEdges:
    """The edges of some lines. Python reads weights that are not plain decimals, and says what is wrong with a line."""
    from pairloom.kernel.text.edge_lines import parse

    parsed = parse(np.frombuffer(lines.data, np.uint8), HEAVIEST)
    odd = np.flatnonzero(parsed.weights == 0).tolist()
    if parsed.bad_line >= 0:
        return _numbered(EdgeBlock(edges_of(lines.split()), lines.done))
    if odd:
        each = lines.split()
        for i, line in zip(odd, parsed.lines[odd].tolist(), strict=True):
            parsed.weights[i] = _weight(each.lines[line].split()[2], each.where(line))
    return NumberedEdges(parsed.names, parsed.offsets, parsed.ends, parsed.weights, lines.done)


def _numbered(block: EdgeBlock) -> NumberedEdges:
    index: dict[str, int] = {}
    number = index.setdefault
    ends = [number(node, len(index)) for u, v, _ in block.edges for node in (u, v)]
    names = [name.encode() for name in index]
    return NumberedEdges(
        np.frombuffer(b"".join(names), np.uint8),
        np.cumsum([0, *map(len, names)], dtype=np.int64),
        np.array(ends, np.int32).reshape(-1, 2),
        np.array([1.0 if weight is None else weight for _, _, weight in block.edges]),
        block.done,
    )


def edges_of(lines: Lines) -> list[Edge]:
    """The edges of some lines."""
    edges: list[Edge] = []
    for i, line in enumerate(lines.lines):
        words = line.split()
        if not words or words[0] in _COMMENT:
            continue
        if len(words) not in (2, 3):
            raise InputError(
                f"{lines.where(i)}: {_columns(len(words))}, {line.strip()[:60]!r}. "
                "Write an edge as `u v` or `u v weight`, and begin a comment with # and a space."
            )
        if len(line) > MAX_WORD_BYTES // 4:  # no character takes more than 4 bytes
            check_lengths(words, lines.where(i))
        edges.append((words[0], words[1], _weight(words[2], lines.where(i)) if len(words) == 3 else None))
    return edges


def checked_edge(edge: Any, where: str) -> Edge:
    """Check an edge of an iterable: (u, v) or (u, v, weight). Whole numbers as nodes become strings, as in files."""
    if not isinstance(edge, tuple | list) or len(edge) not in (2, 3):
        raise CorpusTypeError(f"{where} is {str(edge)[:60]!r}. Give tuples (u, v) or (u, v, weight).")
    u, v = (str(node) if is_whole(node) else node for node in edge[:2])
    for node in (u, v):
        if not isinstance(node, str) or node.split() != [node]:
            raise CorpusTypeError(f"{where} has the node {node!r}. Use strings without white space, or whole numbers.")
    check_lengths([u, v], where)
    if len(edge) == 3 and not (is_number(edge[2]) and 0 < edge[2] <= HEAVIEST):
        raise InputError(f"{where} has the weight {edge[2]!r}. {_WEIGHT_ADVICE}")
    return u, v, float(edge[2]) if len(edge) == 3 else None


def _weight(word: str, where: str) -> float:
    with suppress(ValueError):
        if "_" not in word and 0 < (weight := float(word)) <= HEAVIEST:  # float() would accept 1_000
            return weight
    raise InputError(f"{where}: {word[:60]!r} is not a weight. {_WEIGHT_ADVICE}")


def _columns(n: int) -> str:
    return "one column" if n == 1 else f"{n} columns"
