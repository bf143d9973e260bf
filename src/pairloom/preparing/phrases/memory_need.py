"""The memory that learning phrases takes. Learning stops with an error as soon as it is known not to fit.

The number of different words is known when they have been counted (through files if need be), the number of pairs when
each share of them has been counted, and the number of phrases when all pairs have their scores. Each is checked before
its memory is taken. The tables that count pairs are as large as the remaining memory allows.
"""

from pairloom.corpus.decoding import READ_AHEAD_BYTES
from pairloom.system.display import number_of
from pairloom.system.memory import Budget, MemoryItem

PER_WORD = 126  # bytes: its count and position, and its entry in the hash table
PER_LISTED_WORD = 190  # if the corpus is token lists: also a Python string and a key in a dict
PER_PAIR = 84  # kept: once by its key and once by its words
PER_PHRASE = 700  # a tuple of strings with its score, in several dicts
PER_SLOT = 48  # of a table of pairs: 16, and the entries copied out of it
_FEWER_PAIRS = "Raise min_count, or use less text"


def check_smallest(budget: Budget, threads: int) -> None:
    """Raise if there is not even enough memory for a short text."""
    budget.check([MemoryItem("for text", READ_AHEAD_BYTES * threads)], "Use fewer threads")


class PhraseMemory:
    """The memory that a pass over a text takes, as far as it is known."""

    def __init__(self, budget: Budget, threads: int, listed: bool) -> None:
        self._budget, self._per_word = budget, PER_WORD + PER_LISTED_WORD * listed
        self._text = MemoryItem("for text", READ_AHEAD_BYTES * threads)
        self._words, self._pairs = MemoryItem("for words", 0), MemoryItem("for pairs", 0)
        budget.set_baseline()

    def check_words(self, n_words: int, n_bytes: int) -> None:
        """Raise if the words do not fit."""
        self._words = MemoryItem(f"for {number_of(n_words, 'different word')}", self._per_word * n_words + 3 * n_bytes)
        self._check("Use less text")

    def check_pairs(self, n: int) -> None:
        """Raise if the pairs do not fit."""
        self._pairs = MemoryItem(f"for {number_of(n, 'pair')}", PER_PAIR * n)
        self._check()

    def check_phrases(self, n: int) -> None:
        """Raise if the phrases do not fit."""
        self._check("Raise the threshold or min_count", MemoryItem(f"for {number_of(n, 'phrase')}", PER_PHRASE * n))

    def slots(self, most: int) -> int:
        """The slots of all tables of pairs together: at most `most`, and at most half of the free memory."""
        free = self._budget.spare([self._text, self._words])
        return most if free is None else min(most, free // 2 // PER_SLOT)

    def _check(self, advice: str = _FEWER_PAIRS, *more: MemoryItem) -> None:
        self._budget.check([self._text, self._words, self._pairs, *more], advice)


def check_joining(budget: Budget, n_phrases: int, threads: int) -> None:
    """Raise if there is not enough memory to join phrases in a text."""
    tables = MemoryItem(f"for {number_of(n_phrases, 'phrase')}", PER_PHRASE * n_phrases)
    budget.check([MemoryItem("for text", READ_AHEAD_BYTES * threads), tables], "Use fewer phrases, or fewer threads")
