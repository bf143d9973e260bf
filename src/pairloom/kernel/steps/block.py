"""A block's pairs, gathered into batches of six and trained one batch after the other."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, int32_at, int64_at, put_int32, put_int64
from pairloom.kernel.rng import below, derive, draw, lower
from pairloom.kernel.simd import LANES, add, store, zero
from pairloom.kernel.steps.rates import Rates, rate_at
from pairloom.kernel.steps.sgns import DRAWN, LAST_OWN, OWN, step_batch, step_frozen
from pairloom.kernel.steps.six import SIX

WAITING = 8  # int32 for each context: the words of up to SIX waiting pairs, how many wait, and one that is unused


class PartNoise(NamedTuple):
    """Alias tables, one after the other: that of part j is at starts[j] .. starts[j + 1]."""

    ids: npt.NDArray[np.int32]  # a slot's own context
    cut: npt.NDArray[np.uint64]  # in units of 2^-32: how often the slot yields its own context
    other: npt.NDArray[np.int32]  # the context that it yields otherwise
    starts: npt.NDArray[np.int64]


class Diagonal(NamedTuple):
    """The blocks (i, (i + shift) mod parts) for i in first..last-1. They share no row."""

    parts: int
    shift: int
    first: int
    last: int


class PairBlock(NamedTuple):
    """The pairs begin..end-1 of a round. Their contexts are in one part, out of 2^bits."""

    begin: int
    end: int
    part: int
    bits: int
    key: np.uint64  # of its draws


class Descent(NamedTuple):
    """How pairs are trained by negative sampling."""

    negatives: int
    key: np.uint64  # of the draws
    rates: Rates


class BlockBuffers(NamedTuple):
    """The memory in which one thread trains blocks."""

    plan: npt.NDArray[np.int64]  # (batches of a block and one more, DRAWN + negatives)
    waiting: npt.NDArray[np.int32]  # (contexts of a part, WAITING): w of pairs that wait for others of their c
    begun: npt.NDArray[np.int32]  # contexts in the order in which pairs began to wait
    step: npt.NDArray[np.float32]  # how far the rows of a batch go: LANES for its own contexts and for each drawn one
    padding: npt.NDArray[np.float32]  # two rows of zeros, the pair that fills up a block's last batch


def make_buffers(negatives: int, longest: int, contexts: int, width: int) -> BlockBuffers:
    """Buffers for blocks of up to `longest` pairs, whose part has `contexts` contexts."""
    return BlockBuffers(
        np.empty((longest // SIX + 2, DRAWN + negatives), np.int64),
        np.zeros((contexts, WAITING), np.int32),
        np.empty(longest + 1, np.int32),
        np.empty((negatives + 1) * LANES, np.float32),
        np.zeros(2 * width, np.float32),
    )


@njit(nogil=True, cache=True)
def train_diagonal(model, buffers, dealt, noise, diagonal, descent, frozen=None):
    """Train the blocks of a diagonal, the rate falling in each of them.

    dealt: the pairs of the round (as w * 2^32 + c) and where each block starts in them. Blocks of one shift share no
    row, so any threads may train them at the same time. Returns the largest mean square of `train_block`, or NaN if one
    is NaN.
    """
    worst = 0.0
    bits = 0
    while 1 << bits < diagonal.parts:
        bits += 1
    for i in range(diagonal.first, diagonal.last):
        part = (i + diagonal.shift) % diagonal.parts
        number = i * diagonal.parts + part
        begin, end = dealt.starts[number], dealt.starts[number + 1]
        block = PairBlock(begin, end, part, bits, derive(descent.key, number))
        square = train_block(model, buffers, dealt.pairs, block, noise, descent.negatives, descent.rates, frozen)
        worst = np.maximum(worst, square)  # NaN if either is
    return worst


@njit(nogil=True, cache=True)
def train_block(model, buffers, pairs, block, noise, negatives, rates, frozen=None):
    """Train the pairs of a block in batches of six, the rate falling from first to last.

    frozen: WORDS or CONTEXTS if these do not move. For None, Numba does not compile `_descend_frozen`, which would take
    seconds. Returns the mean square of the pairs' inner products.
    """
    n = block.end - block.begin
    if n == 0:
        return 0.0
    batches = (n + SIX - 1) // SIX
    sixes = gather(model, buffers, pairs, block)
    _draw(model, noise, block, negatives, buffers.plan, batches)
    if frozen is None:
        squares = _descend(model, buffers, batches, sixes, negatives, rates)
    else:
        squares = _descend_frozen(model, buffers, batches, sixes, negatives, rates, frozen)
    for i in range(0, model.width, LANES):
        store(address(buffers.padding), i, zero())
    store(address(buffers.step), 0, squares)
    total = 0.0
    for b in range(SIX):
        total += buffers.step[b]
    return total / n


@njit(nogil=True, cache=True)
def gather(model, buffers, pairs, block):
    """Make batches of the pairs of a block, in buffers.plan, sixes first. Returns the number of sixes.

    A six forms, and takes its place, when the sixth pair of its context comes, so corpus order is kept. The pairs left
    at the end follow context by context. c >> bits numbers the contexts of a part, as `blocks.deal_parts` arranges;
    `waiting` has a row for each.
    """
    W, C, row = address(model.W), address(model.C), 4 * model.stride
    plan, size = address(buffers.plan), 8 * buffers.plan.shape[1]
    pairs, waiting, begun = address(pairs), address(buffers.waiting), address(buffers.begun)
    padding, bits = address(buffers.padding), block.bits
    batch, n_begun = plan, 0
    for i in range(block.begin, block.end):
        pair = int64_at(pairs, i)
        c = pair & 0xFFFFFFFF
        mine = waiting + 4 * WAITING * (c >> bits)
        n = int32_at(mine, SIX)
        put_int32(begun, n_begun, c)
        n_begun += n == 0
        put_int32(mine, n, pair >> 32)
        put_int32(mine, SIX, n + 1)
        if n + 1 == SIX:
            for b in range(SIX):
                put_int64(batch, b, W + row * int32_at(mine, b))
            put_int64(batch, LAST_OWN, C + row * c)
            put_int32(mine, SIX, 0)
            batch += size
    sixes, b = (batch - plan) // size, 0
    for i in range(n_begun):
        c = int32_at(begun, i)
        mine = waiting + 4 * WAITING * (c >> bits)
        for n in range(int32_at(mine, SIX)):
            put_int64(batch, b, W + row * int32_at(mine, n))
            put_int64(batch, OWN + b, C + row * c)
            b += 1
            if b == SIX:
                batch, b = batch + size, 0
        put_int32(mine, SIX, 0)
    for empty in range(b, SIX):
        put_int64(batch, empty, padding)
        put_int64(batch, OWN + empty, padding + 4 * model.width)
    return sixes


@njit(nogil=True, cache=True)
def _draw(model, noise, block, negatives, plan, batches):
    """Draw the contexts of all batches of a block from the noise of its part."""
    ids, cut, other, starts = noise
    C, row = address(model.C), 4 * model.stride
    begin, n = starts[block.part], starts[block.part + 1] - starts[block.part]
    for batch in range(batches):
        for k in range(negatives):
            bits = draw(block.key, batch * negatives + k)
            slot = begin + below(bits, n)
            one, two = ids[slot], other[slot]  # both: a branch would often be predicted wrongly
            plan[batch, DRAWN + k] = C + row * np.int64(one if lower(bits) < cut[slot] else two)


@njit(nogil=True, cache=True)
def _descend(model, buffers, batches, sixes, negatives, rates):
    """Step with one batch after the other. Returns the summed squares of the pairs' inner products, by lane."""
    batch, step, size = address(buffers.plan), address(buffers.step), 8 * (DRAWN + negatives)
    squares = zero()
    for i in range(batches):
        lr = rate_at(rates, i, batches)
        coming_own = LAST_OWN if i + 1 < sixes else OWN
        square = step_batch(batch, negatives, model.width, i < sixes, lr, step, batch + size, coming_own)
        squares = add(squares, square)
        batch += size
    return squares


@njit(nogil=True, cache=True)
def _descend_frozen(model, buffers, batches, sixes, negatives, rates, frozen):
    """`_descend` with a side that does not move. Separate, because one loop for both would be compiled less well."""
    batch, step, size = address(buffers.plan), address(buffers.step), 8 * (DRAWN + negatives)
    squares = zero()
    for i in range(batches):
        lr = rate_at(rates, i, batches)
        square = step_frozen(batch, negatives, model.width, i < sixes, lr, step, frozen)
        squares = add(squares, square)
        batch += size
    return squares
