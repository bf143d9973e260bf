"""Pearson's and Spearman's correlation of two lists of numbers, and a confidence interval for Spearman's.

Pearson    r = Σ (x - x̄)(y - ȳ) / sqrt(Σ (x - x̄)² Σ (y - ȳ)²)
Spearman   Pearson's r of the ranks, where equal values share the mean of their ranks
"""

import numpy as np

from pairloom.types import Counts, Float64s

DRAWS = 1000
CONFIDENCE = 0.95
_AT_ONCE = 1 << 18  # ranks held in memory at a time: 2 MB


def pearson(x: Float64s, y: Float64s) -> float | None:
    """Pearson's r, or None if it is undefined: with fewer than two pairs, or if all values of a list are equal."""
    if len(x) < 2 or np.all(x == x[0]) or np.all(y == y[0]):
        return None
    x, y = x - x.mean(), y - y.mean()
    return float(np.clip((x @ y) / np.sqrt((x @ x) * (y @ y)), -1.0, 1.0))


def spearman(x: Float64s, y: Float64s) -> float | None:
    """Spearman's correlation, or None if it is undefined (see `pearson`)."""
    return pearson(ranks(x), ranks(y))


def ranks(x: Float64s) -> Float64s:
    """Ranks from 1. Equal values share the mean of their ranks.

    >>> ranks(np.array([30.0, 10.0, 30.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    once = np.ones((1, len(x)), np.int64)
    return _ranks_in_samples(x, once).ravel()


def spearman_interval(x: Float64s, y: Float64s, seed: int = 1, draws: int = DRAWS) -> tuple[float, float] | None:
    """The 95 % interval by percentile bootstrap, or None if no draw has a correlation.

    A draw takes n pairs with replacement from the n pairs. The interval holds the middle 95 % of Spearman's correlation
    over 1000 draws. It shows how much the score depends on the choice of pairs, and says nothing about training.
    """
    rng = np.random.default_rng(seed)
    n = len(x)
    values = np.empty(draws)
    step = max(1, _AT_ONCE // max(1, n))
    for start in range(0, draws, step):
        some = slice(start, min(start + step, draws))
        counts = _draw(rng, some.stop - start, n)
        values[some] = _spearman_of_samples(_ranks_in_samples(x, counts), _ranks_in_samples(y, counts), counts)
    values = values[np.isfinite(values)]
    if len(values) == 0:
        return None
    low, high = np.quantile(values, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def _draw(rng: np.random.Generator, draws: int, n: int) -> Counts:
    """(draws, n): how often each of n pairs is in each draw of n."""
    drawn = rng.integers(n, size=(draws, n)) + n * np.arange(draws)[:, None]
    return np.bincount(drawn.ravel(), minlength=draws * n).reshape(draws, n)


def _ranks_in_samples(x: Float64s, counts: Counts) -> Float64s:
    """(draws, n): the rank of x[i] in a sample that holds it counts[draw, i] times.

    x is sorted only once. The m values equal to x[i] have consecutive ranks, so their mean is the last one minus
    (m - 1) / 2, and the last one is the number of values up to x[i].
    """
    _, place, sizes = np.unique(x, return_inverse=True, return_counts=True)
    order = np.argsort(place, kind="stable")
    equal = np.add.reduceat(counts[:, order], np.cumsum(sizes) - sizes, axis=1)
    last = np.cumsum(equal, axis=1)
    shared: Float64s = (last - (equal - 1) / 2)[:, place]
    return shared


def _spearman_of_samples(x: Float64s, y: Float64s, counts: Counts) -> Float64s:
    """Pearson's r of each row of ranks, each pair taken counts times. The mean of n ranks is (n + 1) / 2."""
    middle = (x.shape[1] + 1) / 2
    x, y = x - middle, y - middle
    with np.errstate(divide="ignore", invalid="ignore"):  # a draw of a single pair n times has no correlation
        r: Float64s = (counts * x * y).sum(axis=1) / np.sqrt(
            (counts * x * x).sum(axis=1) * (counts * y * y).sum(axis=1)
        )
    return r
