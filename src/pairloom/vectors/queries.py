"""The questions one asks of words with vectors: how alike, what is near, what does not belong.

Names, arguments and meaning are those of gensim's KeyedVectors where it has them. `Vectors` inherits all of this.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pairloom.config import is_whole
from pairloom.errors import ConfigError, InputError, UnknownWordError
from pairloom.system.display import quoted
from pairloom.system.extras import need
from pairloom.system.spelling import near_spellings
from pairloom.types import Float64s, Matrix, Rows
from pairloom.vectors.query import Item, Items, Query, amounts, cosine, listed, norm, unit, unzipped
from pairloom.vectors.search import best, cosines, nearest

Neighbours = list[tuple[str, float]]

_QUERIES_AT_ONCE = 4096
COSMUL_EPSILON = 1e-6  # gensim's, with which we compare; Levy and Goldberg have 0.001


class Indexer(Protocol):
    """Something that finds rows faster than looking at all of them, such as `pairloom.vectors.index.Index`."""

    def candidates(self, direction: Float64s, k: int) -> Rows:
        """About k rows that are likely the nearest to a direction, in any order."""


class _Question(NamedTuple):
    """A query understood: the direction to look in, and the rows that are no answer."""

    direction: Float64s
    excluded: list[int]


class Queries(ABC):
    """What `Vectors` can be asked. Cosines are float64 in [-1, 1]; a row of zeros has cosine 0 to everything."""

    words: list[str]
    vectors: Matrix

    @property
    @abstractmethod
    def dim(self) -> int:
        """d, the length of a vector."""

    @property
    @abstractmethod
    def key_to_index(self) -> Mapping[str, int]:
        """The row of each word."""

    @property
    @abstractmethod
    def norms(self) -> Float64s:
        """Euclidean length of each row."""

    # --- What is near

    def most_similar(
        self,
        positive: Query = (),
        negative: Query = (),
        topn: int = 10,
        *,
        restrict_vocab: int | None = None,
        weights: Sequence[float] | None = None,
        indexer: Indexer | None = None,
    ) -> Neighbours:
        """The `topn` words nearest by cosine to

            mean of the unit vectors of `positive`, and of minus those of `negative`        (3CosAdd)

        nearest first, the earlier row first where cosines are equal, the words of the query left out.
        Both take a word, a vector or a list of those; as in gensim a given vector counts as it is, not made unit.
        The analogy "man is to king as woman is to ?" is `most_similar(["king", "woman"], ["man"])`.

        weights: one number for each of positive, then of negative; or write (word, weight) instead of word.
        restrict_vocab: look at the first so many rows only, the most frequent words.
        indexer: look only at what this proposes, for example an `Index`; it knows no limit of rows.
        """
        _check_topn(topn)
        question = self._question(positive, negative, weights)
        n_rows = self._n_rows(restrict_vocab)
        if indexer is not None and not hasattr(indexer, "candidates"):
            raise ConfigError(f"indexer={indexer!r:.60} is no index. Give one of pairloom.vectors.index, or none.")
        if indexer is not None and restrict_vocab is not None:
            raise ConfigError("restrict_vocab and an index do not go together. Leave out one of them.")
        if indexer is not None:
            return self._among(indexer.candidates(question.direction, topn + len(question.excluded)), question, topn)
        return next(self._answers([question], topn, n_rows))

    def most_similar_batch(
        self,
        positive: Sequence[Query],
        negative: Sequence[Query] | None = None,
        topn: int = 10,
        *,
        restrict_vocab: int | None = None,
    ) -> list[Neighbours]:
        """`most_similar` of each of positive with each of negative, all at once and many times faster, in the same
        memory for any number of queries."""
        _check_topn(topn)
        if isinstance(positive, str) or not isinstance(positive, Sized):
            raise InputError(f"A batch is a list of queries. For one query use most_similar({quoted(positive)}).")
        against = [()] * len(positive) if negative is None else negative
        if not isinstance(against, Sized) or len(against) != len(positive):
            number = len(against) if isinstance(against, Sized) else "no"
            raise InputError(f"{len(positive)} positive and {number} negative queries: give one for each.")
        n_rows = self._n_rows(restrict_vocab)
        answers: list[Neighbours] = []
        for start in range(0, len(positive), _QUERIES_AT_ONCE):
            some = slice(start, start + _QUERIES_AT_ONCE)
            questions = [self._question(p, n, None) for p, n in zip(positive[some], against[some], strict=True)]
            answers += self._answers(questions, topn, n_rows)
        return answers

    def most_similar_cosmul(
        self, positive: Items = (), negative: Items = (), topn: int = 10, *, restrict_vocab: int | None = None
    ) -> Neighbours:
        """The `topn` words x of the highest

            prod over p in positive of cos'(x, p) / (prod over n in negative of cos'(x, n) + e)        (3CosMul)

        with cos' = (1 + cos) / 2 and e = 1e-6 (Levy and Goldberg 2014): no one large term decides it, as in a sum.
        """
        _check_topn(topn)
        asked, refused = listed(positive), listed(negative)
        if not asked and not refused:
            raise InputError("The query is empty. Give a word, a vector or a list of those.")
        rows = np.arange(self._n_rows(restrict_vocab))
        scores = self._shifted_cosines(rows, asked) / (self._shifted_cosines(rows, refused) + COSMUL_EPSILON)
        excluded = self._rows_of(asked + refused)
        others = np.setdiff1d(rows, excluded)
        return self._named(*best(others, scores[others], topn))

    def similar_by_word(self, word: str, topn: int = 10, *, restrict_vocab: int | None = None) -> Neighbours:
        """`most_similar` of one word."""
        return self.most_similar(word, topn=topn, restrict_vocab=restrict_vocab)

    similar_by_key = similar_by_word

    def similar_by_vector(
        self, vector: npt.ArrayLike, topn: int = 10, *, restrict_vocab: int | None = None
    ) -> Neighbours:
        """`most_similar` of one vector; nothing is left out."""
        return self.most_similar([np.asarray(vector)], topn=topn, restrict_vocab=restrict_vocab)

    def closer_than(self, a: str, b: str) -> list[str]:
        """The words that are closer to a than b is, in the order of the rows."""
        similarities, itself = self._all_cosines(a), self.key_to_index.get(a)
        closer = np.flatnonzero(similarities > similarities[self._row(b)])
        return [self.words[row] for row in closer.tolist() if row != itself]

    def rank(self, a: str, b: str) -> int:
        """1 if b is the word closest to a, 2 if one word is closer, and so on."""
        return len(self.closer_than(a, b)) + 1

    # --- How alike

    def similarity(self, a: str, b: str) -> float:
        """Cosine of the angle between the vectors of two words."""
        return cosine(self._unit(a), self._unit(b))

    def distance(self, a: str, b: str) -> float:
        """1 - similarity."""
        return 1.0 - self.similarity(a, b)

    def distances(self, word_or_vector: Item, other_words: Iterable[str] = ()) -> Float64s:
        """1 - cosine to each of other_words, or to all words if there are none."""
        others = _list_of_words(other_words)
        similarities = self._all_cosines(word_or_vector)
        return 1.0 - (similarities[[self._row(word) for word in others]] if others else similarities)

    def n_similarity(self, some: Sequence[str], others: Sequence[str]) -> float:
        """Cosine between the mean vectors of two lists of words; as in gensim, long vectors weigh more."""
        one, other = (
            self.get_mean_vector(words, pre_normalize=False, ignore_missing=False) for words in (some, others)
        )
        return cosine(unit(one), unit(other))

    def relative_cosine_similarity(self, a: str, b: str, topn: int = 10) -> float:
        """cos(a, b) / sum of the cosines of the topn words nearest to a (Leeuwenberg et al. 2016).

        Synonyms have more than 1 / topn.
        """
        total = math.fsum(cosine for _, cosine in self.similar_by_word(a, topn))
        if total == 0:
            raise InputError(f"The words nearest to {quoted(a)} have cosines that add up to 0. Use another topn.")
        return self.similarity(a, b) / total

    def most_similar_to_given(self, word: str, others: Sequence[str]) -> str:
        """The one of others that is most similar to the word; the first of them where several are."""
        if not isinstance(others, Sized) or not others:
            raise InputError("There are no words to choose from. Give a list of words.")
        return max(others, key=lambda other: self.similarity(word, other))

    def rank_by_centrality(self, words: Sequence[str]) -> list[tuple[float, str]]:
        """(cosine to the mean of their unit vectors, word) for each word, the most central first."""
        if isinstance(words, str) or not isinstance(words, Sized) or not words:
            raise InputError("Give a list of words, two or more.")
        units = np.array([self._unit(word) for word in words])
        mean = unit(units.mean(axis=0))
        return sorted(((cosine(unit, mean), word) for unit, word in zip(units, words, strict=True)), reverse=True)

    def doesnt_match(self, words: Sequence[str]) -> str:
        """The word that is least like the mean of all of them.

        Unlike in gensim an unknown word is an error: left out, the answer would be about other words than asked.
        """
        return self.rank_by_centrality(words)[-1][1]

    def wmdistance(self, document: Sequence[str], other: Sequence[str], norm: bool = True) -> float:
        """Word Mover's Distance (Kusner et al. 2015): what it costs to carry the words of one document to the other's.

            min over T >= 0 of sum_ij T_ij |v_i - v_j|,   rows of T sum to the share of word i in one document,
                                                          columns to the share of word j in the other

        norm: with unit vectors. Unknown words are left out; infinity where a document has no known word.
        """
        ot = need("ot", "wmd", "Word Mover's Distance")
        both = map(_list_of_words, (document, other))
        one, two = (_shares([word for word in words if word in self.key_to_index]) for words in both)
        if not one or not two:
            return math.inf
        sides = [np.array([self.get_vector(word, norm=norm) for word in shares], np.float64) for shares in (one, two)]
        costs = np.sqrt(((sides[0][:, None] - sides[1][None]) ** 2).sum(axis=2))
        return float(ot.emd2(list(one.values()), list(two.values()), costs))

    # --- Vectors of one word or many

    def vector(self, word: str) -> npt.NDArray[np.float32]:
        """The vector of a word. Vectors with subwords make one also for a word that has no row."""
        vector: npt.NDArray[np.float32] = self.vectors[self._row(word)]
        return vector

    def get_vector(self, word: str, norm: bool = False) -> npt.NDArray[np.float32]:
        """The vector of a word; with norm=True its unit vector."""
        return self._unit(word).astype(np.float32) if norm else self.vector(word)

    def get_mean_vector(
        self,
        keys: Items,
        weights: Sequence[float] | None = None,
        pre_normalize: bool = True,
        post_normalize: bool = False,
        ignore_missing: bool = True,
    ) -> npt.NDArray[np.float32]:
        """sum_i weight_i v_i / sum_i |weight_i|, with unit vectors for words and for vectors if pre_normalize.

        ignore_missing leaves unknown words out, as gensim does; if none is known that is an error.
        """
        items = listed(keys)
        shares = amounts(weights, len(items))
        known = [i for i, key in enumerate(items) if not ignore_missing or not _is_missing(key, self.key_to_index)]
        if not known:
            raise InputError("None of these words has a vector, so they have no mean. Give words that are known.")
        total_weight = math.fsum(abs(shares[i]) for i in known)
        if total_weight == 0:
            raise InputError("The weights are all 0, so there is no mean. Give some weight to a word.")
        parts = [shares[i] * self._addend(items[i], pre_normalize) for i in known]
        mean: Float64s = np.sum(parts, axis=0) / total_weight
        return (unit(mean) if post_normalize else mean).astype(np.float32)

    # --- What the questions share

    def _row(self, word: str) -> int:
        row = self.key_to_index.get(word) if isinstance(word, str) else None
        if row is None:
            raise UnknownWordError(self._unknown(word))
        return row

    def _unknown(self, word: object) -> str:
        if not self.words:
            nothing = "there are no vectors here. Files of other programs hold no contexts."
            return f"{quoted(word)} cannot be looked up: {nothing}"
        message = f"{quoted(word)} is not among the {len(self.words):,} words of these vectors."
        near = near_spellings(word, self.key_to_index) if isinstance(word, str) else []
        if near:
            return f"{message} Did you mean {' or '.join(map(quoted, near))}?"
        return f"{message} Words that are rare in a corpus (min_count) get no vector."

    def _unit(self, word: str) -> Float64s:
        if not isinstance(word, str) or word not in self.key_to_index:
            return unit(self.vector(word))
        vector, length = self.vector(word).astype(np.float64), self.norms[self._row(word)]
        return vector / length if length else vector

    def _addend(self, part: object, normalize: bool = False) -> Float64s:
        """What a word (as a unit vector) or a vector (as it is, unless normalize) adds to a query."""
        if isinstance(part, str):
            return self._unit(part) if normalize else self.vector(part).astype(np.float64)
        if not isinstance(part, np.ndarray) or part.dtype.kind not in "fiu":
            raise InputError(f"A query is made of words and of arrays of {self.dim} numbers, not of {quoted(part)}.")
        if part.shape != (self.dim,):
            raise InputError(f"A query vector of shape {part.shape} does not fit: these vectors have dim {self.dim}.")
        return unit(part.astype(np.float64)) if normalize else part.astype(np.float64)

    def _question(self, positive: Query, negative: Query, weights: Sequence[float] | None) -> _Question:
        asked, refused = listed(positive), listed(negative)
        if not asked and not refused:
            raise InputError("The query is empty. Give a word, a vector or a list of those.")
        items, amounts = unzipped(asked, refused, weights)
        return _Question(self._direction(items, amounts), self._rows_of(items))

    def _direction(self, items: list[object], amounts: list[float]) -> Float64s:
        """The unit vector along the sum of the items times their amounts, which is also that of their mean."""
        parts = [
            amount * self._addend(item, isinstance(item, str)) for item, amount in zip(items, amounts, strict=True)
        ]
        total: Float64s = np.sum(parts, axis=0)
        length = norm(total)
        if length <= 1e-12 * sum(map(norm, parts)):  # what rounding leaves of zero
            raise InputError("The query adds up to the zero vector, which points nowhere. Ask for something else.")
        return total / length

    def _rows_of(self, items: Iterable[object]) -> list[int]:
        index = self.key_to_index  # unknown words were refused before, or have no row to leave out
        return sorted({index[item] for item in items if isinstance(item, str) and item in index})

    def _n_rows(self, restrict_vocab: int | None) -> int:
        if restrict_vocab is None:
            return len(self.words)
        if not is_whole(restrict_vocab) or restrict_vocab < 1:
            raise ConfigError(
                f"restrict_vocab={restrict_vocab} is not a number of words. Use 1 or more, or leave it out."
            )
        return min(restrict_vocab, len(self.words))

    def _answers(self, questions: Sequence[_Question], topn: int, n_rows: int) -> Iterator[Neighbours]:
        directions = np.array([question.direction for question in questions]).reshape(-1, self.dim)
        excluded = [question.excluded for question in questions]
        for found in nearest(self.vectors[:n_rows], self.norms[:n_rows], directions, min(topn, n_rows), excluded):
            yield self._named(*found)

    def _among(self, rows: Rows, question: _Question, topn: int) -> Neighbours:
        rows = np.setdiff1d(rows, question.excluded)
        return self._named(*best(rows, cosines(self.vectors, self.norms, rows, question.direction), topn))

    def _named(self, rows: Rows, scores: Float64s) -> Neighbours:
        return [(self.words[row], score) for row, score in zip(rows.tolist(), scores.tolist(), strict=True)]

    def _all_cosines(self, item: Item) -> Float64s:
        rows = np.arange(len(self.words))
        return cosines(self.vectors, self.norms, rows, unit(self._addend(item, isinstance(item, str))))

    def _shifted_cosines(self, rows: Rows, items: list[object]) -> Float64s:
        """prod over items of (1 + cos) / 2."""
        product = np.ones(len(rows))
        for item in items:
            direction = unit(self._addend(item, isinstance(item, str)))
            if not isinstance(item, str) and not direction.any():
                raise InputError("A query vector is zero, which points nowhere. Give another.")
            product *= (1 + cosines(self.vectors, self.norms, rows, direction)) / 2
        return product


def _check_topn(topn: object) -> None:
    if topn is None:
        raise ConfigError("topn=None is not a number of words. For the cosines to all words use 1 - distances(...).")
    if not isinstance(topn, int | np.integer) or not is_whole(topn) or topn < 0:
        raise ConfigError(f"topn={topn} is not a number of words. Use 0 or more.")


def _list_of_words(words: object) -> list[str]:
    """As a list; a single string would be taken apart into letters."""
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise InputError(f"{quoted(words)} is not a list of words. Give a list of strings.")
    return list(words)


def _is_missing(key: object, index: Mapping[str, int]) -> bool:
    return isinstance(key, str) and key not in index


def _shares(words: list[str]) -> dict[str, float]:
    """How much of a document each of its words is."""
    shares = dict.fromkeys(words, 0.0)
    for word in words:
        shares[word] += 1 / len(words)
    return shares
