"""The loss of pairs, compiled, in float64 and added up in one fixed order."""

import math

import numpy as np

from pairloom.kernel.compile import njit


@njit(nogil=True, cache=True)
def pairs_loss(W, C, w, c, drawn, total):
    """`total` (the loss of the pairs before these) plus the loss of these pairs.

    Equivalent to total + len(w) * `objective.corpus_loss`. The pairs are added one after the other, so a sum has the
    same bits whether one call makes it or several.
    """
    for pair in range(len(w)):
        total += minus_log_sigmoid(dot(W, w[pair], C, c[pair]))
        for n in drawn[pair]:
            total += minus_log_sigmoid(-dot(W, w[pair], C, n))
    return total


@njit(nogil=True, cache=True)
def pair_products(W, C, w, contexts, products):
    """Write v_w·v_c for pair i and each of contexts[i] to products[i]."""
    for pair in range(len(w)):
        for i in range(contexts.shape[1]):
            products[pair, i] = dot(W, w[pair], C, contexts[pair, i])


@njit(nogil=True, cache=True)
def list_products(W, C, w, c, number, products):
    """Write v_w·v_c of pair i to products[number[i]]."""
    for i in range(len(w)):
        products[number[i]] = dot(W, w[i], C, c[i])


@njit(nogil=True, cache=True)
def products_loss(products):
    """`pairs_loss` of pairs whose inner products are known: with their own contexts, then with the drawn ones."""
    total = 0.0
    for pair in range(len(products)):
        total += minus_log_sigmoid(products[pair, 0])
        for i in range(1, products.shape[1]):
            total += minus_log_sigmoid(-products[pair, i])
    return total


@njit(nogil=True, cache=True)
def paths_loss(W, N, w, c, tree, total):
    """`pairs_loss` by hierarchical softmax. Equivalent to total + len(w) * `hierarchical.pairs_loss`."""
    for pair in range(len(w)):
        for turn in range(tree.starts[c[pair]], tree.starts[c[pair] + 1]):
            x = dot(W, w[pair], N, tree.nodes[turn])
            total += minus_log_sigmoid(-x if tree.bits[turn] else x)
    return total


@njit(nogil=True, cache=True)
def dot(W, w, C, c):
    """v_w·v_c in float64 (Numba's `float` of a float32 is a float32). Four sums: a single one would wait for itself."""
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
    """log(1 + e^-x) without overflow. Equivalent to -`objective.log_sigmoid`."""
    return max(-x, 0.0) + math.log1p(math.exp(-abs(x)))
