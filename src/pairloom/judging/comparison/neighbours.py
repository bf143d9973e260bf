"""The neighbours of a word in two models: kept, gained and lost."""

from collections.abc import Sequence
from typing import NamedTuple

from pairloom.vectors.search import Neighbours
from pairloom.vectors.vectors import Vectors


class Neighbour(NamedTuple):
    """A neighbour of a word, with its cosine in A and in B."""

    word: str
    in_a: float
    in_b: float


class Changes(NamedTuple):
    """The nearest words in A and in B, compared: nearest first in A (kept, lost) or in B (gained)."""

    kept: list[Neighbour]
    gained: list[Neighbour]
    lost: list[Neighbour]


def changes(a: Vectors, b: Vectors, words: Sequence[str], topn: int) -> list[Changes]:
    """The changes among the `topn` nearest words, for each of `words`. a and b have the same words."""
    before, after = (side.most_similar_batch(words, topn=topn) for side in (a, b))
    return [_changes(a, b, word, *near) for word, *near in zip(words, before, after, strict=True)]


def _changes(a: Vectors, b: Vectors, word: str, before: Neighbours, after: Neighbours) -> Changes:
    there, here = dict(after), dict(before)
    return Changes(
        kept=[Neighbour(near, cosine, there[near]) for near, cosine in before if near in there],
        gained=[Neighbour(near, a.similarity(word, near), cosine) for near, cosine in after if near not in here],
        lost=[Neighbour(near, cosine, b.similarity(word, near)) for near, cosine in before if near not in there],
    )
