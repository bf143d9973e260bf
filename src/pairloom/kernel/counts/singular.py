"""Sparse and dense products, orthonormal columns and eigenvectors, in float64. (Not by BLAS or LAPACK: see `moments`.)

Vectors come in blocks: an array (n, BLOCK) has one of them in each column. Each number is added up in one order, and
loops run over columns, so that the compiler can use vectors of any width without changing a bit.
"""

import math

import numpy as np

from pairloom.kernel.compile import njit
from pairloom.kernel.rows import add_multiple

BLOCK = 8  # vectors that are multiplied together: a row of them is one cache line
_AT_ONCE = 4  # rows


@njit(nogil=True, cache=True)
def multiply(starts, columns, values, X, out, first, last):
    """Rows first..last-1 of out = A X, where A is sparse, by rows."""
    for r in range(first, last):
        a = b = c = d = e = f = g = h = 0.0
        for i in range(starts[r], starts[r + 1]):
            x, value = columns[i], values[i]
            a, b, c, d = a + value * X[x, 0], b + value * X[x, 1], c + value * X[x, 2], d + value * X[x, 3]
            e, f, g, h = e + value * X[x, 4], f + value * X[x, 5], g + value * X[x, 6], h + value * X[x, 7]
        out[r, 0], out[r, 1], out[r, 2], out[r, 3] = a, b, c, d
        out[r, 4], out[r, 5], out[r, 6], out[r, 7] = e, f, g, h


@njit(nogil=True, cache=True)
def transpose(starts, columns, values, first, last, place, rows_out, values_out):
    """Copy the rows first..last-1 of A to the rows of Aᵀ. place[c]: where the next entry of column c belongs."""
    for r in range(first, last):
        for i in range(starts[r], starts[r + 1]):
            at = place[columns[i]]
            rows_out[at], values_out[at] = r, values[i]
            place[columns[i]] = at + 1


@njit(nogil=True, cache=True)
def inner_products(Q, m, Z, first, last):
    """Σ_r Z[r, j] Q[r, i] over the rows first..last-1, for j < BLOCK and i < m."""
    out = np.zeros((BLOCK, m))
    whole = first + (last - first) // _AT_ONCE * _AT_ONCE
    for r in range(first, whole, _AT_ONCE):
        for j in range(BLOCK):
            a, b, c, d = Z[r, j], Z[r + 1, j], Z[r + 2, j], Z[r + 3, j]
            for i in range(m):
                out[j, i] = out[j, i] + a * Q[r, i] + b * Q[r + 1, i] + c * Q[r + 2, i] + d * Q[r + 3, i]
    for r in range(whole, last):
        for j in range(BLOCK):
            for i in range(m):
                out[j, i] += Z[r, j] * Q[r, i]
    return out


@njit(nogil=True, cache=True)
def subtract(Q, h, Z, first, last):
    """Rows first..last-1 of Z -= Q h, where h is (m, BLOCK)."""
    for r in range(first, last):
        a = b = c = d = e = f = g = k = 0.0
        for i in range(len(h)):
            q = Q[r, i]
            a, b, c, d = a + q * h[i, 0], b + q * h[i, 1], c + q * h[i, 2], d + q * h[i, 3]
            e, f, g, k = e + q * h[i, 4], f + q * h[i, 5], g + q * h[i, 6], k + q * h[i, 7]
        Z[r, 0], Z[r, 1], Z[r, 2], Z[r, 3] = Z[r, 0] - a, Z[r, 1] - b, Z[r, 2] - c, Z[r, 3] - d
        Z[r, 4], Z[r, 5], Z[r, 6], Z[r, 7] = Z[r, 4] - e, Z[r, 5] - f, Z[r, 6] - g, Z[r, 7] - k


@njit(nogil=True, cache=True)
def rotate(Q, S, first, last):
    """Rows first..last-1 of Q: the first columns become Q S, where S is (m, columns)."""
    m, columns = S.shape
    row = np.empty(columns)
    for r in range(first, last):
        for j in range(columns):
            row[j] = 0.0
        for i in range(m):
            q = Q[r, i]
            for j in range(columns):
                row[j] += q * S[i, j]
        for j in range(columns):
            Q[r, j] = row[j]


@njit(nogil=True, cache=True, error_model="numpy")
def orthonormalise(Z, tiny):
    """Make the columns of Z orthonormal, each by subtracting those before it twice (Gram and Schmidt).

    Returns R with Z before = Z after times R. A column of which at most `tiny` is left becomes zero, as R[j, j] does.
    """
    R = np.zeros((BLOCK, BLOCK))
    for j in range(BLOCK):
        for _ in range(2):
            h = _column_products(Z, j)
            for r in range(len(Z)):
                for i in range(j):
                    Z[r, j] -= h[i] * Z[r, i]
            for i in range(j):
                R[i, j] += h[i]
        length = math.sqrt(_column_products(Z, j)[j])
        R[j, j] = length if length > tiny else 0.0
        for r in range(len(Z)):
            Z[r, j] = Z[r, j] / length if length > tiny else 0.0
    return R


@njit(nogil=True, cache=True)
def _column_products(Z, j):
    """The inner products of column j with the columns up to j."""
    h = np.zeros(j + 1)
    for r in range(len(Z)):
        for i in range(j + 1):
            h[i] += Z[r, i] * Z[r, j]
    return h


@njit(nogil=True, cache=True)
def tridiagonalise(A, Z, first, last):
    """Take steps first..last-1 of Householder's reduction of a symmetric A to three diagonals. Z is 1 at first.

    Step k mirrors the axes after k, so that of column k only the entry below the diagonal is left:
        A -= v pᵀ + p vᵀ,  Z -= 2 v (vᵀ Z),  with |v| = 1 and p = 2 (A v - v (vᵀ A v))
    Zᵀ A Z stays the A that was given: the rows of Z are the axes of the new A.
    """
    n = len(A)
    for k in range(first, last):
        v, p, q = _mirror(A[k], k), np.zeros(n), np.zeros(n)
        for r in range(k + 1, n):
            add_multiple(p[k:], v[r], A[r, k:])
            add_multiple(q, v[r], Z[r])
        add_multiple(p, -_dot(v, p), v)
        for r in range(k, n):
            add_multiple(A[r, k:], -2.0 * v[r], p[k:])
            add_multiple(A[r, k:], -2.0 * p[r], v[k:])
            add_multiple(Z[r], -2.0 * v[r], q)


@njit(nogil=True, cache=True, error_model="numpy")
def _mirror(row, k):
    """The unit vector v for which row - 2 v (vᵀ row) is zero after place k + 1. Zero if the row is so already."""
    v = np.zeros(len(row))
    v[k + 1 :] = row[k + 1 :]
    length = math.sqrt(_dot(v, v))
    if length > abs(v[k + 1]):
        v[k + 1] += math.copysign(length, v[k + 1])
        length = math.sqrt(_dot(v, v))
        for i in range(k + 1, len(v)):
            v[i] /= length
    else:
        v[k + 1 :] = 0.0
    return v


@njit(nogil=True, cache=True)
def _dot(x, y):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


@njit(nogil=True, cache=True, error_model="numpy")
def diagonalise(d, e, Z, tiny, first, last):
    """Bring e[first..last-1] down to `tiny`, by the QL algorithm with implicit shifts (EISPACK's tql2).

    d, e: the diagonal, and the entries beside it with a 0 at the end. d becomes the eigenvalues of the matrix, the rows
    of Z their vectors.
    """
    for k in range(first, last):
        for _ in range(100):  # two or three are usual
            end = k
            while abs(e[end]) > tiny:
                end += 1
            if end == k:
                break
            _sweep(d, e, Z, k, end)


@njit(nogil=True, cache=True, error_model="numpy")
def _sweep(d, e, Z, k, end):
    """Turn the axes end and end - 1, and so on down to k: one step of QL."""
    g = (d[k + 1] - d[k]) / (2.0 * e[k])
    g = d[end] - d[k] + e[k] / (g + math.copysign(math.sqrt(g * g + 1.0), g))
    s, c, p, i = 1.0, 1.0, 0.0, end - 1
    while i >= k:
        f, b = s * e[i], c * e[i]
        r = math.sqrt(f * f + g * g)
        e[i + 1] = r
        if r == 0.0:  # the matrix falls into two here
            break
        s, c, g = f / r, g / r, d[i + 1] - p
        r = (d[i] - g) * s + 2.0 * c * b
        p = s * r
        d[i + 1], g = g + p, c * r - b
        _turn(Z, i, s, c)
        i -= 1
    d[i + 1] -= p
    if i < k:
        e[k] = g
    e[end] = 0.0


@njit(nogil=True, cache=True)
def _turn(Z, i, s, c):
    """Turn rows i and i + 1 by the angle with this sine and cosine."""
    for j in range(Z.shape[1]):
        x, y = Z[i, j], Z[i + 1, j]
        Z[i + 1, j] = s * x + c * y
        Z[i, j] = c * x - s * y
