"""How far each word has moved from one model to the other.

With x_w the vector of w in A and y_w that in B, each minus the mean of its model and then of length 1,

    c_w = x_w · y_w R,    R the rotation that brings the y_w of the common words onto the x_w (`rotation.py`)
    shift of w = 1 - c_w,  from 0 (the same) over 1 (nothing in common) to 2

Without the mean nothing could be said of small corpora: all their vectors have a large part in common, which hides the
rest. Measured on Wikipedia against neighbourhood profiles (Hamilton et al. 2016, by the nearest 25 words or by 2,000
anchors), overlap of neighbours, distances in units of the noise, and sums of W and C, this had the least noise for the
words that were exchanged, and the only noise that is near to normal: see docs/comparing.md.
"""

from collections.abc import Callable

import numpy as np

from pairloom.judging.comparison.common import Common
from pairloom.judging.comparison.rotation import procrustes, product
from pairloom.method.elementary import log
from pairloom.system.threads import Workers
from pairloom.types import Float64s, Rows
from pairloom.vectors.vectors import Vectors

MOST_FITTED = 20_000  # words for the rotation, the most frequent; with 5,000 it was as good
ROWS_AT_ONCE = 2048
NEAREST = 1 - 1e-12  # the largest cosine: equal vectors would be infinitely near


class Directions:
    """Rows of a matrix minus their mean, at length 1. A row that is equal to the mean stays zero."""

    def __init__(self, vectors: Vectors, rows: Rows) -> None:
        self.vectors, self.rows = vectors, rows
        total = np.zeros(vectors.dim)
        for at in range(0, len(rows), ROWS_AT_ONCE):
            total += np.add.reduce(vectors.vectors[rows[at : at + ROWS_AT_ONCE]].astype(np.float64), axis=0)
        self.mean: Float64s = total / len(rows)

    def __getitem__(self, some: slice) -> Float64s:
        centred: Float64s = self.vectors.vectors[self.rows[some]].astype(np.float64) - self.mean
        norms = np.sqrt((centred * centred).sum(axis=1, keepdims=True))
        unit: Float64s = np.divide(centred, norms, out=np.zeros_like(centred), where=norms > 0)
        return unit


def rotation_between(common: Common, pool: Workers) -> Float64s:
    """The rotation R that brings B onto A: y_w R is near x_w for the common words."""
    x, y = (Directions(side, rows) for side, rows in zip((common.a, common.b), common.rows, strict=True))
    fitted = slice(0, MOST_FITTED)
    return procrustes(x[fitted], y[fitted], pool)


def cosines(common: Common, R: Float64s | None, pool: Workers, report: Callable[[int], None]) -> Float64s:
    """c_w of every common word; R is None if both models are in one space."""
    x, y = (Directions(side, rows) for side, rows in zip((common.a, common.b), common.rows, strict=True))
    found = np.empty(len(common.words))
    for at in range(0, len(found), ROWS_AT_ONCE):
        some = slice(at, at + ROWS_AT_ONCE)
        found[some] = (x[some] * (y[some] if R is None else product(y[some], R, pool))).sum(axis=1)
        report(min(at + ROWS_AT_ONCE, len(found)))
    return np.clip(found, -1.0, 1.0)


def spread_out(c: Float64s) -> Float64s:
    """-artanh c = log tan(θ/2) for the angle θ: the scale on which noise is near to normal."""
    bounded = np.clip(c, -NEAREST, NEAREST)
    return 0.5 * log((1 - bounded) / (1 + bounded))
