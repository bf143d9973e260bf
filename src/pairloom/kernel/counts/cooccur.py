"""Co-occurrences, compiled: from a text to the rows of #(w, c).

No pair is ever written down. `places` lists where each word stands; a row is then made by looking around each of its
word's places and adding up in an array that has a number for every context. So rows can be made in any order, by any
number of threads, and are the same.
"""

import numpy as np

from pairloom.kernel.compile import njit
from pairloom.kernel.rng import draw

GAP = -1  # a word that takes up room in windows and is in no pair
BREAK = -2  # the end of a sentence

_32 = np.uint64(32)


@njit(nogil=True, cache=True)
def thin(ids, starts, first, last, limit, keys, heldout_limit, clean, text):
    """Write sentences first..last-1 without what leaves them, a BREAK before and after each; gives the length.

    A word stays by `contexts.stays` under keys[0], a sentence unless the upper half of its draw under keys[1] is below
    heldout_limit. What leaves a `clean` text leaves a GAP.
    """
    text[0] = BREAK
    n = 1
    for sentence in range(first, last):
        if draw(keys[1], sentence) >> _32 < heldout_limit:
            continue
        for position in range(starts[sentence], starts[sentence + 1]):
            word = ids[position]
            stays = word >= 0 and draw(keys[0], position) >> _32 < limit[word]
            text[n] = word if stays else GAP
            n += stays or clean
        text[n] = BREAK
        n += 1
    return n


@njit(nogil=True, cache=True)
def places(text, starts, positions):
    """Sort positions by word: w stands at positions[starts[w] : starts[w + 1]] of the text, in order."""
    starts[:] = 0
    for word in text:
        if word >= 0:
            starts[word + 1] += 1
    for word in range(len(starts) - 1):
        starts[word + 1] += starts[word]
    for position in range(len(text)):
        word = text[position]
        if word >= 0:
            positions[starts[word]] = position
            starts[word] += 1
    for word in range(len(starts) - 1, 0, -1):  # each start has moved to the next word's
        starts[word] = starts[word - 1]
    starts[0] = 0


@njit(nogil=True, cache=True)
def _add(c, weight, sums, contexts, n):
    """Add to a context's sum, and list it if it had none; gives how many are listed."""
    contexts[n] = c
    n += sums[c] == 0
    sums[c] += weight
    return n


@njit(nogil=True, cache=True)
def _finish(sums, contexts, begin, end, counts):
    """Put the contexts of a row in order with their sums, and clear `sums` for the next row."""
    contexts[begin:end].sort()
    for i in range(begin, end):
        counts[i] = sums[contexts[i]]
        sums[contexts[i]] = 0


@njit(nogil=True, cache=True)
def rows(text, starts, positions, first, last, left, right, sums, contexts, counts, lengths):
    """The rows of words first..last-1. Equivalent to `cooccurrence.weighted_pairs`, added up.

    left[d - 1] and right[d - 1] are what a pair at distance d counts, as positive whole numbers. `sums` is zero and is
    left so; contexts and counts need one place more than entries. lengths[i] becomes that of the i-th of these rows.
    """
    n = 0
    for w in range(first, last):
        begin = n
        for i in range(starts[w], starts[w + 1]):
            at = positions[i]
            for d in range(len(left)):
                c = text[at - d - 1]
                if c == BREAK:
                    break
                if c != GAP:
                    n = _add(c, left[d], sums, contexts, n)
            for d in range(len(right)):
                c = text[at + d + 1]
                if c == BREAK:
                    break
                if c != GAP:
                    n = _add(c, right[d], sums, contexts, n)
        _finish(sums, contexts, begin, n, counts)
        lengths[w - first] = n - begin
    return n


@njit(nogil=True, cache=True)
def merge(run_starts, run_contexts, run_counts, first, last, sums, contexts, counts, lengths):
    """Rows first..last-1 of several runs, added up. Row w of run r begins at run_starts[r, w]. As for `rows`."""
    n = 0
    for w in range(first, last):
        begin = n
        for run in range(len(run_starts)):
            for i in range(run_starts[run, w], run_starts[run, w + 1]):
                n = _add(run_contexts[i], run_counts[i], sums, contexts, n)
        _finish(sums, contexts, begin, n, counts)
        lengths[w - first] = n - begin
    return n
