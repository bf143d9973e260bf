"""CBOW, compiled: the mean of a window takes the step that a v_w of skip-gram takes, and hands it on to its words.

One window at a time, in the order of the text. (Six that share the drawn contexts, as in `block.py`, are half as fast
again; but here the six would stand side by side, and the analogies solved on Wikipedia fell from 25 to 21 %.)
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.rng import below, draw, lower
from pairloom.kernel.simd import (
    LANES,
    add,
    address,
    broadcast,
    fma,
    half,
    load,
    multiply,
    prefetch,
    put_whole,
    store,
    whole,
    zero,
)
from pairloom.kernel.steps.hierarchical import plan_way, step_way_of_one, tree_of
from pairloom.kernel.steps.sgns import LINE

_F = np.float32


class WindowBuffers(NamedTuple):
    """What a thread works with."""

    words: npt.NDArray[np.int64]  # addresses of the rows of a window
    plan: npt.NDArray[np.int64]  # (2, n): addresses of the rows that a window predicts, and that the coming one does
    step: npt.NDArray[np.float32]  # how far these rows go
    mean: npt.NDArray[np.float32]  # (2, width): the mean after a step, and as it was
    nobody: npt.NDArray[np.float32]  # a row of zeros, which fills up a plan


def make_room(reach: int, predicted: int, width: int) -> WindowBuffers:
    """Room for windows that reach so far to either side, and so many rows that one predicts."""
    return WindowBuffers(
        np.zeros(2 * reach + 1, np.int64),  # one more, which is written but does not count
        np.zeros((2, predicted + LANES), np.int64),
        np.zeros(predicted + LANES, np.float32),
        np.zeros((2, width), np.float32),
        np.zeros(width, np.float32),
    )


class _At(NamedTuple):
    """Addresses. An array that is handed from function to function, several times a window, would double the time."""

    W: int
    C: int
    row: int  # bytes from row to row
    width: int
    kept: int
    last: int  # of kept, not an address
    left: int
    right: int
    words: int
    mean: int
    before: int
    step: int
    nobody: int


@njit(nogil=True, cache=True)
def _addresses(model, room, kept, left, right):
    return _At(
        address(model.W),
        address(model.C),
        4 * model.stride,
        model.width,
        address(kept),
        len(kept) - 1,
        address(left),
        address(right),
        address(room.words),
        address(room.mean),
        address(room.mean) + 4 * model.width,
        address(room.step),
        address(room.nobody),
    )


@njit(nogil=True, cache=True)
def _take_mean(at, place):
    """Take the mean of the window at a place, twice; gives the number of its words."""
    m = 0
    for j in range(half(at.left, place), half(at.right, place)):
        put_whole(at.words, m, at.W + at.row * half(at.kept, j))
        m += j != place
    share = broadcast(_F(1.0 / m))
    for i in range(0, at.width, LANES):
        x = load(whole(at.words, 0), i)
        for r in range(1, m):
            x = add(x, load(whole(at.words, r), i))
        x = multiply(x, share)
        store(at.mean, i, x)
        store(at.before, i, x)
    return m


@njit(nogil=True, cache=True)
def _hand_on(at, m, divide):
    """Move the m words of the window by the step that their mean took, each by its share if it is to be divided."""
    minus, share = broadcast(_F(-1.0)), broadcast(_F(1.0 / m if divide else 1.0))
    for i in range(0, at.width, LANES):
        step = multiply(share, fma(load(at.before, i), minus, load(at.mean, i)))
        for r in range(m):
            row = whole(at.words, r)
            store(row, i, add(load(row, i), step))


@njit(nogil=True, cache=True)
def _step(at, place, plan, labels, rows, divide, lr, coming, coming_rows):
    """Step with the window at a place, which predicts the rows of a plan; gives squares, by lane.

    Meanwhile ask for the rows of the coming plan, and for the next word that windows will come to.
    """
    next_word = at.W + at.row * half(at.kept, min(half(at.right, place), at.last))
    for i in range(0, at.width, LINE):
        prefetch(next_word, i)
    m = _take_mean(at, place)
    squares = step_way_of_one(at.mean, plan, labels, rows, at.width, lr, at.step, coming, coming_rows)
    _hand_on(at, m, divide)
    return squares


class _Alias(NamedTuple):
    """Addresses of a `block.Noise` of one part, and its length."""

    ids: int
    cut: int
    other: int
    n: int


@njit(nogil=True, cache=True)
def _plan_drawn(at, noise, c, negatives, key, number, plan):
    """Plan the rows of c and of the contexts drawn against it, but for c itself; gives how many."""
    put_whole(plan, 0, at.C + at.row * c)
    rows = 1
    for k in range(negatives):
        bits = draw(key, number * negatives + k)
        slot = below(bits, noise.n)
        one, two = half(noise.ids, slot), half(noise.other, slot)  # both, since guessing which would often fail
        drawn = one if np.int64(lower(bits)) < whole(noise.cut, slot) else two
        put_whole(plan, rows, at.C + at.row * drawn)
        rows += drawn != c
    for k in range(rows, rows + LANES - 1):
        put_whole(plan, k, at.nobody)
    return rows


@njit(nogil=True, cache=True)
def train_negative(model, noise, labels, room, places, kept, left, right, negatives, divide, key, lr_first, lr_last):
    """Descend on the windows at these places of a stretch of text, one after the other, the rate falling on the way.

    kept, left and right are those of `pairs.thin`; labels are 1, then zeros. Takes the steps of `cbow.negative_step`,
    with contexts drawn for each window. Gives how many windows, and the mean square of their inner products.
    """
    at = _addresses(model, room, kept, left, right)
    alias = _Alias(address(noise.ids), address(noise.cut), address(noise.other), len(noise.ids))
    plan, line, where, label = address(room.plan), 8 * room.plan.shape[1], address(places), address(labels)
    n, rows, squares = len(places), 0, zero()
    if n > 0:
        rows = _plan_drawn(at, alias, half(at.kept, half(where, 0)), negatives, key, 0, plan)
    for i in range(n):
        here, there = plan + line * (i % 2), plan + line * ((i + 1) % 2)
        coming = half(at.kept, half(where, min(i + 1, n - 1)))
        coming_rows = _plan_drawn(at, alias, coming, negatives, key, i + 1, there)
        lr = lr_first + (lr_last - lr_first) * (i / n)
        squares = add(squares, _step(at, half(where, i), here, label, rows, divide, lr, there, coming_rows))
        rows = coming_rows
    store(at.step, 0, squares)
    return n, room.step[:LANES].sum() / max(1, n)


@njit(nogil=True, cache=True)
def train_hierarchical(model, ways, room, places, kept, left, right, divide, lr_first, lr_last):
    """The same by hierarchical softmax: takes the steps of `cbow.hierarchical_step`."""
    at, tree = _addresses(model, room, kept, left, right), tree_of(ways, model, room)
    plan, line, where = address(room.plan), 8 * room.plan.shape[1], address(places)
    n, turned, turns, squares = len(places), 0, 0, zero()
    if n > 0:
        turns = plan_way(tree, half(at.kept, half(where, 0)), plan)
    for i in range(n):
        here, there = plan + line * (i % 2), plan + line * ((i + 1) % 2)
        coming_turns = plan_way(tree, half(at.kept, half(where, min(i + 1, n - 1))), there)
        labels = tree.labels + 4 * whole(tree.starts, half(at.kept, half(where, i)))
        lr = lr_first + (lr_last - lr_first) * (i / n)
        squares = add(squares, _step(at, half(where, i), here, labels, turns, divide, lr, there, coming_turns))
        turned += turns
        turns = coming_turns
    store(at.step, 0, squares)
    return n, room.step[:LANES].sum() / max(1, turned)
