"""The rows of a block of text: their words as bytes, and their numbers.

Of large files the kernel reads them, and leaves odd ones to Python. Of others Python does, many at a time where each is
a word and D numbers, which takes a fifth of the time of reading one after the other.
"""

import numpy as np
import numpy.typing as npt

from wordloom.formats.detect import is_number
from wordloom.formats.source import AGAIN, LENIENTLY, Fault, check_finite
from wordloom.types import Matrix

_LINE_FEED = 10
_IS_BLANK = np.isin(np.arange(256), list(b" \t\n\v\f\r"))  # what bytes.split() splits at


def read_rows(
    block: bytes, vectors: Matrix, first_line: int, verify: bool, spaced: bool, compiled: bool
) -> list[bytes]:
    """Read the lines of a block, as many as there are vectors; gives their words, which may have spaces or not."""
    words = _parsed(block, vectors, first_line, spaced) if compiled else _read_all(block, vectors)
    if words is None:
        words = _read_each(block, vectors, first_line, spaced)
    if verify:
        check_finite(vectors, words, lambda i: f"line {first_line + i:,}")
    return words


def _parsed(block: bytes, vectors: Matrix, first_line: int, spaced: bool) -> list[bytes]:
    from wordloom.kernel.numbers import parse_rows

    begins, ends = np.empty(len(vectors) + 1, np.int64), np.empty(len(vectors), np.int64)
    parse_rows(np.frombuffer(block, np.uint8), vectors, begins, ends)
    starts, words = begins.tolist(), []
    for row, end in enumerate(ends.tolist()):
        if end < 0:
            line = block[starts[row] : starts[row + 1]]
            words.append(_read_row(line, vectors[row], first_line + row, spaced))
        else:
            words.append(block[starts[row] : end])
    return words


def _read_all(block: bytes, vectors: Matrix) -> list[bytes] | None:
    """The words, if every line is a word and D numbers as Python writes them."""
    if not _are_regular(block, *vectors.shape):
        return None
    fields = block.split()
    words = fields[:: vectors.shape[1] + 1]
    del fields[:: vectors.shape[1] + 1]
    try:
        numbers = np.fromiter(map(float, fields), np.float64, vectors.size)
    except ValueError:
        return None
    if b"_" in block and b"_" in b"".join(fields):  # which float() takes
        return None
    with np.errstate(over="ignore"):
        vectors[:] = numbers.reshape(vectors.shape)
    return words


def _are_regular(block: bytes, rows: int, dim: int) -> bool:
    """Whether there are as many lines as rows, each of D + 1 fields."""
    text = np.frombuffer(block, np.uint8)
    blank = _IS_BLANK[text]
    begins = np.flatnonzero(blank[:-1] > blank[1:]) + 1  # of fields, but for one at the very front
    begins = begins if blank[:1].any() else np.append(0, begins)
    line_ends = np.flatnonzero(text == _LINE_FEED)
    if len(begins) != rows * (dim + 1) or len(line_ends) != rows:
        return False
    fields = begins.reshape(rows, dim + 1)
    return bool((fields[:, -1] < line_ends).all() and (fields[1:, 0] > line_ends[:-1]).all())


def _read_each(block: bytes, vectors: Matrix, first_line: int, spaced: bool) -> list[bytes]:
    lines = block.split(b"\n")
    return [_read_row(lines[row] + b"\n", vectors[row], first_line + row, spaced) for row in range(len(vectors))]


def _read_row(line: bytes, vector: npt.NDArray[np.float32], number: int, spaced: bool) -> bytes:
    """Read one line; gives its word, which may have spaces in it or not."""
    word, *fields = line.strip().rsplit(None, len(vector)) or [b""]
    if len(fields) < len(vector):
        raise Fault(f"line {number:,} ({line!r:.60}) has no word with {len(vector):,} numbers after it. {AGAIN}")
    if not spaced and len(word.split()) > 1:
        raise Fault(
            f"line {number:,} ({line!r:.60}) has more than a word and {len(vector):,} numbers. {AGAIN} If words have "
            f"spaces in them, load it {LENIENTLY}."
        )
    try:
        numbers = list(map(float, fields))
    except ValueError:
        numbers = []
    if not numbers or b"_" in b"".join(fields):
        odd = next(field for field in fields if not is_number(field))
        raise Fault(f"line {number:,} ({word!r:.60}) has {odd!r:.60} where a number belongs. {AGAIN}")
    with np.errstate(over="ignore"):
        vector[:] = numbers
    return word
