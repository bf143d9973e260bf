"""Principal components: the two directions in which unit vectors differ most.

    x_w = v_w / |v_w|,  m = (1/n) Σ_w x_w
    C = (1/n) Σ_w (x_w - m)(x_w - m)ᵀ = Σ_i λ_i a_i a_iᵀ
    the place of w is ((x_w - m)·a_1, (x_w - m)·a_2)

The sums and the eigenvectors are those of our own kernels, in a fixed order: the bits are the same on every machine. An
eigenvector has no sign of its own; here its largest entry is positive.
"""

from typing import NamedTuple

import numpy as np

from pairloom.types import Float64s, Matrix, Rows
from pairloom.vectors.vectors import Vectors

ROWS_AT_ONCE = 2048


class Components(NamedTuple):
    """A mean and the axes of a plane."""

    mean: Float64s  # (dim,)
    axes: Float64s  # (2, dim)

    def project(self, units: Matrix) -> Float64s:
        """Places in the plane, (n, 2). Each row is summed by itself, so equal rows have equal places."""
        centred = units - self.mean
        return np.stack([(centred * axis).sum(axis=1) for axis in self.axes], axis=1)


def components_of(vectors: Vectors, rows: Rows) -> Components:
    """The two main components of some rows at length 1."""
    from pairloom.pairs.singular import eigenvectors

    dim = vectors.dim
    mean = np.zeros(dim)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        mean += unit_rows(vectors, rows[start : start + ROWS_AT_ONCE]).sum(axis=0, dtype=np.float64)
    mean /= len(rows)
    axes = np.zeros((2, dim))
    axes[: min(2, dim)] = eigenvectors(_covariance(vectors, rows, mean))[1].T[:2]
    largest = np.abs(axes).argmax(axis=1)
    axes *= np.where(axes[[0, 1], largest] < 0, -1.0, 1.0)[:, None]
    return Components(mean, axes)


def unit_rows(vectors: Vectors, rows: Rows) -> Matrix:
    """Rows at length 1; a row of zeros stays zero."""
    norms = vectors.norms[rows, None]
    return np.divide(vectors.vectors[rows], np.where(norms > 0, norms, 1.0)).astype(np.float32)


def _covariance(vectors: Vectors, rows: Rows, mean: Float64s) -> Float64s:
    from pairloom.kernel.counts.moments import second_moment
    from pairloom.kernel.rows import aligned_zeros
    from pairloom.kernel.simd import LANES

    dim = vectors.dim
    padded = aligned_zeros(ROWS_AT_ONCE, -(-dim // LANES) * LANES)
    weight = np.full(ROWS_AT_ONCE, 1 / len(rows), np.float32)
    covariance = np.zeros((dim, dim))
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = rows[start : start + ROWS_AT_ONCE]
        padded[:] = 0
        padded[: len(some), :dim] = unit_rows(vectors, some) - mean
        covariance += second_moment(padded, weight)[:dim, :dim]
    return covariance
