"""Counts of more words than memory holds: tables that go to files when they are full, and are added up in the end.

    words -> a table, until it is full -> a run: its words by the bucket of their hash, in files without a name
    all runs -> bucket by bucket into small tables -> `Sieve` -> the words that are kept

A word is in one bucket, so a bucket of all runs together has all that was counted of it. Counts are whole numbers, so
their order does not matter: the result is the same for any size of tables and any number of threads. What is too rare
leaves while runs are merged, so that only what is kept needs memory.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt

from pairloom.system.spool import Spool, pieces
from pairloom.types import Counts, Starts

Result = TypeVar("Result")
Ranges = Iterable[tuple[tuple[int, int], tuple[int, int]]]  # of each run: entries, and their bytes

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.text.words import WordTable

_BITS = 10
BUCKETS = 1 << _BITS
WORDS_AT_ONCE = 1 << 16  # that are written: some MB
BYTES_PER_ENTRY = 200  # of runs while they are merged: read, and put into tables that may be half empty
FEWEST_ENTRIES = 1 << 12
_NONE: Starts = np.empty(0, np.int64)


class Words(NamedTuple):
    """Some words and their counts: word i has the bytes arena[offsets[i] : offsets[i + 1]]."""

    arena: npt.NDArray[np.uint8]
    offsets: Starts
    counts: Any  # whole numbers; of given pairs what they weigh, in float64
    numbers: Starts = _NONE  # what they are called elsewhere, if anything


class WordRuns:
    """Runs of words, one after the other in files. Any thread may add one."""

    def __init__(self, folder: Path) -> None:
        self.n_entries = 0
        self._close, self._turn = ExitStack(), Lock()
        self._arena, self._lengths, self._counts = (
            self._close.enter_context(Spool(folder, kind)) for kind in (np.uint8, np.uint16, np.int64)
        )
        self._sizes: list[npt.NDArray[np.int64]] = []  # of each run: the entries and the bytes of its buckets

    def add(self, table: "WordTable") -> None:
        """The words of a table as one more run."""
        from pairloom.kernel.text.words import contents, picked

        arena, offsets, counts = contents(table)
        bucket = (table.hashes[: len(counts)] >> np.uint64(64 - _BITS)).astype(np.uint16)
        order = np.argsort(bucket, kind="stable")
        n_bytes = np.bincount(bucket, np.diff(offsets), BUCKETS).astype(np.int64)
        with self._turn:
            self._sizes.append(np.array([np.bincount(bucket, minlength=BUCKETS), n_bytes]))
            self.n_entries += len(counts)
            for first in range(0, len(order), WORDS_AT_ONCE):
                rows = order[first : first + WORDS_AT_ONCE]
                some, places = picked(arena, offsets, rows)
                self._arena.add(some)
                self._lengths.add(np.diff(places))
                self._counts.add(counts[rows])

    def merged(self, entries: int, threads: int) -> Iterator[Words]:
        """All words with all their counts, some at a time, of runs with so many entries together."""
        return self._in_pieces(self._merge, entries, threads)

    def rows(self, entries: int, threads: int) -> Iterator[tuple[Words, list[Starts]]]:
        """The same without counts, and for each run which of the words its entries are."""
        return self._in_pieces(self._absorb, entries, threads)

    def counts_of(self, run: int) -> Counts:
        """Those of a run, in its order."""
        ends = np.cumsum([int(sizes[0].sum()) for sizes in self._sizes]).tolist()
        counts: Counts = self._counts.read(ends[run - 1] if run else 0, ends[run])
        return counts

    def _in_pieces(self, function: Callable[[Ranges], Result], entries: int, threads: int) -> Iterator[Result]:
        """function of what all runs have in some buckets, for all buckets in order, on several threads."""
        from pairloom.system.threads import in_order

        sizes = np.array(self._sizes)  # (runs, 2, buckets)
        by_run = sizes.sum(axis=2)
        begins = np.cumsum(by_run, axis=0) - by_run
        starts = np.cumsum(sizes, axis=2) - sizes + begins[:, :, None]

        def go(piece: tuple[int, int]) -> Result:
            first, last = piece
            mine = starts[:, :, first], starts[:, :, last - 1] + sizes[:, :, last - 1]
            return function(np.stack(mine, axis=-1).tolist())

        return in_order(go, pieces(sizes[:, 0].sum(axis=0), entries), threads)

    def _absorb(self, ranges: Ranges) -> tuple[Words, list[Starts]]:
        from pairloom.kernel.text import words as kernel

        table, rows = kernel.empty_table(), []
        for entries, of_bytes in ranges:
            table, of_run = kernel.absorb(table, self._arena.read(*of_bytes), self._offsets(entries))
            rows.append(of_run)
        return Words(*kernel.contents(table)), rows

    def _offsets(self, entries: tuple[int, int]) -> Starts:
        return np.append(0, np.cumsum(self._lengths.read(*entries), dtype=np.int64))

    def _merge(self, ranges: Ranges) -> Words:
        from pairloom.kernel.text import words as kernel

        table = kernel.empty_table()
        for entries, of_bytes in ranges:
            words = self._arena.read(*of_bytes), self._offsets(entries)
            table = kernel.merge(table, *words, self._counts.read(*entries))
        return Words(*kernel.contents(table))

    def close(self) -> None:
        """Remove the files."""
        self._close.close()


class Spilling:
    """Room for tables: each may grow to its share of some bytes, and goes to a file before it would take more."""

    def __init__(self, bytes_per_table: int, folder: Path) -> None:
        self.runs: WordRuns | None = None
        self._most, self._folder, self._turn = bytes_per_table, folder, Lock()

    def make_room(self, table: "WordTable", n_words: int, n_bytes: int) -> "WordTable":
        """`kernel.text.with_capacity`, of the table or of what is left of it after its words went to a file."""
        from pairloom.kernel.text import words as kernel

        grown = kernel.growth(table, n_words, n_bytes)
        if grown and table.used[0] and sum(array.nbytes for array in table) + grown > self._most:
            self.spill(table)
        return kernel.with_capacity(table, n_words, n_bytes)

    def spill(self, table: "WordTable") -> None:
        """Write the words of a table to a file, and empty it."""
        from pairloom.kernel.text.words import emptied

        with self._turn:
            self.runs = self.runs or WordRuns(self._folder)
        self.runs.add(table)
        emptied(table)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.runs is not None:
            self.runs.close()


class Sieve:
    """What stays of words that pass by, in any order, with all their counts.

    Those seen min_count times; of these the max_vocab most frequent, where counts are equal by their bytes; and besides
    these the words of `keep`. Words of `drop` go. That may be a few words too many, but `Vocabulary.from_counts` misses
    none. check is called with how many words stay so far, and their bytes, and may refuse them.
    """

    def __init__(
        self,
        min_count: float = 1,
        max_vocab: int | None = None,
        keep: Iterable[str] = (),
        drop: Iterable[str] = (),
        check: Callable[[int, int], object] = lambda n_words, n_bytes: None,
    ) -> None:
        self._check = check
        self._least, self._most = min_count, max_vocab
        self._keep, self._drop = ({word.encode() for word in words} for words in (keep, drop))
        self._kept: list[Words] = []
        self._waiting: list[Words] = []  # of which max_vocab may stay
        self.n_words = self.largest = 0  # of all that passed

    def add(self, words: Words) -> None:
        """More words, of which none was there before."""
        self.n_words += len(words.counts)
        self.largest = max(self.largest, int(words.counts.max(initial=0)))
        keep, drop = (_among(words, some) for some in (self._keep, self._drop))
        stays = words.counts >= self._least
        stays[keep] = stays[drop] = False
        self._kept.append(_picked(words, keep))
        self._waiting.append(_picked(words, np.flatnonzero(stays)))
        if self._most is not None and sum(len(some.counts) for some in self._waiting) >= 2 * self._most:
            self._waiting = [self._most_frequent(self._most)]
        staying = [*self._kept, *self._waiting]
        self._check(sum(len(some.counts) for some in staying), sum(len(some.arena) for some in staying))

    def words(self) -> Words:
        """What stays."""
        return _together([*self._kept, *self._waiting])

    def _most_frequent(self, n: int) -> Words:
        """So many of those that wait; what is rarer than the last of them need not wait from now on."""
        waiting = _together(self._waiting)
        floor = np.partition(waiting.counts, -n)[-n]
        above, equal = np.flatnonzero(waiting.counts > floor), np.flatnonzero(waiting.counts == floor)
        self._least = max(self._least, floor.item())
        first = sorted(zip(_spelled(_picked(waiting, equal)), equal.tolist(), strict=True))[: n - len(above)]
        return _picked(waiting, np.append(above, [row for _, row in first]).astype(np.int64))


def _among(words: Words, some: set[bytes]) -> npt.NDArray[np.int64]:
    """The rows of words that are among some."""
    found = [row for row, word in enumerate(_spelled(words)) if word in some] if some else []
    return np.array(found, np.int64)


def _spelled(words: Words) -> Iterator[bytes]:
    arena = words.arena.tobytes()
    return (arena[begin:end] for begin, end in pairwise(words.offsets.tolist()))


def _picked(words: Words, rows: npt.NDArray[np.int64]) -> Words:
    from pairloom.kernel.text.words import picked

    numbers = words.numbers[rows] if len(words.numbers) else words.numbers
    return Words(*picked(words.arena, words.offsets, rows), words.counts[rows], numbers)


def _together(parts: Sequence[Words]) -> Words:
    """Words of several, one after the other."""
    arenas, offsets, counts, numbers = zip(*parts, strict=True)
    lengths = np.concatenate([np.diff(some) for some in offsets])
    ends = np.append(0, np.cumsum(lengths))
    return Words(np.concatenate(arenas), ends, np.concatenate(counts), np.concatenate(numbers))
