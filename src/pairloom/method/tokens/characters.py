"""What `--tokenize words` knows about characters: the kind of each, and its case folding.

Both are read from unicode.txt beside this file, which scripts/unicode_tables.py has written, so that the words of a
text do not depend on the Unicode of the Python that reads it.
"""

from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

PATH = Path(__file__).with_name("unicode.txt")
N_CODES = 0x110000
PAGE = 128  # characters that share an entry of the first level of a two-level table


class Kind(IntEnum):
    """What a character does in a word, by the property Word_Break of UAX #29."""

    OTHER = 0  # spaces, punctuation, symbols: between words
    LETTER = 1
    HEBREW = 2  # letters that may have a quotation mark between them
    NUMBER = 3
    KATAKANA = 4  # joined to each other, not to letters
    JOINER = 5  # the underscore and its like: part of a word, but not a word
    MARK = 6  # part of the character before
    ZWJ = 7  # the zero width joiner: a mark that also joins pictures
    SINGLE = 8  # a word of its own: Han, Hiragana, Thai
    PICTURE = 9  # emoji
    FLAG = 10  # regional indicators; two are a flag
    MID_LETTER = 11  # part of a word between two letters: the colon
    MID_NUMBER = 12  # between two digits: the comma
    MID_BOTH = 13  # between two letters or two digits: the apostrophe and the full stop
    MID_HEBREW = 14  # between two Hebrew letters: the quotation mark
    REMOVED = 15  # invisible, taken out of words: soft hyphens, marks of direction


REMOVED = Kind.REMOVED


class Characters(NamedTuple):
    """The kind of every character, and what those that change become by folding."""

    version: str  # of Unicode
    kinds: npt.NDArray[np.uint8]  # (N_CODES,), of `Kind`
    folds: dict[int, str]  # what the removed become is ""


@cache
def characters() -> Characters:
    """All of unicode.txt."""
    first, *lines = PATH.read_text().splitlines()
    middle = lines.index("")
    kinds = np.zeros(N_CODES, np.uint8)
    for line in lines[:middle]:
        name, *ranges = line.split()
        for codes in map(_range, ranges):
            kinds[codes.start : codes.stop] = Kind[name]
    folds = dict.fromkeys(np.flatnonzero(kinds == REMOVED).tolist(), "")
    for line in lines[middle + 1 :]:
        folds |= _foldings(line.split())
    return Characters(first.split()[1].rstrip(","), kinds, folds)


def _range(text: str) -> range:
    """The characters of `41-5A` or `AA`."""
    first, _, last = text.partition("-")
    return range(int(first, 16), int(last or first, 16) + 1)


def _foldings(fields: list[str]) -> dict[int, str]:
    """The foldings of a line: `+20 41-5A C0-D6` (moved by 20) or `DF 73 73` (one character becomes several)."""
    if fields[0][0] in "+-":
        return {code: chr(code + int(fields[0], 16)) for codes in map(_range, fields[1:]) for code in codes}
    code, *becomes = (int(field, 16) for field in fields)
    return {code: "".join(map(chr, becomes))}
