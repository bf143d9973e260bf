"""Logistic regression on the rows of a fixed side, one problem for each new word, solved by all threads.

    f(v) = Σ_r p_r * -log σ(x_r·v)  +  Σ_r n_r * -log σ(-x_r·v)  +  ridge/2 |v|²

`loss_and_gradient` is the definition, made to be read, and `normal_loss_and_gradient` that for rows which nobody counts
but whose distribution is known; `kernel/logistic.py` finds the v where the gradient is zero.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pairloom.errors import DivergedError
from pairloom.fold_in.occurrences import Seen
from pairloom.method.objective import log_sigmoid, sigmoid
from pairloom.system.spelling import quoted
from pairloom.system.threads import Workers
from pairloom.types import Counts, Float64s, Ids, Matrix

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.counts.logistic import Common, Rows, SolverBuffers, Symmetric

MOST_GRADIENTS = 1000  # for one word; nearly all need 6 to 18
FOR_MEAN = 5  # so many times as many contexts as a word is taken to be seen with say what mean they have
AS_THEY_ARE = 8  # of so many contexts of the noise one stays as it is; the mean and covariance of the others count
MOMENTS = 16  # so many times as many contexts say what mean and covariance these have
ENOUGH = 1e-6  # gᵀP⁻¹g at the end as a part of vᵀPv: vectors are within about a thousandth of the optimum
_WORDS_AT_ONCE = 32


def loss_and_gradient(v: Float64s, X: Matrix, p: Float64s, n: Float64s, ridge: float) -> tuple[float, Float64s]:
    """f(v) and ∇f(v) = Σ_r ((p_r + n_r) σ(x_r·v) - p_r) x_r + ridge v, for rows X with the weights p and n."""
    x = np.einsum("rd,d->r", X.astype(np.float64), v)
    loss = -(p * log_sigmoid(x) + n * log_sigmoid(-x)).sum() + ridge / 2 * (v * v).sum()
    return float(loss), np.einsum("r,rd->d", (p + n) * sigmoid(x) - p, X.astype(np.float64)) + ridge * v


def normal_loss_and_gradient(v: Float64s, mean: Float64s, covariance: Float64s) -> tuple[float, Float64s]:
    """E[-log σ(-x·v)] and its gradient, for x of a normal distribution.

    x·v is then normal, too, of mean μ = mean·v and variance s² = vᵀ covariance v, so the expectation is that of one
    number: Σ_i part_i log(1 + e^(μ + s t_i)) by Gauss and Hermite, convex since with every t_i there is -t_i. Its
    gradient is Σ_i part_i σ(μ + s t_i) (mean + t_i covariance v / s).
    """
    t, parts = np.polynomial.hermite_e.hermegauss(8)
    turned, parts = covariance @ v, parts / parts.sum()
    s = np.sqrt(v @ turned)
    x = mean @ v + s * t
    along = np.sum(parts * sigmoid(x) * t) / s if s > 0 else 0.0
    return float(-np.sum(parts * log_sigmoid(-x))), np.sum(parts * sigmoid(x)) * mean + along * turned


class ContextNoise(NamedTuple):
    """Rows and a normal distribution that stand for the whole noise.

    Σ_c noise(c) g(v_c) is about Σ_i weights[i] g(X[i]) + rest * E[g(x)] for any g, with x of that mean and covariance.
    """

    X: Matrix
    weights: Float64s
    rest: float
    mean: Float64s
    covariance: Float64s


def noise_of(matrix: Matrix, probability: Float64s, n: int | None) -> ContextNoise:
    """The whole noise if it has at most n contexts (or n is None), else what stands for it.

    The n / AS_THEY_ARE most probable contexts stay as they are. For drawn contexts x·v is nearly normal, so that hardly
    anything but the mean and covariance of the others matters: those of a sample MOMENTS times as large.
    """
    from pairloom.kernel.counts import moments
    from pairloom.kernel.rows import thinned

    dim = matrix.shape[1]
    if n is None or n >= len(probability):
        whole = np.ascontiguousarray(matrix, np.float32)
        return ContextNoise(whole, probability, 0.0, np.zeros(dim), np.zeros((dim, dim)))
    many = MOMENTS * max(n, dim)  # or there would be directions of which nothing is known
    rows, weights = thinned(np.arange(len(probability), dtype=np.int32), probability, many)
    order, weights = np.argsort(-weights, kind="stable"), weights / weights.sum()
    kept, others = np.split(order, [n // AS_THEY_ARE])
    X, weight = _in_room(matrix, rows[others], weights[others])
    mean = moments.mean_of(X, weight)
    covariance = moments.second_moment(X - mean.astype(np.float32), weight)
    return ContextNoise(matrix[rows[kept]], weights[kept], weights[others].sum(), mean[:dim], covariance[:dim, :dim])


def _in_room(matrix: Matrix, rows: Ids, weights: Float64s) -> "Rows":
    """Rows as the kernel takes them: columns and rows filled up with zeros, weights as parts of 1."""
    from pairloom.kernel.counts import logistic as kernel
    from pairloom.kernel.rows import aligned_zeros, take_rows
    from pairloom.kernel.simd import LANES

    width = -(-matrix.shape[1] // LANES) * LANES
    X = aligned_zeros(len(rows), width)
    weight = np.zeros(len(X), np.float32)
    take_rows(_with_whole_rows(matrix), rows, weights, X, weight)
    return kernel.Rows(X, weight)


def solve(
    seen: Seen,
    matrix: Matrix,
    noise: ContextNoise,
    drawn: Float64s,
    l2: float,
    most: int | None,
    pool: Workers,
    report: Callable[[int], None],
) -> Matrix:
    """The optimum for every word of `seen`: a row each. drawn[j] is |D'| / |D| for the pairs of word j.

    most: of more rows than that a word is taken to be seen with a sample of so many, and a linear term that makes
    up for what its mean is off that of a sample FOR_MEAN times as large (None: with all of them).
    What the kernel solves is divided by n(w): what was seen weighs 1, the noise drawn[j], and the ridge is l2 / n(w).
    """
    from pairloom.kernel.counts import logistic as kernel

    matrix, dim = _with_whole_rows(matrix), matrix.shape[1]
    total = np.add.reduceat(seen.times, seen.starts[:-1])
    ridge = l2 / total
    sizes, size = np.unique(2 * np.rint(np.log2(ridge) / 2), return_inverse=True)
    common = _common(noise, 2.0**sizes)
    problems = kernel.Problems(matrix, seen.rows, seen.times, seen.starts, drawn, ridge, size)
    longest = int(np.diff(seen.starts).max())
    rows = longest if most is None else min(most, longest)
    limits = kernel.Limits(rows, FOR_MEAN * rows, MOST_GRADIENTS, ENOUGH)
    V, gradients = np.empty((len(total), dim), np.float32), np.zeros(len(total), np.int64)
    rooms: list[SolverBuffers] = []  # that no thread is using
    make_buffers: Callable[[int, int], SolverBuffers] = kernel.make_buffers

    def solve_some(some: range) -> None:
        room = rooms.pop() if rooms else make_buffers(len(common.mean), rows + 2)
        kernel.solve_words(some.start, some.stop, problems, common, limits, room, V, gradients)
        rooms.append(room)

    spans = [range(a, min(a + _WORDS_AT_ONCE, len(V))) for a in range(0, len(V), _WORDS_AT_ONCE)]
    for span, _ in zip(spans, pool.map(solve_some, spans), strict=True):
        _check_converged(seen.words, gradients, span, l2)
        report(span.stop)
    return V


def _with_whole_rows(matrix: Matrix) -> Matrix:
    """The kernel takes rows as they lie in memory, and eight columns at a time.

    They are for reading only, whether they were loaded or trained: for Numba these are two types, and to compile the
    kernel for the second takes as long as for the first.
    """
    from pairloom.kernel.simd import LANES

    if matrix.shape[1] < LANES:
        matrix = np.pad(matrix, ((0, 0), (0, LANES - matrix.shape[1])))
    rows = (matrix if matrix.strides[1] == matrix.itemsize else np.ascontiguousarray(matrix)).view()
    rows.flags.writeable = False
    return rows


def _common(noise: ContextNoise, ridges: Float64s) -> "Common":
    """What all problems share: the rows of the noise, and for every size of the ridge a P⁻¹ that is roughly (∇²f)⁻¹.

    P = Σ_c noise(c) v_c v_cᵀ / 2 + ridge I, with the ridge rounded to a power of four: of nothing but the fixed side,
    so that a word has the same bits in whatever company. A half is about (1 + k) σ' for k = 5.
    """
    from pairloom.kernel.counts import logistic as kernel
    from pairloom.kernel.counts import moments

    rows = _in_room(noise.X, np.arange(len(noise.X), dtype=np.int32), noise.weights)
    width, share = rows.X.shape[1], noise.weights.sum()  # _in_room makes weights parts of 1
    middle, covariance = (np.pad(of, (0, width - len(of))) for of in (noise.mean, noise.covariance))
    mean = share * moments.mean_of(*rows) + noise.rest * middle
    moment = share * moments.second_moment(*rows) + noise.rest * (covariance + np.outer(middle, middle))
    inverse = np.stack([moments.inverse_of(0.5 * moment + ridge * np.eye(width)) for ridge in ridges])
    normal = kernel.Normal(noise.rest, middle, _in_both(covariance))
    return kernel.Common(rows, share, normal, mean, _in_both(inverse))


def _in_both(A: Float64s) -> "Symmetric":
    """A as the kernel takes it: in float64, and in float32."""
    from pairloom.kernel.counts.logistic import Symmetric

    return Symmetric(A, A.astype(np.float32))


def _check_converged(words: list[str], gradients: Counts, span: range, l2: float) -> None:
    for j in span:
        if gradients[j] < 0:
            raise DivergedError(
                f"No optimum was found for {quoted(words[j])} in {-gradients[j]} steps. l2={l2:g} may be too small, or "
                "the vectors of the model very long; an l2 of 20 is usual."
            )
