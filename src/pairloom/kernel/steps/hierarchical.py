"""Hierarchical softmax, compiled: steps along the way to a context, and skip-gram trained by them.

A step takes six words that predict the same context, so that the nodes on the way come from memory once and are used
six times; they are the words around a place in the text, which all predict the word there. See `sgns.py` for the six.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.simd import (
    LANES,
    add,
    address,
    broadcast,
    fma,
    half,
    load,
    multiply,
    prefetch,
    put_whole,
    spread,
    store,
    sums,
    whole,
    zero,
)
from pairloom.kernel.steps.sgns import LINE, SIX, dots_two, push, sigmoid

_F = np.float32


class Ways(NamedTuple):
    """A `hierarchical.Tree` for kernels: lr * (label - σ) is how far a step goes, label being 1 - bit."""

    starts: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int32]
    labels: npt.NDArray[np.float32]


class PathBuffers(NamedTuple):
    """What a thread works with."""

    plan: npt.NDArray[np.int64]  # (2, words and nodes of a place): addresses of rows, of this place and of the coming
    step: npt.NDArray[np.float32]  # how far the nodes go: LANES for each
    nobody: npt.NDArray[np.float32]  # a row of zeros, the word that fills up a six


def make_room(reach: int, longest: int, width: int) -> PathBuffers:
    """Room for places that so many words on either side may predict, and ways of so many turns."""
    return PathBuffers(
        np.zeros((2, words_of(reach) + longest + LANES), np.int64),
        np.zeros(max(longest, 1) * LANES, np.float32),
        np.zeros(width, np.float32),
    )


@njit(nogil=True, cache=True)
def words_of(reach):
    """How many words a plan has room for: a whole number of sixes, and one that is written but does not count."""
    return 2 * reach // SIX * SIX + SIX


@njit(nogil=True, cache=True)
def step_way(words, way, labels, turns, width, lr, step, coming, coming_turns):
    """Take the step of `hierarchical.way_step` for six words.

    Addresses: words has those of the six rows, way those of the nodes' rows, labels the nodes' labels, step room for
    LANES floats a turn, coming the nodes of the way after this one, which are asked for meanwhile. Gives the squares of
    the inner products, by lane, added up over the turns.
    """
    for k in range(0, turns, 2):
        other = min(k + 1, turns - 1)  # the last of an odd number is its own companion
        x, y = dots_two(words, whole(way, k), whole(way, other), width)
        store(step, LANES * k, x)
        store(step, LANES * other, y)
    squares = zero()
    for k in range(turns):
        x = load(step, LANES * k)
        squares = fma(x, x, squares)
        error = fma(sigmoid(x), broadcast(_F(-1.0)), spread(labels, k))
        store(step, LANES * k, multiply(broadcast(_F(lr)), error))
    _move_six(words, way, turns, width, step, coming, coming_turns)
    return squares


@njit(nogil=True, cache=True)
def _move_six(words, way, turns, width, step, coming, coming_turns):
    w0 = whole(words, 0)
    w1 = whole(words, 1)
    w2 = whole(words, 2)
    w3 = whole(words, 3)
    w4 = whole(words, 4)
    w5 = whole(words, 5)
    for i in range(0, width, LANES):
        if i % LINE == 0:
            for k in range(coming_turns):
                prefetch(whole(coming, k), i)
        v0 = load(w0, i)
        v1 = load(w1, i)
        v2 = load(w2, i)
        v3 = load(w3, i)
        v4 = load(w4, i)
        v5 = load(w5, i)
        s0 = s1 = s2 = s3 = s4 = s5 = zero()
        for k in range(turns):
            s0, s1, s2, s3, s4, s5 = push(
                whole(way, k), i, step + 4 * LANES * k, v0, v1, v2, v3, v4, v5, s0, s1, s2, s3, s4, s5
            )
        store(w0, i, add(load(w0, i), s0))
        store(w1, i, add(load(w1, i), s1))
        store(w2, i, add(load(w2, i), s2))
        store(w3, i, add(load(w3, i), s3))
        store(w4, i, add(load(w4, i), s4))
        store(w5, i, add(load(w5, i), s5))


@njit(nogil=True, cache=True)
def _dots_eight(v, way, width):
    """v . v_n for the eight nodes from here on."""
    n0 = whole(way, 0)
    n1 = whole(way, 1)
    n2 = whole(way, 2)
    n3 = whole(way, 3)
    n4 = whole(way, 4)
    n5 = whole(way, 5)
    n6 = whole(way, 6)
    n7 = whole(way, 7)
    x0 = x1 = x2 = x3 = x4 = x5 = x6 = x7 = zero()
    for i in range(0, width, LANES):
        x = load(v, i)
        x0 = fma(x, load(n0, i), x0)
        x1 = fma(x, load(n1, i), x1)
        x2 = fma(x, load(n2, i), x2)
        x3 = fma(x, load(n3, i), x3)
        x4 = fma(x, load(n4, i), x4)
        x5 = fma(x, load(n5, i), x5)
        x6 = fma(x, load(n6, i), x6)
        x7 = fma(x, load(n7, i), x7)
    return sums(x0, x1, x2, x3, x4, x5, x6, x7)


@njit(nogil=True, cache=True)
def step_way_of_one(v, way, labels, turns, width, lr, step, coming, coming_turns):
    """The same for a single row v, with eight nodes at a time in the place of six words.

    The way goes on with addresses of a row of zeros, and the labels with any numbers, to a multiple of LANES.
    """
    squares = zero()
    for k in range(0, turns, LANES):
        x = _dots_eight(v, way + 8 * k, width)
        squares = fma(x, x, squares)
        error = fma(sigmoid(x), broadcast(_F(-1.0)), load(labels, k))
        store(step, k, multiply(broadcast(_F(lr)), error))
    for i in range(0, width, LANES):
        if i % LINE == 0:
            for k in range(coming_turns):
                prefetch(whole(coming, k), i)
        x = load(v, i)
        share = zero()
        for k in range(turns):
            n = whole(way, k)
            v_n = load(n, i)
            g = spread(step, k)
            share = fma(g, v_n, share)
            store(n, i, fma(g, x, v_n))
        store(v, i, add(x, share))
    return squares


class TreeAddresses(NamedTuple):
    """Addresses of `Ways`, and of what else it takes to plan one."""

    starts: int
    nodes: int
    labels: int
    N: int
    row: int  # bytes from row to row
    nobody: int


@njit(nogil=True, cache=True)
def tree_of(ways, model, room):
    """The addresses of these."""
    starts, nodes, labels = address(ways.starts), address(ways.nodes), address(ways.labels)
    return TreeAddresses(starts, nodes, labels, address(model.C), 4 * model.stride, address(room.nobody))


@njit(nogil=True, cache=True)
def plan_way(tree, c, plan):
    """Put the addresses of the nodes on the way to c, and seven of nobody, from `plan` on; gives the turns."""
    begin = whole(tree.starts, c)
    turns = whole(tree.starts, c + 1) - begin
    for k in range(turns):
        put_whole(plan, k, tree.N + tree.row * half(tree.nodes, begin + k))
    for k in range(turns, turns + LANES - 1):
        put_whole(plan, k, tree.nobody)
    return turns


@njit(nogil=True, cache=True)
def _plan_words(W, row, nobody, kept, left, right, first, last, j, plan):
    """Put the addresses of those of the words first..last-1 whose windows hold the place j, and nobody to a whole
    number of sixes, from `plan` on; gives how many words."""
    m = 0
    for i in range(first, last):
        put_whole(plan, m, W + row * half(kept, i))
        m += (i != j) & (half(left, i) <= j) & (j < half(right, i))
    for b in range(m, -(-m // SIX) * SIX):
        put_whole(plan, b, nobody)
    return m


@njit(nogil=True, cache=True)
def train_skipgram(model, ways, room, kept, left, right, reach, lr_first, lr_last):
    """Descend on the pairs of a stretch of text in the order of their contexts, the rate falling on the way.

    kept, left and right are those of `pairs.thin`; no window reaches further than `reach`. Gives the number of pairs
    and the mean square of the inner products.
    """
    W, row, nobody, step, width = (
        address(model.W),
        4 * model.stride,
        address(room.nobody),
        address(room.step),
        model.width,
    )
    tree, n, line, way_at = tree_of(ways, model, room), len(kept), 8 * room.plan.shape[1], 8 * words_of(reach)
    plan, words, lefts, rights = address(room.plan), address(kept), address(left), address(right)
    pairs = turned = turns = 0
    squares = zero()
    if n > 0:
        turns = plan_way(tree, half(words, 0), plan + way_at)
    for j in range(n):
        here, there = plan + line * (j % 2), plan + line * ((j + 1) % 2)
        first, last = max(0, j - reach), min(n, j + reach + 1)
        m = _plan_words(W, row, nobody, words, lefts, rights, first, last, j, here)
        coming_turns = plan_way(tree, half(words, min(j + 1, n - 1)), there + way_at)
        coming_word = W + row * half(words, min(last, n - 1))
        for i in range(0, width, LINE):
            prefetch(coming_word, i)
        lr = lr_first + (lr_last - lr_first) * (j / n)
        labels = tree.labels + 4 * whole(tree.starts, half(words, j))
        for six in range(0, m, SIX):
            ask = coming_turns if six == 0 else 0
            square = step_way(here + 8 * six, here + way_at, labels, turns, width, lr, step, there + way_at, ask)
            squares = add(squares, square)
        if m % SIX:
            for i in range(0, width, LANES):
                store(nobody, i, zero())
        pairs += m
        turned += m * turns
        turns = coming_turns
    store(step, 0, squares)
    return pairs, room.step[:SIX].sum() / max(1, turned)
