"""Writing fastText's `.bin`, in the layout that `fasttext.py` states (version 12), for fastText, gensim and others.

There the vector of a word with n n-grams is the mean of its own row and the rows u_g of its n-grams. So its own row is
(n + 1) v_w - Σ_g u_g, which makes the mean v_w but for rounding. The rows of n-grams are those of `with_spelling` or of
a fastText file. Without any, the file has words only. Output rows are the v_c of the words, zero where there is none.
"""

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from pairloom.errors import InputError
from pairloom.formats.detect import FASTTEXT_MAGIC
from pairloom.system.display import quoted
from pairloom.system.files import atomic_write
from pairloom.types import Counts, Float64s, Matrix, PathName
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.record import recorded_options
from pairloom.vectors.subwords import Subwords, SubwordVectors, listed_ngrams
from pairloom.vectors.vectors import Vectors

_AT_ONCE = 1024  # rows that are written at a time
_WORD = 0  # the type of an entry of the dictionary that is not a label
_NOT_PRUNED = -1


def write(embedding: Embedding, path: PathName) -> None:
    """Write the words, their vectors and n-grams, and the contexts."""
    words = _writable(embedding.words)
    subwords = _subwords(embedding.words)
    n, dim = len(words), embedding.dim
    with atomic_write(path) as file:
        file.write(_head(embedding, subwords))
        counts = embedding.words.counts.tolist()
        file.writelines(b"%b\0" % word + struct.pack("<qb", c, _WORD) for word, c in zip(words, counts, strict=True))
        file.write(struct.pack("<?qq", False, n + subwords.bucket, dim))
        file.writelines(map(_bytes, _own_rows(embedding.words, words, subwords)))
        file.writelines(map(_bytes, _bucket_rows(subwords)))
        file.write(struct.pack("<?qq", False, n, dim))
        file.writelines(map(_bytes, _output_rows(embedding)))


def _writable(vectors: Vectors) -> list[bytes]:
    words = list(vectors.encoded_words())
    if (bad := next((word for word in words if b"\0" in word), None)) is not None:
        raise InputError(
            f"The word {quoted(bad.decode())} holds a NUL, which ends a word in fastText's files. Save as .loom."
        )
    return words


def _subwords(vectors: Vectors) -> Subwords:
    if isinstance(vectors, SubwordVectors):
        return vectors.subwords
    return Subwords(np.empty((0, vectors.dim), np.float32), 0, 0, 0, 0)


def _head(embedding: Embedding, subwords: Subwords) -> bytes:
    """Magic number, version, the arguments of training as far as they are known, and the sizes of the dictionary."""
    known: dict[str, Any] = {**recorded_options(embedding.record)}
    whole = {name: value for name, value in known.items() if type(value) is int and 0 <= value < 1 << 31}
    training = (whole.get(name, default) for name, default in (("window", 5), ("epochs", 5), ("min_count", 1)))
    ngrams = (subwords.bucket, subwords.minn, subwords.maxn)
    arguments = (embedding.dim, *training, whole.get("negatives", 5), 1, 2, 2, *ngrams, 100)  # 2, 2: ns, skipgram
    counts, n = embedding.words.counts, len(embedding)
    dictionary = struct.pack("<3i2q", n, n, 0, int(counts.sum()), _NOT_PRUNED)
    return FASTTEXT_MAGIC + struct.pack("<i12id", 12, *arguments, 1e-4) + dictionary


def _bytes(rows: Matrix) -> bytes:
    return rows.astype("<f4", copy=False).tobytes()


def _own_rows(vectors: Vectors, words: list[bytes], subwords: Subwords) -> Iterator[Matrix]:
    """(n + 1) v_w - Σ_g u_g of each word, some words at a time."""
    for first in range(0, len(words), _AT_ONCE):
        own = vectors.vectors[first : first + _AT_ONCE].astype(np.float64)
        if subwords.bucket:
            some = words[first : first + _AT_ONCE]
            lengths, buckets = listed_ngrams(some, subwords.bucket, subwords.minn, subwords.maxn)
            own *= lengths[:, None] + 1
            _subtract(own, lengths, subwords.rows[subwords.rows_of_buckets(buckets.astype(np.int64))])
        with np.errstate(over="ignore"):
            rows = own.astype(np.float32)
        if not np.isfinite(rows).all():
            row = first + int(np.argmin(np.isfinite(rows).all(axis=1)))
            raise InputError(
                f"The row of {quoted(vectors.words[row])} would be beyond float32. Make the vectors shorter."
            )
        yield rows


def _subtract(own: Float64s, lengths: Counts, rows: Matrix) -> None:
    """own[i] -= the sum of the next lengths[i] rows."""
    has = np.flatnonzero(lengths)
    if len(has):
        starts = np.cumsum(lengths)[has] - lengths[has]
        own[has] -= np.add.reduceat(rows, starts, axis=0, dtype=np.float64)


def _bucket_rows(subwords: Subwords) -> Iterator[Matrix]:
    for first in range(0, subwords.bucket, _AT_ONCE):
        buckets = np.arange(first, min(first + _AT_ONCE, subwords.bucket))
        yield subwords.rows[subwords.rows_of_buckets(buckets)]


def _output_rows(embedding: Embedding) -> Iterator[Matrix]:
    """v_c of the words. (The contexts of hierarchical softmax are the nodes of a tree, not words.)"""
    contexts = embedding.contexts.vectors
    index = {} if embedding.objective == "hs" else embedding.contexts.key_to_index
    for first in range(0, len(embedding), _AT_ONCE):
        at = np.array([index.get(word, -1) for word in embedding.words.words[first : first + _AT_ONCE]])
        rows = np.zeros((len(at), embedding.dim), np.float32)
        rows[at >= 0] = contexts[at[at >= 0]]
        yield rows
