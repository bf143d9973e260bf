"""Pairs from the edges of a graph: a node's contexts are its neighbours."""

from collections.abc import Iterator
from typing import Any

from pairloom.corpus.lines import reading_options
from pairloom.graphs.edges import Edges
from pairloom.pairings.pairs import Pair, Pairs, check_readable_again


def edge_pairs(edges: Any, *, directed: bool = False, **text: Any) -> Pairs:
    """The ends of each edge: (u, v), and (v, u) too unless `directed`. A weight goes with both.

    edges: a file of lines `u v` or `u v weight`, or a list of such tuples. text: encoding, errors, lowercase.

    >>> list(edge_pairs([("a", "b"), ("b", "c", 2)]))
    [('a', 'b'), ('b', 'a'), ('b', 'c', 2.0), ('c', 'b', 2.0)]
    """
    check_readable_again(edges)
    source = Edges(edges, reading_options(text))

    def make() -> Iterator[Pair]:
        for block in source.blocks():
            for u, v, weight in block.edges:
                rest = () if weight is None else (weight,)
                yield u, v, *rest
                if not directed and u != v:  # a loop is its own way back
                    yield v, u, *rest

    return Pairs(source.name, make)
