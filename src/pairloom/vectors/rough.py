"""The first half of an exact search: all rows are compared in float32, and the few that may win are selected.

    rough(x) = (x·u) / |x|    x a row as it is stored, u a unit vector of d numbers, all computed in float32

In any order of its sums, the product is off by at most d 2^-24 |x| (to first order), and the length by the part
d 2^-25. With a generous rest,

    |rough(x) - cos(x, u)| <= e = (2 d + 16) 2^-24

Let K be a number that rough(x) reaches for at least k rows. Then the k-th largest cosine is at least K - e, so all of
the k nearest rows have rough(x) >= K - 2 e. For d = 300 these are seldom more than a few rows beyond k.

Rows of int8 are multiplied in whole numbers where the kernel does it, and by u rounded to int16. That is off by
at most the length of what was rounded off, which is added to e: for d = 300 some 3e-5, about as much again.

One direction is compared by a compiled kernel on all cores once that has been loaded, and by NumPy before. Loading
takes about a second, which a single answer on the command line should not wait for. Many directions are compared by
BLAS. Sums depend on which of them computes them, but the k nearest are among the selected rows in any case.
"""

import sys
from collections.abc import Callable, Iterator
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pairloom.config import checked_threads
from pairloom.errors import PairloomError
from pairloom.system.tensors import ask_for_pages
from pairloom.system.threads import on_spans
from pairloom.types import Float64s, Rows
from pairloom.vectors.stored import StoredMatrix, as_int16, finite_norms

if TYPE_CHECKING:
    from types import ModuleType

Floats = npt.NDArray[np.float32]

ROWS_AT_ONCE = 1 << 14  # that are multiplied by several directions
_ROWS_PER_TASK = 1 << 12  # of one thread: they stay in its cache while both their sums are computed
_NUMBERS_PER_THREAD = 1 << 20  # fewer than two such shares are compared in less time than threads take to start
_EXACT_ROWS_AT_ONCE = 4096  # rows turned into float64 together: 3 MB at dim 100
_LARGEST_GROUP = 64  # rows
_SQUARES = (1e-30, 1e30)  # between these, float32 has lost no digits of a sum of squares
_WORTH_LOADING = 1 << 32  # numbers that were compared without the kernel: about the second that it takes to load
_KERNEL = "pairloom.kernel.search"
_LANES = 8  # the least number of rows and of columns that the kernel takes
_LEARNING = Lock()  # one for all objects: an object with a lock of its own could not be copied


class SearchMatrix:
    """A matrix to search, with the lengths of its rows as far as searches have needed them."""

    def __init__(self, stored: StoredMatrix, word_of: Callable[[int], str]) -> None:
        self.stored = stored
        self._word_of = word_of
        self._inverse = np.empty(len(stored.numbers), np.float32)  # 1 / length of the stored numbers; 0 for a zero row
        self._extreme: list[Rows] = []  # rows that are too long or too short for float32
        self._n_known = 0  # rows of which all this is known, from the first on

    @property
    def dim(self) -> int:
        """The length of a row."""
        return int(self.stored.numbers.shape[1])

    def error(self, directions: Float64s) -> float:
        """By how much the rough cosine with one of these directions may be off at most, e."""
        rounded = [as_int16(u).error for u in directions] if self.stored.numbers.dtype == np.int8 else []
        return (2 * self.dim + 16) * 2.0**-24 + max(rounded, default=0.0)

    def blocks(self, directions: Float64s, n_rows: int) -> Iterator[tuple[int, Floats]]:
        """(b, rough cosines of rows b, b + 1, ... with each direction), a block of rows after the other.

        The arrays (n_directions, rows of the block) are the caller's.
        """
        if len(directions) == 1 and n_rows:
            yield 0, self._all_rows(directions[0], n_rows)
            return
        narrow = directions.astype(np.float32)
        for begin in range(0, n_rows, ROWS_AT_ONCE):
            end = min(begin + ROWS_AT_ONCE, n_rows)
            self._learn(end)
            yield begin, self._finished(narrow @ self._numbers(begin, end).T, directions, begin, end)

    def _all_rows(self, direction: Float64s, n_rows: int) -> Floats:
        """The rough cosines of all rows with one direction, (1, n_rows)."""
        kernel = _kernel(self.dim, n_rows)
        rough = np.empty(n_rows, np.float32)
        if kernel is not None:
            self._learn(n_rows)
            compiled_products(self._bits(), direction, self._inverse, rough)
            return self._corrected(rough[None], direction[None], 0, n_rows)
        narrow = direction.astype(np.float32)

        def multiply(begin: int, end: int) -> None:  # not by BLAS, which shares products of this form badly
            with np.errstate(all="ignore"):
                np.einsum("ij,j->i", self._numbers(begin, end), narrow, out=rough[begin:end])

        self._learn(n_rows, multiply)
        return self._finished(rough[None], direction[None], 0, n_rows)

    def _numbers(self, begin: int, end: int) -> Floats:
        """Rows as float32, without their scales: the cosines are the same."""
        return self.stored.numbers[begin:end].astype(np.float32, copy=False)

    def _bits(self) -> npt.NDArray[Any]:
        """The numbers as the kernel takes them."""
        numbers = self.stored.numbers
        return numbers.view(np.uint16) if numbers.dtype == np.float16 else numbers

    def _finished(self, products: Floats, directions: Float64s, begin: int, end: int) -> Floats:
        """Products with rows begin..end, turned into rough cosines in place."""
        with np.errstate(all="ignore"):
            products *= self._inverse[begin:end]
        return self._corrected(products, directions, begin, end)

    def _corrected(self, rough: Floats, directions: Float64s, begin: int, end: int) -> Floats:
        """Rough cosines with exact ones for the rows that float32 cannot compare."""
        extreme = np.concatenate([*self._extreme, np.empty(0, np.intp)])
        extreme = extreme[(extreme >= begin) & (extreme < end)]
        for row_cosines, direction in zip(rough, directions if len(extreme) else (), strict=False):
            row_cosines[extreme - begin] = self.exact(extreme, direction)
        return rough

    def exact(self, rows: Rows, direction: Float64s) -> Float64s:
        """Cosines of some rows with a unit vector, in float64 and with a fixed order of sums; 0 for a row of zeros."""
        found = np.empty(len(rows))
        for start in range(0, len(rows), _EXACT_ROWS_AT_ONCE):
            some = rows[start : start + _EXACT_ROWS_AT_ONCE]
            lengths = finite_norms(self._word_of, self.stored, some)
            # Each row is summed by itself, in the same order. BLAS may sum equal rows in different orders.
            dots = (self.stored.rows(some).astype(np.float64) * direction).sum(axis=1)
            found[start : start + len(some)] = np.divide(dots, lengths, out=np.zeros(len(some)), where=lengths > 0)
        return np.clip(found, -1.0, 1.0)

    # --- Lengths

    def _learn(self, n_rows: int, with_each: Callable[[int, int], object] | None = None) -> None:
        """Compute the lengths of rows 0 to n_rows that are not known yet. Raises an InputError if one is not finite.

        `with_each(begin, end)` is called for spans of all rows, after their lengths: so rows are read once for both.
        """
        with _LEARNING:
            begin = self._n_known
            if begin < n_rows:
                squares = np.empty(n_rows - begin, np.float32)
                self._square(begin, n_rows, squares, with_each)
                self._keep_lengths(begin, n_rows, squares)
                self._n_known = n_rows
        if with_each is not None:
            _in_tasks(with_each, min(begin, n_rows), self.dim)

    def _square(
        self, begin: int, end: int, squares: Floats, with_each: Callable[[int, int], object] | None = None
    ) -> None:
        kernel = _kernel(self.dim, end - begin) if with_each is None else None
        if kernel is not None:
            numbers, ones = self._bits()[begin:end], kernel.padded(np.ones(self.dim))
            in_few_tasks(lambda b, e: kernel.squared_lengths(numbers, ones, b, e, squares), end - begin, self.dim)
            return

        def square(b: int, e: int) -> None:
            numbers = self._numbers(begin + b, begin + e)
            with np.errstate(all="ignore"):
                np.einsum("ij,ij->i", numbers, numbers, out=squares[b:e])
            if with_each is not None:
                with_each(begin + b, begin + e)

        ask_for_pages(self.stored.numbers[begin:end])
        _in_tasks(square, end - begin, self.dim)

    def _keep_lengths(self, begin: int, end: int, squares: Floats) -> None:
        usual = (squares > _SQUARES[0]) & (squares < _SQUARES[1])
        if self.stored.scales is not None:
            scales = self.stored.scales[begin:end]
            usual &= (scales > _SQUARES[0]) & (scales < _SQUARES[1])
        if self.stored.numbers.dtype == np.float16:
            usual &= squares < np.float32(65520.0) ** 2  # NaN and infinity are at least that in the kernel
        unusual = begin + np.flatnonzero(~usual)
        lengths = finite_norms(self._word_of, self.stored, unusual)
        self._extreme.append(unusual[lengths > 0])
        with np.errstate(all="ignore"):
            self._inverse[begin:end] = np.where(usual, 1 / np.sqrt(squares), 0)


class LikelyRows:
    """The rows that may be among the k nearest to each direction, as blocks of rough cosines come in.

    K, which at least k rows reach, is the k-th largest of the maxima of groups of rows. That is nearly the k-th largest
    of all, and there are far fewer maxima than rows.
    """

    def __init__(self, n_directions: int, k: int, n_rows: int, error: float) -> None:
        self._k, self._margin = k, np.float32(2 * error)
        self._group = max(1, min(_LARGEST_GROUP, n_rows // (8 * k)))
        self._largest = np.full((n_directions, k), -np.inf, np.float32)  # maxima; the least of them first
        self._found: list[tuple[Rows, Rows, Floats]] = []  # directions, rows and rough cosines

    def add(self, begin: int, rough: Floats) -> None:
        """Select from a block that begins with row `begin`. Rows of -inf are not selected."""
        n = rough.shape[1] // self._group  # groups of rows i, i + n, i + 2n ...: maxima of contiguous numbers
        grouped = rough[:, : n * self._group].reshape(len(rough), self._group, n)
        maxima, rest = grouped.max(axis=1), rough[:, n * self._group :]
        joined = np.concatenate((self._largest, maxima, rest), axis=1)
        self._largest = np.partition(joined, -self._k, axis=1)[:, -self._k :]
        bounds = self._bounds()
        direction, group = np.nonzero(maxima >= bounds[:, None])
        step = n * np.arange(self._group)
        self._keep(begin, np.repeat(direction, self._group), (group[:, None] + step).reshape(-1), rough)
        direction, row = np.nonzero(rest >= bounds[:, None])
        self._keep(begin, direction, row + n * self._group, rough)

    def _bounds(self) -> Floats:
        """K - 2 e for each direction."""
        return np.asarray(self._largest[:, 0] - self._margin, np.float32)

    def _keep(self, begin: int, direction: Rows, row: Rows, rough: Floats) -> None:
        found = rough[direction, row]
        kept = (found >= self._bounds()[direction]) & (found > -np.inf)
        self._found.append((direction[kept], begin + row[kept], found[kept]))

    def rows(self) -> Iterator[Rows]:
        """The rows that may win, for one direction after the other."""
        empty = np.empty(0, np.intp)
        direction, row = (np.concatenate([empty, *(found[i] for found in self._found)]) for i in (0, 1))
        rough = np.concatenate([np.empty(0, np.float32), *(found[2] for found in self._found)])
        kept = rough >= self._bounds()[direction]
        direction, row = direction[kept], row[kept]
        order = np.argsort(direction, kind="stable")
        ends = np.searchsorted(direction[order], np.arange(1, len(self._largest)))
        yield from np.split(row[order], ends)


def nearly_kth_largest(values: Floats, k: int) -> np.float32:
    """A number that at least k of the values reach: the k-th largest of the maxima of groups of them."""
    group = max(1, min(_LARGEST_GROUP, len(values) // (8 * k)))
    n = len(values) // group
    maxima = values[: n * group].reshape(group, n).max(axis=0)
    return np.float32(np.partition(maxima, n - k)[n - k])


def _in_tasks(function: Callable[[int, int], object], n_rows: int, dim: int) -> None:
    """function(begin, end) for spans of rows that stay in a core's cache, on all cores if there is enough to do."""
    on_spans(function, n_rows, _ROWS_PER_TASK, _threads(n_rows * dim))


def in_few_tasks(function: Callable[[int, int], object], n_rows: int, dim: int) -> None:
    """`_in_tasks` for kernels, which read each row once: as many spans as it takes to keep all cores busy."""
    threads = _threads(n_rows * dim)
    on_spans(function, n_rows, max(_ROWS_PER_TASK, n_rows // (4 * threads)), threads)


def compiled_products(numbers: npt.NDArray[Any], direction: Float64s, factors: Floats, out: Floats) -> None:
    """out[i] = factors[i] * numbers[i]·direction for all numbers of out, by the kernel."""
    from pairloom.kernel import search as kernel

    def multiply(begin: int, end: int) -> None:
        kernel.rough_cosines(numbers, narrow, factors, begin, end, out)

    def multiply_whole(begin: int, end: int) -> None:
        kernel.whole_products(numbers, whole, factors, step, begin, end, out)

    n, dim = len(out), numbers.shape[1]
    if numbers.dtype == np.int8 and dim >= kernel.WHOLE:
        rounded, step, _ = as_int16(direction)
        whole = kernel.padded(rounded, kernel.WHOLE, np.int16)
        in_few_tasks(multiply_whole, n, dim)
    else:
        narrow = kernel.padded(direction)
        in_few_tasks(multiply, n, dim)


def _threads(n_numbers: int) -> int:
    return checked_threads(None) if n_numbers >= 2 * _NUMBERS_PER_THREAD else 1


_n_compared = 0  # numbers that this process has compared without the kernel


def _kernel(dim: int, n_rows: int) -> "ModuleType | None":
    """The compiled search, if it is loaded or worth loading. None stands for BLAS."""
    global _n_compared
    if min(dim, n_rows) < _LANES:
        return None
    if _KERNEL not in sys.modules and _n_compared < _WORTH_LOADING:
        _n_compared += n_rows * dim
        return None
    try:
        from pairloom.kernel import search
    except PairloomError:  # Numba is set up in a way that does not compile: see kernel/__init__.py
        return None
    return search
