"""What the readers of all formats do with rows: check the size that a header promises, allocate, look for NaN."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from pairloom.errors import Fault
from pairloom.formats.opening import GET_AGAIN
from pairloom.system.display import format_bytes, number_of, quoted
from pairloom.types import Matrix

_MAX_DIM = 1 << 20  # a row is read at once

Hashes = npt.NDArray[np.int64]
Destination = Callable[[int, int], Matrix]  # (first row, number of rows) -> the matrix that their numbers go into
RowName = Callable[[int], str]  # the name of the i-th row in messages, for example "line 3"


def check_size(rows: int, dim: int, min_bytes: int, max_bytes: int) -> None:
    """Refuse a header that promises more than the file can hold, before memory is allocated for it."""
    if rows < 0 or dim < 1:
        raise Fault(f"its first line promises {number_of(rows, 'row')} of {number_of(dim, 'number')}. {GET_AGAIN}")
    if min_bytes > max_bytes:
        raise Fault(
            f"{number_of(rows, 'row')} of {number_of(dim, 'number')}, as its first line promises, take at least "
            f"{number_of(min_bytes, 'byte')}, and there are at most {max_bytes:,}. It was cut short, or is of another "
            f"format. {GET_AGAIN}"
        )
    if dim > _MAX_DIM:
        raise Fault(
            f"its first line promises rows of {number_of(dim, 'number')}, more than the limit of {_MAX_DIM:,}. "
            f"{GET_AGAIN}"
        )


def new_rows(rows: int, dim: int) -> tuple[Matrix, Hashes]:
    """A matrix for the rows of a file, and an array for the hashes of their words.

    The system provides the memory only when it is written to.
    """
    try:
        return np.empty((rows, dim), np.float32), np.empty(rows, np.int64)
    except (MemoryError, ValueError):  # ValueError: larger than the address space
        raise Fault(
            f"{number_of(rows, 'row')} of {number_of(dim, 'number')} take {format_bytes(4 * rows * dim)}, more memory "
            "than there is. Load only the first rows by limit= (pairloom convert --limit)."
        ) from None


def check_finite(vectors: Matrix, words: Sequence[bytes], row_name: RowName) -> None:
    """Refuse NaN, infinity and numbers that are infinite in float32."""
    finite = np.isfinite(vectors)
    if not finite.all():
        row = int(np.argmin(finite.all(axis=1)))
        word = words[row].decode(errors="replace")
        raise Fault(
            f"{row_name(row)} ({quoted(word)}) holds NaN, infinity or a number beyond float32. "
            "Correct its file, or leave the row out of it."
        )
