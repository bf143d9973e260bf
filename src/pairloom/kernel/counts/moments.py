"""Means, covariances and their inverses, in float64. (Not by LAPACK, whose bits are not the same everywhere.)"""

import math

import numpy as np

from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address
from pairloom.kernel.rows import add_multiple, add_rows, eight_from
from pairloom.kernel.simd import LANES


@njit(nogil=True, cache=True, error_model="numpy")
def mean_of(X, weight):
    """Σ_r weight_r x_r"""
    out = np.zeros(X.shape[1])
    for r in range(len(X)):
        for i in range(X.shape[1]):
            out[i] += weight[r] * X[r, i]
    return out


@njit(nogil=True, cache=True, error_model="numpy")
def second_moment(X, weight):
    """Σ_r weight_r x_r x_rᵀ, eight rows at a time in float32. X has whole vectors of rows and columns."""
    n, width = X.shape
    out = np.zeros((width, width + LANES), np.float32)
    source, target = address(X), address(out)
    for r in range(0, n, LANES):
        at = eight_from(r, width)
        for i in range(width):
            end = (i // LANES + 1) * LANES  # the columns behind the diagonal are unused, so the factors go there
            for b in range(LANES):
                out[i, end + b] = weight[r + b] * X[r + b, i]
            add_rows(source, at, end, target + 4 * i * (width + LANES), end, end)
    return _mirrored(out[:, :width].astype(np.float64))


@njit(nogil=True, cache=True)
def _mirrored(A):
    """A symmetric matrix from its lower half."""
    for i in range(len(A)):
        for j in range(i):
            A[j, i] = A[i, j]
    return A


@njit(nogil=True, cache=True, error_model="numpy")
def root_of(A):
    """The lower triangular L with L Lᵀ = A, of a symmetric positive definite A (Cholesky)."""
    n = len(A)
    up = A.copy()  # becomes Lᵀ, row by row, above the diagonal
    for j in range(n):
        root = math.sqrt(up[j, j])
        for i in range(j, n):
            up[j, i] /= root
        for i in range(j + 1, n):
            add_multiple(up[i, i:], -up[j, i], up[j, i:])
    L = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            L[i, j] = up[j, i]
    return L


@njit(nogil=True, cache=True, error_model="numpy")
def inverse_of_root(L):
    """L⁻¹ of a lower triangular L, row by row: row i of L⁻¹ is (e_i - Σ_{j<i} L_ij (row j of L⁻¹)) / L_ii."""
    n = len(L)
    out = np.zeros((n, n))
    for i in range(n):
        out[i, i] = 1.0
        for j in range(i):
            add_multiple(out[i, : j + 1], -L[i, j], out[j, : j + 1])
        for j in range(i + 1):
            out[i, j] /= L[i, i]
    return out


@njit(nogil=True, cache=True, error_model="numpy")
def inverse_of(A):
    """A⁻¹ = L⁻ᵀ L⁻¹ of a symmetric positive definite A = L Lᵀ."""
    half = inverse_of_root(root_of(A))
    out = np.zeros((len(A), len(A)))
    for k in range(len(A)):
        for i in range(k + 1):
            add_multiple(out[i, : i + 1], half[k, i], half[k, : i + 1])
    return _mirrored(out)
