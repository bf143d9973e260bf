"""Means, covariances and what turns one into another, in float64 (LAPACK's bits are not the same everywhere)."""

import math

import numpy as np

from wordloom.kernel.cached import njit


@njit(nogil=True, cache=True, error_model="numpy")
def mean_of(X, weight):
    """Σ_r weight_r x_r"""
    out = np.zeros(X.shape[1])
    for r in range(len(X)):
        for i in range(X.shape[1]):
            out[i] += weight[r] * X[r, i]
    return out


@njit(nogil=True, cache=True, error_model="numpy")
def second_moment(X, weight, middle):
    """Σ_r weight_r (x_r - middle) (x_r - middle)ᵀ, four rows at a time."""
    n, dim = X.shape
    out = np.zeros((dim, dim))
    four = np.zeros((4, dim))
    for r in range(0, n, 4):
        for b in range(4):
            root = math.sqrt(weight[r + b]) if r + b < n else 0.0
            for i in range(dim):
                four[b, i] = root * (X[min(r + b, n - 1), i] - middle[i])
        for i in range(dim):
            _add_four(out[i, : i + 1], four, four[0, i], four[1, i], four[2, i], four[3, i])
    for i in range(dim):
        for j in range(i):
            out[j, i] = out[i, j]
    return out


@njit(nogil=True, cache=True, error_model="numpy")
def _add_four(y, four, a, b, c, d):
    for i in range(len(y)):
        y[i] += (a * four[0, i] + b * four[1, i]) + (c * four[2, i] + d * four[3, i])


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
            _add(up[i, i:], -up[j, i], up[j, i:])
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
            _add(out[i, : j + 1], -L[i, j], out[j, : j + 1])
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
            _add(out[i, : i + 1], half[k, i], half[k, : i + 1])
    for i in range(len(A)):
        for j in range(i):
            out[j, i] = out[i, j]
    return out


@njit(nogil=True, cache=True, error_model="numpy")
def moved(X, middle, A, to):
    """to + A (x_r - middle) for all rows of X and a lower triangular A, as float32."""
    out = np.empty(X.shape, np.float32)
    difference = np.empty(X.shape[1])
    for r in range(len(X)):
        for i in range(X.shape[1]):
            difference[i] = X[r, i] - middle[i]
        for i in range(X.shape[1]):
            s = to[i]
            for j in range(i + 1):
                s += A[i, j] * difference[j]
            out[r, i] = s
    return out


@njit(nogil=True, cache=True)
def _add(y, a, x):
    for i in range(len(y)):
        y[i] += a * x[i]
