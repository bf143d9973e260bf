"""Pairs from the edges of a graph: the contexts of a node are its neighbours."""

from collections.abc import Iterator
from typing import Unpack

from pairloom.corpus.lines import reading_options
from pairloom.pairings.pairs import Pair, Pairs, ReadingKeywords, check_readable_again
from pairloom.preparing.graphs.edges import Edges
from pairloom.types import PairsLike


def edge_pairs(edges: PairsLike, *, directed: bool = False, **text: Unpack[ReadingKeywords]) -> Pairs:
    """The two ends of each edge: (u, v), and (v, u) too unless `directed`. Both pairs have the weight of the edge.

    edges: a file of lines `u v` or `u v weight`, or a list of such tuples.
    text: lowercase, encoding and errors, as in `TextOptions`.

    >>> list(edge_pairs([("a", "b"), ("b", "c", 2)]))
    [('a', 'b'), ('b', 'a'), ('b', 'c', 2.0), ('c', 'b', 2.0)]
    """
    check_readable_again(edges)
    source = Edges(edges, reading_options(dict(text)))

    def make() -> Iterator[Pair]:
        for block in source.blocks():
            for u, v, weight in block.edges:
                rest = () if weight is None else (weight,)
                yield u, v, *rest
                if not directed and u != v:  # a loop is the same both ways
                    yield v, u, *rest

    return Pairs(source.name, make)
