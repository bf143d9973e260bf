"""Given pairs, dealt into the blocks that train them.

A round has every `step`-th slice of the pairs, starting at slice `first`: `slices` has first, step and their number n.
If pairs have weights, or some are held out or subsampled, `draw_copies` first says how often each pair comes. An empty
array of copies means once each. A pair is w * 2^32 + c.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.rng import derive, draw, lower, upper
from pairloom.method.draws import PAIRS_PER_SLICE

_CONTEXT = 0xFFFFFFFF  # the bits of a pair that are its context


class PairDraws(NamedTuple):
    """The draws that decide which pairs come. The two limits may be empty: then nothing is subsampled."""

    keys: npt.NDArray[np.uint64]  # of keeping, of weights and of holding out
    w_limit: npt.NDArray[np.uint64]  # in units of 2^-32, as `contexts.keep_limit` has them
    c_limit: npt.NDArray[np.uint64]
    heldout_limit: np.uint64


@njit(nogil=True, cache=True)
def draw_copies(pairs, weights, slices, sweep, sweeps, draws, copies):
    """How often each pair of the slices comes in one of an epoch's sweeps.

    Over all sweeps, a weight of 2.3 means twice, plus once more in three of ten epochs, spread evenly over the sweeps.
    weights may be empty: then each pair comes once unless it is held out.
    """
    at = 0
    for number in range(slices.first, slices.first + slices.n * slices.step, slices.step):
        for i in range(number * PAIRS_PER_SLICE, min((number + 1) * PAIRS_PER_SLICE, len(pairs))):
            if len(weights) > 0:
                begun = np.float64(upper(draw(draws.keys[1], i))) * 2.0**-32
                share = np.float64(weights[i]) / sweeps
                copies[at] = np.floor(begun + share * (sweep + 1)) - np.floor(begun + share * sweep)
            else:
                copies[at] = upper(draw(draws.keys[2], i)) >= draws.heldout_limit
            if len(draws.w_limit) > 0:
                w_limit, c_limit = draws.w_limit[pairs[i] >> 32], draws.c_limit[pairs[i] & _CONTEXT]
                copies[at] = _subsampled(draws.keys[0], i, sweep, copies[at], w_limit, c_limit)
            at += 1


@njit(nogil=True, cache=True)
def _subsampled(key, i, sweep, copies, w_limit, c_limit):
    """How many of the copies of a pair stay, each by its own draw."""
    stay = 0
    for copy in range(copies):
        bits = draw(derive(key, i), sweep * 2**32 + copy)
        stay += (upper(bits) < w_limit) & (lower(bits) < c_limit)
    return stay


@njit(nogil=True, cache=True)
def count(pairs, slices, copies, parts, counts):
    """Add to counts[block] how many pairs the slices have for each block. parts: a `deal_text.Parts`."""
    at = 0
    for number in range(slices.first, slices.first + slices.n * slices.step, slices.step):
        for i in range(number * PAIRS_PER_SLICE, min((number + 1) * PAIRS_PER_SLICE, len(pairs))):
            block = _block_of(pairs[i], parts)
            counts[block] += 1 if len(copies) == 0 else copies[at]
            at += 1


@njit(nogil=True, cache=True)
def deal(pairs, slices, copies, passes, parts, places, dealt):
    """Write the pairs of the slices to dealt[places[block]] and the places after it, in `passes` passes.

    Each pass has an equal part of every pair's copies: a hundred steps on one pair in a row would run away with it.
    """
    for a_pass in range(passes):
        at = 0
        for number in range(slices.first, slices.first + slices.n * slices.step, slices.step):
            for i in range(number * PAIRS_PER_SLICE, min((number + 1) * PAIRS_PER_SLICE, len(pairs))):
                times = 1
                if len(copies) > 0:
                    times = copies[at] * (a_pass + 1) // passes - copies[at] * a_pass // passes
                at += 1
                if times > 0:
                    pair = pairs[i]
                    block = _block_of(pair, parts)
                    for _ in range(times):
                        dealt[places[block]] = pair
                        places[block] += 1


@njit(nogil=True, cache=True)
def _block_of(pair, parts):
    return parts.of_word[pair >> 32] * parts.n + parts.of_context[pair & _CONTEXT]
