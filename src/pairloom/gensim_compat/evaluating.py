"""Scores in the form of gensim's `evaluate_word_analogies` and `evaluate_word_pairs`, by `pairloom.judging.evaluation`.

The significance of a correlation r of n pairs is that of Student's t with n - 2 degrees of freedom:

    t² = (n - 2) r² / (1 - r²)        p = I_{1 - r²}((n - 2) / 2, 1/2)

with I the regularised incomplete beta function, here by its continued fraction (Lentz's method).
"""

import math
from typing import Any, NamedTuple

from pairloom.judging.evaluation.analogies import Section, marked_sections
from pairloom.judging.evaluation.lookup import Policy
from pairloom.judging.evaluation.questions import read
from pairloom.judging.evaluation.similarities import similarities
from pairloom.types import PathName
from pairloom.vectors.vectors import Vectors

TOTAL = "Total accuracy"
_TINY = 1e-300
_MAX_TERMS = 10_000


class Correlation(NamedTuple):
    """A correlation, and how likely one as far from 0 would be by chance."""

    statistic: float
    pvalue: float


def analogy_scores(
    vectors: Vectors, path: PathName, restrict_vocab: int, fold: bool, unknown_is_wrong: bool, product: bool
) -> tuple[float, list[dict[str, Any]]]:
    """The share of correct answers, and the correct and incorrect questions of each section."""
    policy = _policy(restrict_vocab, fold, unknown_is_wrong)
    marked = marked_sections(vectors, read(path), method="mul" if product else "add", policy=policy)
    sections = [_section(section, marks, fold, unknown_is_wrong) for section, marks in marked]
    parts = ("correct", "incorrect")
    total = {"section": TOTAL, **{part: [q for section in sections for q in section[part]] for part in parts}}
    correct, asked = len(total["correct"]), sum(len(total[part]) for part in parts)
    return correct / asked if asked else 0.0, [*sections, total]


def _section(section: Section, marks: list[bool | None], fold: bool, unknown_is_wrong: bool) -> dict[str, Any]:
    """Questions with unknown words are left out, unless they count as wrong."""
    asked = [tuple(word.upper() if fold else word for word in question) for question in section.questions]
    marked = [
        (question, mark) for question, mark in zip(asked, marks, strict=True) if unknown_is_wrong or mark is not None
    ]
    correct, incorrect = ([question for question, mark in marked if bool(mark) is right] for right in (True, False))
    return {"section": section.name, "correct": correct, "incorrect": incorrect}


def pair_scores(
    vectors: Vectors, path: PathName, restrict_vocab: int, fold: bool, unknown_is_wrong: bool
) -> tuple[Correlation, Correlation, float]:
    """Pearson's and Spearman's correlation, and the share of pairs with an unknown word in per cent."""
    scores = similarities(vectors, path, policy=_policy(restrict_vocab, fold, unknown_is_wrong))
    pearson, spearman = (_correlation(r, scores.used) for r in (scores.pearson, scores.spearman))
    return pearson, spearman, 100 * (1 - scores.coverage)


def _policy(restrict_vocab: int, fold: bool, unknown_is_wrong: bool) -> Policy:
    return Policy(
        restrict_vocab=restrict_vocab or 0,
        case="fold" if fold else "keep",
        unknown="wrong" if unknown_is_wrong else "skip",
    )


def _correlation(r: float | None, n: int) -> Correlation:
    if r is None:
        return Correlation(math.nan, math.nan)
    return Correlation(r, significance(r, n))


def significance(r: float, n: int) -> float:
    """The probability of a correlation at least as far from 0 as r, for n pairs without one.

    >>> round(significance(0.5, 12), 6)
    0.097855
    """
    if n < 3:
        return 1.0
    x, a, b = 1 - r * r, (n - 2) / 2, 0.5
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    if x < (a + 1) / (a + b + 2):  # where the fraction converges fast
        return math.exp(logarithm) * _fraction(a, b, x) / a
    return 1 - math.exp(logarithm) * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of I_x(a, b)."""
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _MAX_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d, c = 1 / _away_from_zero(1 + term * d), _away_from_zero(1 + term / c)
            value *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return value


def _away_from_zero(x: float) -> float:
    return x if abs(x) > _TINY else _TINY
