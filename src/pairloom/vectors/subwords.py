"""Words without a row: their vectors are made from their n-grams, as in fastText (Bojanowski et al. 2017).

The n-grams of a word are the pieces of `<word>` of minn to maxn letters. Each is hashed into a bucket, which has a row.
The vector of a word without a row of its own is the mean of the rows of its n-grams. Sums are in float32 and in the
order of fastText, so that they have its bits.

fastText keeps a row for every bucket. `with_spelling` fits rows for the buckets that the words of a model use, a tenth
of them or less. All other buckets share one row, the last.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.errors import UnknownWordError
from pairloom.system.display import number_of, quoted
from pairloom.types import Counts, Matrix
from pairloom.vectors.checking import read_only
from pairloom.vectors.vectors import Vectors

MAX_NGRAM = 50  # letters; 6 is usual. Every letter of a word begins up to this many n-grams
END = b"</s>"  # the end of a sentence, the only word without n-grams
_BASIS = 2166136261  # of FNV-1a: the hash of no bytes
_FEW_NGRAMS = 100_000  # Python sums these in less time than it takes to load the kernel


class Subwords(NamedTuple):
    """The rows of n-grams, after those of some words if there are any, and which n-grams a word has."""

    rows: Matrix  # (n_words + bucket, dim), or (len(used) + 1, dim); mapped from a file or in memory
    n_words: int
    bucket: int
    minn: int
    maxn: int
    used: npt.NDArray[np.int64] | None = None  # the buckets with a row of their own, rising; None: all have one

    def rows_of(self, word: bytes) -> list[int]:
        """The rows of the n-grams of a word: minn to maxn letters of `<word>`, but not `<` or `>` alone.

        An n-gram that occurs twice counts twice.
        """
        text = b"<%b>" % word
        letters = [i for i, byte in enumerate(text) if byte & 0xC0 != 0x80] + [len(text)]
        last = len(letters) - 1
        found = []
        for i in range(last) if word != END else ():
            h = _BASIS
            for n in range(1, min(self.maxn, last - i) + 1):
                h = hash_of(text[letters[i + n - 1] : letters[i + n]], h)
                if n >= self.minn and not (n == 1 and i in (0, last - 1)):
                    found.append(h % self.bucket)
        return [*map(int, self.rows_of_buckets(np.array(found, np.int64)))]

    def rows_of_buckets(self, buckets: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The row of each bucket."""
        if self.used is None:
            return self.n_words + buckets
        at = np.searchsorted(self.used, buckets)
        found = np.append(self.used, -1)[at] == buckets
        return np.where(found, at, len(self.used))

    def mean(self, rows: list[int]) -> npt.NDArray[np.float32]:
        """The mean of some rows: added one by one, then multiplied, both in float32."""
        total = np.zeros(self.rows.shape[1], np.float32)
        with np.errstate(all="ignore"):  # the file may be damaged; `load` looks for values that are not finite
            for row in rows:
                total += self.rows[row]
            return total * np.float32(1.0 / len(rows))


def hash_of(ngram: bytes, h: int = _BASIS) -> int:
    """FNV-1a as in fastText: bytes from 128 on are negative 32-bit numbers. `h` is the hash of the bytes before."""
    for byte in ngram:
        h = (h ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619 & 0xFFFFFFFF
    return h


class SubwordVectors(Vectors):
    """Words with their vectors, and for any other word a vector from its n-grams."""

    def __init__(self, words: list[str], vectors: Matrix, counts: Counts, subwords: Subwords) -> None:
        super().__init__(words, vectors, counts)
        self.subwords = subwords._replace(rows=read_only(subwords.rows, np.float32))

    @classmethod
    def of(cls, vectors: Vectors, subwords: Subwords) -> "SubwordVectors":
        """The words of some vectors, stored as there, and vectors for all other words."""
        made = cls.__new__(cls)
        made.__dict__.update(vectors.__dict__)
        made.subwords = subwords._replace(rows=read_only(subwords.rows, np.float32))
        return made

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.subwords.rows.flags.writeable = False

    def has_vector(self, word: object) -> bool:
        return word in self or (isinstance(word, str) and bool(self._rows_for(word)))

    def _vector_without_row(self, word: object) -> npt.NDArray[np.float32]:
        """The mean of the rows of the word's n-grams, or an UnknownWordError if it has none."""
        if not isinstance(word, str):
            return super()._vector_without_row(word)
        rows = self._rows_for(word)
        if not rows:
            raise UnknownWordError(
                f"{quoted(word)} is not among the {number_of(len(self), 'word')} of these vectors, and has no n-grams "
                f"of {self.subwords.minn} to {self.subwords.maxn} letters to make a vector from."
            )
        return self.subwords.mean(rows)

    def _rows_for(self, word: str) -> list[int]:
        """The rows whose mean is the vector of a word without a row here."""
        return self.subwords.rows_of(word.encode("utf-8", "replace"))


def fitted_subwords(vectors: Vectors) -> Subwords | None:
    """The n-grams that `with_spelling` fitted, if it did. Those of a fastText file belong to that file."""
    subwords = vectors.subwords if isinstance(vectors, SubwordVectors) else None
    return None if subwords is None or subwords.used is None else subwords


def with_subwords_of(old: Vectors, words: list[str], vectors: Matrix, counts: Counts) -> Vectors:
    """Other words with their vectors, which make vectors for words without a row as `old` does, if it does."""
    if isinstance(old, SubwordVectors):
        return SubwordVectors(words, vectors, counts, old.subwords)
    return Vectors(words, vectors, counts)


def word_vectors(subwords: Subwords, words: list[bytes]) -> Matrix:
    """The vectors of the first words of a dictionary: the mean of a word's own row and those of its n-grams."""
    vectors = np.empty((len(words), subwords.rows.shape[1]), np.float32)
    if sum(map(len, words)) * max(subwords.maxn, 1) <= _FEW_NGRAMS:
        for row, word in enumerate(words):
            vectors[row] = subwords.mean([row, *subwords.rows_of(word)])
        return vectors
    from pairloom.kernel.text.subwords import mean_rows

    text, ends = _marked_text(words)
    mean_rows(text, ends, subwords.rows, subwords.n_words, subwords.bucket, subwords.minn, subwords.maxn, vectors)
    return vectors


def listed_ngrams(
    words: list[bytes], bucket: int, minn: int, maxn: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
    """The number of n-grams of each word, and the buckets of all of them, one word after the other."""
    from pairloom.kernel.text import subwords as kernel

    text, ends = _marked_text(words)
    lengths = np.zeros(len(words), np.int64)
    kernel.count_ngrams(text, ends, minn, maxn, lengths)
    buckets = np.empty(lengths.sum(), np.uint32)
    kernel.list_ngrams(text, ends, bucket, minn, maxn, buckets)
    return lengths, buckets


def _marked_text(words: list[bytes]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """The bytes of every `<word>`, joined, and where each ends. Of a word without n-grams there are none."""
    texts = [b"<%b>" % word if word != END else b"" for word in words]
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
    return np.frombuffer(b"".join(texts), np.uint8), ends
