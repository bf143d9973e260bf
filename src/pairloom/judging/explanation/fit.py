"""How well v_w·v_c agrees with theory, over all observed pairs.

    PMI(w, c) - log k = log(#(w, c) |D| / (#(w) #(c))) - log k        Levy & Goldberg 2014
    optimum           = log(#(w, c) / (#(w) noise(c))) - log k        the same where noise_power is 1

Fits are unweighted, and weighted by #(w, c): most pairs occur once or twice, and what a model learns of them is noise.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.judging.evaluation.correlation import spearman
from pairloom.judging.explanation.counted_model import CountedModel, band_name
from pairloom.method.draws import Purpose, key
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.system.threads import in_order
from pairloom.types import Float64s

if TYPE_CHECKING:
    from pairloom.kernel.counts.explain import Sums

MOST_SAMPLED = 1_000_000  # with more pairs than this, Spearman's correlation is that of a random sample
PAIRS_PER_PIECE = 1 << 18


class Fit(NamedTuple):
    """v_w·v_c ≈ slope * target + intercept, by least squares."""

    pairs: int
    pearson: float | None
    spearman: float | None  # of a sample, if there are more than MOST_SAMPLED pairs
    slope: float | None
    intercept: float | None
    weighted_pearson: float | None  # each pair weighted by #(w, c)
    weighted_slope: float | None


class TargetFits(NamedTuple):
    """Fits to one target: over all pairs, by the frequency of the word, and by that of the context."""

    all: Fit
    by_word: dict[str, Fit]
    by_context: dict[str, Fit]


class ObservedSums(NamedTuple):
    """The results of one pass over all observed pairs."""

    pmi: TargetFits
    optimum: TargetFits
    heat: npt.NDArray[np.int64]  # (2, bins, bins): pairs by target (PMI, optimum) and by v_w·v_c
    losses: Float64s  # (n_words, 3): of pairs in D, of the same pairs in D', and of both at the optimum
    calibration: Float64s  # (bins, 2): pairs of D by bin of v_w·v_c, and the sum of their predicted probabilities


def fit_observed_pairs(
    model: CountedModel, n_dense: int, threads: int, on_progress: OnProgress = ignore
) -> ObservedSums:
    """Sum over all observed pairs on all threads. Pieces are added in order, so the sums do not depend on threads."""
    moments: Any = 0
    heat: Any = 0
    calibration: Any = 0
    losses, samples = [], []
    report = reporter("fit", len(model.counts), on_progress)
    for some in _pieces(model, n_dense, threads):
        moments, heat, calibration = moments + some.moments, heat + some.heat, calibration + some.calibration
        losses.append(some.losses)
        samples.append(some.sample)
        report(int(moments[:, :, 0, 0].sum()))
    sample = np.concatenate(samples)
    return ObservedSums(
        _target_fits(moments, sample, 1), _target_fits(moments, sample, 2), heat, np.concatenate(losses), calibration
    )


def _pieces(model: CountedModel, n_dense: int, threads: int) -> "Iterator[Sums]":
    from pairloom.kernel.counts import explain as kernel

    counts, n_bands = model.counts, int(model.bands.max()) + 1
    pairs, logs = kernel.ObservedPairs(counts.indptr, counts.contexts, counts.weights), kernel.Logs(*_logs(model))
    chosen = key(0, Purpose.SAMPLE), np.uint64(min(1.0, MOST_SAMPLED / len(counts)) * 2**32)

    def sum_rows(rows: tuple[int, int]) -> "Sums":
        first, last = rows
        sums = kernel.Sums(
            moments=np.zeros((n_bands, n_bands, 2, 9)),
            heat=np.zeros((2, kernel.HEAT_BINS, kernel.HEAT_BINS), np.int64),
            losses=np.zeros((last - first, 3)),
            calibration=np.zeros((kernel.LOGIT_BINS, 2)),
            sample=np.empty((int(counts.indptr[last] - counts.indptr[first]), 5)),
        )
        n = kernel.observed(model.W, model.C, pairs, first, last, logs, model.bands, n_dense, *chosen, sums)
        return sums._replace(sample=sums.sample[:n].copy())

    return in_order(sum_rows, _row_ranges(counts.indptr), threads)


def _logs(model: CountedModel) -> tuple[Float64s, Float64s, Float64s]:
    """log #(w), log(k #(c) / |D|), log(k noise(c)). Words and contexts without pairs have -inf, which is never used."""
    counts = model.counts
    with np.errstate(divide="ignore"):
        of_contexts = np.log(model.k * counts.of_contexts / counts.total)
        return np.log(counts.of_words), of_contexts, np.log(model.k * model.noise)


def _row_ranges(indptr: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Ranges of words with about PAIRS_PER_PIECE pairs each."""
    first, n_words = 0, len(indptr) - 1
    while first < n_words:
        last = int(np.searchsorted(indptr, indptr[first] + PAIRS_PER_PIECE, side="right")) - 1
        last = min(max(last, first + 1), n_words)
        yield first, last
        first = last


# --- From sums to fits


def _target_fits(moments: Float64s, sample: Float64s, number: int) -> TargetFits:
    """The fits to target 1 (PMI) or 2 (the optimum)."""
    return TargetFits(
        _fit(moments.sum(axis=(0, 1)), sample, number),
        {band_name(b): _fit(of_band, sample[sample[:, 3] == b], number) for b, of_band in _bands(moments.sum(axis=1))},
        {band_name(b): _fit(of_band, sample[sample[:, 4] == b], number) for b, of_band in _bands(moments.sum(axis=0))},
    )


def _bands(moments: Float64s) -> Iterator[tuple[int, Float64s]]:
    """The frequency bands that have pairs."""
    return ((band, sums) for band, sums in enumerate(moments) if sums[0, 0] > 0)


def _fit(moments: Float64s, sample: Float64s, number: int) -> Fit:
    r, slope, intercept = _line(moments[0], number)
    weighted_r, weighted_slope, _ = _line(moments[1], number)
    by_rank = spearman(sample[:, 0], sample[:, number])
    return Fit(int(moments[0, 0]), r, by_rank, slope, intercept, weighted_r, weighted_slope)


def _line(sums: Float64s, number: int) -> tuple[float | None, float | None, float | None]:
    """Pearson's r, slope and intercept of x on target 1 (y) or 2 (z), from Σ s (1, x, x², y, y², xy, z, z², xz)."""
    n, x, xx = sums[:3]
    y, yy, xy = sums[3 * number : 3 * number + 3]
    var_x, var_y, cov = xx / n - (x / n) ** 2, yy / n - (y / n) ** 2, xy / n - x * y / n**2
    if not (var_x > 1e-12 and var_y > 1e-12):  # all values are equal, so no line is defined
        return None, None, None
    slope = cov / var_y
    r = np.clip(cov / np.sqrt(var_x * var_y), -1.0, 1.0)
    return float(r), float(slope), float(x / n - slope * y / n)
