"""Given pairs, dealt into the blocks that train them.

A round has every `step`-th stretch of the pairs, from stretch `first` on. Where pairs have weights, or some are held
out or thinned out, `draw_copies` first says how often each of them comes; an empty array of copies is once each.
"""

import numpy as np
from numba import njit

from wordloom.kernel.rng import draw, lower
from wordloom.pair_source import STRETCH

_32 = np.uint64(32)
_LOW = 0xFFFFFFFF


@njit(nogil=True, cache=True)
def draw_copies(pairs, weights, first, step, n, limits, keys, heldout_limit, copies):
    """How often each pair of n stretches comes in an epoch: 2.3 is twice, and once more in three of ten epochs.

    `keys` are those of keeping, of weights and of holding out; the weights and the two limits may be empty.
    """
    w_limit, c_limit = limits
    at = 0
    for stretch in range(first, first + n * step, step):
        for i in range(stretch * STRETCH, min((stretch + 1) * STRETCH, len(pairs))):
            stays = draw(keys[2], i) >> _32 >= heldout_limit
            if len(w_limit) > 0:
                bits = draw(keys[0], i)
                stays &= (bits >> _32 < w_limit[pairs[i] >> 32]) & (lower(bits) < c_limit[pairs[i] & _LOW])
            copies[at] = stays
            if len(weights) > 0:
                whole = np.floor(weights[i])
                more = np.float64(draw(keys[1], i) >> _32) < np.float64(weights[i] - whole) * 4294967296.0
                copies[at] *= np.int64(whole) + more
            at += 1


@njit(nogil=True, cache=True)
def count(pairs, first, step, n, copies, parts, word_part, context_part, counts):
    """Add to counts[block] how many pairs n stretches have for each block."""
    at = 0
    for stretch in range(first, first + n * step, step):
        for i in range(stretch * STRETCH, min((stretch + 1) * STRETCH, len(pairs))):
            pair = pairs[i]
            block = word_part[pair >> 32] * parts + context_part[pair & _LOW]
            counts[block] += 1 if len(copies) == 0 else copies[at]
            at += 1


@njit(nogil=True, cache=True)
def deal(pairs, first, step, n, copies, parts, word_part, context_part, places, dealt):
    """Write the pairs of n stretches to dealt[places[block]] and on."""
    at = 0
    for stretch in range(first, first + n * step, step):
        for i in range(stretch * STRETCH, min((stretch + 1) * STRETCH, len(pairs))):
            pair = pairs[i]
            block = word_part[pair >> 32] * parts + context_part[pair & _LOW]
            for _ in range(1 if len(copies) == 0 else copies[at]):
                dealt[places[block]] = pair
                places[block] += 1
            at += 1
