"""The objective over all possible pairs, and how accurate the model's probabilities are.

    loss(x) = Σ_wc  n log(1 + e^-x) + m log(1 + e^x),    x = v_w·v_c,  n = #(w, c),  m = k #(w) noise(c)
    optimum = loss(log(n / m)); pairs that were never observed (n = 0) add nothing to it, at x = -∞
    p(D=1 | w, c) = n / (n + m), which σ(x) estimates

m is above 0 for every pair, so this takes all n_words² products. If there are more than `most_products`, the sums run
over the most frequent words only, as many as `most_products` allows. These words have most of the pairs of D.
"""

from typing import NamedTuple

import numpy as np

from pairloom.judging.explanation.counted_model import CountedModel
from pairloom.judging.explanation.fit import ObservedSums
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.system.threads import in_order
from pairloom.types import Float64s

MOST_PRODUCTS = 5_000_000_000  # all pairs of 70,000 words; about 45 s on one core at dim 100
ROWS_PER_PIECE = 256


class ObjectiveLosses(NamedTuple):
    """Losses per pair of D: at the start of training, now, and at the optimum."""

    words: int  # the number of words in the sums, from the most frequent on; each with all contexts
    share_of_pairs: float  # the share of D that belongs to these words
    start: float  # (k + 1) log 2: all probabilities are 1/2
    model: float
    optimum: float  # if every pair could have any product
    of_D: float  # the three parts of `model`: n log(1 + e^-x)
    of_observed: float  # m log(1 + e^x) over pairs that the corpus has
    of_unobserved: float  # m log(1 + e^x) over all other pairs
    reached: float  # (start - model) / (start - optimum)


class Bin(NamedTuple):
    """The pairs of D and D' whose v_w·v_c is in a range."""

    low: float
    high: float
    share: float  # of all pairs of D and D'
    predicted: float  # mean σ(v_w·v_c)
    true: float  # the share of these pairs that belongs to D


class Calibration(NamedTuple):
    """Predicted probabilities against true shares."""

    error: float  # mean |predicted - true| over pairs of D and D'
    bins: list[Bin]


def number_of_rows(n_words: int, most_products: int) -> int:
    """How many words, from the most frequent on, can be compared with all contexts."""
    return max(1, min(n_words, most_products // n_words))


def objective_and_calibration(
    model: CountedModel, observed: ObservedSums, n_rows: int, threads: int, on_progress: OnProgress = ignore
) -> tuple[ObjectiveLosses, Calibration]:
    """Compute the objective and the calibration, over the n_rows most frequent words and all contexts."""
    losses, calibration = _sum_all_pairs(model, n_rows, threads, on_progress)
    calibration += observed.calibration
    return _objective(model, observed.losses[:n_rows], losses), _calibration(observed.calibration[:, 0], calibration)


def _sum_all_pairs(
    model: CountedModel, n_rows: int, threads: int, on_progress: OnProgress
) -> tuple[Float64s, Float64s]:
    """Return Σ_c m log(1 + e^x) for each word, and Σ m and Σ m σ(x) for each bin of x."""
    from pairloom.kernel.counts import explain as kernel

    blocks = kernel.transposed_blocks(model.C)
    mass = model.k * model.counts.of_words

    def sum_rows(first: int) -> tuple[Float64s, Float64s]:
        last = min(first + ROWS_PER_PIECE, n_rows)
        losses, calibration = np.zeros(last - first), np.zeros((kernel.LOGIT_BINS, 2))
        kernel.all_pairs(model.W, blocks, first, last, model.noise, kernel.SOFTPLUS, losses, calibration, mass)
        return losses, calibration

    report = reporter("whole", n_rows, on_progress)
    losses, calibration, done = [], np.zeros((kernel.LOGIT_BINS, 2)), 0
    for of_rows, of_bins in in_order(sum_rows, range(0, n_rows, ROWS_PER_PIECE), threads):
        losses.append(of_rows)
        calibration += of_bins
        done += len(of_rows)
        report(done)
    return np.concatenate(losses), calibration


def _objective(counted: CountedModel, observed: Float64s, of_noise: Float64s) -> ObjectiveLosses:
    of_words = counted.counts.of_words
    pairs = of_words[: len(observed)].sum()
    of_D, of_observed, optimum = observed.sum(axis=0) / pairs
    model = of_D + of_noise.sum() / pairs
    start = (counted.k + 1) * np.log(2)
    return ObjectiveLosses(
        words=len(observed),
        share_of_pairs=min(1.0, float(pairs / counted.counts.total)),
        start=float(start),
        model=float(model),
        optimum=float(optimum),
        of_D=float(of_D),
        of_observed=float(of_observed),
        of_unobserved=float(model - of_D - of_observed),
        reached=float((start - model) / (start - optimum)),
    )


def _calibration(of_D: Float64s, of_both: Float64s) -> Calibration:
    """of_D: pairs of D by bin. of_both, (bins, 2): pairs of D and D', and the sum of their predicted probabilities."""
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
