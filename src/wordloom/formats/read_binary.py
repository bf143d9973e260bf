"""word2vec's binary files: a line `V D`, then V times a word, a space and D little-endian float32.

word2vec.c writes a line feed after each row, gensim does not; both are read. A file that does it sometimes has lost or
won bytes, which shows nowhere else, and is read only leniently.
"""

import os

import numpy as np

from wordloom.formats.detect import HEAD, Header, header_of, is_text
from wordloom.formats.source import (
    AGAIN,
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

_BLOCK = 1 << 20  # bytes read at once, into the same memory: fresh memory for each took a third of the time
_LINE_FEED = 10
_LONGEST_WORD = 1 << 16  # bytes; so many without a space are no word


def read(path: str | os.PathLike[str], reading: Reading) -> Embedding:
    """Read a file. Beside the matrix and the words no more than a block is in memory."""
    with opened(path) as source:
        return read_from(source, reading)


def read_from(source: Source, reading: Reading) -> Embedding:
    """Read what a file has."""
    header = _header(source)
    rows = reading.rows(header.rows)
    check_size(rows, header.dim, rows * (4 * header.dim + 2), source.most)
    matrix = new_matrix(rows, header.dim)
    names = _Rows(source, header, reading).fill(matrix)
    return Embedding.of_words(Vectors(*names.with_rows(matrix)))


def _header(source: Source) -> Header:
    head = source.stream.read(HEAD)
    header = header_of(head)
    if header is None:
        raise Fault("it has no first line of two whole numbers, as word2vec's binary files have.")
    if header.rows > 0 and header.dim > 0 and is_text(head[header.length :], header.dim):
        raise Fault("its rows are text, not binary: load it as text, or leave the format to be found out.")
    source.stream.seek(header.length)
    return header


class _Rows:
    """The rows of a file, read into one buffer again and again; an unfinished row goes to its front.

    One thread does it all: rows are found by Python, whose lock leaves little to others (tried, and no faster).
    """

    def __init__(self, source: Source, header: Header, reading: Reading) -> None:
        self.stream, self.header, self.reading = source.stream, header, reading
        self.names = Names(reading.lenient)
        self.width = 4 * header.dim
        self.buffer = bytearray(min(_BLOCK, source.most) + self.width + _LONGEST_WORD)
        self.begin, self.held = header.length, 0  # the byte of the file at the buffer's front, and how much is there
        self.feeds: bool | None = None  # whether rows end in a line feed; None before that is known

    def fill(self, matrix: Matrix) -> Names:
        """Read as many rows as the matrix has."""
        view = memoryview(self.buffer)
        names = self.names.words
        while len(names) < len(matrix) and (n := self.stream.readinto(view[self.held :])):  # type: ignore[attr-defined]
            self.held += n
            self._drop(self._take(matrix))
            if len(names) < len(matrix):
                self._check_word_ends()
        if len(names) < len(matrix):
            raise Fault(
                f"it ends in row {len(names):,} of {self.header.rows:,}, after {self.begin + self.held:,} bytes. "
                "It was cut short: get or make it again."
            )
        if self.reading.rows(self.header.rows) == self.header.rows:
            self._check_end()
        return self.names

    def _take(self, matrix: Matrix) -> int:
        """Take the rows that are in the buffer whole; gives where the next begins."""
        first = len(self.names.words)
        words, starts, at = self._found(len(matrix) - first)
        if not starts:
            return at
        begins = [self.begin + start - 1 - len(word) for start, word in zip(starts, words, strict=True)]

        def where(i: int) -> str:
            return f"row {first + i:,} (byte {begins[i]:,})"

        at_every_byte = np.ndarray(
            (len(self.buffer) - self.width + 1,), np.dtype((np.void, self.width)), self.buffer, strides=(1,)
        )
        rows = matrix[first : first + len(starts)]
        rows[:] = at_every_byte[starts].view("<f4").reshape(len(starts), -1)
        names = decoded(words, where, self.reading.errors)
        if self.reading.verify:
            check_finite(rows, names, where)
        self.names.add(names, where)
        return at

    def _found(self, most: int) -> tuple[list[bytearray], list[int], int]:
        """The words of the rows that are whole, where their numbers start, and where the next row begins."""
        words: list[bytearray] = []
        starts: list[int] = []
        data, at, last = self.buffer, 0, self.held - self.width
        first, lenient = len(self.names.words), self.reading.lenient
        while at < last and len(starts) < most:
            fed = data[at] == _LINE_FEED
            space = data.find(b" ", at, last)
            if space < 0:
                break
            if fed is not self.feeds and not lenient:
                self._check_feed(fed, first + len(starts), at)
            word = data[at + fed : space]
            if _LINE_FEED in word:
                raise Fault(
                    f"the word of row {first + len(starts):,} (byte {self.begin + at + fed:,}) has a line feed in it: "
                    f"bytes were lost or put in before it. {AGAIN}"
                )
            words.append(word)
            starts.append(space + 1)
            at = space + 1 + self.width
        return words, starts, at

    def _check_feed(self, fed: bool, row: int, at: int) -> None:
        """All rows but the first have a line feed before them, or none has."""
        if row == 1:
            self.feeds = fed
        elif fed or row > 0:
            others = "which row 1 has" if not fed else "which row 1 has not" if row else "where none belongs"
            raise Fault(
                f"row {row:,} (byte {self.begin + at:,}) begins {'with' if fed else 'without'} a line feed, {others}: "
                f"bytes were lost or put in before it. {AGAIN} If you know that it is whole, load it {LENIENTLY}."
            )

    def _drop(self, at: int) -> None:
        """Leave what comes before `at` in the buffer."""
        rest = self.buffer[at : self.held]
        self.begin += at
        self.held = len(rest)
        self.buffer[: self.held] = rest

    def _check_word_ends(self) -> None:
        if self.held >= _LONGEST_WORD and self.buffer.find(b" ", 0, _LONGEST_WORD) < 0:
            raise Fault(
                f"the word of row {len(self.names.words):,} (byte {self.begin:,}) has no end. It is damaged, or no "
                f"word2vec binary. {AGAIN}"
            )

    def _check_end(self) -> None:
        rest = bytes(self.buffer[: self.held]) + self.stream.read(2)
        wanted = {None: (b"", b"\n"), True: (b"\n",), False: (b"",)}[self.feeds]
        if rest not in wanted and not (self.reading.lenient and not rest.strip(b"\n")):
            problem = (
                f"goes on after the {self.header.rows:,} rows that its first line promises"
                if rest
                else ("ends without the line feed of its last row")
            )
            raise Fault(f"it {problem}, at byte {self.begin:,}. {AGAIN}")
