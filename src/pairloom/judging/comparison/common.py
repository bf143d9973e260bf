"""The words that two models have in common, and whether the models share a space."""

from typing import NamedTuple

import numpy as np

from pairloom.errors import InputError
from pairloom.system.display import number_of, quoted
from pairloom.types import Counts, Float64s, Matrix, Rows
from pairloom.vectors.checking import unknown_word
from pairloom.vectors.embedding import Embedding, as_vectors
from pairloom.vectors.vectors import Vectors

FEWEST = 2


class Common(NamedTuple):
    """The common words of A and B, the most frequent first, and their rows in both."""

    a: Vectors
    b: Vectors
    words: list[str]
    rows: tuple[Rows, Rows]

    @property
    def counts(self) -> tuple[Counts, Counts]:
        """How often each word occurs in the corpora of A and B; 0 where that is not known."""
        return self.a.counts[self.rows[0]], self.b.counts[self.rows[1]]

    @property
    def evidence(self) -> Float64s:
        """h_w = 2 / (1/n_A + 1/n_B), of the counts n_A and n_B of the word: the rarer side decides.

        The variance of a vector that is learnt from n occurrences falls as 1/n, and that of a difference is the sum of
        the two. Counts that are not known are taken for those of a text in which the i-th word occurs 1/i as often as
        the first (Zipf), so that words are compared with those of a similar rank.
        """
        n_a, n_b = (_known(vectors, rows) for vectors, rows in zip((self.a, self.b), self.rows, strict=True))
        evidence: Float64s = 2 / (1 / n_a + 1 / n_b)
        return evidence

    def sides(self) -> tuple[Vectors, Vectors]:
        """The vectors of the common words, in the order of `words`."""
        return tuple(  # type: ignore[return-value]  # two of them
            Vectors(self.words, vectors.vectors[rows], vectors.counts[rows])
            for vectors, rows in zip((self.a, self.b), self.rows, strict=True)
        )

    def place_of(self, word: object) -> int:
        """The place of a word in `words`. Otherwise an error that says which model lacks it."""
        for side, name in ((self.a, "first"), (self.b, "second")):
            if word not in side:
                raise type(unknown_word(word, side.key_to_index))(
                    f"In the {name} model: {unknown_word(word, side.key_to_index)}"
                )
        try:
            return self.words.index(word)  # type: ignore[arg-type]  # a word of both
        except ValueError:
            raise InputError(
                f"{quoted(word)} is rarer than min_count in one of the models. Choose a lower min_count."
            ) from None


def common_words(a: Embedding | Vectors, b: Embedding | Vectors, min_count: int = 1) -> Common:
    """The words of both that occur at least `min_count` times in each. Counts that are not known pass."""
    one, other = as_vectors(a), as_vectors(b)
    if one.dim != other.dim:
        raise InputError(
            f"Vectors of dim {one.dim} and of dim {other.dim} cannot be compared. Train both models with the same dim."
        )
    there = other.key_to_index
    rows_a = np.array([row for row, word in enumerate(one.words) if word in there], np.intp)
    rows_b = np.array([there[word] for word in one.words if word in there], np.intp)
    n_a, n_b = one.counts[rows_a], other.counts[rows_b]
    kept = ((n_a >= min_count) | (n_a == 0)) & ((n_b >= min_count) | (n_b == 0))
    found = Common(one, other, [one.words[row] for row in rows_a[kept].tolist()], (rows_a[kept], rows_b[kept]))
    order = np.argsort(-found.evidence, kind="stable")
    rows = found.rows[0][order], found.rows[1][order]
    if len(order) < FEWEST:
        raise InputError(
            f"The models have {number_of(len(order), 'word')} in common; need at least {FEWEST}. Compare models of the "
            "same language whose texts were prepared alike, or choose a lower min_count."
        )
    return Common(one, other, [one.words[row] for row in rows[0].tolist()], rows)


def share_contexts(a: object, b: object) -> bool:
    """Whether the contexts that both have are the same vectors: then W of one and of the other are in one space.

    So it is after `train(text, start=a, freeze="contexts")`. Models without contexts do not share any.
    """
    if not isinstance(a, Embedding) or not isinstance(b, Embedding):
        return False
    here, there = a.contexts.key_to_index, b.contexts.key_to_index
    rows = np.array([(here[name], there[name]) for name in b.contexts.words if name in here], np.intp).reshape(-1, 2)
    return len(rows) >= a.dim and _equal_rows(a.contexts.vectors, b.contexts.vectors, rows)


def _equal_rows(A: Matrix, B: Matrix, rows: Rows) -> bool:
    pieces = (rows[at : at + 4096] for at in range(0, len(rows), 4096))  # most models differ in the first
    return all(np.array_equal(A[some[:, 0]], B[some[:, 1]]) for some in pieces)


def _known(vectors: Vectors, rows: Rows) -> Float64s:
    counts = vectors.counts[rows].astype(np.float64)
    return counts if counts.all() else len(vectors) / (rows + 1.0)
