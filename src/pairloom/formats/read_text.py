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

from pairloom.config import checked_threads
from pairloom.errors import Fault
from pairloom.formats.detect import HEAD, Header, first_line, header_of, is_text, n_numbers
from pairloom.formats.names import WordList
from pairloom.formats.source import AGAIN, LENIENTLY, Reading, RowsFor, VectorFile, check_size, new_rows, opened
from pairloom.formats.text_rows import read_rows
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors

if TYPE_CHECKING:
    from concurrent.futures import Future

_BLOCK = 1 << 21  # bytes of text that one thread works on
_SMALL_BLOCK = 1 << 17  # the same for Python, whose bytes and numbers take twenty times as much
_LONGEST_WORD, _LONGEST_NUMBER = 1 << 16, 1 << 7  # bytes; a longer line is none of vectors
_CUT = "It was cut short: get or make it again."
# So many numbers are read by Python in less time than the kernel takes to be loaded, let alone to be compiled.
_FEW_NUMBERS = 2_000_000
_KERNEL, _USUAL_WORD = 100 << 20, 16  # bytes: what Numba takes for itself; a word


def read(path: str | os.PathLike[str], reading: Reading) -> Embedding:
    """Read a file that begins with a line `V D`."""
    with opened(path) as source:
        return read_from(source, reading)


def read_from(source: VectorFile, reading: Reading) -> Embedding:
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


def read_glove_from(source: VectorFile, reading: Reading) -> Embedding:
    """Read what such a file has. It is read twice, to count its rows first."""
    dim = n_numbers(first_line(source.stream.read(HEAD)))
    if not dim:
        raise Fault("its first line has no numbers after a word.")
    source.stream.seek(0)
    rows = _count_rows(source.stream, reading.limit)
    source.stream.seek(0)
    return _embedding(source, Header(rows, dim, 0), reading)


def _header(source: VectorFile) -> Header:
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


def _embedding(source: VectorFile, header: Header, reading: Reading) -> Embedding:
    begin = source.stream.tell()
    matrix, hashes = new_rows(reading.rows(header.rows), header.dim)
    if not source.affords(matrix.nbytes + hashes.nbytes):  # then all is read once before any of it is kept
        _fill(WordList(hashes, reading), source, header, reading, lambda _, n: np.empty((n, header.dim), np.float32))
        source.stream.seek(begin)
    names = WordList(hashes, reading)
    _fill(names, source, header, reading, lambda first, n: matrix[first : first + n])
    return Embedding.of_words(Vectors(*names.with_rows(matrix)))


def _fill(names: WordList, source: VectorFile, header: Header, reading: Reading, room: RowsFor) -> None:
    """Deal the lines out to threads, each block with room for its numbers; the words come in order."""
    from pairloom.system.threads import workers  # brings logging and more: 5 ms that most calls can do without

    rows, row, before = reading.rows(header.rows), 0, 2 if header.length else 1
    spaced, compiled = reading.lenient or not header.length, _is_for_kernel(rows, header.dim, source)
    threads = checked_threads(None) if compiled else 1
    with workers(threads) as pool:
        begun: deque[Future[list[bytes]]] = deque()
        for block in _blocks_of_lines(source.stream, header.dim, reading.lenient, compiled):
            lines = block.count(b"\n")
            n = min(lines, rows - row)
            if n < lines:
                block = _without_end(block, n, row + before, header, reading)
            begun.append(pool.submit(read_rows, block, room(row, n), row + before, reading.verify, spaced, compiled))
            row += n
            if len(begun) > threads:
                _add(begun.popleft().result(), names, before)
            if row == rows < header.rows:
                break
        for future in begun:
            _add(future.result(), names, before)
    if row < rows:
        raise Fault(f"it ends in row {row:,} of {header.rows:,}, after line {row + before - 1:,}. {_CUT}")
    names.check(lambda row: f"line {row + before:,}")


def _is_for_kernel(rows: int, dim: int, source: VectorFile) -> bool:
    """Whether there are enough numbers for the kernel, and enough of a file that Numba is small beside it."""
    return rows * dim > _FEW_NUMBERS and source.affords(_KERNEL + rows * (4 * dim + 8 + _USUAL_WORD))


def _add(words: list[bytes], names: WordList, before: int) -> None:
    first_line = len(names) + before
    names.add(words, lambda i: f"line {first_line + i:,}")


def _blocks_of_lines(stream: BinaryIO, dim: int, lenient: bool, large: bool) -> Iterator[bytes]:
    """The text in blocks that end in a line feed, also the last."""
    held: list[bytes] = []
    begin, length = stream.tell(), 0  # of the line that has no end yet
    size = _BLOCK if large else min(_BLOCK, _SMALL_BLOCK)
    while block := stream.read(size):
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


def _without_end(block: bytes, rows: int, first_line: int, header: Header, reading: Reading) -> bytes:
    """The first lines. Nothing but blank lines comes after the last row, unless it was asked to end there."""
    rest = block.split(b"\n", rows)[rows]
    if reading.rows(header.rows) == header.rows and rest.strip():
        raise Fault(
            f"it goes on in line {first_line + rows:,}, after the {header.rows:,} rows that its first line promises. "
            f"{AGAIN}"
        )
    return block[: len(block) - len(rest)]
