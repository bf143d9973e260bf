"""What a query is: words and vectors with weights, combined into one direction and the rows to leave out.

    most_similar(["king", "woman"], ["man"])
    direction  the unit vector along  king/|king| + woman/|woman| - man/|man|
    excluded   the rows of king, woman and man

`search.py` then finds the rows nearest to the direction.
"""

import math
from collections.abc import Iterable, Sequence, Sized
from itertools import compress
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pairloom.config import is_number
from pairloom.errors import InputError
from pairloom.system.display import number_of, quoted
from pairloom.types import Float64s

Item = str | npt.NDArray[np.floating]
Items = Item | Sequence[Item]
Query = Item | tuple[Item, float] | Sequence[Item | tuple[Item, float]]


class WordVectors(Protocol):
    """What a query needs to know about `Vectors`."""

    @property
    def dim(self) -> int:
        """d, the length of a vector."""

    def row_of(self, word: str) -> int | None:
        """The row of a word, or None."""

    def norm_of(self, row: int) -> float:
        """Euclidean length of a row."""

    def has_vector(self, word: object) -> bool:
        """Whether `vector` has an answer."""

    def vector(self, word: str) -> npt.NDArray[np.float32]:
        """The vector of a word, or an UnknownWordError."""


class SearchTarget(NamedTuple):
    """Where a query points, and which rows are not an answer to it."""

    direction: Float64s  # (dim,), a unit vector
    excluded: list[int]


def search_target(
    vectors: WordVectors,
    positive: Query | None,
    negative: Query | None,
    weights: Sequence[float] | None,
    ignore_missing: bool = False,
) -> SearchTarget:
    """Combine the items of a query, each with its weight: one for each of positive, then of negative.

    ignore_missing: leave out unknown words. It is an error if no item is left.
    """
    plus, minus = query_items(positive, negative)
    items, signed_weights = _with_signed_weights(plus, minus, weights)
    if ignore_missing:
        known = [not _is_unknown(vectors, item) for item in items]
        items, signed_weights = list(compress(items, known)), list(compress(signed_weights, known))
        if not items:
            raise InputError("None of these words has a vector. Give a word that is known.")
    return SearchTarget(_direction(vectors, items, signed_weights), rows_of(vectors, items))


def query_items(positive: object, negative: object) -> tuple[list[object], list[object]]:
    """Both sides of a query as lists. They must not both be empty."""
    plus, minus = as_items(positive), as_items(negative)
    if not plus and not minus:
        raise InputError("The query is empty. Give a word, a vector or a list of those.")
    return plus, minus


def as_items(query: object) -> list[object]:
    """A query as a list of words, arrays and (word or array, weight). `item_vector` refuses anything else."""
    if query is None:
        return []
    if isinstance(query, str) or not isinstance(query, Iterable) or _is_weighted(query):
        return [query]
    if hasattr(query, "__array__") and not hasattr(query, "most_similar"):  # `Vectors` stand for their words
        array = np.asarray(query)
        return [array] if array.ndim == 0 or (array.ndim == 1 and array.dtype.kind in "fiu") else list(array)
    return [np.asarray(item) if hasattr(item, "__array__") and not isinstance(item, str) else item for item in query]


def known_words(vectors: WordVectors, words: Iterable[str]) -> list[str]:
    """The words that have a vector, for callers that are asked to ignore the others. At least one must."""
    known = [word for word in words if vectors.has_vector(word)]
    if not known:
        raise InputError("None of these words has a vector. Give a word that is known.")
    return known


def rows_of(vectors: WordVectors, items: Iterable[object]) -> list[int]:
    """The rows of the words among the items, without words that have no row."""
    rows = {vectors.row_of(item) for item in items if isinstance(item, str)}
    return sorted(row for row in rows if row is not None)


def unit_vector(vectors: WordVectors, word: str) -> Float64s:
    """The vector of a word at length 1. The length is looked up where the word has a row."""
    vector = vectors.vector(word)
    row = vectors.row_of(word)
    if row is None:
        return unit(vector)
    wide, length = vector.astype(np.float64), vectors.norm_of(row)
    return wide / length if length else wide


def item_vector(vectors: WordVectors, item: object, normalize: bool) -> Float64s:
    """The vector of one item, a word or an array, at length 1 if `normalize`."""
    if isinstance(item, str):
        return unit_vector(vectors, item) if normalize else vectors.vector(item).astype(np.float64)
    if not isinstance(item, np.ndarray) or item.dtype.kind not in "fiu":
        raise InputError(
            f"A query is made of words and of arrays of {number_of(vectors.dim, 'number')}, not of {quoted(item)}."
        )
    if item.shape != (vectors.dim,):
        raise InputError(f"A query vector of shape {item.shape} does not fit: these vectors have dim {vectors.dim}.")
    return unit(item) if normalize else item.astype(np.float64)


def item_direction(vectors: WordVectors, item: object) -> Float64s:
    """The direction of one item as a unit vector; zero for a vector of zeros."""
    return unit(_as_gensim_adds_it(vectors, item))


def factor_directions(vectors: WordVectors, items: Iterable[object]) -> list[Float64s]:
    """The direction of each item, for a product of cosines. An array of zeros has none."""
    directions = []
    for item in items:
        direction = item_direction(vectors, item)
        if not isinstance(item, str) and not direction.any():
            raise InputError("A query vector is zero, which points nowhere. Give another.")
        directions.append(direction)
    return directions


def mean_vector(
    vectors: WordVectors, keys: Items, weights: Sequence[float] | None, *, normalize: bool, ignore_missing: bool
) -> Float64s:
    """sum_i weight_i v_i / sum_i |weight_i|, with the v_i of words at length 1 if `normalize`."""
    items = as_items(keys)
    all_weights = _checked_weights(weights, len(items))
    known = [i for i, item in enumerate(items) if not (ignore_missing and _is_unknown(vectors, item))]
    if not known:
        raise InputError("None of these words has a vector, so they have no mean. Give words that are known.")
    total_weight = math.fsum(abs(all_weights[i]) for i in known)
    if total_weight == 0:
        raise InputError("The weights are all 0, so there is no mean. Give some weight to a word.")
    terms = [all_weights[i] * item_vector(vectors, items[i], normalize and isinstance(items[i], str)) for i in known]
    mean: Float64s = np.sum(terms, axis=0) / total_weight
    norm(mean)  # refuses arrays with NaN or infinity
    return mean


def unit(vector: npt.NDArray[Any]) -> Float64s:
    """The vector at length 1; zero stays zero."""
    wide = vector.astype(np.float64)
    length = norm(wide)
    return wide / length if length else wide


def norm(vector: Float64s) -> float:
    """Euclidean length, summed by NumPy: the order in which BLAS sums depends on the machine."""
    with np.errstate(over="ignore", invalid="ignore"):
        length = math.sqrt((vector * vector).sum())
    if not math.isfinite(length):
        raise InputError("The query vector holds NaN, infinity or numbers too large. Give finite numbers.")
    return length


def _direction(vectors: WordVectors, items: list[object], weights: list[float]) -> Float64s:
    """The unit vector along the weighted sum, which is also the direction of the weighted mean."""
    terms = [weight * _as_gensim_adds_it(vectors, item) for item, weight in zip(items, weights, strict=True)]
    total: Float64s = np.sum(terms, axis=0)
    length = norm(total)
    if length <= 1e-12 * sum(map(norm, terms)):  # zero, but for rounding
        raise InputError("The query adds up to the zero vector, which points nowhere. Ask for something else.")
    return total / length


def _as_gensim_adds_it(vectors: WordVectors, item: object) -> Float64s:
    """Words at length 1, arrays as they are."""
    return item_vector(vectors, item, normalize=isinstance(item, str))


def _is_weighted(item: object) -> bool:
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], int | float | np.number)


def _with_signed_weights(
    plus: list[object], minus: list[object], weights: Sequence[float] | None
) -> tuple[list[object], list[float]]:
    """All items, and the weight of each: negative for those of `minus`."""
    both = plus + minus
    items = [item[0] if _is_weighted(item) else item for item in both]  # type: ignore[index]
    own_weights = [float(item[1]) if _is_weighted(item) else 1.0 for item in both]  # type: ignore[index]
    signs = [1.0] * len(plus) + [-1.0] * len(minus)
    more_weights = _checked_weights(weights, len(both))
    return items, [a * b * c for a, b, c in zip(own_weights, signs, more_weights, strict=True)]


def _checked_weights(weights: Sequence[float] | None, n: int) -> list[float]:
    """n weights, all 1 if None is given."""
    if weights is None:
        return [1.0] * n
    if not isinstance(weights, Sized) or len(weights) != n:
        given = number_of(len(weights), "weight") if isinstance(weights, Sized) else "no weights"
        raise InputError(f"The query has {number_of(n, 'part')} and {given}. Give one weight for each word or vector.")
    for weight in weights:
        if not is_number(weight):
            raise InputError(f"The weight {quoted(weight)} is not a number. Give finite numbers.")
    return [float(weight) for weight in weights]


def _is_unknown(vectors: WordVectors, item: object) -> bool:
    return isinstance(item, str) and not vectors.has_vector(item)
