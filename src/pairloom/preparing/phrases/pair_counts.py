"""How often words follow each other, counted exactly, on all cores, in bounded memory.

The text is first written to a temporary file as *units*: one number of four bytes for each word, each line break and
each gap of connectors. Pairs are divided into shares by their hash. Each share is counted on its own, in a table of
fixed size, by reading the units once. So threads have nothing to merge, and need no more than a table each. A share
that does not fit its table is counted as two smaller shares.

Other programs drop rare pairs when their table is full, and their counts are wrong from then on. Here the text is read
again instead.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.corpus.counting import WordCounts, count
from pairloom.corpus.kinds.corpus import Corpus, Utf8Block
from pairloom.corpus.spilling import WordFilter
from pairloom.errors import CorpusChangedError, InputError
from pairloom.preparing.phrases.memory_need import PhraseMemory
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.system.cache_folder import cache_folder, temporary_folder
from pairloom.system.files import output_errors
from pairloom.system.memory import Budget, give_back
from pairloom.system.threads import in_order, stop_if_cancelled
from pairloom.types import Counts, Ids

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.text.phrases import Units

MOST_BYTES = 1 << 30  # of all tables together
USUAL_SLOTS = 1 << 22  # of a table, 16 bytes each; only long texts get larger tables, which are slower
_UNITS_AT_ONCE = 1 << 22
_WORDS_AT_ONCE = 1 << 18  # of token lists


class PairCounts(NamedTuple):
    """The pairs that occur at least min_count times, in no order: first[i], the connectors gaps[gap[i]], second[i]."""

    words: WordCounts
    first: npt.NDArray[np.int64]  # a row of `words`
    gap: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]  # a row of `words`
    counts: Counts
    gaps: list[tuple[int, ...]]  # the rows of the connectors of each gap; gap 0 has none
    n_types: int  # different words, without connectors, plus different pairs, including rare ones


def count_pairs(
    corpus: Corpus,
    *,
    min_count: int,
    connectors: frozenset[str] = frozenset(),
    memory: PhraseMemory | None = None,
    max_memory: int | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    threads: int,
    on_progress: OnProgress = ignore,
) -> PairCounts:
    """Count all words of a corpus, and all pairs of words of a line with nothing but connectors between them.

    memory: raises if something does not fit, and says how large tables may be. max_memory: as for
    `corpus.counting.count`.
    """
    memory = memory or PhraseMemory(Budget(max_memory), threads, listed=not corpus.has_blocks)
    running: Any = {"max_memory": max_memory, "cache_dir": cache_dir, "threads": threads, "on_progress": on_progress}
    words = count(corpus, word_filter=WordFilter(check=memory.check_words), **running)
    memory.check_words(len(words.counts), len(words.arena))
    give_back()
    if words.n_tokens == 0:
        raise InputError(
            f"{corpus.name} has no words. "
            "A corpus is text with words separated by spaces, one sentence or paragraph per line."
        )
    is_connector = np.zeros(len(words.counts), np.bool_)
    is_connector[words.rows_of(connectors)] = True
    with _temporary_file(cache_dir) as path:
        gaps = _write_units(corpus, words, is_connector, path, threads, on_progress)
        give_back()
        keys, gap, counts, n_pairs = _count_all_shares(path, min_count, threads, memory)
    first, second = (keys >> np.uint64(32)).astype(np.int64), (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
    n_types = int(np.count_nonzero(~is_connector)) + n_pairs
    return PairCounts(words, first, gap.astype(np.int64), second, counts.astype(np.int64), gaps, n_types)


@contextmanager
def _temporary_file(cache_dir: str | os.PathLike[str] | None) -> Iterator[Path]:
    """The path of a file in the cache folder. It is removed afterwards; `pairloom cache --clear` removes leftovers."""
    cache = cache_folder(cache_dir)
    with temporary_folder(cache) as folder:
        yield folder / "units.bin"


# --- Words to units


class _NumberedWords(NamedTuple):
    """Words of some lines as rows of the counts, with breaks between the lines."""

    stream: Ids
    done: int  # bytes or sentences read so far


def _write_units(
    corpus: Corpus,
    words: WordCounts,
    is_connector: npt.NDArray[np.bool_],
    path: Path,
    threads: int,
    on_progress: OnProgress,
) -> list[tuple[int, ...]]:
    """Write the corpus as units. Returns the connectors of each gap."""
    from pairloom.kernel.text import phrases as kernel

    report = reporter("encode", corpus.size_bytes, on_progress)
    gaps, state = kernel.empty_slots(1), np.zeros(3, np.int64)
    n_read = np.zeros(len(words.counts), np.int64)
    numbered = _numbered_blocks(corpus, words, threads) if corpus.has_blocks else _numbered_pieces(corpus, words)
    with _open_for_writing(path) as file:
        for stream, done in numbered:
            kernel.tally(stream, n_read)
            units = stream
            if is_connector.any():
                units, gaps = kernel.gather(stream, is_connector, gaps, state)
            if state[2] >= kernel.MOST_GAPS:
                raise InputError(f"{corpus.name} has too many different sequences of connectors. Use fewer connectors.")
            with output_errors(path):
                file.write(units.data)
            report(done)
    corpus.check_unchanged()
    if not np.array_equal(n_read, words.counts):
        raise CorpusChangedError(
            f"{corpus.name} was not the same when read again: first {words.n_tokens:,} words, then {n_read.sum():,}. "
            "Give a corpus that is the same each time, for example a list."
        )
    return _gaps_in(*kernel.entries(gaps))


@contextmanager
def _open_for_writing(path: Path) -> Iterator[BinaryIO]:
    """An open file. Errors on opening and closing it are reported as those of an output."""
    with output_errors(path):
        file = path.open("wb")
    try:
        yield file
    finally:
        with output_errors(path):
            file.close()


def _numbered_blocks(corpus: Corpus, words: WordCounts, threads: int) -> Iterator[_NumberedWords]:
    from pairloom.kernel.text import words as kernel
    from pairloom.kernel.text.phrases import with_breaks

    arena = np.frombuffer(words.arena, np.uint8)
    empty = kernel.empty_table(len(words.counts), len(arena))
    table = kernel.merge(empty, arena, words.offsets, np.zeros(len(words.counts), np.int64))

    def encode_block(block: Utf8Block) -> _NumberedWords:
        ids, line_ends = kernel.encode(table, block.data)
        ends = line_ends if block.goes_on else np.append(line_ends, len(ids))
        return _NumberedWords(with_breaks(ids, ends), block.done)

    return corpus.map_blocks(encode_block, threads)


def _numbered_pieces(corpus: Corpus, words: WordCounts) -> Iterator[_NumberedWords]:
    """The same for token lists, several at a time. `_write_units` notices words that were not counted before."""
    from pairloom.kernel.text.phrases import with_breaks

    index = {word: row for row, word in enumerate(words.words(range(len(words.counts))))}
    ids: list[int] = []
    line_ends: list[int] = []
    done = 0
    for piece in corpus.word_lines():
        ids += [index[word] for word in piece.words if word in index]
        done = piece.done
        if not piece.goes_on:
            line_ends.append(len(ids))
        if len(ids) >= _WORDS_AT_ONCE or len(line_ends) >= _WORDS_AT_ONCE:
            yield _NumberedWords(with_breaks(np.array(ids, np.int32), np.array(line_ends, np.int64)), done)
            ids, line_ends = [], []
    yield _NumberedWords(with_breaks(np.array(ids, np.int32), np.array(line_ends, np.int64)), done)


def _gaps_in(
    keys: npt.NDArray[np.uint64], _: npt.NDArray[np.uint64], values: npt.NDArray[np.uint64]
) -> list[tuple[int, ...]]:
    """The connectors of each gap. Its key in the table is the gap without its last connector, and that connector."""
    gaps: list[tuple[int, ...]] = [()]
    for i in np.argsort(values):  # a gap has a higher number than the gap it extends
        gaps.append((*gaps[int(keys[i]) >> 32], int(keys[i]) & 0xFFFFFFFF))
    return gaps


# --- Counting, share by share


class _ShareCounts(NamedTuple):
    """The frequent pairs of a share, and the number of all its different pairs."""

    keys: npt.NDArray[np.uint64]  # first * 2^32 + second
    gaps: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.uint64]
    n_different: int


def _count_all_shares(path: Path, min_count: int, threads: int, memory: PhraseMemory) -> _ShareCounts:
    """Count all pairs of the units in a file, as many shares at a time as there are threads."""
    n_units = path.stat().st_size // 4
    n_slots = _table_size(n_units, threads, memory.slots(MOST_BYTES // 16))
    # Long texts have about a quarter as many different pairs as words. A wrong guess only costs time.
    bits = max((threads - 1).bit_length(), (n_units // (2 * n_slots)).bit_length())

    def count_share(share: int) -> _ShareCounts:
        return _count_share(path, bits, share, n_slots, min_count)

    shares, n_kept = [], 0
    for counted in in_order(count_share, range(1 << bits), threads):
        shares.append(counted)
        n_kept += len(counted.keys)
        memory.check_pairs(n_kept)
    return _joined(shares)


def _table_size(n_units: int, threads: int, most: int) -> int:
    """The slots of one thread's table: enough to read a short text once, and a long one not too often.

    most: slots of all tables together. A table has FEWEST_SLOTS even if that is more.

    >>> [_table_size(n, threads=2, most=1 << 26) for n in (1000, 10**7, 10**9)] == [2048, 1 << 22, 1 << 25]
    True
    """
    from pairloom.kernel.text.phrases import FEWEST_SLOTS

    wanted = min(2 * n_units, max(USUAL_SLOTS, n_units // 16))
    of_one = max(FEWEST_SLOTS, most // threads)
    return max(FEWEST_SLOTS, min(1 << (wanted - 1).bit_length(), 1 << (of_one.bit_length() - 1)))


def _count_share(path: Path, bits: int, share: int, n_slots: int, min_count: int) -> _ShareCounts:
    """Count the pairs whose hash begins with `share`, a number of `bits` bits."""
    from pairloom.kernel.text import phrases as kernel

    slots = np.zeros((n_slots, 2), np.uint64)
    state = np.array([kernel.BREAK, 0, 0])
    for units in _units(path):
        stop_if_cancelled()
        if not kernel.count(units, state, bits, share, slots):
            del slots
            halves = [_count_share(path, bits + 1, 2 * share + half, n_slots, min_count) for half in (0, 1)]
            return _joined(halves)
    keys, gaps, counts = kernel.entries(slots)
    frequent = counts >= min_count
    return _ShareCounts(keys[frequent], gaps[frequent], counts[frequent], len(counts))


def _units(path: Path) -> Iterator["Units"]:
    with path.open("rb") as file:
        while len(units := np.fromfile(file, np.int32, _UNITS_AT_ONCE)):
            yield units


def _joined(shares: list[_ShareCounts]) -> _ShareCounts:
    keys, gaps, counts = (np.concatenate([share[i] for share in shares]) for i in range(3))
    return _ShareCounts(keys, gaps, counts, sum(share.n_different for share in shares))
