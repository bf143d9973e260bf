"""Arrays of any length in unnamed files, which the system deletes when they are no longer in use."""

import mmap
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pairloom.system.files import output_errors
from pairloom.types import Counts, Ids


class Spool:
    """One array on disk. Values are added at its end, then it is mapped or read."""

    def __init__(self, folder: Path, dtype: npt.DTypeLike) -> None:
        self._folder, self._dtype, self._lock = folder, np.dtype(dtype), Lock()
        with output_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._file = tempfile.TemporaryFile(dir=folder, prefix="pairloom-tmp-")  # noqa: SIM115 (closed below)

    def add(self, values: npt.NDArray[Any]) -> None:
        """Add values at the end."""
        with output_errors(self._folder):
            self._file.write(values.astype(self._dtype, copy=False).data)

    def mapped(self) -> npt.NDArray[Any]:
        """All values, as an array that stays valid after the spool is closed."""
        with output_errors(self._folder):
            self._file.flush()
            if self._file.tell() == 0:  # an empty file cannot be mapped
                return np.empty(0, self._dtype)
            return np.frombuffer(mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ), self._dtype)

    def read(self, begin: int, end: int) -> npt.NDArray[Any]:
        """A copy of the values begin..end-1. Any thread may call this once all values have been added.

        Mapped values would count as memory of the process, although the system can drop them at any time.
        """
        values = np.empty(end - begin, self._dtype)
        with self._lock:
            self._file.seek(begin * self._dtype.itemsize)
            self._file.readinto(values.data)
        return values

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


class SpooledTables:
    """Sparse tables of counts in two spools, one table after another.

    A table has a row for each word, and a row is a list of (context, count) entries. Each slab of text makes a table.
    """

    def __init__(self, folder: Path) -> None:
        self.n_entries = 0
        self._open_spools = ExitStack()
        self._contexts = self._open_spools.enter_context(Spool(folder, np.int32))
        self._counts = self._open_spools.enter_context(Spool(folder, np.int64))
        self._lengths: list[list[Counts]] = [[]]  # for each table, the lengths of its rows as they were added

    def add(self, contexts: Ids, counts: Counts, lengths: Counts) -> None:
        """Add rows to the current table: the entries of all these rows, and the number of entries of each row."""
        self._contexts.add(contexts)
        self._counts.add(counts)
        self._lengths[-1].append(lengths)
        self.n_entries += len(contexts)

    def end_table(self) -> None:
        """End the current table. Rows added later belong to the next one."""
        self._lengths.append([])

    def starts(self) -> Counts:
        """(n_tables, n_rows + 1): where each row of each table begins."""
        lengths = np.array([np.concatenate(table) for table in self._lengths if table])
        ends = np.cumsum(lengths.ravel()).reshape(lengths.shape)
        return np.concatenate([ends[:, :1] - lengths[:, :1], ends], axis=1)

    def mapped(self) -> tuple[Ids, Counts]:
        """The contexts and the counts of all tables."""
        return self._contexts.mapped(), self._counts.mapped()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open_spools.close()


def row_ranges(sizes: Counts, limit: int) -> Iterator[tuple[int, int]]:
    """Cut rows into ranges (first, last + 1) whose sizes add up to at most `limit`. A larger row gets its own range.

    >>> list(row_ranges(np.array([5, 1, 1, 3]), 4))
    [(0, 1), (1, 3), (3, 4)]
    """
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + limit, side="right")))
        yield first, last
        first = last
