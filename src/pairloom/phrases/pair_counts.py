"""How often words follow each other, counted exactly, on all cores, in bounded memory.

The text is first written to a temporary file as numbers, four bytes a word. The pairs are then shared out by their
hash, and every share is counted for itself, in a table of fixed size, by reading the numbers once: so threads have
nothing to merge, and no more than a table each. A share that does not fit is counted as two smaller ones. Other
programs drop what is rare when their table is full, and count wrong from there on; here reading again takes the place
of that.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.corpus.counting import WordCounts, count
from pairloom.corpus.sentences import Block, Corpus
from pairloom.corpus.spilling import Sieve
from pairloom.errors import CorpusChangedError, InputError
from pairloom.phrases.memory_need import PhraseMemory
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.system.cache_folder import default_cache_dir, temporary_folder
from pairloom.system.files import output_errors
from pairloom.system.memory import Budget, give_back
from pairloom.system.threads import in_order
from pairloom.types import Counts, Ids

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.text.phrases import Units

MOST_BYTES = 1 << 30  # of all tables together, if there is so much
USUAL_SLOTS = 1 << 22  # of a table, 16 bytes each; larger ones, for long texts alone, wait longer for memory
_READ = 1 << 22  # units read at once
_BATCH = 1 << 18  # words of token lists written at once


class PairCounts(NamedTuple):
    """Pairs seen min_count times or more, in no order: words.words([first[i]]), the words of a gap, and so on."""

    words: WordCounts
    first: npt.NDArray[np.int64]
    gap: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]
    counts: Counts
    gaps: list[tuple[int, ...]]  # the connectors of each gap; gap 0 has none
    n_types: int  # different words, without connectors, and different pairs, also the rare ones


def count_pairs(
    corpus: Corpus,
    *,
    min_count: int,
    connectors: frozenset[str] = frozenset(),
    need: PhraseMemory | None = None,
    max_memory: int | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    threads: int,
    on_progress: OnProgress = ignore,
) -> PairCounts:
    """Count all words of a corpus, and all pairs of words of a line with nothing but connectors between.

    need refuses what does not fit, and says how large tables may be. max_memory: as of `count`.
    """
    need = need or PhraseMemory(Budget(max_memory), threads, listed=not corpus.has_blocks)
    running: Any = {"max_memory": max_memory, "cache_dir": cache_dir, "threads": threads, "on_progress": on_progress}
    words = count(corpus, sieve=Sieve(check=need.check_words), **running)
    need.check_words(len(words.counts), len(words.arena))
    give_back()
    if words.n_tokens == 0:
        raise InputError(
            f"{corpus.name} has no words. "
            "A corpus is text with words separated by spaces, one sentence or paragraph per line."
        )
    is_connector = np.zeros(len(words.counts), np.bool_)
    is_connector[words.rows_of(connectors)] = True
    with _scratch(cache_dir) as path:
        gaps = _write_units(corpus, words, is_connector, path, threads, on_progress)
        give_back()
        keys, tags, counts, n_pairs = _count_shares(path, min_count, threads, need)
    first, second = (keys >> np.uint64(32)).astype(np.int64), (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
    n_types = int(np.count_nonzero(~is_connector)) + n_pairs
    return PairCounts(words, first, tags.astype(np.int64), second, counts.astype(np.int64), gaps, n_types)


@contextmanager
def _scratch(cache_dir: str | os.PathLike[str] | None) -> Iterator[Path]:
    """A file that goes when the body ends, in the cache folder; named so that `pairloom cache --clear` finds it too."""
    cache = Path(cache_dir) if cache_dir is not None else default_cache_dir()
    with temporary_folder(cache) as folder:
        yield folder / "units.bin"


# --- Words to units


class _Part(NamedTuple):
    """Words of some lines as numbers, with breaks between the lines."""

    stream: Ids
    done: int


def _write_units(
    corpus: Corpus,
    words: WordCounts,
    is_connector: npt.NDArray[np.bool_],
    path: Path,
    threads: int,
    on_progress: OnProgress,
) -> list[tuple[int, ...]]:
    """Write the corpus as units; give the gaps that are among them."""
    from pairloom.kernel.text import phrases as kernel

    report = reporter("encode", corpus.size_bytes, on_progress)
    gaps, state = kernel.empty_slots(1), np.zeros(3, np.int64)
    seen = np.zeros(len(words.counts), np.int64)
    parts = _parts_of_blocks(corpus, words, threads) if corpus.has_blocks else _parts_of_pieces(corpus, words)
    with _opened(path) as file:
        for stream, done in parts:
            kernel.tally(stream, seen)
            units = stream
            if is_connector.any():
                units, gaps = kernel.gather(stream, is_connector, gaps, state)
            if state[2] >= kernel.MOST_GAPS:
                raise InputError(f"{corpus.name} has too many different runs of connectors. Use fewer connectors.")
            with output_errors(path):
                file.write(units.data)
            report(done)
    corpus.check_unchanged()
    if not np.array_equal(seen, words.counts):
        raise CorpusChangedError(
            f"{corpus.name} was not the same when read again: first {words.n_tokens:,} words, then {seen.sum():,}. "
            "Give one that is the same each time, such as a list."
        )
    return _gaps_in(*kernel.entries(gaps))


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """A file to write to; what is still to be written when the body ends is written then."""
    with output_errors(path):
        file = path.open("wb")
    try:
        yield file
    finally:
        with output_errors(path):
            file.close()


def _parts_of_blocks(corpus: Corpus, words: WordCounts, threads: int) -> Iterator[_Part]:
    from pairloom.kernel.text import words as kernel
    from pairloom.kernel.text.phrases import with_breaks

    arena = np.frombuffer(words.arena, np.uint8)
    empty = kernel.empty_table(len(words.counts), len(arena))
    table = kernel.merge(empty, arena, words.offsets, np.zeros(len(words.counts), np.int64))

    def encode_block(block: Block) -> _Part:
        ids, line_ends = kernel.encode(table, block.data)
        ends = line_ends if block.goes_on else np.append(line_ends, len(ids))
        return _Part(with_breaks(ids, ends), block.done)

    return in_order(encode_block, corpus.blocks(), threads)


def _parts_of_pieces(corpus: Corpus, words: WordCounts) -> Iterator[_Part]:
    """The same from lists of words, several lists at a time. A word that was not counted shows as too few others."""
    from pairloom.kernel.text.phrases import with_breaks

    index = {word: row for row, word in enumerate(words.words(range(len(words.counts))))}
    ids: list[int] = []
    line_ends: list[int] = []
    done = 0
    for piece in corpus.pieces():
        ids += [index[word] for word in piece.words if word in index]
        done = piece.done
        if not piece.goes_on:
            line_ends.append(len(ids))
        if len(ids) >= _BATCH or len(line_ends) >= _BATCH:
            yield _Part(with_breaks(np.array(ids, np.int32), np.array(line_ends, np.int64)), done)
            ids, line_ends = [], []
    yield _Part(with_breaks(np.array(ids, np.int32), np.array(line_ends, np.int64)), done)


def _gaps_in(
    keys: npt.NDArray[np.uint64], _: npt.NDArray[np.uint64], values: npt.NDArray[np.uint64]
) -> list[tuple[int, ...]]:
    """The connectors of each gap, from a table that has each by the gap before and the last connector."""
    gaps: list[tuple[int, ...]] = [()]
    for i in np.argsort(values):  # a gap was numbered after the one that it goes on from
        gaps.append((*gaps[int(keys[i]) >> 32], int(keys[i]) & 0xFFFFFFFF))
    return gaps


# --- Counting, share by share

_Counted = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], npt.NDArray[np.uint64], int]


def _count_shares(path: Path, min_count: int, threads: int, need: PhraseMemory) -> _Counted:
    """The keys, gaps and counts of all pairs seen min_count times, and how many pairs there are in all."""
    n_units = path.stat().st_size // 4
    n_slots = _table_size(n_units, threads, need.slots(MOST_BYTES // 16))
    # Long texts have a quarter as many different pairs as words; a wrong guess costs time alone.
    bits = max((threads - 1).bit_length(), (n_units // (2 * n_slots)).bit_length())

    def count_share(share: int) -> _Counted:
        return _count_share(path, bits, share, n_slots, min_count)

    parts, n_kept = [], 0
    for part in in_order(count_share, range(1 << bits), threads):
        parts.append(part)
        n_kept += len(part[0])
        need.check_pairs(n_kept)
    return _together(parts)


def _table_size(n_units: int, threads: int, most: int) -> int:
    """Slots of a thread's table: enough for a short text at once, and for a long one in not too many readings.

    most: of all tables together, if it is not less than the fewest that a table can have.

    >>> [_table_size(n, threads=2, most=1 << 26) for n in (1000, 10**7, 10**9)] == [2048, 1 << 22, 1 << 25]
    True
    """
    from pairloom.kernel.text.phrases import FEWEST_SLOTS

    wanted = min(2 * n_units, max(USUAL_SLOTS, n_units // 16))
    of_one = max(FEWEST_SLOTS, most // threads)
    return max(FEWEST_SLOTS, min(1 << (wanted - 1).bit_length(), 1 << (of_one.bit_length() - 1)))


def _count_share(path: Path, bits: int, share: int, n_slots: int, min_count: int) -> _Counted:
    """The same of the pairs whose hash begins with these bits."""
    from pairloom.kernel.text import phrases as kernel

    slots = np.zeros((n_slots, 2), np.uint64)
    state = np.array([kernel.BREAK, 0, 0])
    for units in _units(path):
        if not kernel.count(units, state, bits, share, slots):
            del slots
            halves = [_count_share(path, bits + 1, 2 * share + half, n_slots, min_count) for half in (0, 1)]
            return _together(halves)
    keys, tags, counts = kernel.entries(slots)
    often = counts >= min_count
    return keys[often], tags[often], counts[often], len(counts)


def _units(path: Path) -> Iterator["Units"]:
    with path.open("rb") as file:
        while len(units := np.fromfile(file, np.int32, _READ)):
            yield units


def _together(parts: list[_Counted]) -> _Counted:
    keys, tags, counts = (np.concatenate([part[i] for part in parts]) for i in range(3))
    return keys, tags, counts, sum(part[3] for part in parts)
