"""The compiled splitter is `str.split()`, on bytes."""

import re
import sys
from collections import Counter
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from pairloom.config import MAX_WORD_BYTES
from pairloom.kernel.text import words as kernel
from pairloom.kernel.text.scan import HASH, describe, room_for_entries

SPACES = [chr(c) for c in range(sys.maxunicode + 1) if chr(c).isspace()]
# Characters whose bytes begin like those of white space, and a few of every length.
NEIGHBOURS = (
    "aé\x00\x1b\x7f\x80\x84\x86\x9f\xa1\u1681\u180e\u1fff\u200b\u2027\u202a\u2030\u205e\u2060\u3001\u3040漢\ufeff😀"
)
TEXT = st.text(st.sampled_from([*SPACES, *NEIGHBOURS]) | st.characters(exclude_categories=["Cs"]), max_size=80)


def as_array(data: bytes) -> npt.NDArray[np.uint8]:
    return np.frombuffer(data, np.uint8)


def counted(table: kernel.WordTable) -> dict[str, int]:
    arena, offsets, counts = kernel.contents(table)
    words = [arena[a:b].tobytes().decode() for a, b in pairwise(offsets)]
    return dict(zip(words, counts.tolist(), strict=True))


def test_every_white_space_of_unicode_separates_words_and_nothing_else_does() -> None:
    for code in range(sys.maxunicode + 1):
        if not 0xD800 <= code < 0xE000 and (code < 0x4000 or code % 61 == 0 or code > 0x10FF00):
            data = as_array(f"a{chr(code)}b".encode())
            _, n_tokens, _ = kernel.count(kernel.empty_table(4, 16), data)
            assert n_tokens == len(f"a{chr(code)}b".split()), hex(code)


@settings(max_examples=400, deadline=None)
@given(TEXT)
def test_words_are_those_of_str_split(text: str) -> None:
    table, n_tokens, too_long = kernel.count(kernel.empty_table(1, 1), as_array(text.encode()))
    assert counted(table) == Counter(text.split())
    assert (n_tokens, too_long) == (len(text.split()), 0)


@settings(max_examples=400, deadline=None)
@given(TEXT)
def test_ids_and_line_ends_are_those_of_the_lines(text: str) -> None:
    words = sorted(set(text.split()))[::2]  # every other word is not in the vocabulary
    ids, line_ends = kernel.encode(kernel.table_of([word.encode() for word in words]), as_array(text.encode()))
    lines = [[words.index(word) for word in line.split() if word in words] for line in re.split("[\r\n]", text)]
    assert ids.tolist() == [id_ for line in lines for id_ in line]
    ends = np.cumsum([len(line) for line in lines])[:-1].tolist()
    assert line_ends.tolist() == [end for i, end in enumerate(ends) if i == 0 or end > ends[i - 1]]


@settings(max_examples=200, deadline=None)
@given(TEXT, st.integers(0, 140), st.text(st.sampled_from("ab \n\u3000"), max_size=200))
def test_words_are_found_wherever_64_bytes_end(text: str, shift: int, rest: str) -> None:
    text = "x" * shift + text + rest * 3
    table, n_tokens, _ = kernel.count(kernel.empty_table(1, 1), as_array(text.encode()))
    assert counted(table) == Counter(text.split())
    ids, line_ends = kernel.encode(table, as_array(text.encode()))
    lines = [line.split() for line in re.split("[\r\n]", text)]
    assert len(ids) == n_tokens == sum(map(len, lines))
    ends = np.cumsum([len(line) for line in lines])[:-1].tolist()
    assert line_ends.tolist() == [end for i, end in enumerate(ends) if i == 0 or end > ends[i - 1]]


def test_words_that_differ_in_one_byte_or_in_length_are_different() -> None:
    """Also beyond the 16 bytes that are compared first, and beyond the 255 that a slot can hold as a length."""
    words = [bytes([b"a"[0]] * length) for length in (*range(1, 40), 254, 255, 256, 257, 300)]
    words += [word[:-1] + b"b" for word in words] + [b"a\0", b"a\0\0", b"aaaaaaaa\0"]
    table, _, _ = kernel.count(kernel.empty_table(1, 1), as_array(b" ".join(words * 2)))
    assert counted(table) == {word.decode(): 2 for word in words}
    assert kernel.encode(table, as_array(b" ".join(words))).ids.tolist() == list(range(len(words)))


def test_a_table_grows_as_words_come() -> None:
    text = " ".join(f"word{i % 5000}" for i in range(20_000))
    table, n_tokens, _ = kernel.count(kernel.empty_table(2, 2), as_array(text.encode()))
    assert counted(table) == Counter(text.split())
    assert n_tokens == 20_000


def test_counts_add_up_over_blocks_and_tables() -> None:
    one, _, _ = kernel.count(kernel.empty_table(), as_array(b"a b a"))
    one, _, _ = kernel.count(one, as_array(b"c a"))
    two, _, _ = kernel.count(kernel.empty_table(), as_array(b"d a d"))
    assert counted(kernel.merge(one, *kernel.contents(two))) == {"a": 4, "b": 1, "c": 1, "d": 2}


def test_words_of_one_hash_stay_apart() -> None:
    """With all hashes equal only the bytes can tell words apart."""
    words = [b"aa", b"ab", b"a", b"abc", b"longer than eight bytes".replace(b" ", b"-"), b"longer-than-eight-bytez"]
    table = kernel.table_of(words)
    same = table._replace(slots=np.zeros_like(table.slots), hashes=np.full_like(table.hashes, 7))
    kernel._place(same.slots, same.hashes, same.offsets)

    def find(table: kernel.WordTable, word: bytes) -> int:
        data, entry = as_array(word), room_for_entries()
        start, end = data.ctypes.data, data.ctypes.data + len(word)
        describe(entry.ctypes.data, start, end, end)
        entry[HASH] = 7
        return int(kernel.find(kernel.places_of(table), entry.ctypes.data, end)[0])

    for number, word in enumerate(words):
        assert find(same, word) == number
    assert find(same, b"ac") == -1


def test_a_word_beyond_the_limit_is_left_out_and_counted() -> None:
    fits, too_long = b"x" * MAX_WORD_BYTES, b"x" * (MAX_WORD_BYTES + 1)
    data = as_array(b" ".join([fits, too_long, b"a", too_long]))
    table, n_tokens, n_long = kernel.count(kernel.empty_table(), data)
    assert counted(table) == {fits.decode(): 1, "a": 1}
    assert (n_tokens, n_long) == (2, 2)
    assert kernel.encode(table, data).ids.tolist() == [0, 1]
