"""Count how often every word of a corpus occurs, on all cores and in bounded memory.

Each thread counts blocks of text in a table of its own, and the tables are added up at the end:

    text files   blocks of bytes -> a compiled kernel -> a table for each thread -> the sum of the tables
    token lists  words joined to such blocks -> the same; lists of words with white space -> Python's Counter -> a table
    by workers   pieces of files -> tables, each counted by a worker -> added to the tables of the threads here

A sum does not depend on which thread counted which block, so the counts are the same for any number of threads. A table
that outgrows its share of memory is written to a file and emptied. `spilling.py` explains why that changes nothing.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import MAX_WORD_BYTES, checked_threads
from pairloom.corpus.inputs.row_batch import listed
from pairloom.corpus.inputs.word_lists import WordBlock
from pairloom.corpus.kinds.corpus import Corpus, Utf8Block
from pairloom.corpus.pieces import NUL, PIECE_BYTES, REPLACEMENT
from pairloom.corpus.reading import Pieces, Reading, pieces_for, read_pieces, utf8_blocks
from pairloom.corpus.spilling import BYTES_PER_ENTRY, FEWEST_ENTRIES, CountedWords, TableBudget, WordFilter
from pairloom.errors import CorpusWarning
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.system.cache_folder import cache_folder
from pairloom.system.display import number_of
from pairloom.system.memory import memory_for_counting
from pairloom.system.threads import in_order
from pairloom.types import Counts, PathName

_WORDS_PER_STEP = 1 << 14  # read from the arena at a time
_WORKER_TABLE = 64 << 20  # bytes: a worker sends a table when it would grow beyond this


class WordCounts(NamedTuple):
    """The words of a corpus, in no particular order. Word i has the bytes arena[offsets[i] : offsets[i + 1]]."""

    name: str  # of the corpus
    arena: bytes
    offsets: npt.NDArray[np.int64]
    counts: Counts
    n_tokens: int
    n_left_out: int = 0  # words that a WordFilter left out
    highest: Sequence[int] = ()  # if any were: `WordFilter.highest`

    @property
    def n_words(self) -> int:
        """The number of different words in the corpus."""
        return len(self.counts) + self.n_left_out

    def words(self, rows: Iterable[int]) -> list[str]:
        """The words of these rows."""
        return [str(word, "utf-8") for word in self._bytes(rows)]

    def rows_of(self, words: Collection[str]) -> npt.NDArray[np.intp]:
        """The rows of the given words, without those that do not occur."""
        wanted = {word.encode() for word in words}
        every = self._bytes(range(len(self.counts))) if words else iter(())
        return np.array([row for row, word in enumerate(every) if word in wanted], np.intp)

    def ordered(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Rows sorted by count, descending, then by bytes, ascending.

        The first 16 bytes are compared as two numbers, which takes less memory than Python's bytes. Only words that
        are equal in these are compared by Python.
        """
        keys = self._number(rows, 8), self._number(rows, 0), -self.counts[rows]
        order = np.lexsort(keys)
        differs = np.zeros(max(0, len(rows) - 1), np.bool_)  # from the row before, in any key
        for key in keys:
            differs |= np.diff(key[order]) != 0
        edges, rows = np.concatenate(([0], 1 + np.flatnonzero(differs), [len(rows)])), rows[order]
        for place in np.flatnonzero(np.diff(edges) > 1).tolist():
            alike = slice(*edges[place : place + 2])
            rows[alike] = [row for _, row in sorted(zip(self._bytes(rows[alike]), rows[alike].tolist(), strict=True))]
        return rows

    def _number(self, rows: npt.NDArray[np.intp], skip: int) -> npt.NDArray[np.uint64]:
        """Eight bytes of each word from `skip` on, padded with zeros, as numbers that sort as the bytes do."""
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
        """The words of rows, one at a time: a list of all of them would fragment memory."""
        every = np.asarray(rows)
        for first in range(0, len(every), _WORDS_PER_STEP):
            some = every[first : first + _WORDS_PER_STEP]
            for begin, end in zip(self.offsets[some].tolist(), self.offsets[some + 1].tolist(), strict=True):
                yield self.arena[begin:end]


def count(
    corpus: Corpus,
    *,
    word_filter: WordFilter | None = None,
    max_memory: int | None = None,
    cache_dir: PathName | None = None,
    threads: int | None = None,
    reading: Reading | None = None,
    on_progress: OnProgress = ignore,
) -> WordCounts:
    """Count all words of a corpus. The counts do not depend on the number of threads or workers, or on the memory.

    word_filter: if tables have to be written to files, only the words that it keeps are returned.
    max_memory: bytes for the whole process. `memory.memory_for_counting` decides how much of it the tables may use.
    cache_dir: the folder for these files; the user's cache folder if None.
    reading: workers that read and count the files, if they see them.
    """
    n_threads = checked_threads(threads)
    report = reporter("count", corpus.size_bytes, on_progress)
    groups = pieces_for(reading, corpus)
    with _ThreadTables(n_threads, memory_for_counting(max_memory), cache_dir) as tables:
        if reading is not None and groups:
            n_tokens, too_long = _count_by_workers(reading, corpus, groups, tables, report)
        else:
            n_tokens, too_long = _count_here(corpus, tables, report)
        corpus.check_unchanged()
        _warn(corpus, too_long)
        words, n_left_out, highest = tables.added_up(word_filter or WordFilter())
    return WordCounts(corpus.name, words.arena.tobytes(), words.offsets, words.counts, n_tokens, n_left_out, highest)


class _ThreadTables(TableBudget):
    """One table for each thread, added up at the end."""

    def __init__(self, threads: int, most_bytes: int, cache_dir: PathName | None) -> None:
        from pairloom.kernel.text.words import empty_table

        super().__init__(most_bytes // threads, cache_folder(cache_dir))
        self.threads, self.most_bytes = threads, most_bytes
        self.idle: SimpleQueue[Any] = SimpleQueue()
        for _ in range(threads):
            self.idle.put(empty_table())

    def added_up(self, word_filter: WordFilter) -> tuple[CountedWords, int, Sequence[int]]:
        """All words, 0 and nothing; unless a table was spilled.

        Then the words that the filter keeps, the number of words left out, and `WordFilter.highest`.
        """
        from pairloom.kernel.text.words import contents

        tables = [self.idle.get() for _ in range(self.threads)]
        total = None if self.spilled else self._merged(tables)
        if total is not None:
            return CountedWords(*contents(total)), 0, ()
        for table in tables:
            self.spill(table)
        del table, tables
        assert self.spilled is not None
        entries = max(FEWEST_ENTRIES, self.most_bytes // (BYTES_PER_ENTRY * (2 * self.threads + 2)))
        for words in self.spilled.merged(entries, self.threads):
            word_filter.add(words)
        kept = word_filter.words()
        return kept, word_filter.n_words - len(kept.counts), word_filter.highest

    def _merged(self, tables: list[Any]) -> Any:
        """The sum of all tables, built in the first one. None if it would take too much memory."""
        from pairloom.kernel.text import words as kernel

        while len(tables) > 1:
            arena, offsets, counts = kernel.contents(tables[-1])
            size = sum(array.nbytes for table in tables for array in table)
            if size + kernel.growth(tables[0], len(counts), len(arena)) > self.most_bytes:
                return None
            tables[0] = kernel.merge(tables[0], arena, offsets, counts)
            tables.pop()
        return tables[0]


def _count_here(corpus: Corpus, tables: _ThreadTables, report: Callable[[int], None]) -> tuple[int, int]:
    from pairloom.kernel.text import words as kernel

    def count_block(block: Utf8Block | WordBlock) -> tuple[int, int, int]:
        table = tables.idle.get_nowait()  # never empty: there are as many tables as threads
        try:
            if block.data is None:
                counter = Counter(chain.from_iterable(block.lines))
                table, n_tokens, too_long = _with(counter, table, tables), counter.total(), 0
            else:
                table, n_tokens, too_long = kernel.count(table, block.data, tables.make_room)
        finally:
            tables.idle.put(table)
        return n_tokens, too_long + (block.too_long if isinstance(block, WordBlock) else 0), block.done

    map_blocks: Any = corpus.map_blocks if corpus.has_blocks else corpus.map_word_blocks
    n_tokens = too_long = 0
    for tokens, long, done in map_blocks(count_block, tables.threads):
        n_tokens, too_long = n_tokens + tokens, too_long + long
        report(done)
    return n_tokens, too_long


def _with(counter: Counter[str], table: Any, tables: _ThreadTables) -> Any:
    """A table with the counts of a Counter added."""
    from pairloom.kernel.text import words as kernel

    words = [word.encode() for word in counter]
    arena = np.frombuffer(b"".join(words), np.uint8)
    offsets = np.cumsum([0, *map(len, words)], dtype=np.int64)
    table = tables.make_room(table, len(words), len(arena))
    return kernel.merge(table, arena, offsets, np.array([*counter.values()], np.int64))


# --- Counting by workers


class CountedText(NamedTuple):
    """Some text as a worker has counted it."""

    words: CountedWords
    n_tokens: int
    too_long: int
    odd: dict[tuple[str, str], int]  # `Corpus.odd_characters`
    done: int  # bytes of the corpus read so far


class _FullTables(TableBudget):
    """A table that would outgrow its share is kept here, for a worker to send, rather than written to a file."""

    def __init__(self, bytes_per_table: int) -> None:
        super().__init__(bytes_per_table, Path())
        self.full: list[CountedWords] = []

    def spill(self, table: Any) -> None:
        from pairloom.kernel.text.words import contents, emptied

        arena, offsets, counts = contents(table)
        self.full.append(CountedWords(arena.copy(), offsets.copy(), counts.copy()))
        emptied(table)


def count_pieces(pieces: Pieces, most_bytes: int) -> Iterator[CountedText]:
    """Count pieces on a worker, in tables of at most `most_bytes`. The sum of the tables is the result."""
    from pairloom.kernel.text import words as kernel

    tables, table = _FullTables(most_bytes), kernel.empty_table()
    n_tokens = too_long = n_bytes = done = 0  # not yet sent
    odd: Counter[tuple[str, str]] = Counter()
    for block, name, block_odd in utf8_blocks(pieces):
        table, block_tokens, block_too_long = kernel.count(table, block.data, tables.make_room)
        n_tokens, too_long = n_tokens + block_tokens, too_long + block_too_long
        n_bytes, done = n_bytes + len(block.data), block.done
        odd.update({(name, character): n for character, n in block_odd.items()})
        if n_bytes >= 2 * PIECE_BYTES:  # of compressed files: show that reading goes on
            tables.spill(table)
        while tables.full:
            yield CountedText(tables.full.pop(), n_tokens, too_long, dict(odd), done)
            n_tokens = too_long = n_bytes = 0
            odd.clear()
    yield CountedText(CountedWords(*kernel.contents(table)), n_tokens, too_long, dict(odd), done)


def _count_by_workers(
    reading: Reading, corpus: Corpus, groups: Sequence[Pieces], tables: _ThreadTables, report: Callable[[int], None]
) -> tuple[int, int]:
    from pairloom.kernel.text import words as kernel

    def add(counted: CountedText) -> tuple[int, int, dict[tuple[str, str], int], int]:
        arena, offsets, counts, _ = counted.words
        table = tables.idle.get_nowait()
        try:
            table = tables.make_room(table, len(counts), len(arena))
            # A copy, since received arrays are read-only, for which Numba would compile the kernel again.
            table = kernel.merge(table, arena, offsets.copy(), counts)
        finally:
            tables.idle.put(table)
        return counted[1:]

    corpus.odd_characters.clear()
    n_tokens = too_long = 0
    count_some = partial(count_pieces, most_bytes=min(tables.most_bytes, _WORKER_TABLE))
    results = read_pieces(reading, count_some, corpus, groups)
    for tokens, long, odd, done in in_order(add, results, tables.threads):
        n_tokens, too_long = n_tokens + tokens, too_long + long
        corpus.odd_characters.update(odd)
        report(done)
    return n_tokens, too_long


def _warn(corpus: Corpus, too_long: int) -> None:
    """Warn about rows without a value, words that were too long, and characters that may be damage."""
    if corpus.empty_rows:
        warnings.warn(
            f"{corpus.name}: skipped {number_of(corpus.empty_rows, 'row')} without a value in "
            f"{listed(corpus.text.columns)}. Check the table if there should be none.",
            CorpusWarning,
            stacklevel=3,
        )
    if too_long:
        warnings.warn(
            f"{corpus.name}: left out {number_of(too_long, 'word')} of more than "
            f"{MAX_WORD_BYTES} bytes. Check the text if there should be none.",
            CorpusWarning,
            stacklevel=3,
        )
    kept = "which separate words" if corpus.text.rule in ("words", "icu") else "kept as parts of words"
    for character, what, advice in (
        (NUL, "NUL character", "Check the text if there should be none."),
        (
            REPLACEMENT,
            "invalid character",
            f"Words around them are damaged. If the file is not {corpus.text.encoding}, name its encoding.",
        ),
    ):
        found = {file: n for (file, odd), n in corpus.odd_characters.items() if odd == character}
        if found:
            name, n = next(iter(found.items()))
            too = f" (there are more in {number_of(len(found) - 1, 'other file')})" if len(found) > 1 else ""
            replaced = ", replaced by U+FFFD" if character == REPLACEMENT else ""
            warnings.warn(
                f"{name} has {number_of(n, what)}{too}{replaced}, {kept}. {advice}", CorpusWarning, stacklevel=3
            )
