"""Words with their vectors, and the questions one asks of them: how alike, what is near, how probable.

>>> import numpy as np
>>> v = Vectors(["cat", "dog", "car"], np.array([[2, 1], [1, 1], [-1, 2]], np.float32))
>>> [(word, round(cosine, 2)) for word, cosine in v.most_similar("cat")]
[('dog', 0.95), ('car', 0.0)]
"""

from collections.abc import Iterable, Iterator, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pairloom.errors import InputError
from pairloom.system.display import quoted
from pairloom.types import Counts, Float64s, Matrix
from pairloom.vectors.queries import Queries

if TYPE_CHECKING:
    pass

# One lock for all objects: what is made lazily is made once, and an object with a lock of its own could not be copied.
_MAKING = Lock()


class Vectors(Queries):
    """A matrix with a word for each row; the more frequent words usually come first.

    words    list[str], the i-th names row i; each once, none empty
    vectors  float32 (n_words, dim), not writeable; a memory map serves as well as an array
    counts   int64 (n_words,), how often each word was seen; 0 where that is not known
    """

    def __init__(self, words: Iterable[str], vectors: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> None:
        self.words: list[str] = _listed(words)
        self.vectors: Matrix = _read_only(vectors, np.float32)
        self.counts: Counts = _read_only(np.zeros(len(self.words)) if counts is None else counts, np.int64)
        if self.vectors.ndim != 2 or self.vectors.shape[1] < 1:
            raise InputError(f"Vectors need a matrix of shape (n_words, dim); this one has shape {self.vectors.shape}.")
        if not len(self.words) == len(self.vectors) or self.counts.shape != (len(self.words),):
            raise InputError(
                f"{len(self.words):,} words, {len(self.vectors):,} rows and counts of shape {self.counts.shape} "
                "do not belong together. Give one row and one count for each word."
            )
        self._index: dict[str, int] | None = None
        self._norms: Float64s | None = None

    @property
    def dim(self) -> int:
        """d, the length of a vector."""
        return int(self.vectors.shape[1])

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
        """The row of each word, made when first asked for; an InputError if a word is empty or occurs twice."""
        if self._index is None:
            with _MAKING:
                if self._index is None:
                    self._index = _rows_of(self.words)
        return self._index

    @property
    def norms(self) -> Float64s:
        """Euclidean length of each row, made when first asked for; an InputError if a value is not finite."""
        if self._norms is None:
            with _MAKING:
                if self._norms is None:
                    self._norms = self._measure()
        return self._norms

    def _measure(self) -> Float64s:
        # float64: the squares of float32 values neither overflow nor vanish there, so a sum that is not finite
        # means a value that is not.
        norms: Float64s = np.sqrt(np.einsum("ij,ij->i", self.vectors, self.vectors, dtype=np.float64))
        bad = np.flatnonzero(~np.isfinite(norms))
        if len(bad):
            raise InputError(
                f"Row {bad[0]} ({quoted(self.words[bad[0]])}) of the vectors holds NaN or infinity. "
                "Leave such rows out, or train anew with a lower learning rate."
            )
        return norms

    def check(self, values: bool = True) -> None:
        """Raise an InputError where a word is empty or occurs twice, a count is below 0, a value is not finite.

        `values=False` leaves out the last, which reads the whole matrix.
        """
        if not all(issubclass(kind, str) for kind in set(map(type, self.words))):
            row, word = next(numbered for numbered in enumerate(self.words) if not isinstance(numbered[1], str))
            raise InputError(f"Row {row} belongs to {word!r:.60}, which is not a string. Give every row a word.")
        if len({"", *self.words}) <= len(self):  # a set costs less than the index, which may never be asked for
            _ = self.key_to_index  # says which word it is
        _ = self.norms if values else None
        if np.any(self.counts < 0):
            word = self.words[int(np.argmin(self.counts))]
            raise InputError(f"The count of {quoted(word)} is {self.counts.min()}. Counts are 0 or more.")

    def encoded_words(self) -> Iterator[bytes]:
        """The words in UTF-8, for a file; an InputError for what no file should carry, as in `check`, and at once."""
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

    def __getitem__(self, word: str) -> npt.NDArray[np.float32]:
        """The vector of a word, as a view that cannot be written to."""
        return self.vector(word)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word in self.key_to_index

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __repr__(self) -> str:
        return f"Vectors(n_words={len(self)}, dim={self.dim})"

    def get_index(self, word: str, default: int | None = None) -> int:
        """The row of a word; of an unknown one `default`, or an error if there is none."""
        return self._row(word) if default is None else self.key_to_index.get(word, default)

    def get_vecattr(self, word: str, attr: str) -> int:
        """gensim's way to a word's count: attr is "count", the only one there is."""
        if attr != "count":
            raise InputError(f"{quoted(attr)} is not known of words here. Use 'count'.")
        return int(self.counts[self._row(word)])

    def get_normed_vectors(self) -> Matrix:
        """A new matrix of unit vectors; a row of zeros stays so."""
        return np.asarray(self.vectors / np.where(self.norms > 0, self.norms, 1)[:, None], np.float32)

    def vectors_for_all(self, keys: Iterable[str], ignore_missing: bool = True) -> "Vectors":
        """The vectors of these words, in this order, each once; ignore_missing leaves out unknown words."""
        wanted = [key for key in dict.fromkeys(_listed(keys)) if not ignore_missing or key in self]
        rows = [self._row(word) for word in wanted]
        return Vectors(wanted, self.vectors[rows], self.counts[rows])


def _read_only(values: npt.ArrayLike, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    try:
        view = np.asarray(values, dtype=dtype).view()
        if np.dtype(dtype).kind == "i" and not np.array_equal(view, values):  # NumPy takes 1.5 for 1
            raise ValueError("not all are whole")
    except (TypeError, ValueError, OverflowError) as error:
        kind = "whole numbers" if np.dtype(dtype).kind == "i" else "numbers"
        raise InputError(f"Vectors and counts are made of numbers, and these are not {kind}: {error}.") from None
    view.flags.writeable = False
    return view


def _listed(words: Iterable[str]) -> list[str]:
    """Words as a list; a string is none, though it can be taken apart into letters."""
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise InputError(f"{words!r:.60} is not a list of words. Give a list of strings, one for each row.")
    return list(words)


def _rows_of(words: list[str]) -> dict[str, int]:
    index = {word: row for row, word in enumerate(words)}
    if "" in index:
        raise InputError(f"Row {index['']} belongs to an empty word. Give every row a word.")
    for row, word in enumerate(words) if len(index) < len(words) else ():
        if index[word] != row:
            again = words.index(word, row + 1)
            raise InputError(f"Rows {row} and {again} both belong to {quoted(word)}. Give every word one row.")
    return index
