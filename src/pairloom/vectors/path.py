"""The way from one word to another: words near points on the great circle between their directions.

With unit vectors a and b at the angle θ = arccos(a·b), the point at the share t of the way is

    p(t) = (sin((1 - t) θ) a + sin(t θ) b) / sin θ

and the n words between a and b are the nearest to p(1/(n+1)), ..., p(n/(n+1)), each of them once.
"""

import math
from typing import NamedTuple

import numpy as np

from pairloom.config import check_whole
from pairloom.errors import InputError
from pairloom.system.display import quoted
from pairloom.types import Float64s
from pairloom.vectors.query import item_direction
from pairloom.vectors.similarity import cosine
from pairloom.vectors.vectors import Vectors

MOST_STEPS = 100
_SMALLEST_SINE = 1e-6  # of the angle; below it the two point the same way, or every way between them is as short


class Step(NamedTuple):
    """A word on the way, and its cosines with both ends."""

    word: str
    cosine_from: float
    cosine_to: float


def path_between(vectors: Vectors, start: str, end: str, n: int = 6) -> list[Step]:
    """`start`, up to n words between the two, and `end`. A small vocabulary may have fewer than n others.

    >>> v = Vectors(["east", "north-east", "north", "south"], [[1, 0], [1, 1], [0, 1], [0, -1]])
    >>> [step.word for step in path_between(v, "east", "north", n=1)]
    ['east', 'north-east', 'north']
    """
    check_whole("n", n, 0, MOST_STEPS, "6 is usual")
    a, b = (_direction(vectors, word) for word in (start, end))
    found = vectors.most_similar_batch([[point] for point in _points(a, b, n)], topn=n + 2)
    used = {start, end}
    between = []
    for near in found:
        word = next((word for word, _ in near if word not in used), None)
        if word is not None:
            used.add(word)
            between.append(word)
    rows = {word: _direction(vectors, word) for word in (start, *between, end)}
    return [Step(word, cosine(rows[word], a), cosine(rows[word], b)) for word in (start, *between, end)]


def _direction(vectors: Vectors, word: str) -> Float64s:
    direction = item_direction(vectors, word)
    if not direction.any():
        raise InputError(f"The vector of {quoted(word)} is zero, so no way leads to it. Ask for another word.")
    return direction


def _points(a: Float64s, b: Float64s, n: int) -> list[Float64s]:
    angle = math.acos(cosine(a, b))
    if math.sin(angle) < _SMALLEST_SINE:
        raise InputError(
            "The two words point the same way or opposite ways, so there is no way between. Ask for others."
        )
    shares = np.arange(1, n + 1) / (n + 1)
    return [(math.sin((1 - t) * angle) * a + math.sin(t * angle) * b) / math.sin(angle) for t in shares.tolist()]
