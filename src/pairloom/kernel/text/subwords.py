"""The vectors of fastText's words: the mean of a word's row and its n-grams' rows."""

import numpy as np

from pairloom.kernel.compile import njit

_PRIME, _BASIS = np.uint32(16777619), np.uint32(2166136261)


@njit(nogil=True, cache=True)
def mean_rows(text, ends, rows, n_words, bucket, minn, maxn, vectors):
    """Fill `vectors`. Word i is row i of `rows`, and its `<word>` is the bytes of `text` up to ends[i].

    Equivalent to
        vectors[i] = subwords.mean([i, *subwords.rows_of(word)])
    for formats.fasttext's `Subwords`: the same additions in the same order.
    """
    begin = 0
    for i in range(len(ends)):
        vectors[i] = rows[i]
        n = 1 + _add_ngrams(text, begin, ends[i], rows, n_words, bucket, minn, maxn, vectors[i])
        vectors[i] *= np.float32(1.0 / n)
        begin = ends[i]


@njit(nogil=True, cache=True)
def _add_ngrams(text, begin, end, rows, n_words, bucket, minn, maxn, vector):
    """Add the rows of the n-grams of one word. Returns their number."""
    found = 0
    for first in range(begin, end):
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
                vector += rows[n_words + h % np.uint32(bucket)]
                found += 1
    return found


@njit(nogil=True, cache=True)
def _hashed(h, byte):
    return np.uint32((h ^ np.uint32(np.int8(byte))) * _PRIME)
