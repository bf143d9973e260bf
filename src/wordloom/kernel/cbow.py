"""CBOW, compiled: the mean of a window takes the step that a v_w of skip-gram takes, and hands it on to its words.

One window at a time, in the order of the text. (Six that share the drawn contexts, as in `block.py`, are half as fast
again; but here the six would stand side by side, and the analogies solved on Wikipedia fell from 25 to 21 %.)
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from wordloom.kernel.hierarchical import plan_way, step_way_of_one
from wordloom.kernel.rng import below, draw, lower
from wordloom.kernel.sgns import LINE
from wordloom.kernel.simd import LANES, add, address, broadcast, fma, load, multiply, prefetch, store, whole, zero

_F = np.float32


class Room(NamedTuple):
    """What a thread works with."""

    words: npt.NDArray[np.int64]  # addresses of the rows of a window
    plan: npt.NDArray[np.int64]  # (2, n): addresses of the rows that a window predicts, and that the coming one does
    step: npt.NDArray[np.float32]  # how far these rows go
    mean: npt.NDArray[np.float32]  # (2, width): the mean after a step, and as it was
    nobody: npt.NDArray[np.float32]  # a row of zeros, which fills up a plan


def make_room(reach: int, predicted: int, width: int) -> Room:
    """Room for windows that reach so far to either side, and so many rows that one predicts."""
    return Room(
        np.zeros(2 * reach + 1, np.int64),  # one more, which is written but does not count
        np.zeros((2, predicted + LANES), np.int64),
        np.zeros(predicted + LANES, np.float32),
        np.zeros((2, width), np.float32),
        np.zeros(width, np.float32),
    )


@njit(nogil=True, cache=True)
def _take_mean(model, room, kept, left, right, place):
    """Put the mean of the window at a place into room.mean, twice; gives the number of its words."""
    words, mean, before = address(room.words), address(room.mean), address(room.mean) + 4 * model.width
    m = 0
    for j in range(left[place], right[place]):
        room.words[m] = address(model.W) + 4 * model.stride * np.int64(kept[j])
        m += j != place
    share = broadcast(_F(1.0 / m))
    for i in range(0, model.width, LANES):
        x = load(whole(words, 0), i)
        for r in range(1, m):
            x = add(x, load(whole(words, r), i))
        x = multiply(x, share)
        store(mean, i, x)
        store(before, i, x)
    return m


@njit(nogil=True, cache=True)
def _hand_on(model, room, m, divide):
    """Move the m words of the window by the step that their mean took, each by its share if it is to be divided."""
    words, mean, before = address(room.words), address(room.mean), address(room.mean) + 4 * model.width
    minus, share = broadcast(_F(-1.0)), broadcast(_F(1.0 / m if divide else 1.0))
    for i in range(0, model.width, LANES):
        step = multiply(share, fma(load(before, i), minus, load(mean, i)))
        for r in range(m):
            row = whole(words, r)
            store(row, i, add(load(row, i), step))


@njit(nogil=True, cache=True)
def _ask(model, kept, j):
    """Ask for the row of the word at a place, if there is one."""
    row = address(model.W) + 4 * model.stride * np.int64(kept[min(j, len(kept) - 1)])
    for i in range(0, model.width, LINE):
        prefetch(row, i)


@njit(nogil=True, cache=True)
def _step(model, room, kept, left, right, place, labels, rows, divide, lr, line, coming_rows):
    """Step with the window at a place, which predicts the rows in a line of the plan; gives squares, by lane."""
    plan, size = address(room.plan), 8 * room.plan.shape[1]
    m = _take_mean(model, room, kept, left, right, place)
    squares = step_way_of_one(
        address(room.mean),
        plan + size * line,
        labels,
        rows,
        model.width,
        lr,
        address(room.step),
        plan + size * (1 - line),
        coming_rows,
    )
    _hand_on(model, room, m, divide)
    return squares


@njit(nogil=True, cache=True)
def _plan_drawn(model, noise, room, c, negatives, key, number, line):
    """Plan the rows of c and of the contexts drawn against it, but for c itself; gives how many."""
    C, row = address(model.C), 4 * model.stride
    room.plan[line, 0] = C + row * np.int64(c)
    rows = 1
    for k in range(negatives):
        bits = draw(key, number * negatives + k)
        slot = below(bits, len(noise.ids))
        one, two = noise.ids[slot], noise.other[slot]  # both, since guessing which would often fail
        drawn = one if lower(bits) < noise.cut[slot] else two
        room.plan[line, rows] = C + row * np.int64(drawn)
        rows += drawn != c
    for k in range(rows, rows + LANES - 1):
        room.plan[line, k] = address(room.nobody)
    return rows


@njit(nogil=True, cache=True)
def train_negative(model, noise, labels, room, places, kept, left, right, negatives, divide, key, lr_first, lr_last):
    """Descend on the windows at these places of a stretch of text, one after the other, the rate falling on the way.

    kept, left and right are those of `pairs.thin`; labels are 1, then zeros. Takes the steps of `cbow.negative_step`,
    with contexts drawn for each window. Gives how many windows, and the mean square of their inner products.
    """
    n, rows, squares = len(places), 0, zero()
    if n > 0:
        rows = _plan_drawn(model, noise, room, kept[places[0]], negatives, key, 0, 0)
    for i in range(n):
        coming = kept[places[min(i + 1, n - 1)]]
        coming_rows = _plan_drawn(model, noise, room, coming, negatives, key, i + 1, (i + 1) % 2)
        _ask(model, kept, right[places[i]])
        lr = lr_first + (lr_last - lr_first) * (i / n)
        square = _step(model, room, kept, left, right, places[i], address(labels), rows, divide, lr, i % 2, coming_rows)
        squares = add(squares, square)
        rows = coming_rows
    store(address(room.step), 0, squares)
    return n, room.step[:LANES].sum() / max(1, n)


@njit(nogil=True, cache=True)
def train_hierarchical(model, ways, room, places, kept, left, right, divide, lr_first, lr_last):
    """The same by hierarchical softmax: takes the steps of `cbow.hierarchical_step`."""
    N, row, nobody = address(model.C), 4 * model.stride, address(room.nobody)
    n, turned, turns, squares = len(places), 0, 0, zero()
    if n > 0:
        turns = plan_way(ways, kept[places[0]], N, row, nobody, room.plan, 0, 0)
    for i in range(n):
        coming = kept[places[min(i + 1, n - 1)]]
        coming_turns = plan_way(ways, coming, N, row, nobody, room.plan, (i + 1) % 2, 0)
        _ask(model, kept, right[places[i]])
        lr = lr_first + (lr_last - lr_first) * (i / n)
        labels = address(ways.labels) + 4 * ways.starts[kept[places[i]]]
        square = _step(model, room, kept, left, right, places[i], labels, turns, divide, lr, i % 2, coming_turns)
        squares = add(squares, square)
        turned += turns
        turns = coming_turns
    store(address(room.step), 0, squares)
    return n, room.step[:LANES].sum() / max(1, turned)
