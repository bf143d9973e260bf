"""The words of the rows of a file. They stay bytes until all rows are known to be right.

As a string, in a list and in a set, a word of five letters takes 200 bytes: thirty times what it has in the file, and a
hundred times what it may have in a packed one. So until its last row has been read a file costs 8 bytes for each word
beside the bytes of the word itself: a hash, by which words that are there twice are found. What that finds is looked at
again, word for word, so that nothing depends on Python's hashes, which are others in every process.
"""

import warnings
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from pairloom.errors import Fault, VectorsWarning
from pairloom.formats.source import AGAIN, LENIENTLY, Hashes, Reading, Where
from pairloom.types import Matrix

_MOVED = 4096  # rows moved at a time


class WordList:
    """The words of the rows read so far. Each may come once; of a lenient reading, its first row counts."""

    def __init__(self, hashes: Hashes, reading: Reading, mark: bytes = b"\n") -> None:
        self._reading, self._hashes, self._mark = reading, hashes, mark
        self._lots: list[tuple[int, bytes]] = []  # the first row of some, and their words with marks between them
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def add(self, words: list[bytes], where: Where) -> None:
        """Those of some more rows, none with the mark in it."""
        if not words:  # of blank lines after the last row: b"" would come back as a word
            return
        together = self._mark.join(words)
        if not together.isascii():
            words = in_utf8(words, where, self._reading.errors)
            together = self._mark.join(words)
        if not all(words):
            raise Fault(f"{where(words.index(b''))} has no word. {AGAIN}")
        self._lots.append((self._n, together))
        self._hashes[self._n : self._n + len(words)] = _hashes(words)
        self._n += len(words)

    def check(self, where: Where) -> None:
        """Refuse a word that is there twice, once all have come. `where` takes a row of the file."""
        repeated = self._repeated()
        if len(repeated) and not self._reading.lenient and (found := self._first_again(repeated)) is not None:
            row, word, first = found
            raise Fault(
                f"{where(row)} has the word {word.decode()!r:.60} of row {first:,} again. "
                f"Load {LENIENTLY} to have the first row of each word count."
            )

    def bytes_before(self, row: int) -> int:
        """How many bytes the words of all rows before this one have."""
        earlier = [(first, lot) for first, lot in self._lots if first <= row]
        first, last = earlier.pop()
        marks = first - len(earlier)  # one less than words in each lot
        return sum(len(lot) for _, lot in earlier) - marks + sum(map(len, last.split(self._mark)[: row - first]))

    def with_rows(self, matrix: Matrix) -> tuple[list[str], Matrix]:
        """Each word once, with its row. Rows move up in place: they may fill the memory."""
        words = self._strings()
        kept = first_rows(words) if len(self._repeated()) else None
        if kept is None:
            return words, matrix
        for start in range(0, len(kept), _MOVED):
            rows = kept[start : start + _MOVED]
            matrix[start : start + len(rows)] = matrix[rows]
        return [words[row] for row in kept], matrix[: len(kept)]

    def _strings(self) -> list[str]:
        words: list[str] = []
        for _, lot in self._lots:
            words += lot.decode().split(self._mark.decode())
        return words

    def _split(self) -> Iterator[tuple[int, list[bytes]]]:
        return ((first, lot.split(self._mark)) for first, lot in self._lots)

    def _repeated(self) -> Hashes:
        """The hashes that more than one word has, in order."""
        hashes = self._hashes[: self._n]
        hashes.sort()  # in place: they were needed in their order by nobody
        return np.unique(hashes[1:][hashes[1:] == hashes[:-1]])

    def _first_again(self, repeated: Hashes) -> tuple[int, bytes, int] | None:
        """The first row whose word an earlier one has, the word, and the earlier row; None if hashes alone agree."""
        seen = np.zeros(len(repeated), np.bool_)
        for first, words in self._split():
            hashes = _hashes(words)
            places = np.minimum(np.searchsorted(repeated, hashes), len(repeated) - 1)
            for i in np.flatnonzero(repeated[places] == hashes).tolist():
                if seen[places[i]] and (earlier := self._row_of(words[i])) < first + i:
                    return first + i, words[i], earlier
                seen[places[i]] = True
        return None

    def _row_of(self, word: bytes) -> int:
        """The first row of a word that there is."""
        return next(first + words.index(word) for first, words in self._split() if word in words)


def in_utf8(words: list[bytes], where: Where, errors: str) -> list[bytes]:
    """The words of some rows, if they are UTF-8, or made so in the way that is asked for."""
    if errors != "strict":
        return [word.decode("utf-8", errors).encode() for word in words]
    try:
        b"\n".join(words).decode()  # many times as fast as one by one
    except UnicodeDecodeError:
        row, word = next((row, word) for row, word in enumerate(words) if not _is_utf8(word))
        raise Fault(
            f"the word of {where(row)} is not UTF-8: {word!r:.60}. word2vec.c cuts long words within a letter. "
            "Load with errors='replace' or errors='ignore' (--errors on the command line)."
        ) from None
    return words


def _is_utf8(word: bytes) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError:
        return False
    return True


def _hashes(words: list[bytes]) -> Hashes:
    return np.fromiter(map(hash, words), np.int64, len(words))


def first_rows(words: list[str]) -> npt.NDArray[np.intp] | None:
    """The rows to keep, the first of each word, where not all are; the others are counted in one warning."""
    row_of = dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))
    if len(row_of) == len(words):
        return None
    again = next(word for row, word in enumerate(words) if row_of[word] != row)
    kept = np.sort(np.fromiter(row_of.values(), np.intp, len(row_of)))
    warnings.warn(
        f"{len(words) - len(kept):,} of {len(words):,} rows were left out, since their words have "
        f"earlier rows; the first of them is {again!r:.60}.",
        VectorsWarning,
        stacklevel=5,
    )
    return kept
