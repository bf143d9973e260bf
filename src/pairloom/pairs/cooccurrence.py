"""#(w, c), how often each word has each context: exact counts, for texts and tables of any size.

Training draws a window for every token, so a pair at distance d is in D with some probability. #(w, c) is the sum of
these probabilities: the expected count of the pair, without the noise of the draws.

    #(w, c) = Σ over the occurrences of w, over each c that stands d words away, of left[d - 1] or right[d - 1]

There is no such formula for subsampling, since windows reach further where words are left out. So the text is thinned
by the same draws as in training, epoch by epoch, and the counts of all epochs are added up.

    text, slab by slab -> rows, on all threads -> a run in an unnamed file -> all runs merged -> `Cooccurrences`

A slab is as much text as fits into memory. The runs and the result are mapped files: the system keeps in memory as much
of them as it can. Counts are whole numbers of a unit, so the order of additions does not matter: the result is the
same for any number of threads and any length of slabs.
"""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import checked_threads
from pairloom.corpus.encoding import Encoded
from pairloom.errors import ConfigError, NoPairsError
from pairloom.method.contexts import keep_limit
from pairloom.method.draws import Purpose, heldout_key, key
from pairloom.pairs.blocks import ranges
from pairloom.pairs.from_text import TextSource
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.system.cache_folder import cache_folder
from pairloom.system.spool import Spool, SpooledTables, row_ranges
from pairloom.system.threads import in_order
from pairloom.types import Counts, Float64s, Ids

TOKENS_PER_SLAB = 1 << 25  # 8 bytes for each while its pairs are counted
ENTRIES_PER_PIECE = 1 << 20  # the rows that one thread makes at a time: 12 MB
FINEST_UNIT = 1 << 30  # a pair can then count up to 2^33 times


@dataclass(frozen=True, eq=False)
class Cooccurrences:
    """The table of #(w, c) as a sparse matrix by rows, for `explain_similarity(counts=...)` among others.

    Make one by counting the corpus that an embedding was trained on:

        from pairloom.judging.explanation.report import count_corpus

        counts = count_corpus(embedding, "corpus.txt")
        pairloom.explain_similarity(embedding, "cat", "dog", counts=counts)

    Row w is contexts[a:b] with weights[a:b], where a, b = indptr[w], indptr[w + 1]; contexts are in ascending order.
    (scipy.sparse.csr_array takes the same three arrays.) Weights are float64: float32 is exact only up to 2^24, and
    frequent pairs of a long text have more than that.
    """

    indptr: Counts  # (n_words + 1,)
    contexts: Ids  # (n_pairs,)
    weights: Float64s  # (n_pairs,), all above 0

    @property
    def n_words(self) -> int:
        """The number of rows."""
        return len(self.indptr) - 1

    def __len__(self) -> int:
        """The number of different pairs."""
        return len(self.contexts)

    def row(self, w: int) -> tuple[Ids, Float64s]:
        """The contexts of a word, and #(w, c) for each."""
        some = slice(int(self.indptr[w]), int(self.indptr[w + 1]))
        return self.contexts[some], self.weights[some]

    def count(self, w: int, c: int) -> float:
        """#(w, c)"""
        contexts, weights = self.row(w)
        at = int(np.searchsorted(contexts, c))
        return float(weights[at]) if at < len(contexts) and contexts[at] == c else 0.0

    @cached_property
    def of_words(self) -> Float64s:
        """#(w) = Σ_c #(w, c)"""
        return np.array([self.weights[a:b].sum() for a, b in zip(self.indptr, self.indptr[1:], strict=False)])

    @cached_property
    def of_contexts(self) -> Float64s:
        """#(c) = Σ_w #(w, c)"""
        sums = np.zeros(self.n_words)
        for at in range(0, len(self), 1 << 22):
            some = slice(at, at + (1 << 22))
            sums += np.bincount(self.contexts[some], self.weights[some], self.n_words)
        return sums

    @cached_property
    def total(self) -> float:
        """|D| = Σ #(w, c)"""
        return math.fsum(self.of_words)


class Thinning(NamedTuple):
    """Which tokens and sentences are left out before windows are taken, by the draws of training."""

    limit: npt.NDArray[np.uint64]  # for each word, `method.contexts.keep_limit`
    seed: int
    epochs: int = 1  # each with its own draws
    heldout_limit: int = 0  # sentences whose draw is below this are held out


def weighted_pairs(
    sentence: Sequence[int], left: Sequence[float], right: Sequence[float]
) -> Iterator[tuple[int, int, float]]:
    """The pairs of a sentence, each with its weight. `kernel.counts.cooccur.rows` is the same, compiled.

    >>> list(weighted_pairs([7, 8, 9], left=[], right=[1.0, 0.5]))
    [(7, 8, 1.0), (7, 9, 0.5), (8, 9, 1.0)]
    """
    for i, w in enumerate(sentence):
        for d, weight in enumerate(left, 1):
            if d <= i:
                yield w, sentence[i - d], weight
        for d, weight in enumerate(right, 1):
            if i + d < len(sentence):
                yield w, sentence[i + d], weight


def cooccurrences(
    encoded: Encoded,
    left: npt.ArrayLike,
    right: npt.ArrayLike,
    *,
    thinning: Thinning | None = None,
    clean: bool = False,
    threads: int | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    tokens_per_slab: int = TOKENS_PER_SLAB,
    on_progress: OnProgress = ignore,
) -> Cooccurrences:
    """Count the pairs of a corpus.

    left, right: the weights of pairs whose context is d = 1, 2, ... words to the left or right. thinning: None keeps
    every word. clean: words that are left out, and ids of -1, still count as places in windows. cache_dir: the folder
    for temporary files. tokens_per_slab: bounds memory, and has no effect on the result.
    """
    units_by_distance, unit = weights_in_units(left, right)
    folder = cache_folder(cache_dir)
    counter = CooccurrenceCounter(encoded, thinning, units_by_distance, clean, checked_threads(threads))
    with SpooledTables(folder) as runs, SpooledTables(folder) as merged:
        counter.count_slabs(runs, tokens_per_slab, on_progress)
        counter.merge(runs, merged)
        if not merged.n_entries:
            raise NoPairsError("No line of the corpus has two words left, so no word has a context. Use more text.")
        contexts, units = merged.mapped()
        return Cooccurrences(merged.starts()[0], contexts, _weights(units, unit, folder))


def trained_pairs(
    source: TextSource,
    *,
    threads: int | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    tokens_per_slab: int = TOKENS_PER_SLAB,
    on_progress: OnProgress = ignore,
) -> Cooccurrences:
    """#(w, c) of what training learns from: its windows, its subsampling in all epochs, no held-out sentences."""
    encoded, windows = source.encoded, source.windows
    longest = max(
        int(np.diff(encoded.starts[at : at + 1_000_001]).max()) for at in range(0, encoded.n_sentences, 1_000_000)
    )
    thinned = bool(np.any(source.limit < 2**32))
    epochs = source.config.epochs if thinned else 1  # all epochs are the same if every word is kept
    return cooccurrences(
        encoded,
        windows.weights(windows.left)[:longest],
        windows.weights(windows.right)[:longest],
        thinning=Thinning(source.limit, source.config.seed, epochs, int(source.heldout_limit)),
        clean=windows.clean,
        threads=threads,
        cache_dir=cache_dir,
        tokens_per_slab=tokens_per_slab,
        on_progress=on_progress,
    )


def weights_in_units(left: npt.ArrayLike, right: npt.ArrayLike) -> tuple[tuple[Counts, Counts], int]:
    """Weights as whole numbers of 1 / unit: exact if all are fractions with small denominators, else to 9 digits.

    >>> weights_in_units([], [1.0, 0.5, 1 / 3])
    ((array([], dtype=int64), array([6, 3, 2])), 6)
    """
    weights = np.concatenate([np.asarray(left, np.float64).ravel(), np.asarray(right, np.float64).ravel()])
    if not (len(weights) and np.all((weights > 0) & (weights <= 2**10))):
        raise ConfigError(
            "The weights in left and right must be above 0 and at most 1024, and one of the lists not empty."
        )
    fractions = [Fraction(weight).limit_denominator(1000) for weight in weights.tolist()]
    unit = math.lcm(*(fraction.denominator for fraction in fractions))
    if unit > FINEST_UNIT or np.abs(np.array(fractions, np.float64) - weights).max() > 1e-12:
        unit = FINEST_UNIT
    units = np.maximum(1, np.rint(weights * unit)).astype(np.int64)
    n_left = np.size(left)
    return (units[:n_left], units[n_left:]), unit


def _weights(units: Counts, unit: int, folder: Path) -> Float64s:
    """Counts in units, divided by the unit."""
    with Spool(folder, np.float64) as spool:
        for at in range(0, len(units), 1 << 20):
            spool.add(units[at : at + (1 << 20)] / unit)
        return spool.mapped()


# --- Counting


class CooccurrenceCounter:
    """Makes rows of the table piece by piece, on all threads: first for each slab, then the sums over all slabs."""

    def __init__(
        self,
        encoded: Encoded,
        thinning: Thinning | None,
        units_by_distance: tuple[Counts, Counts],  # to the left, to the right
        clean: bool,
        threads: int,
    ) -> None:
        n_words = len(encoded.vocabulary)
        self.encoded, self.clean, self.threads = encoded, clean, threads
        self.left, self.right = units_by_distance
        self.n_words = n_words
        self.thinning = thinning or Thinning(keep_limit(np.ones(n_words)), seed=0)
        self._sums: list[Counts] = []  # free for reuse: at most one for each thread

    def count_slabs(self, runs: SpooledTables, tokens: int, on_progress: OnProgress) -> None:
        """Write a run for each slab of each epoch."""
        slabs = list(ranges(self.encoded.starts, tokens))
        report = reporter("pairs", self.thinning.epochs * self.encoded.n_tokens, on_progress)
        for epoch in range(self.thinning.epochs):
            for first, last in slabs:
                before = epoch * self.encoded.n_tokens + int(self.encoded.starts[first])
                self._count_slab(runs, epoch, first, last, lambda n, before=before: report(before + n))  # type: ignore[misc]
                report(epoch * self.encoded.n_tokens + int(self.encoded.starts[last]))

    def _count_slab(
        self, runs: SpooledTables, epoch: int, first: int, last: int, report: Callable[[int], None]
    ) -> None:
        from pairloom.kernel.counts import cooccur

        text, starts, positions = self._slab(epoch, first, last)
        window = len(self.left) + len(self.right)

        def make(piece: tuple[int, int], *buffers: npt.NDArray[Any]) -> int:
            n: int = cooccur.rows(text, starts, positions, *piece, self.left, self.right, *buffers)
            return n

        for (_, end), made in self._rows(np.diff(starts) * window, make):
            runs.add(*made)
            report(int(starts[end]))
        runs.end_table()

    def _slab(self, epoch: int, first: int, last: int) -> tuple[Ids, Counts, Ids]:
        """The text of a slab after thinning, and the positions of each word in it."""
        from pairloom.kernel.counts import cooccur

        encoded, thinning = self.encoded, self.thinning
        text = np.empty(int(encoded.starts[last] - encoded.starts[first]) + last - first + 1, np.int32)
        keys = np.array([key(thinning.seed, Purpose.KEEP, epoch), heldout_key()])
        heldout = np.uint64(thinning.heldout_limit)
        n = cooccur.thin(encoded.ids, encoded.starts, first, last, thinning.limit, keys, heldout, self.clean, text)
        encoded.release(first, last)
        starts, positions = np.zeros(self.n_words + 1, np.int64), np.empty(n, np.int32)
        cooccur.places(text[:n], starts, positions)
        return text[:n], starts, positions

    def merge(self, runs: SpooledTables, merged: SpooledTables) -> None:
        """Add up the runs."""
        from pairloom.kernel.counts import cooccur

        run_starts, (contexts, counts) = runs.starts(), runs.mapped()

        def make(piece: tuple[int, int], *buffers: npt.NDArray[Any]) -> int:
            n: int = cooccur.merge(run_starts, contexts, counts, *piece, *buffers)
            return n

        for _, made in self._rows(np.diff(run_starts, axis=1).sum(axis=0), make):
            merged.add(*made)
        merged.end_table()

    def _rows(
        self, most: Counts, make: Callable[..., int]
    ) -> Iterator[tuple[tuple[int, int], tuple[Ids, Counts, Counts]]]:
        """All rows in order, a piece at a time. Row w has at most most[w] entries.

        make(piece, sums, contexts, counts, lengths) makes the rows of a piece and returns how many entries they have.
        """
        most = np.minimum(most, self.n_words)  # a row has each context once

        def make_piece(piece: tuple[int, int]) -> tuple[tuple[int, int], tuple[Ids, Counts, Counts]]:
            first, last = piece
            size = int(most[first:last].sum()) + 1
            contexts, counts = np.empty(size, np.int32), np.empty(size, np.int64)
            lengths = np.empty(last - first, np.int64)
            sums = self._sums.pop() if self._sums else np.zeros(self.n_words, np.int64)
            n = make(piece, sums, contexts, counts, lengths)
            self._sums.append(sums)
            return piece, (contexts[:n], counts[:n], lengths)

        return in_order(make_piece, row_ranges(most, ENTRIES_PER_PIECE), self.threads)
