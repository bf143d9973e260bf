"""Words with their vectors, and the questions to ask about them. Each method here is short and says where the work is:

query.py       words and vectors with weights -> one direction and the rows to leave out
search.py      the rows nearest to a direction
similarity.py  cosines of pairs and lists, distances between documents

>>> import numpy as np
>>> v = Vectors(["cat", "dog", "car"], np.array([[2, 1], [1, 1], [-1, 2]], np.float32))
>>> [(word, round(cosine, 2)) for word, cosine in v.most_similar("cat")]
[('dog', 0.95), ('car', 0.0)]
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from threading import Lock
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from pairloom.drawing.notebook import card
from pairloom.errors import ConfigError, InputError
from pairloom.system.display import number_of, quoted
from pairloom.system.extras import data_frame
from pairloom.types import Counts, Float64s, Matrix, PathName
from pairloom.vectors.checking import checked_words, read_only, unknown_word
from pairloom.vectors.names import Names, PackedWords
from pairloom.vectors.query import (
    Item,
    Items,
    Query,
    SearchTarget,
    factor_directions,
    item_direction,
    known_words,
    mean_vector,
    query_items,
    rows_of,
    search_target,
    unit,
    unit_vector,
)
from pairloom.vectors.rough import SearchMatrix
from pairloom.vectors.search import (
    Indexer,
    Neighbours,
    all_cosines,
    best_by_product,
    check_candidates,
    check_indexer,
    check_topn,
    nearest,
    nearest_candidates,
    ranked,
    rows_to_search,
)
from pairloom.vectors.similarity import (
    by_centrality,
    cosine,
    list_of_words,
    relative_cosine,
    word_movers_distance,
)
from pairloom.vectors.stored import StoredMatrix, finite_norms, stored

if TYPE_CHECKING:
    from pairloom.maps.plot import PlotKeywords, WordMap

_QUERIES_AT_ONCE = 4096
_WORDS_SHOWN, _NUMBERS_SHOWN = 8, 6  # in a notebook
_LAZY = Lock()  # one for all objects: an object with a lock of its own could not be copied


class Vectors:
    """A matrix with a word for each row; the more frequent words usually come first.

    words    list[str], the i-th names row i; each once, none empty
    vectors  float32 (n_words, dim), C-contiguous, not writeable; a memory map serves as well as an array
    counts   int64 (n_words,), how often each word occurred; 0 where that is not known

    Names, arguments and meaning of the methods are those of gensim's KeyedVectors where it has them. Cosines are
    float64 in [-1, 1]; a row of zeros has cosine 0 to everything.
    """

    def __init__(
        self,
        words: Iterable[str] | PackedWords,
        vectors: npt.ArrayLike | StoredMatrix,
        counts: npt.ArrayLike | None = None,
    ) -> None:
        self._names = Names(words)
        self._stored = stored(vectors)
        shape = self._stored.numbers.shape
        self.counts: Counts = read_only(np.zeros(len(self._names)) if counts is None else counts, np.int64)
        if len(shape) != 2 or shape[1] < 1:
            raise InputError(f"Vectors need a matrix of shape (n_words, dim); this one has shape {shape}.")
        if not len(self._names) == shape[0] or self.counts.shape != (len(self._names),):
            raise InputError(
                f"{number_of(len(self._names), 'word')}, {number_of(shape[0], 'row')} and counts of shape "
                f"{self.counts.shape} do not belong together. Give one row and one count for each word."
            )
        self._wide: Matrix | None = None
        self._norms: Float64s | None = None
        self._search: SearchMatrix | None = None

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: without what can be computed from the rest."""
        return {**self.__dict__, "_wide": None, "_search": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """For copies and pickles, whose arrays NumPy would let be written to."""
        self.__dict__.update(state)
        self._stored = stored(self._stored)
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    @property
    def words(self) -> list[str]:
        """The word of each row. Those of a native file are decoded at first use."""
        return self._names.strings

    @property
    def vectors(self) -> Matrix:
        """The matrix as float32. That of a file of float16 or int8 is made at first use; searches do not need it."""
        if self._wide is None:
            with _LAZY:
                if self._wide is None:
                    self._wide = self._stored.whole()
        return self._wide

    @property
    def packed(self) -> StoredMatrix:
        """The matrix as it is stored: float32, float16, or int8 with a scale for each row."""
        return self._stored

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """The matrix, for NumPy: `np.asarray(vectors)` is `vectors.vectors`, not an array of words.

        Copied only if `copy` or another dtype asks for it; copy=False with another dtype is a ValueError.
        """
        return np.array(self.vectors, dtype=dtype, copy=copy)

    @property
    def shape(self) -> tuple[int, int]:
        """(n_words, dim), the shape of the matrix. Libraries that take arrays ask for it, for example scikit-learn."""
        return len(self), self.dim

    @property
    def dim(self) -> int:
        """d, the length of a vector."""
        return int(self._stored.numbers.shape[1])

    @property
    def vector_size(self) -> int:
        """gensim's name for `dim`."""
        return self.dim

    @property
    def index_to_key(self) -> list[str]:
        """gensim's name for `words`."""
        return self.words

    @property
    def key_to_index(self) -> Mapping[str, int]:
        """The row of each word, computed at first use. Raises an InputError if a word is empty or occurs twice."""
        return self._names.rows

    @property
    def norms(self) -> Float64s:
        """Euclidean length of each row, computed at first use. Raises an InputError if a value is not finite."""
        if self._norms is None:
            with _LAZY:
                if self._norms is None:
                    self._norms = finite_norms(self._names.word, self._stored)
        return self._norms

    def row_of(self, word: str) -> int | None:
        """The row of a word, or None. Unlike `key_to_index`, it does not need the rows of all words."""
        return self._names.row(word) if isinstance(word, str) else None

    def norm_of(self, row: int) -> float:
        """Euclidean length of one row."""
        if not isinstance(row, int | np.integer) or not 0 <= row < len(self):
            raise ConfigError(f"row={row!r} is not a row of these vectors. Use a number from 0 to {len(self) - 1}.")
        if self._norms is not None:
            return float(self._norms[row])
        return float(finite_norms(self._names.word, self._stored, np.array([row]))[0])

    @property
    def searched(self) -> SearchMatrix:
        """The matrix with what searches have learnt about its rows, for `search.nearest`."""
        if self._search is None:
            with _LAZY:
                if self._search is None:
                    self._search = SearchMatrix(self._stored, self._names.word)
        return self._search

    def check(self, values: bool = True) -> None:
        """Raise an InputError if a word is empty or occurs twice, a count is below 0 or a value is not finite.

        `values=False` skips the values: to check them the whole matrix is read.
        """
        if not all(issubclass(kind, str) for kind in set(map(type, self.words))):
            row, word = next(numbered for numbered in enumerate(self.words) if not isinstance(numbered[1], str))
            raise InputError(f"Row {row} belongs to {quoted(word)}, which is not a string. Give every row a word.")
        if len({"", *self.words}) <= len(self):  # a set costs less than the index, which may never be needed
            _ = self.key_to_index  # its error names the word
        _ = self.norms if values else None
        if np.any(self.counts < 0):
            word = self.words[int(np.argmin(self.counts))]
            raise InputError(f"The count of {quoted(word)} is {self.counts.min()}. Counts are 0 or more.")

    def encoded_words(self) -> Iterator[bytes]:
        """The words in UTF-8, for a file. Raises an InputError as `check` does, before the first word."""
        self.check()
        try:
            "".join(self.words).encode()
        except UnicodeEncodeError as error:  # half of a surrogate pair
            half = error.object[error.start]
            word = next(word for word in self.words if half in word)
            raise InputError(
                f"The word {quoted(word)} is not Unicode text and cannot be saved. "
                "Read the corpus with its right encoding, or with errors='replace'."
            ) from None
        return map(str.encode, self.words)

    def __getitem__(self, key_or_keys: str | Iterable[str]) -> npt.NDArray[np.float32]:
        """The vector of a word, as a view that cannot be written to; or of several words, as a new matrix."""
        if isinstance(key_or_keys, str) or not isinstance(key_or_keys, Iterable):
            return self.vector(key_or_keys)
        return np.array([self.vector(key) for key in key_or_keys], np.float32).reshape(-1, self.dim)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.row_of(word) is not None

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_words={len(self)}, dim={self.dim})"

    def _repr_html_(self) -> str:
        rows = [
            [
                word,
                f"{count:,}" if count else "",
                " ".join(f"{x:.3f}" for x in row) + " …" * (self.dim > _NUMBERS_SHOWN),
            ]
            for word, count, row in zip(
                self.words[:_WORDS_SHOWN], self.counts.tolist(), self.vectors[:, :_NUMBERS_SHOWN], strict=False
            )
        ]
        rows += [["…", "", ""]] if len(self) > _WORDS_SHOWN else []
        return card(
            f"{type(self).__name__}: {number_of(len(self), 'word')}, dim {self.dim}", rows, ["word", "occurs", "vector"]
        )

    def keys(self) -> list[str]:
        """The words, as a dict has them: with `v[word]`, `dict(v)` is a dict from words to vectors."""
        return self.words

    def get(self, word: str, default: Any = None) -> Any:
        """The vector of a word, or `default` if it has none."""
        return self.vector(word) if self.has_vector(word) else default

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each word, its index, and a column for each dimension: 0, 1, ..."""
        return data_frame(self.vectors, index=self.words).rename_axis("word")

    # --- Vectors of words

    def vector(self, word: str) -> npt.NDArray[np.float32]:
        """The vector of a word. Vectors with subwords make one for a word without a row, too."""
        row = self.row_of(word) if isinstance(word, str) else None
        if row is None:
            return self._vector_without_row(word)
        vector: npt.NDArray[np.float32] = self._stored.rows(slice(row, row + 1))[0]
        vector.flags.writeable = False
        return vector

    def _vector_without_row(self, word: object) -> npt.NDArray[np.float32]:
        """The hook for subclasses that can make a vector for any word: here every such word is unknown."""
        raise unknown_word(word, self.key_to_index)

    def has_vector(self, word: object) -> bool:
        """Whether `vector` has an answer: for a word with a row, or one that a vector can be made for."""
        return word in self

    def get_vector(self, key: str, norm: bool = False) -> npt.NDArray[np.float32]:
        """The vector of a word; with norm=True its unit vector."""
        return unit_vector(self, key).astype(np.float32) if norm else self.vector(key)

    def get_mean_vector(
        self,
        keys: Items,
        weights: Sequence[float] | None = None,
        pre_normalize: bool = True,
        post_normalize: bool = False,
        ignore_missing: bool = True,
    ) -> npt.NDArray[np.float32]:
        """sum_i weight_i v_i / sum_i |weight_i|, with the v_i of words at length 1 if pre_normalize.

        As in gensim, an array among the keys is added as it is, and ignore_missing leaves out unknown words. It is an
        error if no word is known.
        """
        mean = mean_vector(self, keys, weights, normalize=pre_normalize, ignore_missing=ignore_missing)
        return (unit(mean) if post_normalize else mean).astype(np.float32)

    def get_normed_vectors(self) -> Matrix:
        """A new matrix of unit vectors; a row of zeros stays zero."""
        return np.asarray(self.vectors / np.where(self.norms > 0, self.norms, 1)[:, None], np.float32)

    def vectors_for_all(
        self, keys: Iterable[str], allow_inference: bool = True, copy_vecattrs: bool = False
    ) -> "Vectors":
        """The vectors of these words, in this order, each once. Words without a vector are left out.

        allow_inference: also make vectors for words without a row, where there are subwords to make them from
        copy_vecattrs: keep the counts; without it they are 0, that is, not known
        """
        has = self.has_vector if allow_inference else self.__contains__
        words = list(dict.fromkeys(filter(has, checked_words(keys))))
        rows = np.array([self.key_to_index.get(word, -1) for word in words], np.intp)
        known = np.flatnonzero(rows >= 0)
        matrix, counts = np.empty((len(words), self.dim), np.float32), np.zeros(len(words), np.int64)
        matrix[known] = self.vectors[rows[known]]
        for i in np.flatnonzero(rows < 0).tolist():
            matrix[i] = self.vector(words[i])
        if copy_vecattrs:
            counts[known] = self.counts[rows[known]]
        return Vectors(words, matrix, counts)

    def get_index(self, key: str, default: int | None = None) -> int:
        """The row of a word. For an unknown word `default`, or an UnknownWordError if that is None."""
        row = self.row_of(key) if isinstance(key, str) else None
        if row is None and default is None:
            raise unknown_word(key, self.key_to_index)
        return default if row is None else row  # type: ignore[return-value]

    def get_vecattr(self, key: str, attr: str) -> int:
        """gensim's way to the count of a word. The only `attr` is "count"."""
        if attr != "count":
            raise InputError(f"{quoted(attr)} is not known of words here. Use 'count'.")
        return int(self.counts[self.get_index(key)])

    # --- Which words are near: query.py, then search.py

    def most_similar(
        self,
        positive: Query | None = None,
        negative: Query | None = None,
        topn: int = 10,
        *,
        restrict_vocab: int | None = None,
        weights: Sequence[float] | None = None,
        indexer: Indexer | None = None,
        candidates: Iterable[str] | None = None,
        ignore_missing: bool = False,
    ) -> Neighbours:
        """The `topn` words nearest by cosine to

            mean of the unit vectors of `positive`, and of minus those of `negative`        (3CosAdd)

        nearest first, the earlier row first where cosines are equal, without the words of the query.
        Both take a word, a vector or a list of those; as in gensim an array is added as it is, not at length 1.
        The analogy "man is to king as woman is to ?" is `most_similar(["king", "woman"], ["man"])`.

        weights: one number for each of positive, then of negative; or write (word, weight) instead of word.
        restrict_vocab: search only the first `restrict_vocab` rows, the most frequent words.
        indexer: search only the rows that it proposes, for example an `Index`; not together with restrict_vocab.
        candidates: rank only these words.
        ignore_missing: leave out unknown words of the query and of the candidates, instead of raising an error.
        """
        check_topn(topn)
        target = search_target(self, positive, negative, weights, ignore_missing)
        if candidates is not None:
            check_candidates(candidates, restrict_vocab, indexer)
            rows = (self.get_index(word, -1 if ignore_missing else None) for word in candidates)
            return ranked(self.searched, target, topn, filter(lambda row: row >= 0, rows)).named(self._names.word)
        n_rows = rows_to_search(restrict_vocab, len(self))
        if indexer is None:
            return next(self._nearest([target], topn, n_rows))
        check_indexer(indexer, restrict_vocab)
        return nearest_candidates(self.searched, target, topn, indexer).named(self._names.word)

    def most_similar_batch(
        self,
        positive: Sequence[Query],
        negative: Sequence[Query] | None = None,
        topn: int = 10,
        *,
        restrict_vocab: int | None = None,
    ) -> list[Neighbours]:
        """`most_similar` of positive[i] and negative[i] for every i: many times faster than one by one.

        The memory it takes does not grow with the number of queries.
        """
        check_topn(topn)
        if isinstance(positive, str) or not isinstance(positive, Sized):
            raise InputError(f"A batch is a list of queries. For one query use most_similar({quoted(positive)}).")
        against = [()] * len(positive) if negative is None else negative
        if not isinstance(against, Sized) or len(against) != len(positive):
            number = len(against) if isinstance(against, Sized) else "none"
            raise InputError(
                f"positive has {number_of(len(positive), 'query')} and negative {number}. Give one for each."
            )
        n_rows = rows_to_search(restrict_vocab, len(self))
        answers: list[Neighbours] = []
        for start in range(0, len(positive), _QUERIES_AT_ONCE):
            some = slice(start, start + _QUERIES_AT_ONCE)
            targets = [search_target(self, p, n, None) for p, n in zip(positive[some], against[some], strict=True)]
            answers += self._nearest(targets, topn, n_rows)
        return answers

    def _nearest(self, targets: Sequence[SearchTarget], topn: int, n_rows: int) -> Iterator[Neighbours]:
        directions = np.array([target.direction for target in targets]).reshape(-1, self.dim)
        excluded = [target.excluded for target in targets]
        found = nearest(self.searched, directions, min(topn, n_rows), excluded, n_rows)
        return (scored.named(self._names.word) for scored in found)

    def most_similar_cosmul(
        self,
        positive: Items | None = None,
        negative: Items | None = None,
        topn: int = 10,
        restrict_vocab: int | None = None,
    ) -> Neighbours:
        """The `topn` words x with the highest

            prod over p in positive of cos'(x, p) / (prod over n in negative of cos'(x, n) + e)        (3CosMul)

        with cos' = (1 + cos) / 2 and e = 1e-6 (Levy and Goldberg 2014). Unlike in a sum, no large term decides alone.
        Of an array only the direction counts. (gensim has no cosine there unless the array has length 1.)
        """
        check_topn(topn)
        plus, minus = query_items(positive, negative)
        first = slice(rows_to_search(restrict_vocab, len(self)))
        directions = factor_directions(self, plus), factor_directions(self, minus)
        excluded = rows_of(self, plus + minus)
        return best_by_product(self.vectors[first], self.norms[first], *directions, topn, excluded).named(
            self._names.word
        )

    def similar_by_word(self, word: str, topn: int = 10, restrict_vocab: int | None = None) -> Neighbours:
        """`most_similar` of one word."""
        return self.most_similar(word, topn=topn, restrict_vocab=restrict_vocab)

    def similar_by_key(self, key: str, topn: int = 10, restrict_vocab: int | None = None) -> Neighbours:
        """gensim's other name for `similar_by_word`."""
        return self.similar_by_word(key, topn, restrict_vocab)

    def similar_by_vector(self, vector: npt.ArrayLike, topn: int = 10, restrict_vocab: int | None = None) -> Neighbours:
        """`most_similar` of one vector; no word is left out."""
        return self.most_similar([np.asarray(vector)], topn=topn, restrict_vocab=restrict_vocab)

    def closer_than(self, key1: str, key2: str) -> list[str]:
        """The words that are closer to key1 than key2 is, in the order of the rows."""
        similarities, own_row = self._cosines_to(key1), self.row_of(key1)
        closer = np.flatnonzero(similarities > similarities[self.get_index(key2)])
        return [self.words[row] for row in closer.tolist() if row != own_row]

    def rank(self, key1: str, key2: str) -> int:
        """1 if key2 is the word closest to key1, 2 if one word is closer, and so on."""
        return len(self.closer_than(key1, key2)) + 1

    # --- How alike: similarity.py

    def similarity(self, w1: str, w2: str) -> float:
        """Cosine of the angle between the vectors of two words."""
        return cosine(unit_vector(self, w1), unit_vector(self, w2))

    def distance(self, w1: str, w2: str) -> float:
        """1 - similarity."""
        return 1.0 - self.similarity(w1, w2)

    def distances(self, word_or_vector: str | npt.ArrayLike, other_words: Iterable[str] = ()) -> Float64s:
        """1 - cosine to each of other_words, or to all words if there are none."""
        others = list_of_words(other_words)
        item = word_or_vector if isinstance(word_or_vector, str) else np.asarray(word_or_vector)
        similarities = self._cosines_to(item)
        return 1.0 - (similarities[[self.get_index(word) for word in others]] if others else similarities)

    def _cosines_to(self, item: Item) -> Float64s:
        return all_cosines(self.vectors, self.norms, item_direction(self, item))

    def n_similarity(self, ws1: Sequence[str], ws2: Sequence[str], *, ignore_missing: bool = False) -> float:
        """Cosine between the mean vectors of two lists of words; as in gensim, long vectors weigh more.

        Unlike in gensim an unknown word is an error: without it, the answer would be about other words than asked.
        ignore_missing leaves unknown words out, as gensim does.
        """
        one, other = (
            self.get_mean_vector(words, pre_normalize=False, ignore_missing=ignore_missing) for words in (ws1, ws2)
        )
        return cosine(unit(one), unit(other))

    def relative_cosine_similarity(self, wa: str, wb: str, topn: int = 10) -> float:
        """cos(wa, wb) / sum of the cosines of the topn words nearest to wa (Leeuwenberg et al. 2016).

        Synonyms have more than 1 / topn.
        """
        return relative_cosine(self.similarity(wa, wb), wa, self.similar_by_word(wa, topn))

    def most_similar_to_given(self, key1: str, keys_list: Sequence[str]) -> str:
        """The most similar to key1 among keys_list, the first of them if several are."""
        if not isinstance(keys_list, Sized) or not keys_list:
            raise InputError("There are no words to choose from. Give a list of words.")
        return max(keys_list, key=lambda other: self.similarity(key1, other))

    def rank_by_centrality(self, words: Sequence[str], use_norm: bool = True) -> list[tuple[float, str]]:
        """(cosine to the mean of their unit vectors, word) for each word, the most central first.

        use_norm=False takes the vectors as long as they are, and their product with the direction of the mean.
        """
        return by_centrality(self, words, use_norm)

    def doesnt_match(self, words: Sequence[str], *, ignore_missing: bool = False) -> str:
        """The word that is least like the mean of all of them.

        Unlike in gensim an unknown word is an error: without it, the answer would be about other words than asked.
        ignore_missing leaves unknown words out, as gensim does.
        """
        asked = known_words(self, list_of_words(words)) if ignore_missing else words
        return self.rank_by_centrality(asked)[-1][1]

    def wmdistance(self, document1: Sequence[str], document2: Sequence[str], norm: bool = True) -> float:
        """Word Mover's Distance (Kusner et al. 2015): the least cost of moving the words of a document to the other's.

            min over T >= 0 of sum_ij T_ij |v_i - v_j|,   rows of T sum to the share of word i in one document,
                                                          columns to the share of word j in the other

        norm: use unit vectors. Unknown words are left out; the distance is infinite if a document has no known word.
        """
        return word_movers_distance(self, document1, document2, norm)

    # --- Pictures: maps/

    def plot(
        self, words: Iterable[str] | None = None, path: PathName | None = None, **options: "Unpack[PlotKeywords]"
    ) -> "WordMap":
        """A map of words, saved if a path is given: see `pairloom.maps.plot.plot`."""
        from pairloom.maps.plot import plot

        return plot(self, words, path, **options)
