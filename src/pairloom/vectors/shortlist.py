"""Exact search at half the time: rows are compared as whole numbers first, and only those that may win as they are.

A row x at length 1 and a direction u are

    x = s q + r    q of int8,  s = max |x| / 127
    u = t p + e    p of int16

    |x·u - s t q·p|  =  |r·u + s q·e|  <=  |r| + (1 + |r|) |e|

Reading q takes a quarter of the time of reading x. The k nearest are all among the rows whose s t q·p plus this bound
reaches the k-th largest s t q·p minus its bound: 15 to 1,000 of 94,000 rows of dim 300. So a search with this indexer
has the same answer as one without, in 5 ms instead of 9. It costs a quarter of the memory of the vectors.
"""

import math

import numpy as np
import numpy.typing as npt

from pairloom.types import Float64s, Rows
from pairloom.vectors.vectors import Vectors

_ROWS_AT_ONCE = 4096
_MOST = 127  # of int8, without -128
_ROUNDING = 2.0**-20  # more than the products of float32 can be off


class Shortlist:
    """An `Indexer` whose candidates always have the nearest rows among them."""

    def __init__(self, vectors: Vectors) -> None:
        n, dim = vectors.shape
        self._rows = np.empty((n, dim), np.int8)
        self._scales, self._bounds = np.empty((2, n), np.float32)
        for start in range(0, n, _ROWS_AT_ONCE):
            some = slice(start, start + _ROWS_AT_ONCE)
            norms = vectors.norms[some, None]
            units = vectors.vectors[some] / np.where(norms > 0, norms, 1)
            scales = np.abs(units).max(axis=1, keepdims=True) / _MOST
            whole = np.rint(units / np.where(scales > 0, scales, 1))
            self._rows[some], self._scales[some] = whole, scales[:, 0]
            self._bounds[some] = np.sqrt(((units - whole * self._scales[some, None]) ** 2).sum(axis=1))

    def candidates(self, direction: Float64s, k: int) -> Rows:
        """All rows that may be among the k nearest to a unit vector, in ascending order."""
        n, dim = self._rows.shape
        if k >= n:
            return np.arange(n)
        whole, scale = _whole(direction, dim)
        rest = direction - scale * whole
        error = math.sqrt((rest * rest).sum())
        rough = self._products(whole, scale)
        bounds = self._bounds * np.float32(1 + error) + np.float32(error + _ROUNDING)
        return np.flatnonzero(rough + bounds >= np.partition(rough - bounds, n - k)[n - k])

    def _products(self, whole: npt.NDArray[np.int16], scale: float) -> npt.NDArray[np.float32]:
        from pairloom.kernel.whole_products import whole_products

        out = np.empty(len(self._rows), np.float32)
        whole_products(self._rows, whole, self._scales, out)
        out *= np.float32(scale)
        return out


def _whole(direction: Float64s, dim: int) -> tuple[npt.NDArray[np.int16], float]:
    """A direction as int16 and its scale, so small that sums of products with int8 fit in int32."""
    most = min(32767, (2**31 - 1) // (_MOST * dim))
    scale = float(np.abs(direction).max()) / most
    return np.rint(direction / (scale or 1.0)).astype(np.int16), scale
