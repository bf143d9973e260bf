"""Hierarchical softmax, compiled: skip-gram trained by steps along the path to a context.

A step takes six words that predict the same context, so the nodes on the path come from memory once and are used six
times (`six.py`). The words are those around a place in the text, which all predict the word there. Sixes are trained in
batches, in the order of the text, by threads in lockstep (`lockstep.py`).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.exponential import sigmoid
from pairloom.kernel.memory import address, int32_at, int64_at, prefetch, put_int32, put_int64
from pairloom.kernel.simd import LANES, add, broadcast, fma, multiply, spread, store, zero
from pairloom.kernel.steps.lockstep import BATCHES, add_parts, all_arrived, arrive, ask_for_parts
from pairloom.kernel.steps.rates import rate_at
from pairloom.kernel.steps.six import LINE, SIX, add_to_six, dots_two, load_six, push, six_rows, zero_six
from pairloom.method.hierarchical import Tree

_NOTHING = -1  # fills up the last six of a context


class TreePaths(NamedTuple):
    """A `hierarchical.Tree` for kernels. label = 1 - bit, so a node goes lr * (label - σ) far."""

    starts: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int32]
    labels: npt.NDArray[np.float32]

    @classmethod
    def of(cls, tree: Tree) -> "TreePaths":
        labels = np.append(1 - tree.bits, np.zeros(LANES)).astype(np.float32)  # the last path, too, is read by LANES
        return cls(tree.starts, tree.nodes, labels)


class PathPlan(NamedTuple):
    """Sixes of words that predict the same context, in the order of the contexts in the text."""

    words: npt.NDArray[np.int32]  # (n, SIX)
    contexts: npt.NDArray[np.int32]


class PathBuffers(NamedTuple):
    """The memory in which one thread trains batches: this one, and the next."""

    words: npt.NDArray[np.int64]  # (2, sixes, SIX): addresses of the words' rows
    paths: npt.NDArray[np.int64]  # (2, sixes, n): addresses of the nodes' rows
    slice: npt.NDArray[np.int64]  # (SIX,): addresses of words' rows, at the begin of a slice
    step: npt.NDArray[np.float32]  # how far the nodes go: LANES for each
    padding: npt.NDArray[np.float32]  # a row of zeros, the word that fills up a six


def make_buffers(batch: int, longest: int, width: int) -> PathBuffers:
    """Buffers for batches of this many sixes, with paths of up to `longest` turns."""
    return PathBuffers(
        np.zeros((2, batch, SIX), np.int64),
        np.zeros((2, batch, max(longest, 1)), np.int64),
        np.zeros(SIX + 2 * LINE, np.int64)[LINE:],  # no other thread may write to their lines
        np.zeros(max(longest, 1) * LANES + 2 * LINE, np.float32)[LINE:],
        np.zeros(width + 2 * LINE, np.float32)[LINE:],
    )


# --- Planning: the words that predict a context


@njit(nogil=True, cache=True)
def plan_sixes(segment, reach, plan):
    """Plan the pairs of a segment of text in the order of their contexts. Returns how many sixes and pairs there are.

    segment: kept, left and right of `deal_text.Survivors`. No window reaches further than `reach`.
    """
    kept, left, right = address(segment.kept), address(segment.left), address(segment.right)
    words, n, sixes, pairs = address(plan.words), len(segment.kept), 0, 0
    for j in range(n):
        here, m = words + 4 * SIX * sixes, 0
        for i in range(max(0, j - reach), min(n, j + reach + 1)):
            put_int32(here, m, int32_at(kept, i))
            m += (i != j) & (int32_at(left, i) <= j) & (j < int32_at(right, i))
        filled = -(-m // SIX)
        for b in range(m, filled * SIX):
            put_int32(here, b, _NOTHING)
        for six in range(sixes, sixes + filled):
            plan.contexts[six] = int32_at(kept, j)
        sixes += filled
        pairs += m
    return sixes, pairs


# --- Training


class _At(NamedTuple):
    """Addresses. Arrays that are handed from function to function cost more."""

    W: int
    N: int
    row: int  # bytes from row to row
    width: int
    starts: int
    nodes: int
    labels: int
    planned: int
    contexts: int
    words: int  # from here on of this thread's buffers
    paths: int
    longest: int
    slice: int
    step: int
    padding: int
    edges: int  # from here on of its `Lockstep`
    first: int
    own: int  # slices of this thread
    slices: int  # of all threads
    parts: int
    apart: int  # floats from slice to slice in parts


@njit(nogil=True, cache=True)
def _addresses(model, buffers, plan, paths, lockstep):
    return _At(
        address(model.W),
        address(model.C),
        4 * model.stride,
        model.width,
        address(paths.starts),
        address(paths.nodes),
        address(paths.labels),
        address(plan.words),
        address(plan.contexts),
        address(buffers.words),
        address(buffers.paths),
        buffers.paths.shape[2],
        address(buffers.slice),
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
def train_sixes(model, buffers, plan, paths, lockstep, rates):
    """Train sixes, batch after batch, the rate falling. Each of the threads calls this with its own columns.

    The nodes are the rows of model.C. Equivalent to `hierarchical.train_in_batches`. Returns the mean square of
    the inner products.
    """
    at, n, squares, turned = _addresses(model, buffers, plan, paths, lockstep), len(plan.contexts), zero(), 0
    size = buffers.words.shape[1]
    batches, progress = -(-n // size), address(lockstep.progress)
    written = 0
    if batches > 0:
        written = _products_of_batch(at, 0, size, n)
        arrive(progress)
    for batch in range(batches):
        if not all_arrived(progress, (batch + 1) * lockstep.threads):
            return 0.0
        parts, slot = _parts(at, batch), size * (batch % 2)
        ask_for_parts(parts, at.apart, at.slices, written)
        if batch + 1 < batches:
            written = _products_of_batch(at, batch + 1, size, n)
            arrive(progress)
        for i in range(batch * size, min(n, (batch + 1) * size)):
            turns = _turns(at, i)
            squares = add(squares, _steps(at, i, parts, turns, rate_at(rates, i, n)))
            _move(at, i, slot + i - batch * size, turns)
            turned += turns
            parts += 4 * LANES * turns
    store(at.step, 0, squares)
    return buffers.step[:SIX].sum() / max(1, SIX * turned)


@njit(nogil=True, cache=True, forceinline=True)
def _parts(at, batch):
    return at.parts + 4 * at.slices * at.apart * (batch % BATCHES)


@njit(nogil=True, cache=True)
def _products_of_batch(at, batch, size, n):
    """Take this thread's parts of the inner products of a batch. Returns how many there are."""
    begin, parts, slot, written = batch * size, _parts(at, batch), size * (batch % 2), 0
    for i in range(begin, min(n, begin + size)):
        written += LANES * _products(at, i, slot + i - begin, n, parts + 4 * written)
    return written


@njit(nogil=True, cache=True, forceinline=True)
def _turns(at, i):
    c = int32_at(at.contexts, i)
    return int64_at(at.starts, c + 1) - int64_at(at.starts, c)


@njit(nogil=True, cache=True, forceinline=True)
def _products(at, i, slot, n, parts):
    """Take the parts of the inner products of six i. slot: where in the buffers. Returns the turns of its path."""
    _ask(at, min(i + 1, n - 1))
    words, path, turns = at.words + 8 * SIX * slot, at.paths + 8 * at.longest * slot, _turns(at, i)
    for w in range(SIX):
        row = int32_at(at.planned, SIX * i + w)
        put_int64(words, w, at.padding if row < 0 else at.W + at.row * row)
    nodes = at.nodes + 4 * int64_at(at.starts, int32_at(at.contexts, i))
    for k in range(turns):
        put_int64(path, k, at.N + at.row * int32_at(nodes, k))
    for s in range(at.own):
        first, last = int64_at(at.edges, s), int64_at(at.edges, s + 1)
        for w in range(SIX):
            put_int64(at.slice, w, int64_at(words, w) + 4 * first)
        for k in range(0, turns, 2):
            other = min(k + 1, turns - 1)  # the last of an odd number is paired with itself
            x, y = dots_two(at.slice, int64_at(path, k) + 4 * first, int64_at(path, other) + 4 * first, last - first)
            store(parts, at.apart * (at.first + s) + LANES * k, x)
            store(parts, at.apart * (at.first + s) + LANES * other, y)
    return turns


@njit(nogil=True, cache=True, forceinline=True)
def _ask(at, i):
    """Prefetch the rows of six i."""
    c = int32_at(at.contexts, i)
    for k in range(int64_at(at.starts, c), int64_at(at.starts, c + 1)):
        node = at.N + at.row * int32_at(at.nodes, k)
        for x in range(0, at.width, LINE):
            prefetch(node, x)
    for w in range(SIX):
        word = at.W + at.row * int32_at(at.planned, SIX * i + w)
        for x in range(0, at.width, LINE):
            prefetch(word, x)


@njit(nogil=True, cache=True, forceinline=True)
def _steps(at, i, parts, turns, lr):
    """Write to `step` how far each node goes. Returns the squares of the inner products, by lane."""
    labels, squares = at.labels + 4 * int64_at(at.starts, int32_at(at.contexts, i)), zero()
    for k in range(turns):
        x = add_parts(parts, at.apart, at.slices, LANES * k)
        squares = fma(x, x, squares)
        error = fma(sigmoid(x), broadcast(-1.0), spread(labels, k))
        store(at.step, LANES * k, multiply(broadcast(lr), error))
    return squares


@njit(nogil=True, cache=True, forceinline=True)
def _move(at, i, slot, turns):
    """Move the six words and the nodes, eight columns at a time."""
    rows, path = six_rows(at.words + 8 * SIX * slot), at.paths + 8 * at.longest * slot
    for c in range(0, at.width, LANES):
        v = load_six(rows, c)
        s = zero_six()
        for k in range(turns):
            s = push(int64_at(path, k), c, at.step + 4 * LANES * k, v, s)
        add_to_six(rows, c, s)
    if int32_at(at.planned, SIX * i + SIX - 1) < 0:
        for c in range(0, at.width, LANES):
            store(at.padding, c, zero())
