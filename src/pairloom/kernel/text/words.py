"""Counting and encoding of the words that `scan.py` finds.

Words are kept in a `WordTable`, an open-addressing hash table over an arena of bytes. Two words are the same only if
all their bytes are, whatever their hashes.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import MAX_WORD_BYTES
from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, byte_at, eight_at, int64_at
from pairloom.kernel.text.scan import (
    AT_LINE_END,
    ENTRY,
    HASH,
    HEAD,
    LENGTH,
    START,
    describe,
    eight_of,
    room_for_entries,
    scan,
)

Bytes = npt.NDArray[np.uint8]

_HEAD_BYTES = 16  # of a word, which are compared without looking into the arena
_LONGEST = 255  # longer words have this length in a slot
_LENGTH_SHIFT = np.uint64(32)
_LOW = np.uint64(0x00000000FFFFFFFF)
_TAG = np.uint64(0xFFFFFF0000000000)  # the bits of a hash that are kept in a slot


class WordTable(NamedTuple):
    """Words and their counts. Word e has the bytes arena[offsets[e] : offsets[e + 1]].

    A slot is 0 when empty. Otherwise it has 24 bits of the word's hash, 8 bits for its length (255 if that is more),
    and in its low half e + 1. So a look-up reads a slot and heads[e], and the arena only for words of more than 16
    bytes.
    """

    slots: npt.NDArray[np.uint64]  # a power of two, at least twice the capacity for words
    hashes: npt.NDArray[np.uint64]
    heads: npt.NDArray[np.uint64]  # (capacity, 2): the first 16 bytes of each word, with zeros after its end
    offsets: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    arena: Bytes
    used: npt.NDArray[np.int64]  # (1,): how many words there are


Grow = Callable[[WordTable, int, int], WordTable]


class Ids(NamedTuple):
    """One block as ids, and where its lines end among them. (The first line has an end even if it has no ids.)"""

    ids: npt.NDArray[np.int32]
    line_ends: npt.NDArray[np.int64]


def empty_table(n_words: int = 1 << 14, n_bytes: int = 1 << 17) -> WordTable:
    """A table for up to `n_words` words with `n_bytes` bytes in total."""
    return WordTable(
        slots=_empty_slots(n_words),
        hashes=np.zeros(n_words, np.uint64),
        heads=np.zeros((n_words, 2), np.uint64),
        offsets=np.zeros(n_words + 1, np.int64),
        counts=np.zeros(n_words, np.int64),
        arena=np.zeros(n_bytes, np.uint8),
        used=np.zeros(1, np.int64),
    )


def table_of(words: list[bytes]) -> WordTable:
    """A table in which word e is words[e], for `encode`. The words must differ. Counts are zero."""
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    return table_with(np.frombuffer(b"".join(words), np.uint8), lengths)


def table_with(arena: Bytes, lengths: npt.NDArray[np.int64]) -> WordTable:
    """`table_of` for words of these lengths, one after the other in an arena."""
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    return merge(empty_table(len(lengths), len(arena)), arena, offsets, np.zeros(len(lengths), np.int64))


def count(table: WordTable, data: Bytes, grow: Grow | None = None) -> tuple[WordTable, int, int]:
    """Count the words of a block. Returns the table (which may be new), the tokens, and how many were too long.

    grow: called like `with_capacity`, it may empty the table instead of making a larger one.
    """
    grow = grow or with_capacity
    table = grow(table, 0, len(data))
    totals = np.zeros(2, np.int64)
    position = 0
    while (position := _count_from(table, data, position, totals, room_for_entries())) < len(data):
        table = grow(table, 1, 0)
    return table, int(totals[0]), int(totals[1])


def merge(table: WordTable, arena: Bytes, offsets: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> WordTable:
    """Add the words and counts of another table. Returns the table, or a larger one."""
    table, rows = absorb(table, arena, offsets)
    table.counts[rows] += counts
    return table


def absorb(table: WordTable, arena: Bytes, offsets: npt.NDArray[np.int64]) -> tuple[WordTable, npt.NDArray[np.int64]]:
    """Add the words of another table. Returns the table, or a larger one, and the row of each word in it."""
    rows = np.empty(len(offsets) - 1, np.int64)
    table = with_capacity(table, n_words=len(rows), n_bytes=len(arena))
    # By address, since Numba would compile twice: for arenas that can be written, and for others.
    _absorb(table, arena.ctypes.data, len(arena), offsets, rows, room_for_entries())
    return table, rows


def contents(table: WordTable) -> tuple[Bytes, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The used part of a table: arena, offsets and counts."""
    used = int(table.used[0])
    offsets = table.offsets[: used + 1]
    return table.arena[: offsets[-1]], offsets, table.counts[:used]


def encode(table: WordTable, data: Bytes, gaps: bool = False) -> Ids:
    """The ids of a block's words. Words outside the table are left out, or -1 if `gaps`; too long ones are left out."""
    ids = np.empty(len(data) // 2 + 1, np.int32)
    line_ends = np.empty(len(data) // 2 + 2, np.int64)
    n_ids, n_lines = _encode(table, data, gaps, ids, line_ends, room_for_entries())
    return Ids(ids[:n_ids], line_ends[:n_lines])


def _empty_slots(n_words: int) -> npt.NDArray[np.uint64]:
    return np.zeros(_n_slots(n_words), np.uint64)


def _n_slots(n_words: int) -> int:
    return 1 << max(4, (2 * n_words).bit_length())


def with_capacity(table: WordTable, n_words: int, n_bytes: int) -> WordTable:
    """The table if it can take `n_words` and `n_bytes` more, else a copy of at least twice the size."""
    used = int(table.used[0])
    used_bytes = int(table.offsets[used])
    if used_bytes + n_bytes > len(table.arena):
        table = table._replace(arena=_longer(table.arena, 2 * used_bytes + n_bytes))
    if used + n_words > len(table.counts):
        capacity = 2 * used + n_words
        slots = _empty_slots(capacity)
        _place(slots, table.hashes[:used], table.offsets)
        table = table._replace(
            slots=slots,
            hashes=_longer(table.hashes, capacity),
            heads=_longer(table.heads, capacity),
            offsets=_longer(table.offsets, capacity + 1),
            counts=_longer(table.counts, capacity),
        )
    return table


def growth(table: WordTable, n_words: int, n_bytes: int) -> int:
    """The bytes of the new arrays that `with_capacity` would make. The old ones are freed only after that."""
    used = int(table.used[0])
    used_bytes, new = int(table.offsets[used]), 0
    if used_bytes + n_bytes > len(table.arena):
        new += 2 * used_bytes + n_bytes
    if used + n_words > len(table.counts):
        capacity = 2 * used + n_words
        new += 8 * (_n_slots(capacity) + 5 * capacity + 1)
    return new


def emptied(table: WordTable) -> WordTable:
    """The same memory, without any words."""
    table.slots[:] = table.counts[:] = table.used[:] = 0
    return table


def picked(arena: Bytes, offsets: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]) -> tuple[Bytes, Any]:
    """Some words of an arena, as an arena of their own with its offsets."""
    ends = np.cumsum(offsets[rows + 1] - offsets[rows])
    mine = np.concatenate((np.zeros(1, np.int64), ends))
    copy = np.empty(int(mine[-1]), np.uint8)
    _pick(arena, offsets, rows, copy, mine)
    return copy, mine


def _longer(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    longer = np.zeros((size, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


# The innermost functions take addresses, for the reason given in `memory.py`: arrays made the whole twice as slow.
# `limit` is the end of the memory that may be read. An entry is a word as `scan` describes it.


class _Places(NamedTuple):
    """Addresses of a table's arrays."""

    slots: int
    mask: int
    heads: int
    offsets: int
    arena: int
    arena_limit: int


@njit(nogil=True, cache=True)
def places_of(table):
    arena = address(table.arena)
    return _Places(
        address(table.slots),
        len(table.slots) - 1,
        address(table.heads),
        address(table.offsets),
        arena,
        arena + len(table.arena),
    )


@njit(nogil=True, cache=True)
def entry_at(found, i):
    """The address of entry number i."""
    return found + 8 * ENTRY * i


@njit(nogil=True, cache=True)
def _slot_of(h, length):
    """A slot without the number of its word."""
    return (h & _TAG) | np.uint64(min(length, _LONGEST)) << _LENGTH_SHIFT


@njit(nogil=True, cache=True)
def _same_rest(places, word, start, length, limit):
    """Whether a word of more than 16 bytes is the same after them as word number `word`."""
    offset = int64_at(places.offsets, word)
    if int64_at(places.offsets, word + 1) - offset != length:
        return False
    other = places.arena + offset
    for done in range(_HEAD_BYTES, length, 8):
        mine = eight_of(start + done, start + length, limit)
        if mine != eight_of(other + done, other + length, places.arena_limit):
            return False
    return True


@njit(nogil=True, cache=True)
def find(places, entry, limit):
    """(word, slot): the number of the word of an entry, or -1 and the empty slot where it belongs."""
    h, length = eight_at(entry + 8 * HASH), int64_at(entry, LENGTH)
    low, high = eight_at(entry + 8 * HEAD), eight_at(entry + 8 * HEAD + 8)
    wanted = _slot_of(h, length)
    slot = np.int64(h) & places.mask
    while True:
        content = eight_at(places.slots + 8 * slot)
        if content == 0:
            return np.int64(-1), slot
        if content & ~_LOW == wanted:
            word = np.int64(content & _LOW) - 1
            head = places.heads + _HEAD_BYTES * word
            if (
                eight_at(head) == low
                and eight_at(head + 8) == high
                and (length <= _HEAD_BYTES or _same_rest(places, word, int64_at(entry, START), length, limit))
            ):
                return word, slot
        slot = (slot + 1) & places.mask


@njit(nogil=True, cache=True)
def add_word(table, entry, slot):
    """Put the new word of an entry into the empty slot from `find`. The table must not be full."""
    start, length, h = int64_at(entry, START), int64_at(entry, LENGTH), eight_at(entry + 8 * HASH)
    word = table.used[0]
    offset = table.offsets[word]
    for j in range(length):
        table.arena[offset + j] = byte_at(start + j)
    table.offsets[word + 1] = offset + length
    table.hashes[word] = h
    table.heads[word, 0], table.heads[word, 1] = eight_at(entry + 8 * HEAD), eight_at(entry + 8 * HEAD + 8)
    table.slots[slot] = _slot_of(h, length) | np.uint64(word + 1)
    table.used[0] = word + 1
    return word


@njit(nogil=True, cache=True)
def _count_from(table, data, position, totals, room):
    """Count words from `position` on. Stop at the end of data, or before a new word if the table is full."""
    places, found = places_of(table), address(room)
    counts = table.counts
    begin = address(data)
    at, limit = begin + position, begin + len(data)
    while at < limit:
        n, after = scan(at, limit, places.slots, places.mask, found)
        for i in range(n):
            entry = entry_at(found, i)
            length = int64_at(entry, LENGTH)
            if length == AT_LINE_END:
                continue
            if length > MAX_WORD_BYTES:
                totals[1] += 1
                continue
            word, slot = find(places, entry, limit)
            if word < 0:
                if table.used[0] == len(counts):
                    return int64_at(entry, START) - begin
                word = add_word(table, entry, slot)
            counts[word] += 1
            totals[0] += 1
        at = after
    return len(data)


@njit(nogil=True, cache=True)
def _encode(table, data, gaps, ids, line_ends, room):
    """Fill ids and line_ends. Returns how many of each."""
    places, found = places_of(table), address(room)
    n_ids = 0
    n_lines = 0
    at = address(data)
    limit = at + len(data)
    while at < limit:
        n, at = scan(at, limit, places.slots, places.mask, found)
        for i in range(n):
            entry = entry_at(found, i)
            length = int64_at(entry, LENGTH)
            if length == AT_LINE_END:
                if n_lines == 0 or line_ends[n_lines - 1] < n_ids:
                    line_ends[n_lines] = n_ids
                    n_lines += 1
            elif length <= MAX_WORD_BYTES:
                word, _ = find(places, entry, limit)
                ids[n_ids] = word
                n_ids += (word >= 0) | gaps
    return n_ids, n_lines


@njit(nogil=True, cache=True)
def _place(slots, hashes, offsets):
    """Give every word a slot of the empty `slots`. The words differ, so no bytes are compared."""
    mask = len(slots) - 1
    for word in range(len(hashes)):
        h = hashes[word]
        slot = np.int64(h) & mask
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = _slot_of(h, offsets[word + 1] - offsets[word]) | np.uint64(word + 1)


@njit(nogil=True, cache=True)
def _absorb(table, begin, n_bytes, offsets, rows, room):
    """Look up or add all words of an arena of `n_bytes` bytes that begins at an address."""
    places, entry = places_of(table), address(room)
    for other in range(len(rows)):
        describe(entry, begin + offsets[other], begin + offsets[other + 1], begin + n_bytes)
        word, slot = find(places, entry, begin + n_bytes)
        if word < 0:
            word = add_word(table, entry, slot)
        rows[other] = word


@njit(nogil=True, cache=True)
def _pick(arena, offsets, rows, copy, mine):
    for i in range(len(rows)):
        begin, at = offsets[rows[i]], mine[i]
        for j in range(mine[i + 1] - at):
            copy[at + j] = arena[begin + j]


@njit(nogil=True, cache=True)
def tally(ids, counts):
    """Add to counts[word] how often each word is among the ids. Ids of -1 are skipped."""
    for word in ids:
        if word >= 0:
            counts[word] += 1
