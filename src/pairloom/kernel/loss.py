"""The objective of pairs, compiled. In float64, added up in one fixed order."""

import math

import numpy as np

from pairloom.kernel.compile import njit


@njit(nogil=True, cache=True)
def dot(W, w, C, c):
    """v_w·v_c in float64 (Numba's `float` of a float32 is a float32), in four sums, since one would wait for itself."""
    dim = W.shape[1]
    a = b = d = e = 0.0
    for i in range(0, dim - 3, 4):
        a += np.float64(W[w, i]) * C[c, i]
        b += np.float64(W[w, i + 1]) * C[c, i + 1]
        d += np.float64(W[w, i + 2]) * C[c, i + 2]
        e += np.float64(W[w, i + 3]) * C[c, i + 3]
    for i in range(dim - dim % 4, dim):
        a += np.float64(W[w, i]) * C[c, i]
    return (a + b) + (d + e)


@njit(nogil=True, cache=True)
def minus_log_sigmoid(x):
    """log(1 + e^-x) without overflow."""
    return max(-x, 0.0) + math.log1p(math.exp(-abs(x)))


@njit(nogil=True, cache=True)
def pairs_loss(W, C, w, c, drawn, total):
    """`total`, the loss of pairs before these, and what is equivalent to `objective.corpus_loss` times their number.

    One pair after the other, so the sum of many has the same bits whether it is made by one call or by several.
    """
    for pair in range(len(w)):
        total += minus_log_sigmoid(dot(W, w[pair], C, c[pair]))
        for n in drawn[pair]:
            total += minus_log_sigmoid(-dot(W, w[pair], C, n))
    return total


@njit(nogil=True, cache=True)
def ways_loss(W, N, w, c, starts, nodes, bits, total):
    """The same with `hierarchical.pairs_loss`; starts, nodes and bits are its tree's."""
    for pair in range(len(w)):
        for turn in range(starts[c[pair]], starts[c[pair] + 1]):
            x = dot(W, w[pair], N, nodes[turn])
            total += minus_log_sigmoid(-x if bits[turn] else x)
    return total
