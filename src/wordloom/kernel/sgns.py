"""Section 2, compiled: one step of gradient descent for a batch of pairs that share their drawn contexts.

The speed is here. A batch is SIX pairs (w_b, c_b) and the `negatives` contexts n_k drawn for all of them, so that its
inner products are one small dense product: rows come from memory once and are used six times. Six, because the six
v_w of a batch, their six steps, a drawn row and two temporaries just fit the sixteen registers of AVX2.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from wordloom.kernel.rng import below, derive, draw, lower
from wordloom.kernel.simd import (
    LANES,
    add,
    add_exponent,
    broadcast,
    clamp,
    divide,
    fma,
    load,
    multiply,
    nearest,
    prefetch,
    store,
    sums,
    zero,
)

SIX = 6  # pairs in a batch
LINE = 16  # floats in a cache line

_F = np.float32


class Model(NamedTuple):
    """The two matrices, flat, with rows of `stride` floats of which the first `width` are computed with.

    width is dim rounded up to whole vectors; the floats from dim on are 0 and stay 0.
    """

    W: npt.NDArray[np.float32]
    C: npt.NDArray[np.float32]
    width: int
    stride: int


class Noise(NamedTuple):
    """Alias tables, one after the other: that of part j is at starts[j] .. starts[j + 1]."""

    ids: npt.NDArray[np.int32]  # a slot's own context
    cut: npt.NDArray[np.uint64]  # in units of 2^-32: how often the slot gives it
    other: npt.NDArray[np.int32]  # what it gives otherwise
    starts: npt.NDArray[np.int64]


class Batch(NamedTuple):
    """Where the rows of a batch begin."""

    w: npt.NDArray[np.int64]  # SIX
    c: npt.NDArray[np.int64]  # SIX
    n: npt.NDArray[np.int64]  # the drawn contexts


@njit(nogil=True, cache=True)
def sigmoid(x):
    """1 / (1 + e^-x) to within 2e-6 of itself, without a table: e^-x = 2^n * 2^f with n whole and f in [-1/2, 1/2].

    2^f is a polynomial of degree 6. Beyond |x| = 40 float32 cannot tell the result from 0 or 1.
    """
    t = multiply(clamp(x, broadcast(_F(-40.0)), broadcast(_F(40.0))), broadcast(_F(-1.4426950408889634)))
    n = nearest(t)
    f = fma(n, broadcast(_F(-1.0)), t)
    p = broadcast(_F(0.00015403530393381609))
    p = fma(p, f, broadcast(_F(0.0013333558146428443)))
    p = fma(p, f, broadcast(_F(0.009618129107628477)))
    p = fma(p, f, broadcast(_F(0.05550410866482158)))
    p = fma(p, f, broadcast(_F(0.2402265069591007)))
    p = fma(p, f, broadcast(_F(0.6931471805599453)))
    p = fma(p, f, broadcast(_F(1.0)))
    one = broadcast(_F(1.0))
    return divide(one, add(one, add_exponent(p, n)))


@njit(nogil=True, cache=True)
def _dots_two(W, C, width, w, x, y, dots, at):
    """dots[at + b] = v_wb . C[x], dots[at + 8 + b] = v_wb . C[y] for the six w_b."""
    w0, w1, w2, w3, w4, w5 = w[0], w[1], w[2], w[3], w[4], w[5]
    x0 = x1 = x2 = x3 = x4 = x5 = y0 = y1 = y2 = y3 = y4 = y5 = zero()
    for i in range(0, width, LANES):
        v_x = load(C, x + i)
        v_y = load(C, y + i)
        v = load(W, w0 + i)
        x0 = fma(v, v_x, x0)
        y0 = fma(v, v_y, y0)
        v = load(W, w1 + i)
        x1 = fma(v, v_x, x1)
        y1 = fma(v, v_y, y1)
        v = load(W, w2 + i)
        x2 = fma(v, v_x, x2)
        y2 = fma(v, v_y, y2)
        v = load(W, w3 + i)
        x3 = fma(v, v_x, x3)
        y3 = fma(v, v_y, y3)
        v = load(W, w4 + i)
        x4 = fma(v, v_x, x4)
        y4 = fma(v, v_y, y4)
        v = load(W, w5 + i)
        x5 = fma(v, v_x, x5)
        y5 = fma(v, v_y, y5)
    store(dots, at, sums(x0, x1, x2, x3, x4, x5, x5, x5))
    store(dots, at + LANES, sums(y0, y1, y2, y3, y4, y5, y5, y5))


@njit(nogil=True, cache=True)
def _dots_own(W, C, width, w, c, x, dots, at, own):
    """dots[at + b] = v_wb . C[x], dots[own + b] = v_wb . v_cb for the six pairs."""
    w0, w1, w2, w3, w4, w5 = w[0], w[1], w[2], w[3], w[4], w[5]
    c0, c1, c2, c3, c4, c5 = c[0], c[1], c[2], c[3], c[4], c[5]
    x0 = x1 = x2 = x3 = x4 = x5 = y0 = y1 = y2 = y3 = y4 = y5 = zero()
    for i in range(0, width, LANES):
        v_x = load(C, x + i)
        v = load(W, w0 + i)
        x0 = fma(v, v_x, x0)
        y0 = fma(v, load(C, c0 + i), y0)
        v = load(W, w1 + i)
        x1 = fma(v, v_x, x1)
        y1 = fma(v, load(C, c1 + i), y1)
        v = load(W, w2 + i)
        x2 = fma(v, v_x, x2)
        y2 = fma(v, load(C, c2 + i), y2)
        v = load(W, w3 + i)
        x3 = fma(v, v_x, x3)
        y3 = fma(v, load(C, c3 + i), y3)
        v = load(W, w4 + i)
        x4 = fma(v, v_x, x4)
        y4 = fma(v, load(C, c4 + i), y4)
        v = load(W, w5 + i)
        x5 = fma(v, v_x, x5)
        y5 = fma(v, load(C, c5 + i), y5)
    store(dots, at, sums(x0, x1, x2, x3, x4, x5, x5, x5))
    store(dots, own, sums(y0, y1, y2, y3, y4, y5, y5, y5))


@njit(nogil=True, cache=True)
def _update(model, batch, step, coming):
    """Move the rows, eight columns at a time.

    On the way, ask for the rows of the coming batch, a line of each at a time: asked for at once, they would hold up
    the arithmetic instead of going on beside it (8 % at dim 300).
    """
    W, C, width, _ = model
    w, c, n = batch
    negatives = len(n)
    w0, w1, w2, w3, w4, w5 = w[0], w[1], w[2], w[3], w[4], w[5]
    c0, c1, c2, c3, c4, c5 = c[0], c[1], c[2], c[3], c[4], c[5]
    own = negatives * LANES
    for i in range(0, width, LANES):
        if i % LINE == 0:
            for b in range(SIX):
                prefetch(W, coming.w[b] + i)
                prefetch(C, coming.c[b] + i)
            for k in range(negatives):
                prefetch(C, coming.n[k] + i)
        v0 = load(W, w0 + i)
        v1 = load(W, w1 + i)
        v2 = load(W, w2 + i)
        v3 = load(W, w3 + i)
        v4 = load(W, w4 + i)
        v5 = load(W, w5 + i)
        v_c = load(C, c0 + i)
        g = broadcast(step[own])
        s0 = multiply(g, v_c)
        store(C, c0 + i, fma(g, v0, v_c))
        v_c = load(C, c1 + i)
        g = broadcast(step[own + 1])
        s1 = multiply(g, v_c)
        store(C, c1 + i, fma(g, v1, v_c))
        v_c = load(C, c2 + i)
        g = broadcast(step[own + 2])
        s2 = multiply(g, v_c)
        store(C, c2 + i, fma(g, v2, v_c))
        v_c = load(C, c3 + i)
        g = broadcast(step[own + 3])
        s3 = multiply(g, v_c)
        store(C, c3 + i, fma(g, v3, v_c))
        v_c = load(C, c4 + i)
        g = broadcast(step[own + 4])
        s4 = multiply(g, v_c)
        store(C, c4 + i, fma(g, v4, v_c))
        v_c = load(C, c5 + i)
        g = broadcast(step[own + 5])
        s5 = multiply(g, v_c)
        store(C, c5 + i, fma(g, v5, v_c))
        for k in range(negatives):
            v_n = load(C, n[k] + i)
            at = k * LANES
            g = broadcast(step[at])
            s0 = fma(g, v_n, s0)
            moved = fma(g, v0, v_n)
            g = broadcast(step[at + 1])
            s1 = fma(g, v_n, s1)
            other = multiply(g, v1)
            g = broadcast(step[at + 2])
            s2 = fma(g, v_n, s2)
            moved = fma(g, v2, moved)
            g = broadcast(step[at + 3])
            s3 = fma(g, v_n, s3)
            other = fma(g, v3, other)
            g = broadcast(step[at + 4])
            s4 = fma(g, v_n, s4)
            moved = fma(g, v4, moved)
            g = broadcast(step[at + 5])
            s5 = fma(g, v_n, s5)
            other = fma(g, v5, other)
            store(C, n[k] + i, add(moved, other))  # two sums, since one would wait for itself
        store(W, w0 + i, add(load(W, w0 + i), s0))
        store(W, w1 + i, add(load(W, w1 + i), s1))
        store(W, w2 + i, add(load(W, w2 + i), s2))
        store(W, w3 + i, add(load(W, w3 + i), s3))
        store(W, w4 + i, add(load(W, w4 + i), s4))
        store(W, w5 + i, add(load(W, w5 + i), s5))


@njit(nogil=True, cache=True)
def step_batch(model, batch, live, lr, step, coming):
    """Take the step of `objective.batch_step` on the first `live` of the batch's six pairs.

    `step` is room for (negatives + 1) * LANES floats; `coming` is the batch after this one. Gives the sum of squares of
    the inner products, by lane: a sum that no healthy training makes large, and that NaN and infinity cannot leave.
    """
    W, C, width, _ = model
    w, c, n = batch
    negatives = len(n)
    own = negatives * LANES
    # Two drawn rows at a time; an odd one goes with the pairs' own contexts, where an even number repeats its last.
    paired = negatives - negatives % 2
    for k in range(0, paired, 2):
        _dots_two(W, C, width, w, n[k], n[k + 1], step, k * LANES)
    spare = min(paired, negatives - 1)
    _dots_own(W, C, width, w, c, n[spare], step, spare * LANES, own)
    squares = zero()
    down = broadcast(_F(-lr))
    for k in range(negatives + 1):
        x = load(step, k * LANES)
        squares = fma(x, x, squares)
        store(step, k * LANES, multiply(down, sigmoid(x)))
    store(step, own, add(load(step, own), broadcast(_F(lr))))
    for k in range(negatives):
        for b in range(SIX):
            if n[k] == c[b]:
                step[k * LANES + b] = _F(0.0)
    if live < SIX:
        for k in range(negatives + 1):
            for b in range(live, SIX):
                step[k * LANES + b] = _F(0.0)
    _update(model, batch, step, coming)
    return squares


@njit(nogil=True, cache=True)
def _take(pairs, begin, live, stride, batch):
    """The rows of the pairs from `begin`; a batch with fewer than six repeats its last, which then stands still."""
    for b in range(SIX):
        pair = pairs[begin + min(b, live - 1)]
        batch.w[b] = (pair >> 32) * stride
        batch.c[b] = (pair & 0xFFFFFFFF) * stride


@njit(nogil=True, cache=True)
def _draw(noise, part, key, first, stride, batch):
    """Draw the batch's contexts from the noise of one part; they are the draws number `first` and on."""
    begin, end = noise.starts[part], noise.starts[part + 1]
    for k in range(len(batch.n)):
        bits = draw(key, first + k)
        slot = begin + below(bits, end - begin)
        chosen = noise.ids[slot] if lower(bits) < noise.cut[slot] else noise.other[slot]
        batch.n[k] = np.int64(chosen) * stride


@njit(nogil=True, cache=True)
def _empty_batch(negatives):
    return Batch(np.empty(SIX, np.int64), np.empty(SIX, np.int64), np.empty(negatives, np.int64))


@njit(nogil=True, cache=True)
def train_block(model, pairs, begin, end, noise, part, negatives, key, lr_first, lr_last):
    """Descend on the pairs begin..end-1 in their order, six at a time, the rate falling from lr_first to lr_last.

    Gives the mean square of the inner products met on the way.
    """
    if begin == end:
        return 0.0
    now, coming = _empty_batch(negatives), _empty_batch(negatives)
    step = np.empty((negatives + 1) * LANES, np.float32)
    squares = zero()
    _take(pairs, begin, min(SIX, end - begin), model.stride, coming)
    _draw(noise, part, key, 0, model.stride, coming)
    drawn = negatives
    for at in range(begin, end, SIX):
        now, coming = coming, now
        if at + SIX < end:
            _take(pairs, at + SIX, min(SIX, end - at - SIX), model.stride, coming)
            _draw(noise, part, key, drawn, model.stride, coming)
            drawn += negatives
        lr = lr_first + (lr_last - lr_first) * ((at - begin) / (end - begin))
        squares = add(squares, step_batch(model, now, min(SIX, end - at), lr, step, coming))
    store(step, 0, squares)
    return step[:SIX].sum() / (end - begin) / (negatives + 1)


@njit(nogil=True, cache=True)
def train_diagonal(model, pairs, starts, noise, parts, shift, first, last, negatives, key, lr_first, lr_last):
    """Train the blocks (i, (i + shift) mod parts) for i in first..last-1; starts[block] is where its pairs begin.

    Blocks of one shift share no row, so that any threads may train them at the same time. Gives the largest of the
    blocks' mean squares, NaN if one is.
    """
    worst = 0.0
    for i in range(first, last):
        j = (i + shift) % parts
        block = i * parts + j
        begin, end = starts[block], starts[block + 1]
        square = train_block(model, pairs, begin, end, noise, j, negatives, derive(key, block), lr_first, lr_last)
        worst = np.maximum(worst, square)  # which is NaN once either is
    return worst
