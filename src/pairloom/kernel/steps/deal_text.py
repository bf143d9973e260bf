"""Section 3, compiled: draw the pairs of a stretch of text, and deal them into the blocks that train them.

A chunk of sentences is gone over several times, so that chunks can be worked on by any number of threads and each
pair still lands at the place that corpus order gives it:
    `thin`   subsamples and takes windows;
    `count`  counts the pairs of each block;
    `deal`   writes them, each block's from the place where this chunk's share of it begins.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.rng import draw, lower
from pairloom.kernel.simd import address, half, put_half, put_whole, whole
from pairloom.method.contexts import Windows

_32 = np.uint64(32)


class Reach(NamedTuple):
    """A `contexts.Windows` for kernels: the two `contexts.Side`, and what else `thin` must know."""

    left_sure: int
    left_edges: npt.NDArray[np.uint64]
    right_sure: int
    right_edges: npt.NDArray[np.uint64]
    apart: bool  # each side has a draw of its own
    clean: bool

    @classmethod
    def of(cls, windows: Windows) -> "Reach":
        left, right = windows.side(windows.left), windows.side(windows.right)
        return cls(*left, *right, windows.shape != "dynamic", windows.clean)


@njit(nogil=True, cache=True)
def thin(ids, starts, first, last, limit, reach, keys, heldout_limit, kept, left, right, place):
    """Subsample sentences first..last-1 and take their windows. Equivalent to `contexts.sentence_pairs`.

    kept[i] is the i-th surviving token, its contexts are kept[left[i] : right[i]] without itself, and kept[j] is
    place[j] - place[i] words away. `keys` are those of keeping, of windows and of holding out. Gives the number of
    survivors.
    """
    left_sure, left_edges, right_sure, right_edges, apart, clean = reach
    alike = not apart and left_sure == right_sure and len(left_edges) == len(right_edges)
    keep_key, window_key, heldout_key, origin = keys[0], keys[1], keys[2], starts[first]
    id_at, limit_at, left_edge, right_edge = address(ids), address(limit), address(left_edges), address(right_edges)
    kept_at, left_at, right_at, place_at = address(kept), address(left), address(right), address(place)
    n = np.int64(0)  # a plain 0 would be several types to Numba, which compiles what is called for each
    for sentence in range(first, last):
        if draw(heldout_key, sentence) >> _32 < heldout_limit:
            continue
        begin = n
        for position in range(starts[sentence], starts[sentence + 1]):
            word = half(id_at, position)
            put_half(kept_at, n, word)
            put_half(place_at, n, position - origin)
            stays = draw(keep_key, position) >> _32 < np.uint64(whole(limit_at, max(word, 0)))
            n += (word >= 0) & stays  # no branch, which would guess wrong half of the time
        for i in range(begin, n):
            bits = draw(window_key, origin + half(place_at, i))
            upper, other = bits >> _32, lower(bits) if apart else bits >> _32
            to_left, to_right = left_sure, right_sure
            for edge in range(len(left_edges)):
                to_left += upper >= np.uint64(whole(left_edge, edge))
            if alike:
                to_right = to_left
            else:
                for edge in range(len(right_edges)):
                    to_right += other >= np.uint64(whole(right_edge, edge))
            if clean:
                put_half(left_at, i, to_left)
                put_half(right_at, i, to_right)
            else:
                put_half(left_at, i, max(begin, i - to_left))
                put_half(right_at, i, min(n, i + to_right + 1))
                put_half(place_at, i, i)
        if clean:
            _look_around(left, right, place, begin, n)
    return n


@njit(nogil=True, cache=True)
def _look_around(left, right, place, begin, end):
    """Make of half-widths, in left and right, the first survivor within them, and the one after the last."""
    for i in range(begin, end):
        j = i
        while j > begin and place[i] - place[j - 1] <= left[i]:
            j -= 1
        left[i], j = j, i + 1
        while j < end and place[j] - place[i] <= right[i]:
            j += 1
        right[i] = j


@njit(nogil=True, cache=True)
def count(kept, left, right, n, parts, part_of, part, counts):
    """Look up the part of every survivor, and add the chunk's pairs to counts[block].

    block = part of w * parts + part of c
    """
    kept, left, right, part_of, part = address(kept), address(left), address(right), address(part_of), address(part)
    counts = address(counts)
    for i in range(n):
        put_half(part, i, half(part_of, half(kept, i)))
    for i in range(n):
        row = counts + 8 * parts * half(part, i)
        for j in range(half(left, i), half(right, i)):
            put_whole(row, half(part, j), whole(row, half(part, j)) + 1)
        put_whole(row, half(part, i), whole(row, half(part, i)) - 1)


@njit(nogil=True, cache=True)
def deal(kept, left, right, n, parts, part, places, pairs):
    """Write the chunk's pairs, as w * 2^32 + c, to pairs[places[block]] and on."""
    kept, left, right, part = address(kept), address(left), address(right), address(part)
    places, pairs = address(places), address(pairs)
    for i in range(n):
        w = half(kept, i) << 32
        row = places + 8 * parts * half(part, i)
        for j in range(half(left, i), half(right, i)):
            if j != i:
                place = whole(row, half(part, j))
                put_whole(pairs, place, w | half(kept, j))
                put_whole(row, half(part, j), place + 1)


# The same where a context is a word and its place. There are too many to look up the parts of all beforehand.


@njit(nogil=True, cache=True)
def _context(c, offset, reach_left, n_offsets):
    """Equivalent to `contexts.Windows.context`."""
    return np.int64(c) * n_offsets + offset + reach_left - (offset > 0)


@njit(nogil=True, cache=True)
def count_placed(kept, left, right, place, n, reach_left, n_offsets, parts, word_part, context_part, counts):
    """`count`, with a context for each place of a word."""
    for i in range(n):
        row = word_part[kept[i]] * parts
        for j in range(left[i], right[i]):
            if j != i:
                counts[row + context_part[_context(kept[j], place[j] - place[i], reach_left, n_offsets)]] += 1


@njit(nogil=True, cache=True)
def deal_placed(kept, left, right, place, n, reach_left, n_offsets, parts, word_part, context_part, places, pairs):
    """`deal`, with a context for each place of a word."""
    for i in range(n):
        w = np.int64(kept[i]) << 32
        row = word_part[kept[i]] * parts
        for j in range(left[i], right[i]):
            if j != i:
                c = _context(kept[j], place[j] - place[i], reach_left, n_offsets)
                block = row + context_part[c]
                pairs[places[block]] = w | c
                places[block] += 1


@njit(nogil=True, cache=True)
def count_places(ids, starts, first, last, reach_left, reach_right, counts):
    """Add to counts[context] how many words of sentences first..last-1 have it at that place.

    counts is int64 (n_words * n_offsets,). Words that are not in the vocabulary have id -1 or are not there at all.
    """
    n_offsets = reach_left + reach_right
    for sentence in range(first, last):
        begin, end = starts[sentence], starts[sentence + 1]
        for j in range(begin, end):
            if ids[j] >= 0:
                for i in range(max(begin, j - reach_right), min(end, j + reach_left + 1)):
                    if i != j and ids[i] >= 0:
                        counts[_context(ids[j], j - i, reach_left, n_offsets)] += 1
