"""Words, their vectors and counts, which can be added to and changed: what `KeyedVectors` are made of."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pairloom.config import check_whole, is_whole
from pairloom.errors import InputError
from pairloom.gensim_compat.options import warn_once
from pairloom.system.display import number_of, quoted
from pairloom.types import Counts, Matrix
from pairloom.vectors.vectors import Vectors

Key = str | int  # an int is the number of a row

_OLD_NAMES = {
    "vocab": "key_to_index, and get_vecattr(word, 'count')",
    "index2word": "index_to_key",
    "index2entity": "index_to_key",
    "syn0": "vectors",
    "vectors_norm": "get_normed_vectors()",
    "syn0norm": "get_normed_vectors()",
    "word_vec": "get_vector",
    "words_closer_than": "closer_than",
    "accuracy": "evaluate_word_analogies",
    "wv": "the KeyedVectors themselves",
}


class WordRows:
    """A word, a vector and a count for each row.

    vector_size: the length of vectors. count: rows to make room for. dtype is always float32.
    """

    def __init__(self, vector_size: int, count: int = 0, dtype: Any = np.float32, mapfile_path: object = None) -> None:
        check_whole("vector_size", vector_size, 1, 1 << 20, "100 to 300 is usual")
        if np.dtype(dtype) != np.float32:
            warn_once(f"dtype={np.dtype(dtype)} has no effect: vectors are float32.")
        self.vector_size = int(vector_size)
        self.index_to_key: list[str] = []
        self.key_to_index: dict[str, int] = {}
        self._rows: Matrix = np.zeros((count, self.vector_size), np.float32)  # more rows than words, to grow into
        self._counts: Counts = np.zeros(count, np.int64)
        self._view: Vectors | None = None

    @classmethod
    def of(cls, vectors: Vectors) -> Self:
        """The words of `Vectors`. They share the matrix, unless it cannot be written to."""
        made = cls(vectors.dim)
        made.index_to_key = list(vectors.words)
        made.key_to_index = {word: row for row, word in enumerate(vectors.words)}
        made._rows, made._counts = _writable(vectors.vectors), vectors.counts.copy()
        return made

    def as_vectors(self) -> Vectors:
        """The `pairloom.Vectors` of this moment, for all that pairloom can do."""
        if self._view is None:
            self._view = Vectors(self.index_to_key, self.vectors, self._counts[: len(self)])
        return self._view

    def __getattr__(self, name: str) -> Any:
        if name in _OLD_NAMES:
            raise AttributeError(f"KeyedVectors have no {name!r} since gensim 4. Use {_OLD_NAMES[name]}.")
        raise AttributeError(f"KeyedVectors have no {name!r}.")

    # --- Rows

    @property
    def vectors(self) -> Matrix:
        """(words, vector_size). After changing it in place, call fill_norms(force=True)."""
        return self._rows[: len(self)]

    @vectors.setter
    def vectors(self, matrix: npt.ArrayLike) -> None:
        """Take other vectors for the same words."""
        rows = np.array(matrix, np.float32)
        if rows.shape != (len(self), self.vector_size):
            raise InputError(
                f"The vectors have the shape {rows.shape}. Give {len(self)} rows of {self.vector_size} numbers."
            )
        self._rows, self._view = rows, None

    @property
    def norms(self) -> npt.NDArray[np.float32]:
        """Euclidean length of each row."""
        return self.as_vectors().norms.astype(np.float32)

    @property
    def expandos(self) -> dict[str, Counts]:
        """gensim's place for what is known of words: their counts."""
        return {"count": self._counts[: len(self)]}

    def __len__(self) -> int:
        return len(self.index_to_key)

    def __contains__(self, key: object) -> bool:
        return key in self.key_to_index

    def has_index_for(self, key: object) -> bool:
        """Whether the word has a row."""
        return key in self

    def __getitem__(self, key_or_keys: Key | Iterable[Key]) -> npt.NDArray[np.float32]:
        """The vector of a word or row, or a matrix of several."""
        if isinstance(key_or_keys, str) or not isinstance(key_or_keys, Iterable):
            return self.get_vector(key_or_keys)
        rows = [self.get_vector(key) for key in key_or_keys]
        return np.array(rows, np.float32).reshape(-1, self.vector_size)

    def get_index(self, key: Key, default: int | None = None) -> int:
        """The row of a word; a number is a row already. `default` if there is no such word, or a KeyError."""
        if is_whole(key) and 0 <= int(key) < len(self):
            return int(key)
        return self.as_vectors().get_index(key, default)  # type: ignore[arg-type]  # other types have no row

    def get_vector(self, key: Key, norm: bool = False) -> npt.NDArray[np.float32]:
        """The vector of a word or row, at length 1 if norm."""
        if norm:
            return self.as_vectors().get_vector(self.word_of(key), norm=True)
        row: npt.NDArray[np.float32] = self._rows[self.get_index(key)].view()
        row.flags.writeable = False
        return row

    def get_normed_vectors(self) -> Matrix:
        """All vectors at length 1."""
        return self.as_vectors().get_normed_vectors()

    def get_mean_vector(
        self,
        keys: Any,
        weights: Sequence[float] | None = None,
        pre_normalize: bool = True,
        post_normalize: bool = False,
        ignore_missing: bool = True,
    ) -> npt.NDArray[np.float32]:
        """The weighted mean of the vectors of words, numbers of rows and arrays."""
        return self.as_vectors().get_mean_vector(
            self.items_of(keys), weights, pre_normalize, post_normalize, ignore_missing
        )

    def get_vecattr(self, key: Key, attr: str) -> int:
        """The count of a word, the only attribute there is."""
        return self.as_vectors().get_vecattr(self.word_of(key), attr)

    def set_vecattr(self, key: Key, attr: str, val: int) -> None:
        """Set the count of a word."""
        if attr != "count":
            raise InputError(f"{quoted(attr)} is not known of words here. Use 'count'.")
        self._counts[self.get_index(key)] = val
        self._view = None

    # --- Changes

    def add_vector(self, key: str, vector: npt.ArrayLike) -> int:
        """Add a word, unless it is there already. Returns its row."""
        self.add_vectors([key], [vector])
        return self.key_to_index[key]

    def add_vectors(
        self,
        keys: str | Sequence[str],
        weights: Any,
        extras: Mapping[str, Sequence[int]] | None = None,
        replace: bool = False,
    ) -> None:
        """Add words with their vectors. Words that are there already keep theirs, unless replace.

        extras: {"count": [...]}, how often each word occurred.
        """
        words = [keys] if isinstance(keys, str) else list(keys)
        matrix = np.asarray(weights, np.float32)
        matrix = matrix[None] if isinstance(keys, str) else matrix
        if matrix.shape != (len(words), self.vector_size):
            raise InputError(
                f"{number_of(len(words), 'word')} and vectors of shape {matrix.shape} do not belong together. "
                f"Give {number_of(self.vector_size, 'number')} for each word."
            )
        new = [word for word in dict.fromkeys(words) if word not in self.key_to_index]
        self._check_words(new)
        self._grow(len(self) + len(new))
        for word in new:
            self.key_to_index[word] = len(self.index_to_key)
            self.index_to_key.append(word)
        added = {*new}
        changed = [i for i, word in enumerate(words) if replace or word in added]
        rows = [self.key_to_index[words[i]] for i in changed]
        self._rows[rows] = matrix[changed]
        if extras and "count" in extras:
            self._counts[rows] = np.asarray(extras["count"])[changed]
        self._view = None

    def __setitem__(self, keys: str | Sequence[str], weights: Any) -> None:
        self.add_vectors(keys, weights, replace=True)

    def sort_by_descending_frequency(self) -> None:
        """Put frequent words first; of equal counts, the order stays."""
        order = np.argsort(-self._counts[: len(self)], kind="stable")
        self._rows, self._counts = self._rows[order], self._counts[order]
        self.index_to_key = [self.index_to_key[row] for row in order.tolist()]
        self.key_to_index = {word: row for row, word in enumerate(self.index_to_key)}
        self._view = None

    def unit_normalize_all(self) -> None:
        """Scale every vector to length 1."""
        self._rows[: len(self)] = self.get_normed_vectors()
        self._view = None

    def init_sims(self, replace: bool = False) -> None:
        """gensim's old way to `unit_normalize_all`. Without replace there is nothing to do."""
        if replace:
            self.unit_normalize_all()

    def fill_norms(self, force: bool = False) -> None:
        """With force, notice that `vectors` was changed in place. Otherwise lengths are computed when needed."""
        if force:
            self._view = None

    # --- Keys

    def word_of(self, key: Any) -> str:
        """The word of a key. What is no key stays as it is, for the error of `Vectors` to name it."""
        return self.index_to_key[int(key)] if is_whole(key) and 0 <= int(key) < len(self) else key

    def items_of(self, query: Any) -> list[Any]:
        """A query as a list, with words for numbers of rows. (word, weight) stays a pair."""
        if query is None:
            return []
        single = isinstance(query, str) or not isinstance(query, Iterable) or is_weighted(query)
        if isinstance(query, np.ndarray):
            single = query.ndim < 2 and query.dtype.kind in "fiu"
        return [self._item(item) for item in ([query] if single else query)]

    def _item(self, item: Any) -> Any:
        if is_weighted(item):
            return self._item(item[0]), item[1]
        return item if isinstance(item, np.ndarray) else self.word_of(item)

    def _check_words(self, words: list[str]) -> None:
        for word in words:
            if not isinstance(word, str) or not word:
                raise InputError(f"{quoted(word)} is not a word. Give strings that are not empty.")

    def _grow(self, n: int) -> None:
        """Make room for n rows; in steps that double, so that adding words one by one takes time in proportion."""
        if n > len(self._rows):
            room = max(n, 2 * len(self._rows)) - len(self._rows)
            self._rows = np.concatenate([self._rows, np.zeros((room, self.vector_size), np.float32)])
            self._counts = np.concatenate([self._counts, np.zeros(room, np.int64)])


def _writable(matrix: Matrix) -> Matrix:
    """The same memory without the mark that it must not change, or a copy if it cannot, as in a mapped file."""
    view = matrix.view()
    try:
        view.flags.writeable = True
    except ValueError:
        return matrix.copy()
    return view


def is_weighted(item: object) -> bool:
    return isinstance(item, tuple) and len(item) == 2 and not isinstance(item[1], str) and np.ndim(item[1]) == 0
