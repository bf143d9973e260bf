"""The objective over all pairs there could be, and how far its probabilities are right.

    loss(x) = Σ_wc  n log(1 + e^-x) + m log(1 + e^x),    x = v_w·v_c,  n = #(w, c),  m = k #(w) noise(c)
    optimum = loss(log(n / m)); pairs that were never observed (n = 0) lose nothing there, at x = -∞
    p(D=1 | w, c) = n / (n + m), of which σ(x) is the model's idea

m is above 0 for every pair, so this takes all n_words² products. Where that would be more than `most_products`, it is
done exactly for the most frequent words, as many as allowed: they have most of D.
"""

from typing import NamedTuple

import numpy as np

from pairloom.explanation.fit import Observed
from pairloom.explanation.trained import Trained
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.system.threads import in_order
from pairloom.types import Float64s

MOST_PRODUCTS = 5_000_000_000  # 70,000 words with each other; at dim 100 some 45 s of one core
ROWS_PER_PIECE = 256


class Objective(NamedTuple):
    """Losses per pair of D: what training made smaller, and how small it can be."""

    words: int  # the most frequent ones, with all contexts
    share_of_pairs: float  # of D that they have
    start: float  # (k + 1) log 2, where all probabilities are 1/2
    model: float
    optimum: float  # with vectors long enough for any table of numbers
    of_D: float  # the model's, in its parts: n log(1 + e^-x)
    of_observed: float  # m log(1 + e^x) over pairs that the corpus has
    of_unobserved: float  # and over those that it does not have
    reached: float  # (start - model) / (start - optimum)


class Bin(NamedTuple):
    """Pairs of D and D' whose v_w·v_c is in a range."""

    low: float
    high: float
    share: float  # of D and D'
    predicted: float  # mean σ(v_w·v_c)
    true: float  # share of them that is of D


class Calibration(NamedTuple):
    """What the model says against what is so."""

    error: float  # mean |predicted - true| over pairs of D and D'
    bins: list[Bin]


def number_of_rows(n_words: int, most_products: int) -> int:
    """How many of the most frequent words are asked about all contexts."""
    return max(1, min(n_words, most_products // n_words))


def whole(
    trained: Trained, seen: Observed, n_rows: int, threads: int, on_progress: OnProgress = ignore
) -> tuple[Objective, Calibration]:
    """The objective and the calibration, over the n_rows most frequent words and all contexts."""
    losses, calibration = _all_pairs(trained, n_rows, threads, on_progress)
    calibration += seen.calibration
    return _objective(trained, seen.losses[:n_rows], losses), _calibration(seen.calibration[:, 0], calibration)


def _all_pairs(trained: Trained, n_rows: int, threads: int, on_progress: OnProgress) -> tuple[Float64s, Float64s]:
    """Σ_c m log(1 + e^x) of each word, and by bins of x: Σ m and Σ m σ(x)."""
    from pairloom.kernel.counts import explain as kernel

    blocks = kernel.transposed_blocks(trained.C)
    mass = trained.k * trained.counts.of_words

    def go(first: int) -> tuple[Float64s, Float64s]:
        last = min(first + ROWS_PER_PIECE, n_rows)
        losses, calibration = np.zeros(last - first), np.zeros((kernel.LOGIT_BINS, 2))
        kernel.all_pairs(trained.W, blocks, first, last, trained.noise, kernel.SOFTPLUS, losses, calibration, mass)
        return losses, calibration

    report = reporter("whole", n_rows, on_progress)
    losses, calibration, done = [], np.zeros((kernel.LOGIT_BINS, 2)), 0
    for of_rows, of_bins in in_order(go, range(0, n_rows, ROWS_PER_PIECE), threads):
        losses.append(of_rows)
        calibration += of_bins
        done += len(of_rows)
        report(done)
    return np.concatenate(losses), calibration


def _objective(trained: Trained, seen: Float64s, of_noise: Float64s) -> Objective:
    of_words = trained.counts.of_words
    pairs = of_words[: len(seen)].sum()
    of_D, of_observed, optimum = seen.sum(axis=0) / pairs
    model = of_D + of_noise.sum() / pairs
    start = (trained.k + 1) * np.log(2)
    return Objective(
        words=len(seen),
        share_of_pairs=min(1.0, float(pairs / trained.counts.total)),
        start=float(start),
        model=float(model),
        optimum=float(optimum),
        of_D=float(of_D),
        of_observed=float(of_observed),
        of_unobserved=float(model - of_D - of_observed),
        reached=float((start - model) / (start - optimum)),
    )


def _calibration(of_D: Float64s, of_both: Float64s) -> Calibration:
    """of_D: pairs of D by bin; of_both: (bins, 2), pairs of D and D', and their predicted probabilities added up."""
    from pairloom.kernel.counts.explain import REACH

    events, predicted = of_both.T
    edges = np.linspace(-REACH, REACH, len(events) + 1)
    edges[[0, -1]] = -np.inf, np.inf
    bins = [
        Bin(float(low), float(high), float(n / events.sum()), float(p / n), float(d / n))
        for low, high, n, p, d in zip(edges[:-1], edges[1:], events, predicted, of_D, strict=True)
        if n > 0
    ]
    return Calibration(sum(b.share * abs(b.predicted - b.true) for b in bins), bins)
