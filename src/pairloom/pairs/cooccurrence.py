"""How often each word has each context: #(w, c), exact, for texts and matrices of any size.

The window is drawn anew at every position, so a pair at distance d is in D with a probability. #(w, c) adds up these
probabilities: it is what the count of the pair is on average, without the noise of the draws.

    #(w, c) = Σ over the places of w in the text of left[d - 1] or right[d - 1], for each c that stands d words away

Subsampling has no such short cut, since the words that leave let the window reach further. So the text is thinned by
the very draws of training, epoch by epoch, and the counts of all epochs are added up.

    text, slab by slab -> rows, in parallel -> a run in a file without a name -> all runs merged -> `Cooccurrences`

A slab is as long as fits memory; runs and result are mapped files, of which the system keeps in memory what it has
room for. Counts are kept as whole numbers of a unit, so their order does not matter: the result is the same for any
number of threads and any length of slabs.
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
from pairloom.errors import ConfigError, InputError
from pairloom.method.contexts import keep_limit
from pairloom.method.draws import Purpose, heldout_key, key
from pairloom.pairs.blocks import ranges
from pairloom.pairs.from_text import TextSource
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.system.cache_folder import cache_folder
from pairloom.system.spool import Spool, SpooledTables, row_ranges
from pairloom.system.threads import in_order
from pairloom.types import Counts, Float64s, Ids

TOKENS_PER_SLAB = 1 << 25  # 8 bytes each while their pairs are counted
ENTRIES_PER_PIECE = 1 << 20  # of rows that one thread makes at a time: 12 MB
FINEST_UNIT = 1 << 30  # a pair then counts up to 2^33 times


@dataclass(frozen=True, eq=False)
class Cooccurrences:
    """#(w, c) by rows: those of w are weights[indptr[w] : indptr[w + 1]], for the contexts of the same places.

    Contexts of a row are in order, and each pair of D is there. Weights are float64, since float32 holds counts only up
    to 2^24, less than the frequent pairs of a long text, and sums over a column would lose the rare ones.
    """

    indptr: Counts  # (n_words + 1,)
    contexts: Ids  # (n_pairs,)
    weights: Float64s  # (n_pairs,), all above 0

    @property
    def n_words(self) -> int:
        return len(self.indptr) - 1

    def __len__(self) -> int:
        """How many different pairs there are."""
        return len(self.contexts)

    def row(self, w: int) -> tuple[Ids, Float64s]:
        """The contexts of a word, and how often it has each."""
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
    """What leaves the text before windows are taken, by the draws of training."""

    limit: npt.NDArray[np.uint64]  # of each word: `contexts.keep_limit`
    seed: int
    epochs: int = 1  # that many times, each with draws of its own
    heldout_limit: int = 0  # sentences whose draw is below this are held out


def weighted_pairs(
    sentence: Sequence[int], left: Sequence[float], right: Sequence[float]
) -> Iterator[tuple[int, int, float]]:
    """The pairs of a sentence, each with what it counts. `kernel.cooccur.rows` does the same, compiled.

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
    """Count the pairs of a corpus. left, right: what a pair counts whose context is d = 1, 2, ... words to that side.

    thinning: None keeps every word. clean: words that leave (and ids of -1) still take up room in windows. cache_dir:
    where the passing files go. tokens_per_slab bounds memory, and changes nothing else.
    """
    sides, unit = _in_units(left, right)
    folder = cache_folder(cache_dir)
    counting = _Counting(encoded, thinning, sides, clean, checked_threads(threads))
    with SpooledTables(folder) as runs, SpooledTables(folder) as merged:
        counting.count_slabs(runs, tokens_per_slab, on_progress)
        counting.merge(runs, merged)
        if not merged.n_entries:
            raise InputError(
                "No line of the corpus keeps two words, so no word has a context. "
                "Put several words on a line, or use a larger sample."
            )
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
    """#(w, c) as training sees it: by its windows, its subsampling in all its epochs, without what is held out."""
    encoded, windows = source.encoded, source.windows
    longest = max(
        int(np.diff(encoded.starts[at : at + 1_000_001]).max()) for at in range(0, encoded.n_sentences, 1_000_000)
    )
    epochs = source.config.epochs if np.any(source.limit < 2**32) else 1  # all alike if every word stays
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


def _in_units(left: npt.ArrayLike, right: npt.ArrayLike) -> tuple[tuple[Counts, Counts], int]:
    """What pairs count as whole numbers of 1 / unit: exactly where small fractions will do, else to 9 digits.

    >>> _in_units([], [1.0, 0.5, 1 / 3])
    ((array([], dtype=int64), array([6, 3, 2])), 6)
    """
    weights = np.concatenate([np.asarray(left, np.float64).ravel(), np.asarray(right, np.float64).ravel()])
    if not (len(weights) and np.all((weights > 0) & (weights <= 2**10))):
        raise ConfigError("left and right have to be numbers above 0, and at least one of them not empty.")
    fractions = [Fraction(weight).limit_denominator(1000) for weight in weights.tolist()]
    unit = math.lcm(*(fraction.denominator for fraction in fractions))
    if unit > FINEST_UNIT or np.abs(np.array(fractions, np.float64) - weights).max() > 1e-12:
        unit = FINEST_UNIT
    units = np.maximum(1, np.rint(weights * unit)).astype(np.int64)
    n_left = np.size(left)
    return (units[:n_left], units[n_left:]), unit


def _weights(units: Counts, unit: int, folder: Path) -> Float64s:
    """Counts in units as counts."""
    with Spool(folder, np.float64) as spool:
        for at in range(0, len(units), 1 << 20):
            spool.add(units[at : at + (1 << 20)] / unit)
        return spool.mapped()


# --- Counting


class _Counting:
    """What the two passes share: the text, and rows that are made piece by piece on all threads."""

    def __init__(
        self,
        encoded: Encoded,
        thinning: Thinning | None,
        sides: tuple[Counts, Counts],
        clean: bool,
        threads: int,
    ) -> None:
        n_words = len(encoded.vocabulary)
        self.encoded, self.sides, self.clean, self.threads = encoded, sides, clean, threads
        self.n_words = n_words
        self.thinning = thinning or Thinning(keep_limit(np.ones(n_words)), seed=0)
        self._sums: list[Counts] = []  # that nobody uses: as many as threads

    def count_slabs(self, runs: SpooledTables, tokens: int, on_progress: OnProgress) -> None:
        """One run for each slab of each epoch."""
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
        reach = len(self.sides[0]) + len(self.sides[1])

        def make(piece: tuple[int, int], *room: npt.NDArray[Any]) -> int:
            n: int = cooccur.rows(text, starts, positions, *piece, *self.sides, *room)
            return n

        for (_, end), made in self._rows(np.diff(starts) * reach, make):
            runs.add(*made)
            report(int(starts[end]))
        runs.end_table()

    def _slab(self, epoch: int, first: int, last: int) -> tuple[Ids, Counts, Ids]:
        """The slab's text as it is in this epoch, and where each word stands in it."""
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
        """The runs, added up."""
        from pairloom.kernel.counts import cooccur

        run_starts, (contexts, counts) = runs.starts(), runs.mapped()

        def make(piece: tuple[int, int], *room: npt.NDArray[Any]) -> int:
            n: int = cooccur.merge(run_starts, contexts, counts, *piece, *room)
            return n

        for _, made in self._rows(np.diff(run_starts, axis=1).sum(axis=0), make):
            merged.add(*made)
        merged.end_table()

    def _rows(
        self, most: Counts, make: Callable[..., int]
    ) -> Iterator[tuple[tuple[int, int], tuple[Ids, Counts, Counts]]]:
        """All rows in order, some at a time; most[w] bounds the entries of row w, if the number of contexts does not.

        make(piece, sums, contexts, counts, lengths) makes the rows of a piece and says how many entries they have.
        """
        most = np.minimum(most, self.n_words)

        def made(piece: tuple[int, int]) -> tuple[tuple[int, int], tuple[Ids, Counts, Counts]]:
            first, last = piece
            room = int(most[first:last].sum()) + 1
            contexts, counts = np.empty(room, np.int32), np.empty(room, np.int64)
            lengths = np.empty(last - first, np.int64)
            sums = self._sums.pop() if self._sums else np.zeros(self.n_words, np.int64)
            n = make(piece, sums, contexts, counts, lengths)
            self._sums.append(sums)
            return piece, (contexts[:n], counts[:n], lengths)

        return in_order(made, row_ranges(most, ENTRIES_PER_PIECE), self.threads)
