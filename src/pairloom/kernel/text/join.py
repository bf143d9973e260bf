"""Phrases joined in UTF-8 text. Their twin is `pairloom.preparing.phrases.joining.join`, line by line."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import MAX_WORD_BYTES
from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, int64_at
from pairloom.kernel.text.phrases import Slots, value_of
from pairloom.kernel.text.scan import AT_LINE_END, LENGTH, START, room_for_entries, scan
from pairloom.kernel.text.words import Bytes, WordTable, entry_at, find, places_of


class Joiner(NamedTuple):
    """The phrases of one pass, over the words that are in any of them."""

    words: WordTable
    is_connector: npt.NDArray[np.bool_]
    gaps: Slots
    pairs: Slots
    delimiter: Bytes


_LINE_END = -2  # a token that is a line end; -1 is a word that is in no phrase
_NEW_LINE, _BLANK = 0x0A, 0x20


def join(joiner: Joiner, data: Bytes, goes_on: bool) -> Bytes:
    """The text with its phrases joined: the same lines, one space between words, the delimiter within phrases.

    The last line gets a line end if `data` has none, unless it goes on: then it gets a space.
    """
    most = len(data) + 1  # tokens: each takes at least a byte
    starts, ends = np.empty(most, np.int64), np.empty(most, np.int64)
    words, joined = np.empty(most, np.int32), np.zeros(most, np.bool_)
    n = _tokens(joiner.words, data, starts, ends, words, room_for_entries())
    _mark(joiner.is_connector, joiner.gaps, joiner.pairs, words, joined, n)
    out = np.empty(len(data) + len(joiner.delimiter) * int(joined[:n].sum()) + 1, np.uint8)
    written = out[: _write(data, starts, ends, words, joined, n, joiner.delimiter, goes_on, out)]
    written.flags.writeable = False  # as blocks of a file are: to Numba that is another type
    return written


@njit(nogil=True, cache=True)
def _tokens(table, data, starts, ends, words, room):
    """Find the words and line ends of a text: their places and their numbers. Returns how many there are."""
    places = places_of(table)
    begin, found = address(data), address(room)
    at, limit = begin, begin + len(data)
    n = 0
    while at < limit:
        n_found, at = scan(at, limit, places.slots, places.mask, found)
        for i in range(n_found):
            entry = entry_at(found, i)
            start, length = int64_at(entry, START) - begin, int64_at(entry, LENGTH)
            if length == AT_LINE_END:
                words[n] = _LINE_END
            elif length <= MAX_WORD_BYTES:
                word, _ = find(places, entry, limit)
                words[n], starts[n], ends[n] = word, start, start + length
            else:
                continue
            n += 1
    return n


@njit(nogil=True, cache=True)
def _mark(is_connector, gaps, pairs, words, joined, n):
    """Set joined[i] if token i is joined to the one before it. Equivalent to `pairloom.preparing.phrases.joining.join`.

    A connector that is in no phrase is not in the table. Like all words outside the table, it opens no phrase and ends
    the open one, which is right: no phrase reaches across it.
    """
    first, gap = -1, np.int64(0)  # the open token, and the gap after it; a gap of -1 is in no phrase
    for i in range(n):
        word = words[i]
        if word < 0:
            first = -1
        elif is_connector[word]:
            if first >= 0 and gap >= 0:
                gap = value_of(gaps, gap, word, 0)
                if gap == 0:
                    gap = np.int64(-1)
        elif first >= 0 and gap >= 0 and value_of(pairs, words[first], word, gap):
            joined[first + 1 : i + 1] = True
            first = -1
        else:
            first, gap = i, np.int64(0)


@njit(nogil=True, cache=True)
def _write(data, starts, ends, words, joined, n, delimiter, goes_on, out):
    """Write the tokens. Returns the number of bytes."""
    at = 0
    has_words = False  # the line so far
    for i in range(n):
        if words[i] == _LINE_END:
            out[at] = _NEW_LINE
            at += 1
            has_words = False
            continue
        if joined[i]:
            for byte in delimiter:
                out[at] = byte
                at += 1
        elif has_words:
            out[at] = _BLANK
            at += 1
        for j in range(starts[i], ends[i]):
            out[at] = data[j]
            at += 1
        has_words = True
    if goes_on and has_words:
        out[at] = _BLANK
        at += 1
    elif not goes_on and len(data) > 0 and data[-1] != _NEW_LINE:
        out[at] = _NEW_LINE
        at += 1
    return at
