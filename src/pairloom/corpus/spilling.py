"""Count more words than memory holds: full tables are written to files and added up at the end.

    words -> a table, until it is full -> `SpilledTables`: its words in files, sorted into buckets by their hash
    bucket by bucket, the words of all spilled tables -> one small table -> `WordFilter` -> the words to keep

Memory is bounded twice. A table that would outgrow its share of the budget is written to a file and emptied
(`TableBudget`). At the end only a few buckets are in memory at a time, and words that are too rare are dropped at once,
so that only the kept words need memory.

The result is the same as with tables of any size. All entries of a word have the same hash, so they are in the same
bucket, and adding up that bucket over all spilled tables gives the full count of the word. Counts are whole numbers, so
neither the order of the additions nor the number of threads matters.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt

from pairloom.system.spool import Spool, row_ranges
from pairloom.types import Counts, Starts

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.text.words import WordTable

Result = TypeVar("Result")
Ranges = Iterable[tuple[tuple[int, int], tuple[int, int]]]  # for each spilled table: (begin, end) of entries, of bytes

_BUCKET_BITS = 10
BUCKETS = 1 << _BUCKET_BITS
WORDS_PER_WRITE = 1 << 16  # some MB
BYTES_PER_ENTRY = 232  # memory for an entry while tables are added up: as read, and in a table that may be half empty
FEWEST_ENTRIES = 1 << 12
_NO_NUMBERS: Starts = np.empty(0, np.int64)


class CountedWords(NamedTuple):
    """Some words and their counts: word i has the bytes arena[offsets[i] : offsets[i + 1]]."""

    arena: npt.NDArray[np.uint8]
    offsets: Starts
    counts: Any  # whole numbers; for the words of given pairs the sum of their weights, as float64
    numbers: Starts = _NO_NUMBERS  # the caller's own number for each word, if it has one


# --- Tables with a limit


class TableBudget:
    """A limit for the memory of tables. A table that would outgrow its share is written to a file and emptied."""

    def __init__(self, bytes_per_table: int, folder: Path) -> None:
        self.spilled: SpilledTables | None = None
        self._bytes_per_table, self._folder, self._turn = bytes_per_table, folder, Lock()

    def make_room(self, table: "WordTable", n_words: int, n_bytes: int) -> "WordTable":
        """`kernel.text.words.with_capacity`, for the table as it is, or emptied if it would grow too large."""
        from pairloom.kernel.text import words as kernel

        growth = kernel.growth(table, n_words, n_bytes)
        if growth and table.used[0] and sum(array.nbytes for array in table) + growth > self._bytes_per_table:
            self.spill(table)
        return kernel.with_capacity(table, n_words, n_bytes)

    def spill(self, table: "WordTable") -> None:
        """Write the words of a table to a file, and empty it."""
        from pairloom.kernel.text.words import emptied

        with self._turn:
            self.spilled = self.spilled or SpilledTables(self._folder)
        self.spilled.add(table)
        emptied(table)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.spilled is not None:
            self.spilled.close()


# --- Tables in files


class SpilledTables:
    """Tables written to files, one after the other, each sorted by bucket. Any thread may add one."""

    def __init__(self, folder: Path) -> None:
        self.n_entries = 0
        self._close, self._turn = ExitStack(), Lock()
        self._arena, self._lengths, self._counts = (
            self._close.enter_context(Spool(folder, kind)) for kind in (np.uint8, np.uint16, np.int64)
        )
        self._sizes: list[npt.NDArray[np.int64]] = []  # for each table (2, BUCKETS): entries and bytes of each bucket

    def add(self, table: "WordTable") -> None:
        """Write the words of one more table."""
        from pairloom.kernel.text.words import contents, picked

        arena, offsets, counts = contents(table)
        bucket = (table.hashes[: len(counts)] >> np.uint64(64 - _BUCKET_BITS)).astype(np.uint16)
        order = np.argsort(bucket, kind="stable")
        n_bytes = np.bincount(bucket, np.diff(offsets), BUCKETS).astype(np.int64)
        with self._turn:
            self._sizes.append(np.array([np.bincount(bucket, minlength=BUCKETS), n_bytes]))
            self.n_entries += len(counts)
            for first in range(0, len(order), WORDS_PER_WRITE):
                rows = order[first : first + WORDS_PER_WRITE]
                picked_arena, picked_offsets = picked(arena, offsets, rows)
                self._arena.add(picked_arena)
                self._lengths.add(np.diff(picked_offsets))
                self._counts.add(counts[rows])

    def merged(self, entries: int, threads: int) -> Iterator[CountedWords]:
        """All words with their full counts, some buckets at a time: about `entries` entries of the tables."""
        return self._by_buckets(self._merge, entries, threads)

    def rows(self, entries: int, threads: int) -> Iterator[tuple[CountedWords, list[Starts]]]:
        """All words without counts, some buckets at a time, and for each table the word of each of its entries."""
        return self._by_buckets(self._absorb, entries, threads)

    def counts_of(self, table: int) -> Counts:
        """The counts of a table, in the order of its entries in the file."""
        ends = np.cumsum([int(sizes[0].sum()) for sizes in self._sizes]).tolist()
        counts: Counts = self._counts.read(ends[table - 1] if table else 0, ends[table])
        return counts

    def close(self) -> None:
        """Remove the files."""
        self._close.close()

    def _by_buckets(self, function: Callable[[Ranges], Result], entries: int, threads: int) -> Iterator[Result]:
        """Call `function` for some neighbouring buckets at a time, on several threads. Results come in bucket order."""
        from pairloom.system.threads import in_order

        sizes = np.array(self._sizes)  # (tables, 2, buckets)
        by_table = sizes.sum(axis=2)
        begins = np.cumsum(by_table, axis=0) - by_table
        starts = np.cumsum(sizes, axis=2) - sizes + begins[:, :, None]

        def call(buckets: tuple[int, int]) -> Result:
            first, last = buckets
            ranges = starts[:, :, first], starts[:, :, last - 1] + sizes[:, :, last - 1]
            return function(np.stack(ranges, axis=-1).tolist())

        return in_order(call, row_ranges(sizes[:, 0].sum(axis=0), entries), threads)

    def _merge(self, ranges: Ranges) -> CountedWords:
        from pairloom.kernel.text import words as kernel

        table = kernel.empty_table()
        for entries, in_bytes in ranges:
            words = self._arena.read(*in_bytes), self._offsets(entries)
            table = kernel.merge(table, *words, self._counts.read(*entries))
        return CountedWords(*kernel.contents(table))

    def _absorb(self, ranges: Ranges) -> tuple[CountedWords, list[Starts]]:
        from pairloom.kernel.text import words as kernel

        table, rows = kernel.empty_table(), []
        for entries, in_bytes in ranges:
            table, table_rows = kernel.absorb(table, self._arena.read(*in_bytes), self._offsets(entries))
            rows.append(table_rows)
        return CountedWords(*kernel.contents(table)), rows

    def _offsets(self, entries: tuple[int, int]) -> Starts:
        return np.append(0, np.cumsum(self._lengths.read(*entries), dtype=np.int64))


# --- Words to keep


class WordFilter:
    """Keeps the words that a vocabulary may need, out of all words with their full counts, in any order.

    Keeps words that occur at least `min_count` times, of these the `max_vocab` most frequent (equal counts: the
    smallest bytes), and all words of `keep`. Leaves out the words of `drop`. It may keep some words that
    `Vocabulary.from_counts` does not take, but never loses one that it does.

    check: called with the number of words kept so far and their bytes; it may raise to refuse them.
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
        self._min_count, self._max_vocab = min_count, max_vocab
        self._keep, self._drop = ({word.encode() for word in words} for words in (keep, drop))
        self._kept: list[CountedWords] = []  # words of `keep`
        self._candidates: list[CountedWords] = []  # frequent words; at most max_vocab of them will stay
        self.n_words = 0  # of all words added
        self.highest = [0, 0]  # the two highest counts of words that are neither in `keep` nor in `drop`, falling

    def add(self, words: CountedWords) -> None:
        """Add words that have not been added before."""
        self.n_words += len(words.counts)
        keep, drop = (_rows_in(words, chosen) for chosen in (self._keep, self._drop))
        others = np.delete(words.counts, np.append(keep, drop))
        self.highest = sorted([*self.highest, *np.sort(others)[-2:].tolist()], reverse=True)[:2]
        frequent = words.counts >= self._min_count
        frequent[keep] = frequent[drop] = False
        self._kept.append(_take(words, keep))
        self._candidates.append(_take(words, np.flatnonzero(frequent)))
        if self._max_vocab is not None and sum(len(part.counts) for part in self._candidates) >= 2 * self._max_vocab:
            self._candidates = [self._most_frequent(self._max_vocab)]
        held = [*self._kept, *self._candidates]
        self._check(sum(len(part.counts) for part in held), sum(len(part.arena) for part in held))

    def words(self) -> CountedWords:
        """The words that are kept."""
        return _concatenated([*self._kept, *self._candidates])

    def _most_frequent(self, n: int) -> CountedWords:
        """The n most frequent candidates. From now on, words rarer than the last of them are dropped at once."""
        candidates = _concatenated(self._candidates)
        floor = np.partition(candidates.counts, -n)[-n]
        above, equal = np.flatnonzero(candidates.counts > floor), np.flatnonzero(candidates.counts == floor)
        self._min_count = max(self._min_count, floor.item())
        by_bytes = sorted(zip(_spelled(_take(candidates, equal)), equal.tolist(), strict=True))[: n - len(above)]
        return _take(candidates, np.append(above, [row for _, row in by_bytes]).astype(np.int64))


def _rows_in(words: CountedWords, chosen: set[bytes]) -> npt.NDArray[np.int64]:
    """The rows of the words that are in `chosen`."""
    rows = [row for row, word in enumerate(_spelled(words)) if word in chosen] if chosen else []
    return np.array(rows, np.int64)


def _spelled(words: CountedWords) -> Iterator[bytes]:
    arena = words.arena.tobytes()
    return (arena[begin:end] for begin, end in pairwise(words.offsets.tolist()))


def _take(words: CountedWords, rows: npt.NDArray[np.int64]) -> CountedWords:
    from pairloom.kernel.text.words import picked

    numbers = words.numbers[rows] if len(words.numbers) else words.numbers
    return CountedWords(*picked(words.arena, words.offsets, rows), words.counts[rows], numbers)


def _concatenated(parts: Sequence[CountedWords]) -> CountedWords:
    arenas, offsets, counts, numbers = zip(*parts, strict=True)
    lengths = np.concatenate([np.diff(part_offsets) for part_offsets in offsets])
    ends = np.append(0, np.cumsum(lengths))
    return CountedWords(np.concatenate(arenas), ends, np.concatenate(counts), np.concatenate(numbers))
