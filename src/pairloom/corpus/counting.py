"""How often every word of a corpus occurs, counted on all cores.

The sums do not depend on who counted what, so the result is the same for any number of threads, and for text in files
(counted as bytes, by a compiled kernel) and in token lists (counted by Python). Tables that outgrow their share of
memory go to files, as `spilling.py` tells; the result is the same whether they do or not.
"""

import os
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import MAX_WORD_BYTES, checked_threads
from pairloom.corpus.sentences import Block, Corpus
from pairloom.corpus.spilling import BYTES_PER_ENTRY, FEWEST_ENTRIES, Sieve, Spilling, Words
from pairloom.errors import CorpusWarning
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.system.memory import memory_for_counting
from pairloom.system.threads import in_order
from pairloom.types import Counts

if TYPE_CHECKING:
    pass


_AT_ONCE = 1 << 14  # words
_BATCH = 1 << 18  # different words of token lists that are counted by Python before they go to a table


class WordCounts(NamedTuple):
    """The words of a corpus, in no order. Word i has the bytes arena[offsets[i] : offsets[i + 1]]."""

    name: str  # of the corpus
    arena: bytes
    offsets: npt.NDArray[np.int64]
    counts: Counts
    n_tokens: int
    n_left_out: int = 0  # words that a sieve let go ...
    most_left_out: int = 0  # ... and how often the most frequent of them occurs, or of all

    @property
    def n_words(self) -> int:
        """How many different words the corpus has."""
        return len(self.counts) + self.n_left_out

    @property
    def largest(self) -> int:
        """How often the most frequent word occurs."""
        return int(self.counts.max(initial=self.most_left_out))

    def words(self, rows: Iterable[int]) -> list[str]:
        """The words of these rows."""
        return [str(word, "utf-8") for word in self._bytes(rows)]

    def rows_of(self, words: Collection[str]) -> npt.NDArray[np.intp]:
        """Where those of these words stand that occur."""
        wanted = {word.encode() for word in words}
        every = self._bytes(range(len(self.counts))) if words else iter(())
        return np.array([row for row, word in enumerate(every) if word in wanted], np.intp)

    def ordered(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Rows by count, descending, then by bytes, ascending.

        The first bytes are compared as numbers, which take less memory than Python's bytes; Python looks at words only
        where those are the same.
        """
        keys = self._number(rows, 8), self._number(rows, 0), -self.counts[rows]
        order = np.lexsort(keys)
        differs = np.zeros(max(0, len(rows) - 1), np.bool_)  # from the one before, in any key
        for key in keys:
            differs |= np.diff(key[order]) != 0
        edges, rows = np.concatenate(([0], 1 + np.flatnonzero(differs), [len(rows)])), rows[order]
        for place in np.flatnonzero(np.diff(edges) > 1).tolist():
            alike = slice(*edges[place : place + 2])
            rows[alike] = [row for _, row in sorted(zip(self._bytes(rows[alike]), rows[alike].tolist(), strict=True))]
        return rows

    def _number(self, rows: npt.NDArray[np.intp], skip: int) -> npt.NDArray[np.uint64]:
        """Eight bytes of each word, zeros after its end, as a number that is larger where they are."""
        arena = np.frombuffer(self.arena, np.uint8)
        at, end = self.offsets[rows] + skip, self.offsets[rows + 1]
        number = np.zeros(len(rows), np.uint64)
        for _ in range(8):
            inside = at < end
            number <<= np.uint64(8)
            number[inside] |= arena[at[inside]]
            at += 1
        return number

    def _bytes(self, rows: Iterable[int]) -> Iterator[bytes]:
        """The words of rows, one after the other: lists of all of them would leave memory in pieces."""
        every = np.asarray(rows)
        for first in range(0, len(every), _AT_ONCE):
            some = every[first : first + _AT_ONCE]
            for begin, end in zip(self.offsets[some].tolist(), self.offsets[some + 1].tolist(), strict=True):
                yield self.arena[begin:end]


def count(
    corpus: Corpus,
    *,
    sieve: Sieve | None = None,
    max_memory: int | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    on_progress: OnProgress = ignore,
) -> WordCounts:
    """Count all words of a corpus. The result does not depend on the number of threads, nor on memory.

    If tables have to go to files (in the cache folder), words that the sieve lets go are left out. max_memory: bytes
    for the whole process; what the tables may take of it, or of what there is, `memory_for_counting` says.
    """
    n_threads = checked_threads(threads) if corpus.has_blocks else 1
    report = reporter("count", corpus.size_bytes, on_progress)
    with _Tables(n_threads, memory_for_counting(max_memory), cache_dir) as tables:
        n_tokens, too_long = (_count_blocks if corpus.has_blocks else _count_pieces)(corpus, tables, report)
        corpus.check_unchanged()
        _warn(corpus, too_long)
        words, n_left_out, largest = tables.added_up(sieve or Sieve())
    return WordCounts(corpus.name, words.arena.tobytes(), words.offsets, words.counts, n_tokens, n_left_out, largest)


class _Tables(Spilling):
    """A table for each thread; they are added up in the end, when it no longer matters who saw what."""

    def __init__(self, threads: int, most_bytes: int, cache_dir: str | os.PathLike[str] | None) -> None:
        from pairloom.kernel.text.words import empty_table
        from pairloom.system.cache_folder import cache_folder

        super().__init__(most_bytes // threads, cache_folder(cache_dir))
        self.threads, self._most_bytes = threads, most_bytes
        self.idle: SimpleQueue[Any] = SimpleQueue()
        for _ in range(threads):
            self.idle.put(empty_table())

    def added_up(self, sieve: Sieve) -> tuple[Words, int, int]:
        """All words; or what stays in the sieve if a table had to go to a file, and how much that leaves out."""
        from pairloom.kernel.text.words import contents

        tables = [self.idle.get() for _ in range(self.threads)]
        total = None if self.runs else self._merged(tables)
        if total is not None:
            return Words(*contents(total)), 0, 0
        for table in tables:
            self.spill(table)
        del table, tables
        assert self.runs is not None
        entries = max(FEWEST_ENTRIES, self._most_bytes // (BYTES_PER_ENTRY * (2 * self.threads + 2)))
        for words in self.runs.merged(entries, self.threads):
            sieve.add(words)
        kept = sieve.words()
        return kept, sieve.n_words - len(kept.counts), sieve.largest

    def _merged(self, tables: list[Any]) -> Any:
        """One table of all, in the place of the first; None if this would take too much memory."""
        from pairloom.kernel.text import words as kernel

        while len(tables) > 1:
            arena, offsets, counts = kernel.contents(tables[-1])
            size = sum(array.nbytes for table in tables for array in table)
            if size + kernel.growth(tables[0], len(counts), len(arena)) > self._most_bytes:
                return None
            tables[0] = kernel.merge(tables[0], arena, offsets, counts)
            tables.pop()
        return tables[0]


def _count_blocks(corpus: Corpus, tables: _Tables, report: Callable[[int], None]) -> tuple[int, int]:
    from pairloom.kernel.text import words as kernel

    def count_block(block: Block) -> tuple[int, int, int]:
        table = tables.idle.get_nowait()  # there are as many as threads
        try:
            table, n_tokens, too_long = kernel.count(table, block.data, tables.make_room)
        finally:
            tables.idle.put(table)
        return n_tokens, too_long, block.done

    n_tokens = too_long = 0
    for tokens, long, done in in_order(count_block, corpus.blocks(), tables.threads):
        n_tokens, too_long = n_tokens + tokens, too_long + long
        report(done)
    return n_tokens, too_long


def _count_pieces(corpus: Corpus, tables: _Tables, report: Callable[[int], None]) -> tuple[int, int]:
    """Token lists are Python's own, so Python counts them, on one thread."""
    counter: Counter[str] = Counter()
    n_tokens = too_long = 0
    for piece in corpus.pieces():
        counter.update(piece.words)
        n_tokens += len(piece.words)
        too_long += piece.too_long
        report(piece.done)
        if len(counter) >= _BATCH:
            _add(counter, tables)
            counter.clear()
    _add(counter, tables)
    return n_tokens, too_long


def _add(counter: Counter[str], tables: _Tables) -> None:
    """Add what Python has counted to the only table, some words at a time."""
    from pairloom.kernel.text import words as kernel

    table, counted = tables.idle.get(), iter(counter.items())
    while some := list(islice(counted, _BATCH)):
        words = [word.encode() for word, _ in some]
        arena = np.frombuffer(b"".join(words), np.uint8)
        offsets = np.cumsum([0, *map(len, words)], dtype=np.int64)
        table = tables.make_room(table, len(words), len(arena))
        table = kernel.merge(table, arena, offsets, np.array([n for _, n in some], np.int64))
    tables.idle.put(table)


def _warn(corpus: Corpus, too_long: int) -> None:
    """Say what was odd in the text."""
    if too_long:
        warnings.warn(
            f"{corpus.name}: left out {too_long:,} {'word' if too_long == 1 else 'words'} of more than "
            f"{MAX_WORD_BYTES} bytes. Check the text if there should be none.",
            CorpusWarning,
            stacklevel=3,
        )
    if corpus.nul_characters:
        name, n = next(iter(corpus.nul_characters.items()))
        others = len(corpus.nul_characters) - 1
        warnings.warn(
            f"{name} has {n:,} NUL characters{f' (and {others} more files have some)' if others else ''}, "
            "kept as parts of words. Check the text if there should be none.",
            CorpusWarning,
            stacklevel=3,
        )


# --- What counting and encoding share
