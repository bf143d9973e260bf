"""Which words of the vectors take part in an evaluation, and how questions about other words count."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pairloom.config import check_choice, check_whole
from pairloom.types import Float64s, Rows
from pairloom.vectors.vectors import Vectors

Case = Literal["fold", "keep"]
Unknown = Literal["skip", "wrong", "spell"]

RESTRICT_VOCAB = 300_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """Choices that change a score. The defaults are gensim's, so that scores can be compared with it."""

    restrict_vocab: int = RESTRICT_VOCAB  # only the first `restrict_vocab` words take part; 0 means all
    case: Case = "fold"  # fold: words that are equal in capitals are one word, and its first row is used
    unknown: Unknown = (
        "skip"  # questions with an unknown word are left out, count as wrong, or (similarities) are asked
    )

    def __post_init__(self) -> None:
        check_whole("restrict_vocab", self.restrict_vocab, 0, 2**62, "0 uses all words")
        check_choice("case", self.case, Case)
        check_choice("unknown", self.unknown, Unknown)

    def as_dict(self) -> dict[str, Any]:
        return {"restrict_vocab": self.restrict_vocab, "case": self.case, "unknown": self.unknown}


DEFAULT_POLICY = Policy()


class Lookup:
    """Finds the row of a word among the first `limit` words, after `fold` is applied to both (0 means no limit)."""

    def __init__(self, vectors: Vectors, fold: Callable[[str], str], limit: int) -> None:
        self.fold = fold
        self.keys = [fold(word) for word in vectors.words[: limit or None]]
        last_to_first = range(len(self.keys) - 1, -1, -1)
        self._row = dict(zip(reversed(self.keys), last_to_first, strict=True))  # the first row of each key wins

    @classmethod
    def of(cls, vectors: Vectors, policy: Policy) -> "Lookup":
        return cls(vectors, str.upper if policy.case == "fold" else str, policy.restrict_vocab)

    def rows(self, words: Iterable[str]) -> list[int] | None:
        """The row of each word, or None if one of them is unknown."""
        rows = [self._row.get(self.fold(word), -1) for word in words]
        return None if -1 in rows else rows

    def rows_of_equal_words(self, rows: Iterable[int]) -> dict[int, list[int]]:
        """For each of these rows, all rows whose word folds to the same key, including itself."""
        by_key: dict[str, list[int]] = {self.keys[row]: [] for row in rows}
        for row, key in enumerate(self.keys):
            if key in by_key:
                by_key[key].append(row)
        return {row: by_key[self.keys[row]] for row in rows}


def unit_rows(vectors: Vectors, rows: Rows | slice) -> Float64s:
    """Rows scaled to length 1, in float64. A row of zeros stays zero, so its cosine with everything is 0."""
    lengths = vectors.norms[rows][:, None]
    unit: Float64s = vectors.vectors[rows].astype(np.float64)
    return np.divide(unit, lengths, out=unit, where=lengths > 0)


def cosines(vectors: Vectors, a: Rows, b: Rows) -> Float64s:
    """The cosine of row a[i] and row b[i]. All sums run in the same order, so equal vectors have equal cosines."""
    products: Float64s = (unit_rows(vectors, a) * unit_rows(vectors, b)).sum(axis=1)
    return np.clip(products, -1.0, 1.0)
