"""CBOW, compiled, for two threads: one keeps the matrix W and one keeps C, and only means and steps go between them.

Windows are trained in batches. For each batch, the thread with W takes the means of its windows. The thread with C
moves contexts by them, or nodes, and says how far the words go. Some batches later, always as many, the thread with W
moves its words. So a row never goes from core to core, and what is computed depends neither on the number of threads
nor on how fast each of them is. A thread that is alone does both in turn.

By negative sampling, six windows from six places of the text are a batch of `sgns.py`: they share their drawn contexts.
(Of six windows side by side, which share most of their words too, the analogies solved on Wikipedia fell from 25 to
21 %.) By hierarchical softmax, one window steps after the other.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import COLUMNS, njit
from pairloom.kernel.memory import (
    address,
    give_way,
    int32_at,
    int64_at,
    number_now,
    publish_number,
    put_int64,
    rest,
    swap_number,
    take_number,
)
from pairloom.kernel.rng import below, draw, lower
from pairloom.kernel.simd import LANES, add, load, load_wide, store
from pairloom.kernel.steps.hierarchical import path_addresses, plan_path, step_path_of_one
from pairloom.kernel.steps.rates import Rates, rate_at
from pairloom.kernel.steps.sgns import DRAWN, OWN, DrawWeights, step_batch, step_floats
from pairloom.kernel.steps.six import SIX
from pairloom.kernel.steps.windows import ask, ask_for_next, move_rows, n_words, put_mean, put_step, words_of

# As in `block.py`, functions with inline="always" become part of their callers before these are compiled.


class Pace(NamedTuple):
    """How many windows a batch has, and how many batches lie between the mean of a window and the step of its words."""

    batch: int
    lag: int


OVERLAPPING = Pace(2 * SIX, 3)
IN_TURN = Pace(SIX, 1)  # words move before the next means are taken, so a second thread is of no use
SLOTS = OVERLAPPING.lag + 1  # batches of which the two threads hold means and steps

WORDS, CONTEXTS = 0, 1  # what a thread keeps
LOCK, DONE = 0, 64  # where `progress` has the numbers of a side, in bytes: cache lines of their own
LINES = 128  # bytes from side to side
THREADS = 2 * LINES  # where it has the number of threads
LOOKS = 32_768  # how often a thread that waits looks before it lets others run at each look: a millisecond


class WindowDescent(NamedTuple):
    """How the windows of a segment are trained."""

    negatives: int  # 0 in hierarchical softmax
    key: np.uint64  # of the draws
    rates: Rates
    divide: bool  # each word takes its share of the mean's step, not the whole step
    pace: Pace


class SharedBuffers(NamedTuple):
    """The memory in which two threads train the windows of a segment."""

    progress: npt.NDArray[np.int64]  # of each side: whether a thread works at it, and how many batches are done
    means: npt.NDArray[np.float32]  # (SLOTS, windows of a batch, width)
    steps: npt.NDArray[np.float32]  # how far the words of each window go
    plan: npt.NDArray[np.int64]  # (2, n): the addresses of rows that a step takes, and those for the next one
    step: npt.NDArray[np.float32]  # how far these rows go
    moving: npt.NDArray[np.float32]  # (SIX, width): the means of six windows, which take a step
    padding: npt.NDArray[np.float32]  # a row of zeros, which fills up plans
    sums: npt.NDArray[np.float32]  # the squares of inner products, by lane
    rows: npt.NDArray[np.int64]  # (SLOTS, windows of a batch, most): the addresses of the words of each window


def buffers_for_sixes(most: int, negatives: int, width: int) -> SharedBuffers:
    """Buffers for windows of up to `most` words, by negative sampling."""
    return _buffers(most, DRAWN + negatives, step_floats(negatives), width)


def buffers_for_paths(most: int, longest: int, width: int) -> SharedBuffers:
    """Buffers for windows of up to `most` words, by hierarchical softmax with paths of up to `longest` turns."""
    return _buffers(most, longest + LANES, longest + LANES, width)


def _buffers(most: int, planned: int, stepping: int, width: int) -> SharedBuffers:
    wide = -(-width // COLUMNS) * COLUMNS
    return SharedBuffers(
        _lines(np.int64, 3 * LINES // 8),
        _lines(np.float32, SLOTS, OVERLAPPING.batch, wide),
        _lines(np.float32, SLOTS, OVERLAPPING.batch, wide),
        _lines(np.int64, 2, planned),
        _lines(np.float32, stepping),
        _lines(np.float32, SIX, wide),
        _lines(np.float32, wide),
        _lines(np.float32, LANES),
        _lines(np.int64, SLOTS, OVERLAPPING.batch, most),
    )


def _lines(kind: type, *shape: int) -> npt.NDArray[Any]:
    """Zeros in cache lines of their own: two threads that write to one line would wait for each other."""
    size = int(np.prod(shape)) * np.dtype(kind).itemsize
    lines = np.zeros(size + 2 * 64, np.uint8)
    first = -lines.ctypes.data % 64
    return lines[first : first + size].view(kind).reshape(shape)


@njit(nogil=True, cache=True)
def train_negative(model, buffers, segment, noise, descent, side):
    """Train the windows of a segment in the order of its places, the rate falling. Returns when all are trained.

    Any number of threads may make this call at once. side: WORDS or CONTEXTS, what this one keeps if another keeps the
    other. segment: a `segments.Segment`. noise: an `alias.AliasTable` of all words.

    Each step is equivalent to `cbow.negative_step`, with contexts drawn for each six, and with words as they were some
    batches before if the pace is not IN_TURN.
    """
    drawn_from = _Noise(address(noise.cut), address(noise.other), len(noise.cut))
    _train(
        _addresses(model, buffers, segment.places, descent.pace),
        words_of(model, segment),
        drawn_from,
        None,
        descent,
        side,
    )


@njit(nogil=True, cache=True)
def train_hierarchical(model, buffers, segment, paths, descent, side):
    """`train_negative` where each step is equivalent to `cbow.hierarchical_step`. paths: a `TreePaths`."""
    tree = path_addresses(paths, model, buffers)
    _train(
        _addresses(model, buffers, segment.places, descent.pace), words_of(model, segment), None, tree, descent, side
    )


class _At(NamedTuple):
    """Addresses. An array that is handed from function to function, several times a window, would double the time."""

    places: int
    n_places: int
    batch: int
    lag: int
    C: int
    width: int
    progress: int
    means: int
    steps: int
    moving: int
    window: int  # bytes from row to row of these three
    plan: int
    planned: int  # bytes from plan to plan
    step: int
    padding: int
    sums: int
    rows: int
    listed: int  # bytes from list to list of rows


@njit(nogil=True, cache=True, inline="always")
def _addresses(model, buffers, places, pace):
    return _At(
        address(places),
        len(places),
        pace.batch,
        pace.lag,
        address(model.C),
        model.width,
        address(buffers.progress),
        address(buffers.means),
        address(buffers.steps),
        address(buffers.moving),
        4 * buffers.moving.shape[1],
        address(buffers.plan),
        8 * buffers.plan.shape[1],
        address(buffers.step),
        address(buffers.padding),
        address(buffers.sums),
        address(buffers.rows),
        8 * buffers.rows.shape[2],
    )


class _Noise(NamedTuple):
    """Addresses of the arrays of an `alias.AliasTable`, and its length."""

    cut: int
    other: int
    n: int


# --- Two sides, and the threads that keep them. noise or paths is None.


@njit(nogil=True, cache=True, inline="always")
def _train(at, words, noise, paths, descent, side):
    """Do the batches of a side one after the other, and those of the other side, too, while no thread keeps it."""
    batches, threads = (at.n_places + at.batch - 1) // at.batch, at.progress + THREADS
    take_number(threads)
    turn, looks = side, 0
    while number_now(at.progress + LINES * WORDS + DONE) < batches + at.lag:
        if _try_batch(at, words, noise, paths, descent, batches, turn):
            turn, looks = side, 0
        elif number_now(threads) == 1:
            turn = 1 - turn
        else:
            turn, looks = side, looks + 1
            rest()
            if looks > LOOKS:
                give_way()


@njit(nogil=True, cache=True)
def _try_batch(at, words, noise, paths, descent, batches, side):
    """Do a side's next batch, unless it needs what is not done yet or another thread does it. Returns whether."""
    own, other = at.progress + LINES * side, at.progress + LINES * (1 - side)
    if not _is_ready(at, own, other, batches, side) or swap_number(own + LOCK, 1):
        return False
    ready = _is_ready(at, own, other, batches, side)  # another thread may have done the batch meanwhile
    if ready:
        t, shared = number_now(own + DONE), number_now(at.progress + THREADS) > 1
        if side == WORDS:
            if at.lag == IN_TURN.lag:
                _move_words(at, words, t - at.lag)
            _take_means(at, words, t, shared)
            publish_number(own + DONE, t + 1)
            if at.lag > IN_TURN.lag:  # the other thread already has the means
                _move_words(at, words, t - at.lag)
        else:
            _step_contexts(at, words, noise, paths, descent, t, shared and number_now(other + DONE) > t + 1)
            publish_number(own + DONE, t + 1)
    publish_number(own + LOCK, 0)
    return ready


@njit(nogil=True, cache=True, inline="always")
def _is_ready(at, own, other, batches, side):
    """Batch t of WORDS needs batch t - lag of CONTEXTS, and batch t of CONTEXTS that of WORDS."""
    t, done = number_now(own + DONE), number_now(other + DONE)
    return (t < batches + at.lag and done > t - at.lag) if side == WORDS else (t < batches and done > t)


@njit(nogil=True, cache=True, inline="always")
def _in_batch(at, t):
    """How many places batch t has: none before the first and after the last."""
    return max(0, min(at.batch, at.n_places - t * at.batch)) if t >= 0 else 0


@njit(nogil=True, cache=True, inline="always")
def _slot(at, t):
    """Where the rows of batch t begin in `means` and `steps`."""
    return t % SLOTS * at.batch * at.window


@njit(nogil=True, cache=True, inline="always")
def _rows(at, t, b):
    """Where the rows of the words of window b of batch t are listed."""
    return at.rows + (t % SLOTS * at.batch + b) * at.listed


@njit(nogil=True, cache=True, inline="always")
def _take_means(at, words, t, shared):
    """Take the means of batch t. Meanwhile ask for words of the next, and for the steps that words will take."""
    if shared:
        for b in range(_in_batch(at, t - at.lag)):
            ask(at.steps + _slot(at, t - at.lag) + at.window * b, at.width)
    for b in range(_in_batch(at, t)):
        place = int32_at(at.places, t * at.batch + b)
        if place >= 0:
            ask_for_next(words, place, at.width)
        put_mean(words, place, at.width, at.means + _slot(at, t) + at.window * b, _rows(at, t, b))


@njit(nogil=True, cache=True, inline="always")
def _move_words(at, words, t):
    """Move the words of the windows of batch t."""
    for b in range(_in_batch(at, t)):
        place = int32_at(at.places, t * at.batch + b)
        if place >= 0:
            move_rows(_rows(at, t, b), n_words(words, place), at.width, at.steps + _slot(at, t) + at.window * b)


@njit(nogil=True, cache=True, inline="always")
def _step_contexts(at, words, noise, paths, descent, t, ask_for_more):
    """Take the steps of batch t with means, and contexts or nodes.

    ask_for_more: whether the means of the next batch are taken and come from another core.
    """
    if ask_for_more:
        for b in range(_in_batch(at, t + 1)):
            ask(at.means + _slot(at, t + 1) + at.window * b, at.width)
    for first in range(0, _in_batch(at, t), SIX):
        rows = _slot(at, t) + at.window * first
        means, steps = at.means + rows, at.steps + rows
        for i in range(0, SIX * at.window // 4, COLUMNS):
            store(at.moving, i, load_wide(means, i))
        if noise is not None:
            _step_six(at, words, noise, descent, t * at.batch + first)
        if paths is not None:
            _step_paths(at, words, paths, descent, t * at.batch + first)
        for b in range(SIX):
            m = max(1, n_words(words, max(0, int32_at(at.places, t * at.batch + first + b))))
            share, row = 1.0 / m if descent.divide else 1.0, at.window * b
            put_step(at.moving + row, means + row, share, at.width, steps + row)


@njit(nogil=True, cache=True, inline="always")
def _add_squares(at, squares):
    store(at.sums, 0, add(load(at.sums, 0), squares))


# --- By negative sampling


@njit(nogil=True, cache=True, inline="always")
def _step_six(at, words, noise, descent, first):
    """Step with the six windows whose places begin at number `first`."""
    six = first // SIX
    this, coming = at.plan + at.planned * (six % 2), at.plan + at.planned * ((six + 1) % 2)
    if first == 0:
        _plan_six(at, words, noise, descent, 0, this)
    _plan_six(at, words, noise, descent, min(first + SIX, at.n_places - SIX), coming)
    lr, weights = rate_at(descent.rates, first, at.n_places), DrawWeights(1.0, 1.0, 0, 0)
    _add_squares(at, step_batch(this, descent.negatives, at.width, False, lr, weights, at.step, coming, OWN))


@njit(nogil=True, cache=True)
def _plan_six(at, words, noise, descent, first, plan):
    """Plan a step: six means, the rows of the words at their places, and those of drawn contexts."""
    for b in range(SIX):
        place = int32_at(at.places, first + b)
        put_int64(plan, b, at.moving + at.window * b)
        put_int64(plan, OWN + b, at.padding if place < 0 else at.C + words.row * int32_at(words.kept, place))
    for k in range(descent.negatives):
        bits = draw(descent.key, first // SIX * descent.negatives + k)
        slot = below(bits, noise.n)
        drawn = slot if np.int64(lower(bits)) < int64_at(noise.cut, slot) else int32_at(noise.other, slot)
        put_int64(plan, DRAWN + k, at.C + words.row * drawn)


# --- By hierarchical softmax


@njit(nogil=True, cache=True, inline="always")
def _step_paths(at, words, paths, descent, first):
    """Step with six windows, one after the other, whose places begin at number `first`."""
    if first == 0:
        _plan_window(at, words, paths, 0)
    for b in range(SIX):
        i = first + b
        coming = _plan_window(at, words, paths, min(i + 1, at.n_places - 1)) if i + 1 < at.n_places else 0
        place = int32_at(at.places, i)
        if place >= 0:
            begin = int64_at(paths.starts, int32_at(words.kept, place))
            turns = int64_at(paths.starts, int32_at(words.kept, place) + 1) - begin
            this, following = at.plan + at.planned * (i % 2), at.plan + at.planned * ((i + 1) % 2)
            mean, labels, lr = (
                at.moving + at.window * b,
                paths.labels + 4 * begin,
                rate_at(descent.rates, i, at.n_places),
            )
            square = step_path_of_one(mean, this, labels, turns, at.width, lr, at.step, following, coming)
            _add_squares(at, square)


@njit(nogil=True, cache=True)
def _plan_window(at, words, paths, i):
    """Plan the path to the word at place number i. Returns how many turns it has."""
    place = int32_at(at.places, i)
    return plan_path(paths, int32_at(words.kept, place), at.plan + at.planned * (i % 2)) if place >= 0 else 0
