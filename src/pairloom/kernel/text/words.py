"""Splitting, counting and encoding of UTF-8 text, on bytes.

Equivalent to Python's own `str.split()` on each line of the decoded text. Words are kept in a `WordTable`, an
open-addressing hash table over an arena of bytes. Two words are the same only if all their bytes are, whatever their
hashes.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import MAX_WORD_BYTES
from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, byte_at, eight_at, prefetch, trailing_zeros

Bytes = npt.NDArray[np.uint8]

# The kind of each byte. C2, E1, E2 and E3 begin the white space beyond ASCII, and many other characters.
_ORDINARY, _SPACE, _LINE_END, _MAYBE_SPACE = 0, 1, 2, 3
_KIND = np.zeros(256, np.uint8)
_KIND[[0x09, 0x0B, 0x0C, 0x1C, 0x1D, 0x1E, 0x1F, 0x20]] = _SPACE
_KIND[[0x0A, 0x0D]] = _LINE_END
_KIND[[0xC2, 0xE1, 0xE2, 0xE3]] = _MAYBE_SPACE

_SCANNED = 64  # words that are found before they are looked up: see `scan`
AT_LINE_END = 0  # no address of a word

_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
_SPACES_PLUS_ONE = np.uint64(0x2121212121212121)
_TOP_BITS = np.uint64(0x8080808080808080)
_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio; odd, so no information is lost by it
_HALF = np.uint64(32)
_LOW = np.uint64(0x00000000FFFFFFFF)
_HIGH = np.uint64(0xFFFFFFFF00000000)


class WordTable(NamedTuple):
    """Words and their counts. Word e has the bytes arena[offsets[e] : offsets[e + 1]].

    A slot is 0 when empty; otherwise it has the high half of the word's hash and, in its low half, e + 1.
    """

    slots: npt.NDArray[np.uint64]  # a power of two, at least twice the capacity for words
    hashes: npt.NDArray[np.uint64]
    offsets: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    arena: Bytes
    used: npt.NDArray[np.int64]  # (1,): how many words there are


Grow = Callable[[WordTable, int, int], WordTable]


class Ids(NamedTuple):
    """One block as ids, and where its lines end among them. (The first line has an end even if it has no ids.)"""

    ids: npt.NDArray[np.int32]
    line_ends: npt.NDArray[np.int64]


class _Found(NamedTuple):
    """Words that were found and not yet looked up: addresses of their bytes, and their hashes."""

    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]  # or AT_LINE_END
    hash: npt.NDArray[np.uint64]


def empty_table(n_words: int = 1 << 14, n_bytes: int = 1 << 17) -> WordTable:
    """A table for up to `n_words` words with `n_bytes` bytes in total."""
    return WordTable(
        slots=_empty_slots(n_words),
        hashes=np.zeros(n_words, np.uint64),
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
    while (position := _count_from(table, data, position, totals, empty_found())) < len(data):
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
    _absorb(table, arena, offsets, rows)
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
    n_ids, n_lines = _encode(table, data, gaps, ids, line_ends, empty_found())
    return Ids(ids[:n_ids], line_ends[:n_lines])


def empty_found() -> _Found:
    return _Found(np.empty(_SCANNED, np.int64), np.empty(_SCANNED, np.int64), np.empty(_SCANNED, np.uint64))


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
        _place(slots, table.hashes[:used])
        table = table._replace(
            slots=slots,
            hashes=_longer(table.hashes, capacity),
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
        new += 8 * (_n_slots(capacity) + 3 * capacity + 1)
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
    longer = np.zeros(size, array.dtype)
    longer[: len(array)] = array
    return longer


# The innermost functions take addresses, for the reason given in `memory.py`: arrays made the whole twice as slow.
# `limit` is the end of the memory that may be read.


@njit(nogil=True, cache=True)
def _space_length(at, limit):
    """The length in bytes of the white space character beyond ASCII at an address, or 0.

    These are U+0085, U+00A0, U+1680, U+2000..U+200A, U+2028, U+2029, U+202F, U+205F and U+3000.
    """
    left = limit - at
    first = byte_at(at)
    second = byte_at(at + 1) if left > 1 else 0
    if first == 0xC2:
        return 2 if second == 0x85 or second == 0xA0 else 0
    third = byte_at(at + 2) if left > 2 else 0
    if first == 0xE1:
        return 3 if second == 0x9A and third == 0x80 else 0
    if first == 0xE3:
        return 3 if second == 0x80 and third == 0x80 else 0
    if second == 0x81:
        return 3 if third == 0x9F else 0
    if second == 0x80 and (0x80 <= third <= 0x8A or third == 0xA8 or third == 0xA9 or third == 0xAF):
        return 3
    return 0


@njit(nogil=True, cache=True)
def _eight(at, end, limit):
    """The bytes from `at` to `end`, eight at most, as one uint64 with zeros after the end."""
    left = end - at
    if at + 8 <= limit:
        x = eight_at(at)
        return x if left >= 8 else x & (_ONES >> np.uint64(64 - 8 * left))
    x = np.uint64(0)
    for j in range(min(left, 8)):
        x |= np.uint64(byte_at(at + j)) << np.uint64(8 * j)
    return x


@njit(nogil=True, cache=True)
def _word_end(at, limit):
    """The end of the word that starts at an address."""
    while at < limit:
        if at + 8 <= limit:
            # The lowest top bit that is set belongs to the first byte below 0x21, or of 0x80 and more.
            x = eight_at(at)
            odd = ((x - _SPACES_PLUS_ONE) | x) & _TOP_BITS
            if odd == 0:
                at += 8
                continue
            at += trailing_zeros(odd) >> 3
        kind = _KIND[byte_at(at)]
        if kind != _ORDINARY and (kind != _MAYBE_SPACE or _space_length(at, limit) > 0):
            return at
        at += 1
    return limit


@njit(nogil=True, cache=True)
def _hash(start, end, limit):
    """Eight bytes at a time: xor, multiply, and bring the high bits down."""
    h = np.uint64(end - start)
    at = start
    while at < end:
        h = (h ^ _eight(at, end, limit)) * _MIX
        h ^= h >> _HALF
        at += 8
    h *= _MIX  # once more, or the last letters of a long word would never reach the low bits, which choose the slot
    return h ^ (h >> _HALF)


@njit(nogil=True, cache=True)
def _same(one, other, length, limit, other_limit):
    """Whether the `length` bytes at two addresses are the same."""
    done = 0
    while done < length:
        if _eight(one + done, one + length, limit) != _eight(other + done, other + length, other_limit):
            return False
        done += 8
    return True


class _Places(NamedTuple):
    """Addresses of a table's arrays."""

    slots: int
    mask: int
    offsets: int
    arena: int
    arena_limit: int


@njit(nogil=True, cache=True)
def places_of(table):
    arena = address(table.arena)
    return _Places(address(table.slots), len(table.slots) - 1, address(table.offsets), arena, arena + len(table.arena))


@njit(nogil=True, cache=True)
def find(places, start, end, limit, h):
    """(word, slot): the number of the word between two addresses, or -1 and the empty slot where it belongs."""
    slot = np.int64(h) & places.mask
    while True:
        content = eight_at(places.slots + 8 * slot)
        if content == 0:
            return np.int64(-1), slot
        if (content ^ h) & _HIGH == 0:
            word = np.int64(content & _LOW) - 1
            offset = np.int64(eight_at(places.offsets + 8 * word))
            length = np.int64(eight_at(places.offsets + 8 * word + 8)) - offset
            if length == end - start and _same(start, places.arena + offset, length, limit, places.arena_limit):
                return word, slot
        slot = (slot + 1) & places.mask


@njit(nogil=True, cache=True)
def add_word(table, data, start, end, h, slot):
    """Put the new word data[start:end] into the empty slot from `find`. The table must not be full."""
    word = table.used[0]
    offset = table.offsets[word]
    for j in range(end - start):
        table.arena[offset + j] = data[start + j]
    table.offsets[word + 1] = offset + end - start
    table.hashes[word] = h
    table.slots[slot] = (h & _HIGH) | np.uint64(word + 1)
    table.used[0] = word + 1
    return word


@njit(nogil=True, cache=True)
def scan(at, limit, places, found):
    """Find the next words and line ends, and prefetch the words' slots. Returns how many, and the next address.

    Some at a time, because a look-up waits for memory, and meanwhile the words after it can be found.
    """
    n = 0
    while at < limit and n < _SCANNED:
        kind = _KIND[byte_at(at)]
        if kind == _SPACE:
            at += 1
            continue
        if kind == _LINE_END:
            found.start[n], found.end[n] = at, AT_LINE_END
            n += 1
            at += 1
            continue
        if kind == _MAYBE_SPACE:
            space = _space_length(at, limit)
            if space > 0:
                at += space
                continue
        end = _word_end(at, limit)
        h = _hash(at, end, limit)
        prefetch(places.slots, 2 * (np.int64(h) & places.mask))
        found.start[n], found.end[n], found.hash[n] = at, end, h
        n += 1
        at = end + (end < limit and byte_at(end) == 0x20)
    return n, at


@njit(nogil=True, cache=True)
def _count_from(table, data, position, totals, found):
    """Count words from `position` on. Stop at the end of data, or before a new word if the table is full."""
    places = places_of(table)
    counts = table.counts
    begin = address(data)
    at, limit = begin + position, begin + len(data)
    while at < limit:
        n, after = scan(at, limit, places, found)
        for i in range(n):
            start, end, h = found.start[i], found.end[i], found.hash[i]
            if end == AT_LINE_END:
                continue
            if end - start > MAX_WORD_BYTES:
                totals[1] += 1
                continue
            word, slot = find(places, start, end, limit, h)
            if word < 0:
                if table.used[0] == len(counts):
                    return start - begin
                word = add_word(table, data, start - begin, end - begin, h, slot)
            counts[word] += 1
            totals[0] += 1
        at = after
    return len(data)


@njit(nogil=True, cache=True)
def _encode(table, data, gaps, ids, line_ends, found):
    """Fill ids and line_ends. Returns how many of each."""
    places = places_of(table)
    n_ids = 0
    n_lines = 0
    at = address(data)
    limit = at + len(data)
    while at < limit:
        n, at = scan(at, limit, places, found)
        for i in range(n):
            start, end = found.start[i], found.end[i]
            if end == AT_LINE_END:
                if n_lines == 0 or line_ends[n_lines - 1] < n_ids:
                    line_ends[n_lines] = n_ids
                    n_lines += 1
            elif end - start <= MAX_WORD_BYTES:
                word, _ = find(places, start, end, limit, found.hash[i])
                ids[n_ids] = word
                n_ids += (word >= 0) | gaps
    return n_ids, n_lines


@njit(nogil=True, cache=True)
def _place(slots, hashes):
    """Give every word a slot of the empty `slots`. The words differ, so no bytes are compared."""
    mask = len(slots) - 1
    for word in range(len(hashes)):
        h = hashes[word]
        slot = np.int64(h) & mask
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = (h & _HIGH) | np.uint64(word + 1)


@njit(nogil=True, cache=True)
def _absorb(table, arena, offsets, rows):
    places = places_of(table)
    begin = address(arena)
    limit = begin + len(arena)
    for other in range(len(rows)):
        start, end = offsets[other], offsets[other + 1]
        h = _hash(begin + start, begin + end, limit)
        word, slot = find(places, begin + start, begin + end, limit, h)
        if word < 0:
            word = add_word(table, arena, start, end, h, slot)
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
