"""Section 2, compiled: one step of gradient descent for a batch of six pairs that share their drawn contexts.

Most of the training time is spent here. A batch is SIX pairs (w_b, c_b) and the `negatives` contexts n_k drawn for all
of them, so its inner products are one small dense product (see `six.py`).

Most batches are *sixes*: pairs of one context c, which `block.gather` brings together. Then c is one more row of the
dense product, and a batch moves 6 + 1 + k rows instead of 6 + 6 + k.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import COLUMNS, njit
from pairloom.kernel.exponential import sigmoid
from pairloom.kernel.memory import float32_at, int64_at, prefetch, put_float32
from pairloom.kernel.simd import (
    LANES,
    add,
    beginning_with,
    both,
    broadcast,
    broadcast_wide,
    fma,
    load,
    load_like,
    load_wide,
    multiply,
    spread,
    spread_like,
    store,
    sums,
    twice,
    zero,
    zero_sixteen,
)
from pairloom.kernel.steps.six import (
    LINE,
    SIX,
    add_to_six,
    dots_four_wide,
    dots_two,
    dots_two_wide,
    load_six_wide,
    push,
    six_rows,
    zero_six_wide,
)

# A batch is an array of int64, the addresses of rows: of its six w_b, of its six c_b, then of its drawn contexts. A six
# has only the last of the c_b, so that this row and the drawn contexts follow each other as the rows of the product.
OWN, LAST_OWN, DRAWN = SIX, 2 * SIX - 1, 2 * SIX

WORDS, CONTEXTS = 1, 2  # the sides that may be frozen


class Model(NamedTuple):
    """The two matrices, flat. Rows have `stride` floats, and kernels compute with the first `width` of them.

    width is dim rounded up to whole vectors. The floats from dim on are 0 and stay 0.
    """

    W: npt.NDArray[np.float32]
    C: npt.NDArray[np.float32]
    width: int
    stride: int


class DrawWeights(NamedTuple):
    """An `objective.NoiseWeights`, and where in memory the copies of hubs are: these are in every part, so `together`
    does not apply to them."""

    drawn: float
    together: float
    copies: int
    copies_end: int


def step_floats(negatives: int) -> int:
    """Floats in the buffer of a step: LANES for each of its rows, and a whole number of wide vectors."""
    return -(-LANES * (negatives + 1) // COLUMNS) * COLUMNS


# --- The step. All arguments that name a batch or `step` are addresses.


@njit(nogil=True, cache=True)
def step_batch(batch, negatives, width, six, lr, weights, step, coming, coming_own):
    """Take one gradient step. Equivalent to `objective.batch_step`, or to `objective.six_step` if the batch is a six.

    weights: a `DrawWeights`. step: a buffer of `step_floats(negatives)` floats. coming: a batch that comes soon,
    whose contexts begin at `coming_own`.
    Returns the squares of the pairs' own inner products, by lane. Healthy training never makes these large, and NaN and
    infinity always show in them.
    """
    own = _steps(batch, negatives, width, six, lr, weights, step)
    if six:
        _update_six(batch, negatives, width, step, coming, coming_own)
    else:
        _update_mixed(batch, negatives, width, step, coming, coming_own)
    return multiply(own, own)


@njit(nogil=True, cache=True)
def step_frozen(batch, negatives, width, six, lr, weights, step, frozen):
    """`step_batch` where WORDS or CONTEXTS do not move."""
    own = _steps(batch, negatives, width, six, lr, weights, step)
    if frozen == WORDS:
        _move_contexts(batch, negatives, width, six, step)
    else:
        _move_words(batch, negatives, width, six, step)
    return multiply(own, own)


@njit(nogil=True, cache=True)
def _steps(batch, negatives, width, six, lr, weights, step):
    """Write to `step` how far each row goes, lr * weight * (label - σ). Returns the own inner products, by lane."""
    _dots(batch, negatives, width, six, step)
    own = load(step, 0)
    drawn = broadcast_wide(-lr * weights.drawn)
    rate = beginning_with(broadcast_wide(-lr), drawn)
    for i in range(0, LANES * (negatives + 1), COLUMNS):
        store(step, i, multiply(rate, sigmoid(load_wide(step, i))))
        rate = drawn
    store(step, 0, add(broadcast(lr), load(step, 0)))
    _weigh_own(batch, negatives, six, weights, step)
    return own


@njit(nogil=True, cache=True)
def _dots_eight(batch, negatives, width, six, dots):
    """v_wb·v_cb, then v_wb·v_nk for every drawn context, LANES for each. The last two lanes mean nothing."""
    n = int64_at(batch, DRAWN)
    x, y = dots_two(batch, int64_at(batch, LAST_OWN), n, width) if six else _dots_own(batch, n, width)
    store(dots, 0, x)
    store(dots, LANES, y)
    for k in range(1, negatives, 2):
        m = min(k + 1, negatives - 1)  # the last of an even number is paired with itself
        x, y = dots_two(batch, int64_at(batch, DRAWN + k), int64_at(batch, DRAWN + m), width)
        store(dots, LANES * (k + 1), x)
        store(dots, LANES * (m + 1), y)


@njit(nogil=True, cache=True)
def _dots_own(batch, y, width):
    """v_wb·v_cb and v_wb·v_y for the six pairs of a batch."""
    w0, w1, w2, w3, w4, w5 = six_rows(batch)
    c0, c1, c2, c3, c4, c5 = six_rows(batch + 8 * OWN)
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
def _dots_wide(batch, negatives, width, six, dots):
    """`_dots_eight` with wide registers, four contexts at a time."""
    rows, k = batch + 8 * LAST_OWN, 0
    if not six:
        store(dots, 0, _dots_own_wide(batch, int64_at(batch, DRAWN), width))
        k = 2
    while k + 2 <= negatives:
        three, four = int64_at(rows, k + 2), int64_at(rows, min(k + 3, negatives))
        x, y = dots_four_wide(batch, int64_at(rows, k), int64_at(rows, k + 1), three, four, width)
        store(dots, LANES * k, x)
        store(dots, LANES * (k + 2), y)
        k += 4
    if k <= negatives:
        two = int64_at(rows, min(k + 1, negatives))
        store(dots, LANES * k, dots_two_wide(batch, int64_at(rows, k), two, width))


@njit(nogil=True, cache=True)
def _dots_own_wide(batch, y, width):
    """`_dots_own` as one vector of 16 floats."""
    w0, w1, w2, w3, w4, w5 = six_rows(batch)
    c0, c1, c2, c3, c4, c5 = six_rows(batch + 8 * OWN)
    x0 = x1 = x2 = x3 = x4 = x5 = zero_sixteen()
    for i in range(0, width, LANES):
        x0 = fma(twice(w0, i), both(c0, y, i), x0)
        x1 = fma(twice(w1, i), both(c1, y, i), x1)
        x2 = fma(twice(w2, i), both(c2, y, i), x2)
        x3 = fma(twice(w3, i), both(c3, y, i), x3)
        x4 = fma(twice(w4, i), both(c4, y, i), x4)
        x5 = fma(twice(w5, i), both(c5, y, i), x5)
    return sums(x0, x1, x2, x3, x4, x5, x5, x5)


_dots = _dots_wide if COLUMNS > LANES else _dots_eight


@njit(nogil=True, cache=True)
def _weigh_own(batch, negatives, six, weights, step):
    """Weight the steps in which a pair's own context was drawn for it by `together`, except those of hubs."""
    for k in range(negatives):
        n, g = int64_at(batch, DRAWN + k), LANES * (k + 1)
        if six:
            if n == int64_at(batch, LAST_OWN) and not _is_copy(n, weights):
                store(step, g, multiply(broadcast(weights.together), load(step, g)))
        else:
            for b in range(SIX):
                if n == int64_at(batch, OWN + b) and not _is_copy(n, weights):
                    put_float32(step, g + b, np.float32(weights.together) * float32_at(step, g + b))


@njit(nogil=True, cache=True)
def _is_copy(row, weights):
    return weights.copies <= row < weights.copies_end


# --- Both sides move


@njit(nogil=True, cache=True)
def _update_six(batch, negatives, width, step, coming, coming_own):
    """Move the rows of a six, COLUMNS columns at a time.

    Meanwhile, ask for the rows of the coming batch, one line of each at a time. Asked for all at once, they would hold
    up the arithmetic instead of arriving beside it (8 % at dim 300).
    """
    words = six_rows(batch)
    for i in range(0, width, COLUMNS):
        if i % LINE == 0:
            _ask(coming, coming_own, DRAWN + negatives, i)
        v = load_six_wide(words, i)
        s = zero_six_wide()
        g = step
        for k in range(0, negatives, 2):
            s = push(int64_at(batch, LAST_OWN + k), i, g, v, s)
            s = push(int64_at(batch, DRAWN + k), i, g + 4 * LANES, v, s)
            g += 8 * LANES
        if negatives % 2 == 0:
            s = push(int64_at(batch, LAST_OWN + negatives), i, g, v, s)
        add_to_six(words, i, s)


@njit(nogil=True, cache=True)
def _update_mixed(batch, negatives, width, step, coming, coming_own):
    """Move the rows of a batch whose pairs have different contexts."""
    words = six_rows(batch)
    c0, c1, c2, c3, c4, c5 = six_rows(batch + 8 * OWN)
    for i in range(0, width, COLUMNS):
        if i % LINE == 0:
            _ask(coming, coming_own, DRAWN + negatives, i)
        v = load_six_wide(words, i)
        s0 = _move(c0, i, step, 0, v[0])
        s1 = _move(c1, i, step, 1, v[1])
        s2 = _move(c2, i, step, 2, v[2])
        s3 = _move(c3, i, step, 3, v[3])
        s4 = _move(c4, i, step, 4, v[4])
        s5 = _move(c5, i, step, 5, v[5])
        s = s0, s1, s2, s3, s4, s5
        for k in range(negatives):
            s = push(int64_at(batch, DRAWN + k), i, step + 4 * LANES * (k + 1), v, s)
        add_to_six(words, i, s)


@njit(nogil=True, cache=True)
def _move(c, i, step, b, v):
    """Move columns of v_c by g v, where g is float number b of `step`. Returns g times their values from before."""
    v_c, g = load_like(v, c, i), spread_like(v, step, b)
    store(c, i, fma(g, v, v_c))
    return multiply(g, v_c)


@njit(nogil=True, cache=True)
def _ask(coming, own, rows, i):
    """Prefetch a cache line of each row of the coming batch. own: the index of its first context."""
    for r in range(SIX):
        prefetch(int64_at(coming, r), i)
    for r in range(own, rows):
        prefetch(int64_at(coming, r), i)


# --- One side moves


@njit(nogil=True, cache=True)
def _move_words(batch, negatives, width, six, step):
    """Move only the six v_w: v_wb += Σ_k g_bk v_k, over the pair's own context and the drawn ones."""
    for b in range(SIX):
        w = int64_at(batch, b)
        own = int64_at(batch, LAST_OWN if six else OWN + b)
        for i in range(0, width, LANES):
            v = fma(spread(step, b), load(own, i), load(w, i))
            for k in range(negatives):
                v = fma(spread(step, LANES * (k + 1) + b), load(int64_at(batch, DRAWN + k), i), v)
            store(w, i, v)


@njit(nogil=True, cache=True)
def _move_contexts(batch, negatives, width, six, step):
    """Move only the contexts, the pairs' own first."""
    if six:
        _move_context(int64_at(batch, LAST_OWN), batch, width, step, 0, SIX)
    else:
        for b in range(SIX):
            _move_context(int64_at(batch, OWN + b), batch, width, step, b, b + 1)
    for k in range(negatives):
        _move_context(int64_at(batch, DRAWN + k), batch, width, step + 4 * LANES * (k + 1), 0, SIX)


@njit(nogil=True, cache=True)
def _move_context(c, batch, width, g, first, last):
    """v_c += Σ_b g_b v_wb, for the pairs first..last-1."""
    for i in range(0, width, LANES):
        v = load(c, i)
        for b in range(first, last):
            v = fma(spread(g, b), load(int64_at(batch, b), i), v)
        store(c, i, v)
