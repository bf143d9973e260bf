"""Rows of a matrix, picked, copied, averaged and added up, eight at a time."""

import numpy as np

from wordloom.kernel.cached import njit
from wordloom.kernel.simd import LANES, add, address, fma, load, multiply, prefetch, spread, store

EIGHTS = 8  # whose sum float32 takes before it goes into float64
_AHEAD = 24  # rows that are asked for before they are needed


@njit(nogil=True, cache=True)
def thinned(rows, times, n):
    """At most n of the rows, with times that add up to the same, and that are those of a row on average.

    Rows with more than `part` stay as they are. The others are laid end to end, in their order, and wherever `part` is
    full again the row that fills it stands for it: a systematic sample, as `logistic.sample` takes one.
    """
    if len(rows) <= n:
        return rows, times
    part, sure = total_of(times) / n, 0
    while True:
        left, above = 0.0, 0
        for t in times:
            above += t > part
            left += 0.0 if t > part else t
        if above == sure or above >= n:
            break
        part, sure = left / (n - above), above
    chosen, weights = np.empty(n + 2, rows.dtype), np.empty(n + 2)
    filled, m = 0.5 * part, 0
    for i in range(len(rows)):
        filled += 0.0 if times[i] > part else times[i]
        if times[i] > part or filled >= part:
            chosen[m], weights[m] = rows[i], max(times[i], part)
            filled -= 0.0 if times[i] > part else part
            m += 1
    return chosen[:m], weights[:m]


@njit(nogil=True, cache=True)
def total_of(times):
    total = 0.0
    for t in times:
        total += t
    return total


@njit(nogil=True, cache=True, error_model="numpy")
def take_rows(matrix, rows, times, X, weight):
    """Copy matrix[rows] into X, and `times` as parts of 1 into weight; zeros fill both up to the n that is returned."""
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
        add_rows(source, _eight_at(rows, r, stride), dim, held_back, width)
        if (r // LANES) % EIGHTS == EIGHTS - 1 or r + LANES >= n:
            for d in range(dim):
                mean[d] += sum[d if d < width - LANES else d + width - dim]
            for i in range(width):
                sum[i] = np.float32(0.0)


@njit(nogil=True, cache=True)
def _ask_for(source, at, dim):
    for d in range(0, dim, 16):
        prefetch(source, at + d)


@njit(nogil=True, cache=True)
def _eight_at(rows, r, stride):
    """Where the eight rows from the r-th on begin; beyond the last, where that does."""
    a, b, c, d = _row(rows, r, stride), _row(rows, r + 1, stride), _row(rows, r + 2, stride), _row(rows, r + 3, stride)
    e, f, g, h = r + 4, r + 5, r + 6, r + 7
    return a, b, c, d, _row(rows, e, stride), _row(rows, f, stride), _row(rows, g, stride), _row(rows, h, stride)


@njit(nogil=True, cache=True)
def _row(rows, r, stride):
    return stride * rows[min(r, len(rows) - 1)]


@njit(nogil=True, cache=True, error_model="numpy")
def add_rows(X, at, dim, sum, width):
    """sum[i] += Σ_b sum[width + b] * X[at[b] + i] for b < 8 and i < dim.

    If dim is not a multiple of eight, the last eight of `sum` are for the last eight columns: nothing beyond them is
    read, where there may be no memory.
    """
    g0, g1, g2, g3 = spread(sum, width), spread(sum, width + 1), spread(sum, width + 2), spread(sum, width + 3)
    g4, g5, g6, g7 = spread(sum, width + 4), spread(sum, width + 5), spread(sum, width + 6), spread(sum, width + 7)
    x0, x1, x2, x3, x4, x5, x6, x7 = at
    for i in range(0, width, LANES):
        c = min(i, dim - LANES)
        g = fma(load(X, x0 + c), g0, load(sum, i))
        g = fma(load(X, x2 + c), g2, fma(load(X, x1 + c), g1, g))
        h = fma(load(X, x4 + c), g4, multiply(load(X, x3 + c), g3))
        h = fma(load(X, x6 + c), g6, fma(load(X, x5 + c), g5, h))
        store(sum, i, fma(load(X, x7 + c), g7, add(g, h)))
