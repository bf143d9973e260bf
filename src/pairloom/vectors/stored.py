"""A matrix as a file or an array holds it: float32, float16, or int8 with a scale for each row.

int8 takes a quarter of the bytes of float32: row i is scales[i] * numbers[i], with scales[i] = max |row i| / 127. Each
number is off by at most half a scale, and a cosine of 300 numbers by about 0.0005.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.errors import InputError
from pairloom.system.display import quoted
from pairloom.types import Float64s, Matrix, Rows
from pairloom.vectors.checking import read_only

_MOST = 127  # of int8, without -128
_ROWS_AT_ONCE = 4096


class StoredMatrix(NamedTuple):
    """Numbers of any of the three types, and the scales of int8."""

    numbers: npt.NDArray[Any]  # (n, dim), C-contiguous, not writeable
    scales: npt.NDArray[np.float32] | None = None  # (n,), of int8 only

    def rows(self, some: slice | Rows) -> Matrix:
        """Some rows as float32. A slice of float32 is a view."""
        wide = self.numbers[some].astype(np.float32, copy=False)
        if self.scales is not None:
            wide = wide * self.scales[some, None]
        return wide

    def whole(self) -> Matrix:
        """All rows as float32, not writeable: the numbers themselves if they are float32, otherwise a new matrix."""
        if self.numbers.dtype == np.float32:
            return self.numbers
        wide = np.empty(self.numbers.shape, np.float32)
        for start in range(0, len(wide), _ROWS_AT_ONCE):
            some = slice(start, start + _ROWS_AT_ONCE)
            wide[some] = self.rows(some)
        wide.flags.writeable = False
        return wide

    def first(self, n: int) -> "StoredMatrix":
        """The first n rows."""
        return StoredMatrix(self.numbers[:n], None if self.scales is None else self.scales[:n])


def stored(vectors: "npt.ArrayLike | StoredMatrix") -> StoredMatrix:
    """Numbers of any kind as a matrix of float32; a StoredMatrix as it is."""
    if isinstance(vectors, StoredMatrix):
        numbers, scales = vectors
        return StoredMatrix(
            read_only(numbers, numbers.dtype), None if scales is None else read_only(scales, np.float32)
        )
    return StoredMatrix(read_only(vectors, np.float32))


def as_int8(vectors: npt.NDArray[np.floating]) -> StoredMatrix:
    """The rows rounded to int8. A row whose largest number is below 127 * 2^-126 becomes zero."""
    numbers, scales = np.empty(vectors.shape, np.int8), np.empty(len(vectors), np.float32)
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        some = slice(start, start + _ROWS_AT_ONCE)
        wide = vectors[some].astype(np.float64)
        scale = (np.abs(wide).max(axis=1, initial=0.0) / _MOST).astype(np.float32)
        scale[scale < np.finfo(np.float32).tiny] = 0.0
        divisor = np.where(scale > 0, scale, np.inf).astype(np.float64)
        numbers[some] = np.clip(np.rint(wide / divisor[:, None]), -_MOST, _MOST)
        scales[some] = scale
    return StoredMatrix(numbers, scales)


class WholeDirection(NamedTuple):
    """A direction in whole numbers: step * numbers, which differs from it by a vector of length `error`."""

    numbers: npt.NDArray[np.int16]
    step: np.float32
    error: float


def as_int16(direction: Float64s) -> WholeDirection:
    """A direction rounded to int16, so that its products with rows of int8 fit into int32.

    The sum of 128 |number| is at most 128 (sum |direction| / step + dim / 2): that decides about the step from about
    2,500 dimensions on, and the largest number below.
    """
    size, dim = np.abs(direction), len(direction)
    step = max(float(size.max()) / 32767, float(size.sum()) / (2**24 - dim))
    step = float(np.float32(step * (1 + 1e-6))) or 1.0
    numbers = np.rint(direction / step)
    rest = direction - step * numbers
    return WholeDirection(numbers.astype(np.int16), np.float32(step), float(np.sqrt(rest @ rest)))


def norms_of(rows: Matrix) -> Float64s:
    """Euclidean length of each row. A row's sum has the same order whatever rows are beside it."""
    # In float64 the squares of float32 values neither overflow nor vanish, so a sum is finite if all values are.
    norms: Float64s = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    return norms


def finite_norms(word_of: Callable[[int], str], matrix: StoredMatrix, rows: Rows | None = None) -> Float64s:
    """Euclidean length of some rows, or of all, read-only. Rows with NaN or infinity are refused."""
    n = len(matrix.numbers) if rows is None else len(rows)
    norms = np.empty(n)
    for start in range(0, n, _ROWS_AT_ONCE):
        some = slice(start, start + _ROWS_AT_ONCE)
        norms[some] = norms_of(matrix.rows(some if rows is None else rows[some]))
    bad = np.flatnonzero(~np.isfinite(norms))
    if len(bad):
        row = int(bad[0] if rows is None else rows[bad[0]])
        raise InputError(
            f"Row {row} ({quoted(word_of(row))}) of the vectors holds NaN or infinity. "
            "Leave such rows out, or train again with a lower learning rate."
        )
    norms.flags.writeable = False
    return norms
