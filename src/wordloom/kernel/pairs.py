"""Section 3, compiled: draw the pairs of a stretch of text, and deal them into the blocks that train them.

A chunk of sentences is gone over several times, so that chunks can be worked on by any number of threads and each
pair still lands at the place that corpus order gives it:
    `thin`   subsamples and takes windows;
    `count`  counts the pairs of each block;
    `deal`   writes them, each block's from the place where this chunk's share of it begins.
"""

import numpy as np
from numba import njit

from wordloom.kernel.rng import below, draw

_32 = np.uint64(32)


@njit(nogil=True, cache=True)
def thin(ids, starts, first, last, limit, window, keys, heldout_limit, kept, left, right):
    """Subsample sentences first..last-1 and take their windows. Equivalent to `contexts.sentence_pairs`.

    kept[i] is the i-th surviving token, its contexts are kept[left[i] : right[i]] without itself.
    `keys` are those of keeping, of windows and of holding out. Gives the number of survivors.
    """
    n = 0
    for sentence in range(first, last):
        if draw(keys[2], sentence) >> _32 < heldout_limit:
            continue
        begin = n
        for position in range(starts[sentence], starts[sentence + 1]):
            word = ids[position]
            kept[n], left[n] = word, position - starts[first]
            n += draw(keys[0], position) >> _32 < limit[word]  # no branch, which would guess wrong half of the time
        for i in range(begin, n):
            width = 1 + below(draw(keys[1], starts[first] + left[i]), window)
            left[i] = max(begin, i - width)
            right[i] = min(n, i + width + 1)
    return n


@njit(nogil=True, cache=True)
def count(kept, left, right, n, parts, part_of, part, counts):
    """Look up the part of every survivor, and add the chunk's pairs to counts[block].

    block = part of w * parts + part of c
    """
    for i in range(n):
        part[i] = part_of[kept[i]]
    for i in range(n):
        row = part[i] * parts
        for j in range(left[i], right[i]):
            counts[row + part[j]] += 1
        counts[row + part[i]] -= 1


@njit(nogil=True, cache=True)
def deal(kept, left, right, n, parts, part, places, pairs):
    """Write the chunk's pairs, as w * 2^32 + c, to pairs[places[block]] and on."""
    for i in range(n):
        w = np.int64(kept[i]) << 32
        row = part[i] * parts
        for j in range(left[i], right[i]):
            if j != i:
                block = row + part[j]
                pairs[places[block]] = w | kept[j]
                places[block] += 1
