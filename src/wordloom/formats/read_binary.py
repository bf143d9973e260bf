"""word2vec's binary files: a line `V D`, then V times a word, a space and D little-endian float32.

word2vec.c writes a line feed after each row, gensim does not; both are read, even mixed.
"""

import os

import numpy as np

from wordloom.formats.detect import HEAD, Header, header_of, is_text
from wordloom.formats.source import (
    AGAIN,
    Fault,
    Reading,
    Source,
    check_finite,
    check_size,
    decoded,
    new_matrix,
    opened,
    unique_rows,
)
from wordloom.types import Matrix
from wordloom.vectors import Embedding, Vectors

_BLOCK = 1 << 20  # bytes read at once, into the same memory: fresh memory for each took a third of the time
_LINE_FEED = 10
_LONGEST_WORD = 1 << 16  # bytes; so many without a space are no word


def read(path: str | os.PathLike[str], reading: Reading) -> Embedding:
    """Read a file. Beside the matrix and the words no more than a block is in memory."""
    with opened(path) as source:
        header = _header(source)
        rows = reading.rows(header.rows)
        check_size(rows, header.dim, rows * (4 * header.dim + 2), source.most)
        matrix = new_matrix(rows, header.dim)
        words = _fill(matrix, source, header, reading)
        return Embedding.of_words(Vectors(*unique_rows(words, matrix)))


def _header(source: Source) -> Header:
    head = source.stream.read(HEAD)
    header = header_of(head)
    if header is None:
        raise Fault("it has no first line of two whole numbers, as word2vec's binary files have.")
    if header.rows > 0 and header.dim > 0 and is_text(head[header.length :], header.dim):
        raise Fault("its rows are text, not binary: load it as text, or leave the format to be found out.")
    source.stream.seek(header.length)
    return header


def _fill(matrix: Matrix, source: Source, header: Header, reading: Reading) -> list[str]:
    """Read into one buffer, again and again; what it has of a row that has not ended goes to its front.

    One thread does it all: rows are found by Python, whose lock leaves little to others (tried, and no faster).
    """
    words: list[str] = []
    width = 4 * header.dim
    buffer = bytearray(_BLOCK + width + _LONGEST_WORD)
    view = memoryview(buffer)
    rows_at_every_byte = np.ndarray((len(buffer) - width + 1,), np.dtype((np.void, width)), buffer, strides=(1,))
    held = 0
    while len(words) < len(matrix) and (n := source.stream.readinto(view[held:])):  # type: ignore[attr-defined]
        found, starts, at = _rows(buffer, held + n, width, len(matrix) - len(words))
        if starts:
            rows = rows_at_every_byte[starts].view("<f4").reshape(len(starts), -1)
            matrix[len(words) : len(words) + len(starts)] = rows
        _take_words(found, matrix, words, reading)
        rest = bytes(view[at : held + n])
        held = len(rest)
        view[:held] = rest
        if held >= _LONGEST_WORD and rest.find(b" ", 0, _LONGEST_WORD) < 0 and len(words) < len(matrix):
            raise Fault(f"the word of row {len(words):,} has no end. It is damaged, or no word2vec binary. {AGAIN}")
    if len(words) < len(matrix):
        raise Fault(f"it ends in row {len(words):,} of {header.rows:,}. It was cut short: get or make it again.")
    if reading.rows(header.rows) == header.rows and (bytes(view[:held]) + source.stream.read(2)).strip(b"\n"):
        raise Fault(f"it goes on after the {header.rows:,} rows that its first line promises. {AGAIN}")
    return words


def _rows(data: bytearray, end: int, width: int, most: int) -> tuple[list[bytearray], list[int], int]:
    """The words of the rows that end before `end`, where their numbers start, and where the next row begins."""
    words: list[bytearray] = []
    starts: list[int] = []
    at, last = 0, end - width
    find = data.find
    while at < last and len(starts) < most:
        if data[at] == _LINE_FEED:
            at += 1
        space = find(b" ", at, last)
        if space < 0:
            break
        words.append(data[at:space])
        starts.append(space + 1)
        at = space + 1 + width
    return words, starts, at


def _take_words(found: list[bytearray], matrix: Matrix, words: list[str], reading: Reading) -> None:
    first = len(words)
    words += decoded(found, first, reading.errors)
    if reading.verify:
        check_finite(matrix[first : len(words)], words[first:], first)
