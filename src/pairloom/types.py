"""Names for the arrays that travel through the package, and for what callers may hand in."""

import os
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]  # a token or a row each
Starts = npt.NDArray[np.int64]  # n_sentences + 1 positions in an Ids
Counts = npt.NDArray[np.int64]  # one per word
Matrix = npt.NDArray[np.float32]  # (n_words, dim)
Float64s = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]  # of a matrix

PathName = str | os.PathLike[str]

# A file, a glob, a folder or "-"; several of them; or token lists that can be read more than once.
CorpusLike = PathName | Iterable[PathName] | Iterable[Sequence[str]]

# One or more files of `word context [weight]` lines or Parquet, or pairs that can be read more than once.
PairsLike = PathName | Iterable[PathName] | Iterable[tuple[str, str] | tuple[str, str, float]]
