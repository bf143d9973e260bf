"""Words with their vectors, and the questions one asks of them: how alike, what is near, how probable.

>>> import numpy as np
>>> v = Vectors(["cat", "dog", "car"], np.array([[2, 1], [1, 1], [-1, 2]], np.float32))
>>> [(word, round(cosine, 2)) for word, cosine in v.most_similar("cat")]
[('dog', 0.95), ('car', 0.0)]
"""

import difflib
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from wordloom.config import is_whole
from wordloom.errors import InputError, UnknownWordError
from wordloom.objective import sigmoid
from wordloom.types import Counts, Matrix

Query = str | npt.NDArray[np.floating] | Sequence[str | npt.NDArray[np.floating]]
Float64s = npt.NDArray[np.float64]

# One lock for all objects: what is made lazily is made once, and an object with a lock of its own could not be copied.
_MAKING = Lock()
_ROWS_AT_ONCE = 4096  # rows turned into float64 together: 3 MB at dim 100
_FREQUENT = 20_000  # words, from the first row on, that are compared letter by letter with a misspelt one


class Vectors:
    """A matrix with a word for each row; the more frequent words usually come first.

    words    list[str], the i-th names row i; each once, none empty
    vectors  float32 (n_words, dim), not writeable; a memory map serves as well as an array
    counts   int64 (n_words,), how often each word was seen; 0 where that is not known

    Cosines are float64 in [-1, 1]; a row of zeros has cosine 0 to everything.
    """

    def __init__(self, words: Iterable[str], vectors: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> None:
        self.words: list[str] = list(words)
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
                f"Row {bad[0]} ({_quoted(self.words[bad[0]])}) of the vectors holds NaN or infinity. "
                "Leave such rows out, or train anew with a lower learning rate."
            )
        return norms

    def check(self, values: bool = True) -> None:
        """Raise an InputError where a word is empty or occurs twice, a count is below 0, a value is not finite.

        `values=False` leaves out the last, which reads the whole matrix.
        """
        if len({"", *self.words}) <= len(self):  # a set costs less than the index, which may never be asked for
            _ = self.key_to_index  # says which word it is
        _ = self.norms if values else None
        if np.any(self.counts < 0):
            word = self.words[int(np.argmin(self.counts))]
            raise InputError(f"The count of {_quoted(word)} is {self.counts.min()}. Counts are 0 or more.")

    def encoded_words(self) -> Iterator[bytes]:
        """The words in UTF-8, for a file; an InputError for what no file should carry, as in `check`, and at once."""
        self.check()
        try:
            "".join(self.words).encode()
        except UnicodeEncodeError as error:  # half of a surrogate pair
            half = error.object[error.start]
            word = next(word for word in self.words if half in word)
            raise InputError(
                f"The word {_quoted(word)} is not Unicode text and cannot be saved. "
                "Read the corpus with its right encoding, or with errors='replace'."
            ) from None
        return map(str.encode, self.words)

    def __getitem__(self, word: str) -> npt.NDArray[np.float32]:
        """The vector of a word, as a view that cannot be written to."""
        row: npt.NDArray[np.float32] = self.vectors[self._row(word)]
        return row

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word in self.key_to_index

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __repr__(self) -> str:
        return f"Vectors(n_words={len(self)}, dim={self.dim})"

    def similarity(self, a: str, b: str) -> float:
        """Cosine of the angle between the vectors of two words."""
        return float(np.clip(self._unit(a) @ self._unit(b), -1.0, 1.0))

    def most_similar(self, positive: Query, negative: Query = (), topn: int = 10) -> list[tuple[str, float]]:
        """The `topn` words nearest by cosine to

            mean of the unit vectors of `positive`, and of minus those of `negative`

        nearest first, the earlier row first where cosines are equal, the words of the query left out.
        Both take a word, a vector or a list of those; as in gensim a given vector counts as it is, not made unit.
        The analogy "man is to king as woman is to ?" is `most_similar(["king", "woman"], ["man"])`.
        """
        if not is_whole(topn) or topn < 0:
            raise InputError(f"topn={topn} is not a number of words. Use 0 or more.")
        asked, refused = _listed(positive), _listed(negative)
        direction = self._direction(asked, refused)
        excluded = sorted({self._row(word) for word in asked + refused if isinstance(word, str)})
        return [(self.words[row], cosine) for row, cosine in self._nearest(direction, excluded, topn)]

    def _row(self, word: str) -> int:
        row = self.key_to_index.get(word) if isinstance(word, str) else None
        if row is None:
            raise UnknownWordError(self._unknown(word))
        return row

    def _unknown(self, word: object) -> str:
        message = f"{_quoted(word)} is not among the {len(self):,} words of these vectors."
        near = _near_spellings(word, self.key_to_index) if isinstance(word, str) else []
        if near:
            return f"{message} Did you mean {' or '.join(map(_quoted, near))}?"
        return f"{message} Words that are rare in a corpus (min_count) get no vector."

    def _unit(self, word: str) -> Float64s:
        row = self._row(word)
        vector: Float64s = self.vectors[row].astype(np.float64)
        return vector / self.norms[row] if self.norms[row] else vector

    def _part(self, part: object) -> Float64s:
        """What a word or a vector adds to a query."""
        if isinstance(part, str):
            return self._unit(part)
        if not isinstance(part, np.ndarray) or part.dtype.kind not in "fiu":
            raise InputError(f"A query is made of words and of arrays of {self.dim} numbers, not of {_quoted(part)}.")
        if part.shape != (self.dim,):
            raise InputError(f"A query vector of shape {part.shape} does not fit: these vectors have dim {self.dim}.")
        return part.astype(np.float64)

    def _direction(self, asked: list[object], refused: list[object]) -> Float64s:
        """The unit vector along sum(asked) - sum(refused), which is also that of their mean."""
        if not asked and not refused:
            raise InputError("The query is empty. Give a word, a vector or a list of those.")
        parts = [self._part(part) for part in asked] + [-self._part(part) for part in refused]
        total: Float64s = np.sum(parts, axis=0)
        length = float(np.linalg.norm(total))
        if not math.isfinite(length):
            raise InputError("The query vector holds NaN, infinity or numbers too large. Give finite numbers.")
        if length <= 1e-12 * sum(float(np.linalg.norm(part)) for part in parts):  # what rounding leaves of zero
            raise InputError("The query adds up to the zero vector, which points nowhere. Ask for something else.")
        return total / length

    def _nearest(self, direction: Float64s, excluded: list[int], topn: int) -> list[tuple[int, float]]:
        """Rows and cosines: all rows roughly by one product in float32, the few that may win again in float64."""
        k = min(topn, len(self) - len(excluded))
        if k < 1:
            return []
        rough = self._rough_cosines(direction)
        rough[excluded] = -np.inf
        # Each rough cosine is off by at most (dim + a few) * 2^-24, and so is the k-th best that it is compared with.
        margin = 2 * (self.dim + 8) * 2.0**-24
        rows = np.flatnonzero(rough >= np.partition(rough, -k)[-k] - margin)
        cosines = self._cosines(rows, direction)
        best = np.lexsort((rows, -cosines))[:k]
        return [(int(rows[i]), float(cosines[i])) for i in best]

    def _rough_cosines(self, direction: Float64s) -> Float64s:
        with np.errstate(all="ignore"):
            dots = self.vectors @ direction.astype(np.float32)
        cosines = np.divide(dots, self.norms, out=np.zeros(len(self)), where=self.norms > 0)
        # float32 sums overflow or lose their digits in rows this long or short.
        extreme = np.flatnonzero((self.norms > 1e30) | (self.norms < 1e-30))
        cosines[extreme] = self._cosines(extreme, direction)
        return cosines

    def _cosines(self, rows: npt.NDArray[np.intp], direction: Float64s) -> Float64s:
        """Cosines in float64. Each row is summed in the same order, so equal rows have equal cosines."""
        dots = np.empty(len(rows))
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            block = self.vectors[rows[start : start + _ROWS_AT_ONCE]].astype(np.float64)
            dots[start : start + _ROWS_AT_ONCE] = (block * direction).sum(axis=1)
        norms = self.norms[rows]
        return np.clip(np.divide(dots, norms, out=np.zeros(len(rows)), where=norms > 0), -1.0, 1.0)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Embedding:
    """What training gives: v_w for the words, v_c for the contexts, and the record of how they were made.

    `record` is plain JSON (dicts with string keys, lists, strings, numbers, None) and the same for equal runs.
    Queries go to `.words`; `.contexts` answers the same ones.
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

    @property
    def dim(self) -> int:
        """d, the length of each v_w and v_c."""
        return self.words.dim

    def probability(self, w: str, c: str) -> float:
        """p(D=1 | w, c) = sigma(v_c . v_w), the probability that the pair is of the corpus (paper, section 2)."""
        x = float(self.contexts[c].astype(np.float64) @ self.words[w].astype(np.float64))
        return float(sigmoid(x))

    def similarity(self, a: str, b: str) -> float:
        """`Vectors.similarity` of the words."""
        return self.words.similarity(a, b)

    def most_similar(self, positive: Query, negative: Query = (), topn: int = 10) -> list[tuple[str, float]]:
        """`Vectors.most_similar` of the words."""
        return self.words.most_similar(positive, negative, topn)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to a file whose suffix says the format: see `wordloom.formats`."""
        from wordloom.formats import save  # formats stand downstream: the look ahead is only for this convenience

        save(self, path)

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
    view = np.asarray(values, dtype=dtype).view()
    view.flags.writeable = False
    return view


def _rows_of(words: list[str]) -> dict[str, int]:
    index = {word: row for row, word in enumerate(words)}
    if "" in index:
        raise InputError(f"Row {index['']} belongs to an empty word. Give every row a word.")
    for row, word in enumerate(words) if len(index) < len(words) else ():
        if index[word] != row:
            again = words.index(word, row + 1)
            raise InputError(f"Rows {row} and {again} both belong to {_quoted(word)}. Give every word one row.")
    return index


def _listed(query: object) -> list[object]:
    """A query as a list of words and arrays; what else is in it is refused later, by name."""
    if isinstance(query, str) or not isinstance(query, Iterable):
        return [query]
    if hasattr(query, "__array__"):
        array = np.asarray(query)
        return [array] if array.ndim == 1 and array.dtype.kind in "fiu" else list(array)
    return [np.asarray(item) if hasattr(item, "__array__") and not isinstance(item, str) else item for item in query]


def _quoted(thing: object) -> str:
    """repr, which keeps a word with line breaks on one line; cut where it is long."""
    text = repr(thing)
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text):,} characters)"


def _near_spellings(word: str, index: Mapping[str, int]) -> list[str]:
    """At most two known words that one may have meant, the likeliest first, the more frequent first among equals.

    difflib would need seconds for a million words. It sees only those that one mistake or another case of the
    letters makes of `word`, found by looking them up, and the frequent words of nearly its length.
    """
    if not 1 < len(word) <= 40:
        return []
    frequent = [known for known, _ in zip(index, range(_FREQUENT), strict=False)]
    alphabet = {letter for known in frequent[:1000] for letter in known[:20]}
    likely = [known for known in _one_mistake_away(word, alphabet) if known in index]
    likely += [known for known in frequent if abs(len(known) - len(word)) <= 2]
    close = difflib.get_close_matches(word, dict.fromkeys(likely), n=100, cutoff=0.6)
    in_another_case = [known for known in (word.lower(), word.capitalize(), word.upper()) if known in index]
    close.sort(key=lambda known: (-difflib.SequenceMatcher(None, known, word).ratio(), index[known]))
    return list(dict.fromkeys(in_another_case + close))[:2]


def _one_mistake_away(word: str, alphabet: set[str]) -> Iterator[str]:
    """Every spelling with one letter left out, put in, put for another, or two neighbours swapped."""
    for i in range(len(word) + 1):
        before, after = word[:i], word[i:]
        yield before + after[1:]
        yield before + after[1:2] + after[:1] + after[2:]
        for letter in alphabet:
            yield before + letter + after
            yield before + letter + after[1:]
