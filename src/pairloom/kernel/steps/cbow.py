"""CBOW, compiled: the mean of a window takes the step of a v_w of skip-gram, and each word of the window gets a share.

One window at a time, in the order of the text. (Six windows that share the drawn contexts, as in `block.py`, were half
as fast again. But here the six would stand side by side, and the analogies solved on Wikipedia fell from 25 to 21 %.)
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, int32_at, int64_at, prefetch, put_int64
from pairloom.kernel.rng import below, draw, lower
from pairloom.kernel.simd import LANES, add, broadcast, fma, load, multiply, store, zero
from pairloom.kernel.steps.hierarchical import path_addresses, plan_path, step_path_of_one
from pairloom.kernel.steps.rates import Rates, rate_at
from pairloom.kernel.steps.six import LINE


class WindowDescent(NamedTuple):
    """How windows are trained by negative sampling."""

    negatives: int
    key: np.uint64  # of the draws
    rates: Rates


class WindowBuffers(NamedTuple):
    """The memory in which one thread trains."""

    words: npt.NDArray[np.int64]  # addresses of the rows of a window
    plan: npt.NDArray[np.int64]  # (2, n): addresses of the rows that a window predicts, and that the next one does
    labels: npt.NDArray[np.float32]  # of the rows, by negative sampling: 1 for the word, 0 for what was drawn
    step: npt.NDArray[np.float32]  # how far the rows go
    mean: npt.NDArray[np.float32]  # (2, width): the mean after a step, and before it
    padding: npt.NDArray[np.float32]  # a row of zeros, which fills up a plan


def make_buffers(reach: int, predicted: int, width: int) -> WindowBuffers:
    """Buffers for windows of up to `reach` words on either side that predict up to `predicted` rows."""
    return WindowBuffers(
        np.zeros(2 * reach + 1, np.int64),  # one more, which is written but does not count
        np.zeros((2, predicted + LANES), np.int64),
        np.append(np.float32(1), np.zeros(predicted + LANES - 1, np.float32)),
        np.zeros(predicted + LANES, np.float32),
        np.zeros((2, width), np.float32),
        np.zeros(width, np.float32),
    )


@njit(nogil=True, cache=True)
def train_negative(model, buffers, segment, places, noise, descent, divide):
    """Train the windows at these places of a segment of text, one after the other, the rate falling.

    segment: kept, left and right of `deal_text.Survivors`. noise: an `alias.AliasTable` of all words. descent: a
    `WindowDescent`. Each step is equivalent to `cbow.negative_step`, with contexts drawn for each window. Returns the
    number of windows and the mean square of their inner products.
    """
    at = _addresses(model, buffers, segment)
    alias = _Alias(address(noise.cut), address(noise.other), len(noise.cut))
    plan, line = address(buffers.plan), 8 * buffers.plan.shape[1]
    where, labels, negatives, key = address(places), address(buffers.labels), descent.negatives, descent.key
    n, rows, squares = len(places), 1 + descent.negatives, zero()
    if n > 0:
        _plan_drawn(at, alias, int32_at(at.kept, int32_at(where, 0)), negatives, key, 0, plan)
    for i in range(n):
        this, coming = plan + line * (i % 2), plan + line * ((i + 1) % 2)
        coming_word = int32_at(at.kept, int32_at(where, min(i + 1, n - 1)))
        _plan_drawn(at, alias, coming_word, negatives, key, i + 1, coming)
        lr = rate_at(descent.rates, i, n)
        squares = add(squares, _step(at, int32_at(where, i), this, labels, rows, divide, lr, coming, rows))
    store(at.step, 0, squares)
    return n, buffers.step[:LANES].sum() / max(1, n)


@njit(nogil=True, cache=True)
def train_hierarchical(model, buffers, segment, places, paths, rates, divide):
    """`train_negative` by hierarchical softmax. Each step is equivalent to `cbow.hierarchical_step`."""
    at, tree = _addresses(model, buffers, segment), path_addresses(paths, model, buffers)
    plan, line, where = address(buffers.plan), 8 * buffers.plan.shape[1], address(places)
    n, turned, turns, squares = len(places), 0, 0, zero()
    if n > 0:
        turns = plan_path(tree, int32_at(at.kept, int32_at(where, 0)), plan)
    for i in range(n):
        this, coming = plan + line * (i % 2), plan + line * ((i + 1) % 2)
        coming_turns = plan_path(tree, int32_at(at.kept, int32_at(where, min(i + 1, n - 1))), coming)
        labels = tree.labels + 4 * int64_at(tree.starts, int32_at(at.kept, int32_at(where, i)))
        lr = rate_at(rates, i, n)
        squares = add(squares, _step(at, int32_at(where, i), this, labels, turns, divide, lr, coming, coming_turns))
        turned += turns
        turns = coming_turns
    store(at.step, 0, squares)
    return n, buffers.step[:LANES].sum() / max(1, turned)


class _At(NamedTuple):
    """Addresses. An array that is handed from function to function, several times a window, would double the time."""

    W: int
    C: int
    row: int  # bytes from row to row
    width: int
    kept: int
    last: int  # index of the last word of kept
    left: int
    right: int
    words: int
    mean: int
    before: int
    step: int
    padding: int


@njit(nogil=True, cache=True)
def _addresses(model, buffers, segment):
    return _At(
        address(model.W),
        address(model.C),
        4 * model.stride,
        model.width,
        address(segment.kept),
        len(segment.kept) - 1,
        address(segment.left),
        address(segment.right),
        address(buffers.words),
        address(buffers.mean),
        address(buffers.mean) + 4 * model.width,
        address(buffers.step),
        address(buffers.padding),
    )


class _Alias(NamedTuple):
    """Addresses of the arrays of an `alias.AliasTable`, and its length."""

    cut: int
    other: int
    n: int


@njit(nogil=True, cache=True)
def _plan_drawn(at, noise, c, negatives, key, number, plan):
    """Plan the rows of c and of the contexts drawn against it."""
    put_int64(plan, 0, at.C + at.row * c)
    for k in range(negatives):
        bits = draw(key, number * negatives + k)
        slot = below(bits, noise.n)
        drawn = slot if np.int64(lower(bits)) < int64_at(noise.cut, slot) else int32_at(noise.other, slot)
        put_int64(plan, 1 + k, at.C + at.row * drawn)
    for k in range(1 + negatives, negatives + LANES):
        put_int64(plan, k, at.padding)


@njit(nogil=True, cache=True)
def _step(at, place, plan, labels, rows, divide, lr, coming, coming_rows):
    """Take one step with the window at a place, which predicts the rows of a plan. Returns squares, by lane.

    Meanwhile prefetch the rows of the coming plan, and the next word that windows will reach.
    """
    next_word = at.W + at.row * int32_at(at.kept, min(int32_at(at.right, place), at.last))
    for i in range(0, at.width, LINE):
        prefetch(next_word, i)
    m = _take_mean(at, place)
    squares = step_path_of_one(at.mean, plan, labels, rows, at.width, lr, at.step, coming, coming_rows)
    _move_words(at, m, divide)
    return squares


@njit(nogil=True, cache=True)
def _take_mean(at, place):
    """Write the mean of the window at a place to `mean` and `before`. Returns the number of its words.

    Equivalent to `cbow.mean_of`.
    """
    m = 0
    for j in range(int32_at(at.left, place), int32_at(at.right, place)):
        put_int64(at.words, m, at.W + at.row * int32_at(at.kept, j))
        m += j != place
    share = broadcast(1.0 / m)
    for i in range(0, at.width, LANES):
        x = load(int64_at(at.words, 0), i)
        for r in range(1, m):
            x = add(x, load(int64_at(at.words, r), i))
        x = multiply(x, share)
        store(at.mean, i, x)
        store(at.before, i, x)
    return m


@njit(nogil=True, cache=True)
def _move_words(at, m, divide):
    """Move the m words of the window by the step that their mean took, or by 1/m of it if `divide`."""
    minus, share = broadcast(-1.0), broadcast(1.0 / m if divide else 1.0)
    for i in range(0, at.width, LANES):
        step = multiply(share, fma(load(at.before, i), minus, load(at.mean, i)))
        for r in range(m):
            row = int64_at(at.words, r)
            store(row, i, add(load(row, i), step))
