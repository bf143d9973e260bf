"""How often every word of a corpus occurs, counted on all cores.

The sums do not depend on who counted what, so the result is the same for any number of threads, and for text in files
(counted as bytes, by a compiled kernel) and in token lists (counted by Python).
"""

import math
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from wordloom.config import checked_threads
from wordloom.corpus import Block, Corpus
from wordloom.errors import CorpusWarning
from wordloom.progress import OnProgress, Progress, ignore
from wordloom.textfiles import MAX_WORD_BYTES
from wordloom.types import Counts
from wordloom.workers import workers

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")


class WordCounts(NamedTuple):
    """All words of a corpus, in no order. Word i has the bytes arena[offsets[i] : offsets[i + 1]]."""

    name: str  # of the corpus
    arena: bytes
    offsets: npt.NDArray[np.int64]
    counts: Counts
    n_tokens: int

    def words(self, rows: Iterable[int]) -> list[str]:
        """The words of these rows."""
        return [word.decode() for word in self._bytes(rows)]

    def rows_of(self, words: Collection[str]) -> npt.NDArray[np.intp]:
        """Where those of these words stand that occur."""
        return np.flatnonzero([word in words for word in self.words(range(len(self.counts)))] if words else [])

    def ordered(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Rows by count, descending, then by bytes, ascending."""
        words = self._bytes(rows)
        by_bytes = rows[sorted(range(len(rows)), key=words.__getitem__)]
        return np.asarray(by_bytes[np.argsort(-self.counts[by_bytes], kind="stable")])

    def _bytes(self, rows: Iterable[int]) -> list[bytes]:
        begins, ends = (self.offsets[np.asarray(rows) + k].tolist() for k in (0, 1))
        return [self.arena[begin:end] for begin, end in zip(begins, ends, strict=True)]


def count(corpus: Corpus, *, threads: int | None = None, on_progress: OnProgress = ignore) -> WordCounts:
    """Count all words of a corpus. The result does not depend on the number of threads."""
    report = reporter("count", corpus.size_bytes, on_progress)
    count_words = _count_blocks if corpus.has_blocks else _count_pieces
    counts, too_long = count_words(corpus, threads, report)
    corpus.check_unchanged()
    _warn(corpus, too_long)
    return counts


def _count_blocks(corpus: Corpus, threads: int | None, report: Callable[[int], None]) -> tuple[WordCounts, int]:
    """Each thread has a table of its own; they are added up in the end, when it no longer matters who saw what."""
    from wordloom.kernel import text as kernel

    idle: SimpleQueue[Any] = SimpleQueue()
    n_threads = checked_threads(threads)
    for _ in range(n_threads):
        idle.put(kernel.empty_table())

    def count_block(block: Block) -> tuple[int, int, int]:
        table = idle.get_nowait()  # there are as many as threads
        try:
            table, n_tokens, too_long = kernel.count(table, block.data)
        finally:
            idle.put(table)
        return n_tokens, too_long, block.done

    n_tokens = too_long = 0
    for tokens, long, done in in_order(count_block, corpus.blocks(), n_threads):
        n_tokens, too_long = n_tokens + tokens, too_long + long
        report(done)
    total = idle.get_nowait()
    for _ in range(n_threads - 1):
        total = kernel.merge(total, *kernel.contents(idle.get_nowait()))
    arena, offsets, counts = kernel.contents(total)
    return WordCounts(corpus.name, arena.tobytes(), offsets, counts, n_tokens), too_long


def _count_pieces(corpus: Corpus, threads: int | None, report: Callable[[int], None]) -> tuple[WordCounts, int]:
    """Token lists are Python's own, so Python counts them, on one thread."""
    counter: Counter[str] = Counter()
    too_long = 0
    for piece in corpus.pieces():
        counter.update(piece.words)
        too_long += piece.too_long
        report(piece.done)
    words = [word.encode() for word in counter]
    offsets = np.cumsum([0, *map(len, words)], dtype=np.int64)
    counts = np.fromiter(counter.values(), np.int64, len(words))
    return WordCounts(corpus.name, b"".join(words), offsets, counts, counter.total()), too_long


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


def in_order(function: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """map(function, items) on several threads, with few items in flight. An exception ends it at once."""
    if threads == 1:
        yield from map(function, items)
        return
    in_flight: deque[Future[Result]] = deque()
    with workers(threads) as pool:
        for item in items:
            in_flight.append(pool.submit(function, item))
            while in_flight and (len(in_flight) > 2 * threads or in_flight[0].done()):  # so that errors show at once
                yield in_flight.popleft().result()
        while in_flight:
            yield in_flight.popleft().result()


def reporter(
    stage: Literal["count", "encode", "join", "read", "walk", "pairs", "fit", "whole"],
    total: int | None,
    on_progress: OnProgress,
) -> Callable[[int], None]:
    """A function that passes on how much is done, four times a second at most, and always when all is."""
    last_time, last_done = -math.inf, 0

    def report(done: int) -> None:
        nonlocal last_time, last_done
        now = time.monotonic()
        if done > last_done and (now - last_time >= 0.25 or done == total):
            last_time, last_done = now, done
            on_progress(Progress(stage=stage, done=done, total=total))

    return report
