"""CBOW, compiled: the mean of a window takes the step of a v_w of skip-gram, and each word of the window gets a share.

By negative sampling, six windows from six places of the text are a batch of `sgns.py`: they share their drawn contexts.
(Of six windows side by side, which share most of their words too, the analogies solved on Wikipedia fell from 25 to
21 %.) By hierarchical softmax, one window steps after the other.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import COLUMNS, njit
from pairloom.kernel.memory import address, int32_at, int64_at, prefetch, put_int64
from pairloom.kernel.rng import below, draw, lower
from pairloom.kernel.simd import LANES, add, broadcast, fma, load, multiply, store, zero
from pairloom.kernel.steps.hierarchical import path_addresses, plan_path, step_path_of_one
from pairloom.kernel.steps.rates import Rates, rate_at
from pairloom.kernel.steps.sgns import DRAWN, OWN, DrawWeights, step_batch, step_floats
from pairloom.kernel.steps.six import LINE, SIX


class WindowDescent(NamedTuple):
    """How windows are trained by negative sampling."""

    negatives: int
    key: np.uint64  # of the draws
    rates: Rates


class SixBuffers(NamedTuple):
    """The memory in which one thread trains six windows at a time."""

    words: npt.NDArray[np.int64]  # (SIX, n): how many words each window has, and the addresses of their rows
    plan: npt.NDArray[np.int64]  # (2, DRAWN + negatives): this batch of `sgns.step_batch`, and the next one
    step: npt.NDArray[np.float32]  # how far the rows of a batch go
    mean: npt.NDArray[np.float32]  # (2, SIX, width): the means after a step, and before it
    padding: npt.NDArray[np.float32]  # a row of zeros: what a window predicts that is missing in the last six


def make_six_buffers(reach: int, negatives: int, width: int) -> SixBuffers:
    """Buffers for windows of up to `reach` words on either side."""
    wide = -(-width // COLUMNS) * COLUMNS
    return SixBuffers(
        np.zeros((SIX, 2 * reach + 2), np.int64),  # one more, which is written but does not count
        np.zeros((2, DRAWN + negatives), np.int64),
        np.zeros(step_floats(negatives), np.float32),
        np.zeros((2, SIX, wide), np.float32),
        np.zeros(wide, np.float32),
    )


def in_sixes(places: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Places of a text in batches of six, which are far from each other. -1 fills up the last ones.

    >>> in_sixes(np.arange(10, dtype=np.int32)).tolist()
    [0, 2, 4, 6, 8, -1, 1, 3, 5, 7, 9, -1]
    """
    filled = np.full(-(-len(places) // SIX) * SIX, -1, np.int32)
    filled[: len(places)] = places
    return filled.reshape(SIX, -1).T.ravel()


@njit(nogil=True, cache=True)
def train_negative(model, buffers, segment, places, noise, descent, divide):
    """Train the windows at these places of a segment of text, six at a time (`in_sixes`), the rate falling.

    segment: kept, left and right of `deal_text.Survivors`. noise: an `alias.AliasTable` of all words. descent: a
    `WindowDescent`. Each step is equivalent to `cbow.negative_step`, with contexts drawn for each six. Returns the
    number of windows and the mean square of their inner products.
    """
    at, text, batches = _six_addresses(model, buffers), _text(segment), len(places) // SIX
    alias = _Alias(address(noise.cut), address(noise.other), len(noise.cut))
    plan, line, where = address(buffers.plan), 8 * buffers.plan.shape[1], address(places)
    weights, negatives, n, squares = DrawWeights(1.0, 1.0, 0, 0), descent.negatives, 0, zero()
    if batches > 0:
        _plan_six(at, text, where, alias, negatives, descent.key, 0, plan)
    for i in range(batches):
        this, coming = plan + line * (i % 2), plan + line * ((i + 1) % 2)
        after = min(i + 1, batches - 1)
        _plan_six(at, text, where + 4 * SIX * after, alias, negatives, descent.key, after, coming)
        for b in range(SIX):
            n += _take_mean_of(at, text, int32_at(where, SIX * i + b), b) > 0
        lr = rate_at(descent.rates, i, batches)
        square = step_batch(this, negatives, model.width, False, lr, weights, at.step, coming, OWN)
        squares = add(squares, square)
        for b in range(SIX):
            words = at.words + at.window * b
            move_words(
                words + 8,
                int64_at(words, 0),
                at.mean + at.row_of_means * b,
                at.before + at.row_of_means * b,
                model.width,
                divide,
            )
    store(at.step, 0, squares)
    return n, buffers.step[:SIX].sum() / max(1, n)


class _Alias(NamedTuple):
    """Addresses of the arrays of an `alias.AliasTable`, and its length."""

    cut: int
    other: int
    n: int


class _Text(NamedTuple):
    """Addresses of a segment, and the index of its last word."""

    kept: int
    left: int
    right: int
    last: int


@njit(nogil=True, cache=True)
def _text(segment):
    return _Text(address(segment.kept), address(segment.left), address(segment.right), len(segment.kept) - 1)


class _SixAt(NamedTuple):
    """Addresses, and the bytes from one to the next."""

    W: int
    C: int
    row: int
    width: int
    words: int
    window: int
    mean: int
    before: int
    row_of_means: int
    step: int
    padding: int


@njit(nogil=True, cache=True)
def _six_addresses(model, buffers):
    row_of_means = 4 * buffers.mean.shape[2]
    return _SixAt(
        address(model.W),
        address(model.C),
        4 * model.stride,
        model.width,
        address(buffers.words),
        8 * buffers.words.shape[1],
        address(buffers.mean),
        address(buffers.mean) + SIX * row_of_means,
        row_of_means,
        address(buffers.step),
        address(buffers.padding),
    )


@njit(nogil=True, cache=True)
def _plan_six(at, text, places, noise, negatives, key, number, plan):
    """Plan batch `number`: six means, the rows of the words at their places, and those of drawn contexts."""
    for b in range(SIX):
        place = int32_at(places, b)
        put_int64(plan, b, at.mean + at.row_of_means * b)
        put_int64(plan, OWN + b, at.padding if place < 0 else at.C + at.row * int32_at(text.kept, place))
    for k in range(negatives):
        bits = draw(key, number * negatives + k)
        slot = below(bits, noise.n)
        drawn = slot if np.int64(lower(bits)) < int64_at(noise.cut, slot) else int32_at(noise.other, slot)
        put_int64(plan, DRAWN + k, at.C + at.row * drawn)


@njit(nogil=True, cache=True)
def _take_mean_of(at, text, place, b):
    """Write the mean of window b of a six, and the addresses of its words. Returns their number: 0 if place is -1.

    Meanwhile prefetch the next word that windows here will reach.
    """
    words, mean, m = at.words + at.window * b, at.mean + at.row_of_means * b, 0
    if place < 0:
        for i in range(0, at.width, LANES):
            store(mean, i, zero())
    else:
        next_word = at.W + at.row * int32_at(text.kept, min(int32_at(text.right, place), text.last))
        for i in range(0, at.width, LINE):
            prefetch(next_word, i)
        m = take_mean(at.W, at.row, at.width, text, place, words + 8, mean, at.before + at.row_of_means * b)
    put_int64(words, 0, m)
    return m


# --- One window after the other, by hierarchical softmax


class WindowBuffers(NamedTuple):
    """The memory in which one thread trains window after window."""

    words: npt.NDArray[np.int64]  # addresses of the rows of a window
    plan: npt.NDArray[np.int64]  # (2, n): addresses of the nodes on the path of a window, and of the next one
    step: npt.NDArray[np.float32]  # how far the nodes go
    mean: npt.NDArray[np.float32]  # (2, width): the mean after a step, and before it
    padding: npt.NDArray[np.float32]  # a row of zeros, which fills up a plan


def make_buffers(reach: int, longest: int, width: int) -> WindowBuffers:
    """Buffers for windows of up to `reach` words on either side, and paths of up to `longest` turns."""
    return WindowBuffers(
        np.zeros(2 * reach + 1, np.int64),  # one more, which is written but does not count
        np.zeros((2, longest + LANES), np.int64),
        np.zeros(longest + LANES, np.float32),
        np.zeros((2, width), np.float32),
        np.zeros(width, np.float32),
    )


@njit(nogil=True, cache=True)
def train_hierarchical(model, buffers, segment, places, paths, rates, divide):
    """Train the windows at these places, one after the other. Each step is equivalent to `cbow.hierarchical_step`."""
    at, text, tree = _addresses(model, buffers), _text(segment), path_addresses(paths, model, buffers)
    plan, line, where = address(buffers.plan), 8 * buffers.plan.shape[1], address(places)
    n, turned, turns, squares = len(places), 0, 0, zero()
    if n > 0:
        turns = plan_path(tree, int32_at(text.kept, int32_at(where, 0)), plan)
    for i in range(n):
        this, coming = plan + line * (i % 2), plan + line * ((i + 1) % 2)
        coming_turns = plan_path(tree, int32_at(text.kept, int32_at(where, min(i + 1, n - 1))), coming)
        labels = tree.labels + 4 * int64_at(tree.starts, int32_at(text.kept, int32_at(where, i)))
        lr = rate_at(rates, i, n)
        squares = add(
            squares, _step(at, text, int32_at(where, i), this, labels, turns, divide, lr, coming, coming_turns)
        )
        turned += turns
        turns = coming_turns
    store(at.step, 0, squares)
    return n, buffers.step[:LANES].sum() / max(1, turned)


class _At(NamedTuple):
    """Addresses. An array that is handed from function to function, several times a window, would double the time."""

    W: int
    row: int  # bytes from row to row
    width: int
    words: int
    mean: int
    before: int
    step: int


@njit(nogil=True, cache=True)
def _addresses(model, buffers):
    mean = address(buffers.mean)
    return _At(
        address(model.W),
        4 * model.stride,
        model.width,
        address(buffers.words),
        mean,
        mean + 4 * model.width,
        address(buffers.step),
    )


@njit(nogil=True, cache=True)
def _step(at, text, place, plan, labels, turns, divide, lr, coming, coming_turns):
    """Take one step with the window at a place along the nodes of a plan. Returns squares, by lane.

    Meanwhile prefetch the nodes of the coming plan, and the next word that windows will reach.
    """
    next_word = at.W + at.row * int32_at(text.kept, min(int32_at(text.right, place), text.last))
    for i in range(0, at.width, LINE):
        prefetch(next_word, i)
    m = take_mean(at.W, at.row, at.width, text, place, at.words, at.mean, at.before)
    squares = step_path_of_one(at.mean, plan, labels, turns, at.width, lr, at.step, coming, coming_turns)
    move_words(at.words, m, at.mean, at.before, at.width, divide)
    return squares


# --- Windows and their words


@njit(nogil=True, cache=True)
def take_mean(W, row, width, text, place, words, mean, before):
    """Write the mean of the window at a place to `mean` and `before`, and the addresses of its words. Returns how many.

    Equivalent to `cbow.mean_of`.
    """
    m = 0
    for j in range(int32_at(text.left, place), int32_at(text.right, place)):
        put_int64(words, m, W + row * int32_at(text.kept, j))
        m += j != place
    share, i = broadcast(1.0 / m), 0
    while i < width - 3 * LANES:  # the address of a row is loaded once for four vectors
        v = int64_at(words, 0)
        x0, x1, x2, x3 = load(v, i), load(v, i + LANES), load(v, i + 2 * LANES), load(v, i + 3 * LANES)
        for r in range(1, m):
            v = int64_at(words, r)
            x0 = add(x0, load(v, i))
            x1 = add(x1, load(v, i + LANES))
            x2 = add(x2, load(v, i + 2 * LANES))
            x3 = add(x3, load(v, i + 3 * LANES))
        x0, x1, x2, x3 = multiply(x0, share), multiply(x1, share), multiply(x2, share), multiply(x3, share)
        for at in (mean, before):
            store(at, i, x0)
            store(at, i + LANES, x1)
            store(at, i + 2 * LANES, x2)
            store(at, i + 3 * LANES, x3)
        i += 4 * LANES
    while i < width:
        x = load(int64_at(words, 0), i)
        for r in range(1, m):
            x = add(x, load(int64_at(words, r), i))
        x = multiply(x, share)
        store(mean, i, x)
        store(before, i, x)
        i += LANES
    return m


@njit(nogil=True, cache=True)
def move_words(words, m, mean, before, width, divide):
    """Move the m words of a window by the step that their mean took, or by 1/m of it if `divide`."""
    if m == 0:
        return
    minus, share, i = broadcast(-1.0), broadcast(1.0 / m if divide else 1.0), 0
    while i < width - 3 * LANES:
        x0 = multiply(share, fma(load(before, i), minus, load(mean, i)))
        x1 = multiply(share, fma(load(before, i + LANES), minus, load(mean, i + LANES)))
        x2 = multiply(share, fma(load(before, i + 2 * LANES), minus, load(mean, i + 2 * LANES)))
        x3 = multiply(share, fma(load(before, i + 3 * LANES), minus, load(mean, i + 3 * LANES)))
        for r in range(m):
            row = int64_at(words, r)
            store(row, i, add(load(row, i), x0))
            store(row, i + LANES, add(load(row, i + LANES), x1))
            store(row, i + 2 * LANES, add(load(row, i + 2 * LANES), x2))
            store(row, i + 3 * LANES, add(load(row, i + 3 * LANES), x3))
        i += 4 * LANES
    while i < width:
        step = multiply(share, fma(load(before, i), minus, load(mean, i)))
        for r in range(m):
            row = int64_at(words, r)
            store(row, i, add(load(row, i), step))
        i += LANES
