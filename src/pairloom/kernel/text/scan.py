"""Words of UTF-8 text, found 64 bytes at a time.

Equivalent to Python's own `str.split()` on each line of the decoded text. Each byte becomes one bit of a mask, 1 if it
is white space, so that a word ends at a 1 that follows a 0:

    bytes    k i n g   a n d   q u e e n \\n
    spaces   0 0 0 0 1 0 0 0 1 0 0 0 0 0 1
    ends             1       1           1     = spaces & ~(spaces << 1)

A found word is an entry of five numbers: its address, its length, its hash, and its first 16 bytes as two numbers. Most
words are no longer than that, so these two and the length are all that a table has to compare.
"""

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from pairloom.kernel.compile import njit
from pairloom.kernel.memory import byte_at, eight_at, prefetch, put_eight, put_int64, trailing_zeros

# The kind of each byte. C2, E1, E2 and E3 begin the white space beyond ASCII, and many other characters.
_ORDINARY, _SPACE, _LINE_END, _MAYBE_SPACE = 0, 1, 2, 3
_KIND = np.zeros(256, np.uint8)
_KIND[[0x09, 0x0B, 0x0C, 0x1C, 0x1D, 0x1E, 0x1F, 0x20]] = _SPACE
_KIND[[0x0A, 0x0D]] = _LINE_END
_KIND[[0xC2, 0xE1, 0xE2, 0xE3]] = _MAYBE_SPACE

_VECTOR = 64  # bytes that become one mask
_BYTES = ir.VectorType(ir.IntType(8), _VECTOR)
_LAST_BIT = np.uint64(1 << 63)

START, LENGTH, HASH, HEAD = range(4)  # of an entry: positions of its numbers. HEAD takes two
ENTRY = 5  # numbers
_ENTRY_BYTES = 8 * ENTRY
AT_LINE_END = -1  # the length of an entry that is a line end

_SCANNED = 64  # words that are found before they are looked up: see `scan`
_MOST_FOUND = _SCANNED + _VECTOR + 1  # the last 64 bytes may bring 64 line ends, and the end of a word before them

_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)
_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio
_MIX_AGAIN = np.uint64(0xD6E8FEB86659FD93)  # any odd number with as many ones as zeros


def room_for_entries() -> npt.NDArray[np.int64]:
    """Memory for what one call of `scan` finds."""
    return np.empty(_MOST_FOUND * ENTRY, np.int64)


@intrinsic
def _masks(typing, at):
    """(spaces, line ends, others): masks of the 64 bytes at an address, the first byte lowest.

    spaces: white space of ASCII, line ends included. others: bytes that may begin other white space.
    """

    def codegen(context, builder, signature, args):
        x = builder.load(builder.inttoptr(args[0], _BYTES.as_pointer()), align=1)

        def within(low, high):
            from_low = builder.sub(x, ir.Constant(_BYTES, [low] * _VECTOR))
            return builder.icmp_unsigned("<=", from_low, ir.Constant(_BYTES, [high - low] * _VECTOR))

        spaces = builder.or_(within(0x09, 0x0D), within(0x1C, 0x20))
        lines = builder.or_(within(0x0A, 0x0A), within(0x0D, 0x0D))
        others = builder.or_(within(0xC2, 0xC2), within(0xE1, 0xE3))
        masks = [builder.bitcast(which, ir.IntType(_VECTOR)) for which in (spaces, lines, others)]
        return context.make_tuple(builder, signature.return_type, masks)

    return types.UniTuple(types.uint64, 3)(types.int64), codegen


@intrinsic
def _folded_product(typing, x, y):
    """The high half of the 128 bits of x * y, xor the low half. Every bit of x and y reaches nearly all of it."""

    def codegen(context, builder, signature, args):
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        high = builder.trunc(builder.lshr(product, wide(64)), ir.IntType(64))
        return builder.xor(high, builder.trunc(product, ir.IntType(64)))

    return types.uint64(types.uint64, types.uint64), codegen


# All functions take addresses, for the reason given in `memory.py`. `limit` is the end of the memory that may be read.


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
def eight_of(at, end, limit):
    """The bytes from `at` to `end`, eight at most, as one uint64 with zeros after the end."""
    left = end - at
    if at + 8 <= limit:
        x = eight_at(at)
        return x if left >= 8 else x & (_ONES >> np.uint64(64 - 8 * left))
    x = _ZERO
    for j in range(min(left, 8)):
        x |= np.uint64(byte_at(at + j)) << np.uint64(8 * j)
    return x


@njit(nogil=True, cache=True)
def describe(entry, start, end, limit):
    """Write the entry of the word between two addresses. Returns its hash.

    Without a branch for words of up to 16 bytes: their lengths are random, so a CPU would guess every other one wrong.
    """
    length = end - start
    if start + 16 <= limit:
        low = eight_at(start) & (_ONES >> np.uint64(64 - 8 * min(length, 8)))
        high = eight_at(start + 8) & (_ONES >> np.uint64((128 - 8 * min(length, 16)) & 63))
        high &= _ZERO - np.uint64(length > 8)
    else:
        low = eight_of(start, end, limit)
        high = eight_of(start + 8, end, limit) if length > 8 else _ZERO
    h = _folded_product(low ^ _MIX, high ^ _MIX_AGAIN ^ np.uint64(length))
    at = start + 16
    while at < end:
        h = _folded_product(h ^ eight_of(at, end, limit), _MIX)
        at += 8
    put_int64(entry, START, start)
    put_int64(entry, LENGTH, length)
    put_eight(entry + 8 * HASH, h)
    put_eight(entry + 8 * HEAD, low)
    put_eight(entry + 8 * HEAD + 8, high)
    return h


@njit(nogil=True, cache=True)
def _put_line_end(entry, at):
    put_int64(entry, START, at)
    put_int64(entry, LENGTH, AT_LINE_END)


@njit(nogil=True, cache=True)
def _mask_of_others(others, at, limit):
    """(mask, beyond): which of 64 bytes are white space beyond ASCII, and how many bytes after them still are."""
    mask, beyond = _ZERO, 0
    while others != _ZERO:
        place = trailing_zeros(others)
        length = _space_length(at + place, limit)
        mask |= ((_ONE << np.uint64(length)) - _ONE) << np.uint64(place)
        beyond = max(beyond, place + length - _VECTOR)
        others &= others - _ONE
    return mask, beyond


@njit(nogil=True, cache=True)
def scan(at, limit, slots, slots_mask, found):
    """Find the next words and line ends. Returns how many, and the address to go on from.

    Many at a time, because a look-up in a table waits for memory: slots[hash & slots_mask], of eight bytes each, is
    asked for here, and has come when the word is looked up.
    """
    n, entry = 0, found
    start, after_space, spaces_left = at, _ONE, 0  # of an open word; whether none is open; bytes of a space cut in two
    while at + _VECTOR <= limit and n < _SCANNED:
        spaces, lines, others = _masks(at)
        spaces |= (_ONE << np.uint64(spaces_left)) - _ONE
        spaces_left = 0
        if others != _ZERO:
            more_spaces, spaces_left = _mask_of_others(others, at, limit)
            spaces |= more_spaces
        before = spaces << _ONE | after_space
        starts, ends = ~spaces & before, spaces & ~before
        if after_space != _ZERO:
            start = at + trailing_zeros(starts | _LAST_BIT)
            starts &= starts - _ONE
        events = ends | lines
        while events != _ZERO:
            place = trailing_zeros(events)
            if (ends >> np.uint64(place)) & _ONE:
                h = describe(entry, start, at + place, limit)
                prefetch(slots, 2 * (np.int64(h) & slots_mask))
                entry += _ENTRY_BYTES
                start = at + trailing_zeros(starts | _LAST_BIT)
                starts &= starts - _ONE
            if (lines >> np.uint64(place)) & _ONE:
                _put_line_end(entry, at + place)
                entry += _ENTRY_BYTES
            events &= events - _ONE
        n = (entry - found) // _ENTRY_BYTES
        after_space = spaces >> np.uint64(_VECTOR - 1)
        at += _VECTOR
    at = at + spaces_left if after_space != _ZERO else start
    return (n, at) if n >= _SCANNED else _scan_end(at, limit, n, found)


@njit(nogil=True, cache=True)
def _scan_end(at, limit, n, found):
    """`scan` for the last bytes, fewer than 64 and perhaps a word before them, one at a time."""
    while at < limit and n < _SCANNED:
        kind = _KIND[byte_at(at)]
        space = _space_length(at, limit) if kind == _MAYBE_SPACE else np.int64(kind == _SPACE)
        if kind == _LINE_END:
            _put_line_end(found + _ENTRY_BYTES * n, at)
            n += 1
            at += 1
        elif space > 0:
            at += space
        else:
            end = _word_end(at, limit)
            describe(found + _ENTRY_BYTES * n, at, end, limit)
            n += 1
            at = end
    return n, at


@njit(nogil=True, cache=True)
def _word_end(at, limit):
    """The end of the word that starts at an address."""
    while at < limit:
        kind = _KIND[byte_at(at)]
        if kind != _ORDINARY and (kind != _MAYBE_SPACE or _space_length(at, limit) > 0):
            return at
        at += 1
    return limit
