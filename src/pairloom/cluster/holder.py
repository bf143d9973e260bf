"""Who holds W and C. `LocalHolder` has them in the memory of this process; `remote.py` has those of workers."""

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from pairloom.errors import InputError
from pairloom.method.draws import Purpose, key
from pairloom.pairs.blocks import stride_of, width_of
from pairloom.system.display import format_bytes, number_of
from pairloom.system.memory import give_back_pages
from pairloom.system.threads import Workers, spans
from pairloom.types import Float64s, Ids, Matrix

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.steps.sgns import Model

_MOVED_AT_ONCE = 1 << 18  # numbers, which NumPy copies because their old and new places overlap
_SLICES = 16  # of the pairs whose products are computed at the same time


class Holder(Protocol):
    """Holds the two matrices of a training. W and C are read and written by rows, as arrays are."""

    @property
    def W(self) -> Matrix:
        """(words, dim)"""

    @property
    def C(self) -> Matrix:
        """(contexts, dim)"""

    def largest(self) -> float:
        """The largest absolute component of both; NaN if there is one."""

    def products(self, w: Ids, contexts: Ids) -> Float64s:
        """v_w·v_c for pair i and each of contexts[i], in float64."""

    def copied(self) -> tuple[Matrix, Matrix]:
        """W and C as they are now."""

    def handed_over(self) -> tuple[Matrix, Matrix]:
        """W and C at the end of the training. The holder cannot be used any more."""


class LocalHolder:
    """W and C in the memory of this process, as `model`."""

    def __init__(self, model: "Model", dim: int, pool: Workers) -> None:
        self.model, self._dim, self._pool = model, dim, pool

    @property
    def W(self) -> Matrix:
        return self._unpadded(self.model.W)

    @property
    def C(self) -> Matrix:
        return self._unpadded(self.model.C)

    def _unpadded(self, matrix: Matrix) -> Matrix:
        return matrix.reshape(-1, self.model.stride)[:, : self._dim]

    def largest(self) -> float:
        pieces = [m[first:last] for m in (self.model.W, self.model.C) for first, last in spans(len(m), 8)]
        return float(np.max(list(self._pool.map(largest_of, pieces))))  # NaN if one is

    def products(self, w: Ids, contexts: Ids) -> Float64s:
        from pairloom.kernel.loss import pair_products

        products = np.empty(contexts.shape)
        slices = [slice(*span) for span in spans(len(w), _SLICES)]
        list(self._pool.map(lambda s: pair_products(self.W, self.C, w[s], contexts[s], products[s]), slices))
        return products

    def copied(self) -> tuple[Matrix, Matrix]:
        return self.W.copy(), self.C.copy()

    def handed_over(self) -> tuple[Matrix, Matrix]:
        W, C = (compacted(matrix, self.model.stride, self._dim) for matrix in (self.model.W, self.model.C))
        return W, C


def largest_of(values: npt.NDArray[np.float32]) -> float:
    """The largest absolute value; NaN if there is one."""
    return float(np.maximum(-values.min(initial=0), values.max(initial=0)))


def new_model(lengths: Float64s, n_contexts: int, dim: int, seed: int, pool: Workers) -> "Model":
    """W small and random, C zero: every pair starts with p(D=1|w,c) = 1/2.

    lengths: how long each v_w is, relative to the usual length (`start_rows`).
    """
    from pairloom.kernel.rng import start_rows
    from pairloom.kernel.steps.sgns import Model

    n_words, stride = len(lengths), stride_of(dim)
    try:
        W, C = aligned_zeros(n_words * stride), aligned_zeros(n_contexts * stride)
    except MemoryError:
        size = format_bytes(4 * (n_words + n_contexts) * stride)
        raise InputError(
            f"{number_of(n_words, 'word')} and {number_of(n_contexts, 'context')} of dim {dim} take {size}, more than "
            "there is. Lower dim or raise min_count."
        ) from None
    model = Model(W, C, width_of(dim), stride)
    start_key, rows = key(seed, Purpose.START), np.arange(n_words)
    list(
        pool.map(
            lambda span: start_rows(model.W[span[0] * stride :], stride, dim, start_key, lengths, rows[slice(*span)]),
            spans(n_words, 64),
        )
    )
    return model


def aligned_zeros(n: int) -> np.ndarray:
    """n zeros that start at a cache line."""
    padded = np.zeros(n + 16, np.float32)
    skip = (-padded.ctypes.data // 4) % 16
    return padded[skip : skip + n]


def compacted(padded: Matrix, stride: int, dim: int) -> Matrix:
    """The rows of a trained matrix without their padding, (rows, dim). The matrix cannot be trained any more.

    Rows move in the memory of `padded`, the first row first: a second matrix may not fit. The rest is given back.
    """
    rows = padded.reshape(-1, stride)[:, :dim]
    whole, rest = padded[: rows.size].reshape(rows.shape), padded[rows.size :]
    step = max(1, _MOVED_AT_ONCE // dim)
    for first in range(0, len(rows), step):
        whole[first : first + step] = rows[first : first + step]
    give_back_pages(rest.ctypes.data, rest.nbytes)
    return whole
