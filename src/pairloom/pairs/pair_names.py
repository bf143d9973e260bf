"""The words of given pairs, or their contexts, in bounded memory: how they are numbered, weighed and chosen.

    words as they come -> rows of a table, until it is full -> a run, in files; rows then begin anew
    all runs -> a number for each different word -> what it weighs -> `WordFilter` -> the words that take part

Weights are fractions, whose sum depends on their order. So what a word weighs is added up pair by pair, in the order in
which they came, by reading them again when all words have their numbers; once for as many words as fit into memory. The
result has the same bits whether a table went to files or not. Which number a word has, nobody sees.
"""

from bisect import bisect_right
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.corpus.counting import WordCounts
from pairloom.corpus.encoding import release_pages
from pairloom.corpus.spilling import BYTES_PER_ENTRY, FEWEST_ENTRIES, CountedWords, TableBudget, WordFilter
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import InputError
from pairloom.pairs.pair_reading import Strings
from pairloom.pairs.source import WeightedNames
from pairloom.system.spool import Spool
from pairloom.types import Float64s

Numbers = npt.NDArray[np.int64]

PAIRS_AT_ONCE = 1 << 20


class Selection(NamedTuple):
    """Which words, or which contexts, take part: a vocabulary, or the frequent ones."""

    what: str  # "word" or "context"
    option: str  # what sets min_count
    min_count: float
    most: int | None  # at most so many, the most frequent
    given: Vocabulary | None

    @property
    def sieve(self) -> WordFilter:
        if self.given is not None:
            return WordFilter(min_count=np.inf, keep=self.given.words)
        return WordFilter(min_count=self.min_count, max_vocab=self.most)


class SideCounts(TableBudget):
    """The words of pairs that are read, or their contexts: rows of a table, and from time to time of a new one."""

    def __init__(self, most_bytes: int, folder: Path, threads: int) -> None:
        from pairloom.kernel.text.words import empty_table

        super().__init__(most_bytes, folder)
        self.n_words = 0
        self.begins = [0]  # the first pair of each run
        self._table: Any = empty_table()
        self._entries = max(FEWEST_ENTRIES, most_bytes // (BYTES_PER_ENTRY * (2 * threads + 2)))
        self._at_once, self._threads = max(FEWEST_ENTRIES, most_bytes // 16), threads
        self._numbers, self._mass = Spool(folder, np.int64), Spool(folder, np.float64)
        self._lengths: list[list[int]] = []  # of each piece that runs are merged by: the entries of each run

    def rows(self, strings: Strings, first_pair: int) -> Numbers:
        """The rows of some words, for the pairs from this one on."""
        from pairloom.kernel.text.words import absorb

        used = int(self._table.used[0])
        self._table = self.make_room(self._table, len(strings.offsets) - 1, len(strings.arena))
        if used and not self._table.used[0]:
            self.begins.append(first_pair)
        self._table, rows = absorb(self._table, *strings)
        return rows

    def spill(self, table: Any) -> None:
        """Files have words by their hash, so each says which row it had."""
        n = int(table.used[0])
        table.counts[:n] = np.arange(n)
        super().spill(table)

    def number(self) -> None:
        """When all words have been seen: give each different one a number."""
        self.n_words = int(self._table.used[0])
        if self.spilled is None:
            return
        self.spill(self._table)
        self.n_words, self._table = 0, None
        for words, rows in self.spilled.rows(self._entries, self._threads):
            self._lengths.append(list(map(len, rows)))
            for of_run in rows:
                self._numbers.add(of_run + self.n_words)
            self.n_words += len(words.counts)

    def numbers(self, run: int) -> Numbers:
        """The number of each row of a run."""
        if self.spilled is None:
            return np.arange(self.n_words)
        ends = np.cumsum(self._lengths).reshape(len(self._lengths), -1)
        pieces = zip((ends - self._lengths)[:, run].tolist(), ends[:, run].tolist(), strict=True)
        numbers: Numbers = np.empty(sum(of_piece[run] for of_piece in self._lengths), np.int64)
        numbers[self.spilled.counts_of(run)] = np.concatenate([self._numbers.read(*piece) for piece in pieces])
        return numbers

    def weigh(self, pairs: Numbers, weights: npt.NDArray[np.float32], shift: int) -> None:
        """Add up what each word weighs; its row is in the 32 bits of a pair from `shift` on."""
        for low in range(0, self.n_words, self._at_once):
            mass, number = np.zeros(min(self._at_once, self.n_words - low)), Translation(self, lambda numbers: numbers)
            for first in range(0, len(pairs), PAIRS_AT_ONCE):
                some = slice(first, min(first + PAIRS_AT_ONCE, len(pairs)))
                numbers = number(pairs[some] >> shift & 0xFFFFFFFF, first) - low
                mine = (numbers >= 0) & (numbers < len(mass))
                np.add.at(mass, numbers[mine], weights[some][mine].astype(np.float64) if len(weights) else 1.0)
                release_pages(pairs, first, some.stop)
                release_pages(weights, first, min(some.stop, len(weights)))
            self._mass.add(mass)

    def n_chosen(self, selection: Selection) -> int:
        """How many words take part."""
        if selection.given is not None:
            return len(selection.given)
        n = 0
        for low in range(0, self.n_words, self._at_once):
            mass = self._mass.read(low, min(low + self._at_once, self.n_words))
            n += int(np.count_nonzero((mass >= selection.min_count) & (mass > 0)))
        return n if selection.most is None else min(n, selection.most)

    def chosen(self, selection: Selection, name: str) -> tuple[WeightedNames, Numbers]:
        """The words that take part, and the number of each, or -1 if it does not occur. name: of the pairs."""
        kept = self._kept(selection.sieve)
        counts = WordCounts(name, kept.arena.tobytes(), kept.offsets, kept.counts, 0, self.n_words - len(kept.counts))
        names, rows = _chosen(counts, selection)
        numbers: Numbers = np.where(rows >= 0, np.append(kept.numbers, 0)[rows], -1)
        return names, numbers

    def _kept(self, sieve: WordFilter) -> CountedWords:
        """All words with what they weigh; or what stays in the sieve if a table had to go to files."""
        from pairloom.kernel.text.words import contents

        if self.spilled is None:
            return self._weighed(CountedWords(*contents(self._table)), 0)
        at = 0
        for words, _ in self.spilled.rows(self._entries, self._threads):
            sieve.add(self._weighed(words, at))
            at += len(words.counts)
        return sieve.words()

    def _weighed(self, words: CountedWords, first: int) -> CountedWords:
        """Words that have the numbers from this one on, with what they weigh instead of counts."""
        last = first + len(words.counts)
        return words._replace(counts=self._mass.read(first, last), numbers=np.arange(first, last))

    def __exit__(self, *args: object) -> None:
        super().__exit__(*args)
        for spool in (self._numbers, self._mass):
            spool.__exit__()


class Translation:
    """What the rows of pairs mean, of one run after the other."""

    def __init__(self, side: SideCounts, meaning: Callable[[Numbers], Numbers]) -> None:
        self._side, self._meaning, self._run = side, meaning, -1

    def __call__(self, rows: Numbers, first_pair: int) -> Numbers:
        """Of the rows of some pairs, from this one on."""
        edges = [begin for begin in self._side.begins if first_pair < begin < first_pair + len(rows)]
        cuts = pairwise([0, *(edge - first_pair for edge in edges), len(rows)])
        return np.concatenate([self._of_run(first_pair + a)[rows[a:b]] for a, b in cuts])

    def _of_run(self, pair: int) -> Numbers:
        """What each row means in the run of this pair."""
        run = bisect_right(self._side.begins, pair) - 1
        if run != self._run:
            self._run, self._of_row = run, self._meaning(self._side.numbers(run))
        return self._of_row


def places(chosen: Numbers) -> Callable[[Numbers], Numbers]:
    """From numbers to where these stand among the chosen ones, -1 for others.

    >>> places(np.array([7, -1, 5]))(np.array([5, 6, 7, 8])).tolist()
    [2, -1, 0, -1]
    """
    order = np.argsort(chosen, kind="stable")
    known = chosen[order]

    def of(numbers: Numbers) -> Numbers:
        at = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
        return np.where(known[at] == numbers, order[at], -1)

    return of


def _chosen(counts: WordCounts, selection: Selection) -> tuple[WeightedNames, npt.NDArray[np.intp]]:
    """The vocabulary and, for each of its words, its row in the counts, or -1 where it does not occur."""
    what, option, min_count, most, given = selection
    if given is not None:
        found = {counts.words([row])[0]: row for row in counts.rows_of(set(given.words)).tolist()}
        rows = np.array([found.get(word, -1) for word in given.words], np.intp)
        return WeightedNames(given.words, given.counts.astype(np.float64)), rows
    rows = counts.ordered(np.flatnonzero((counts.counts >= min_count) & (counts.counts > 0)))[:most]
    if len(rows) < 2:
        raise InputError(
            f"{option}={min_count:g} leaves {len(rows)} of the {counts.n_words:,} {what}s of {counts.name}; "
            f"need at least 2 {what}s to tell them apart. Use a smaller {option}, or more pairs."
        )
    mass: Float64s = np.asarray(counts.counts[rows], np.float64)
    return WeightedNames(counts.words(rows), mass), rows
