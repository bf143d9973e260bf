"""Words with their vectors, and the questions one asks of them: how alike, what is near, how probable.

>>> import numpy as np
>>> v = Vectors(["cat", "dog", "car"], np.array([[2, 1], [1, 1], [-1, 2]], np.float32))
>>> [(word, round(cosine, 2)) for word, cosine in v.most_similar("cat")]
[('dog', 0.95), ('car', 0.0)]
"""

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pairloom.asked import Query
from pairloom.errors import InputError
from pairloom.hierarchical import Tree, huffman, way_loss
from pairloom.objective import sigmoid
from pairloom.queries import Neighbours, Queries
from pairloom.spelling import quoted
from pairloom.types import Counts, Float64s, Matrix

if TYPE_CHECKING:
    from pairloom.fold_in import FoldedIn

# One lock for all objects: what is made lazily is made once, and an object with a lock of its own could not be copied.
_MAKING = Lock()


def as_vectors(given: object) -> "Vectors":
    """Vectors, also those of the words of an Embedding; an InputError for what is neither, such as the path of one."""
    if isinstance(given, Embedding):
        return given.words
    if not isinstance(given, Vectors):
        raise InputError(f"Vectors cannot be a {type(given).__name__}. Give Vectors, or load a file by pairloom.load.")
    return given


def as_embedding(given: object) -> "Embedding":
    """An Embedding, or an InputError."""
    if not isinstance(given, Embedding):
        raise InputError(
            f"An embedding cannot be a {type(given).__name__}. Give what train or load of pairloom has given."
        )
    return given


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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Embedding:
    """What training gives: v_w for the words, v_c for the contexts, and the record of how they were made.

    `record` is plain JSON (dicts with string keys, lists, strings, numbers, None) and the same for equal runs.
    Queries go to `.words`; `.contexts` answers the same ones. Files of other programs hold words only: `.contexts` then
    has no rows. Of CBOW `.words` are those that are averaged and `.contexts` those that are predicted. Of hierarchical
    softmax `.contexts` are the nodes of its tree, each named by the bits on the way to it: `/` is the root.
    """

    words: Vectors
    contexts: Vectors
    record: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.words.dim != self.contexts.dim:
            raise InputError(
                f"Words of dim {self.words.dim} and contexts of dim {self.contexts.dim} have no product. "
                "Give two matrices of the same dim."
            )

    @classmethod
    def of_words(cls, words: Vectors, record: dict[str, Any] | None = None) -> "Embedding":
        """Words without contexts."""
        return cls(words=words, contexts=Vectors([], np.empty((0, words.dim), np.float32)), record=record or {})

    @property
    def dim(self) -> int:
        """d, the length of each v_w and v_c."""
        return self.words.dim

    @property
    def objective(self) -> str:
        """What the vectors were trained by: "negative", "hs" or "softmax", as in `TrainConfig`."""
        config = self.record.get("config")
        return str(config.get("objective", "negative")) if isinstance(config, dict) else "negative"

    def probability(self, w: str, c: str) -> float:
        """What the model says of c where w is.

        negative  p(D=1 | w, c) = σ(v_c·v_w), the probability that the pair is of the corpus (paper, section 2)
        softmax   p(c | w) = e^(v_c·v_w) / Σ_c' e^(v_c'·v_w), over all contexts c' (equation 3)
        hs        p(c | w) = Π_n σ(±v_n·v_w), along the way to c (see `hierarchical.py`)

        Of CBOW it is that of c in a window which has w alone.
        """
        if not len(self.contexts):
            raise InputError(
                "A probability needs the vectors of contexts, and these vectors hold no contexts. "
                "Take a .loom file that pairloom trained."
            )
        v_w = self.words[w].astype(np.float64)
        if self.objective == "hs":
            return self._probability_by_tree(v_w, self.words.get_index(c))
        x = float(self.contexts[c].astype(np.float64) @ v_w)
        if self.objective == "softmax":
            products = self.contexts.vectors @ v_w
            return float(1 / np.exp(products - x).sum())
        return float(sigmoid(x))

    def _probability_by_tree(self, v_w: Float64s, c: int) -> float:
        if len(self.contexts) != len(self.words) - 1:
            raise InputError(
                "A probability by hierarchical softmax needs the whole tree, and only a part of the model is here. "
                "Load it without limit."
            )
        way = slice(*self._tree.starts[c : c + 2])
        v_n = self.contexts.vectors[self._tree.nodes[way]].astype(np.float64)
        return math.exp(-way_loss(v_w, v_n, self._tree.bits[way]))

    @cached_property
    def _tree(self) -> Tree:
        return huffman(self.words.counts)

    def similarity(self, a: str, b: str) -> float:
        """`Vectors.similarity` of the words."""
        return self.words.similarity(a, b)

    def most_similar(self, positive: Query = (), negative: Query = (), topn: int = 10, **options: Any) -> Neighbours:
        """`Vectors.most_similar` of the words."""
        return self.words.most_similar(positive, negative, topn, **options)

    def combined(self) -> Vectors:
        """v_w + v_c for every word that is also a context (Levy, Goldberg and Dagan 2015: better at similarity)."""
        if self.objective == "hs":
            raise InputError(
                "In the place of contexts this model has the nodes of a tree (objective=hs), which are no words to add "
                "to words. Use .words."
            )
        both = [word for word in self.words if word in self.contexts]
        if not both:
            raise InputError("No word of this model is also a context, so there is nothing to add up. Use .words.")
        w, c = self.words.vectors_for_all(both), self.contexts.vectors_for_all(both)
        return Vectors(both, w.vectors + c.vectors, w.counts)

    def fold_in(self, corpus: object = None, **options: Any) -> "FoldedIn":
        """Vectors for words that are new, with the contexts as they are: see `pairloom.fold_in.fold_in`."""
        from pairloom.fold_in import fold_in  # downstream, like formats

        return fold_in(self, corpus, **options)

    def with_words(self, folded: "FoldedIn") -> "Embedding":
        """This model and the words that `fold_in` made for it, after its own."""
        from pairloom.fold_in import with_words

        return with_words(self, folded)

    def save(self, path: str | os.PathLike[str], format: str | None = None, dtype: str = "float32") -> None:
        """Write to a file, in the format that is named or that the suffix says: see `pairloom.formats`.

        `dtype="float16"` halves the size of a native file, or of a folder of format "static", and keeps three digits.
        """
        from pairloom.formats import save  # formats stand downstream: the look ahead is only for this convenience

        save(self, path, format, dtype)

    def __getitem__(self, word: str) -> npt.NDArray[np.float32]:
        return self.words[word]

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __repr__(self) -> str:
        return f"Embedding(n_words={len(self)}, n_contexts={len(self.contexts)}, dim={self.dim})"


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
