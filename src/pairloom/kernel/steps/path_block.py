"""Blocks of hierarchical softmax: pairs of words and halves of paths, gathered by their half and trained six at a time.

`pairs/halves.py` says what halves are.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import COLUMNS, njit
from pairloom.kernel.memory import address, int32_at, int64_at, put_int32, put_int64
from pairloom.kernel.simd import LANES, add, store, zero
from pairloom.kernel.steps.block import block_of, end_block, rates_of, take_block
from pairloom.kernel.steps.hierarchical import path_floats, step_path, step_path_of_one
from pairloom.kernel.steps.parts import copies_of, copy_hubs, row_address
from pairloom.kernel.steps.rates import rate_at
from pairloom.kernel.steps.six import SIX

WAITING = 8  # int32 for each half: the words of up to SIX waiting pairs, how many wait, and one that is unused
BATCH = 8  # int64 of a batch: the addresses of SIX words, the number of their half, and how many words there are
NO_DRAWS = np.uint64(0)  # in place of a key
HALF, SIZE = SIX, SIX + 1
FEW = 2  # words that share a half and take their steps one by one, rather than as a six with empty places


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
    begun: npt.NDArray[np.int32]  # halves in the order in which pairs began to wait
    path: npt.NDArray[np.int64]  # (2, turns and words): addresses of rows, for this batch and the next one
    step: npt.NDArray[np.float32]  # how far the nodes go: LANES for each
    padding: npt.NDArray[np.float32]  # a row of zeros, the word that fills up a six


def make_half_buffers(longest_block: int, halves: int, longest_half: int, width: int) -> HalfBuffers:
    """Buffers for blocks of up to `longest_block` pairs, whose part has `halves` halves, upper ones included."""
    return HalfBuffers(
        np.empty((longest_block + 1, BATCH), np.int64),
        np.zeros((halves, WAITING), np.int32),
        np.empty(longest_block + 1, np.int32),
        np.zeros((2, longest_half + LANES + SIX), np.int64),
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
    half.
    """
    W, row, bits = address(model.W), 4 * model.stride, block.bits
    words, halves = tables.words, tables.contexts
    w_slots, h_slots = words.ids.shape[1], halves.ids.shape[1]
    w_ids, h_ids = address(words.ids) + 4 * w_slots * block.i, address(halves.ids) + 4 * h_slots * block.j
    w_copies = copies_of(words, block.i, model.stride)
    pairs, waiting, begun = address(tables.pairs), address(buffers.waiting), address(buffers.begun)
    first = batch = address(buffers.plan)
    n_begun = 0
    for i in range(block.begin, block.end):
        pair = int64_at(pairs, i)
        slot = (pair & 0xFFFFFFFF) >> bits
        mine = waiting + 4 * WAITING * slot
        n = int32_at(mine, SIX)
        put_int32(begun, n_begun, slot)
        n_begun += n == 0
        put_int32(mine, n, pair >> (32 + bits))
        put_int32(mine, SIX, n + 1)
        if n + 1 == SIX:
            for b in range(SIX):
                put_int64(batch, b, row_address(W, w_copies, w_ids, int32_at(mine, b), w_slots, row))
            put_int64(batch, HALF, row_address(0, n_contexts, h_ids, slot, h_slots, 1))
            put_int64(batch, SIZE, SIX)
            put_int32(mine, SIX, 0)
            batch += 8 * BATCH
    for i in range(n_begun):
        slot = int32_at(begun, i)
        mine = waiting + 4 * WAITING * slot
        n = int32_at(mine, SIX)
        if n == 0:
            continue
        for b in range(SIX):
            w = row_address(W, w_copies, w_ids, int32_at(mine, b), w_slots, row) if b < n else address(buffers.padding)
            put_int64(batch, b, w)
        put_int64(batch, HALF, row_address(0, n_contexts, h_ids, slot, h_slots, 1))
        put_int64(batch, SIZE, n)
        put_int32(mine, SIX, 0)
        batch += 8 * BATCH
    return (batch - first) // (8 * BATCH)


@njit(nogil=True, cache=True)
def _descend(model, buffers, tables, block, paths, rates, batches):
    """Step with one batch after the other. Returns the mean square of the inner products."""
    width, step, padding = model.width, address(buffers.step), address(buffers.padding)
    copies, hubs = copies_of(tables.contexts, block.i, model.stride), len(tables.contexts.hubs)
    nodes, labels = address(paths.nodes), address(paths.labels)
    C, row, line = address(model.C), 4 * model.stride, 8 * buffers.path.shape[1]
    batch, coming = address(buffers.plan), address(buffers.path)
    squares, squares_of_few = zero(), zero()
    turned = 0
    turns = _plan(batch, paths, nodes, C, copies, hubs, row, padding, coming)
    for i in range(batches):
        this, coming = coming, address(buffers.path) + line * ((i + 1) % 2)
        half, n = int64_at(batch, HALF), int64_at(batch, SIZE)
        after = batch + 8 * BATCH * (i + 1 < batches)
        coming_turns = _plan(after, paths, nodes, C, copies, hubs, row, padding, coming)
        own, lr, ask = labels + 4 * paths.begin[half], rate_at(rates, i, batches), coming_turns + SIX
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
        turns, batch = coming_turns, after
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
