"""Exact search: the rows of a matrix that are nearest to a direction. `Vectors.most_similar` finds its answer here.

Every row is first compared in float32, in sums that depend on the machine (`rough.py`). The rows that may win are
compared again in float64, always summed in the same order. So the answer is the same on every machine, and equal rows
have equal cosines. Many directions are searched at once, in bounded memory.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pairloom.config import is_whole
from pairloom.drawing.notebook import card
from pairloom.errors import ConfigError
from pairloom.system.display import quoted
from pairloom.system.extras import data_frame
from pairloom.types import Float64s, Matrix, Rows
from pairloom.vectors.query import SearchTarget, norm
from pairloom.vectors.rough import ROWS_AT_ONCE, LikelyRows, SearchMatrix


class Neighbours(list[tuple[str, float]]):
    """Words and their scores, the highest first: a list, which notebooks show as a table and pandas can have as one."""

    __slots__ = ()

    def to_pandas(self) -> Any:
        """A DataFrame with the columns `word` and `score`."""
        return data_frame(self, columns=["word", "score"])

    def _repr_html_(self) -> str:
        return card("", [[word, f"{score:.4f}"] for word, score in self[:MOST_SHOWN]])


MOST_SHOWN = 100  # in a notebook

COSMUL_EPSILON = 1e-6  # gensim's, with which we compare; Levy and Goldberg have 0.001
_DIRECTIONS_AT_ONCE = 256  # with ROWS_AT_ONCE, 16 MB of rough cosines
_EXACT_ROWS_AT_ONCE = 4096  # rows turned into float64 together: 3 MB at dim 100


class Indexer(Protocol):
    """Finds rows faster than by looking at all of them, for example `pairloom.vectors.index.Index`."""

    def candidates(self, direction: Float64s, k: int) -> Rows:
        """About k rows that are likely the nearest to a direction, in any order."""


class ScoredRows(NamedTuple):
    """Rows and their scores, the highest first, the earlier row first where scores are equal."""

    rows: Rows
    scores: Float64s

    def named(self, word_of: Callable[[int], str]) -> Neighbours:
        """The same with a word for each row."""
        return Neighbours(zip(map(word_of, self.rows.tolist()), self.scores.tolist(), strict=True))


def nearest(
    matrix: SearchMatrix, directions: Float64s, k: int, excluded: Sequence[Sequence[int]], n_rows: int | None = None
) -> Iterator[ScoredRows]:
    """The k rows with the largest cosine to each direction, a unit vector, without the rows excluded[i].

    Only the first n_rows are searched, if that is given.
    """
    n = len(matrix.stored.numbers) if n_rows is None else n_rows
    at_once = _DIRECTIONS_AT_ONCE if k <= ROWS_AT_ONCE else 1  # of which each has k candidates or more
    for start in range(0, len(directions), at_once):
        some = slice(start, start + at_once)
        yield from _nearest(matrix, directions[some], k, excluded[some], n)


def nearest_candidates(matrix: SearchMatrix, target: SearchTarget, k: int, indexer: Indexer) -> ScoredRows:
    """The k nearest of the rows that an index proposes, by their exact cosines."""
    return ranked(matrix, target, k, indexer.candidates(target.direction, k + len(target.excluded)))


def ranked(matrix: SearchMatrix, target: SearchTarget, k: int, rows: Iterable[int]) -> ScoredRows:
    """The k nearest of these rows, without those that the target excludes."""
    others = np.setdiff1d(np.fromiter(rows, np.intp), target.excluded)
    return best(others, matrix.exact(others, target.direction), k)


def best_by_product(
    vectors: Matrix,
    norms: Float64s,
    positive: Iterable[Float64s],
    negative: Iterable[Float64s],
    k: int,
    excluded: Sequence[int],
) -> ScoredRows:
    """The k rows of the highest score of 3CosMul (see `Vectors.most_similar_cosmul`), with unit vectors p and n."""
    positive, negative = list(positive), list(negative)
    excluded = [row for row in excluded if row < len(vectors)]
    if 0 < k < len(vectors) - len(excluded):
        rows = _likely_by_product(vectors, norms, positive, negative, k, excluded)
    else:
        rows = np.setdiff1d(np.arange(len(vectors)), excluded)
    over = _shifted_cosines(vectors, norms, rows, positive)
    return best(rows, over / (_shifted_cosines(vectors, norms, rows, negative) + COSMUL_EPSILON), k)


def _likely_by_product(
    vectors: Matrix,
    norms: Float64s,
    positive: list[Float64s],
    negative: list[Float64s],
    k: int,
    excluded: Sequence[int],
) -> Rows:
    """The rows that may be among the k best of 3CosMul, by rough cosines and the bound of their error."""
    low, high = _product_bounds(vectors, norms, positive)
    under, over = _product_bounds(vectors, norms, negative)
    low, high = low / (over + COSMUL_EPSILON), high / (under + COSMUL_EPSILON)
    low[excluded] = high[excluded] = -1.0
    return np.flatnonzero(high >= np.partition(low, -k)[-k])


def _product_bounds(vectors: Matrix, norms: Float64s, directions: list[Float64s]) -> tuple[Float64s, Float64s]:
    """Between which values `_shifted_cosines` are, for all rows."""
    low, high = np.ones((2, len(vectors)))
    for direction in directions:
        rough = _rough_cosines(vectors, norms, direction[None])[0].astype(np.float64)
        low *= np.clip((1 - _margin(vectors.shape[1]) + rough) / 2, 0, 1)
        high *= np.clip((1 + _margin(vectors.shape[1]) + rough) / 2, 0, 1)
    return low, high


def largest_products(vectors: Matrix, norms: Float64s, vector: Float64s, k: int) -> ScoredRows:
    """The k rows x with the largest inner product x·vector, in float64 and with a fixed order of sums.

    The float32 product by BLAS is off by at most (dim + a few) * 2^-24 |x| |vector|. So a row can be among the k
    largest only if its product plus that bound reaches the k-th largest product minus its bound.
    """
    k = min(k, len(vectors))
    if not k:
        return ScoredRows(np.empty(0, np.intp), np.empty(0))
    slack = norms * (norm(vector) * (vectors.shape[1] + 8) * 2.0**-24)
    with np.errstate(all="ignore"):
        rough = (vectors @ vector.astype(np.float32)).astype(np.float64)
    slack[~np.isfinite(rough)], rough[~np.isfinite(rough)] = np.inf, 0.0  # overflow says nothing about the product
    bound = np.partition(rough - slack, -k)[-k]
    rows = np.flatnonzero(rough + slack >= bound)
    return best(rows, products(vectors, rows, vector), k)


def products(vectors: Matrix, rows: Rows, vector: Float64s) -> Float64s:
    """Inner products of some rows with a vector, in float64."""
    sums = np.empty(len(rows))
    for start in range(0, len(rows), _EXACT_ROWS_AT_ONCE):
        some = slice(start, start + _EXACT_ROWS_AT_ONCE)
        # Each row is summed by itself, in the same order. BLAS may sum equal rows in different orders.
        sums[some] = (vectors[rows[some]].astype(np.float64) * vector).sum(axis=1)
    return sums


def best(rows: Rows, scores: Float64s, k: int) -> ScoredRows:
    """The k rows of the highest scores, the earlier row first where they are equal."""
    order = np.lexsort((rows, -scores))[:k]
    return ScoredRows(rows[order], scores[order])


def cosines(vectors: Matrix, norms: Float64s, rows: Rows, direction: Float64s) -> Float64s:
    """Cosines of some rows with a unit vector, in float64; 0 for a row of zeros."""
    dots = products(vectors, rows, direction)
    return np.clip(np.divide(dots, norms[rows], out=np.zeros(len(rows)), where=norms[rows] > 0), -1.0, 1.0)


def all_cosines(vectors: Matrix, norms: Float64s, direction: Float64s) -> Float64s:
    """`cosines` of all rows."""
    return cosines(vectors, norms, np.arange(len(vectors)), direction)


def check_topn(topn: object) -> None:
    """Refuse a `topn` that is not a number of words."""
    if topn is None:
        raise ConfigError("topn=None is not a number of words. For the cosines to all words use 1 - distances(...).")
    if not isinstance(topn, int | np.integer) or not is_whole(topn) or topn < 0:
        raise ConfigError(f"topn={topn} is not a number of words. Use 0 or more.")


def rows_to_search(restrict_vocab: int | None, n_words: int) -> int:
    """How many rows to search, from the first on."""
    if restrict_vocab is None:
        return n_words
    if not is_whole(restrict_vocab) or restrict_vocab < 1:
        raise ConfigError(f"restrict_vocab={restrict_vocab} is not a number of words. Use 1 or more, or leave it out.")
    return min(restrict_vocab, n_words)


def check_candidates(candidates: object, restrict_vocab: int | None, indexer: object) -> None:
    """Refuse candidates that are not a list of words, or beside another choice of rows."""
    if isinstance(candidates, str) or not isinstance(candidates, Iterable):
        raise ConfigError(f"candidates={quoted(candidates)} is not a list of words. Use a list of strings.")
    if restrict_vocab is not None or indexer is not None:
        raise ConfigError("candidates are searched alone. Leave out restrict_vocab and indexer.")


def check_indexer(indexer: object, restrict_vocab: int | None) -> None:
    """Refuse an indexer that is not one, or that would have to search some rows only."""
    if not hasattr(indexer, "candidates"):
        raise ConfigError(
            f"indexer={quoted(indexer)} is not an index. Use pairloom.vectors.index.Index, or leave it out."
        )
    if restrict_vocab is not None:
        raise ConfigError("restrict_vocab and an index do not go together. Leave out one of them.")


def _nearest(
    matrix: SearchMatrix, directions: Float64s, k: int, excluded: Sequence[Sequence[int]], n_rows: int
) -> Iterator[ScoredRows]:
    selection = LikelyRows(len(directions), max(1, min(k, n_rows)), n_rows, matrix.error(directions))
    for begin, rough in matrix.blocks(directions, n_rows if k else 0):
        for row_cosines, left_out in zip(rough, excluded, strict=True):
            row_cosines[[row - begin for row in left_out if begin <= row < begin + len(row_cosines)]] = -np.inf
        selection.add(begin, rough)
    for direction, rows in zip(directions, selection.rows(), strict=True):
        yield best(rows, matrix.exact(rows, direction), k)


def _rough_cosines(vectors: Matrix, norms: Float64s, directions: Float64s) -> npt.NDArray[np.float32]:
    """(directions, rows), in float32."""
    with np.errstate(all="ignore"):
        rough: npt.NDArray[np.float32] = directions.astype(np.float32) @ vectors.T
        rough *= np.where(norms > 0, 1 / norms, 0).astype(np.float32)
    # float32 sums overflow or lose their digits in rows this long or short.
    extreme = np.flatnonzero((norms > 1e30) | (norms < 1e-30))
    for row_cosines, direction in zip(rough, directions if len(extreme) else (), strict=False):
        row_cosines[extreme] = cosines(vectors, norms, extreme, direction)
    return rough


def _shifted_cosines(vectors: Matrix, norms: Float64s, rows: Rows, directions: Iterable[Float64s]) -> Float64s:
    """The product over all directions of (1 + cos) / 2, for some rows."""
    product = np.ones(len(rows))
    for direction in directions:
        product *= (1 + cosines(vectors, norms, rows, direction)) / 2
    return product


def _margin(dim: int) -> np.float32:
    """Twice the error of a rough cosine, (dim + a few) * 2^-24: the bound that it is compared with has it, too."""
    return np.float32(2 * (dim + 8) * 2.0**-24)
