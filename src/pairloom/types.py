"""Names for the arrays that travel through the package."""

import os

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]  # a token or a row each
Starts = npt.NDArray[np.int64]  # n_sentences + 1 positions in an Ids
Counts = npt.NDArray[np.int64]  # one per word
Matrix = npt.NDArray[np.float32]  # (n_words, dim)
Float64s = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]  # of a matrix
PathName = str | os.PathLike[str]
