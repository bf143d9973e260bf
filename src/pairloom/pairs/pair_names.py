"""The words of given pairs, or their contexts, in bounded memory: numbered, weighed and selected.

    words as they are read -> rows of a hash table; when it is full, it becomes a run in a file, and a new table begins
    all runs -> one number for each different word -> its weight -> `WordFilter` -> the words of the vocabulary

Weights are fractions, so their sum depends on the order of the additions. Therefore weights are added up pair by pair,
in the order of the input: when all words have their numbers, the pairs are read again, once for as many words as fit
into memory. The result has the same bits whether tables went to files or not. (Which number a word has makes no
difference to the result.)
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.corpus.counting import WordCounts
from pairloom.corpus.spilling import BYTES_PER_ENTRY, FEWEST_ENTRIES, CountedWords, TableBudget, WordFilter
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import InputError
from pairloom.pairs.pair_reading import Utf8Strings
from pairloom.pairs.source import WeightedNames
from pairloom.system.spool import Spool
from pairloom.system.tensors import release_pages
from pairloom.types import Float64s

Numbers = npt.NDArray[np.int64]

PAIRS_AT_ONCE = 1 << 20


class Selection(NamedTuple):
    """Which words, or which contexts, to learn: those of a vocabulary, or the frequent ones."""

    what: str  # "word" or "context", for messages
    option: str  # the name of the option that sets min_count
    min_count: float
    max_size: int | None  # keep only the most frequent
    vocabulary: Vocabulary | None

    @property
    def sieve(self) -> WordFilter:
        if self.vocabulary is not None:
            return WordFilter(min_count=np.inf, keep=self.vocabulary.words)
        return WordFilter(min_count=self.min_count, max_vocab=self.max_size)


class NameTable(TableBudget):
    """All words of the pairs, or all contexts: a hash table that goes to a file as a run whenever it is full.

    Call `rows` for all pairs, then `assign_numbers`, then `add_weights`, and then `n_selected` and `selected`.
    """

    def __init__(self, most_bytes: int, folder: Path, threads: int) -> None:
        from pairloom.kernel.text.words import empty_table

        super().__init__(most_bytes, folder)
        self.n_words = 0
        self.run_begins = [0]  # the first pair of each run
        self._table: Any = empty_table()
        self._entries = max(FEWEST_ENTRIES, most_bytes // (BYTES_PER_ENTRY * (2 * threads + 2)))
        self._at_once, self._threads = max(FEWEST_ENTRIES, most_bytes // 16), threads
        self._numbers, self._mass = Spool(folder, np.int64), Spool(folder, np.float64)
        self._lengths: list[list[int]] = []  # for each piece of the merge, the number of entries from each run

    def rows(self, strings: Utf8Strings, first_pair: int) -> Numbers:
        """The row of each of these words in the current table. first_pair: the first pair that they are in."""
        from pairloom.kernel.text.words import absorb

        used = int(self._table.used[0])
        self._table = self.make_room(self._table, len(strings.offsets) - 1, len(strings.arena))
        if used and not self._table.used[0]:
            self.run_begins.append(first_pair)
        self._table, rows = absorb(self._table, *strings)
        return rows

    def spill(self, table: Any) -> None:
        """Write the table as a run. Runs are sorted by hash, so in place of its count each word has its row."""
        n = int(table.used[0])
        table.counts[:n] = np.arange(n)
        super().spill(table)

    def assign_numbers(self) -> None:
        """Give each different word a number. Call this when all pairs have been read."""
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
        """The number of the word in each row of a run."""
        if self.spilled is None:
            return np.arange(self.n_words)
        ends = np.cumsum(self._lengths).reshape(len(self._lengths), -1)
        pieces = zip((ends - self._lengths)[:, run].tolist(), ends[:, run].tolist(), strict=True)
        numbers: Numbers = np.empty(sum(of_piece[run] for of_piece in self._lengths), np.int64)
        numbers[self.spilled.counts_of(run)] = np.concatenate([self._numbers.read(*piece) for piece in pieces])
        return numbers

    def add_weights(self, pairs: Numbers, weights: npt.NDArray[np.float32], shift: int) -> None:
        """Add up the weight of each word. Its row is the 32 bits of a pair above bit `shift`."""
        for low in range(0, self.n_words, self._at_once):
            mass, number_of = np.zeros(min(self._at_once, self.n_words - low)), RowLookup(self, lambda numbers: numbers)
            for first in range(0, len(pairs), PAIRS_AT_ONCE):
                some = slice(first, min(first + PAIRS_AT_ONCE, len(pairs)))
                numbers = number_of(pairs[some] >> shift & 0xFFFFFFFF, first) - low
                in_range = (numbers >= 0) & (numbers < len(mass))
                np.add.at(mass, numbers[in_range], weights[some][in_range].astype(np.float64) if len(weights) else 1.0)
                release_pages(pairs, first, some.stop)
                release_pages(weights, first, min(some.stop, len(weights)))
            self._mass.add(mass)

    def n_selected(self, selection: Selection) -> int:
        """The number of words that `selected` will return."""
        if selection.vocabulary is not None:
            return len(selection.vocabulary)
        n = sum(int(np.count_nonzero((mass >= selection.min_count) & (mass > 0))) for mass in self._masses())
        return n if selection.max_size is None else min(n, selection.max_size)

    def selected(self, selection: Selection, name: str) -> tuple[WeightedNames, Numbers]:
        """The selected words, and the number of each, or -1 if it does not occur. name: of the pairs, for messages."""
        kept = self._kept(selection.sieve)
        counts = WordCounts(name, kept.arena.tobytes(), kept.offsets, kept.counts, 0, self.n_words - len(kept.counts))
        names, rows = _select(counts, selection)
        if len(rows) < 2:
            raise self._too_few(selection, len(rows), name)
        numbers: Numbers = np.where(rows >= 0, np.append(kept.numbers, 0)[rows], -1)
        return names, numbers

    def _too_few(self, selection: Selection, n_chosen: int, name: str) -> InputError:
        """The error for fewer than two words. It names the option that would help."""
        what, option = selection.what, selection.option
        heaviest = np.zeros(2)
        for mass in self._masses():
            heaviest = np.sort(np.append(heaviest, mass))[-2:]
        if heaviest[0] == 0:
            n = "only one" if heaviest[1] else "no"
            return InputError(
                f"{name} has {n} {what} of weight above 0, and training needs at least 2. Use more pairs."
            )
        return InputError(
            f"{option}={selection.min_count:g} leaves {n_chosen or 'none'} of the {self.n_words:,} {what}s of {name}, "
            f"and training needs at least 2. Use {option}={just_below(heaviest[0])}, or more pairs."
        )

    @property
    def lightest(self) -> float:
        """The smallest weight above 0."""
        return float(min(mass[mass > 0].min(initial=np.inf) for mass in self._masses()))

    def _masses(self) -> Iterator[Float64s]:
        """The weights of all words, some at a time."""
        for low in range(0, self.n_words, self._at_once):
            yield self._mass.read(low, min(low + self._at_once, self.n_words))

    def _kept(self, sieve: WordFilter) -> CountedWords:
        """All words with their weights, or only those that pass the sieve if a table went to a file."""
        from pairloom.kernel.text.words import contents

        if self.spilled is None:
            return self._weighed(CountedWords(*contents(self._table)), 0)
        at = 0
        for words, _ in self.spilled.rows(self._entries, self._threads):
            sieve.add(self._weighed(words, at))
            at += len(words.counts)
        return sieve.words()

    def _weighed(self, words: CountedWords, first: int) -> CountedWords:
        """These words, numbered from `first`, with their weights as counts."""
        last = first + len(words.counts)
        return words._replace(counts=self._mass.read(first, last), numbers=np.arange(first, last))

    def __exit__(self, *args: object) -> None:
        super().__exit__(*args)
        for spool in (self._numbers, self._mass):
            spool.__exit__()


class RowLookup:
    """Finds the numbers of the words of pairs from their rows, run by run, and returns `function` of the numbers."""

    def __init__(self, names: NameTable, function: Callable[[Numbers], Numbers]) -> None:
        self._names, self._function, self._run = names, function, -1

    def __call__(self, rows: Numbers, first_pair: int) -> Numbers:
        """Look up the rows of consecutive pairs. The first is pair number `first_pair`."""
        edges = [begin for begin in self._names.run_begins if first_pair < begin < first_pair + len(rows)]
        cuts = pairwise([0, *(edge - first_pair for edge in edges), len(rows)])
        return np.concatenate([self._by_row(first_pair + a)[rows[a:b]] for a, b in cuts])

    def _by_row(self, pair: int) -> Numbers:
        """The result for each row of the run that this pair is in."""
        run = bisect_right(self._names.run_begins, pair) - 1
        if run != self._run:
            self._run, self._results = run, self._function(self._names.numbers(run))
        return self._results


def positions_in(selected: Numbers) -> Callable[[Numbers], Numbers]:
    """A function from numbers to their positions in `selected`, -1 for numbers that are not in it.

    >>> positions_in(np.array([7, -1, 5]))(np.array([5, 6, 7, 8])).tolist()
    [2, -1, 0, -1]
    """
    order = np.argsort(selected, kind="stable")
    known = selected[order]

    def positions(numbers: Numbers) -> Numbers:
        at = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
        return np.where(known[at] == numbers, order[at], -1)

    return positions


def just_below(weight: float) -> str:
    """The weight in few digits, rounded down. (A least weight of 1 or more may also be a whole number.)

    >>> just_below(7.9), just_below(0.1)
    ('7', '0.099')
    """
    return f"{int(weight)}" if weight >= 1 else f"{0.99 * weight:.3g}"


def _select(counts: WordCounts, selection: Selection) -> tuple[WeightedNames, npt.NDArray[np.intp]]:
    """The selected words, and the row of each in the counts, or -1 if it does not occur."""
    _, _, min_count, max_size, vocabulary = selection
    if vocabulary is not None:
        found = {counts.words([row])[0]: row for row in counts.rows_of(set(vocabulary.words)).tolist()}
        rows = np.array([found.get(word, -1) for word in vocabulary.words], np.intp)
        return WeightedNames(vocabulary.words, vocabulary.counts.astype(np.float64)), rows
    rows = counts.ordered(np.flatnonzero((counts.counts >= min_count) & (counts.counts > 0)))[:max_size]
    mass: Float64s = np.asarray(counts.counts[rows], np.float64)
    return WeightedNames(counts.words(rows), mass), rows
