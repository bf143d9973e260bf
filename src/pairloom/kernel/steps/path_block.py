"""Blocks of hierarchical softmax: pairs of words and halves of paths, gathered by their half and trained six at a time.

`pairs/halves.py` says what halves are.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import COLUMNS, njit
from pairloom.kernel.memory import (
    address,
    eight_at,
    int32_at,
    int64_at,
    put_eight,
    put_int32,
    put_int64,
    trailing_zeros,
)
from pairloom.kernel.simd import LANES, add, store, zero
from pairloom.kernel.steps.block import block_of, end_block, rates_of, take_block
from pairloom.kernel.steps.hierarchical import path_floats, step_path, step_path_of_one
from pairloom.kernel.steps.parts import copies_of, copy_hubs, row_address
from pairloom.kernel.steps.rates import rate_at
from pairloom.kernel.steps.six import SIX

WAITING = 8  # int32 for each half: the words of up to SIX waiting pairs, how many wait, and one that is unused
BATCH = 8  # int64 of a batch: the addresses of SIX words, the number of their half, and how many words there are
NO_DRAWS = np.uint64(0)  # in place of a key
AHEAD = 2  # batches: how early rows are prefetched
HALF, SIZE = SIX, SIX + 1
FEW = 2  # words that share a half and take their steps one by one, rather than as a six with empty places
_ONE = np.uint64(1)


class HalfPaths(NamedTuple):
    """`halves.Halves` for kernels. label = 1 - bit, as in `hierarchical.TreePaths`."""

    begin: npt.NDArray[np.int64]
    turns: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int32]
    labels: npt.NDArray[np.float32]
    n_contexts: int  # the first upper half has this number


class HalfBuffers(NamedTuple):
    """The memory in which one thread trains blocks."""

    plan: npt.NDArray[np.int64]  # (batches of a block, BATCH)
    waiting: npt.NDArray[np.int32]  # (halves of a part, WAITING): words of pairs that wait for others of their half
    begun: npt.NDArray[np.uint64]  # a bit for each half: whether pairs of it have waited
    path: npt.NDArray[np.int64]  # (AHEAD + 1, words and turns): the rows of this batch and of those that come next
    step: npt.NDArray[np.float32]  # how far the nodes go: LANES for each
    padding: npt.NDArray[np.float32]  # a row of zeros, the word that fills up a six


def make_half_buffers(longest_block: int, halves: int, longest_half: int, width: int) -> HalfBuffers:
    """Buffers for blocks of up to `longest_block` pairs, whose part has `halves` halves, upper ones included."""
    return HalfBuffers(
        np.empty((longest_block + 1, BATCH), np.int64),
        np.zeros((halves, WAITING), np.int32),
        np.zeros(-(-halves // 64), np.uint64),
        np.zeros((AHEAD + 1, longest_half + LANES + SIX), np.int64),
        np.zeros(path_floats(longest_half), np.float32),
        np.zeros(-(-width // COLUMNS) * COLUMNS, np.float32),
    )


@njit(nogil=True, cache=True)
def train_path_steps(model, buffers, tables, steps, merging, rates, paths):
    """`block.train_steps` for hierarchical softmax. paths: `HalfPaths`."""
    worst = 0.0
    for _ in range(steps.most):
        number = take_block(steps)
        if number < 0:
            break
        block = block_of(number, steps, tables, NO_DRAWS)
        square = _train_block(model, buffers, tables, block, paths, rates_of(number, steps, rates))
        worst = np.maximum(worst, square)  # NaN if either is
        end_block(number, model, tables, steps, merging, rates)
    return worst


@njit(nogil=True, cache=True)
def _train_block(model, buffers, tables, block, paths, rates):
    """Train the pairs of a block, the rate falling from first to last.

    Each batch is equivalent to `hierarchical.path_step` on the nodes of its half. Returns the mean square of the inner
    products.
    """
    batches = _gather(model, buffers, tables, block, paths.n_contexts)
    copy_hubs(model.W, tables.words, block.i, model.stride, model.width)
    copy_hubs(model.C, tables.contexts, block.i, model.stride, model.width)
    return _descend(model, buffers, tables, block, paths, rates, batches) if batches else 0.0


@njit(nogil=True, cache=True)
def _gather(model, buffers, tables, block, n_contexts):
    """Make batches of the pairs of a block, in buffers.plan. Returns their number.

    A six forms, and takes its place, when the sixth pair of its half comes. The pairs left at the end follow, half by
    half, from left to right in the tree: neighbours there share nodes, which are then still in the cache.
    """
    words, halves, bits = tables.words, tables.contexts, block.bits
    w_slots, h_slots = words.ids.shape[1], halves.ids.shape[1]
    w_ids, h_ids = address(words.ids) + 4 * w_slots * block.i, address(halves.ids) + 4 * h_slots * block.j
    w_copies, row = copies_of(words, block.i, model.stride), 4 * model.stride
    rows = _WordRows(address(model.W), w_copies, w_ids, w_slots, row, address(buffers.padding))
    pairs, waiting, begun = address(tables.pairs), address(buffers.waiting), address(buffers.begun)
    first = batch = address(buffers.plan)
    for i in range(block.begin, block.end):
        pair = int64_at(pairs, i)
        slot = (pair & 0xFFFFFFFF) >> bits
        mine, eight = waiting + 4 * WAITING * slot, begun + 8 * (slot >> 6)
        n = int32_at(mine, SIX)
        put_eight(eight, eight_at(eight) | (_ONE << np.uint64(slot & 63)))
        put_int32(mine, n, pair >> (32 + bits))
        put_int32(mine, SIX, n + 1)
        if n + 1 == SIX:
            _put_batch(batch, mine, SIX, row_address(0, n_contexts, h_ids, slot, h_slots, 1), rows)
            batch += 8 * BATCH
    for i in range(len(buffers.begun)):
        some, buffers.begun[i] = buffers.begun[i], 0
        while some != 0:
            slot = 64 * i + trailing_zeros(some)
            some &= some - _ONE
            mine = waiting + 4 * WAITING * slot
            n = int32_at(mine, SIX)
            if n:
                _put_batch(batch, mine, n, row_address(0, n_contexts, h_ids, slot, h_slots, 1), rows)
                batch += 8 * BATCH
    return (batch - first) // (8 * BATCH)


class _WordRows(NamedTuple):
    """What `row_address` takes for the words of a block, and the address of a row of zeros."""

    W: int
    copies: int
    ids: int
    slots: int
    row: int
    padding: int


@njit(nogil=True, cache=True, inline="always")
def _put_batch(batch, mine, n, half, rows):
    """Make a batch of the n words that wait for others of a half. They no longer wait."""
    for b in range(n):
        put_int64(batch, b, row_address(rows.W, rows.copies, rows.ids, int32_at(mine, b), rows.slots, rows.row))
    for b in range(n, SIX):
        put_int64(batch, b, rows.padding)
    put_int64(batch, HALF, half)
    put_int64(batch, SIZE, n)
    put_int32(mine, SIX, 0)


@njit(nogil=True, cache=True)
def _descend(model, buffers, tables, block, paths, rates, batches):
    """Step with one batch after the other. Returns the mean square of the inner products."""
    width, step, padding = model.width, address(buffers.step), address(buffers.padding)
    copies, hubs = copies_of(tables.contexts, block.i, model.stride), len(tables.contexts.hubs)
    nodes, labels = address(paths.nodes), address(paths.labels)
    C, row, line = address(model.C), 4 * model.stride, 8 * buffers.path.shape[1]
    batch, first = address(buffers.plan), address(buffers.path)
    squares, squares_of_few = zero(), zero()
    turned = 0
    for i in range(min(AHEAD, batches)):
        _plan(batch + 8 * BATCH * i, paths, nodes, C, copies, hubs, row, padding, first + line * i)
    for i in range(batches):
        this, coming, ask = first + line * (i % (AHEAD + 1)), first + line * ((i + AHEAD) % (AHEAD + 1)), 0
        if i + AHEAD < batches:
            ask = SIX + _plan(batch + 8 * BATCH * AHEAD, paths, nodes, C, copies, hubs, row, padding, coming)
        half, n = int64_at(batch, HALF), int64_at(batch, SIZE)
        turns, own, lr = paths.turns[half], labels + 4 * paths.begin[half], rate_at(rates, i, batches)
        if n > FEW:
            squares = add(squares, step_path(this, this + 8 * SIX, own, turns, width, lr, step, coming, ask))
            if n < SIX:
                for x in range(0, width, LANES):
                    store(padding, x, zero())
        else:
            for b in range(n):
                w = int64_at(batch, b)
                square = step_path_of_one(w, this + 8 * SIX, own, turns, width, lr, step, coming, ask)
                squares_of_few = add(squares_of_few, square)
                ask = 0
        turned += n * turns
        batch += 8 * BATCH
    store(step, 0, squares)
    total = 0.0
    for b in range(SIX):
        total += buffers.step[b]
    store(step, 0, squares_of_few)
    for b in range(LANES):
        total += buffers.step[b]
    return total / max(1, turned)


@njit(nogil=True, cache=True)
def _plan(batch, paths, nodes, C, copies, hubs, row, padding, plan):
    """Write to `plan` the addresses of a batch's words and nodes, then seven of padding. Returns the turns."""
    half = int64_at(batch, HALF)
    begin, turns = paths.begin[half], paths.turns[half]
    for b in range(SIX):
        put_int64(plan, b, int64_at(batch, b))
    for k in range(turns):
        node = int32_at(nodes, begin + k)
        put_int64(plan, SIX + k, (copies if node < hubs else C) + row * node)
    for k in range(turns, turns + LANES - 1):
        put_int64(plan, SIX + k, padding)
    return turns
