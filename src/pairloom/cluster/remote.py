"""W and C where no process has them whole: read and written some rows at a time."""

from typing import Any, Protocol

import numpy as np

from pairloom.cluster.workers.share import Side
from pairloom.system.cache_folder import cache_folder, temporary_folder
from pairloom.system.tensors import Layout, mapped, read, write
from pairloom.types import Float64s, Ids, Matrix

BYTES_AT_ONCE = 1 << 24
_MATRICES = Layout("pairloom-matrices", 1, {"W": ("F32",), "C": ("F32",)}, matrices=frozenset({"W", "C"}))


class Asked(Protocol):
    """Who asks the workers: the driver."""

    dim: int
    sizes: tuple[int, int]  # the rows of W and of C
    number: int  # of the current shares

    def ask_all(self, method: str, *args: Any) -> list[Any]:
        """Call a method of all workers."""


class RemoteMatrix:
    """One matrix of a cluster, like an array: matrix[first:last] gets rows, and assigning to matrix[rows] sets them."""

    dtype = np.dtype(np.float32)
    ndim = 2

    def __init__(self, driver: Asked, side: Side, n: int) -> None:
        self._driver, self._side, self.shape = driver, side, (n, driver.dim)
        self._at_once = max(1, BYTES_AT_ONCE // (4 * driver.dim))
        self._read: tuple[int, int, Matrix] | None = None  # the number of the shares, the first row, and the rows

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return self.shape[0] * self.shape[1]

    def __getitem__(self, rows: slice) -> Matrix:
        first, last, _ = rows.indices(len(self))
        pieces = []
        while first < last:
            begin, block = self._block(first)
            pieces.append(block[first - begin : last - begin])
            first = begin + len(block)
        return np.concatenate(pieces) if pieces else np.empty((0, self.shape[1]), np.float32)

    def _block(self, row: int) -> tuple[int, Matrix]:
        """The rows around one, fetched together, with the number of the first."""
        first = row // self._at_once * self._at_once
        if self._read is None or self._read[:2] != (self._driver.number, first):
            last = min(first + self._at_once, len(self))
            block = np.empty((last - first, self.shape[1]), np.float32)
            for here, values in self._driver.ask_all("rows", self._driver.number, self._side, first, last):
                block[here] = values
            self._read = self._driver.number, first, block
        return first, self._read[2]

    def __setitem__(self, rows: Any, values: Matrix) -> None:
        ids = np.arange(len(self))[rows]
        for first in range(0, len(ids), self._at_once):
            some = slice(first, first + self._at_once)
            self._driver.ask_all(
                "put_rows", self._driver.number, self._side, ids[some], np.ascontiguousarray(values[some], np.float32)
            )
        self._read = None


class RemoteHolder:
    """The two matrices of a cluster."""

    def __init__(self, driver: Asked) -> None:
        self._driver = driver
        self.W: Any = RemoteMatrix(driver, "W", driver.sizes[0])  # used like arrays
        self.C: Any = RemoteMatrix(driver, "C", driver.sizes[1])

    def largest(self) -> float:
        return float(np.max(self._driver.ask_all("largest", self._driver.number)))

    def products(self, w: Ids, contexts: Ids) -> Float64s:
        products = np.empty(contexts.shape)
        for here, of_worker in self._driver.ask_all("products", self._driver.number, w, contexts):
            products[here] = of_worker
        return products

    def copied(self) -> tuple[Matrix, Matrix]:
        """Written to a file some rows at a time, and mapped."""
        with temporary_folder(cache_folder(None)) as folder:
            path = folder / "matrices"
            write(path, _MATRICES, {"W": self.W, "C": self.C}, {})
            tensors, _ = read(mapped(path), _MATRICES, frozenset({"W", "C"}))
        return tensors["W"], tensors["C"]

    handed_over = copied
