"""Exact search: the rows of a matrix that are nearest to some directions, many at once, in bounded memory.

Every row is compared in float32 by BLAS, whose sums depend on the machine; whatever may win is compared again in
float64, always in the same order. So the answer is the same everywhere, and equal rows have equal cosines.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.types import Float64s, Matrix, Rows

_ROWS_AT_ONCE = 1 << 14
_COSINES_AT_ONCE = 1 << 22  # 16 MB in float32
_EXACT_ROWS_AT_ONCE = 4096  # rows turned into float64 together: 3 MB at dim 100


class Found(NamedTuple):
    """Rows and their cosines, nearest first, the earlier row first where cosines are equal."""

    rows: Rows
    cosines: Float64s


def nearest(
    vectors: Matrix, norms: Float64s, directions: Float64s, k: int, excluded: Sequence[Sequence[int]]
) -> Iterator[Found]:
    """The k rows nearest to each direction, a row of length 1; excluded[i] are rows that direction i leaves out."""
    kept = len(vectors) if k > _ROWS_AT_ONCE else max(1, k)  # of more than a block has, no row can be left out
    at_once = max(1, min(_COSINES_AT_ONCE // _ROWS_AT_ONCE, _COSINES_AT_ONCE // kept))
    for start in range(0, len(directions), at_once):
        some = slice(start, start + at_once)
        yield from _nearest(vectors, norms, directions[some], k, excluded[some])


def _nearest(
    vectors: Matrix, norms: Float64s, directions: Float64s, k: int, excluded: Sequence[Sequence[int]]
) -> Iterator[Found]:
    candidates: list[list[Rows]] = [[] for _ in directions]
    kth = np.full(len(directions), -np.inf, np.float32)  # no row below can be among the k nearest
    # A rough cosine is off by at most (dim + a few) * 2^-24, and so is the k-th best that it is compared with.
    margin = np.float32(2 * (vectors.shape[1] + 8) * 2.0**-24)
    for begin in range(0, len(vectors) if k else 0, _ROWS_AT_ONCE):
        block = slice(begin, begin + _ROWS_AT_ONCE)
        rough = _rough_cosines(vectors[block], norms[block], directions)
        for mine, rows in zip(rough, excluded, strict=True):
            mine[[row - begin for row in rows if begin <= row < begin + len(mine)]] = -np.inf
        if rough.shape[1] >= k:
            kth = np.maximum(kth, np.partition(rough, -k, axis=1)[:, -k] if k > 1 else rough.max(axis=1))
        for mine, bound, rows_so_far in zip(rough, kth - margin, candidates, strict=True):
            rows_so_far.append(begin + np.flatnonzero((mine >= bound) & (mine > -np.inf)))
    for direction, found in zip(directions, candidates, strict=True):
        likely = np.concatenate([*found, np.empty(0, np.intp)])
        yield best(likely, cosines(vectors, norms, likely, direction), k)


def best(rows: Rows, scores: Float64s, k: int) -> Found:
    """The k rows of the highest scores, the earlier row first where they are equal."""
    order = np.lexsort((rows, -scores))[:k]
    return Found(rows[order], scores[order])


def cosines(vectors: Matrix, norms: Float64s, rows: Rows, direction: Float64s) -> Float64s:
    """Cosines of some rows with a direction of length 1, in float64; 0 for a row of zeros."""
    dots = np.empty(len(rows))
    for start in range(0, len(rows), _EXACT_ROWS_AT_ONCE):
        some = slice(start, start + _EXACT_ROWS_AT_ONCE)
        # Each row is summed by itself, in the same order: BLAS would sum equal rows differently here and there.
        dots[some] = (vectors[rows[some]].astype(np.float64) * direction).sum(axis=1)
    return np.clip(np.divide(dots, norms[rows], out=np.zeros(len(rows)), where=norms[rows] > 0), -1.0, 1.0)


def _rough_cosines(vectors: Matrix, norms: Float64s, directions: Float64s) -> npt.NDArray[np.float32]:
    """(directions, rows), in float32."""
    with np.errstate(all="ignore"):
        rough: npt.NDArray[np.float32] = directions.astype(np.float32) @ vectors.T
        rough *= np.where(norms > 0, 1 / norms, 0).astype(np.float32)
    # float32 sums overflow or lose their digits in rows this long or short.
    extreme = np.flatnonzero((norms > 1e30) | (norms < 1e-30))
    for mine, direction in zip(rough, directions if len(extreme) else (), strict=False):
        mine[extreme] = cosines(vectors, norms, extreme, direction)
    return rough
