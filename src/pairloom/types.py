"""Types of the arrays that pass through the package, and of the arguments of its public functions."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]  # ids of words or contexts
Starts = npt.NDArray[np.int64]  # (n_sentences + 1,): where each sentence begins in an Ids, and where the last one ends
Counts = npt.NDArray[np.int64]  # one per word
Matrix = npt.NDArray[np.float32]  # (n_words, dim)
Float64s = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]  # row numbers of a matrix

PathName = str | os.PathLike[str]


class ArrowTable(Protocol):
    """A table that hands out Arrow data: of pyarrow, polars, pandas and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Its rows."""


# A file, a glob, a folder or "-"; several of them; token lists that can be read more than once; or, with `column`, a
# data frame or a dictionary of lists.
CorpusLike = PathName | Iterable[PathName] | Iterable[Sequence[str]] | ArrowTable | Mapping[str, Sequence[Any]]

# One or more files of `word context [weight]` lines or Parquet, or pairs that can be read more than once.
PairsLike = PathName | Iterable[PathName] | Iterable[tuple[str, str] | tuple[str, str, float]]
