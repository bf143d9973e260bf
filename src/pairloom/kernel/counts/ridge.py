"""Ridge regression on bags of n-grams by conjugate gradients, COLUMNS columns of the unknown matrix at a time.

A is the matrix of bags: A[w, g] = (how often word w has n-gram g) / lengths[w]. Word w has ngrams[starts[w] :
starts[w + 1]], with a repeated n-gram listed again. D has the weights of the words on its diagonal. The columns of a
block are independent problems that share the reading of A. Every sum runs in a fixed order in one thread.
"""

import numpy as np

from pairloom.kernel.compile import njit

COLUMNS = 16  # two registers of eight, and a cache line


@njit(nogil=True, cache=True)
def add_transposed(starts, ngrams, lengths, weights, first, last, T, B):
    """B += AᵀD T over words first to last."""
    share = np.empty(COLUMNS, np.float32)
    for w in range(first, last):
        if weights[w] == 0:
            continue
        factor = np.float32(weights[w] / lengths[w])
        for j in range(COLUMNS):
            share[j] = factor * T[w, j]
        for i in range(starts[w], starts[w + 1]):
            g = ngrams[i]
            for j in range(COLUMNS):
                B[g, j] += share[j]


@njit(nogil=True, cache=True)
def add_normal(starts, ngrams, lengths, weights, first, last, P, Q):
    """Q += AᵀDA P over words first to last."""
    share = np.empty(COLUMNS, np.float32)
    for w in range(first, last):
        if weights[w] == 0:
            continue
        share[:] = 0
        for i in range(starts[w], starts[w + 1]):
            g = ngrams[i]
            for j in range(COLUMNS):
                share[j] += P[g, j]
        factor = np.float32(weights[w] / (lengths[w] * lengths[w]))
        for j in range(COLUMNS):
            share[j] *= factor
        for i in range(starts[w], starts[w + 1]):
            g = ngrams[i]
            for j in range(COLUMNS):
                Q[g, j] += share[j]


@njit(nogil=True, cache=True)
def add_diagonal(starts, ngrams, lengths, weights, diagonal):
    """diagonal += that of AᵀDA, but for n-grams that a word has twice: it is used to precondition only."""
    for w in range(len(starts) - 1):
        for i in range(starts[w], starts[w + 1]):
            diagonal[ngrams[i]] += np.float32(weights[w] / (lengths[w] * lengths[w]))


@njit(nogil=True, cache=True)
def squared_errors(starts, ngrams, lengths, weights, X, T, errors):
    """errors[j] += sum over the words of weight * (A X - T)[w, j]²."""
    for w in range(len(starts) - 1):
        if weights[w] == 0:
            continue
        for j in range(COLUMNS):
            total = np.float32(0)
            for i in range(starts[w], starts[w + 1]):
                total += X[ngrams[i], j]
            error = np.float64(total) / lengths[w] - T[w, j]
            errors[j] += weights[w] * error * error


@njit(nogil=True, cache=True)
def begin_descent(X, R, Q, scale, l2, P, product):
    """From R = AᵀD T and Q = AᵀDA X: the residual R, the first direction P = R / scale, and product = R·P."""
    product[:] = 0
    ridge = np.float32(l2)
    for g in range(len(X)):
        inverse = np.float32(1) / (scale[g] + ridge)
        for j in range(COLUMNS):
            R[g, j] -= Q[g, j] + ridge * X[g, j]
            P[g, j] = inverse * R[g, j]
            product[j] += np.float64(R[g, j]) * P[g, j]


@njit(nogil=True, cache=True)
def curvature(P, Q, l2, result):
    """result[j] = P·(Q + l2 P) of each column, with Q = AᵀDA P. Q becomes Q + l2 P."""
    result[:] = 0
    ridge = np.float32(l2)
    for g in range(len(P)):
        for j in range(COLUMNS):
            Q[g, j] += ridge * P[g, j]
            result[j] += np.float64(P[g, j]) * Q[g, j]


@njit(nogil=True, cache=True)
def descend(X, R, P, Q, scale, l2, step, product):
    """X += step P, R -= step Q, and product = R·(R / scale)."""
    product[:] = 0
    ridge = np.float32(l2)
    for g in range(len(X)):
        inverse = np.float32(1) / (scale[g] + ridge)
        for j in range(COLUMNS):
            X[g, j] += step[j] * P[g, j]
            R[g, j] -= step[j] * Q[g, j]
            product[j] += np.float64(R[g, j]) * (inverse * R[g, j])


@njit(nogil=True, cache=True)
def turn(P, R, Q, scale, l2, ratio):
    """P = R / scale + ratio P, the next direction, and Q = 0."""
    ridge = np.float32(l2)
    for g in range(len(P)):
        inverse = np.float32(1) / (scale[g] + ridge)
        for j in range(COLUMNS):
            P[g, j] = inverse * R[g, j] + ratio[j] * P[g, j]
            Q[g, j] = 0
