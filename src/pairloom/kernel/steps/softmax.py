"""The softmax over all contexts, compiled: dense products of a batch of words with slices of the contexts.

A batch is a number of sixes of words. For each slice of contexts, whoever works on it:
    `expect`   x = v_c·v_w for all of the batch and the slice, then e^(x - m) with m the largest of a word's x there
    `descend`  slopes from these, the words' share of the gradient, and a step of the slice's contexts
Between the two the slices' sums are added up, in order. No sum depends on who added it up, or with how many others.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.simd import (
    LANES,
    add,
    add_exponent,
    address,
    broadcast,
    clamp,
    fma,
    load,
    multiply,
    nearest,
    spread,
    store,
    whole,
    zero,
)
from pairloom.kernel.steps.sgns import SIX, dots_two
from pairloom.method.objective import ADAGRAD_FLOOR

_F = np.float32
TILE = 32  # contexts whose gradient is made at a time: with those of six words they fit the nearest cache


class Batch(NamedTuple):
    """Some words, what D says of them, and room for what the model does."""

    words: npt.NDArray[np.int64]  # addresses of rows of W, a whole number of sixes
    begin: npt.NDArray[np.int64]  # the pairs of word b: contexts[begin[b] : end[b]], in order, with their counts
    end: npt.NDArray[np.int64]
    contexts: npt.NDArray[np.int32]
    counts: npt.NDArray[np.float32]
    x: npt.NDArray[np.float32]  # (sixes, n_contexts, LANES)


@njit(nogil=True, cache=True)
def exponential(x):
    """e^x for x up to 0, to within 5e-6 of itself: 2^n * 2^f as in `sgns.sigmoid`. Below -87 it is e^-87."""
    t = multiply(clamp(x, broadcast(_F(-87.0)), broadcast(_F(0.0))), broadcast(_F(1.4426950408889634)))
    n = nearest(t)
    f = fma(n, broadcast(_F(-1.0)), t)
    p = broadcast(_F(0.00015403530393381609))
    p = fma(p, f, broadcast(_F(0.0013333558146428443)))
    p = fma(p, f, broadcast(_F(0.009618129107628477)))
    p = fma(p, f, broadcast(_F(0.05550410866482158)))
    p = fma(p, f, broadcast(_F(0.2402265069591007)))
    p = fma(p, f, broadcast(_F(0.6931471805599453)))
    p = fma(p, f, broadcast(_F(1.0)))
    return add_exponent(p, n)


@njit(nogil=True, cache=True)
def _larger(x, y):
    return clamp(x, y, broadcast(_F(np.inf)))


@njit(nogil=True, cache=True)
def _first_from(contexts, begin, end, c):
    """Where among sorted contexts[begin:end] those from c on begin."""
    while begin < end:
        middle = (begin + end) // 2
        if contexts[middle] < c:
            begin = middle + 1
        else:
            end = middle
    return begin


@njit(nogil=True, cache=True)
def expect(model, batch, first, last, largest, total):
    """Products with the contexts first..last-1: batch.x becomes e^(x - largest), of which each word's sum is in total.

    largest, total: (words,). Gives Σ n(w,c) x over the pairs of the batch with these contexts.
    """
    C, row, size = address(model.C), 4 * model.stride, 4 * LANES * batch.x.shape[1]
    seen = 0.0
    for six in range(len(batch.words) // SIX):
        words, x = address(batch.words) + 8 * SIX * six, address(batch.x) + size * six
        top = broadcast(_F(-np.inf))
        for c in range(first, last, 2):
            other = min(c + 1, last - 1)  # the last of an odd number is its own companion
            one, two = dots_two(words, C + row * c, C + row * other, model.width)
            store(x, LANES * c, one)
            store(x, LANES * other, two)
            top = _larger(_larger(one, two), top)
        for b in range(SIX):
            word = six * SIX + b
            at = _first_from(batch.contexts, batch.begin[word], batch.end[word], first)
            while at < batch.end[word] and batch.contexts[at] < last:
                seen += np.float64(batch.counts[at]) * batch.x[six, batch.contexts[at], b]
                at += 1
        minus = multiply(top, broadcast(_F(-1.0)))
        sums = zero()
        for c in range(first, last):
            e = exponential(add(load(x, LANES * c), minus))
            store(x, LANES * c, e)
            sums = add(sums, e)
        _put(top, largest, six)
        _put(sums, total, six)
    return seen


@njit(nogil=True, cache=True)
def _put(lanes, out, six):
    """The first SIX of LANES into out[six * SIX :], which has room for LANES."""
    store(address(out), SIX * six, lanes)


@njit(nogil=True, cache=True)
def descend(model, squares, batch, first, last, scale, lr, room, gradient):
    """Step with the contexts first..last-1, and add the words' gradient that is due to them to `gradient`.

    scale: (sixes, LANES), what makes batch.x the expected counts n(w) p(c | w). squares: those of C's gradients, laid
    out as C. room: for the gradients of TILE contexts. gradient: (words, width).
    """
    C, row, size, width = address(model.C), 4 * model.stride, 4 * LANES * batch.x.shape[1], model.width
    _slopes(batch, first, last, scale)
    for tile in range(first, last, TILE):
        end = min(tile + TILE, last)
        room[:] = 0.0
        for six in range(len(batch.words) // SIX):
            slopes = address(batch.x) + size * six + 4 * LANES * tile
            shares = address(gradient) + 4 * width * SIX * six
            _gather(address(batch.words) + 8 * SIX * six, C + row * tile, row, end - tile, slopes, width, room, shares)
        for c in range(tile, end):
            for i in range(width):
                g = room[(c - tile) * width + i]
                at = c * model.stride + i
                squares[at] += g * g
                model.C[at] -= _F(lr) * g / np.sqrt(squares[at] + _F(ADAGRAD_FLOOR))


@njit(nogil=True, cache=True)
def _slopes(batch, first, last, scale):
    """n(w) p(c | w) - n(w,c), in the place of x."""
    for six in range(len(batch.words) // SIX):
        x = address(batch.x) + 4 * LANES * batch.x.shape[1] * six
        by = load(address(scale), LANES * six)
        for c in range(first, last):
            store(x, LANES * c, multiply(by, load(x, LANES * c)))
        for b in range(SIX):
            word = six * SIX + b
            at = _first_from(batch.contexts, batch.begin[word], batch.end[word], first)
            while at < batch.end[word] and batch.contexts[at] < last:
                batch.x[six, batch.contexts[at], b] -= batch.counts[at]
                at += 1


@njit(nogil=True, cache=True)
def _gather(words, C, row, n, slopes, width, room, shares):
    """For n contexts from C on and six words: Σ_b slope_b v_b for each context, Σ_c slope_c v_c for each word."""
    w0 = whole(words, 0)
    w1 = whole(words, 1)
    w2 = whole(words, 2)
    w3 = whole(words, 3)
    w4 = whole(words, 4)
    w5 = whole(words, 5)
    out = address(room)
    for i in range(0, width, LANES):
        v0 = load(w0, i)
        v1 = load(w1, i)
        v2 = load(w2, i)
        v3 = load(w3, i)
        v4 = load(w4, i)
        v5 = load(w5, i)
        s0 = load(shares, i)
        s1 = load(shares, i + width)
        s2 = load(shares, i + 2 * width)
        s3 = load(shares, i + 3 * width)
        s4 = load(shares, i + 4 * width)
        s5 = load(shares, i + 5 * width)
        for c in range(n):
            g = slopes + 4 * LANES * c
            v = load(C + row * c, i)
            g0 = spread(g, 0)
            s0 = fma(g0, v, s0)
            one = fma(g0, v0, load(out, c * width + i))
            g1 = spread(g, 1)
            s1 = fma(g1, v, s1)
            two = multiply(g1, v1)  # two sums, since one would wait for itself
            g2 = spread(g, 2)
            s2 = fma(g2, v, s2)
            one = fma(g2, v2, one)
            g3 = spread(g, 3)
            s3 = fma(g3, v, s3)
            two = fma(g3, v3, two)
            g4 = spread(g, 4)
            s4 = fma(g4, v, s4)
            one = fma(g4, v4, one)
            g5 = spread(g, 5)
            s5 = fma(g5, v, s5)
            two = fma(g5, v5, two)
            store(out, c * width + i, add(one, two))
        store(shares, i, s0)
        store(shares, i + width, s1)
        store(shares, i + 2 * width, s2)
        store(shares, i + 3 * width, s3)
        store(shares, i + 4 * width, s4)
        store(shares, i + 5 * width, s5)
