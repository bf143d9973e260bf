"""Two models, word by word: how far each word has moved, and whether that is more than noise."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import check_min_count, check_number, checked_threads
from pairloom.errors import InputError
from pairloom.judging.comparison.common import Common, common_words, share_contexts
from pairloom.judging.comparison.neighbours import Changes, changes
from pairloom.judging.comparison.noise import NoiseCurve, chances, noise_curve, score_of, threshold
from pairloom.judging.comparison.shifts import cosines, rotation_between, spread_out
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.system.display import quoted
from pairloom.system.threads import Workers, workers
from pairloom.types import Float64s
from pairloom.vectors.checking import checked_words
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.search import check_topn
from pairloom.vectors.vectors import Vectors

Model = Embedding | Vectors


class WordShift(NamedTuple):
    """A word in two models. Without an estimate of the noise, the last four are None."""

    word: str
    count_a: int
    count_b: int
    shift: float  # 1 - cosine, see `shifts.py`
    usual: float | None = None  # the shift of half of the words of this frequency, by noise alone
    z: float | None = None  # how many spreads of the noise above the usual
    p: float | None = None  # the share of the words of this frequency that move so far by chance
    beyond: bool | None = None  # beyond the line


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The common words of two models, the most frequent first, and how far each has moved."""

    common: Common
    cosine: Float64s  # of each word with itself
    noise: NoiseCurve | None  # None if there are too few words to tell
    rate: float  # of words beyond the line that are there by chance
    rotated: bool  # False if the models share their contexts
    yardsticks: int  # models that the noise was measured with; 0 if it is estimated from the compared words

    def __repr__(self) -> str:
        beyond = "unknown" if self.noise is None else len(self.beyond)
        return f"Comparison(n_words={len(self.words)}, beyond={beyond}, rate={self.rate})"

    @property
    def words(self) -> list[str]:
        """The common words."""
        return self.common.words

    @cached_property
    def shift(self) -> Float64s:
        """1 - cosine of each word with itself."""
        return 1 - self.cosine

    @cached_property
    def z(self) -> Float64s:
        """How far each word is above the usual shift of its frequency, in units of the noise. NaN if unknown."""
        if self.noise is None:
            return np.full(len(self.words), np.nan)
        return self.noise.scores(self.common.evidence, spread_out(self.cosine))

    @cached_property
    def p(self) -> Float64s:
        """The share of words of the same frequency that move so far by chance."""
        return chances(self.z)

    @cached_property
    def line(self) -> float | None:
        """The z from which words are beyond the line."""
        return None if self.noise is None else score_of(threshold(self.p, self.rate))

    @cached_property
    def is_beyond(self) -> npt.NDArray[np.bool_]:
        """Whether each word is beyond the line."""
        return np.zeros(len(self.words), np.bool_) if self.noise is None else self.p <= threshold(self.p, self.rate)

    @property
    def beyond(self) -> list[str]:
        """The words beyond the line, the most shifted first."""
        return [self.words[i] for i in self.order if self.is_beyond[i]]

    @cached_property
    def order(self) -> list[int]:
        """The places of the words, the most shifted first: by z, or by shift if the noise is not known."""
        key = self.shift if self.noise is None else self.z
        return np.argsort(-key, kind="stable").tolist()  # type: ignore[no-any-return]  # NumPy's types do not say

    def shift_of(self, word: str) -> WordShift:
        """The shift of one word."""
        return self._at(self.common.place_of(word))

    def most_shifted(self, topn: int = 10) -> list[WordShift]:
        """The words that moved most for their frequency."""
        check_topn(topn)
        return [self._at(i) for i in self.order[:topn]]

    def neighbours(self, words: Sequence[str], topn: int = 10) -> list[Changes]:
        """The neighbours of each word that were kept, gained and lost, among the common words."""
        check_topn(topn)
        for word in checked_words(words):
            self.common.place_of(word)
        return changes(*self._sides, words, topn)

    @cached_property
    def _sides(self) -> tuple[Vectors, Vectors]:
        return self.common.sides()

    def usual(self, evidence: Float64s, z: float = 0.0) -> Float64s:
        """The shift that has this z, for words of this frequency."""
        if self.noise is None:
            return np.full(len(evidence), np.nan)
        y = self.noise.centre_of(evidence) + z * self.noise.spread_of(evidence)
        return np.array([1 + np.tanh(value) for value in y.tolist()])

    def _at(self, i: int) -> WordShift:
        count_a, count_b = (int(side[i]) for side in self.common.counts)
        found = WordShift(self.words[i], count_a, count_b, float(self.shift[i]))
        if self.noise is None:
            return found
        usual = float(self.usual(self.common.evidence[i : i + 1])[0])
        return found._replace(usual=usual, z=float(self.z[i]), p=float(self.p[i]), beyond=bool(self.is_beyond[i]))

    def as_dict(self) -> dict[str, Any]:
        """The facts about the whole comparison, as plain data."""
        return {
            "words": len(self.words),
            "rotated": self.rotated,
            "noise": None if self.noise is None else "yardstick" if self.yardsticks else "estimated",
            "rate": self.rate,
            "line": None if self.line is None else round(self.line, 4),
            "beyond": None if self.noise is None else len(self.beyond),
        }


def compare(
    a: Model,
    b: Model,
    *,
    noise: Model | Iterable[Model] = (),
    min_count: int = 1,
    rate: float = 0.05,
    threads: int | None = None,
    on_progress: OnProgress = ignore,
) -> Comparison:
    """Compare two models, for example of two decades: which words have moved, and which of them beyond noise.

    noise: other models of A's own text, for example with another seed: how far words move between A and these is the
        noise. Without them it is estimated from A and B, of which most words should have kept their meaning.
    min_count: leave out words that occur less often in one of the texts
    rate: the expected share of words beyond the line that are there by chance (the false discovery rate)

    The result is the same for any number of threads. `shifts.py` and `noise.py` have the formulas.
    """
    check_min_count(min_count)
    check_number("rate", rate, 1e-9, 0.5, "0.05 is usual")
    threads = checked_threads(threads)
    common = common_words(a, b, min_count)
    others = [noise] if isinstance(noise, Embedding | Vectors) else _listed(noise)
    yardsticks = [(model, common_words(a, model, min_count)) for model in others]
    report = reporter("compare", len(common.words) + sum(len(some.words) for _, some in yardsticks), on_progress)
    with workers(threads) as pool:
        cosine = _cosines(common, share_contexts(a, b), pool, report, 0)
        done = len(common.words)
        evidence, y = [], []
        for model, some in yardsticks:
            evidence.append(some.evidence)
            y.append(spread_out(_cosines(some, share_contexts(a, model), pool, report, done)))
            done += len(some.words)
    of = (np.concatenate(evidence), np.concatenate(y)) if yardsticks else (common.evidence, spread_out(cosine))
    return Comparison(common, cosine, noise_curve(*of), float(rate), not share_contexts(a, b), len(yardsticks))


def _listed(noise: object) -> list[Model]:
    if isinstance(noise, str) or not isinstance(noise, Iterable):
        raise InputError(f"noise={quoted(noise)} is not a model. Give the result of pairloom.train or pairloom.load.")
    return list(noise)


def _cosines(common: Common, shared: bool, pool: Workers, report: Any, done: int) -> Float64s:
    R = None if shared else rotation_between(common, pool)
    return cosines(common, R, pool, lambda n: report(done + n))
