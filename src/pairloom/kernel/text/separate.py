"""UTF-8 text rewritten so that white space separates its words, which are folded. Its twin is `method/tokens/words.py`.

What reads words at white space, that is all other kernels, then reads those of `--tokenize words`:

    "King, queen!\\nDon't."  ->  "king  queen \\ndon't "

The text is read once. Plain ASCII, nearly all of an English text, is rewritten 64 bytes at a time, a byte for a byte:
whether a byte belongs to a word depends on the bytes beside it only (`_rewrite`). Elsewhere a character continues the
word before it or begins another; what may be between two letters or two digits is written, and taken back if no other
letter or digit follows. There, runs of ASCII letters, digits and underscores are folded eight bytes at a time.
"""

from functools import cache, reduce
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, byte_at, eight_at, put_byte, put_eight, trailing_zeros
from pairloom.method.tokens.characters import N_CODES, Kind, characters

Bytes = npt.NDArray[np.uint8]

_PAGE = 128  # characters that share an entry of `pages`
_FOLDED = 16  # an entry of less is a Kind; _FOLDED + i is folding number i
_MOST_GROWTH = 3  # output for each byte of input: ΐ, of two bytes, becomes three characters of two

# Numba takes a global number for a constant, but not a member of an enumeration.
_OTHER, _LETTER, _HEBREW, _NUMBER = map(int, (Kind.OTHER, Kind.LETTER, Kind.HEBREW, Kind.NUMBER))
_KATAKANA, _JOINER, _MARK, _ZWJ = map(int, (Kind.KATAKANA, Kind.JOINER, Kind.MARK, Kind.ZWJ))
_PICTURE, _FLAG, _REMOVED = map(int, (Kind.PICTURE, Kind.FLAG, Kind.REMOVED))
_MID_LETTER, _MID_NUMBER = map(int, (Kind.MID_LETTER, Kind.MID_NUMBER))
_MID_BOTH, _MID_HEBREW = map(int, (Kind.MID_BOTH, Kind.MID_HEBREW))
_NO_WORD, _WHOLE_FLAG = 16, 17  # what the word so far ends in, besides kinds of characters

_NEW_LINE, _BLANK, _UNDERSCORE = 0x0A, 0x20, 0x5F
_VECTOR = 64  # bytes that are rewritten at a time
_BYTES = ir.VectorType(ir.IntType(8), _VECTOR)
_BETWEEN_LETTERS, _BETWEEN_DIGITS = b"'.:", b"'.,;"  # the Kinds MID_LETTER, MID_NUMBER and MID_BOTH of ASCII
_TOP_BITS = np.uint64(0x8080808080808080)
_LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)
_ALL_20 = np.uint64(0x2020202020202020)
_ALL_5F = np.uint64(0x5F5F5F5F5F5F5F5F)


def _least(byte: int) -> np.uint64:
    """A number whose sum with eight bytes below 0x80 has the top bits of those that are `byte` or more."""
    return np.uint64((0x80 - byte) * 0x0101010101010101)


_FROM_A, _AFTER_Z = _least(ord("A")), _least(ord("Z") + 1)
_FROM_SMALL_A, _AFTER_SMALL_Z = _least(ord("a")), _least(ord("z") + 1)
_FROM_0, _AFTER_9 = _least(ord("0")), _least(ord("9") + 1)


class CharacterTable(NamedTuple):
    """Kinds and foldings, in two levels. Character c has the entry entries[pages[c // 128] * 128 + c % 128]."""

    pages: npt.NDArray[np.uint16]
    entries: npt.NDArray[np.uint16]
    fold_kinds: Bytes  # of folding i
    fold_starts: npt.NDArray[np.int32]  # its bytes are fold_bytes[fold_starts[i] : fold_starts[i + 1]]
    fold_bytes: Bytes  # with eight more at the end, so that eight can be read anywhere


@cache
def character_table() -> CharacterTable:
    """The table of `method.tokens.characters`."""
    found = characters()
    folds = {code: text.encode() for code, text in found.folds.items() if text}
    entries = found.kinds.astype(np.uint16)
    entries[list(folds)] = _FOLDED + np.arange(len(folds), dtype=np.uint16)
    pages, inverse = np.unique(entries.reshape(-1, _PAGE), axis=0, return_inverse=True)
    return CharacterTable(
        pages=inverse.reshape(-1).astype(np.uint16),
        entries=pages.reshape(-1),
        fold_kinds=found.kinds[list(folds)],
        fold_starts=np.cumsum([0, *map(len, folds.values())], dtype=np.int32),
        fold_bytes=np.frombuffer(b"".join(folds.values()) + bytes(8), np.uint8).copy(),
    )


assert N_CODES % _PAGE == 0


def separate(data: Bytes) -> Bytes:
    """The text with its words folded and separated by spaces, one or more, and without all else but line ends.

    Equivalent to `words` of `method/tokens/words.py` on each line. The text must be valid UTF-8. A line end is LF.
    """
    out = np.empty(_MOST_GROWTH * len(data) + 16, np.uint8)
    written = out[: _separate(data, out, character_table())].copy()  # most of `out` was not needed
    written.flags.writeable = False  # as blocks of a file are: to Numba that is another type
    return written


@intrinsic
def _rewrite(typing, at, to):
    """Rewrite the 64 bytes at an address: fold words, put a space for each byte of all else. Line ends stay.

    Returns a mask of the bytes that are not plain ASCII or are underscores, the first byte lowest. What is written is
    right for a byte if neither it nor the bytes beside it are. So the bytes before and after the 64 are read, too.
    """

    def codegen(context, builder, signature, args):
        def vector_at(address):
            return builder.inttoptr(address, _BYTES.as_pointer())

        def load(offset):
            return builder.load(vector_at(builder.add(args[0], ir.IntType(64)(offset))), align=1)

        def all_of(byte):
            return ir.Constant(_BYTES, [byte] * _VECTOR)

        def within(x, first, last):
            from_first = builder.sub(x, all_of(ord(first)))
            return builder.icmp_unsigned("<=", from_first, all_of(ord(last) - ord(first)))

        def letters(x):
            return within(builder.or_(x, all_of(0x20)), "a", "z")

        def digits(x):
            return within(x, "0", "9")

        def one_of(x, members):
            return reduce(builder.or_, (builder.icmp_unsigned("==", x, all_of(byte)) for byte in members))

        def all_three(x, y, z):
            return builder.and_(x, builder.and_(y, z))

        before, here, after = load(-1), load(0), load(1)
        between_letters = all_three(one_of(here, _BETWEEN_LETTERS), letters(before), letters(after))
        between_digits = all_three(one_of(here, _BETWEEN_DIGITS), digits(before), digits(after))
        solid = builder.or_(letters(here), digits(here))
        of_words = builder.or_(solid, builder.or_(between_letters, between_digits))
        folded = builder.select(letters(here), builder.or_(here, all_of(0x20)), here)
        space = builder.select(one_of(here, b"\n"), here, all_of(_BLANK))
        builder.store(builder.select(of_words, folded, space), vector_at(args[1]), align=1)
        hard = builder.or_(builder.icmp_signed("<", here, all_of(0)), one_of(here, b"_"))
        return builder.bitcast(hard, ir.IntType(_VECTOR))

    return types.uint64(types.int64, types.int64), codegen


@njit(nogil=True, cache=True)
def _rewritten(at, to):
    """Rewrite up to 64 bytes. Returns how many are right; the last is a letter or a digit, or between words."""
    hard = _rewrite(at, to)
    n = (trailing_zeros(hard) if hard != 0 else _VECTOR) - 1  # on the last one, the byte after it decides
    if n > 0:
        end = byte_at(to + n - 1)
        n -= end > _BLANK and (end < 0x30 or 0x39 < end < 0x61)  # within a word, but neither a letter nor a digit
    return n


@njit(nogil=True, cache=True)
def _word_bytes(x):
    """(which, which, x): bytes that are letters, digits or underscores; letters or digits; and the bytes in lower case.

    Of eight bytes, each by its top bit. Adding to seven bits never carries into the next byte.
    """
    low = x & _LOW_BITS
    small = low | _ALL_20
    ascii = ~x & _TOP_BITS
    upper = (low + _FROM_A) & ~(low + _AFTER_Z) & ascii
    letters = (small + _FROM_SMALL_A) & ~(small + _AFTER_SMALL_Z)
    digits = (low + _FROM_0) & ~(low + _AFTER_9)
    underscores = ~((low ^ _ALL_5F) + _LOW_BITS)
    solid = (letters | digits) & ascii
    return (solid | (underscores & ascii)), solid, x | (upper >> np.uint64(2))


@njit(nogil=True, cache=True)
def _copy(at, length, limit, to):
    """Copy up to eight bytes. May write eight."""
    if at + 8 <= limit:
        put_eight(to, eight_at(at))
    else:
        for j in range(length):
            put_byte(to + j, np.int64(byte_at(at + j)))


@njit(nogil=True, cache=True)
def _code_at(at):
    """(code, length) of the character at an address, which is not ASCII."""
    first = np.int64(byte_at(at))
    second = np.int64(byte_at(at + 1)) & 0x3F
    if first < 0xE0:
        return (first & 0x1F) << 6 | second, 2
    third = np.int64(byte_at(at + 2)) & 0x3F
    if first < 0xF0:
        return (first & 0x0F) << 12 | second << 6 | third, 3
    return (first & 0x07) << 18 | second << 12 | third << 6 | np.int64(byte_at(at + 3)) & 0x3F, 4


@njit(nogil=True, cache=True)
def _may_follow(last, kind):
    """Whether a `mid` character may continue a word that ends in a character of kind `last`."""
    if last in (_LETTER, _HEBREW):
        return kind in (_MID_LETTER, _MID_BOTH) or (kind == _MID_HEBREW and last == _HEBREW)
    return last == _NUMBER and kind in (_MID_NUMBER, _MID_BOTH)


@njit(nogil=True, cache=True)
def _continues(last, mid, after_zwj, kind):
    """Whether a character continues a word that ends in `last`, with a character of kind `mid` since (or _NO_WORD)."""
    letters = last in (_LETTER, _HEBREW)
    letter = kind in (_LETTER, _HEBREW)
    if mid != _NO_WORD:
        if mid == _MID_HEBREW:
            return kind == _HEBREW
        return letter if letters else kind == _NUMBER
    if letters or last == _NUMBER:
        return letter or kind in (_NUMBER, _JOINER)
    if last == _JOINER:
        return letter or kind in (_NUMBER, _JOINER, _KATAKANA)
    if last == _KATAKANA:
        return kind in (_KATAKANA, _JOINER)
    if last == _PICTURE:
        return kind == _PICTURE and after_zwj
    return last == _FLAG and kind == _FLAG


@njit(nogil=True, cache=True)
def _separate(data, out, table):
    """Write the words of `data` to `out`. Returns the number of bytes written."""
    at = address(data)
    limit = at + len(data)
    begin = to = address(out)
    fold_bytes = address(table.fold_bytes)
    fold_limit = fold_bytes + len(table.fold_bytes)
    last, mid = _NO_WORD, _NO_WORD  # what the word so far ends in, and what may continue it
    word = back = to  # where the word begins, and where it ends if it is not continued
    solid = after_zwj = False  # whether the word has more than joiners; whether a ZWJ was last
    first = at
    while at < limit:
        code = np.int64(byte_at(at))
        ascii = code < 0x80 and mid == _NO_WORD and at + 8 <= limit
        # 64 bytes at once, if the byte before them and at least eight of them are plain.
        if ascii and first < at < limit - _VECTOR and eight_at(at) & _TOP_BITS == 0:
            before = byte_at(at - 1)
            n = _rewritten(at, to) if before < 0x80 and before != _UNDERSCORE else 0
            if n > 0:
                at += n
                to += n
                end = byte_at(to - 1)
                last = _NO_WORD if end <= _BLANK else _NUMBER if end <= 0x39 else _LETTER
                solid, after_zwj = True, False
                continue
        # Eight bytes at once, after a space or within a word.
        if ascii and last in (_NO_WORD, _LETTER, _NUMBER, _JOINER, _HEBREW):
            which, solids, lower = _word_bytes(eight_at(at))
            if which & np.uint64(0x80):
                rest = which ^ _TOP_BITS
                n = 8
                if rest != 0:
                    n = trailing_zeros(rest) >> 3
                    solids &= (rest & (~rest + np.uint64(1))) - np.uint64(1)  # of the first n bytes
                if last == _NO_WORD:
                    word, solid = to, False
                put_eight(to, lower)
                to += n
                at += n
                solid |= solids != 0
                end = byte_at(to - 1)
                last = _JOINER if end == 0x5F else _NUMBER if end <= 0x39 else _LETTER
                if rest != 0 and byte_at(at) == _BLANK:  # `rest` is within the eight bytes, so it can be read
                    if solid:
                        put_byte(to, _BLANK)
                        to += 1
                    else:
                        to = word
                    at += 1
                    last = _NO_WORD
                continue
        # One character.
        length, fold = 1, np.int64(-1)
        if code >= 0x80:
            code, length = _code_at(at)
        kind = np.int64(table.entries[np.int64(table.pages[code >> 7]) * _PAGE + (code & 0x7F)])
        if kind >= _FOLDED:
            fold = kind - _FOLDED
            kind = np.int64(table.fold_kinds[fold])
        here = at
        at += length
        if kind == _REMOVED:
            continue
        if kind in (_MARK, _ZWJ):
            if last == _NO_WORD:
                continue
            after_zwj = kind == _ZWJ
        elif last != _NO_WORD and mid == _NO_WORD and _may_follow(last, kind):
            mid, back = kind, to
        elif last != _NO_WORD and _continues(last, mid, after_zwj, kind):
            last = _WHOLE_FLAG if kind == _FLAG else kind
            mid, after_zwj = _NO_WORD, False
            solid |= kind != _JOINER
        else:
            if last != _NO_WORD:  # the word ends here
                if mid != _NO_WORD:
                    to = back
                if solid:
                    put_byte(to, _BLANK)
                    to += 1
                else:
                    to = word
                last, mid = _NO_WORD, _NO_WORD
            if kind == _OTHER or kind >= _MID_LETTER:
                if code == _NEW_LINE:
                    put_byte(to, _NEW_LINE)
                    to += 1
                continue
            word, last, solid, after_zwj = to, kind, kind != _JOINER, False
        if fold >= 0:
            start, length = np.int64(table.fold_starts[fold]), np.int64(table.fold_starts[fold + 1])
            length -= start
            _copy(fold_bytes + start, length, fold_limit, to)
        else:
            _copy(here, length, limit, to)
        to += length
    if mid != _NO_WORD:
        to = back
    if last != _NO_WORD and not solid:
        to = word
    return to - begin
