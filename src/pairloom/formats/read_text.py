"""Vectors as text, a word and D numbers a line: word2vec's and fastText's, which begin with a line `V D`, and GloVe's.

The last D fields of a line are its numbers, and everything before them is the word: a few words of GloVe's largest
files have spaces in them. After a line `V D`, a word with a space is taken for damage unless the reading is lenient.
The last line must end in a line feed, too: without one, 0.25 could be what is left of 0.257.
"""

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from pairloom.config import checked_threads
from pairloom.errors import Fault
from pairloom.formats.detect import HEAD, Header, first_line, header_of, is_text, n_numbers
from pairloom.formats.opening import GET_AGAIN, LENIENTLY, ReadOptions, VectorFile, open_vector_file
from pairloom.formats.read_text_rows import read_rows
from pairloom.formats.rows import Destination, check_size, new_rows
from pairloom.formats.word_list import WordList
from pairloom.types import PathName
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors

if TYPE_CHECKING:
    from concurrent.futures import Future

_BLOCK = 1 << 21  # bytes of text that one thread works on
_SMALL_BLOCK = 1 << 17  # the same without the kernel: objects of Python take twenty times as much memory
_MAX_WORD, _MAX_NUMBER = 1 << 16, 1 << 7  # bytes; a longer line does not hold vectors
_CUT = "It was cut short: get or make it again."
# Python reads this many numbers in less time than it takes to load the kernel, let alone to compile it.
_FEW_NUMBERS = 2_000_000
_KERNEL, _USUAL_WORD = 100 << 20, 16  # bytes that Numba takes for itself, and that a word takes


def read(path: PathName, options: ReadOptions) -> Embedding:
    """Read a file that begins with a line `V D`."""
    with open_vector_file(path) as source:
        return read_from(source, options)


def read_from(source: VectorFile, options: ReadOptions) -> Embedding:
    """Read an open file that begins with a line `V D`."""
    header = _header(source)
    rows = options.rows(header.rows)
    check_size(rows, header.dim, rows * (2 * header.dim + 2) - 1, source.max_bytes)
    source.stream.seek(header.length)
    return _embedding(source, header, options)


def read_glove(path: PathName, options: ReadOptions) -> Embedding:
    """Read a file without that line."""
    with open_vector_file(path) as source:
        return read_glove_from(source, options)


def read_glove_from(source: VectorFile, options: ReadOptions) -> Embedding:
    """Read an open file without that line. It is read twice: first its rows are counted."""
    head = source.stream.read(HEAD)
    dim, header = n_numbers(first_line(head)), header_of(head)
    if not dim:
        raise Fault("its first line has no numbers after a word.")
    if header is not None and n_numbers(first_line(head[header.length :])) == header.dim > 1:
        raise Fault("its first line is the header of word2vec's text format: load it as text.")
    source.stream.seek(0)
    rows = _count_rows(source.stream, options.limit)
    source.stream.seek(0)
    return _embedding(source, Header(rows, dim, 0), options)


def _header(source: VectorFile) -> Header:
    head = source.stream.read(HEAD)
    header = header_of(head)
    if header is None:
        raise Fault("it has no first line of two whole numbers. If it is GloVe's, load it as glove.")
    if header.rows > 0 and header.dim > 0 and not is_text(head[header.length :], header.dim):
        raise Fault("its rows are binary, not text: load it as bin, or without naming a format.")
    return header


def _count_rows(stream: BinaryIO, limit: int | None) -> int:
    """The number of lines up to the last one that is not blank. Counting stops above the limit."""
    rows, blank = 0, 1
    while block := stream.read(_BLOCK):
        text = block.rstrip(b" \t\r\n")
        if text:
            rows, blank = rows + blank + text.count(b"\n"), 0
        blank += block.count(b"\n", len(text))
        if limit is not None and rows > limit:
            break
    return rows


def _embedding(source: VectorFile, header: Header, options: ReadOptions) -> Embedding:
    begin = source.stream.tell()
    matrix, hashes = new_rows(options.rows(header.rows), header.dim)
    if not source.affords(matrix.nbytes + hashes.nbytes):  # then read it once without keeping anything
        _fill(WordList(hashes, options), source, header, options, lambda _, n: np.empty((n, header.dim), np.float32))
        source.stream.seek(begin)
    words = WordList(hashes, options)
    _fill(words, source, header, options, lambda first, n: matrix[first : first + n])
    return Embedding.of_words(Vectors(*words.with_rows(matrix)))


def _fill(words: WordList, source: VectorFile, header: Header, options: ReadOptions, destination: Destination) -> None:
    """Read the lines by threads, a block each, into its part of the destination. Words are added in order."""
    from pairloom.system.threads import workers  # imports logging and more: 5 ms that other formats do not need

    rows, row, before = options.rows(header.rows), 0, 2 if header.length else 1
    spaced, compiled = options.lenient or not header.length, _is_for_kernel(rows, header.dim, source)
    threads = checked_threads(None) if compiled else 1
    with workers(threads) as pool:
        begun: deque[Future[list[bytes]]] = deque()
        for block in _blocks_of_lines(source.stream, header.dim, options.lenient, compiled):
            lines = block.count(b"\n")
            n = min(lines, rows - row)
            if n < lines:
                block = _without_end(block, n, row + before, header, options)
            numbers = destination(row, n)
            begun.append(pool.submit(read_rows, block, numbers, row + before, bool(options.verify), spaced, compiled))
            row += n
            if len(begun) > threads:
                _add(begun.popleft().result(), words, before)
            if row == rows < header.rows:
                break
        for future in begun:
            _add(future.result(), words, before)
    if row < rows:
        raise Fault(f"it ends in row {row:,} of {header.rows:,}, after line {row + before - 1:,}. {_CUT}")
    words.check(lambda row: f"line {row + before:,}")


def _is_for_kernel(rows: int, dim: int, source: VectorFile) -> bool:
    """Whether the kernel is worth loading: for many numbers, in a file large beside the memory that Numba takes."""
    return rows * dim > _FEW_NUMBERS and source.affords(_KERNEL + rows * (4 * dim + 8 + _USUAL_WORD))


def _add(new: list[bytes], words: WordList, before: int) -> None:
    first_line = len(words) + before
    words.add(new, lambda i: f"line {first_line + i:,}")


def _blocks_of_lines(stream: BinaryIO, dim: int, lenient: bool, large: bool) -> Iterator[bytes]:
    """The text in blocks of whole lines, each with its line feed."""
    held: list[bytes] = []
    begin, length = stream.tell(), 0  # of the line whose end was not read yet
    size = _BLOCK if large else min(_BLOCK, _SMALL_BLOCK)
    while block := stream.read(size):
        end = block.rfind(b"\n") + 1
        if end:
            yield b"".join((*held, block[:end]))
            begin, length, held = begin + length + end, 0, []
        held.append(block[end:])
        length += len(block) - end
        if length > _MAX_WORD + dim * _MAX_NUMBER:
            raise Fault(
                f"it has a line of more than {length:,} bytes, from byte {begin:,} on, so it is not text with one row "
                f"per line. {GET_AGAIN}"
            )
    rest = b"".join(held)
    if rest.strip():
        if not lenient:
            raise Fault(
                f"its last line, from byte {begin:,} on, has no line feed, so its last number may be cut. {GET_AGAIN} "
                f"If you know that it is whole, load it {LENIENTLY}."
            )
        yield rest + b"\n"


def _without_end(block: bytes, rows: int, first_line: int, header: Header, options: ReadOptions) -> bytes:
    """The first lines of a block. Only blank lines may follow the last row, unless `limit` ends before it."""
    rest = block.split(b"\n", rows)[rows]
    if options.rows(header.rows) == header.rows and rest.strip():
        raise Fault(
            f"it goes on in line {first_line + rows:,}, after the {header.rows:,} rows that its first line promises. "
            f"{GET_AGAIN}"
        )
    return block[: len(block) - len(rest)]
