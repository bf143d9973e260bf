"""How far words move by chance, and which words have moved further than that.

Rare words move more than frequent ones, so each word is compared with words of about its frequency. With the shift on
the scale y = log tan(θ/2) of `shifts.spread_out`, and h of `Common.evidence`,

    z_w = (y_w - centre(h_w)) / spread(h_w)
    centre   the median of y among words of about this frequency
    spread   √ mean (y - centre)², over the words below the centre: words that have really moved are above it
    p_w      = 1 - T(z_w), how many words of this frequency move so far by chance

The spread of all is then widened by one factor, where the highest tenth or the lowest thousandth of the z are further
out than those of a normal distribution. T is Student's distribution of 100 degrees of freedom, which is a little wider
than the normal one far out: words differ in more than their frequency, and a name that fills three paragraphs tells
less than its count says. docs/comparing.md has the measurements.

The line: of all words above it, a share of at most `rate` is expected to be there by chance (Benjamini and Hochberg
1995): the k words of smallest p, for the largest k with p_(k) <= rate k / n.

Both curves come from words of which most have not moved. These are the compared words themselves, if most of them have
kept their meaning, or a yardstick: two models of which one knows that no word has moved, since their text is the same.
"""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.method.elementary import log
from pairloom.types import Float64s

FEWEST_WORDS = 200  # with fewer, neither curve is known well enough
WORDS_PER_STEP = 50  # at least, for a point of the curves
STEP = 0.5  # of log h: words that differ less in frequency are taken together
FREEDOM = 100  # degrees of freedom; of 30, 50, 100 and infinity the first at which the stated rate was true
HIGH, LOW = (0.9, 1.2816), (0.001, -3.0902)  # a share of a normal distribution, and where it ends


class NoiseCurve(NamedTuple):
    """Centre and spread of the shift by log h, between points in rising order; constant beyond the ends."""

    at: Float64s
    centre: Float64s
    spread: Float64s

    def centre_of(self, evidence: Float64s) -> Float64s:
        """The usual shift of words of this frequency, on the scale of y."""
        return np.interp(log(evidence), self.at, self.centre)

    def spread_of(self, evidence: Float64s) -> Float64s:
        """How far the shift of most words is from the usual one."""
        return np.interp(log(evidence), self.at, self.spread)

    def scores(self, evidence: Float64s, y: Float64s) -> Float64s:
        """z of each word."""
        return (y - self.centre_of(evidence)) / self.spread_of(evidence)


def noise_curve(evidence: Float64s, y: Float64s) -> NoiseCurve | None:
    """The curves of these shifts; None if there are too few words, or if nothing moves at all."""
    if len(y) < FEWEST_WORDS:
        return None
    x = log(evidence)
    groups = _groups(x)
    at = np.array([np.median(x[group]) for group in groups])
    centre = np.array([np.median(y[group]) for group in groups])
    below = y - np.interp(x, at, centre)
    variance = np.array([_variance_below(below[group]) for group in groups])
    spread = np.sqrt(_smoothed(variance, np.array([len(group) for group in groups], np.float64)))
    if not np.all(spread > 0):
        return None
    z = NoiseCurve(at, centre, spread).scores(evidence, y)
    wider = max(1.0, *(float(np.quantile(z, share)) / end for share, end in (HIGH, LOW)))
    return NoiseCurve(at, centre, wider * spread)


def _groups(x: Float64s) -> list[npt.NDArray[np.intp]]:
    """Words of similar frequency, from the rarest: as many as lie within STEP, and never fewer than WORDS_PER_STEP."""
    order = np.argsort(x, kind="stable")
    edges = [0]
    while len(x) - edges[-1] >= 2 * WORDS_PER_STEP:
        within = int(np.searchsorted(x[order], x[order[edges[-1]]] + STEP, side="right"))
        edges.append(max(within, edges[-1] + WORDS_PER_STEP))
    if len(x) - edges[-1] >= WORDS_PER_STEP:
        edges.append(len(x))
    edges[-1] = len(x)
    return [order[first:last] for first, last in pairwise(edges)]


def _variance_below(rest: Float64s) -> float:
    low = rest[rest < 0]
    return float((low * low).sum() / max(1, len(low)))


def _smoothed(values: Float64s, weights: Float64s) -> Float64s:
    """Each value averaged with those beside it, by weight, since fifty words tell a spread only to a sixth."""
    total, weight = (np.convolve(np.pad(of, 1, mode="edge"), [1, 2, 1], "valid") for of in (values * weights, weights))
    smooth: Float64s = total / weight
    return smooth


def chances(z: Float64s) -> Float64s:
    """p = 1 - T(z), for T of n degrees of freedom by way of a normal one (Abramowitz and Stegun 26.7.8):

    1 - Φ(z (1 - 1/4n) / √(1 + z²/2n))
    """
    normal = z * (1 - 0.25 / FREEDOM) / np.sqrt(1 + z * z / (2 * FREEDOM))
    return np.array([0.5 * math.erfc(score / math.sqrt(2)) for score in normal.tolist()])


def threshold(p: Float64s, rate: float) -> float:
    """The largest p at which words are beyond the line. If none is, the p that a single word would need."""
    allowed = rate * np.arange(1, len(p) + 1) / len(p)
    under = np.flatnonzero(np.sort(p) <= allowed)
    return float(allowed[under[-1]] if len(under) else allowed[0])


def score_of(p: float) -> float:
    """The z with 1 - T(z) = p, by bisection."""
    low, high = -10.0, 100.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if chances(np.array([middle]))[0] > p else (low, middle)
    return low
