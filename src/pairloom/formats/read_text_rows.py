"""The rows of a block of text: their words as bytes, and their numbers.

The kernel reads the rows of large files, and leaves odd ones to Python. For other files Python reads all rows: many at
a time where each is a word and D numbers, which takes a fifth of the time that reading one by one takes.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.errors import Fault
from pairloom.formats.detect import is_number
from pairloom.formats.opening import GET_AGAIN, LENIENTLY
from pairloom.formats.rows import check_finite
from pairloom.system.display import number_of, quoted
from pairloom.types import Matrix

_LINE_FEED, _ZERO = b"\n0"
_PLUS, _MINUS, _POINT = ((byte - _ZERO) % 256 for byte in b"+-.")  # so that digits are 0 to 9
_SHORT = 8  # bytes of a number; longer ones are read as fast one by one
_POWERS = np.array([float(10**k) for k in range(_SHORT + 1)])
_FEW_FIELDS = 4
_BLANKS = bytes(byte in b" \t\n\v\f\r" for byte in range(256))  # bytes.split() splits at these


def read_rows(
    block: bytes, vectors: Matrix, first_line: int, verify: bool, spaced: bool, compiled: bool
) -> list[bytes]:
    """Read the lines of a block into `vectors`, one for each row. Returns their words, with spaces only if `spaced`."""
    words = _parsed(block, vectors, first_line, spaced) if compiled else _read_all(block, vectors)
    if words is None:
        words = _read_each(block, vectors, first_line, spaced)
    if verify:
        check_finite(vectors, words, lambda i: f"line {first_line + i:,}")
    return words


def _parsed(block: bytes, vectors: Matrix, first_line: int, spaced: bool) -> list[bytes]:
    from pairloom.kernel.text.numbers import parse_rows

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


class _Fields(NamedTuple):
    """Where the fields of some lines begin and end, each (rows, D + 1)."""

    begins: npt.NDArray[np.intp]
    ends: npt.NDArray[np.intp]


def _read_all(block: bytes, vectors: Matrix) -> list[bytes] | None:
    """Read all lines at once. Returns their words, or None unless every line is a word and D numbers."""
    rows, dim = vectors.shape
    fields = _fields(block, rows, dim)
    if fields is None:
        return None
    begins = np.ascontiguousarray(fields.begins[:, 1:])
    lengths = fields.ends[:, 1:] - begins
    numbers = _decimals(block, begins, lengths.astype(np.int8)) if lengths.max(initial=0) <= _SHORT else None
    if numbers is None and (numbers := _floats(block, rows, dim)) is None:
        return None
    with np.errstate(over="ignore"):
        vectors[:] = numbers
    return _words(block, fields, dim)


def _fields(block: bytes, rows: int, dim: int) -> _Fields | None:
    """The fields, or None unless there are as many lines as rows, with D + 1 fields each."""
    blank = np.frombuffer(b"\1" + block.translate(_BLANKS), np.bool_)  # with a blank before the first
    begins, ends = np.flatnonzero(blank[:-1] > blank[1:]), np.flatnonzero(blank[:-1] < blank[1:])
    line_ends = np.flatnonzero(np.frombuffer(block, np.uint8) == _LINE_FEED)
    if len(begins) != rows * (dim + 1) or len(line_ends) != rows:
        return None
    fields = _Fields(begins.reshape(rows, dim + 1), ends.reshape(rows, dim + 1))
    aligned = (fields.begins[:, -1] < line_ends).all() and (fields.begins[1:, 0] > line_ends[:-1]).all()
    return fields if aligned else None


def _words(block: bytes, fields: _Fields, dim: int) -> list[bytes]:
    """The first field of each line. If lines have few fields, it is faster to split at all blanks."""
    if dim <= _FEW_FIELDS:
        return block.split()[:: dim + 1]
    spans = zip(fields.begins[:, 0].tolist(), fields.ends[:, 0].tolist(), strict=True)
    return [block[begin:end] for begin, end in spans]


def _decimals(
    block: bytes, begins: npt.NDArray[np.intp], lengths: npt.NDArray[np.int8]
) -> npt.NDArray[np.float64] | None:
    """Short numbers like -0.25 as m / 10^k, or None if some are not. m and 10^k are exact, so this equals float()."""
    text = np.frombuffer(block + bytes(_SHORT), np.uint8)
    values = text[begins] - _ZERO  # uint8, so it is 10 or more for all bytes but digits
    negative, plus = values == _MINUS, values == _PLUS
    n_digits, n_points, k = (np.zeros(begins.shape, np.int8) for _ in range(3))
    m = np.zeros(begins.shape, np.int32)
    for i in range(lengths.max(initial=0)):
        values = text[begins + i] - _ZERO if i else values
        is_digit = (values < 10) & (i < lengths)
        m = np.where(is_digit, 10 * m + values, m)
        n_digits += is_digit
        k += is_digit & (n_points > 0)
        n_points += (values == _POINT) & (i < lengths)
    if not ((n_points <= 1) & (n_digits > 0) & (negative + plus + n_points + n_digits == lengths)).all():
        return None
    quotients: npt.NDArray[np.float64] = m / _POWERS[k]
    np.negative(quotients, out=quotients, where=negative)
    return quotients


def _floats(block: bytes, rows: int, dim: int) -> npt.NDArray[np.float64] | None:
    """Any numbers, as Python reads them, or None if some are not."""
    fields = block.split()
    del fields[:: dim + 1]
    try:
        numbers = np.fromiter(map(float, fields), np.float64, rows * dim)
    except ValueError:
        return None
    if b"_" in block and b"_" in b"".join(fields):  # float() accepts 1_000
        return None
    return numbers.reshape(rows, dim)


def _read_each(block: bytes, vectors: Matrix, first_line: int, spaced: bool) -> list[bytes]:
    lines = block.split(b"\n")
    return [_read_row(lines[row] + b"\n", vectors[row], first_line + row, spaced) for row in range(len(vectors))]


def _read_row(line: bytes, vector: npt.NDArray[np.float32], number: int, spaced: bool) -> bytes:
    """Read one line into `vector`. Returns its word, which has spaces only if `spaced`."""
    word, *fields = line.strip().rsplit(None, len(vector)) or [b""]
    if word and line[:1].isspace() and 1 + len(fields) == len(vector):
        word, fields = b"", [word, *fields]  # `WordList` decides about rows without a word
    if len(fields) < len(vector):
        raise Fault(
            f"line {number:,} ({quoted(line)}) has no word with {number_of(len(vector), 'number')} after it. "
            f"{GET_AGAIN}"
        )
    if not spaced and len(word.split()) > 1:
        raise Fault(
            f"line {number:,} ({quoted(line)}) has more than a word and {number_of(len(vector), 'number')}. "
            f"{GET_AGAIN} If words have spaces in them, load it {LENIENTLY}."
        )
    try:
        numbers = list(map(float, fields))
    except ValueError:
        numbers = []
    if not numbers or b"_" in b"".join(fields):
        odd = next(field for field in fields if not is_number(field))
        raise Fault(f"line {number:,} ({quoted(word)}) has {quoted(odd)} where a number belongs. {GET_AGAIN}")
    with np.errstate(over="ignore"):
        vector[:] = numbers
    return word
