"""Hierarchical softmax, compiled: steps along the path to a context, and skip-gram trained by them.

A step takes six words that predict the same context, so the nodes on the path come from memory once and are used six
times. The words are those around a place in the text, which all predict the word there. See `six.py`.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.exponential import sigmoid
from pairloom.kernel.memory import address, int32_at, int64_at, prefetch, put_int64
from pairloom.kernel.simd import LANES, add, broadcast, fma, load, multiply, spread, store, sums, zero
from pairloom.kernel.steps.rates import rate_at
from pairloom.kernel.steps.six import LINE, SIX, add_to_six, dots_two, load_six, push, six_rows, zero_six
from pairloom.method.hierarchical import Tree


class TreePaths(NamedTuple):
    """A `hierarchical.Tree` for kernels. label = 1 - bit, so a node goes lr * (label - σ) far."""

    starts: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int32]
    labels: npt.NDArray[np.float32]

    @classmethod
    def of(cls, tree: Tree) -> "TreePaths":
        labels = np.append(1 - tree.bits, np.zeros(LANES)).astype(np.float32)  # the last path, too, is read by LANES
        return cls(tree.starts, tree.nodes, labels)


class PathBuffers(NamedTuple):
    """The memory in which one thread trains."""

    plan: npt.NDArray[np.int64]  # (2, words and nodes of a place): addresses of rows, for this place and the next one
    step: npt.NDArray[np.float32]  # how far the nodes go: LANES for each
    padding: npt.NDArray[np.float32]  # a row of zeros, the word that fills up a six


def make_buffers(reach: int, longest: int, width: int) -> PathBuffers:
    """Buffers for windows of up to `reach` words on either side and paths of up to `longest` turns."""
    return PathBuffers(
        np.zeros((2, words_of(reach) + longest + LANES), np.int64),
        np.zeros(max(longest, 1) * LANES, np.float32),
        np.zeros(width, np.float32),
    )


@njit(nogil=True, cache=True)
def words_of(reach):
    """The words that a plan can hold: a whole number of sixes, and one more that is written but does not count."""
    return 2 * reach // SIX * SIX + SIX


# --- Steps. All arguments but turns, width and lr are addresses.


@njit(nogil=True, cache=True)
def step_path(words, path, labels, turns, width, lr, step, coming, coming_turns):
    """Take one gradient step with six words. Equivalent to `hierarchical.path_step`.

    words: addresses of the six rows. path: addresses of the nodes' rows. labels: the nodes' labels. step: a buffer of
    LANES floats per turn. coming: the path after this one, whose nodes are prefetched meanwhile. Returns the squares of
    the inner products, by lane, summed over the turns.
    """
    for k in range(0, turns, 2):
        other = min(k + 1, turns - 1)  # the last of an odd number is paired with itself
        x, y = dots_two(words, int64_at(path, k), int64_at(path, other), width)
        store(step, LANES * k, x)
        store(step, LANES * other, y)
    squares = zero()
    for k in range(turns):
        x = load(step, LANES * k)
        squares = fma(x, x, squares)
        error = fma(sigmoid(x), broadcast(-1.0), spread(labels, k))
        store(step, LANES * k, multiply(broadcast(lr), error))
    _update_six(words, path, turns, width, step, coming, coming_turns)
    return squares


@njit(nogil=True, cache=True)
def _update_six(words, path, turns, width, step, coming, coming_turns):
    """Move the six words and the nodes, eight columns at a time."""
    rows = six_rows(words)
    for i in range(0, width, LANES):
        if i % LINE == 0:
            for k in range(coming_turns):
                prefetch(int64_at(coming, k), i)
        v = load_six(rows, i)
        s = zero_six()
        for k in range(turns):
            s = push(int64_at(path, k), i, step + 4 * LANES * k, v, s)
        add_to_six(rows, i, s)


@njit(nogil=True, cache=True)
def step_path_of_one(v, path, labels, turns, width, lr, step, coming, coming_turns):
    """`step_path` for a single row v, taking eight nodes at a time. Equivalent to `hierarchical.path_step` of one word.

    Up to a multiple of LANES, the path continues with addresses of a row of zeros, and the labels with any numbers.
    """
    squares = zero()
    for k in range(0, turns, LANES):
        x = _dots_eight(v, path + 8 * k, width)
        squares = fma(x, x, squares)
        error = fma(sigmoid(x), broadcast(-1.0), load(labels, k))
        store(step, k, multiply(broadcast(lr), error))
    for i in range(0, width, LANES):
        if i % LINE == 0:
            for k in range(coming_turns):
                prefetch(int64_at(coming, k), i)
        x = load(v, i)
        share = zero()
        for k in range(turns):
            n = int64_at(path, k)
            v_n = load(n, i)
            g = spread(step, k)
            share = fma(g, v_n, share)
            store(n, i, fma(g, x, v_n))
        store(v, i, add(x, share))
    return squares


@njit(nogil=True, cache=True)
def _dots_eight(v, path, width):
    """v·v_n for the first eight nodes of a path."""
    n0, n1, n2, n3, n4, n5 = six_rows(path)
    n6 = int64_at(path, 6)
    n7 = int64_at(path, 7)
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


# --- Planning: the addresses of the rows that a step takes


class PathAddresses(NamedTuple):
    """The addresses of `TreePaths`, and of the rows that its nodes are."""

    starts: int
    nodes: int
    labels: int
    N: int
    row: int  # bytes from row to row
    padding: int


@njit(nogil=True, cache=True)
def path_addresses(paths, model, buffers):
    """Take the addresses. The nodes are the rows of model.C."""
    starts, nodes, labels = address(paths.starts), address(paths.nodes), address(paths.labels)
    return PathAddresses(starts, nodes, labels, address(model.C), 4 * model.stride, address(buffers.padding))


@njit(nogil=True, cache=True)
def plan_path(paths, c, plan):
    """Write to `plan` the addresses of the nodes on the path to c, then seven of padding. Returns the turns."""
    begin = int64_at(paths.starts, c)
    turns = int64_at(paths.starts, c + 1) - begin
    for k in range(turns):
        put_int64(plan, k, paths.N + paths.row * int32_at(paths.nodes, begin + k))
    for k in range(turns, turns + LANES - 1):
        put_int64(plan, k, paths.padding)
    return turns


@njit(nogil=True, cache=True)
def _plan_words(W, row, padding, kept, left, right, first, last, j, plan):
    """Write to `plan` the addresses of the words first..last-1 whose windows hold place j. Returns how many they are.

    Addresses of padding fill up the last six.
    """
    m = 0
    for i in range(first, last):
        put_int64(plan, m, W + row * int32_at(kept, i))
        m += (i != j) & (int32_at(left, i) <= j) & (j < int32_at(right, i))
    for b in range(m, -(-m // SIX) * SIX):
        put_int64(plan, b, padding)
    return m


# --- Training


@njit(nogil=True, cache=True)
def train_skipgram(model, buffers, segment, reach, paths, rates):
    """Train the pairs of a segment of text in the order of their contexts, six words a step, the rate falling.

    segment: kept, left and right of `deal_text.Survivors`. No window reaches further than `reach`. Each step is
    equivalent to `hierarchical.path_step`. Returns the number of pairs and the mean square of the inner products.
    """
    W, row, padding, step, width = (
        address(model.W),
        4 * model.stride,
        address(buffers.padding),
        address(buffers.step),
        model.width,
    )
    at, n = path_addresses(paths, model, buffers), len(segment.kept)
    plan, line, path_at = address(buffers.plan), 8 * buffers.plan.shape[1], 8 * words_of(reach)
    words, lefts, rights = address(segment.kept), address(segment.left), address(segment.right)
    pairs = turned = turns = 0
    squares = zero()
    if n > 0:
        turns = plan_path(at, int32_at(words, 0), plan + path_at)
    for j in range(n):
        this, coming = plan + line * (j % 2), plan + line * ((j + 1) % 2)
        first, last = max(0, j - reach), min(n, j + reach + 1)
        m = _plan_words(W, row, padding, words, lefts, rights, first, last, j, this)
        coming_turns = plan_path(at, int32_at(words, min(j + 1, n - 1)), coming + path_at)
        coming_word = W + row * int32_at(words, min(last, n - 1))
        for i in range(0, width, LINE):
            prefetch(coming_word, i)
        lr = rate_at(rates, j, n)
        labels = at.labels + 4 * int64_at(at.starts, int32_at(words, j))
        for six in range(0, m, SIX):
            ask = coming_turns if six == 0 else 0
            square = step_path(this + 8 * six, this + path_at, labels, turns, width, lr, step, coming + path_at, ask)
            squares = add(squares, square)
        if m % SIX:
            for i in range(0, width, LANES):
                store(padding, i, zero())
        pairs += m
        turned += m * turns
        turns = coming_turns
    store(step, 0, squares)
    return pairs, buffers.step[:SIX].sum() / max(1, turned)
