"""Section 2, compiled: one step of gradient descent for a batch of pairs that share their drawn contexts.

The speed is here. A batch is SIX pairs (w_b, c_b) and the `negatives` contexts n_k drawn for all of them, so that its
inner products are one small dense product: rows come from memory once and are used six times. Six, because the six
v_w of a batch, their six steps, a drawn row and two temporaries just fit the sixteen registers of AVX2.

Most batches are *sixes*: pairs of one context c, which `block.gather` brings together. Then c is one more row of the
dense product, and a batch moves 6 + 1 + k rows instead of 6 + 6 + k.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.simd import (
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
    put,
    spread,
    store,
    sums,
    whole,
    zero,
)

SIX = 6  # pairs in a batch
LINE = 16  # floats in a cache line

# A batch is an array of int64: where the rows of its six w_b, of its six c_b and of its drawn contexts begin. A six has
# only the last of the c_b, so that this and the drawn contexts, one after the other, are the dense product's rows.
OWN, LAST_OWN, DRAWN = SIX, 2 * SIX - 1, 2 * SIX

WORDS, CONTEXTS = 1, 2  # what may be frozen

_F = np.float32


class Model(NamedTuple):
    """The two matrices, flat, with rows of `stride` floats of which the first `width` are computed with.

    width is dim rounded up to whole vectors; the floats from dim on are 0 and stay 0.
    """

    W: npt.NDArray[np.float32]
    C: npt.NDArray[np.float32]
    width: int
    stride: int


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
def dots_two(batch, x, y, width):
    """v_wb . v_x and v_wb . v_y for the batch's six w_b."""
    w0 = whole(batch, 0)
    w1 = whole(batch, 1)
    w2 = whole(batch, 2)
    w3 = whole(batch, 3)
    w4 = whole(batch, 4)
    w5 = whole(batch, 5)
    x0 = x1 = x2 = x3 = x4 = x5 = y0 = y1 = y2 = y3 = y4 = y5 = zero()
    for i in range(0, width, LANES):
        v_x = load(x, i)
        v_y = load(y, i)
        v = load(w0, i)
        x0 = fma(v, v_x, x0)
        y0 = fma(v, v_y, y0)
        v = load(w1, i)
        x1 = fma(v, v_x, x1)
        y1 = fma(v, v_y, y1)
        v = load(w2, i)
        x2 = fma(v, v_x, x2)
        y2 = fma(v, v_y, y2)
        v = load(w3, i)
        x3 = fma(v, v_x, x3)
        y3 = fma(v, v_y, y3)
        v = load(w4, i)
        x4 = fma(v, v_x, x4)
        y4 = fma(v, v_y, y4)
        v = load(w5, i)
        x5 = fma(v, v_x, x5)
        y5 = fma(v, v_y, y5)
    return sums(x0, x1, x2, x3, x4, x5, x5, x5), sums(y0, y1, y2, y3, y4, y5, y5, y5)


@njit(nogil=True, cache=True)
def _dots_own(batch, y, width):
    """v_wb . v_cb and v_wb . v_y for the batch's six pairs."""
    w0 = whole(batch, 0)
    w1 = whole(batch, 1)
    w2 = whole(batch, 2)
    w3 = whole(batch, 3)
    w4 = whole(batch, 4)
    w5 = whole(batch, 5)
    c0 = whole(batch, OWN + 0)
    c1 = whole(batch, OWN + 1)
    c2 = whole(batch, OWN + 2)
    c3 = whole(batch, OWN + 3)
    c4 = whole(batch, OWN + 4)
    c5 = whole(batch, OWN + 5)
    x0 = x1 = x2 = x3 = x4 = x5 = y0 = y1 = y2 = y3 = y4 = y5 = zero()
    for i in range(0, width, LANES):
        v_y = load(y, i)
        v = load(w0, i)
        x0 = fma(v, load(c0, i), x0)
        y0 = fma(v, v_y, y0)
        v = load(w1, i)
        x1 = fma(v, load(c1, i), x1)
        y1 = fma(v, v_y, y1)
        v = load(w2, i)
        x2 = fma(v, load(c2, i), x2)
        y2 = fma(v, v_y, y2)
        v = load(w3, i)
        x3 = fma(v, load(c3, i), x3)
        y3 = fma(v, v_y, y3)
        v = load(w4, i)
        x4 = fma(v, load(c4, i), x4)
        y4 = fma(v, v_y, y4)
        v = load(w5, i)
        x5 = fma(v, load(c5, i), x5)
        y5 = fma(v, v_y, y5)
    return sums(x0, x1, x2, x3, x4, x5, x5, x5), sums(y0, y1, y2, y3, y4, y5, y5, y5)


@njit(nogil=True, cache=True)
def push(row, i, g, v0, v1, v2, v3, v4, v5, s0, s1, s2, s3, s4, s5):
    """Move eight columns of a context's row by Σ_b g_b v_b, and give each s_b its share g_b of the row as it was."""
    v = load(row, i)
    g0 = spread(g, 0)
    s0 = fma(g0, v, s0)
    moved = fma(g0, v0, v)
    g1 = spread(g, 1)
    s1 = fma(g1, v, s1)
    other = multiply(g1, v1)  # two sums, since one would wait for itself
    g2 = spread(g, 2)
    s2 = fma(g2, v, s2)
    moved = fma(g2, v2, moved)
    g3 = spread(g, 3)
    s3 = fma(g3, v, s3)
    other = fma(g3, v3, other)
    g4 = spread(g, 4)
    s4 = fma(g4, v, s4)
    moved = fma(g4, v4, moved)
    g5 = spread(g, 5)
    s5 = fma(g5, v, s5)
    other = fma(g5, v5, other)
    store(row, i, add(moved, other))
    return s0, s1, s2, s3, s4, s5


@njit(nogil=True, cache=True)
def _ask(coming, own, rows, i):
    """Ask for a cache line of each of the coming batch's rows, `own` being the first of its contexts."""
    for r in range(SIX):
        prefetch(whole(coming, r), i)
    for r in range(own, rows):
        prefetch(whole(coming, r), i)


@njit(nogil=True, cache=True)
def _update_six(batch, negatives, width, step, coming, coming_own):
    """Move the rows of a six, eight columns at a time.

    On the way, ask for the rows of the coming batch, a line of each at a time: asked for at once, they would hold up
    the arithmetic instead of going on beside it (8 % at dim 300).
    """
    w0 = whole(batch, 0)
    w1 = whole(batch, 1)
    w2 = whole(batch, 2)
    w3 = whole(batch, 3)
    w4 = whole(batch, 4)
    w5 = whole(batch, 5)
    for i in range(0, width, LANES):
        if i % LINE == 0:
            _ask(coming, coming_own, DRAWN + negatives, i)
        v0 = load(w0, i)
        v1 = load(w1, i)
        v2 = load(w2, i)
        v3 = load(w3, i)
        v4 = load(w4, i)
        v5 = load(w5, i)
        s0 = s1 = s2 = s3 = s4 = s5 = zero()
        g = step
        for k in range(0, negatives, 2):
            s0, s1, s2, s3, s4, s5 = push(
                whole(batch, LAST_OWN + k), i, g, v0, v1, v2, v3, v4, v5, s0, s1, s2, s3, s4, s5
            )
            s0, s1, s2, s3, s4, s5 = push(
                whole(batch, DRAWN + k), i, g + 4 * LANES, v0, v1, v2, v3, v4, v5, s0, s1, s2, s3, s4, s5
            )
            g += 8 * LANES
        if negatives % 2 == 0:
            s0, s1, s2, s3, s4, s5 = push(
                whole(batch, LAST_OWN + negatives), i, g, v0, v1, v2, v3, v4, v5, s0, s1, s2, s3, s4, s5
            )
        store(w0, i, add(load(w0, i), s0))
        store(w1, i, add(load(w1, i), s1))
        store(w2, i, add(load(w2, i), s2))
        store(w3, i, add(load(w3, i), s3))
        store(w4, i, add(load(w4, i), s4))
        store(w5, i, add(load(w5, i), s5))


@njit(nogil=True, cache=True)
def _move(c, i, g, v):
    """Move eight columns of v_c by g v; gives g times what was there."""
    v_c = load(c, i)
    store(c, i, fma(g, v, v_c))
    return multiply(g, v_c)


@njit(nogil=True, cache=True)
def _update_mixed(batch, negatives, width, step, coming, coming_own):
    """The same for a batch whose pairs have contexts of their own."""
    w0 = whole(batch, 0)
    w1 = whole(batch, 1)
    w2 = whole(batch, 2)
    w3 = whole(batch, 3)
    w4 = whole(batch, 4)
    w5 = whole(batch, 5)
    c0 = whole(batch, OWN + 0)
    c1 = whole(batch, OWN + 1)
    c2 = whole(batch, OWN + 2)
    c3 = whole(batch, OWN + 3)
    c4 = whole(batch, OWN + 4)
    c5 = whole(batch, OWN + 5)
    for i in range(0, width, LANES):
        if i % LINE == 0:
            _ask(coming, coming_own, DRAWN + negatives, i)
        v0 = load(w0, i)
        v1 = load(w1, i)
        v2 = load(w2, i)
        v3 = load(w3, i)
        v4 = load(w4, i)
        v5 = load(w5, i)
        s0 = _move(c0, i, spread(step, 0), v0)
        s1 = _move(c1, i, spread(step, 1), v1)
        s2 = _move(c2, i, spread(step, 2), v2)
        s3 = _move(c3, i, spread(step, 3), v3)
        s4 = _move(c4, i, spread(step, 4), v4)
        s5 = _move(c5, i, spread(step, 5), v5)
        for k in range(negatives):
            s0, s1, s2, s3, s4, s5 = push(
                whole(batch, DRAWN + k), i, step + 4 * LANES * (k + 1), v0, v1, v2, v3, v4, v5, s0, s1, s2, s3, s4, s5
            )
        store(w0, i, add(load(w0, i), s0))
        store(w1, i, add(load(w1, i), s1))
        store(w2, i, add(load(w2, i), s2))
        store(w3, i, add(load(w3, i), s3))
        store(w4, i, add(load(w4, i), s4))
        store(w5, i, add(load(w5, i), s5))


@njit(nogil=True, cache=True)
def _dots(batch, negatives, width, six, dots):
    """v_wb . v_cb, then v_wb . v_nk for every drawn context, LANES for each, the last two lanes of no meaning."""
    n = whole(batch, DRAWN)
    x, y = dots_two(batch, whole(batch, LAST_OWN), n, width) if six else _dots_own(batch, n, width)
    store(dots, 0, x)
    store(dots, LANES, y)
    for k in range(1, negatives, 2):
        m = min(k + 1, negatives - 1)  # the last of an even number is its own companion
        x, y = dots_two(batch, whole(batch, DRAWN + k), whole(batch, DRAWN + m), width)
        store(dots, LANES * (k + 1), x)
        store(dots, LANES * (m + 1), y)


@njit(nogil=True, cache=True)
def _spare_own(batch, negatives, six, step):
    """A drawn context that is a pair's own is no noise for that pair."""
    for k in range(negatives):
        n = whole(batch, DRAWN + k)
        if six:
            if n == whole(batch, LAST_OWN):
                store(step, LANES * (k + 1), zero())
        else:
            for b in range(SIX):
                if n == whole(batch, OWN + b):
                    put(step, LANES * (k + 1) + b, _F(0.0))


@njit(nogil=True, cache=True)
def _move_words(batch, negatives, width, six, step):
    """Move the six v_w alone: v_wb += Σ_k g_bk v_k, over the pair's own context and the drawn ones."""
    for b in range(SIX):
        w = whole(batch, b)
        own = whole(batch, LAST_OWN if six else OWN + b)
        for i in range(0, width, LANES):
            v = fma(spread(step, b), load(own, i), load(w, i))
            for k in range(negatives):
                v = fma(spread(step, LANES * (k + 1) + b), load(whole(batch, DRAWN + k), i), v)
            store(w, i, v)


@njit(nogil=True, cache=True)
def _move_context(c, batch, width, g, first, last):
    """v_c += Σ_b g_b v_wb, for the pairs first..last-1."""
    for i in range(0, width, LANES):
        v = load(c, i)
        for b in range(first, last):
            v = fma(spread(g, b), load(whole(batch, b), i), v)
        store(c, i, v)


@njit(nogil=True, cache=True)
def _move_contexts(batch, negatives, width, six, step):
    """Move the contexts alone, the pairs' own first."""
    if six:
        _move_context(whole(batch, LAST_OWN), batch, width, step, 0, SIX)
    else:
        for b in range(SIX):
            _move_context(whole(batch, OWN + b), batch, width, step, b, b + 1)
    for k in range(negatives):
        _move_context(whole(batch, DRAWN + k), batch, width, step + 4 * LANES * (k + 1), 0, SIX)


@njit(nogil=True, cache=True)
def _steps(batch, negatives, width, six, lr, step):
    """How far each row goes, in `step`; gives the pairs' own inner products, by lane."""
    _dots(batch, negatives, width, six, step)
    own = load(step, 0)
    for k in range(negatives + 1):
        store(step, LANES * k, multiply(broadcast(_F(-lr)), sigmoid(load(step, LANES * k))))
    store(step, 0, add(broadcast(_F(lr)), load(step, 0)))
    _spare_own(batch, negatives, six, step)
    return own


@njit(nogil=True, cache=True)
def step_batch(batch, negatives, width, six, lr, step, coming, coming_own):
    """Take the step of `objective.batch_step`, of `objective.six_step` where the batch is a six.

    batch, step, coming are addresses: of the batch, of room for (negatives + 1) * LANES floats, of the batch after
    this one, whose contexts begin at `coming_own`. Gives the squares of the pairs' own inner products, by lane: what no
    healthy training makes large, and what NaN and infinity cannot leave.
    """
    own = _steps(batch, negatives, width, six, lr, step)
    if six:
        _update_six(batch, negatives, width, step, coming, coming_own)
    else:
        _update_mixed(batch, negatives, width, step, coming, coming_own)
    return multiply(own, own)


@njit(nogil=True, cache=True)
def step_frozen(batch, negatives, width, six, lr, step, frozen):
    """The same where WORDS or CONTEXTS do not move."""
    own = _steps(batch, negatives, width, six, lr, step)
    if frozen == WORDS:
        _move_contexts(batch, negatives, width, six, step)
    else:
        _move_words(batch, negatives, width, six, step)
    return multiply(own, own)
