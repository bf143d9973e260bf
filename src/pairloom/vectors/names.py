"""The words of rows, in both directions: the word of a row and the row of a word.

The words of a native file stay bytes in its memory map until they are asked for. Decoding a million words and making a
dictionary of them takes half a second, and an answer needs a dozen.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from threading import Lock
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.vectors.checking import checked_words, row_of_each_word

_FEW_SEARCHES = 32  # of one word among all bytes; then a dictionary would have taken no longer
_LAZY = Lock()  # one for all objects: an object with a lock of its own could not be copied


class PackedWords(NamedTuple):
    """Words in UTF-8, one directly after the other, and where each begins and ends."""

    text: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.int64]  # (n_words + 1,), rising from 0 to the number of bytes

    def strings(self) -> list[str]:
        """All words. Raises a UnicodeDecodeError if one is not UTF-8."""
        data = self.text.tobytes()
        if data.isascii():  # then letters are bytes, and decoding all at once is faster
            letters = data.decode()
            return [letters[begin:end] for begin, end in pairwise(self.offsets.tolist())]
        return [data[begin:end].decode() for begin, end in pairwise(self.offsets.tolist())]

    def word(self, row: int) -> str:
        """The word of a row."""
        begin, end = self.offsets[row], self.offsets[row + 1]
        return self.text[begin:end].tobytes().decode()

    def row(self, word: str) -> int | None:
        """The row of a word, by comparing its bytes with those of all words of its length, from the last byte on."""
        try:
            wanted = np.frombuffer(word.encode(), np.uint8)
        except UnicodeEncodeError:  # half of a surrogate pair, which no UTF-8 holds
            return None
        rows = np.flatnonzero(np.diff(self.offsets) == len(wanted)) if len(wanted) else np.empty(0, np.intp)
        ends = self.offsets[rows + 1]
        for back in range(1, len(wanted) + 1):
            same = self.text[ends - back] == wanted[-back]
            rows, ends = rows[same], ends[same]
        return int(rows[0]) if len(rows) else None


class Names:
    """The words of rows: strings, or packed words that become strings when all of them are needed."""

    def __init__(self, words: Iterable[str] | PackedWords) -> None:
        self._packed = words if isinstance(words, PackedWords) else None
        self._strings = None if isinstance(words, PackedWords) else checked_words(words)
        self._rows: dict[str, int] | None = None
        self._n_searches = 0

    def __len__(self) -> int:
        return len(self._strings) if self._packed is None else len(self._packed.offsets) - 1  # type: ignore[arg-type]

    @property
    def strings(self) -> list[str]:
        """All words."""
        if self._strings is None:
            with _LAZY:
                if self._strings is None:
                    assert self._packed is not None
                    self._strings = self._packed.strings()
        return self._strings

    @property
    def rows(self) -> Mapping[str, int]:
        """The row of each word, computed at first use. Raises an InputError if a word is empty or occurs twice."""
        if self._rows is None:
            strings = self.strings
            with _LAZY:
                if self._rows is None:
                    self._rows = row_of_each_word(strings)
        return self._rows

    def word(self, row: int) -> str:
        """The word of a row."""
        if self._strings is None and self._packed is not None:
            return self._packed.word(row)
        return self.strings[row]

    def row(self, word: str) -> int | None:
        """The row of a word, or None."""
        if self._strings is None and self._packed is not None and self._n_searches < _FEW_SEARCHES:
            self._n_searches += 1
            return self._packed.row(word)
        return self.rows.get(word)
