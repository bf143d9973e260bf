"""A graph as rows of neighbours, and where a walk goes next, as a definition to read.

>>> graph = graph_of(Edges([("a", "b"), ("b", "c", 3)]))
>>> graph.nodes, graph.neighbours(1).tolist(), step_probabilities(graph, 1).tolist()
(('a', 'b', 'c'), [0, 2], [0.25, 0.75])
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pairloom.errors import InputError
from pairloom.graphs.edges import Edge, Edges
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.types import Float64s, Ids, Starts

Rows = tuple[Starts, Ids, Float64s]


@dataclass(frozen=True, eq=False)
class Graph:
    """Node i leads to ends[starts[i] : starts[i + 1]], in ascending order; these edges have the same places in weights.

    Nodes are in the order of their names' bytes, so a graph does not depend on the order in which its edges came.
    """

    nodes: tuple[str, ...]
    starts: Starts
    ends: Ids
    weights: Float64s | None  # None if all weigh the same

    def neighbours(self, v: int) -> Ids:
        """Where the edges of v lead."""
        return self.ends[self.starts[v] : self.starts[v + 1]]

    def edge_weights(self, v: int) -> Float64s:
        """What the edges of v weigh."""
        if self.weights is None:
            return np.ones(len(self.neighbours(v)))
        return self.weights[self.starts[v] : self.starts[v + 1]]

    @property
    def n_sinks(self) -> int:
        """How many nodes lead nowhere. In an undirected graph there are none."""
        return int((np.diff(self.starts) == 0).sum())


def step_probabilities(graph: Graph, v: int, t: int | None = None, p: float = 1.0, q: float = 1.0) -> Float64s:
    """How likely a walk that came from t to v goes to each of v's neighbours x (Grover & Leskovec 2016, section 3.2).

    In proportion to weight(v, x) * α(t, x), where d is the number of edges from t to x, and
        α = 1/p if d = 0 (x is t),  1 if d = 1,  1/q if d = 2
    A walk's first step has no t, and α = 1. The authors' program asks for an edge from x to t instead, which is the
    same where edges have no direction; we take the distance as the paper writes it, d(t, x).
    """
    ends = graph.neighbours(v)
    mass = graph.edge_weights(v).copy()
    if t is not None:
        mass *= np.where(ends == t, 1 / p, np.where(np.isin(ends, graph.neighbours(t)), 1.0, 1 / q))
    return np.asarray(mass / mass.sum())


# --- From edges


def graph_of(edges: Edges, *, directed: bool = False, on_progress: OnProgress = ignore) -> Graph:
    """Gather edges. Those given more than once weigh their sum; without `directed`, each leads both ways."""
    index: dict[str, int] = {}
    pairs, weights = [np.empty((0, 2), np.int32)], [np.empty(0)]
    report = reporter("read", edges.size_bytes, on_progress)
    for block in edges.blocks():
        pairs.append(_numbered(block.edges, index))
        weights.append(np.array([1.0 if weight is None else weight for _, _, weight in block.edges]))
        report(block.done)
    if not index:
        raise InputError(f"{edges.name} has no edges. A graph is a line `u v` or `u v weight` for each edge.")
    names = list(index)
    by_name = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names), np.int32)
    rank[by_name] = np.arange(len(names), dtype=np.int32)
    starts, ends, weight = _rows(*_both_ways(rank[np.concatenate(pairs)], np.concatenate(weights), directed), len(rank))
    return Graph(tuple(names[i] for i in by_name), starts, ends, None if np.ptp(weight) == 0 else weight)


def _numbered(edges: list[Edge], index: dict[str, int]) -> npt.NDArray[np.int32]:
    """Both ends of each edge, by the order in which nodes came first."""
    number = index.setdefault
    flat = [number(node, len(index)) for u, v, _ in edges for node in (u, v)]
    return np.array(flat, np.int32).reshape(-1, 2)


def _both_ways(pairs: Ids, weights: Float64s, directed: bool) -> tuple[Ids, Float64s]:
    if directed:
        return pairs, weights
    there_only = pairs[:, 0] != pairs[:, 1]  # a loop is its own way back
    return np.concatenate((pairs, pairs[there_only, ::-1])), np.concatenate((weights, weights[there_only]))


def _rows(pairs: Ids, weights: Float64s, n: int) -> Rows:
    """Edges by where they begin and, among these, by where they end; equal ones are added up."""
    place = pairs[:, 0].astype(np.int64) * n + pairs[:, 1]
    order = np.argsort(place, kind="stable")
    place = place[order]
    first = np.flatnonzero(np.diff(place, prepend=-1))
    ends = (place[first] % n).astype(np.int32)
    starts = np.searchsorted(place[first], np.arange(n + 1, dtype=np.int64) * n).astype(np.int64)
    return starts, ends, np.add.reduceat(weights[order], first)
