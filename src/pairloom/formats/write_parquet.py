"""Writing a Parquet table: a row for each word, with columns `word`, `count` and `vector` (a list of D float32)."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from pairloom.errors import InputError
from pairloom.system.extras import need
from pairloom.system.files import atomic_write
from pairloom.types import PathName
from pairloom.vectors.vectors import Vectors

_BYTES_AT_ONCE = 64 << 20  # of vectors in a batch
_MAX_ROWS = 1 << 16


def check_installed() -> None:
    """Raise a MissingExtraError if the packages that write Parquet are missing."""
    for module in ("arro3.core", "arro3.io"):
        need(module, "parquet", "Parquet")


def write(vectors: Vectors, path: PathName) -> None:
    """Write a table, a batch of rows at a time."""
    check_installed()
    if not len(vectors):
        raise InputError("There are no words to write. Give vectors of at least one word.")
    list(vectors.encoded_words())
    from arro3.core import RecordBatchReader
    from arro3.io import write_parquet

    rows = max(1, min(_MAX_ROWS, _BYTES_AT_ONCE // (4 * vectors.dim)))
    batches = (_batch(vectors, start, start + rows) for start in range(0, len(vectors), rows))
    first = next(batches)
    with atomic_write(path) as file:
        reader = RecordBatchReader.from_batches(first.schema, _chained(first, batches))
        write_parquet(reader, file, compression="zstd(3)")


def _chained(first: Any, others: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from others


def _batch(vectors: Vectors, start: int, end: int) -> Any:
    from arro3.core import Array, DataType, RecordBatch, fixed_size_list_array

    numbers = np.ascontiguousarray(vectors.vectors[start:end]).reshape(-1)
    return RecordBatch.from_pydict(
        {
            "word": Array(vectors.words[start:end], DataType.string()),
            "count": Array.from_numpy(np.ascontiguousarray(vectors.counts[start:end])),
            "vector": fixed_size_list_array(Array.from_numpy(numbers), vectors.dim),
        }
    )
