"""The rotation that brings one space onto another (orthogonal Procrustes), with the same bits on every machine.

Two trainings put the same geometry into different axes: only inner products matter to the objective, so any rotation of
both W and C is as good. The rotation R that minimises Σ_w |x_w - y_w R|² over orthogonal matrices is the polar factor
of M = Yᵀ X (Schönemann 1966): with M = U Σ Vᵀ,

    R = U Vᵀ = M (MᵀM)^(-1/2)

It needs no singular values. Newton and Schulz's iteration finds it by products alone,

    R <- R (3 - RᵀR) / 2,   which turns each singular value σ into σ (3 - σ²) / 2, and so brings it to 1

and our products add up in a fixed order, where those of BLAS and LAPACK depend on the machine and its threads.
"""

import numpy as np

from pairloom.system.threads import Workers, spans
from pairloom.types import Float64s

ROWS_PER_TASK = 16
WORDS_AT_ONCE = 512  # they and their products fit into a core's cache
MOST_STEPS = 200
PRECISION = 1e-13  # of RᵀR = 1
# Where the words span fewer dimensions than the vectors have, M leaves the rest of R open. This much of the identity
# decides it. It is far below the noise of any training.
OPEN = 1e-12


def product(A: Float64s, B: Float64s, pool: Workers) -> Float64s:
    """A B. Each number is summed in the order of the columns of A, whatever the number of threads."""
    from pairloom.kernel.counts.singular import rotate

    out = np.zeros((len(A), max(A.shape[1], B.shape[1])))
    out[:, : A.shape[1]] = A
    B = np.ascontiguousarray(B)
    tasks = spans(len(A), -(-len(A) // ROWS_PER_TASK))
    list(pool.map(lambda rows: rotate(out, B, *rows), tasks))
    return out[:, : B.shape[1]]


def procrustes(X: Float64s, Y: Float64s, pool: Workers) -> Float64s:
    """The orthogonal R that minimises Σ_w |x_w - y_w R|²."""
    M = np.zeros((Y.shape[1], X.shape[1]))
    for at in range(0, len(X), WORDS_AT_ONCE):
        some = slice(at, at + WORDS_AT_ONCE)
        M += product(Y[some].T, X[some], pool)
    return polar_factor(M, pool)


def polar_factor(M: Float64s, pool: Workers) -> Float64s:
    """The orthogonal matrix nearest to a square M."""
    one = np.eye(len(M))
    # No singular value is above √(|M|_1 |M|_∞), so all begin between 0 and 1.
    bound = np.sqrt(np.abs(M).sum(axis=0).max() * np.abs(M).sum(axis=1).max())
    R = M / max(float(bound), 1e-300) + OPEN * one
    for _ in range(MOST_STEPS):
        gram = product(R.T, R, pool)
        R = product(R, 1.5 * one - 0.5 * gram, pool)
        if np.abs(gram - one).max() < PRECISION:
            break
    return R
