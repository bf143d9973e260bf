"""word2vec's binary files: a line `V D`, then V times a word, a space and D little-endian float32.

word2vec.c writes a line feed after each row, gensim does not; both are read. A file that does it sometimes has lost or
won bytes, which shows nowhere else, and is read only leniently.
"""

import os
import re

import numpy as np
import numpy.typing as npt

from pairloom.errors import Fault
from pairloom.formats.detect import HEAD, Header, header_of, is_text
from pairloom.formats.names import WordList
from pairloom.formats.source import (
    AGAIN,
    LENIENTLY,
    Reading,
    RowsFor,
    VectorFile,
    Where,
    check_finite,
    check_size,
    new_rows,
    opened,
)
from pairloom.types import Matrix
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors

_BLOCK = 1 << 20  # bytes read at once, into the same memory: fresh memory for each took a third of the time
_ROWS, _USUAL_WORD = 4096, 16  # rows that are about as many at once, since each makes objects of Python; bytes
_LINE_FEED, _SPACE = 10, 32
_LONGEST_WORD = 1 << 16  # bytes; so many without a space are no word


def read(path: str | os.PathLike[str], reading: Reading) -> Embedding:
    """Read a file. Beside the matrix and the words no more than a block is in memory."""
    with opened(path) as source:
        return read_from(source, reading)


def read_from(source: VectorFile, reading: Reading) -> Embedding:
    """Read what a file has."""
    header = _header(source)
    rows = reading.rows(header.rows)
    check_size(rows, header.dim, rows * (4 * header.dim + 2), source.most)
    matrix, hashes = new_rows(rows, header.dim)
    if not source.affords(matrix.nbytes + hashes.nbytes):
        _Rows(source, header, reading, WordList(hashes, reading)).fill(
            rows, lambda _, n: np.empty((n, header.dim), "<f4")
        )
        source.stream.seek(header.length)
    names = WordList(hashes, reading)
    _Rows(source, header, reading, names).fill(rows, lambda first, n: matrix[first : first + n])
    return Embedding.of_words(Vectors(*names.with_rows(matrix)))


def _header(source: VectorFile) -> Header:
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

    def __init__(self, source: VectorFile, header: Header, reading: Reading, names: WordList) -> None:
        self.stream, self.header, self.reading, self.names = source.stream, header, reading, names
        self.width = 4 * header.dim
        block = min(_BLOCK, _ROWS * (self.width + _USUAL_WORD), source.most)
        self.buffer = bytearray(block + self.width + _LONGEST_WORD)
        self.begin, self.held = header.length, 0  # the byte of the file at the buffer's front, and how much is there
        self.feeds: bool | None = None  # whether rows end in a line feed; None before that is known
        self.row = re.compile(rb"([^ ]*+) .{%d}|.+" % self.width, re.DOTALL)  # or what is left, which is no whole row

    def fill(self, rows: int, room: RowsFor) -> None:
        """Read so many rows."""
        view, names = memoryview(self.buffer), self.names
        while len(names) < rows and (n := self.stream.readinto(view[self.held :])):  # type: ignore[attr-defined]
            self.held += n
            self._drop(self._take(rows, room))
            if len(names) < rows:
                self._check_word_ends()
        if len(names) < rows:
            raise Fault(
                f"it ends in row {len(names):,} of {self.header.rows:,}, after {self.begin + self.held:,} bytes. "
                "It was cut short: get or make it again."
            )
        if self.reading.rows(self.header.rows) == self.header.rows:
            self._check_end()
        names.check(self._where)

    def _where(self, row: int) -> str:
        """What a message calls a row, once all are read. Words that were not UTF-8 are not as long as in the file."""
        if self.reading.errors != "strict":
            return f"row {row:,}"
        between = self.header.length + row * (1 + self.width + bool(self.feeds))
        return f"row {row:,} (byte {between + self.names.bytes_before(row):,})"

    def _take(self, rows: int, room: RowsFor) -> int:
        """Take the rows that are in the buffer whole; gives where the next begins."""
        first = len(self.names)
        words, ends = self._found(rows - first)
        if not words:
            return 0
        starts = ends - self.width  # of the numbers
        begins = np.append(0, ends[:-1])
        fed = np.frombuffer(self.buffer, np.uint8)[begins] == _LINE_FEED
        self._check_feeds(fed, begins)

        def where(i: int) -> str:
            return f"row {first + i:,} (byte {self.begin + begins[i] + fed[i]:,})"

        words = _without_feeds(words, fed, where)
        vectors = room(first, len(words))
        vectors[:] = self._numbers_at(starts)
        if self.reading.verify:
            check_finite(vectors, words, where)
        self.names.add(words, where)
        return int(ends[-1])

    def _found(self, most: int) -> tuple[list[bytes], npt.NDArray[np.int64]]:
        """The words of the rows that are whole, with a line feed before them where there is one; where rows end."""
        words: list[bytes] = self.row.findall(self.buffer, 0, self.held)
        ends = np.cumsum(np.fromiter(map(len, words), np.int64, len(words)) + 1 + self.width)
        if words and not words[-1]:  # what is left, or a row without a word
            begin = int(ends[-1]) - 1 - self.width
            most = min(most, len(words) - (ends[-1] > self.held or self.buffer[begin] != _SPACE))
        return words[:most], ends[:most]

    def _numbers_at(self, starts: npt.NDArray[np.int64]) -> Matrix:
        at_every_byte = np.ndarray(
            (len(self.buffer) - self.width + 1,), np.dtype((np.void, self.width)), self.buffer, strides=(1,)
        )
        return at_every_byte[starts].view("<f4").reshape(len(starts), -1)

    def _check_feeds(self, fed: npt.NDArray[np.bool_], begins: npt.NDArray[np.int64]) -> None:
        """All rows but the first have a line feed before them, or none has."""
        first = len(self.names)
        if self.feeds is None and first + len(fed) > 1:
            self.feeds = bool(fed[1 - first])
        odd = fed != bool(self.feeds)
        odd[: 1 - min(first, 1)] = fed[: 1 - min(first, 1)]
        if odd.any() and not self.reading.lenient:
            at = int(np.argmax(odd))
            row, ours = first + at, bool(fed[at])
            others = "which row 1 has" if not ours else "which row 1 has not" if row else "where none belongs"
            raise Fault(
                f"row {row:,} (byte {self.begin + begins[at]:,}) begins {'with' if ours else 'without'} a line feed, "
                f"{others}: bytes were lost or put in before it. {AGAIN} If you know that it is whole, load it "
                f"{LENIENTLY}."
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
                f"the word of row {len(self.names):,} (byte {self.begin:,}) has no end. It is damaged, or no "
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


def _without_feeds(words: list[bytes], fed: npt.NDArray[np.bool_], where: Where) -> list[bytes]:
    """The words without a line feed at their front. Where all have one, it parts them, in a third of the time."""
    parted = b"".join(words).split(b"\n")
    if len(parted) > 1 + np.count_nonzero(fed):
        words = [word.removeprefix(b"\n") for word in words]
        row = next(row for row, word in enumerate(words) if b"\n" in word)
        raise Fault(f"the word of {where(row)} has a line feed in it: bytes were lost or put in before it. {AGAIN}")
    if fed[1:].all():
        return parted[int(fed[0]) :]
    return [word.removeprefix(b"\n") for word in words]
