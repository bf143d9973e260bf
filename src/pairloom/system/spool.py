"""Arrays of any length in files without a name: written once, mapped, and gone when nobody uses them any more.

A run is a set of rows, as counting a stretch of text gives them: (context, count) entries, row after row.
"""

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
    """One array, which grows at its end until it is mapped."""

    def __init__(self, folder: Path, dtype: npt.DTypeLike) -> None:
        self._folder, self._dtype, self._turn = folder, np.dtype(dtype), Lock()
        with output_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._file = tempfile.TemporaryFile(dir=folder, prefix="pairloom-tmp-")  # noqa: SIM115 (closed below)

    def add(self, values: npt.NDArray[Any]) -> None:
        """More values."""
        with output_errors(self._folder):
            self._file.write(values.astype(self._dtype, copy=False).data)

    def mapped(self) -> npt.NDArray[Any]:
        """All values. They outlive the spool."""
        with output_errors(self._folder):
            self._file.flush()
            if self._file.tell() == 0:  # of which no system makes a map
                return np.empty(0, self._dtype)
            return np.frombuffer(mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ), self._dtype)

    def read(self, begin: int, end: int) -> npt.NDArray[Any]:
        """A copy of the values begin..end-1, when all have been added; any thread may ask.

        Mapped ones would look, to whoever watches the process, as if they were held in memory.
        """
        values = np.empty(end - begin, self._dtype)
        with self._turn:
            self._file.seek(begin * self._dtype.itemsize)
            self._file.readinto(values.data)
        return values

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


class Runs:
    """Runs of rows, one after the other in two spools."""

    def __init__(self, folder: Path) -> None:
        self.length = 0
        self._close = ExitStack()
        self._contexts = self._close.enter_context(Spool(folder, np.int32))
        self._counts = self._close.enter_context(Spool(folder, np.int64))
        self._lengths: list[list[Counts]] = [[]]  # of the rows of each run

    def add(self, contexts: Ids, counts: Counts, lengths: Counts) -> None:
        """The next rows of a run: their entries together, and how many each row has."""
        self._contexts.add(contexts)
        self._counts.add(counts)
        self._lengths[-1].append(lengths)
        self.length += len(contexts)

    def end(self) -> None:
        """What is added from now on belongs to another run."""
        self._lengths.append([])

    def starts(self) -> Counts:
        """(n_runs, n_rows + 1): where each row of each run begins."""
        lengths = np.array([np.concatenate(run) for run in self._lengths if run])
        ends = np.cumsum(lengths.ravel()).reshape(lengths.shape)
        return np.concatenate([ends[:, :1] - lengths[:, :1], ends], axis=1)

    def mapped(self) -> tuple[Ids, Counts]:
        """All contexts and all counts."""
        return self._contexts.mapped(), self._counts.mapped()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close.close()


def pieces(most: Counts, entries: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows with at most so many entries together, or of one row.

    >>> list(pieces(np.array([5, 1, 1, 3]), 4))
    [(0, 1), (1, 3), (3, 4)]
    """
    ends = np.cumsum(most)
    first = 0
    while first < len(most):
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + entries, side="right")))
        yield first, last
        first = last
