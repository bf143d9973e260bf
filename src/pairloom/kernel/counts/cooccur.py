"""Co-occurrences, compiled: from a text to the rows of #(w, c).

No pair is ever written down. `places` lists where each word stands. A row is made by looking around each place of its
word and adding up in an array with a number for every context. So rows are the same in any order and on any number of
threads.
"""

from pairloom.kernel.compile import njit
from pairloom.kernel.rng import draw, upper

GAP = -1  # a word that takes up a place in windows and is in no pair
BREAK = -2  # the end of a sentence


@njit(nogil=True, cache=True)
def thin(ids, starts, first, last, limit, keys, heldout_limit, clean, text):
    """Write the words of sentences first..last-1 that stay, with a BREAK before and after each sentence.

    A word stays by `contexts.kept_by_subsampling` under keys[0]. A sentence stays unless the upper half of its draw
    under keys[1] is below heldout_limit. In a `clean` text, a word that leaves becomes a GAP. Returns the length.
    """
    text[0] = BREAK
    n = 1
    for sentence in range(first, last):
        if upper(draw(keys[1], sentence)) < heldout_limit:
            continue
        for position in range(starts[sentence], starts[sentence + 1]):
            word = ids[position]
            stays = word >= 0 and upper(draw(keys[0], position)) < limit[word]
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
    """Add to a context's sum, and list the context if it had none. Returns how many are listed."""
    contexts[n] = c
    n += sums[c] == 0
    sums[c] += weight
    return n


@njit(nogil=True, cache=True)
def _finish(sums, contexts, begin, end, counts):
    """Sort the contexts of a row, write their sums to `counts`, and clear `sums` for the next row."""
    contexts[begin:end].sort()
    for i in range(begin, end):
        counts[i] = sums[contexts[i]]
        sums[contexts[i]] = 0


@njit(nogil=True, cache=True)
def rows(text, starts, positions, first, last, left, right, sums, contexts, counts, lengths):
    """The rows of words first..last-1. Equivalent to the sums of `cooccurrence.weighted_pairs`.

    left[d - 1] and right[d - 1]: the weight of a pair at distance d, a positive whole number. sums: zeros, which are
    restored. contexts and counts need one place more than entries. lengths: filled. Returns the number of entries.
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
    """Rows first..last-1 of several runs, added up, as `rows` does. Row w of run r begins at run_starts[r, w]."""
    n = 0
    for w in range(first, last):
        begin = n
        for run in range(len(run_starts)):
            for i in range(run_starts[run, w], run_starts[run, w + 1]):
                n = _add(run_contexts[i], run_counts[i], sums, contexts, n)
        _finish(sums, contexts, begin, n, counts)
        lengths[w - first] = n - begin
    return n
