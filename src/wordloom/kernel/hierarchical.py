"""Hierarchical softmax, compiled: steps along the way to a context, and skip-gram trained by them.

A step takes six words that predict the same context, so that the nodes on the way come from memory once and are used
six times; they are the words around a place in the text, which all predict the word there. See `sgns.py` for the six.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from wordloom.kernel.sgns import LINE, SIX, dots_two, push, sigmoid
from wordloom.kernel.simd import (
    LANES,
    add,
    address,
    broadcast,
    fma,
    load,
    multiply,
    prefetch,
    spread,
    store,
    sums,
    whole,
    zero,
)

_F = np.float32


class Ways(NamedTuple):
    """A `hierarchical.Tree` for kernels: lr * (label - σ) is how far a step goes, label being 1 - bit."""

    starts: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int32]
    labels: npt.NDArray[np.float32]


class Room(NamedTuple):
    """What a thread works with."""

    plan: npt.NDArray[np.int64]  # (2, words and nodes of a place): addresses of rows, of this place and of the coming
    step: npt.NDArray[np.float32]  # how far the nodes go: LANES for each
    nobody: npt.NDArray[np.float32]  # a row of zeros, the word that fills up a six


def make_room(reach: int, longest: int, width: int) -> Room:
    """Room for places that so many words on either side may predict, and ways of so many turns."""
    return Room(
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


@njit(nogil=True, cache=True)
def plan_way(ways, c, N, row, nobody, plan, line, at):
    """Put the addresses of the nodes on the way to c, and seven of nobody, into plan[line, at:]; gives the turns."""
    begin = ways.starts[c]
    turns = ways.starts[c + 1] - begin
    for k in range(turns):
        plan[line, at + k] = N + row * np.int64(ways.nodes[begin + k])
    for k in range(turns, turns + LANES - 1):
        plan[line, at + k] = nobody
    return turns


@njit(nogil=True, cache=True)
def _plan_words(kept, left, right, j, reach, W, row, nobody, plan, line):
    """The words whose windows hold the place j, and nobody to a whole number of sixes; gives how many words."""
    m = 0
    for i in range(max(0, j - reach), min(len(kept), j + reach + 1)):
        plan[line, m] = W + row * np.int64(kept[i])
        m += i != j and left[i] <= j < right[i]
    for b in range(m, -(-m // SIX) * SIX):
        plan[line, b] = nobody
    return m


@njit(nogil=True, cache=True)
def train_skipgram(model, ways, room, kept, left, right, reach, lr_first, lr_last):
    """Descend on the pairs of a stretch of text in the order of their contexts, the rate falling on the way.

    kept, left and right are those of `pairs.thin`; no window reaches further than `reach`. Gives the number of pairs
    and the mean square of the inner products.
    """
    W, N, row = address(model.W), address(model.C), 4 * model.stride
    nobody, step, labels, width = address(room.nobody), address(room.step), address(ways.labels), model.width
    n, at, line = len(kept), words_of(reach), 8 * room.plan.shape[1]
    pairs = turned = turns = 0
    squares = zero()
    if n > 0:
        turns = plan_way(ways, kept[0], N, row, nobody, room.plan, 0, at)
    for j in range(n):
        m = _plan_words(kept, left, right, j, reach, W, row, nobody, room.plan, j % 2)
        coming_turns = plan_way(ways, kept[min(j + 1, n - 1)], N, row, nobody, room.plan, (j + 1) % 2, at)
        coming_word = W + row * np.int64(kept[min(j + 1 + reach, n - 1)])
        for i in range(0, width, LINE):
            prefetch(coming_word, i)
        lr = lr_first + (lr_last - lr_first) * (j / n)
        words = address(room.plan) + line * (j % 2)
        way, coming = words + 8 * at, address(room.plan) + line * ((j + 1) % 2) + 8 * at
        way_labels = labels + 4 * ways.starts[kept[j]]
        for six in range(0, m, SIX):
            square = step_way(
                words + 8 * six, way, way_labels, turns, width, lr, step, coming, coming_turns if six == 0 else 0
            )
            squares = add(squares, square)
        if m % SIX:
            for i in range(0, width, LANES):
                store(nobody, i, zero())
        pairs += m
        turned += m * turns
        turns = coming_turns
    store(step, 0, squares)
    return pairs, room.step[:SIX].sum() / max(1, turned)
