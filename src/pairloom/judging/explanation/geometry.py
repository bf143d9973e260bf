"""Lengths of the vectors by frequency, and how much all vectors have in common.

    variance about 0:  (1/n) Σ_w |v_w|² = |mean|² + Σ_i λ_i,   λ_i the variances along the principal components

Mu & Viswanath ("All-but-the-Top", 2018): in most embeddings the mean and a few components hold much of the variance.
They say little about meaning and depend on frequency.
"""

from typing import NamedTuple

import numpy as np

from pairloom.judging.evaluation.correlation import spearman
from pairloom.judging.explanation.counted_model import band_name, band_of
from pairloom.types import Float64s
from pairloom.vectors.vectors import Vectors

COMPONENTS = 10
TINY = 1e-300  # a divisor instead of 0, if all vectors are zero


class Lengths(NamedTuple):
    """The lengths |v| of the words of a frequency band."""

    words: int
    mean: float
    low: float  # a tenth of the vectors are shorter
    high: float  # a tenth are longer


class Geometry(NamedTuple):
    """The measures of one matrix, W or C."""

    norm_by_count: dict[str, Lengths]
    norm_against_count: float | None  # Spearman's correlation
    share_of_mean: float  # |mean|² as a share of the variance about 0
    share_of_components: list[float]  # shares of the variance about the mean, largest first
    dimensions: float  # (Σ λ)² / Σ λ², which is d if the variance is equal in d directions


def geometry(vectors: Vectors) -> Geometry:
    """Measure the lengths and the common directions of vectors."""
    mean, covariance = _spread(vectors)
    variances: Float64s = np.maximum(np.linalg.eigvalsh(covariance)[::-1], 0)
    total = max(float(variances.sum()), TINY)
    of_mean = float(mean @ mean)
    return Geometry(
        norm_by_count=_lengths(vectors),
        norm_against_count=spearman(vectors.norms, vectors.counts.astype(np.float64)),
        share_of_mean=of_mean / (of_mean + total),
        share_of_components=(variances[:COMPONENTS] / total).tolist(),
        dimensions=total**2 / max(float((variances**2).sum()), TINY),
    )


def _lengths(vectors: Vectors) -> dict[str, Lengths]:
    bands = band_of(vectors.counts)
    found = {}
    for band in np.unique(bands).tolist():
        norms = vectors.norms[bands == band]
        low, high = np.quantile(norms, [0.1, 0.9])
        found[band_name(band)] = Lengths(len(norms), float(norms.mean()), float(low), float(high))
    return found


def _spread(vectors: Vectors) -> tuple[Float64s, Float64s]:
    """The mean and the covariance in float64, computed some rows at a time to save memory."""
    mean: Float64s = vectors.vectors.mean(axis=0, dtype=np.float64)
    covariance = np.zeros((vectors.dim, vectors.dim))
    for at in range(0, len(vectors), 1 << 14):
        rows = vectors.vectors[at : at + (1 << 14)] - mean
        covariance += rows.T @ rows
    return mean, covariance / len(vectors)
