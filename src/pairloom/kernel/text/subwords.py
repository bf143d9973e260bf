"""The n-grams of words, as fastText hashes them, and the vectors that are means of their rows."""

import numpy as np

from pairloom.kernel.compile import njit

_PIECE = 1 << 14  # bytes of a word whose n-grams are listed at a time: a damaged file may have a word of a megabyte
_PRIME, _BASIS = np.uint32(16777619), np.uint32(2166136261)


@njit(nogil=True, cache=True)
def mean_rows(text, ends, rows, n_words, bucket, minn, maxn, vectors):
    """Fill `vectors`. Word i is row i of `rows`, and its `<word>` is the bytes of `text` up to ends[i].

    Equivalent to
        vectors[i] = subwords.mean([i, *subwords.rows_of(word)])
    for vectors.subwords' `Subwords`: the same additions in the same order.
    """
    begin = 0
    for i in range(len(ends)):
        vectors[i], n = rows[i], 1
        for first in range(begin, ends[i], _PIECE):
            for ngram in ngrams(text, begin, ends[i], bucket, minn, maxn, first, first + _PIECE):
                vectors[i] += rows[n_words + ngram]
                n += 1
        vectors[i] *= np.float32(1.0 / n)
        begin = ends[i]


@njit(nogil=True, cache=True)
def count_ngrams(text, ends, minn, maxn, counts):
    """counts[i] = the number of n-grams of word i."""
    begin = 0
    for i in range(len(ends)):
        counts[i] = len(ngrams(text, begin, ends[i], 1, minn, maxn, begin, ends[i]))
        begin = ends[i]


@njit(nogil=True, cache=True)
def list_ngrams(text, ends, bucket, minn, maxn, found):
    """Fill `found` with the buckets of the n-grams of all words, one word after the other."""
    begin, at = 0, 0
    for i in range(len(ends)):
        some = ngrams(text, begin, ends[i], bucket, minn, maxn, begin, ends[i])
        found[at : at + len(some)] = some
        at += len(some)
        begin = ends[i]


@njit(nogil=True, cache=True)
def ngrams(text, begin, end, bucket, minn, maxn, first_from, first_to):
    """The buckets of the n-grams of one word that begin at first_from..first_to-1, in the order of fastText."""
    last = min(first_to, end)
    found, n_found = np.empty((last - first_from) * max(maxn - minn + 1, 0), np.uint32), 0
    for first in range(first_from, last):
        if text[first] & 0xC0 == 0x80:  # within a letter
            continue
        h, at, n = _BASIS, first, 0
        while at < end and n < maxn:
            h = _hashed(h, text[at])
            at += 1
            while at < end and text[at] & 0xC0 == 0x80:
                h = _hashed(h, text[at])
                at += 1
            n += 1
            if n >= minn and not (n == 1 and (first == begin or at == end)):
                found[n_found] = h % np.uint32(bucket)
                n_found += 1
    return found[:n_found]


@njit(nogil=True, cache=True)
def _hashed(h, byte):
    return np.uint32((h ^ np.uint32(np.int8(byte))) * _PRIME)
