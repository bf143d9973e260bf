"""Writing tables for other programs: CSV, and NumPy's .npz.

csv   a line for each word: the word, its count, and a number for each dimension; the first line names them
npz   arrays `words` (strings), `counts` (int64) and `vectors` (float32), which np.load reads without pickle
"""

import csv
import io
from collections.abc import Iterator
from itertools import chain

import numpy as np

from pairloom.errors import InputError
from pairloom.system.display import format_bytes, quoted
from pairloom.system.files import atomic_write, packed_write
from pairloom.types import PathName
from pairloom.vectors.vectors import Vectors

_MOST_BYTES = 1 << 30  # of the words in .npz, where each takes as much as the longest


def write_csv(vectors: Vectors, path: PathName) -> None:
    """Write a CSV file in UTF-8. Nine digits are enough to restore every float32 exactly."""
    lines = csv_lines(vectors)
    with packed_write(path) as file:
        file.writelines(lines)


def csv_lines(vectors: Vectors) -> Iterator[bytes]:
    """The lines of a CSV file. All words are checked before the first line."""
    vectors.encoded_words()
    numbers = ",%d" + ",%.9g" * vectors.dim + "\n"
    rows = zip(vectors.words, vectors.counts.tolist(), vectors.vectors, strict=True)
    lines = ((_cell(word) + numbers % (n, *row.tolist())).encode() for word, n, row in rows)
    return chain([",".join(["word", "count", *map(str, range(vectors.dim))]).encode() + b"\n"], lines)


def _cell(word: str) -> str:
    """A word, in quotes if it needs them."""
    text = io.StringIO()
    csv.writer(text).writerow([word])  # a writer quotes line ends only if it writes some itself
    return text.getvalue().removesuffix("\r\n")


def write_npz(vectors: Vectors, path: PathName) -> None:
    """Write arrays for `np.load`."""
    vectors.encoded_words()
    size = 4 * len(vectors) * max(map(len, vectors.words), default=0)
    if size > _MOST_BYTES:
        raise InputError(
            f"The words would take {format_bytes(size)} in .npz, where each takes as much as the longest. "
            "Save as .loom or .parquet, or leave out the longest words."
        )
    if (word := next((word for word in vectors.words if word.endswith("\0")), None)) is not None:
        raise InputError(f"The word {quoted(word)} ends in NUL, which .npz cannot hold. Save as .loom or .parquet.")
    with atomic_write(path) as file:
        np.savez(file, words=np.array(vectors.words, "U"), counts=vectors.counts, vectors=vectors.vectors)
