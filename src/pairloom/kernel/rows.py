"""Rows of a matrix: sampled, copied, averaged and added up, eight at a time."""

import math

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, prefetch
from pairloom.kernel.simd import LANES, add, fma, load, multiply, spread, store

EIGHTS = 8  # eights of rows that are summed in float32 before the sum goes into float64
_PART = 1 << 32  # one part, in whole numbers
_AHEAD = 24  # how many rows ahead to prefetch


@njit(nogil=True, cache=True, error_model="numpy")
def thinned(rows, times, n):
    """At most n of the rows, with times that have the same sum and, for each row, the right mean.

    Rows with more than `part` stay as they are. The others are laid end to end, in their order, and the row that fills
    up a `part` represents it: a systematic sample.
    """
    if len(rows) <= n:
        return rows, times
    part, sure = total_of(times) / n, 0
    while True:
        above = _above(times, part)
        if above == sure or above >= n:
            break
        part, sure = _up_to(times, part) / (n - above), above
    chosen, weights = np.empty(n + 3, rows.dtype), np.empty(n + 3)
    filled, m, scale = _PART // 2, 0, min(_PART / part, 1e300)  # finite, or 0 times it would be NaN
    for i in range(len(rows)):  # whole numbers and no branch, which could not be predicted
        chosen[m], weights[m] = rows[i], max(times[i], part)
        filled += int(min(times[i] * scale, float(_PART)))
        m = min(filled // _PART, n + 2)
    return chosen[:m], weights[:m]


@njit(nogil=True, cache=True)
def total_of(times):
    """The sum of `times`."""
    return _up_to(times, math.inf)


@njit(nogil=True, cache=True)
def _above(times, part):
    """How many are above `part`. A separate loop, so that it has no branch."""
    n = 0
    for t in times:
        n += t > part
    return n


@njit(nogil=True, cache=True)
def _up_to(times, part):
    """The sum of those that are not above `part`. Four sums: a single one would wait for itself."""
    a = b = c = d = 0.0
    fours = len(times) // 4 * 4
    for i in range(0, fours, 4):
        p, q, r, s = times[i], times[i + 1], times[i + 2], times[i + 3]
        a, b = a + (p if p <= part else 0.0), b + (q if q <= part else 0.0)
        c, d = c + (r if r <= part else 0.0), d + (s if s <= part else 0.0)
    for t in times[fours:]:
        a += t if t <= part else 0.0
    return (a + b) + (c + d)


def aligned_zeros(rows: int, width: int) -> npt.NDArray[np.float32]:
    """Zeros aligned to a cache line, for whole vectors of rows: a load that crosses lines takes twice as long."""
    full = -(-rows // LANES) * LANES
    zeros = np.zeros(full * width + 16, np.float32)
    first = -zeros.ctypes.data % 64 // zeros.itemsize
    return zeros[first : first + full * width].reshape(full, width)


@njit(nogil=True, cache=True, error_model="numpy")
def take_rows(matrix, rows, times, X, weight):
    """Copy matrix[rows] to X and times / Σ times to weight. Zeros fill up whole vectors. Returns the length."""
    n, dim, width, stride = len(rows), matrix.shape[1], X.shape[1], matrix.strides[0] // 4
    source, target, total = address(matrix), address(X), total_of(times)
    for i in range(n):
        weight[i] = times[i] / total
        _ask_for(source, stride * rows[min(i + _AHEAD, n - 1)], dim)
        for d in range(0, width, LANES):
            column = min(d, dim - LANES)
            store(target, i * width + column, load(source, stride * rows[i] + column))
    full = -(-n // LANES) * LANES
    for i in range(n, full):
        weight[i] = np.float32(0.0)
        for d in range(width):
            X[i, d] = np.float32(0.0)
    return full


@njit(nogil=True, cache=True)
def copy_rows(matrix, rows, target, target_rows):
    """Copy some rows. Equivalent to target[target_rows] = matrix[rows], without a copy in between."""
    n, dim = len(rows), matrix.shape[1]
    source, stride = address(matrix), matrix.strides[0] // 4
    for i in range(n):
        a, b = rows[i], target_rows[i]
        _ask_for(source, stride * rows[min(i + _AHEAD, n - 1)], dim)
        for d in range(dim):
            target[b, d] = matrix[a, d]


@njit(nogil=True, cache=True, error_model="numpy")
def mean_of_rows(matrix, rows, times, mean, sum):
    """mean = Σ_i times[i] matrix[rows[i]] / Σ_i times[i], eight rows at a time in float32, these added in float64."""
    n, dim, width, stride = len(rows), matrix.shape[1], len(mean), matrix.strides[0] // 4
    source, held_back, total = address(matrix), address(sum), total_of(times)
    for i in range(width):
        mean[i] = 0.0
        sum[i] = np.float32(0.0)
    for r in range(0, n, LANES):
        for b in range(LANES):
            sum[width + b] = times[r + b] / total if r + b < n else 0.0
            _ask_for(source, stride * rows[min(r + b + _AHEAD, n - 1)], dim)
        add_rows(source, _eight_at(rows, r, stride), dim, held_back, width, width)
        if (r // LANES) % EIGHTS == EIGHTS - 1 or r + LANES >= n:
            for d in range(dim):
                mean[d] += sum[d if d < width - LANES else d + width - dim]
            for i in range(width):
                sum[i] = np.float32(0.0)


@njit(nogil=True, cache=True)
def add_multiple(y, a, x):
    """y += a x. (Numba takes seconds to compile the same written as operations on arrays.)"""
    for i in range(len(y)):
        y[i] += a * x[i]


@njit(nogil=True, cache=True)
def _ask_for(source, at, dim):
    for d in range(0, dim, 16):
        prefetch(source, at + d)


@njit(nogil=True, cache=True)
def eight_from(r, width):
    """The offsets of the rows r..r+7 of a matrix of `width` columns."""
    x, y = r * width, (r + 4) * width
    return x, x + width, x + 2 * width, x + 3 * width, y, y + width, y + 2 * width, y + 3 * width


@njit(nogil=True, cache=True)
def _eight_at(rows, r, stride):
    """The offsets of the rows[r..r+7]; beyond the end, that of the last row."""
    a, b, c, d = _row(rows, r, stride), _row(rows, r + 1, stride), _row(rows, r + 2, stride), _row(rows, r + 3, stride)
    e, f, g, h = r + 4, r + 5, r + 6, r + 7
    return a, b, c, d, _row(rows, e, stride), _row(rows, f, stride), _row(rows, g, stride), _row(rows, h, stride)


@njit(nogil=True, cache=True)
def _row(rows, r, stride):
    return stride * rows[min(r, len(rows) - 1)]


@njit(nogil=True, cache=True, error_model="numpy")
def add_rows(X, at, dim, sum, width, factors):
    """sum[i] += Σ_b sum[factors + b] * X[at[b] + i] for b < 8 and i < dim.

    If dim is not a multiple of eight, the last eight of `sum` belong to the last eight columns, because memory may end
    behind them.
    """
    f = factors
    g0, g1, g2, g3 = spread(sum, f), spread(sum, f + 1), spread(sum, f + 2), spread(sum, f + 3)
    g4, g5, g6, g7 = spread(sum, f + 4), spread(sum, f + 5), spread(sum, f + 6), spread(sum, f + 7)
    x0, x1, x2, x3, x4, x5, x6, x7 = at
    for i in range(0, width, LANES):
        c = min(i, dim - LANES)
        g = fma(load(X, x0 + c), g0, load(sum, i))
        g = fma(load(X, x2 + c), g2, fma(load(X, x1 + c), g1, g))
        h = fma(load(X, x4 + c), g4, multiply(load(X, x3 + c), g3))
        h = fma(load(X, x6 + c), g6, fma(load(X, x5 + c), g5, h))
        store(sum, i, fma(load(X, x7 + c), g7, add(g, h)))
