"""Reading vectors from a Parquet table: a column of words, a column of lists of D numbers and, if any, one of counts.

These are `word`, `vector` and `count` in our own files. Other programs may call them otherwise: the column of words is
found by a usual name, or is the only one of strings, and that of vectors likewise.
"""

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.corpus.inputs.arrow_rows import reading
from pairloom.errors import Fault
from pairloom.formats.opening import FREELY_UNPACKED, GET_AGAIN, LENIENTLY, ReadOptions, open_vector_file
from pairloom.formats.rows import check_finite
from pairloom.formats.word_list import first_rows
from pairloom.system.display import number_of, quoted
from pairloom.types import Counts, Matrix, PathName
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors

_WORDS = ("word", "text", "token", "term", "item", "key", "name")
_VECTORS = ("vector", "embedding", "vectors", "embeddings", "values")
_COUNTS = ("count", "counts", "frequency", "freq")
_MAX_RATIO = 64  # floats unpack to a few times their packed size, unless somebody made them to fill the memory
_COLUMNS = "Name them `word` and `vector`."


class _Rows(NamedTuple):
    """Some rows of a file."""

    words: list[str]
    vectors: Matrix
    counts: Counts | None


def read(path: PathName, options: ReadOptions) -> Embedding:
    """Read a file, a thousand rows at a time."""
    with open_vector_file(path) as source, reading(os.fspath(path), "Parquet"):
        from arro3.io import read_parquet

        parts, n_rows, n_bytes = [], 0, 0
        for rows in _all_rows(read_parquet(source.stream), options):
            parts.append(rows)
            n_rows, n_bytes = n_rows + len(rows.words), n_bytes + rows.vectors.nbytes + sum(map(len, rows.words))
            if n_bytes > FREELY_UNPACKED + _MAX_RATIO * source.max_bytes:
                raise Fault(f"it unpacks to more than {_MAX_RATIO} times its size, which vectors never do. {GET_AGAIN}")
            if options.limit is not None and n_rows >= options.limit:
                break
        return _embedding(parts, options)


def _embedding(parts: list[_Rows], options: ReadOptions) -> Embedding:
    if not parts:
        raise Fault(f"it has no rows. {GET_AGAIN}")
    words = [word for part in parts for word in part.words][: options.limit]
    dims = sorted({part.vectors.shape[1] for part in parts})
    if len(dims) > 1:
        raise Fault(f"its vectors have {dims[0]} and {dims[-1]} numbers. All must have as many. {GET_AGAIN}")
    if not options.lenient:
        _check_words(words)
    vectors = np.concatenate([part.vectors for part in parts])[: len(words)]
    counted = [part.counts for part in parts if part.counts is not None]
    counts = np.concatenate(counted)[: len(words)] if counted else None
    kept = first_rows(words)
    if kept is not None:
        words, vectors = [words[row] for row in kept], vectors[kept]
        counts = None if counts is None else counts[kept]
    return Embedding.of_words(Vectors(words, vectors, counts))


def _check_words(words: list[str]) -> None:
    row_of: dict[str, int] = {}
    for row, word in enumerate(words):
        if not word:
            raise Fault(f"row {row} has no word. {GET_AGAIN} To leave such rows out, load it {LENIENTLY}.")
        if row_of.setdefault(word, row) != row:
            raise Fault(
                f"row {row} has the word {quoted(word)} of row {row_of[word]} again. "
                f"Load {LENIENTLY} to keep the first row of each word."
            )


def _all_rows(reader: Any, options: ReadOptions) -> Iterator[_Rows]:
    names, types = list(reader.schema.names), list(reader.schema.types)
    word = _column("words", "strings", names, [_is_string(kind) for kind in types], _WORDS)
    vector = _column("vectors", "lists of numbers", names, [_is_vector(kind) for kind in types], _VECTORS)
    whole = (j for j, kind in enumerate(types) if names[j].lower() in _COUNTS and kind.is_integer(kind))
    count = next(whole, None)
    first = 0
    for batch in filter(lambda batch: batch.num_rows, reader):
        words, vectors = _words(batch.column(word), first), _matrix(batch.column(vector), first)
        if options.verify:
            check_finite(vectors, [text.encode() for text in words], lambda row, first=first: f"row {first + row}")  # type: ignore[misc]
        yield _Rows(words, vectors, None if count is None else _counts(batch.column(count), first))
        first += batch.num_rows


def _column(what: str, kind: str, names: list[str], fits: list[bool], usual: tuple[str, ...]) -> int:
    """The number of a column: one of a usual name that fits, or the only one that does."""
    fitting = [j for j, fit in enumerate(fits) if fit]
    named = sorted((usual.index(names[j].lower()), j) for j in fitting if names[j].lower() in usual)
    if named:
        return named[0][1]
    if len(fitting) != 1:
        found = ", ".join(map(quoted, names[:20])) or "none"
        raise Fault(
            f"it has {number_of(len(fitting), 'column')} of {kind} for the {what}, and none has a usual name. Its "
            f"columns are {found}. {_COLUMNS}"
        )
    return fitting[0]


def _is_string(kind: Any) -> bool:
    return any(is_kind(kind) for is_kind in (kind.is_string, kind.is_large_string, kind.is_string_view))


def _is_vector(kind: Any) -> bool:
    is_list = any(is_kind(kind) for is_kind in (kind.is_list, kind.is_large_list, kind.is_fixed_size_list))
    return is_list and (kind.is_floating(kind.value_type) or kind.is_integer(kind.value_type))


def _words(column: Any, first: int) -> list[str]:
    words: list[str] = column.to_pylist()
    if column.null_count:
        raise Fault(f"row {first + words.index(None)} has no word. {GET_AGAIN}")  # type: ignore[arg-type]
    return words


def _matrix(column: Any, first: int) -> Matrix:
    from arro3.core import list_flatten, list_offsets

    n, kind = len(column), column.type
    if column.null_count:
        raise Fault(f"of the rows from {first} on, {column.null_count} have no vector. {GET_AGAIN}")
    numbers = list_flatten(column)
    if numbers.null_count:
        raise Fault(f"the vectors of the rows from {first} on lack {numbers.null_count} of their numbers. {GET_AGAIN}")
    if not kind.is_fixed_size_list(kind):
        _check_even(np.diff(_array(list_offsets(column))), first)
    values = _array(numbers)
    if len(values) < n or len(values) % n:
        raise Fault(f"its vectors from row {first} on are empty. {GET_AGAIN}")
    with np.errstate(over="ignore"):  # reported by check_finite
        return np.ascontiguousarray(values.reshape(n, -1), np.float32)


def _check_even(lengths: npt.NDArray[Any], first: int) -> None:
    other = np.flatnonzero(lengths != lengths[0])
    if len(other):
        raise Fault(
            f"row {first + other[0]} has {lengths[other[0]]} numbers, and row {first} has {lengths[0]}. All must have "
            f"as many. {GET_AGAIN}"
        )


def _counts(column: Any, first: int) -> Counts:
    counts = None if column.null_count else _array(column)
    if counts is None or counts.min() < 0 or counts.max() >= 2**63:
        raise Fault(f"a count of the rows from {first} on is missing or out of range. {GET_AGAIN}")
    return counts.astype(np.int64)


def _array(column: Any) -> npt.NDArray[Any]:
    return np.asarray(column.to_numpy())
