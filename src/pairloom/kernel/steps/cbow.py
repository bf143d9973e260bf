"""CBOW, compiled: the mean of a window takes the step of a v_w of skip-gram, and each word of the window gets a share.

Windows are trained in batches, in the order of the text, by threads in lockstep (`lockstep.py`).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.exponential import sigmoid
from pairloom.kernel.memory import address, int32_at, int64_at, prefetch, put_int64
from pairloom.kernel.rng import below, draw, lower
from pairloom.kernel.simd import LANES, add, broadcast, fma, load, multiply, spread, store, sums, zero
from pairloom.kernel.steps.lockstep import BATCHES, add_parts, all_arrived, arrive, ask_for_parts
from pairloom.kernel.steps.rates import rate_at
from pairloom.kernel.steps.six import LINE, six_rows

_NOTHING = -1  # fills up the rows that a window predicts
_AHEAD = 2  # windows: how far ahead rows are prefetched


class WindowPlan(NamedTuple):
    """Windows of a segment of text, and the rows of C that they predict. Window i is around places[i].

    It predicts rows[starts[i] : starts[i] + sizes[i]], with these labels. starts are multiples of LANES.
    """

    kept: npt.NDArray[np.int32]  # kept, left and right of `deal_text.Survivors`
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    places: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int32]
    rows: npt.NDArray[np.int32]
    labels: npt.NDArray[np.float32]


class WindowBuffers(NamedTuple):
    """The memory in which one thread trains batches: this one, and the next."""

    words: npt.NDArray[np.int64]  # (2, windows, n): addresses of the rows of a window's words
    counts: npt.NDArray[np.int64]  # (2, windows): how many words a window has
    rows: npt.NDArray[np.int64]  # (2, n): addresses of the rows that the windows predict
    mean: npt.NDArray[np.float32]  # (2, windows, width)
    step: npt.NDArray[np.float32]  # how far the rows that a window predicts go
    padding: npt.NDArray[np.float32]  # a row of zeros


def make_buffers(batch: int, reach: int, predicted: int, width: int) -> WindowBuffers:
    """Buffers for batches of windows of up to `reach` words on either side that predict up to `predicted` rows."""
    most = whole_vectors(predicted)
    return WindowBuffers(
        np.zeros((2, batch, 2 * reach + 1), np.int64),  # one more, which is written but does not count
        np.zeros((2, batch), np.int64),
        np.zeros((2, batch * most), np.int64),
        np.zeros((2, batch, width), np.float32),
        np.zeros(most + 2 * LINE, np.float32)[LINE:],  # no other thread may write to its lines
        np.zeros(width, np.float32),
    )


@njit(nogil=True, cache=True)
def whole_vectors(n):
    """n rounded up to a multiple of LANES."""
    return -(-n // LANES) * LANES


# --- Planning: the rows that windows predict


def make_plan(segment, places, total: int) -> WindowPlan:
    """A plan to be filled, of windows that predict `total` rows, padding included."""
    return WindowPlan(
        segment.kept,
        segment.left,
        segment.right,
        places,
        np.empty(len(places), np.int64),
        np.empty(len(places), np.int32),
        np.empty(total, np.int32),
        np.empty(total, np.float32),
    )


@njit(nogil=True, cache=True)
def plan_drawn(plan, noise, negatives, key):
    """Plan the word of each window and the contexts drawn against it. noise: an `alias.AliasTable` of all words."""
    cut, other, n = address(noise.cut), address(noise.other), len(noise.cut)
    size = whole_vectors(1 + negatives)
    for i in range(len(plan.places)):
        at = i * size
        plan.starts[i], plan.sizes[i] = at, 1 + negatives
        plan.rows[at], plan.labels[at] = plan.kept[plan.places[i]], 1.0
        for k in range(negatives):
            bits = draw(key, i * negatives + k)
            slot = below(bits, n)
            two = int32_at(other, slot)  # always read: a branch would often be predicted wrongly
            plan.rows[at + 1 + k] = slot if np.int64(lower(bits)) < int64_at(cut, slot) else two
            plan.labels[at + 1 + k] = 0.0
        _fill_up(plan, at + 1 + negatives, at + size)


@njit(nogil=True, cache=True)
def plan_paths(plan, paths):
    """Plan the path to the word of each window. paths: `hierarchical.TreePaths`."""
    at = 0
    for i in range(len(plan.places)):
        c = plan.kept[plan.places[i]]
        begin, turns = paths.starts[c], paths.starts[c + 1] - paths.starts[c]
        plan.starts[i], plan.sizes[i] = at, turns
        for k in range(turns):
            plan.rows[at + k], plan.labels[at + k] = paths.nodes[begin + k], paths.labels[begin + k]
        _fill_up(plan, at + turns, at + whole_vectors(turns))
        at += whole_vectors(turns)


@njit(nogil=True, cache=True)
def _fill_up(plan, first, last):
    for k in range(first, last):
        plan.rows[k], plan.labels[k] = _NOTHING, 0.0


# --- Training


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
    places: int
    starts: int
    sizes: int
    rows: int
    labels: int
    words: int  # from here on of this thread's buffers
    most_words: int
    counts: int
    predicted: int
    most_predicted: int
    mean: int
    step: int
    padding: int
    edges: int  # from here on of its `Lockstep`
    first: int
    own: int  # slices of this thread
    slices: int  # of all threads
    parts: int
    apart: int  # floats from slice to slice in parts


@njit(nogil=True, cache=True)
def _addresses(model, buffers, plan, lockstep):
    return _At(
        address(model.W),
        address(model.C),
        4 * model.stride,
        model.width,
        address(plan.kept),
        len(plan.kept) - 1,
        address(plan.left),
        address(plan.right),
        address(plan.places),
        address(plan.starts),
        address(plan.sizes),
        address(plan.rows),
        address(plan.labels),
        address(buffers.words),
        buffers.words.shape[2],
        address(buffers.counts),
        address(buffers.rows),
        buffers.rows.shape[1],
        address(buffers.mean),
        address(buffers.step),
        address(buffers.padding),
        address(lockstep.edges),
        lockstep.first,
        len(lockstep.edges) - 1,
        lockstep.parts.shape[1],
        address(lockstep.parts),
        lockstep.parts.shape[2],
    )


@njit(nogil=True, cache=True)
def train_windows(model, buffers, plan, lockstep, rates, divide):
    """Train windows, batch after batch, the rate falling. Each of the threads calls this with its own columns.

    Equivalent to `cbow.train_in_batches`. Returns the mean square of a window's inner products, summed.
    """
    at, n, size, squares = _addresses(model, buffers, plan, lockstep), len(plan.places), buffers.words.shape[1], zero()
    batches, progress = -(-n // size), address(lockstep.progress)
    if batches > 0:
        _products_of_batch(at, 0, size, n)
        arrive(progress)
    for batch in range(batches):
        if not all_arrived(progress, (batch + 1) * lockstep.threads):
            return 0.0
        begin, end = batch * size, min(n, (batch + 1) * size)
        start, parts, slot = int64_at(at.starts, begin), _parts(at, batch), size * (batch % 2)
        ask_for_parts(parts, at.apart, at.slices, int64_at(at.starts, end - 1) + LANES - start)
        if batch + 1 < batches:
            _products_of_batch(at, batch + 1, size, n)
            arrive(progress)
        rows = at.predicted + 8 * at.most_predicted * (batch % 2)
        for i in range(begin, end):
            offset = int64_at(at.starts, i) - start
            lr = rate_at(rates, i, n)
            square = _move(at, i, slot + i - begin, rows + 8 * offset, parts + 4 * offset, lr, divide)
            squares = add(squares, square)
    store(at.step, 0, squares)
    return buffers.step[:LANES].sum() / max(1, n)


@njit(nogil=True, cache=True, forceinline=True)
def _parts(at, batch):
    return at.parts + 4 * at.slices * at.apart * (batch % BATCHES)


@njit(nogil=True, cache=True)
def _products_of_batch(at, batch, size, n):
    """Take the means of the windows of a batch, and this thread's parts of their inner products."""
    begin, end = batch * size, min(n, (batch + 1) * size)
    start, parts, slot = int64_at(at.starts, begin), _parts(at, batch), size * (batch % 2)
    rows = at.predicted + 8 * at.most_predicted * (batch % 2)
    for i in range(begin, end):
        offset, ahead = int64_at(at.starts, i) - start, min(i + _AHEAD, n - 1)
        _products(at, i, slot + i - begin, rows + 8 * offset, parts + 4 * offset, ahead)


@njit(nogil=True, cache=True, forceinline=True)
def _products(at, i, slot, rows, parts, ahead):
    """Take the mean of window i and the parts of its inner products. Meanwhile, prefetch for window `ahead`.

    slot: where in the buffers of means and words. rows, parts: addresses at which to write. Equivalent to
    `cbow.mean_of`, and to products of the mean with rows.
    """
    mean, first = at.mean + 4 * at.width * slot, int64_at(at.starts, i)
    _take_mean(at, int32_at(at.places, i), slot, mean)
    for k in range(0, int32_at(at.sizes, i), LANES):
        for r in range(k, k + LANES):
            row = int32_at(at.rows, first + r)
            put_int64(rows, r, at.padding if row < 0 else at.C + at.row * row)
    for s in range(at.own):
        begin, end = int64_at(at.edges, s), int64_at(at.edges, s + 1)
        _ask(at, ahead, begin, end)
        for k in range(0, int32_at(at.sizes, i), LANES):
            x = _dots_eight(mean, rows + 8 * k, begin, end)
            store(parts, at.apart * (at.first + s) + k, x)


@njit(nogil=True, cache=True, forceinline=True)
def _ask(at, i, begin, end):
    """Prefetch some columns of the rows that window i predicts, and of the word that comes after it."""
    place, first = int32_at(at.places, i), int64_at(at.starts, i)
    word = at.W + at.row * int32_at(at.kept, min(int32_at(at.right, place), at.last))
    for c in range(begin, end, LINE):
        prefetch(word, c)
    for k in range(int32_at(at.sizes, i)):
        row = at.C + at.row * int32_at(at.rows, first + k)
        for c in range(begin, end, LINE):
            prefetch(row, c)


@njit(nogil=True, cache=True, forceinline=True)
def _take_mean(at, place, slot, mean):
    words, m = at.words + 8 * at.most_words * slot, 0
    for j in range(int32_at(at.left, place), int32_at(at.right, place)):
        put_int64(words, m, at.W + at.row * int32_at(at.kept, j))
        m += j != place
    put_int64(at.counts, slot, m)
    share = broadcast(1.0 / m)
    for c in range(0, at.width, LANES):
        x = load(int64_at(words, 0), c)
        for r in range(1, m):
            x = add(x, load(int64_at(words, r), c))
        store(mean, c, multiply(x, share))


@njit(nogil=True, cache=True, forceinline=True)
def _dots_eight(v, rows, first, last):
    """v·v_n for eight rows v_n, in the columns first..last-1."""
    n0, n1, n2, n3, n4, n5 = six_rows(rows)
    n6 = int64_at(rows, 6)
    n7 = int64_at(rows, 7)
    x0 = x1 = x2 = x3 = x4 = x5 = x6 = x7 = zero()
    for i in range(first, last, LANES):
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


@njit(nogil=True, cache=True, forceinline=True)
def _move(at, i, slot, rows, parts, lr, divide):
    """Move the rows that window i predicts, and its words. Returns the squares of its inner products, by lane."""
    labels, n, m, squares = (
        at.labels + 4 * int64_at(at.starts, i),
        int32_at(at.sizes, i),
        int64_at(at.counts, slot),
        zero(),
    )
    for k in range(0, n, LANES):
        x = add_parts(parts, at.apart, at.slices, k)
        squares = fma(x, x, squares)
        error = fma(sigmoid(x), broadcast(-1.0), load(labels, k))
        store(at.step, k, multiply(broadcast(lr), error))
    mean, words = at.mean + 4 * at.width * slot, at.words + 8 * at.most_words * slot
    share, c = broadcast(1.0 / m if divide else 1.0), 0
    while c + LANES < at.width:
        _move_sixteen(mean, rows, n, at.step, words, m, share, c)
        c += 2 * LANES
    if c < at.width:
        _move_eight(mean, rows, n, at.step, words, m, share, c)
    return squares


@njit(nogil=True, cache=True, forceinline=True)
def _move_sixteen(mean, rows, n, step, words, m, share, c):
    """Move sixteen columns: v_n += g_n h, and each word by its share of Σ_n g_n v_n. All but n, m and c: addresses."""
    d = c + LANES
    x, y, s, t = load(mean, c), load(mean, d), zero(), zero()
    for k in range(n):
        row, g = int64_at(rows, k), spread(step, k)
        u, v = load(row, c), load(row, d)
        s, t = fma(g, u, s), fma(g, v, t)
        store(row, c, fma(g, x, u))
        store(row, d, fma(g, y, v))
    s, t = multiply(share, s), multiply(share, t)
    for r in range(m):
        word = int64_at(words, r)
        store(word, c, add(load(word, c), s))
        store(word, d, add(load(word, d), t))


@njit(nogil=True, cache=True, forceinline=True)
def _move_eight(mean, rows, n, step, words, m, share, c):
    """`_move_sixteen` for the last eight columns."""
    x, s = load(mean, c), zero()
    for k in range(n):
        row, g = int64_at(rows, k), spread(step, k)
        u = load(row, c)
        s = fma(g, u, s)
        store(row, c, fma(g, x, u))
    s = multiply(share, s)
    for r in range(m):
        word = int64_at(words, r)
        store(word, c, add(load(word, c), s))
