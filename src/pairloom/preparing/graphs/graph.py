"""A graph as lists of neighbours, and the definition of a random walk's next step.

>>> graph = graph_of(Edges([("a", "b"), ("b", "c", 3)]))
>>> graph.nodes, graph.neighbours(1).tolist(), step_probabilities(graph, 1).tolist()
(('a', 'b', 'c'), [0, 2], [0.25, 0.75])
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pairloom.errors import InputError
from pairloom.preparing.graphs.edges import Edges
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.types import Float64s, Ids, Starts


@dataclass(frozen=True, eq=False)
class Graph:
    """Node i has edges to ends[starts[i] : starts[i + 1]], in ascending order, with the weights at the same positions.

    Nodes are sorted by the bytes of their names, so the graph does not depend on the order of the edges.
    """

    nodes: tuple[str, ...]
    starts: Starts
    ends: Ids
    weights: Float64s | None  # None if all are equal

    def neighbours(self, v: int) -> Ids:
        """The nodes to which v has edges."""
        return self.ends[self.starts[v] : self.starts[v + 1]]

    def edge_weights(self, v: int) -> Float64s:
        """The weights of the edges of v."""
        if self.weights is None:
            return np.ones(len(self.neighbours(v)))
        return self.weights[self.starts[v] : self.starts[v + 1]]

    @property
    def n_sinks(self) -> int:
        """The number of nodes without outgoing edges. Only directed graphs have any."""
        return int((np.diff(self.starts) == 0).sum())


def step_probabilities(graph: Graph, v: int, t: int | None = None, p: float = 1.0, q: float = 1.0) -> Float64s:
    """The probability of each neighbour x of v as the next node of a walk (Grover & Leskovec 2016, section 3.2).

    The walk came from t to v. The probability of x is proportional to weight(v, x) * α(t, x), with
        α = 1/p if d = 0 (x is t),  1 if d = 1,  1/q if d = 2
    where d = d(t, x) is the distance from t to x. In the first step of a walk there is no t, and α = 1.

    The authors' program looks for an edge from x to t instead. In undirected graphs that is the same. In directed
    graphs we follow the paper.
    """
    ends = graph.neighbours(v)
    mass = graph.edge_weights(v).copy()
    if t is not None:
        mass *= np.where(ends == t, 1 / p, np.where(np.isin(ends, graph.neighbours(t)), 1.0, 1 / q))
    return np.asarray(mass / mass.sum())


# --- From edges


def graph_of(edges: Edges, *, directed: bool = False, threads: int = 1, on_progress: OnProgress = ignore) -> Graph:
    """Build a graph. The weights of repeated edges are added up. Unless `directed`, each edge goes both ways."""
    from pairloom.kernel.text.words import absorb, contents, empty_table

    nodes = empty_table()
    pairs, weights = [np.empty((0, 2), np.int32)], [np.empty(0)]
    report = reporter("read", edges.size_bytes, on_progress)
    for block in edges.numbered(threads):
        nodes, rows = absorb(nodes, block.names, block.offsets)
        pairs.append(rows.astype(np.int32)[block.ends])
        weights.append(block.weights)
        report(block.done)
    names = _names(*contents(nodes)[:2])
    if not names:
        raise InputError(f"{edges.name} has no edges. Write one edge per line, as `u v` or `u v weight`.")
    by_name = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names), np.int32)
    rank[by_name] = np.arange(len(names), dtype=np.int32)
    starts, ends, weight = _adjacency(
        *_both_ways(rank[np.concatenate(pairs)], np.concatenate(weights), directed), len(rank)
    )
    return Graph(tuple(names[i] for i in by_name), starts, ends, None if np.ptp(weight) == 0 else weight)


def _names(arena: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> list[str]:
    data = arena.tobytes()
    return [data[begin:end].decode() for begin, end in pairwise(offsets.tolist())]


def _both_ways(pairs: Ids, weights: Float64s, directed: bool) -> tuple[Ids, Float64s]:
    if directed:
        return pairs, weights
    reversible = pairs[:, 0] != pairs[:, 1]  # an edge from a node to itself is not doubled
    return np.concatenate((pairs, pairs[reversible, ::-1])), np.concatenate((weights, weights[reversible]))


def _adjacency(pairs: Ids, weights: Float64s, n: int) -> tuple[Starts, Ids, Float64s]:
    """The starts, ends and weights of a `Graph` of n nodes. The weights of equal edges are added up."""
    place = pairs[:, 0].astype(np.int64) * n + pairs[:, 1]
    order = np.argsort(place, kind="stable")
    place = place[order]
    first = np.flatnonzero(np.diff(place, prepend=-1))
    ends = (place[first] % n).astype(np.int32)
    starts = np.searchsorted(place[first], np.arange(n + 1, dtype=np.int64) * n).astype(np.int64)
    return starts, ends, np.add.reduceat(weights[order], first)
