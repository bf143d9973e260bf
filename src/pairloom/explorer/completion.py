"""Words that begin with what a person has typed so far, the most frequent first, in any case of letters."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np

from pairloom.types import Ids


class Completion:
    """The rows of words in the order of their case-folded spelling.

    >>> words = ["the", "King", "kin", "queen", "kind"]
    >>> [words[row] for row in Completion(words).rows("ki", 2)]
    ['King', 'kin']
    """

    def __init__(self, words: Sequence[str]) -> None:
        folded = [word.casefold() for word in words]
        self._words = words
        self._order: Ids = np.array(sorted(range(len(words)), key=folded.__getitem__), np.int32)

    def rows(self, prefix: str, n: int) -> list[int]:
        """The first n rows, which are the most frequent words, whose word begins with the prefix."""
        start = prefix.casefold()
        if not start:
            return list(range(min(n, len(self._words))))

        def beginning(row: int) -> str:
            return self._words[row].casefold()[: len(start)]

        begin = bisect_left(self._order, start, key=beginning)
        end = bisect_right(self._order, start, lo=begin, key=beginning)
        found = self._order[begin:end]
        if len(found) > n:
            found = np.partition(found, n - 1)[:n]
        rows: list[int] = np.sort(found).tolist()
        return rows
