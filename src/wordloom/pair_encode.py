"""Pairs as numbers: read once, and written to a file that is memory-mapped and read in every epoch.

Words and contexts are numbered as they come, and renumbered by frequency when all have been seen.

    pairs.bin     int64, little-endian: w * 2^32 + c
    weights.bin   float32, little-endian; not there if no pair has a weight
"""

import hashlib
import mmap
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wordloom.counting import WordCounts, reporter
from wordloom.encode import release_pages
from wordloom.errors import InputError
from wordloom.files import output_errors
from wordloom.memory import Budget, Item
from wordloom.pair_corpus import Lot, PairCorpus, Strings
from wordloom.progress import OnProgress, ignore
from wordloom.source import Names
from wordloom.types import Float64s, Ids
from wordloom.vocabulary import Vocabulary

Pairs = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float32]

_SEEN, _PAIRS, _WEIGHTS = "seen.bin", "pairs.bin", "weights.bin"
_AT_ONCE = 1 << 20  # pairs


@dataclass(frozen=True, eq=False)
class EncodedPairs:
    """Pairs as w * 2^32 + c over two vocabularies; `weights` is empty if every pair counts once."""

    pairs: Pairs
    weights: Weights
    words: Names
    contexts: Names
    digest: str

    def release(self) -> None:
        """Give back the memory of all pairs, which are mapped."""
        release_pages(self.pairs, 0, len(self.pairs))
        release_pages(self.weights, 0, len(self.weights))


class Selection(NamedTuple):
    """Which words, or which contexts, take part: a vocabulary, or the frequent ones."""

    what: str  # "word" or "context"
    option: str  # what sets min_count
    min_count: float
    most: int | None  # at most so many, the most frequent
    given: Vocabulary | None


def encode_pairs(
    corpus: PairCorpus,
    folder: Path,
    words: Selection,
    contexts: Selection,
    *,
    check: Callable[[Names, Names, int, bool], object] = lambda words, contexts, n_pairs, weighted: None,
    budget: Budget | None = None,
    threads: int = 1,
    on_progress: OnProgress = ignore,
) -> EncodedPairs:
    """Write the pairs of a corpus into a folder, and map them. The files are the same for any number of threads.

    check is called with words, contexts, the number of pairs and whether they have weights, and may refuse them. budget
    refuses more different words than memory has room for.
    """
    seen = _read(corpus, folder, budget or Budget(), threads, on_progress)
    if seen.n_pairs == 0:
        raise InputError(f"{corpus.name} has no pairs. Each line must read like: cat sleeps")
    sides = [side.counts(corpus.name) for side in (seen.words, seen.contexts)]
    names, rows = zip(*map(_chosen, sides, (words, contexts)), strict=True)
    check(names[0], names[1], seen.n_pairs, (folder / _WEIGHTS).stat().st_size > 0)
    digest = _renumber(folder, *(_numbers(len(c.counts), r) for c, r in zip(sides, rows, strict=True)))
    pairs, weights = _map(folder / _PAIRS, "<i8"), _map(folder / _WEIGHTS, "<f4")
    if not len(pairs):
        raise InputError(
            f"No pair of {corpus.name} has both its word and its context in the vocabularies. "
            f"Use a smaller {words.option}, or vocabularies of such pairs."
        )
    for side in names:
        digest.update("\0".join(side.names).encode() + side.mass.astype("<f8").tobytes())
    return EncodedPairs(pairs, weights, names[0], names[1], digest.hexdigest())


# --- Reading, in the order in which words come


class _Side:
    """The words, or the contexts, seen so far, and how much each weighs."""

    def __init__(self, budget: Budget) -> None:
        from wordloom.kernel.text import empty_table

        self._budget = budget
        self._table: Any = empty_table()
        self._mass = np.zeros(1 << 14)

    def add(self, strings: Strings, ids: Ids, weights: Weights | None) -> npt.NDArray[np.int64]:
        """The rows of the words of a lot; their masses are added up in the order of the pairs."""
        from wordloom.kernel.text import absorb

        self._check_room(strings)
        self._table, rows = absorb(self._table, *strings)
        if len(self._mass) < self._table.used[0]:
            self._mass = np.append(self._mass, np.zeros(int(self._table.used[0])))
        np.add.at(self._mass, rows[ids], 1.0 if weights is None else weights.astype(np.float64))  # one after the other
        return rows

    def _check_room(self, strings: Strings) -> None:
        """Refuse a table that would have to grow beyond memory."""
        from wordloom.kernel.text import growth

        grown = growth(self._table, len(strings.offsets) - 1, len(strings.arena))
        if grown:
            size = grown + sum(array.nbytes for array in self._table) + 16 * len(self._mass)
            what = f"to count {int(self._table.used[0]):,} different words or contexts and more"
            self._budget.check([Item(what, size)], "Take pairs with fewer different ones")

    def counts(self, name: str) -> WordCounts:
        """What has been seen."""
        from wordloom.kernel.text import contents

        arena, offsets, counts = contents(self._table)
        mass: Any = self._mass[: len(counts)]  # fractions, where text has whole numbers
        return WordCounts(name, arena.tobytes(), offsets, mass, 0)


class _Seen(NamedTuple):
    n_pairs: int
    words: _Side
    contexts: _Side


def _read(corpus: PairCorpus, folder: Path, budget: Budget, threads: int, on_progress: OnProgress) -> _Seen:
    """Write all pairs, by the rows of their words as they came, and their weights from the first one on."""
    report = reporter("count", corpus.size, on_progress)
    words, contexts, n_pairs, weighted = _Side(budget), _Side(budget), 0, False
    with output_errors(folder):
        pairs_file, weights_file = (folder / _SEEN).open("wb"), (folder / _WEIGHTS).open("wb")
    with pairs_file, weights_file:
        for lot in corpus.lots(threads):
            packed = _packed(lot, words, contexts)
            with output_errors(folder):
                pairs_file.write(packed.astype("<i8", copy=False).data)
                if lot.weights is not None or weighted:
                    weights_file.writelines(_ones(0 if weighted else n_pairs))
                    weights_file.writelines(_ones(len(packed)) if lot.weights is None else [_bytes(lot.weights)])
                    weighted = True
            n_pairs += len(packed)
            report(lot.done)
    return _Seen(n_pairs, words, contexts)


def _packed(lot: Lot, words: _Side, contexts: _Side) -> Pairs:
    w = words.add(lot.words, lot.w, lot.weights)
    c = contexts.add(lot.contexts, lot.c, lot.weights)
    return np.asarray((w[lot.w] << 32) | c[lot.c])


def _ones(n: int) -> Iterator[bytes]:
    """n ones, some at a time, for pairs that have no weight where others do."""
    for first in range(0, n, _AT_ONCE):
        yield _bytes(np.ones(min(_AT_ONCE, n - first), np.float32))


def _bytes(weights: Weights) -> bytes:
    return weights.astype("<f4", copy=False).tobytes()


# --- Choosing and renumbering


def _chosen(counts: WordCounts, selection: Selection) -> tuple[Names, npt.NDArray[np.intp]]:
    """The vocabulary and, for each of its words, its row in the counts, or -1 where it does not occur."""
    what, option, min_count, most, given = selection
    if given is not None:
        found = {counts.words([row])[0]: row for row in counts.rows_of(set(given.words)).tolist()}
        rows = np.array([found.get(word, -1) for word in given.words], np.intp)
        return Names(given.words, given.counts.astype(np.float64)), rows
    rows = counts.ordered(np.flatnonzero((counts.counts >= min_count) & (counts.counts > 0)))[:most]
    if len(rows) < 2:
        raise InputError(
            f"{option}={min_count:g} leaves {len(rows)} of the {len(counts.counts):,} {what}s of {counts.name}; "
            f"need at least 2 {what}s to tell them apart. Use a smaller {option}, or more pairs."
        )
    mass: Float64s = np.asarray(counts.counts[rows], np.float64)
    return Names(counts.words(rows), mass), rows


def _numbers(n_seen: int, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """The new number of every row, -1 for those that are not among the chosen."""
    numbers = np.full(n_seen, -1, np.int64)
    there = rows >= 0
    numbers[rows[there]] = np.flatnonzero(there)
    return numbers


def _renumber(folder: Path, w_number: npt.NDArray[np.int64], c_number: npt.NDArray[np.int64]) -> Any:
    """Write the pairs again, of chosen words and contexts only and by their numbers; gives a digest of the files."""
    digest = hashlib.sha256()
    seen, weights = _map(folder / _SEEN, "<i8"), _map(folder / _WEIGHTS, "<f4")
    chosen_weights = folder / f"{_WEIGHTS}.chosen"
    with output_errors(folder), (folder / _PAIRS).open("wb") as pairs_file, chosen_weights.open("wb") as weights_file:
        for first in range(0, len(seen), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            w, c = w_number[seen[some] >> 32], c_number[seen[some] & 0xFFFFFFFF]
            kept = (w >= 0) & (c >= 0)
            pairs = np.ascontiguousarray((w << 32 | c)[kept], "<i8")
            digest.update(pairs.data)
            pairs_file.write(pairs.data)
            if len(weights):
                mine = np.ascontiguousarray(weights[some][kept], "<f4")
                digest.update(mine.data)
                weights_file.write(mine.data)
            release_pages(seen, first, min(first + _AT_ONCE, len(seen)))
    with output_errors(folder):
        (folder / _SEEN).unlink()
        chosen_weights.replace(folder / _WEIGHTS)
    return digest


def _map(path: Path, kind: str) -> npt.NDArray[Any]:
    """A file as an array; an empty one cannot be mapped."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return np.frombuffer(b"", kind)
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), kind)
