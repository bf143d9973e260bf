"""Hierarchical softmax, compiled: steps along the path to a context, or along half of it.

A step takes six words that predict the same context, so the nodes on the path come from memory once and are used six
times. See `six.py`.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import COLUMNS, njit
from pairloom.kernel.exponential import sigmoid
from pairloom.kernel.memory import address, int32_at, int64_at, prefetch, put_int64
from pairloom.kernel.simd import (
    LANES,
    add,
    broadcast,
    fma,
    load,
    load_like,
    load_wide,
    multiply,
    spread,
    spread_like,
    store,
    sums,
    zero,
    zero_wide,
)
from pairloom.kernel.steps.six import (
    LINE,
    add_to_six,
    dots_four_wide,
    dots_two,
    dots_two_wide,
    load_six_wide,
    push,
    six_rows,
    zero_six_wide,
)
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


def path_floats(turns: int) -> int:
    """Floats in the buffer of a step: LANES for each node, and room for a whole wide vector after the last."""
    return LANES * (turns + 3)


# --- Steps. All arguments but turns, width and lr are addresses.


@njit(nogil=True, cache=True)
def step_path(words, path, labels, turns, width, lr, step, coming, n_coming):
    """Take one gradient step with six words. Equivalent to `hierarchical.path_step`.

    words: addresses of the six rows. path: addresses of the nodes' rows. labels: the nodes' labels. step: a buffer of
    `path_floats(turns)` floats. coming: addresses of rows that are needed next, and are prefetched meanwhile. Returns
    the squares of the inner products, by lane, summed over the turns.
    """
    _dots(words, path, turns, width, step)
    squares = zero()
    for k in range(turns):
        x = load(step, LANES * k)
        squares = fma(x, x, squares)
    for i in range(0, LANES * turns, COLUMNS):
        store(step, i, sigmoid(load_wide(step, i)))
    for k in range(turns):
        error = fma(load(step, LANES * k), broadcast(-1.0), spread(labels, k))
        store(step, LANES * k, multiply(broadcast(lr), error))
    _update_six(words, path, turns, width, step, coming, n_coming)
    return squares


@njit(nogil=True, cache=True)
def _dots_eight(words, path, turns, width, dots):
    """v_b·v_n for the six words and every node, LANES for each node. The last two lanes mean nothing."""
    for k in range(0, turns, 2):
        other = min(k + 1, turns - 1)  # the last of an odd number is paired with itself
        x, y = dots_two(words, int64_at(path, k), int64_at(path, other), width)
        store(dots, LANES * k, x)
        store(dots, LANES * other, y)


@njit(nogil=True, cache=True)
def _dots_wide(words, path, turns, width, dots):
    """`_dots_eight` with wide registers, four nodes at a time."""
    k, last = 0, turns - 1
    while k + 2 < turns:
        three, four = int64_at(path, k + 2), int64_at(path, min(k + 3, last))
        x, y = dots_four_wide(words, int64_at(path, k), int64_at(path, k + 1), three, four, width)
        store(dots, LANES * k, x)
        store(dots, LANES * (k + 2), y)
        k += 4
    if k < turns:
        store(dots, LANES * k, dots_two_wide(words, int64_at(path, k), int64_at(path, min(k + 1, last)), width))


_dots = _dots_wide if COLUMNS > LANES else _dots_eight


@njit(nogil=True, cache=True)
def _update_six(words, path, turns, width, step, coming, n_coming):
    """Move the six words and the nodes, COLUMNS columns at a time."""
    rows = six_rows(words)
    for i in range(0, width, COLUMNS):
        if i % LINE == 0:
            for k in range(n_coming):
                prefetch(int64_at(coming, k), i)
        v = load_six_wide(rows, i)
        s = zero_six_wide()
        for k in range(turns):
            s = push(int64_at(path, k), i, step + 4 * LANES * k, v, s)
        add_to_six(rows, i, s)


@njit(nogil=True, cache=True)
def step_path_of_one(v, path, labels, turns, width, lr, step, coming, n_coming):
    """`step_path` for a single row v, taking eight nodes at a time. Equivalent to `hierarchical.path_step` of one word.

    Up to a multiple of LANES, the path continues with addresses of a row of zeros, and the labels with any numbers.
    """
    squares = zero()
    for k in range(0, turns, LANES):
        x = _dots_with_eight(v, path + 8 * k, width) if turns - k > 4 else _dots_with_four(v, path + 8 * k, width)
        squares = fma(x, x, squares)
        error = fma(sigmoid(x), broadcast(-1.0), load(labels, k))
        store(step, k, multiply(broadcast(lr), error))
    for i in range(0, width, COLUMNS):
        if i % LINE == 0:
            for k in range(n_coming):
                prefetch(int64_at(coming, k), i)
        x = load_wide(v, i)
        share = zero_wide()
        for k in range(turns):
            n = int64_at(path, k)
            v_n, g = load_like(x, n, i), spread_like(x, step, k)
            share = fma(g, v_n, share)
            store(n, i, fma(g, x, v_n))
        store(v, i, add(x, share))
    return squares


@njit(nogil=True, cache=True)
def _dots_with_four(v, path, width):
    """v·v_n for the first four nodes of a path, and four zeros."""
    n0, n1, n2, n3 = int64_at(path, 0), int64_at(path, 1), int64_at(path, 2), int64_at(path, 3)
    x0 = x1 = x2 = x3 = zero()
    for i in range(0, width, LANES):
        x = load(v, i)
        x0 = fma(x, load(n0, i), x0)
        x1 = fma(x, load(n1, i), x1)
        x2 = fma(x, load(n2, i), x2)
        x3 = fma(x, load(n3, i), x3)
    return sums(x0, x1, x2, x3, zero(), zero(), zero(), zero())


@njit(nogil=True, cache=True)
def _dots_with_eight(v, path, width):
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
