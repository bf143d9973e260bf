"""What learning phrases takes, item by item. What does not fit is refused as soon as its number is known.

The number of different words is known when they have been counted, through files if need be, that of pairs when each
share has been counted, and that of phrases when all have their scores. Each is compared with what there is before the
memory for it is taken. Tables of pairs are as large as there is room for.
"""

from pairloom.corpus.decoding import BLOCKS_OF_TEXT
from pairloom.system.memory import Budget, MemoryItem

PER_WORD = 110  # bytes: its count and its place in what was counted, and in the table that finds it
PER_LISTED_WORD = 190  # of token lists: as a string and a key of Python's
PER_PAIR = 84  # that is kept: as it was counted, and by its words
PER_PHRASE = 700  # as a tuple of strings, with its score, in the dicts that it passes through
PER_SLOT = 48  # of a table of pairs: 16, and the entries that are taken out of it
_FEWER = "Raise min_count, or take less text"


def check_smallest(budget: Budget, threads: int) -> None:
    """Refuse what would not fit however short the text is."""
    budget.check([MemoryItem("for text", BLOCKS_OF_TEXT * threads)], "Take fewer threads")


class PhraseMemory:
    """What a pass over a text takes, as far as it is known."""

    def __init__(self, budget: Budget, threads: int, listed: bool) -> None:
        self._budget, self._per_word = budget, PER_WORD + PER_LISTED_WORD * listed
        self._text = MemoryItem("for text", BLOCKS_OF_TEXT * threads)
        self._words, self._pairs = MemoryItem("for words", 0), MemoryItem("for pairs", 0)
        budget.begin()

    def check_words(self, n_words: int, n_bytes: int) -> None:
        """Refuse more words than fit."""
        self._words = MemoryItem(f"for {n_words:,} different words", self._per_word * n_words + 3 * n_bytes)
        self._check("Take less text")

    def check_pairs(self, n: int) -> None:
        """Refuse more pairs than fit."""
        self._pairs = MemoryItem(f"for {n:,} pairs", PER_PAIR * n)
        self._check()

    def check_phrases(self, n: int) -> None:
        """Refuse more phrases than fit."""
        self._check("Raise the threshold or min_count", MemoryItem(f"for {n:,} phrases", PER_PHRASE * n))

    def slots(self, most: int) -> int:
        """How many slots all tables of pairs together may have: half of the room, at most so many."""
        room = self._budget.room([self._text, self._words])
        return most if room is None else min(most, room // 2 // PER_SLOT)

    def _check(self, advice: str = _FEWER, *more: MemoryItem) -> None:
        self._budget.check([self._text, self._words, self._pairs, *more], advice)


def check_joining(budget: Budget, n_phrases: int, threads: int) -> None:
    """Refuse to join phrases in a text if there is no room for it."""
    tables = MemoryItem(f"for {n_phrases:,} phrases", PER_PHRASE * n_phrases)
    budget.check([MemoryItem("for text", BLOCKS_OF_TEXT * threads), tables], "Take fewer phrases, or fewer threads")
