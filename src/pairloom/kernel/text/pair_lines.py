"""Lines `word context [weight]`, on bytes. Equivalent to Python's `line.split()` and `float`."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import MAX_WORD_BYTES
from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, int64_at
from pairloom.kernel.text.numbers import parse_number
from pairloom.kernel.text.scan import AT_LINE_END, LENGTH, START, room_for_entries, scan
from pairloom.kernel.text.words import (
    Bytes,
    WordTable,
    add_word,
    empty_table,
    entry_at,
    find,
    places_of,
    with_capacity,
)

_DONE, _FULL, _BAD = 0, 1, 2


class Parsed(NamedTuple):
    """The pairs of a block: row w[i] of `words` with row c[i] of `contexts`, in line lines[i], counted from 0.

    odd[i] is where the weight begins if Python has to read it, else -1. bad_line is the first line that is not a pair,
    or -1. The pairs of the lines before it are complete.
    """

    words: WordTable
    contexts: WordTable
    w: npt.NDArray[np.int32]
    c: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]
    lines: npt.NDArray[np.int32]
    odd: npt.NDArray[np.int64]
    weighted: bool
    bad_line: int


def parse(data: Bytes) -> Parsed:
    """The pairs of a block of bytes that ends with a line end."""
    most = len(data) // 4 + 1  # the shortest pair is `a b` and a line end
    kinds: tuple[Any, ...] = (np.int32, np.int32, np.float32, np.int32, np.int64)
    arrays = [np.empty(most, kind) for kind in kinds]
    words, contexts = (empty_table(min(most, 1 << 12), len(data)) for _ in range(2))
    state = np.zeros(4, np.int64)  # where the line begins, its number, pairs so far, whether any line has a weight
    room = room_for_entries()
    while (how := _parse(words, contexts, data, tuple(arrays), state, room)) == _FULL:
        words, contexts = with_capacity(words, 1, 0), with_capacity(contexts, 1, 0)
    w, c, weights, lines, odd = (array[: state[2]] for array in arrays)
    return Parsed(words, contexts, w, c, weights, lines, odd, bool(state[3]), int(state[1]) if how == _BAD else -1)


@njit(nogil=True, cache=True)
def row_of(table, places, entry, limit):
    """The row of a word in a table, where it is added if it is new. The table must not be full."""
    word, slot = find(places, entry, limit)
    return word if word >= 0 else add_word(table, entry, slot)


@njit(nogil=True, cache=True)
def _parse(words, contexts, data, arrays, state, room):
    """Continue at the line in `state`. Stop at the end, at a line that is not a pair, or when a table is full."""
    w, c, weights, lines, odd = arrays
    word_places, context_places = places_of(words), places_of(contexts)
    begin, found = address(data), address(room)
    at, limit = begin + state[0], begin + len(data)
    line, n = state[1], state[2]
    field = 0
    while at < limit:
        n_found, at = scan(at, limit, word_places.slots, word_places.mask, found)
        for i in range(n_found):
            entry = entry_at(found, i)
            start, length = int64_at(entry, START), int64_at(entry, LENGTH)
            if length == AT_LINE_END:
                if field == 1:
                    state[1], state[2] = line, n
                    return _BAD
                n += field > 0
                line += 1
                field = 0
                state[0] = start + 1 - begin
                if words.used[0] == len(words.counts) or contexts.used[0] == len(contexts.counts):
                    state[1], state[2] = line, n
                    return _FULL
                continue
            if field > 2 or (field < 2 and length > MAX_WORD_BYTES):
                state[1], state[2] = line, n
                return _BAD
            if field == 0:
                w[n] = row_of(words, word_places, entry, limit)
                weights[n], lines[n], odd[n] = 1.0, line, -1
            elif field == 1:
                c[n] = row_of(contexts, context_places, entry, limit)
            else:
                weights[n], after = parse_number(start)
                if after != start + length:
                    odd[n] = start - begin
                state[3] = 1
            field += 1
    state[1], state[2] = line, n
    return _DONE
