"""Vectors for documents, computed from the vectors of their words.

A document d is a bag of words: w occurs tf(w, d) times in it, and words without a vector are left out. With sums over
the words of d, and |d| = Σ tf(w, d), its vector is

    mean    v_d = Σ tf(w, d) v_w / |d|
    tfidf   v_d = Σ tf(w, d) idf(w) v_w / Σ tf(w, d) idf(w)         idf(w) = ln((1 + n) / (1 + n_w)) + 1
    sif     v_d = x_d - u (u·x_d),   x_d = Σ tf(w, d) a / (a + p(w)) v_w / |d|

and zero if no word of d has a vector. A word without a row has a vector where the vectors have n-grams: see
`subwords.py`. Such words were not in the text that the vectors were trained on, so p(w) = 0 and n_w = 0 for them.

tfidf learns from n documents; n_w is the number of them that have w. This is scikit-learn's smooth idf.
sif is smooth inverse frequency (Arora, Liang & Ma 2017, algorithm 1). p(w) is the share of w in the text that the
vectors were trained on, or, if `Vectors.counts` are not known, in the documents learnt from. u is the first principal
component of the x_d learnt from. By that the paper means their first singular vector: nothing is centred. u is zero if
there was no word to learn from.

All sums are in float64, document by document and in the order of the rows, without BLAS. So the bits depend neither on
the other documents, nor on the order of words in a document, nor on the number of threads.

>>> v = Vectors(["cat", "dog", "car"], [[2, 0], [0, 4], [8, 8]])
>>> document_vectors(v, [["cat", "dog", "unicorn"], ["dog", "cat", "dog", "cat"], []]).tolist()
[[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]]
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from pairloom.config import check_number
from pairloom.errors import ConfigError, CorpusTypeError
from pairloom.method import elementary
from pairloom.system.display import of_type, quoted
from pairloom.types import Float64s, Matrix
from pairloom.vectors.embedding import Embedding, as_vectors
from pairloom.vectors.record import split_as_recorded
from pairloom.vectors.vectors import Vectors

Weighting = Literal["mean", "tfidf", "sif"]
Documents = Iterable[Sequence[str] | str]
Splitter = Callable[[str], list[str]]


class Bag(NamedTuple):
    """A document: the words with a row, and others that a vector can be made for, sorted."""

    rows: npt.NDArray[np.intp]  # rising
    tf: npt.NDArray[np.int64]
    made: list[tuple[str, int]]


SIF_A = 1e-3  # a of sif, as in the paper, which finds 1e-4 to 1e-3 best
_AT_ONCE = 64  # documents whose products are summed at once: one by one takes five times as long
_MAX_STEPS = 1000  # of the power iteration; if it needs more, the first two components are equally good
_GOLDEN = 0.6180339887498949


def document_vectors(
    vectors: Vectors | Embedding, documents: Documents, weighting: Weighting = "mean", *, sif_a: float = SIF_A
) -> Matrix:
    """A row for each document, float32 (n_documents, dim), by the formulas at the head of this file.

    A document is a list of words or, for an Embedding, a string, which is split as the text of training was.

    tfidf and sif learn from these documents, so they read them more than once. To learn from some documents and
    transform others, use `DocumentModel`, or `DocumentVectorizer` of `pairloom.sklearn`.
    """
    return DocumentModel.learn(vectors, documents, weighting, sif_a=sif_a).transform(documents)


@dataclass(frozen=True, eq=False, kw_only=True)
class DocumentModel:
    """Turns documents into vectors: by the vectors and weights of words, and for sif the direction to remove."""

    vectors: Vectors
    weighting: Weighting
    weights: Float64s  # (n_words,): 1, idf(w) or a / (a + p(w))
    split: Splitter | None = None  # for documents that are strings; None refuses them
    weight_of_made: float = 1.0  # of words without a row: the same, with n_w = 0 and p(w) = 0
    component: Float64s | None = None  # (dim,): u, with the sign that makes its largest number positive

    @classmethod
    def learn(
        cls, vectors: Vectors | Embedding, documents: Documents, weighting: Weighting = "mean", *, sif_a: float = SIF_A
    ) -> "DocumentModel":
        """Learn what the weighting needs from documents: nothing for mean, idf for tfidf, p and u for sif."""
        check_weighting(weighting, sif_a)
        check_collection(documents)
        split = partial(split_as_recorded, vectors.record) if isinstance(vectors, Embedding) else None
        vectors = as_vectors(vectors)
        model = cls(vectors=vectors, weighting=weighting, weights=np.ones(len(vectors)), split=split)
        if weighting == "mean":
            return model
        _check_restartable(documents, weighting)
        if weighting == "tfidf":
            idf, of_made = _idf(vectors, model._bags(documents))
            return replace(model, weights=idf, weight_of_made=of_made)
        model = replace(model, weights=sif_a / (sif_a + _shares(vectors, model._bags(documents))))
        return replace(model, component=_first_component(model._averages(documents), vectors.dim))

    def transform(self, documents: Documents) -> Matrix:
        """A row for each document. Documents are read once, one at a time."""
        check_collection(documents)
        rows = map(self._without_component, self._averages(documents))
        return np.fromiter(rows, np.dtype((np.float32, (self.vectors.dim,))))

    def _averages(self, documents: Documents) -> Iterator[Float64s]:
        return map(self._average, self._bags(documents))

    def _bags(self, documents: Documents) -> Iterator[Bag]:
        row_of = self.vectors.key_to_index
        for number, document in enumerate(documents):
            words = self.split(document) if self.split and isinstance(document, str) else document
            found = Counter(checked_words(words, f"documents[{number}]"))
            known = sorted((row_of[word], tf) for word, tf in found.items() if word in row_of)
            made = sorted((w, tf) for w, tf in found.items() if w not in row_of and self.vectors.has_vector(w))
            rows, tfs = np.array(known, np.int64).reshape(-1, 2).T
            yield Bag(rows.astype(np.intp), np.ascontiguousarray(tfs), made)

    def _average(self, bag: Bag) -> Float64s:
        """Weighted mean of the vectors. For sif the divisor is |d|, not the sum of the weights."""
        if not len(bag.rows) and not bag.made:
            return np.zeros(self.vectors.dim)
        weights = bag.tf * self.weights[bag.rows]
        total: Float64s = np.einsum("w,wi->i", weights, self.vectors.vectors[bag.rows])
        for word, tf in bag.made:
            total += tf * self.weight_of_made * self.vectors.vector(word).astype(np.float64)
        n_made = sum(tf for _, tf in bag.made)
        divisor = bag.tf.sum() + n_made if self.weighting == "sif" else weights.sum() + n_made * self.weight_of_made
        average: Float64s = total / divisor
        return average

    def _without_component(self, x: Float64s) -> Float64s:
        return x if self.component is None else x - self.component * (self.component * x).sum()


def check_weighting(weighting: object, sif_a: object) -> None:
    """Refuse an unknown weighting, or an `sif_a` out of range."""
    if weighting not in get_args(Weighting):
        raise ConfigError(f"weighting={weighting!r} does not exist. Use one of {', '.join(get_args(Weighting))}.")
    check_number("sif_a", sif_a, 1e-12, 1e12, "1e-3 is usual")


def check_collection(documents: Any) -> None:
    """Refuse what iterates, but not over documents: a string, a table, a mapping."""
    kind = type(documents).__name__
    if isinstance(documents, str | bytes):
        raise CorpusTypeError(f"The documents are one {kind}, {quoted(documents)}. Give a list of documents.")
    if isinstance(documents, Mapping | AbstractSet) or not isinstance(documents, Iterable):
        raise CorpusTypeError(f"Documents cannot be of type {kind}. Give a list of documents.")
    shape = getattr(documents, "shape", (0,))
    if len(shape) != 1:
        raise CorpusTypeError(
            f"The documents are {of_type(documents)} of shape {tuple(shape)}. Give one column of it, for example "
            f"table['text']."
        )


def checked_words(document: Any, where: str) -> list[str]:
    """The words of one document. Raises a CorpusTypeError unless all are strings."""
    if isinstance(document, str):
        raise CorpusTypeError(
            f"A document must be a list of words, but {where} is the string {quoted(document)}. Use .split() on it."
        )
    try:
        words = list(document)
        "".join(words)  # the fastest test that all are strings
    except TypeError:
        raise _not_words(document, where) from None
    return words


def _not_words(document: Any, where: str) -> CorpusTypeError:
    if not isinstance(document, Iterable):
        return CorpusTypeError(
            f"A document must be a list of words, but {where} is {quoted(document)}, "
            f"of type {type(document).__name__}. Leave it out, or give an empty list."
        )
    other = next(word for word in document if not isinstance(word, str))
    return CorpusTypeError(
        f"Words are strings, but {where} has {quoted(other)}, of type {type(other).__name__}. Use str() on it."
    )


def _check_restartable(documents: Documents, weighting: str) -> None:
    if iter(documents) is iter(documents):
        raise CorpusTypeError(
            f"{of_type(documents, 'A')} can be read only once, and {weighting} reads the documents several times. "
            "Give a list, or an object whose __iter__ starts from the beginning each time."
        )


def _idf(vectors: Vectors, bags: Iterable[Bag]) -> tuple[Float64s, float]:
    """idf of the words, and of one that is in no document."""
    n, n_w = 0, np.zeros(len(vectors) + 1)
    for bag in bags:
        n += 1
        n_w[bag.rows] += 1
    idf = elementary.log((1 + n) / (1 + n_w)) + 1
    return idf[:-1], float(idf[-1])


def _shares(vectors: Vectors, bags: Iterable[Bag]) -> Float64s:
    """p(w), the share of each word in the text."""
    counts = vectors.counts
    if not counts.any():
        counts = np.zeros(len(vectors), np.int64)
        for bag in bags:
            counts[bag.rows] += bag.tf
    return counts / max(1, int(counts.sum()))


def _first_component(averages: Iterable[Float64s], dim: int) -> Float64s:
    """The unit vector u that makes Σ_d (u·x_d)² largest: the first eigenvector of Σ_d x_d x_dᵀ."""
    products, rest = np.zeros((dim, dim)), iter(averages)
    while block := list(islice(rest, _AT_ONCE)):
        x = np.array(block)
        products += np.einsum("di,dj->ij", x, x)
    return _first_eigenvector(products)


def _first_eigenvector(matrix: Float64s) -> Float64s:
    """The first eigenvector of a symmetric matrix without negative eigenvalues, by power iteration: u <- M u / |M u|.

    LAPACK would be faster if the first two eigenvalues are close, but its last bits depend on the number of threads.
    """
    u = (
        np.arange(1, len(matrix) + 1, dtype=np.float64) * _GOLDEN % 1 - 0.5
    )  # unlikely to be orthogonal to the eigenvector
    for _ in range(_MAX_STEPS):
        before, u = u, (matrix * u).sum(axis=1)
        length = math.sqrt((u * u).sum())
        if length == 0:
            break
        u /= length
        if np.abs(u - before).max() <= 1e-13:
            break
    return u * (1.0 if u[np.abs(u).argmax()] >= 0 else -1.0)
