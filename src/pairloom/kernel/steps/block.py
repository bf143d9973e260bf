"""A block's pairs, made into batches and trained one batch after the other."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.rng import below, derive, draw, lower
from pairloom.kernel.simd import LANES, add, address, half, put_half, put_whole, store, whole, zero
from pairloom.kernel.steps.sgns import DRAWN, LAST_OWN, OWN, SIX, step_batch, step_frozen

WAITING = 8  # int32 for each context: SIX words of pairs that wait, how many they are, and one that nobody uses


class PartNoise(NamedTuple):
    """Alias tables, one after the other: that of part j is at starts[j] .. starts[j + 1]."""

    ids: npt.NDArray[np.int32]  # a slot's own context
    cut: npt.NDArray[np.uint64]  # in units of 2^-32: how often the slot gives it
    other: npt.NDArray[np.int32]  # what it gives otherwise
    starts: npt.NDArray[np.int64]


class BlockBuffers(NamedTuple):
    """What one thread works with."""

    plan: npt.NDArray[np.int64]  # (batches of a block and one more, DRAWN + negatives)
    waiting: npt.NDArray[np.int32]  # (contexts of a part, WAITING): w of pairs that wait for others of their c
    begun: npt.NDArray[np.int32]  # contexts in the order in which pairs began to wait
    step: npt.NDArray[np.float32]  # how far the rows of a batch go: LANES for its own contexts, then for each drawn one
    nobody: npt.NDArray[np.float32]  # two rows of zeros, the pair that fills up a block's last batch


def make_room(negatives: int, longest: int, contexts: int, width: int) -> BlockBuffers:
    """Room for blocks of up to `longest` pairs, whose part has so many contexts."""
    return BlockBuffers(
        np.empty((longest // SIX + 2, DRAWN + negatives), np.int64),
        np.zeros((contexts, WAITING), np.int32),
        np.empty(longest + 1, np.int32),
        np.empty((negatives + 1) * LANES, np.float32),
        np.zeros(2 * width, np.float32),
    )


@njit(nogil=True, cache=True)
def gather(model, pairs, begin, end, bits, room):
    """Make batches of the pairs begin..end-1 of a block, in room.plan, sixes first; gives the number of sixes.

    A six forms, and takes its place, when the sixth pair of its context comes, so that corpus order stays. What is left
    at the end follows context by context. There are 2^bits parts, and c >> bits numbers the contexts of one, as
    `blocks.deal_parts` sees to; `waiting` has a row for each.
    """
    W, C, row = address(model.W), address(model.C), 4 * model.stride
    plan, size = address(room.plan), 8 * room.plan.shape[1]
    pairs, waiting, begun = address(pairs), address(room.waiting), address(room.begun)
    nobody = address(room.nobody)
    batch, n_begun = plan, 0
    for i in range(begin, end):
        pair = whole(pairs, i)
        c = pair & 0xFFFFFFFF
        mine = waiting + 4 * WAITING * (c >> bits)
        n = half(mine, SIX)
        put_half(begun, n_begun, c)
        n_begun += n == 0
        put_half(mine, n, pair >> 32)
        put_half(mine, SIX, n + 1)
        if n + 1 == SIX:
            for b in range(SIX):
                put_whole(batch, b, W + row * half(mine, b))
            put_whole(batch, LAST_OWN, C + row * c)
            put_half(mine, SIX, 0)
            batch += size
    sixes, b = (batch - plan) // size, 0
    for i in range(n_begun):
        c = half(begun, i)
        mine = waiting + 4 * WAITING * (c >> bits)
        for n in range(half(mine, SIX)):
            put_whole(batch, b, W + row * half(mine, n))
            put_whole(batch, OWN + b, C + row * c)
            b += 1
            if b == SIX:
                batch, b = batch + size, 0
        put_half(mine, SIX, 0)
    for empty in range(b, SIX):
        put_whole(batch, empty, nobody)
        put_whole(batch, OWN + empty, nobody + 4 * model.width)
    return sixes


@njit(nogil=True, cache=True)
def _draw(model, noise, part, negatives, key, plan, batches):
    """Draw the contexts of all batches of a block from the noise of its part."""
    ids, cut, other, starts = noise
    C, row = address(model.C), 4 * model.stride
    begin, n = starts[part], starts[part + 1] - starts[part]
    for batch in range(batches):
        for k in range(negatives):
            bits = draw(key, batch * negatives + k)
            slot = begin + below(bits, n)
            one, two = ids[slot], other[slot]  # both, since guessing which would often fail
            plan[batch, DRAWN + k] = C + row * np.int64(one if lower(bits) < cut[slot] else two)


@njit(nogil=True, cache=True)
def _descend(model, room, batches, sixes, negatives, lr_first, lr_last):
    """Step batch after batch; gives the sums of the squares of the pairs' inner products, by lane."""
    batch, step, size = address(room.plan), address(room.step), 8 * (DRAWN + negatives)
    squares = zero()
    for i in range(batches):
        lr = lr_first + (lr_last - lr_first) * (i / batches)
        coming_own = LAST_OWN if i + 1 < sixes else OWN
        square = step_batch(batch, negatives, model.width, i < sixes, lr, step, batch + size, coming_own)
        squares = add(squares, square)
        batch += size
    return squares


@njit(nogil=True, cache=True)
def _descend_frozen(model, room, batches, sixes, negatives, lr_first, lr_last, frozen):
    """The same with a side that does not move, apart from it: the compiler makes less of one loop for both."""
    batch, step, size = address(room.plan), address(room.step), 8 * (DRAWN + negatives)
    squares = zero()
    for i in range(batches):
        lr = lr_first + (lr_last - lr_first) * (i / batches)
        square = step_frozen(batch, negatives, model.width, i < sixes, lr, step, frozen)
        squares = add(squares, square)
        batch += size
    return squares


@njit(nogil=True, cache=True)
def train_block(model, room, pairs, begin, end, bits, noise, part, negatives, key, lr_first, lr_last, frozen=None):
    """Descend on the pairs begin..end-1, six at a time, the rate falling from lr_first to lr_last.

    frozen: WORDS or CONTEXTS, if these do not move. For None Numba compiles nothing of `_descend_frozen`, which would
    take seconds. Gives the mean square of the pairs' inner products.
    """
    n = end - begin
    if n == 0:
        return 0.0
    batches = (n + SIX - 1) // SIX
    sixes = gather(model, pairs, begin, end, bits, room)
    _draw(model, noise, part, negatives, key, room.plan, batches)
    if frozen is None:
        squares = _descend(model, room, batches, sixes, negatives, lr_first, lr_last)
    else:
        squares = _descend_frozen(model, room, batches, sixes, negatives, lr_first, lr_last, frozen)
    for i in range(0, model.width, LANES):
        store(address(room.nobody), i, zero())
    store(address(room.step), 0, squares)
    total = 0.0
    for b in range(SIX):
        total += room.step[b]
    return total / n


@njit(nogil=True, cache=True)
def train_diagonal(
    model, room, pairs, starts, noise, parts, shift, first, last, negatives, key, lr_first, lr_last, frozen=None
):
    """Train the blocks (i, (i + shift) mod parts) for i in first..last-1; starts[block] is where its pairs begin.

    Blocks of one shift share no row, so that any threads may train them at the same time. Gives the largest of the
    blocks' mean squares, NaN if one is.
    """
    worst = 0.0
    bits = 0
    while 1 << bits < parts:
        bits += 1
    for i in range(first, last):
        j = (i + shift) % parts
        block = i * parts + j
        square = train_block(
            model,
            room,
            pairs,
            starts[block],
            starts[block + 1],
            bits,
            noise,
            j,
            negatives,
            derive(key, block),
            lr_first,
            lr_last,
            frozen,
        )
        worst = np.maximum(worst, square)  # which is NaN once either is
    return worst
