"""Logistic regression on the rows of the fixed side: one problem for each new word, solved on all threads.

    f(v) = Σ_r p_r * -log σ(x_r·v)  +  Σ_r n_r * -log σ(-x_r·v)  +  ridge/2 |v|²

`loss_and_gradient` is the definition in NumPy. `normal_loss_and_gradient` is the same for rows that are given only by
their normal distribution. The compiled solver, `kernel/counts/logistic.py`, finds the v at which the gradient is zero.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pairloom.errors import DivergedError
from pairloom.method.objective import log_sigmoid, sigmoid
from pairloom.system.display import quoted
from pairloom.system.threads import Workers, stop_if_cancelled
from pairloom.types import Counts, Float64s, Ids, Matrix
from pairloom.unseen.fold_in.occurrences import Occurrences

if TYPE_CHECKING:  # importing the kernel imports Numba, which takes a second
    from pairloom.kernel.counts.logistic import Common, Rows, SolverBuffers, Symmetric

MOST_GRADIENTS = 1000  # per word; nearly all words need 6 to 18
MEAN_SAMPLE = 5  # the mean of a word's contexts is taken from a sample this many times as large as the one solved with
EXACT_ONE_IN = 8  # the noise keeps most_contexts / EXACT_ONE_IN rows; the others become a normal distribution
MOMENT_SAMPLE = 16  # whose mean and covariance come from MOMENT_SAMPLE * max(most_contexts, dim) rows
TOLERANCE = 1e-6  # gᵀP⁻¹g at the end, relative to vᵀPv: vectors are within about a thousandth of the optimum
_WORDS_AT_ONCE = 32


def loss_and_gradient(v: Float64s, X: Matrix, p: Float64s, n: Float64s, ridge: float) -> tuple[float, Float64s]:
    """Return f(v) and ∇f(v) = Σ_r ((p_r + n_r) σ(x_r·v) - p_r) x_r + ridge v, for rows X with the weights p and n."""
    x = np.einsum("rd,d->r", X.astype(np.float64), v)
    loss = -(p * log_sigmoid(x) + n * log_sigmoid(-x)).sum() + ridge / 2 * (v * v).sum()
    return float(loss), np.einsum("r,rd->d", (p + n) * sigmoid(x) - p, X.astype(np.float64)) + ridge * v


def normal_loss_and_gradient(v: Float64s, mean: Float64s, covariance: Float64s) -> tuple[float, Float64s]:
    """Return E[-log σ(-x·v)] and its gradient, for normally distributed x.

    x·v is then normal too, with mean μ = mean·v and variance s² = vᵀ covariance v, so the expectation is over one
    number. Gauss-Hermite quadrature gives Σ_i part_i log(1 + e^(μ + s t_i)), which is convex because the nodes t_i come
    in pairs ±t. Its gradient is Σ_i part_i σ(μ + s t_i) (mean + t_i covariance v / s).
    """
    t, parts = np.polynomial.hermite_e.hermegauss(8)
    turned, parts = covariance @ v, parts / parts.sum()
    s = np.sqrt(v @ turned)
    x = mean @ v + s * t
    along = np.sum(parts * sigmoid(x) * t) / s if s > 0 else 0.0
    return float(-np.sum(parts * log_sigmoid(-x))), np.sum(parts * sigmoid(x)) * mean + along * turned


class ContextNoise(NamedTuple):
    """Rows and a normal distribution that approximate the whole noise.

    Σ_c noise(c) g(v_c) ≈ Σ_i weights[i] g(X[i]) + rest * E[g(x)] for any g, with x normal (mean, covariance).
    """

    X: Matrix
    weights: Float64s
    rest: float
    mean: Float64s
    covariance: Float64s


def context_noise(matrix: Matrix, probability: Float64s, n: int | None) -> ContextNoise:
    """Return the noise exactly if it has at most n contexts (or n is None), otherwise an approximation.

    The n / EXACT_ONE_IN most probable contexts are kept as rows. Over the others x·v is nearly normal, so little but
    their mean and covariance matters. Both are measured on a sample of MOMENT_SAMPLE * max(n, dim) contexts.
    """
    from pairloom.kernel.counts import moments
    from pairloom.kernel.rows import thinned

    dim = matrix.shape[1]
    if n is None or n >= len(probability):
        whole = np.ascontiguousarray(matrix, np.float32)
        return ContextNoise(whole, probability, 0.0, np.zeros(dim), np.zeros((dim, dim)))
    many = MOMENT_SAMPLE * max(n, dim)  # at least dim, or the covariance would miss directions
    rows, weights = thinned(np.arange(len(probability), dtype=np.int32), probability, many)
    order, weights = np.argsort(-weights, kind="stable"), weights / weights.sum()
    kept, others = np.split(order, [n // EXACT_ONE_IN])
    X, weight = _padded_rows(matrix, rows[others], weights[others])
    mean = moments.mean_of(X, weight)
    covariance = moments.second_moment(X - mean.astype(np.float32), weight)
    return ContextNoise(matrix[rows[kept]], weights[kept], weights[others].sum(), mean[:dim], covariance[:dim, :dim])


def _padded_rows(matrix: Matrix, rows: Ids, weights: Float64s) -> "Rows":
    """Rows in the form that the kernel takes: padded with zeros in both directions, weights scaled to sum to 1."""
    from pairloom.kernel.counts import logistic as kernel
    from pairloom.kernel.rows import aligned_zeros, take_rows
    from pairloom.kernel.simd import LANES

    width = -(-matrix.shape[1] // LANES) * LANES
    X = aligned_zeros(len(rows), width)
    weight = np.zeros(len(X), np.float32)
    take_rows(_read_only_rows(matrix), rows, weights, X, weight)
    return kernel.Rows(X, weight)


def solve(
    occurrences: Occurrences,
    matrix: Matrix,
    noise: ContextNoise,
    drawn: Float64s,
    l2: float,
    most: int | None,
    pool: Workers,
    report: Callable[[int], None],
) -> Matrix:
    """Return the optimum for every word, one row each. drawn[j] is |D'| / |D| for the pairs of word j.

    A word with more than `most` contexts is solved with a sample of `most` rows. A linear term corrects the mean of
    this sample to that of a sample MEAN_SAMPLE times as large. most=None uses all rows.
    The kernel's problem is divided by n(w): observed pairs weigh 1, the noise drawn[j], and the ridge is l2 / n(w).
    """
    from pairloom.kernel.counts import logistic as kernel

    matrix, dim = _read_only_rows(matrix), matrix.shape[1]
    total = np.add.reduceat(occurrences.times, occurrences.starts[:-1])
    ridge = l2 / total
    sizes, size = np.unique(2 * np.rint(np.log2(ridge) / 2), return_inverse=True)
    common = _common(noise, 2.0**sizes)
    problems = kernel.Problems(matrix, occurrences.rows, occurrences.times, occurrences.starts, drawn, ridge, size)
    longest = int(np.diff(occurrences.starts).max())
    rows = longest if most is None else min(most, longest)
    limits = kernel.Limits(rows, MEAN_SAMPLE * rows, MOST_GRADIENTS, TOLERANCE)
    V, gradients = np.empty((len(total), dim), np.float32), np.zeros(len(total), np.int64)
    free_buffers: list[SolverBuffers] = []  # not in use by any thread
    make_buffers: Callable[[int, int], SolverBuffers] = kernel.make_buffers

    def solve_some(some: range) -> None:
        try:
            buffers = free_buffers.pop()
        except IndexError:  # asking first whether the list is empty would be a race with other threads
            buffers = make_buffers(len(common.mean), rows + 2)
        for j in some:
            stop_if_cancelled()
            kernel.solve_words(j, j + 1, problems, common, limits, buffers, V, gradients)
        free_buffers.append(buffers)

    spans = [range(a, min(a + _WORDS_AT_ONCE, len(V))) for a in range(0, len(V), _WORDS_AT_ONCE)]
    for span, _ in zip(spans, pool.map(solve_some, spans), strict=True):
        _check_converged(occurrences.words, gradients, span, l2)
        report(span.stop)
    return V


def _read_only_rows(matrix: Matrix) -> Matrix:
    """A read-only view of the rows that the kernel can load eight columns at a time.

    Read-only and writeable arrays are two types for Numba. Making trained rows read-only, as loaded ones are, saves
    compiling the kernel a second time.
    """
    from pairloom.kernel.simd import LANES

    if matrix.shape[1] < LANES:
        matrix = np.pad(matrix, ((0, 0), (0, LANES - matrix.shape[1])))
    rows = np.ascontiguousarray(matrix).view()
    rows.flags.writeable = False
    return rows


def _common(noise: ContextNoise, ridges: Float64s) -> "Common":
    """What all problems share: the rows of the noise, and for every size of the ridge a P⁻¹ that is roughly (∇²f)⁻¹.

    P = Σ_c noise(c) v_c v_cᵀ / 2 + ridge I, with the ridge rounded to a power of four. P depends on the fixed side
    alone, so a word gets the same bits whichever other words are solved with it. The 1/2 is about (1 + k) σ' for k = 5.
    """
    from pairloom.kernel.counts import logistic as kernel
    from pairloom.kernel.counts import moments

    rows = _padded_rows(noise.X, np.arange(len(noise.X), dtype=np.int32), noise.weights)
    width, share = rows.X.shape[1], noise.weights.sum()  # _padded_rows scales the weights to sum to 1
    middle, covariance = (np.pad(of, (0, width - len(of))) for of in (noise.mean, noise.covariance))
    mean = share * moments.mean_of(*rows) + noise.rest * middle
    moment = share * moments.second_moment(*rows) + noise.rest * (covariance + np.outer(middle, middle))
    inverse = np.stack([moments.inverse_of(0.5 * moment + ridge * np.eye(width)) for ridge in ridges])
    normal = kernel.Normal(noise.rest, middle, _in_both_precisions(covariance))
    return kernel.Common(rows, share, normal, mean, _in_both_precisions(inverse))


def _in_both_precisions(A: Float64s) -> "Symmetric":
    """A in float64 and in float32."""
    from pairloom.kernel.counts.logistic import Symmetric

    return Symmetric(A, A.astype(np.float32))


def _check_converged(words: list[str], gradients: Counts, span: range, l2: float) -> None:
    for j in span:
        if gradients[j] < 0:
            raise DivergedError(
                f"No optimum was found for {quoted(words[j])} in {-gradients[j]} steps. Either l2={l2:g} is too small, "
                "or the vectors of the model are very long. Use a larger l2; 20 is usual."
            )
