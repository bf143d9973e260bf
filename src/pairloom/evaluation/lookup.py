"""Which words of the vectors take part in an evaluation, and what becomes of questions about others."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pairloom.config import check_whole
from pairloom.errors import ConfigError
from pairloom.types import Float64s, Rows
from pairloom.vectors.vectors import Vectors

Case = Literal["fold", "keep"]
Unknown = Literal["skip", "wrong"]

RESTRICT_VOCAB = 300_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """Choices that change a score. The defaults are gensim's, so that scores can be compared."""

    restrict_vocab: int = RESTRICT_VOCAB  # only so many words, from the first row on, take part; 0 lets all
    case: Case = "fold"  # fold: words that are the same in capitals are the same, and the first row speaks for them
    unknown: Unknown = "skip"  # questions with an unknown word are left out, or count as wrong

    def __post_init__(self) -> None:
        check_whole("restrict_vocab", self.restrict_vocab, 0, 2**62, "0 lets all words take part")
        _check_choice("case", self.case, ("fold", "keep"))
        _check_choice("unknown", self.unknown, ("skip", "wrong"))

    def as_dict(self) -> dict[str, Any]:
        return {"restrict_vocab": self.restrict_vocab, "case": self.case, "unknown": self.unknown}


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ConfigError(f"{name}={value!r} is not known. Use {' or '.join(choices)}.")


USUAL = Policy()


class Lookup:
    """The rows of words, as a fold of their letters and a limit have it."""

    def __init__(self, vectors: Vectors, fold: Callable[[str], str], limit: int) -> None:
        self.fold = fold
        self.keys = [fold(word) for word in vectors.words[: limit or None]]
        last_to_first = range(len(self.keys) - 1, -1, -1)
        self._row = dict(zip(reversed(self.keys), last_to_first, strict=True))  # the first row of a key stays

    @classmethod
    def of(cls, vectors: Vectors, policy: Policy) -> "Lookup":
        return cls(vectors, str.upper if policy.case == "fold" else str, policy.restrict_vocab)

    def rows(self, words: Iterable[str]) -> list[int] | None:
        """The row of each word; None if one of them is unknown."""
        rows = [self._row.get(self.fold(word), -1) for word in words]
        return None if -1 in rows else rows

    def alike(self, rows: Iterable[int]) -> dict[int, list[int]]:
        """For each of these rows all rows of the same key, itself among them."""
        by_key: dict[str, list[int]] = {self.keys[row]: [] for row in rows}
        for row, key in enumerate(self.keys):
            if key in by_key:
                by_key[key].append(row)
        return {row: by_key[self.keys[row]] for row in rows}


def unit_rows(vectors: Vectors, rows: Rows | slice) -> Float64s:
    """Rows made as long as 1, in float64; a row of zeros stays zero, and so has cosine 0 to everything."""
    lengths = vectors.norms[rows][:, None]
    unit: Float64s = vectors.vectors[rows].astype(np.float64)
    return np.divide(unit, lengths, out=unit, where=lengths > 0)


def cosines(vectors: Vectors, a: Rows, b: Rows) -> Float64s:
    """cos of row a[i] and row b[i], each summed in the same order, so that equal vectors have equal cosines."""
    products: Float64s = (unit_rows(vectors, a) * unit_rows(vectors, b)).sum(axis=1)
    return np.clip(products, -1.0, 1.0)
