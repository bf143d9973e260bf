"""Vectors as text, a word and D numbers a line: word2vec's and fastText's, which begin with a line `V D`, and GloVe's.

The numbers are the last D fields of a line and the word is what stands before them: a few words of GloVe's largest
files have spaces in them. After a line `V D` a word with a space is damage, unless a lenient reading is asked for. The
last line has an end, too: without it nobody could tell 0.25 from what is left of 0.257.
"""

import os
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import numpy.typing as npt

from wordloom.config import checked_threads
from wordloom.formats.detect import HEAD, Header, first_line, header_of, is_number, is_text, n_numbers
from wordloom.formats.source import (
    AGAIN,
    FREELY_UNPACKED,
    LENIENTLY,
    Fault,
    Names,
    Reading,
    Source,
    check_finite,
    check_size,
    decoded,
    new_matrix,
    opened,
)
from wordloom.types import Matrix
from wordloom.vectors import Embedding, Vectors
from wordloom.workers import workers

if TYPE_CHECKING:
    from concurrent.futures import Future

_BLOCK = 1 << 21  # bytes of text that one thread works on
_LONGEST_WORD, _LONGEST_NUMBER = 1 << 16, 1 << 7  # bytes; a longer line is none of vectors
_SURELY_REAL = 4 * FREELY_UNPACKED  # bytes of a packed file; its promises may be too large by far
_CUT = "It was cut short: get or make it again."
# So many numbers are read by Python in less time than the kernel takes to be loaded, let alone to be compiled.
_FEW_NUMBERS = 2_000_000


def read(path: str | os.PathLike[str], reading: Reading) -> Embedding:
    """Read a file that begins with a line `V D`."""
    with opened(path) as source:
        return read_from(source, reading)


def read_from(source: Source, reading: Reading) -> Embedding:
    """Read what such a file has."""
    header = _header(source)
    rows = reading.rows(header.rows)
    check_size(rows, header.dim, rows * (2 * header.dim + 2) - 1, source.most)
    source.stream.seek(header.length)
    return _embedding(source, header, reading)


def read_glove(path: str | os.PathLike[str], reading: Reading) -> Embedding:
    """Read a file without that line."""
    with opened(path) as source:
        return read_glove_from(source, reading)


def read_glove_from(source: Source, reading: Reading) -> Embedding:
    """Read what such a file has. It is read twice, to count its rows first."""
    dim = n_numbers(first_line(source.stream.read(HEAD)))
    if not dim:
        raise Fault("its first line has no numbers after a word.")
    source.stream.seek(0)
    rows = _count_rows(source.stream, reading.limit)
    source.stream.seek(0)
    return _embedding(source, Header(rows, dim, 0), reading)


def _header(source: Source) -> Header:
    head = source.stream.read(HEAD)
    header = header_of(head)
    if header is None:
        raise Fault("it has no first line of two whole numbers. If it is GloVe's, load it as glove.")
    if header.rows > 0 and header.dim > 0 and not is_text(head[header.length :], header.dim):
        raise Fault("its rows are binary, not text: load it as bin, or leave the format to be found out.")
    return header


def _count_rows(stream: BinaryIO, limit: int | None) -> int:
    """Lines up to the last one that is not blank; counting ends where there are more than the limit."""
    rows, blank = 0, 1
    while block := stream.read(_BLOCK):
        text = block.rstrip(b" \t\r\n")
        if text:
            rows, blank = rows + blank + text.count(b"\n"), 0
        blank += block.count(b"\n", len(text))
        if limit is not None and rows > limit:
            break
    return rows


def _embedding(source: Source, header: Header, reading: Reading) -> Embedding:
    matrix = new_matrix(reading.rows(header.rows), header.dim)
    names = _fill(matrix, source, header, reading)
    return Embedding.of_words(Vectors(*names.with_rows(matrix)))


def _fill(matrix: Matrix, source: Source, header: Header, reading: Reading) -> Names:
    """Deal the lines out to threads, each block with its part of the matrix; gives the words in order."""
    names, row, before = Names(reading.lenient), 0, 2 if header.length else 1
    spaced = reading.lenient or not header.length
    threads = checked_threads(None) if matrix.size > _FEW_NUMBERS else 1
    with workers(threads) as pool:
        begun: deque[Future[list[str]]] = deque()
        for block in _blocks_of_lines(source.stream, header.dim, reading.lenient):
            # Numba takes 100 MB for itself, which a promise alone is not to cost.
            compiled = matrix.size > _FEW_NUMBERS and not (source.packed and source.stream.tell() <= _SURELY_REAL)
            part = matrix[row : row + block.count(b"\n")]
            if len(part) < block.count(b"\n"):
                _check_end(block, len(part), row + before, header, reading)
            begun.append(pool.submit(_read_rows, block, part, row + before, reading, spaced, compiled))
            row += len(part)
            if len(begun) > threads:
                _add(begun.popleft().result(), names, before)
            if row == len(matrix) < header.rows:
                break
        for future in begun:
            _add(future.result(), names, before)
    if row < len(matrix):
        raise Fault(f"it ends in row {row:,} of {header.rows:,}, after line {row + before - 1:,}. {_CUT}")
    return names


def _add(words: list[str], names: Names, before: int) -> None:
    first_line = len(names.words) + before
    names.add(words, lambda i: f"line {first_line + i:,}")


def _blocks_of_lines(stream: BinaryIO, dim: int, lenient: bool) -> Iterator[bytes]:
    """The text in blocks that end in a line feed, also the last."""
    held: list[bytes] = []
    begin, length = stream.tell(), 0  # of the line that has no end yet
    while block := stream.read(_BLOCK):
        end = block.rfind(b"\n") + 1
        if end:
            yield b"".join((*held, block[:end]))
            begin, length, held = begin + length + end, 0, []
        held.append(block[end:])
        length += len(block) - end
        if length > _LONGEST_WORD + dim * _LONGEST_NUMBER:
            raise Fault(
                f"it has a line of more than {length:,} bytes, from byte {begin:,} on, so it is not text with a row a "
                f"line. {AGAIN}"
            )
    rest = b"".join(held)
    if rest.strip():
        if not lenient:
            raise Fault(
                f"its last line, from byte {begin:,} on, has no end, so that its last number may be cut. {AGAIN} If "
                f"you know that it is whole, load it {LENIENTLY}."
            )
        yield rest + b"\n"


def _check_end(block: bytes, rows: int, first_line: int, header: Header, reading: Reading) -> None:
    """Nothing but blank lines comes after the last row, unless it was asked to end there."""
    if reading.rows(header.rows) == header.rows and b"".join(block.split(b"\n", rows)[rows:]).strip():
        raise Fault(
            f"it goes on in line {first_line + rows:,}, after the {header.rows:,} rows that its first line promises. "
            f"{AGAIN}"
        )


def _read_rows(
    block: bytes, vectors: Matrix, first_line: int, reading: Reading, spaced: bool, compiled: bool
) -> list[str]:
    """Read as many lines as there are vectors; gives their words."""
    starts, ends = _parsed(block, vectors) if compiled else _unparsed(block, len(vectors))
    found = []
    for row, end in enumerate(ends):
        if end < 0:
            found.append(_read_row(block[starts[row] : starts[row + 1]], vectors[row], first_line + row, spaced))
        else:
            found.append(block[starts[row] : end])

    def where(i: int) -> str:
        return f"line {first_line + i:,}"

    words = decoded(found, where, reading.errors)
    if reading.verify:
        check_finite(vectors, words, where)
    return words


def _parsed(block: bytes, vectors: Matrix) -> tuple[list[int], list[int]]:
    from wordloom.kernel.numbers import parse_rows

    starts, ends = np.empty(len(vectors) + 1, np.int64), np.empty(len(vectors), np.int64)
    parse_rows(np.frombuffer(block, np.uint8), vectors, starts, ends)
    return starts.tolist(), ends.tolist()


def _unparsed(block: bytes, rows: int) -> tuple[list[int], list[int]]:
    """What `_parsed` gives if the kernel leaves every row to Python."""
    line_ends: npt.NDArray[np.intp] = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
    return [0, *(line_ends[:rows] + 1).tolist()], [-1] * rows


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
