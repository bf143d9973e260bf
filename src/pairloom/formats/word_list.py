"""The words of the rows of a file. They stay bytes until the whole file is known to be right.

As a string in a list and in a set, a word of five letters takes 200 bytes: thirty times what it takes in the file, and
a hundred times what it may take in a packed one. So until the last row has been read, a word takes only its own bytes
and 8 more for a hash. Equal hashes point to repeated words. Those words are then compared themselves, so the result
does not depend on Python's hashes, which differ from process to process.
"""

import warnings
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from pairloom.errors import Fault, VectorsWarning
from pairloom.formats.opening import GET_AGAIN, LENIENTLY, ReadOptions
from pairloom.formats.rows import Hashes, RowName
from pairloom.system.display import number_of, quoted
from pairloom.types import Matrix

_ROWS_AT_ONCE = 4096


class WordList:
    """The words of the rows read so far. Each may occur once, and none is empty.

    A lenient reading keeps the first row of each word, and leaves out rows without a word.
    """

    def __init__(self, hashes: Hashes, options: ReadOptions, separator: bytes = b"\n") -> None:
        self._options, self._hashes, self._separator = options, hashes, separator
        self._blocks: list[tuple[int, bytes]] = []  # the first row of a block, and its words joined by the separator
        self._n = 0
        self._has_empty = False

    def __len__(self) -> int:
        return self._n

    def add(self, words: list[bytes], row_name: RowName) -> None:
        """Add the words of the next rows. None of them holds the separator."""
        if not words:  # blank lines after the last row; b"" would be split into one word
            return
        joined = self._separator.join(words)
        if not joined.isascii():
            words = in_utf8(words, row_name, self._options)
            joined = self._separator.join(words)
        if not all(words):
            self._has_empty = True
            if not self._options.lenient:
                row = row_name(words.index(b""))
                raise Fault(f"{row} has no word. {GET_AGAIN} To leave such rows out, load it {LENIENTLY}.")
        self._blocks.append((self._n, joined))
        self._hashes[self._n : self._n + len(words)] = _hashes(words)
        self._n += len(words)

    def check(self, row_name: RowName) -> None:
        """Refuse a repeated word, after the last row was added. `row_name` takes a row of the file."""
        repeated = self._repeated_hashes()
        if len(repeated) and not self._options.lenient and (found := self._first_repeated(repeated)) is not None:
            row, word, first = found
            raise Fault(
                f"{row_name(row)} has the word {quoted(word.decode())} of row {first:,} again. "
                f"Load {LENIENTLY} to keep the first row of each word."
            )

    def bytes_before(self, row: int) -> int:
        """The number of bytes in the words of all rows before this one."""
        earlier = [(first, block) for first, block in self._blocks if first <= row]
        first, last = earlier.pop()
        separators = first - len(earlier)  # each block has one less than words
        before_last = sum(len(block) for _, block in earlier) - separators
        return before_last + sum(map(len, last.split(self._separator)[: row - first]))

    def with_rows(self, matrix: Matrix) -> tuple[list[str], Matrix]:
        """Each word once, with its row. Rows move up in place, because the matrix may fill the memory."""
        words = self._strings()
        kept = first_rows(words) if self._has_empty or len(self._repeated_hashes()) else None
        if kept is None:
            return words, matrix
        for start in range(0, len(kept), _ROWS_AT_ONCE):
            rows = kept[start : start + _ROWS_AT_ONCE]
            matrix[start : start + len(rows)] = matrix[rows]
        return [words[row] for row in kept], matrix[: len(kept)]

    def _strings(self) -> list[str]:
        words: list[str] = []
        for _, block in self._blocks:
            words += block.decode().split(self._separator.decode())
        return words

    def _split(self) -> Iterator[tuple[int, list[bytes]]]:
        return ((first, block.split(self._separator)) for first, block in self._blocks)

    def _repeated_hashes(self) -> Hashes:
        """The hashes of more than one word, in order."""
        hashes = self._hashes[: self._n]
        hashes.sort()  # in place: their order is not needed any more
        return np.unique(hashes[1:][hashes[1:] == hashes[:-1]])

    def _first_repeated(self, repeated: Hashes) -> tuple[int, bytes, int] | None:
        """The first row with the word of an earlier row, the word, and the earlier row. None if only hashes agree."""
        occurred = np.zeros(len(repeated), np.bool_)
        for first, words in self._split():
            hashes = _hashes(words)
            places = np.minimum(np.searchsorted(repeated, hashes), len(repeated) - 1)
            for i in np.flatnonzero(repeated[places] == hashes).tolist():
                if occurred[places[i]] and (earlier := self._row_of(words[i])) < first + i:
                    return first + i, words[i], earlier
                occurred[places[i]] = True
        return None

    def _row_of(self, word: bytes) -> int:
        """The first row of a word of this list."""
        return next(first + words.index(word) for first, words in self._split() if word in words)


def in_utf8(words: list[bytes], row_name: RowName, options: ReadOptions) -> list[bytes]:
    """The words of some rows in UTF-8. `options.errors` says how to treat bytes that are not."""
    if options.errors != "strict":
        decoded = [word.decode("utf-8", options.errors).encode() for word in words]
        if not all(decoded) and not options.lenient:
            _check_not_emptied(decoded, words, row_name)
        return decoded
    try:
        b"\n".join(words).decode()  # many times as fast as one by one
    except UnicodeDecodeError:
        row, word = next((row, word) for row, word in enumerate(words) if not _is_utf8(word))
        raise Fault(
            f"the word of {row_name(row)} is not UTF-8: {quoted(word)}. word2vec.c cuts long words within a letter. "
            "Load it with errors='replace' or errors='ignore' (pairloom convert --errors replace)."
        ) from None
    return words


def _check_not_emptied(decoded: list[bytes], words: list[bytes], row_name: RowName) -> None:
    """Refuse a word of which errors='ignore' leaves nothing. The file has a word there."""
    for row, (new, old) in enumerate(zip(decoded, words, strict=True)):
        if old and not new:
            raise Fault(
                f"no byte of the word of {row_name(row)}, {quoted(old)}, is UTF-8, so errors='ignore' leaves nothing "
                f"of it. Load it with errors='replace' (pairloom convert --errors replace), or leave such rows out "
                f"{LENIENTLY}."
            )


def _is_utf8(word: bytes) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError:
        return False
    return True


def _hashes(words: list[bytes]) -> Hashes:
    return np.fromiter(map(hash, words), np.int64, len(words))


def first_rows(words: list[str]) -> npt.NDArray[np.intp] | None:
    """The first row of each word but the empty one, or None for all rows. Warnings say how many are left out."""
    row_of = dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))
    n_empty = words.count("")
    if len(row_of) == len(words) and not n_empty:
        return None
    n_repeated = len(words) - len(row_of) - max(n_empty - 1, 0)
    repeated = next((word for row, word in enumerate(words) if word and row_of[word] != row), "")
    for n, one, several in (
        (n_empty, "was left out, since it has no word", "were left out, since they have no word"),
        (
            n_repeated,
            f"was left out, since its word, {quoted(repeated)}, has an earlier row",
            f"were left out, since their words have earlier rows; the first of them is {quoted(repeated)}",
        ),
    ):
        if n:
            warnings.warn(
                f"{n:,} of {number_of(len(words), 'row')} {one if n == 1 else several}.", VectorsWarning, stacklevel=5
            )
    row_of.pop("", None)
    return np.sort(np.fromiter(row_of.values(), np.intp, len(row_of)))
