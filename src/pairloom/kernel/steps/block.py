"""A block's pairs, gathered into batches of six and trained one batch after the other."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import COLUMNS, njit
from pairloom.kernel.memory import (
    address,
    give_way,
    int32_at,
    int64_at,
    number_now,
    put_int32,
    put_int64,
    take_number,
)
from pairloom.kernel.rng import below, derive, draw, lower
from pairloom.kernel.simd import LANES, add, store, zero
from pairloom.kernel.steps.parts import PartNoise, PartRows, copies_of, copy_hubs, merge, row_address
from pairloom.kernel.steps.rates import Rates, rate_at
from pairloom.kernel.steps.sgns import DRAWN, LAST_OWN, OWN, DrawWeights, step_batch, step_floats, step_frozen
from pairloom.kernel.steps.six import SIX

AHEAD = 2  # batches: how early rows are prefetched. 1 is 4 % slower at dim 100 and with a million words, 4 by 1 %
WAITING = 8  # int32 for each context: the words of up to SIX waiting pairs, how many wait, and one that is unused

# Functions with inline="always" become part of their callers before these are compiled. All others are compiled by
# themselves, and then once more within each function above them: here, that took 3 of 17 s at the first start.


class RoundTables(NamedTuple):
    """The pairs of a round and what they are trained with.

    A pair is label of w * 2^32 + label of c (`parts.py`). Those of block b are pairs[starts[b] : starts[b + 1]].
    """

    pairs: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    words: PartRows
    contexts: PartRows
    noise: PartNoise | None  # None in hierarchical softmax


class Steps(NamedTuple):
    """The steps of a round that are not trained yet, up to step `last` - 1, and what the threads share.

    Step s trains the blocks (i, (i + s) mod P), which share no row. Blocks are numbered s * P + i.
    """

    parts: int
    last: int
    progress: npt.NDArray[np.int64]  # at 0 the next block, at 8 the blocks done, at 16 the steps merged
    most: int  # blocks that one call trains


class Block(NamedTuple):
    """A block of a round: the pairs begin..end-1, of words in part i and contexts in part j, out of 2^bits parts."""

    i: int
    j: int
    begin: int
    end: int
    bits: int
    key: np.uint64  # of its draws


class Descent(NamedTuple):
    """How the pairs of a round are trained."""

    negatives: int
    key: np.uint64  # of the draws
    rates: npt.NDArray[np.float64]  # (P + 1,): at the beginnings of all steps, and at the end of the last


class BlockBuffers(NamedTuple):
    """The memory in which one thread trains blocks."""

    plan: npt.NDArray[np.int64]  # (batches of a block and one more, DRAWN + negatives)
    waiting: npt.NDArray[
        np.int32
    ]  # (contexts of a part, WAITING): words of pairs that wait for others of their context
    begun: npt.NDArray[np.int32]  # contexts in the order in which pairs began to wait
    step: npt.NDArray[np.float32]  # how far the rows of a batch go: LANES for its own contexts and for each drawn one
    padding: npt.NDArray[np.float32]  # two rows of zeros, the pair that fills up a block's last batch


def make_buffers(negatives: int, longest: int, contexts: int, width: int) -> BlockBuffers:
    """Buffers for blocks of up to `longest` pairs, whose part has `contexts` contexts, hubs included."""
    wide = -(-width // COLUMNS) * COLUMNS
    return BlockBuffers(
        np.empty((longest // SIX + 2, DRAWN + negatives), np.int64),
        np.zeros((contexts, WAITING), np.int32),
        np.empty(longest + 1, np.int32),
        np.empty(step_floats(negatives), np.float32),
        np.zeros((2, wide), np.float32),
    )


def begin_steps(parts: int, first: int) -> npt.NDArray[np.int64]:
    """The `Steps.progress` of a round of which step `first` is next. Its numbers are in cache lines of their own."""
    progress = np.zeros(24, np.int64)
    progress[[0, 8, 16]] = first * parts, first * parts, first
    return progress


@njit(nogil=True, cache=True)
def train_steps(model, buffers, tables, steps, merging, descent, frozen=None):
    """Train blocks, one after the other, as long as there are any left. Any number of threads may do so at once.

    Returns the largest mean square of `train_block`, or NaN if one is NaN.
    """
    worst = 0.0
    for _ in range(steps.most):
        number = take_block(steps)
        if number < 0:
            break
        block, rates = block_of(number, steps, tables, descent.key), rates_of(number, steps, descent.rates)
        square = train_block(model, buffers, tables, block, descent.negatives, rates, frozen)
        worst = np.maximum(worst, square)  # NaN if either is
        end_block(number, model, tables, steps, merging, descent.rates)
    return worst


@njit(nogil=True, cache=True, inline="always")
def take_block(steps):
    """The number of the next block, step * P + i, or -1 if there is none left.

    A block waits until the step before its own is done. This cannot deadlock: every earlier block is done, or a
    running thread is training it.
    """
    taken = address(steps.progress)
    number = take_number(taken)
    if number >= steps.last * steps.parts:
        return -1
    while number_now(taken + 128) < number // steps.parts:
        give_way()
    return number


@njit(nogil=True, cache=True, inline="always")
def block_of(number, steps, tables, key):
    """The block with this number."""
    parts, bits = steps.parts, 0
    while 1 << bits < parts:
        bits += 1
    i = number % parts
    j = (i + number // parts) % parts
    at = i * parts + j
    return Block(i, j, tables.starts[at], tables.starts[at + 1], bits, derive(key, at))


@njit(nogil=True, cache=True, inline="always")
def rates_of(number, steps, rates):
    """The learning rates at the beginning and the end of a block. rates: `Descent.rates`."""
    step = number // steps.parts
    return Rates(rates[step], rates[step + 1])


@njit(nogil=True, cache=True, inline="always")
def end_block(number, model, tables, steps, merging, rates):
    """Count a block that is trained. The thread that ends a step merges the hubs' copies."""
    step, taken = number // steps.parts, address(steps.progress)
    if take_number(taken + 64) + 1 == (step + 1) * steps.parts:
        merge(model, tables.words, tables.contexts, merging, steps.parts, rates[step])
        take_number(taken + 128)


@njit(nogil=True, cache=True, inline="always")
def train_block(model, buffers, tables, block, negatives, rates, frozen=None):
    """Train the pairs of a block in batches of six, the rate falling from first to last.

    frozen: WORDS or CONTEXTS if these do not move. For None, Numba does not compile `_descend_frozen`, which would take
    seconds. Returns the mean square of the pairs' inner products.
    """
    sixes = prepare_block(model, buffers, tables, block, negatives)
    return descend_block(model, buffers, tables, block, negatives, sixes, rates, frozen)


@njit(nogil=True, cache=True, inline="always")
def prepare_block(model, buffers, tables, block, negatives):
    """Make the batches of a block and draw their negatives, in buffers.plan. Returns the number of sixes.

    That takes no vectors, only their addresses.
    """
    sixes = gather(model, buffers, tables, block)
    draw_noise(model, tables, block, negatives, buffers.plan, _batches(block))
    return sixes


@njit(nogil=True, cache=True, inline="always")
def _batches(block):
    return (block.end - block.begin + SIX - 1) // SIX


@njit(nogil=True, cache=True, inline="always")
def descend_block(model, buffers, tables, block, negatives, sixes, rates, frozen=None):
    """Train a prepared block, beginning with copies of the hubs as they are now."""
    n, batches = block.end - block.begin, _batches(block)
    copy_hubs(model.W, tables.words, block.i, model.stride, model.width)
    copy_hubs(model.C, tables.contexts, block.i, model.stride, model.width)
    if n == 0:
        return 0.0
    weights = _weights(tables, block, model.stride)
    if frozen is None:
        squares = _descend(model, buffers, batches, sixes, negatives, rates, weights)
    else:
        squares = _descend_frozen(model, buffers, batches, sixes, negatives, rates, weights, frozen)
    for i in range(0, model.width, LANES):
        store(address(buffers.padding), i, zero())
    store(address(buffers.step), 0, squares)
    total = 0.0
    for b in range(SIX):
        total += buffers.step[b]
    return total / n


@njit(nogil=True, cache=True, inline="always")
def _weights(tables, block, stride):
    noise, contexts = tables.noise, tables.contexts
    copies, end = copies_of(contexts, block.i, stride), copies_of(contexts, block.i + 1, stride)
    return DrawWeights(np.float64(noise.drawn[block.j]), noise.together, copies, end)


@njit(nogil=True, cache=True)
def gather(model, buffers, tables, block):
    """Make batches of the pairs of a block, in buffers.plan, sixes first. Returns the number of sixes.

    A six forms, and takes its place, when the sixth pair of its context comes, so corpus order is kept. The pairs left
    at the end follow context by context. `waiting` has a row for each slot of the block's contexts.
    """
    W, C, row = address(model.W), address(model.C), 4 * model.stride
    w_ids, w_slots, w_copies = _part(tables.words, block.i, block.i, model.stride)
    c_ids, c_slots, c_copies = _part(tables.contexts, block.j, block.i, model.stride)
    plan, size = address(buffers.plan), 8 * buffers.plan.shape[1]
    pairs, waiting, begun = address(tables.pairs), address(buffers.waiting), address(buffers.begun)
    padding, bits = address(buffers.padding), block.bits
    batch, n_begun = plan, 0
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
            put_int64(batch, LAST_OWN, row_address(C, c_copies, c_ids, slot, c_slots, row))
            put_int32(mine, SIX, 0)
            batch += size
    sixes, b = (batch - plan) // size, 0
    for i in range(n_begun):
        slot = int32_at(begun, i)
        mine, c = waiting + 4 * WAITING * slot, row_address(C, c_copies, c_ids, slot, c_slots, row)
        for n in range(int32_at(mine, SIX)):
            put_int64(batch, b, row_address(W, w_copies, w_ids, int32_at(mine, n), w_slots, row))
            put_int64(batch, OWN + b, c)
            b += 1
            if b == SIX:
                batch, b = batch + size, 0
        put_int32(mine, SIX, 0)
    for empty in range(b, SIX):
        put_int64(batch, empty, padding)
        put_int64(batch, OWN + empty, padding + 4 * buffers.padding.shape[1])
    return sixes


@njit(nogil=True, cache=True, inline="always")
def _part(rows, part, i, stride):
    """Where the ids of a part are, how many slots it has, and where block row i has its copies of the hubs."""
    slots = rows.ids.shape[1]
    return address(rows.ids) + 4 * slots * part, slots, copies_of(rows, i, stride)


@njit(nogil=True, cache=True)
def draw_noise(model, tables, block, negatives, plan, batches):
    """Draw the contexts of all batches of a block from the noise of its part."""
    C, row = address(model.C), 4 * model.stride
    ids, slots, copies = _part(tables.contexts, block.j, block.i, model.stride)
    n = tables.noise.cut.shape[1]
    cut, other = address(tables.noise.cut) + 8 * n * block.j, address(tables.noise.other) + 4 * n * block.j
    for batch in range(batches):
        for k in range(negatives):
            bits = draw(block.key, batch * negatives + k)
            slot = below(bits, n)
            two = int32_at(other, slot)  # always read: a branch would often be predicted wrongly
            drawn = slot if np.int64(lower(bits)) < int64_at(cut, slot) else two
            plan[batch, DRAWN + k] = row_address(C, copies, ids, drawn, slots, row)


@njit(nogil=True, cache=True)
def _descend(model, buffers, batches, sixes, negatives, rates, weights):
    """Step with one batch after the other. Returns the summed squares of the pairs' inner products, by lane."""
    batch, step, size = address(buffers.plan), address(buffers.step), 8 * (DRAWN + negatives)
    squares = zero()
    for i in range(batches):
        lr = rate_at(rates, i, batches)
        ahead = min(AHEAD, batches - i)
        coming, coming_own = batch + size * ahead, LAST_OWN if i + ahead < sixes else OWN
        square = step_batch(batch, negatives, model.width, i < sixes, lr, weights, step, coming, coming_own)
        squares = add(squares, square)
        batch += size
    return squares


@njit(nogil=True, cache=True)
def _descend_frozen(model, buffers, batches, sixes, negatives, rates, weights, frozen):
    """`_descend` with a side that does not move. Separate, because one loop for both would be compiled less well."""
    batch, step, size = address(buffers.plan), address(buffers.step), 8 * (DRAWN + negatives)
    squares = zero()
    for i in range(batches):
        lr = rate_at(rates, i, batches)
        square = step_frozen(batch, negatives, model.width, i < sixes, lr, weights, step, frozen)
        squares = add(squares, square)
        batch += size
    return squares
