"""The rows of a matrix in a round: those of its parts, and those of its hubs, of which every block has a copy.

A *label* says where a row is in a round: slot * P + part, where the slots 0, 1, ... of a part are its own rows, and the
slots after these are the hubs, in every part the same. (`pairs/parts.py` deals the labels.)
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.alias import alias_table
from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, int32_at
from pairloom.kernel.simd import LANES, add, broadcast, fma, load, store


class PartRows(NamedTuple):
    """One matrix in a round."""

    ids: npt.NDArray[np.int32]  # (P, slots): the row of each slot of a part, 0 if it has none
    hubs: npt.NDArray[np.int32]  # the rows of the hubs
    copies: npt.NDArray[np.float32]  # flat (P, hubs, stride): the hubs' copies of block row i


class PartNoise(NamedTuple):
    """An alias table for each part, over its slots and the hubs, and the `objective.NoiseWeights`."""

    cut: npt.NDArray[np.uint64]  # (P, slots + hubs)
    other: npt.NDArray[np.int32]
    drawn: npt.NDArray[np.float32]  # (P,)
    together: float


@njit(nogil=True, cache=True)
def fill_ids(labels, ids):
    """Write the row of every label to ids[part, slot]. Labels of hubs are larger, and -1 is none."""
    parts, n = ids.shape[0], ids.size
    for row in range(len(labels)):
        if 0 <= labels[row] < n:
            ids[labels[row] % parts, labels[row] // parts] = row


@njit(nogil=True, cache=True)
def fill_noise(probability, ids, hubs, noise):
    """Fill the tables of a `PartNoise`. The last slot of a part may have no row. It is never drawn."""
    parts, slots = ids.shape
    mass, n = np.empty(slots + len(hubs)), len(probability) - len(hubs)
    for part in range(parts):
        total = 0.0
        for slot in range(len(mass)):
            if slot >= slots:
                mass[slot] = probability[hubs[slot - slots]]
            else:
                mass[slot] = probability[ids[part, slot]] / noise.together if slot * parts + part < n else 0.0
            total += mass[slot]
        noise.drawn[part] = total
        if total > 0.0:
            alias_table(mass / total, noise.cut[part], noise.other[part])
        else:  # nothing to draw: steps with slot 0 count 0
            noise.cut[part], noise.other[part] = 0, 0


# --- Hubs


@njit(nogil=True, cache=True, inline="always")
def copies_of(rows, i, stride):
    """The address of the copies that block row i has of the hubs."""
    return address(rows.copies) + 4 * stride * len(rows.hubs) * i


@njit(nogil=True, cache=True)
def copy_hubs(matrix, rows, i, stride, width):
    """Copy the hubs' rows for block row i."""
    copies = copies_of(rows, i, stride)
    for h in range(len(rows.hubs)):
        row = address(matrix) + 4 * stride * np.int64(rows.hubs[h])
        for x in range(0, width, LANES):
            store(copies + 4 * stride * h, x, load(row, x))


class Merging(NamedTuple):
    """What the merging of hubs needs to know (`hubs.merge_share`)."""

    sampled_words: npt.NDArray[np.int64]  # rows whose mean v·v stands for that of all
    sampled_contexts: npt.NDArray[np.int64]
    word_steps: npt.NDArray[np.float64]  # the steps of each hub in a block
    context_steps: npt.NDArray[np.float64]
    curvature: float


@njit(nogil=True, cache=True, inline="always")
def merge(model, words, contexts, merging, parts, lr):
    """Merge the copies of all hubs after a step. words, contexts: `PartRows`."""
    if len(words.hubs) == 0 and len(contexts.hubs) == 0:
        return
    stride, width = model.stride, model.width
    w_square = mean_square_length(model.W, merging.sampled_words, stride, width)
    c_square = mean_square_length(model.C, merging.sampled_contexts, stride, width)
    merge_hubs(model.W, words, parts, stride, width, merging.word_steps, lr * merging.curvature * c_square)
    merge_hubs(model.C, contexts, parts, stride, width, merging.context_steps, lr * merging.curvature * w_square)


@njit(nogil=True, cache=True)
def merge_hubs(matrix, rows, parts, stride, width, steps, pull):
    """Move each hub by a share of the sum of its copies' steps. Equivalent to `hubs.merged` for each of them.

    The share is `hubs.merge_share` for x = steps[h] * pull.
    """
    add_up(matrix, rows, 0, parts, stride, width)
    move_hubs(matrix, rows, parts, stride, width, steps, pull)


@njit(nogil=True, cache=True)
def add_up(matrix, rows, first, n, stride, width):
    """Add up the steps copy - v of n copies, from number `first` on, in place of the first of them.

    n is a power of two. They are added in pairs, the sums in pairs again, and so on, so that each of several workers
    can add up its own copies, with the same bits.
    """
    apart = 4 * stride * len(rows.hubs)
    for h in range(len(rows.hubs)):
        row = address(matrix) + 4 * stride * np.int64(rows.hubs[h])
        copies = copies_of(rows, first, stride) + 4 * stride * h
        for column in range(0, width, LANES):
            v, span = load(row, column), 1
            if n >= 8:
                for i in range(0, n, 8):
                    store(copies + apart * i, column, _steps_of_eight(copies + apart * i, apart, column, v))
                span = 8
            else:
                for i in range(n):
                    store(copies + apart * i, column, _step(copies + apart * i, column, v))
            while span < n:
                for i in range(0, n, 2 * span):
                    both = add(load(copies + apart * i, column), load(copies + apart * (i + span), column))
                    store(copies + apart * i, column, both)
                span *= 2


@njit(nogil=True, cache=True)
def _step(copy, column, v):
    return fma(v, broadcast(-1.0), load(copy, column))


@njit(nogil=True, cache=True)
def _steps_of_eight(copy, apart, column, v):
    one = add(_step(copy, column, v), _step(copy + apart, column, v))
    two = add(_step(copy + 2 * apart, column, v), _step(copy + 3 * apart, column, v))
    three = add(_step(copy + 4 * apart, column, v), _step(copy + 5 * apart, column, v))
    four = add(_step(copy + 6 * apart, column, v), _step(copy + 7 * apart, column, v))
    return add(add(one, two), add(three, four))


@njit(nogil=True, cache=True)
def move_hubs(matrix, rows, parts, stride, width, steps, pull):
    """Move each hub by a share of the sum that `add_up` left in its first copy."""
    for h in range(len(rows.hubs)):
        x = steps[h] * pull
        share = broadcast((1.0 + x) / (1.0 + parts * x))
        row = address(matrix) + 4 * stride * np.int64(rows.hubs[h])
        total = copies_of(rows, 0, stride) + 4 * stride * h
        for column in range(0, width, LANES):
            store(row, column, fma(share, load(total, column), load(row, column)))


@njit(nogil=True, cache=True)
def mean_square_length(matrix, rows, stride, width):
    """The mean of v·v over some rows, added in their order: the order in which NumPy adds depends on the CPU."""
    total = 0.0
    for row in rows:
        total += square_length(matrix, row, stride, width)
    return total / len(rows)


@njit(nogil=True, cache=True)
def square_length(matrix, row, stride, width):
    """v·v of a row, in float64."""
    total = 0.0
    for x in range(row * stride, row * stride + width):
        total += np.float64(matrix[x]) * np.float64(matrix[x])
    return total


@njit(nogil=True, cache=True)
def square_lengths(matrix, number, rows, stride, width, squares):
    """Write v·v of each row to squares[number]."""
    for i in range(len(rows)):
        squares[number[i]] = square_length(matrix, rows[i], stride, width)


@njit(nogil=True, cache=True, inline="always")
def row_address(matrix, copies, ids, slot, slots, row_bytes):
    """The address of the row in a slot. matrix, copies, ids are addresses: of row 0, of hub 0, of the part's ids."""
    return copies + row_bytes * (slot - slots) if slot >= slots else matrix + row_bytes * int32_at(ids, slot)
