"""Given pairs, dealt into the blocks that train them.

A round has every `step`-th stretch of the pairs, from stretch `first` on. Where pairs have weights, or some are held
out or thinned out, `draw_copies` first says how often each of them comes; an empty array of copies is once each.
"""

import numpy as np

from pairloom.kernel.compile import njit
from pairloom.kernel.rng import derive, draw, lower
from pairloom.method.draws import PAIRS_PER_SLICE

_32 = np.uint64(32)
_LOW = 0xFFFFFFFF


@njit(nogil=True, cache=True)
def draw_copies(pairs, weights, first, step, n, sweep, sweeps, limits, keys, heldout_limit, copies):
    """How often each pair of n stretches comes in one of an epoch's sweeps.

    In all of them together a weight of 2.3 is twice, and once more in three of ten epochs, spread evenly over the
    sweeps. `keys` are those of keeping, of weights and of holding out; the weights and the two limits may be empty.
    """
    w_limit, c_limit = limits
    at = 0
    for stretch in range(first, first + n * step, step):
        for i in range(stretch * PAIRS_PER_SLICE, min((stretch + 1) * PAIRS_PER_SLICE, len(pairs))):
            if len(weights) > 0:
                begun = np.float64(draw(keys[1], i) >> _32) * 2.0**-32
                share = np.float64(weights[i]) / sweeps
                copies[at] = np.floor(begun + share * (sweep + 1)) - np.floor(begun + share * sweep)
            else:
                copies[at] = draw(keys[2], i) >> _32 >= heldout_limit
            if len(w_limit) > 0:
                copies[at] = _thinned(keys[0], i, sweep, copies[at], w_limit[pairs[i] >> 32], c_limit[pairs[i] & _LOW])
            at += 1


@njit(nogil=True, cache=True)
def _thinned(key, i, sweep, copies, w_limit, c_limit):
    """How many of the copies of a pair stay, each by a draw of its own."""
    stay = 0
    for copy in range(copies):
        bits = draw(derive(key, i), sweep * 2**32 + copy)
        stay += (bits >> _32 < w_limit) & (lower(bits) < c_limit)
    return stay


@njit(nogil=True, cache=True)
def count(pairs, first, step, n, copies, parts, word_part, context_part, counts):
    """Add to counts[block] how many pairs n stretches have for each block."""
    at = 0
    for stretch in range(first, first + n * step, step):
        for i in range(stretch * PAIRS_PER_SLICE, min((stretch + 1) * PAIRS_PER_SLICE, len(pairs))):
            pair = pairs[i]
            block = word_part[pair >> 32] * parts + context_part[pair & _LOW]
            counts[block] += 1 if len(copies) == 0 else copies[at]
            at += 1


@njit(nogil=True, cache=True)
def deal(pairs, first, step, n, copies, passes, parts, word_part, context_part, places, dealt):
    """Write the pairs of n stretches to dealt[places[block]] and on, in so many passes.

    Each pass has an equal part of every pair's copies: a hundred steps on one pair in a row would run away with it.
    """
    for a_pass in range(passes):
        at = 0
        for stretch in range(first, first + n * step, step):
            for i in range(stretch * PAIRS_PER_SLICE, min((stretch + 1) * PAIRS_PER_SLICE, len(pairs))):
                times = 1
                if len(copies) > 0:
                    times = copies[at] * (a_pass + 1) // passes - copies[at] * a_pass // passes
                at += 1
                if times > 0:
                    pair = pairs[i]
                    block = word_part[pair >> 32] * parts + context_part[pair & _LOW]
                    for _ in range(times):
                        dealt[places[block]] = pair
                        places[block] += 1
