"""word2vec's binary files: a line `V D`, then V times a word, a space and D little-endian float32.

word2vec.c writes a line feed after each row and gensim does not; both are read. If only some rows have one, bytes were
lost or added. Nothing else would show that, so such a file is read only leniently.
"""

import re

import numpy as np
import numpy.typing as npt

from pairloom.errors import Fault
from pairloom.formats.detect import HEAD, Header, header_of, is_text
from pairloom.formats.opening import GET_AGAIN, LENIENTLY, ReadOptions, VectorFile, open_vector_file
from pairloom.formats.rows import Destination, RowName, check_finite, check_size, new_rows
from pairloom.formats.word_list import WordList
from pairloom.system.display import number_of
from pairloom.types import Matrix, PathName
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors

_BLOCK = 1 << 20  # bytes read at once, always into the same memory: new memory for each took a third of the time
_ROWS, _USUAL_WORD = 4096, 16  # about how many rows are read at once, since each makes objects of Python; bytes
_LINE_FEED, _SPACE = 10, 32
_MAX_WORD = 1 << 16  # bytes; more without a space are not a word


def read(path: PathName, options: ReadOptions) -> Embedding:
    """Read a file. Only one block is in memory besides the matrix and the words."""
    with open_vector_file(path) as source:
        return read_from(source, options)


def read_from(source: VectorFile, options: ReadOptions) -> Embedding:
    """Read an open file."""
    header = _header(source)
    rows = options.rows(header.rows)
    check_size(rows, header.dim, rows * (4 * header.dim + 2), source.max_bytes)
    matrix, hashes = new_rows(rows, header.dim)
    if not source.affords(matrix.nbytes + hashes.nbytes):
        _Rows(source, header, options, WordList(hashes, options)).fill(
            rows, lambda _, n: np.empty((n, header.dim), "<f4")
        )
        source.stream.seek(header.length)
    words = WordList(hashes, options)
    _Rows(source, header, options, words).fill(rows, lambda first, n: matrix[first : first + n])
    return Embedding.of_words(Vectors(*words.with_rows(matrix)))


def _header(source: VectorFile) -> Header:
    head = source.stream.read(HEAD)
    header = header_of(head)
    if header is None:
        raise Fault("it has no first line of two whole numbers, as word2vec's binary files have.")
    if header.rows > 0 and header.dim > 0 and is_text(head[header.length :], header.dim):
        raise Fault("its rows are text, not binary: load it as text, or without naming a format.")
    source.stream.seek(header.length)
    return header


class _Rows:
    """The rows of a file, read block by block into one buffer. An unfinished row moves to the front of the buffer.

    There is one thread: Python finds the rows and holds its lock meanwhile. More threads were tried, and no faster.
    """

    def __init__(self, source: VectorFile, header: Header, options: ReadOptions, words: WordList) -> None:
        self.stream, self.header, self.options, self.words = source.stream, header, options, words
        self.width = 4 * header.dim
        block = min(_BLOCK, _ROWS * (self.width + _USUAL_WORD), source.max_bytes)
        self.buffer = bytearray(block + self.width + _MAX_WORD)
        self.begin, self.held = header.length, 0  # the buffer's place in the file, and the number of bytes in it
        self.feeds: bool | None = None  # whether rows end in a line feed; None until that is known
        self.row = re.compile(rb"([^ ]*+) .{%d}|.+" % self.width, re.DOTALL)  # or the rest, which is not a whole row

    def fill(self, rows: int, destination: Destination) -> None:
        """Read `rows` rows into the destination."""
        view, words = memoryview(self.buffer), self.words
        while len(words) < rows and (n := self.stream.readinto(view[self.held :])):  # type: ignore[attr-defined]
            self.held += n
            self._drop(self._take(rows, destination))
            if len(words) < rows:
                self._check_word_ends()
        if len(words) < rows:
            raise Fault(
                f"it ends in row {len(words):,} of {self.header.rows:,}, after "
                f"{number_of(self.begin + self.held, 'byte')}. It was cut short: get or make it again."
            )
        if self.options.rows(self.header.rows) == self.header.rows:
            self._check_end()
        words.check(self._row_name)

    def _row_name(self, row: int) -> str:
        """The name of a row in messages, once all are read. Its byte is known only if no word was changed to UTF-8."""
        if self.options.errors != "strict":
            return f"row {row:,}"
        between = self.header.length + row * (1 + self.width + bool(self.feeds))
        return f"row {row:,} (byte {between + self.words.bytes_before(row):,})"

    def _take(self, rows: int, destination: Destination) -> int:
        """Take the whole rows that are in the buffer. Returns where the next row begins."""
        first = len(self.words)
        words, ends = self._whole_rows(rows - first)
        if not words:
            return 0
        starts = ends - self.width  # of the numbers
        begins = np.append(0, ends[:-1])
        fed = np.frombuffer(self.buffer, np.uint8)[begins] == _LINE_FEED
        self._check_feeds(fed, begins)

        def row_name(i: int) -> str:
            return f"row {first + i:,} (byte {self.begin + begins[i] + fed[i]:,})"

        words = _without_feeds(words, fed, row_name)
        vectors = destination(first, len(words))
        vectors[:] = self._numbers_at(starts)
        if self.options.verify:
            check_finite(vectors, words, row_name)
        self.words.add(words, row_name)
        return int(ends[-1])

    def _whole_rows(self, limit: int) -> tuple[list[bytes], npt.NDArray[np.int64]]:
        """The words of up to `limit` whole rows, each with the line feed before it if any, and the ends of the rows."""
        words: list[bytes] = self.row.findall(self.buffer, 0, self.held)
        ends = np.cumsum(np.fromiter(map(len, words), np.int64, len(words)) + 1 + self.width)
        if words and not words[-1]:  # the rest, or a row without a word
            begin = int(ends[-1]) - 1 - self.width
            limit = min(limit, len(words) - (ends[-1] > self.held or self.buffer[begin] != _SPACE))
        return words[:limit], ends[:limit]

    def _numbers_at(self, starts: npt.NDArray[np.int64]) -> Matrix:
        at_every_byte = np.ndarray(
            (len(self.buffer) - self.width + 1,), np.dtype((np.void, self.width)), self.buffer, strides=(1,)
        )
        return at_every_byte[starts].view("<f4").reshape(len(starts), -1)

    def _check_feeds(self, fed: npt.NDArray[np.bool_], begins: npt.NDArray[np.int64]) -> None:
        """Refuse files in which some rows, other than the first, have a line feed before them and some have not."""
        first = len(self.words)
        if self.feeds is None and first + len(fed) > 1:
            self.feeds = bool(fed[1 - first])
        odd = fed != bool(self.feeds)
        odd[: 1 - min(first, 1)] = fed[: 1 - min(first, 1)]
        if odd.any() and not self.options.lenient:
            at = int(np.argmax(odd))
            row, ours = first + at, bool(fed[at])
            others = "which row 1 has" if not ours else "which row 1 does not have" if row else "where none belongs"
            raise Fault(
                f"row {row:,} (byte {self.begin + begins[at]:,}) begins {'with' if ours else 'without'} a line feed, "
                f"{others}: bytes were lost or added before it. {GET_AGAIN} If you know that it is whole, load it "
                f"{LENIENTLY}."
            )

    def _drop(self, at: int) -> None:
        """Drop the bytes of the buffer before `at`."""
        rest = self.buffer[at : self.held]
        self.begin += at
        self.held = len(rest)
        self.buffer[: self.held] = rest

    def _check_word_ends(self) -> None:
        if self.held >= _MAX_WORD and self.buffer.find(b" ", 0, _MAX_WORD) < 0:
            raise Fault(
                f"the word of row {len(self.words):,} (byte {self.begin:,}) has no end. It is damaged, or not "
                f"word2vec's binary format. {GET_AGAIN}"
            )

    def _check_end(self) -> None:
        rest = bytes(self.buffer[: self.held]) + self.stream.read(2)
        wanted = {None: (b"", b"\n"), True: (b"\n",), False: (b"",)}[self.feeds]
        if rest not in wanted and not (self.options.lenient and not rest.strip(b"\n")):
            promised = f"goes on after the {number_of(self.header.rows, 'row')} that its first line promises"
            problem = promised if rest else "ends without the line feed of its last row"
            raise Fault(f"it {problem}, at byte {self.begin:,}. {GET_AGAIN}")


def _without_feeds(words: list[bytes], fed: npt.NDArray[np.bool_], row_name: RowName) -> list[bytes]:
    """The words without the line feed before them. If all have one, splitting there takes a third of the time."""
    split = b"".join(words).split(b"\n")
    if len(split) > 1 + np.count_nonzero(fed):
        words = [word.removeprefix(b"\n") for word in words]
        row = next(row for row, word in enumerate(words) if b"\n" in word)
        raise Fault(
            f"the word of {row_name(row)} has a line feed in it: bytes were lost or added before it. {GET_AGAIN}"
        )
    if fed[1:].all():
        return split[int(fed[0]) :]
    return [word.removeprefix(b"\n") for word in words]
