"""The native format: W, C, the two vocabularies and the record, in the layout of `tensors.py`.

Version 2 has the rows of n-grams in addition, and version 3 has matrices of int8. Each is written only where it is
needed, so that all other files stay readable by programs that know only version 1.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.errors import Fault, InputError
from pairloom.system.display import number_of, quoted
from pairloom.system.tensors import (
    DAMAGED,
    FOREIGN,
    Content,
    Layout,
    Tensors,
    check_tensors,
    mapped_as,
    read_header,
    write,
)
from pairloom.system.verified import FileState
from pairloom.types import PathName
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.names import PackedWords
from pairloom.vectors.record import MAX_DEPTH, fault_in, is_too_deep
from pairloom.vectors.stored import StoredMatrix, as_int8
from pairloom.vectors.subwords import MAX_NGRAM, Subwords, SubwordVectors, fitted_subwords
from pairloom.vectors.vectors import Vectors

Verify = bool | Literal["always"]

# In the order of the file: the widest numbers first, so that each tensor begins at a multiple of its number's size.
_INTEGERS = dict.fromkeys(("word_offsets", "word_counts", "context_offsets", "context_counts"), ("I64",))
_MATRICES = dict.fromkeys(("W", "C"), ("F32", "F16"))
_TEXTS = dict.fromkeys(("words", "contexts"), ("U8",))
_NGRAM_INTEGERS = dict.fromkeys(("ngram_sizes", "ngram_buckets"), ("I64",))
_NGRAMS = (*_NGRAM_INTEGERS, "ngrams")
_COMPACT = Layout(
    "pairloom",
    3,
    {
        **_INTEGERS,
        **_NGRAM_INTEGERS,
        **dict.fromkeys(("W_scales", "C_scales"), ("F32",)),
        "ngrams": ("F32",),
        **dict.fromkeys(("W", "C"), ("I8",)),
        **_TEXTS,
    },
    optional=frozenset(_NGRAMS),
    matrices=frozenset({"W", "C", "ngrams"}),
)
_WITH_SPELLING = Layout(
    "pairloom",
    2,
    {**_INTEGERS, **_NGRAM_INTEGERS, **_MATRICES, "ngrams": ("F32", "F16"), **_TEXTS},
    matrices=frozenset({"W", "C", "ngrams"}),
    later=_COMPACT,
)
_LAYOUT = Layout(
    "pairloom",
    1,
    {**_INTEGERS, **_MATRICES, **_TEXTS},
    matrices=frozenset({"W", "C"}),
    later=_WITH_SPELLING,
)
_MOST_BUCKETS = 1 << 31  # fastText's numbers have 32 bits
_FLOAT16_END = 65520  # this and larger numbers are rounded to infinity


def save(embedding: Embedding, path: PathName, dtype: str = "float32") -> None:
    """Write an embedding."""
    if dtype == "float16":
        check_float16(embedding.words)
        check_float16(embedding.contexts)
        _check_ngrams_float16(embedding.words)
    if (name := fault_in(embedding.record)) is not None:
        raise InputError(
            f"The record of the embedding has {quoted(embedding.record[name])} for {name}. Put it under another name."
        )
    tensors, record = _tensors(embedding), embedding.record
    spelling = fitted_subwords(embedding.words)
    if spelling is None:  # and no word of it in the record, which may be that of another model
        record = {name: value for name, value in record.items() if name != "spelling"}
    else:
        tensors |= _ngram_tensors(spelling)
    layout = _LAYOUT if spelling is None else _WITH_SPELLING
    if dtype == "int8":
        layout, tensors = _COMPACT, tensors | _compact("W", embedding.words) | _compact("C", embedding.contexts)
    write(path, layout, tensors, record, half=dtype == "float16")


def check_float16(vectors: Vectors) -> None:
    """Refuse numbers that are infinite in float16."""
    vectors.check()
    largest = np.maximum(vectors.vectors.max(axis=1, initial=0), -vectors.vectors.min(axis=1, initial=0))
    if np.any(largest >= _FLOAT16_END):
        row = int(np.argmax(largest))
        raise InputError(
            f"Row {row} ({quoted(vectors.words[row])}) holds a number of size {largest[row]:g}, and float16 ends at "
            "65504. Save as float32."
        )


def _check_ngrams_float16(words: Vectors) -> None:
    spelling = fitted_subwords(words)
    if spelling is not None and np.any(np.abs(spelling.rows) >= _FLOAT16_END):
        raise InputError("The rows of n-grams hold a number beyond 65504, where float16 ends. Save as float32.")


def _tensors(embedding: Embedding) -> Tensors:
    words, contexts = embedding.words, embedding.contexts
    tensors: Tensors = {"W": words.vectors, "C": contexts.vectors}
    tensors["word_counts"], tensors["context_counts"] = words.counts, contexts.counts
    tensors["words"], tensors["word_offsets"] = _packed(words)
    tensors["contexts"], tensors["context_offsets"] = _packed(contexts)
    return tensors


def _ngram_tensors(subwords: Subwords) -> Tensors:
    assert subwords.used is not None
    sizes = np.array([subwords.bucket, subwords.minn, subwords.maxn], np.int64)
    return {"ngram_sizes": sizes, "ngram_buckets": subwords.used, "ngrams": subwords.rows}


def _compact(name: str, vectors: Vectors) -> Tensors:
    """A matrix as int8 with its scales. One that is int8 already stays as it is, to the bit."""
    matrix = vectors.packed if vectors.packed.scales is not None else as_int8(vectors.vectors)
    assert matrix.scales is not None
    return {name: matrix.numbers, f"{name}_scales": matrix.scales}


def _packed(vectors: Vectors) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """The words joined in UTF-8, and where each begins and ends."""
    lengths = np.fromiter(map(len, vectors.encoded_words()), np.int64, len(vectors))
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    return np.frombuffer("".join(vectors.words).encode(), np.uint8), offsets


def load(path: PathName, verify: Verify = True) -> Embedding:
    """Read an embedding, memory-mapped. Raises an InputError that says what is wrong with the file, and where.

    All checks are made when a file is first loaded, and again when it has changed since (see `verified.py`).
    `verify="always"` makes them in any case. `verify=False` skips the checks that read both matrices whole: their
    hashes, and the search for values that are not finite.
    """
    data, status = mapped_as(Path(path))
    return read_from(data, os.fspath(path), verify, lambda digest: FileState(Path(path), status, digest))


def read_from(
    data: memoryview, name: str, verify: Verify = True, state_of: Callable[[str], FileState] | None = None
) -> Embedding:
    """Read the content of a file called `name`. `state_of` the digest of its header is the file to remember."""
    try:
        content = read_header(data, _LAYOUT)
        state = None if state_of is None else state_of(content.digest)
        if state is not None and verify != "always" and state.is_verified():
            return _embedding(content, _Checks(words=False, values=False))
        check_tensors(content, frozenset() if verify else _WITH_SPELLING.matrices)
        embedding = _embedding(content, _Checks(words=True, values=bool(verify)))
    except Fault as fault:
        raise InputError(f"{name} cannot be loaded: {fault}") from None
    if state is not None and verify:
        state.remember()
    return embedding


class _Checks(NamedTuple):
    """What to check beyond hashes."""

    words: bool
    values: bool


def _embedding(content: Content, checks: _Checks) -> Embedding:
    tensors, record = content.tensors, content.record
    _check_shapes({name: list(tensor.shape) for name, tensor in tensors.items()})
    if is_too_deep(record):
        raise Fault(f"the record is nested more than {MAX_DEPTH} deep. {DAMAGED}")
    if (wrong := fault_in(record)) is not None:
        raise Fault(f"its record has {quoted(record[wrong])} for {wrong}, which no pairloom writes. {FOREIGN}")
    words = _vectors(tensors, ("W", "words", "word_offsets", "word_counts"), checks)
    contexts = _vectors(tensors, ("C", "contexts", "context_offsets", "context_counts"), checks)
    if any(name in tensors for name in _NGRAMS):
        words = SubwordVectors.of(words, _subwords(tensors, checks.values))
    return Embedding(words=words, contexts=contexts, record=record)


def _check_shapes(shapes: dict[str, list[int]]) -> None:
    """W [n, d] and C [m, d] determine the shapes of all others but the two texts."""
    (n, d), (m, _) = shapes["W"], shapes["C"]
    expected = {"C": [m, max(d, 1)], "word_offsets": [n + 1], "word_counts": [n]}
    expected |= {"W": [n, max(d, 1)], "context_offsets": [m + 1], "context_counts": [m]}
    expected |= {"W_scales": [n], "C_scales": [m]} if "W_scales" in shapes else {}
    for name, shape in expected.items():
        if shapes[name] != shape:
            raise Fault(f"tensor {name} of shape {quoted(shapes[name])} does not fit the others. {DAMAGED}")


def _subwords(tensors: Tensors, verify: bool) -> Subwords:
    """The n-grams, after a check that sizes, buckets and rows fit each other."""
    if not tensors.keys() >= set(_NGRAMS):
        raise Fault(f"it has some of the tensors {', '.join(_NGRAMS)}, but not all. {DAMAGED}")
    sizes, used, rows = (tensors[name] for name in _NGRAMS)
    if len(sizes) != 3 or not (0 < sizes[0] <= _MOST_BUCKETS and 1 <= sizes[1] <= sizes[2] <= MAX_NGRAM):
        raise Fault(f"tensor ngram_sizes is {quoted(sizes.tolist())}. {DAMAGED}")
    bucket, minn, maxn = sizes.tolist()
    if rows.shape != (len(used) + 1, tensors["W"].shape[1]):
        raise Fault(f"tensor ngrams of shape {quoted(list(rows.shape))} does not fit the others. {DAMAGED}")
    if np.any(np.diff(used, prepend=-1, append=bucket) <= 0):
        raise Fault(f"the numbers of tensor ngram_buckets do not rise from 0 to {bucket - 1:,}. {DAMAGED}")
    if verify and not np.isfinite(rows).all():
        raise Fault(f"tensor ngrams holds NaN or infinity. {DAMAGED}")
    return Subwords(rows, 0, bucket, minn, maxn, used)


def _vectors(tensors: Tensors, names: tuple[str, str, str, str], checks: _Checks) -> Vectors:
    matrix, blob, offsets, counts = names
    packed = PackedWords(tensors[blob], tensors[offsets])
    rows = StoredMatrix(tensors[matrix], tensors.get(f"{matrix}_scales"))
    if not checks.words:
        return Vectors(packed, rows, tensors[counts])
    _check_scales(matrix, rows)
    vectors = Vectors(_unpacked(blob, packed), rows, tensors[counts])
    try:
        vectors.check(values=checks.values)
    except InputError as error:
        raise Fault(f"tensors {matrix} and {blob}: {error}") from None
    return vectors


def _check_scales(matrix: str, rows: StoredMatrix) -> None:
    if rows.scales is not None and not (np.isfinite(rows.scales) & (rows.scales >= 0)).all():
        raise Fault(f"tensor {matrix}_scales holds NaN, infinity or a number below 0. {DAMAGED}")


def _unpacked(name: str, packed: PackedWords) -> list[str]:
    size, offsets = len(packed.text), packed.offsets
    if offsets[0] != 0 or offsets[-1] != size or np.any(offsets[1:] <= offsets[:-1]):
        raise Fault(f"the offsets of tensor {name} do not rise from 0 to its {number_of(size, 'byte')}. {DAMAGED}")
    try:
        return packed.strings()
    except UnicodeDecodeError as error:
        raise Fault(f"tensor {name} holds a word that is not UTF-8 ({quoted(error.object)}). {DAMAGED}") from None
