"""Similarities: how well the cosines of pairs of words correlate with people's judgements of the same pairs.

A line holds two words and a number, separated by tabs, commas, semicolons or spaces. A first line whose third column is
not a number is a header. Further columns are ignored.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from pairloom.config import check_whole
from pairloom.errors import InputError
from pairloom.judging.evaluation.correlation import CONFIDENCE, DRAWS, pearson, spearman, spearman_interval
from pairloom.judging.evaluation.lines import ScoreLine, ScoresTable, covered, decimal, file_name
from pairloom.judging.evaluation.lookup import DEFAULT_POLICY, Case, Lookup, Policy, cosines, unit_rows
from pairloom.judging.evaluation.questions import QuestionFile, as_number, columns, read
from pairloom.system.extras import data_frame
from pairloom.types import Float64s, PathName
from pairloom.vectors import similarity
from pairloom.vectors.embedding import Embedding, as_vectors
from pairloom.vectors.query import unit_vector
from pairloom.vectors.vectors import Vectors

Pair = tuple[str, str, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class SimilarityScores(ScoresTable):
    """The correlations for a file of similarities; None if undefined, for example with fewer than two pairs."""

    file: str
    policy: Policy
    spearman: float | None
    interval: tuple[float, float] | None  # around Spearman's correlation: 95 % by bootstrap
    pearson: float | None
    pairs: int  # in the file
    used: int  # pairs that were scored: all of them if unknown words count as wrong
    known: int  # pairs with both words known
    seed: int

    @property
    def coverage(self) -> float:
        return self.known / self.pairs

    def lines(self) -> Iterator[ScoreLine]:
        """Both correlations; Spearman's with its interval."""
        test, known = file_name(self.file), covered(self.known, self.pairs)
        if self.policy.unknown == "spell":
            known += f", {self.used - self.known:,} spelled"
        interval = f" [{self.interval[0]:.3f}, {self.interval[1]:.3f}]" if self.interval else ""
        yield ScoreLine(test, "Spearman", decimal(self.spearman) + interval, known)
        yield ScoreLine(test, "Pearson", decimal(self.pearson), known)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        head = {"kind": "similarities", "file": self.file, **self.policy.as_dict()}
        scores = {"spearman": self.spearman, "interval": self.interval, "pearson": self.pearson}
        sizes = {name: getattr(self, name) for name in ("pairs", "used", "known", "coverage")}
        return head | scores | sizes | {"bootstrap": {"draws": DRAWS, "confidence": CONFIDENCE, "seed": self.seed}}

    def to_pandas(self) -> Any:
        """A DataFrame of one row."""
        return data_frame([{name: value for name, value in self.as_dict().items() if name != "bootstrap"}])


def similarities(
    vectors: Vectors | Embedding, path: PathName | QuestionFile, *, policy: Policy = DEFAULT_POLICY, seed: int = 1
) -> SimilarityScores:
    """Correlate the cosines of a file's pairs with its numbers.

    Pairs with an unknown word are left out; with unknown="wrong" they get a cosine of 0, as in gensim. With
    unknown="spell" unknown words get a vector from their n-grams, if the vectors have some: then `used` counts these
    pairs, too, and `known` does not.
    """
    check_whole("seed", seed, 0, 2**63 - 1, "any whole number")
    file, words = read(path), as_vectors(vectors)
    pairs = pairs_of(file)
    cosine = _cosines(words, Lookup.of(words, policy), pairs)
    judged = np.array([number for _, _, number in pairs])
    known = ~np.isnan(cosine)
    if policy.unknown == "spell":
        _spell(words, policy, pairs, cosine)
    used = np.ones_like(known) if policy.unknown == "wrong" else ~np.isnan(cosine)
    x, y = judged[used], np.nan_to_num(cosine[used], nan=0.0)
    return SimilarityScores(
        file=file.path,
        policy=policy,
        spearman=spearman(x, y),
        interval=spearman_interval(x, y, seed) if len(x) else None,
        pearson=pearson(x, y),
        pairs=len(pairs),
        used=len(x),
        known=int(known.sum()),
        seed=seed,
    )


def pairs_of(file: QuestionFile) -> list[Pair]:
    """The pairs of words of a file with their numbers."""
    lines = columns(file)
    has_header = len(lines[0][1]) >= 3 and as_number(lines[0][1][2]) is None
    pairs = [_pair(file, number, parts) for number, parts in lines[has_header:]]
    if not pairs:
        raise InputError(f"{file.path} has no pairs of words. Lines must read like: tiger<TAB>cat<TAB>7.35")
    return pairs


def _pair(file: QuestionFile, number: int, parts: list[str]) -> Pair:
    judged = as_number(parts[2]) if len(parts) >= 3 else None
    if judged is None:
        raise InputError(
            f"{file.where(number)}: {' '.join(parts)[:60]!r} is not two words and a number. "
            "Each line must read like: tiger<TAB>cat<TAB>7.35"
        )
    return parts[0], parts[1], judged


def _cosines(vectors: Vectors, lookup: Lookup, pairs: list[Pair]) -> Float64s:
    """The cosine of each pair, NaN if a word is unknown."""
    rows = [lookup.rows(pair[:2]) for pair in pairs]
    known = np.array([pair is not None for pair in rows])
    a, b = np.array([pair for pair in rows if pair is not None], np.intp).reshape(-1, 2).T
    cosine = np.full(len(pairs), np.nan)
    # Twelve digits: cosines that differ only by rounding, for example of two words with themselves, share a rank.
    cosine[known] = cosines(vectors, a, b).round(12)
    return cosine


def _spell(vectors: Vectors, policy: Policy, pairs: list[Pair], cosine: Float64s) -> None:
    """Fill in the cosines of pairs with unknown words whose vectors can be made: in lower case, unless case counts."""
    lookup = Lookup.of(vectors, policy)
    for i in np.flatnonzero(np.isnan(cosine)).tolist():
        units = [_unit(vectors, lookup, word, policy.case) for word in pairs[i][:2]]
        if units[0] is not None and units[1] is not None:
            cosine[i] = round(similarity.cosine(units[0], units[1]), 12)


def _unit(vectors: Vectors, lookup: Lookup, word: str, case: Case) -> Float64s | None:
    rows = lookup.rows([word])
    if rows is not None:
        (unit,) = unit_rows(vectors, np.array(rows))
        return cast(Float64s, unit)
    spelled = word.lower() if case == "fold" else word
    return unit_vector(vectors, spelled) if vectors.has_vector(spelled) else None
