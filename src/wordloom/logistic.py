"""Logistic regression on the rows of a fixed side, one problem for each new word, solved by all threads.

    f(v) = Σ_r p_r * -log σ(x_r·v)  +  Σ_r n_r * -log σ(-x_r·v)  +  ridge/2 |v|²

`loss_and_gradient` is the definition, made to be read; `kernel/logistic.py` finds the v where the gradient is zero.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from wordloom.errors import DivergedError
from wordloom.objective import log_sigmoid, sigmoid
from wordloom.seen import Seen
from wordloom.spelling import quoted
from wordloom.types import Counts, Float64s, Ids, Matrix
from wordloom.workers import Workers

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from wordloom.kernel.logistic import Common, Room, Rows

MOST_GRADIENTS = 1000  # for one word; nearly all need 6 to 18
FOR_MEAN = 8  # so many times as many contexts as a word is taken to be seen with say what mean they have
MOMENTS = 16  # so many times as many as the rows of the noise say what mean and covariance these have
ENOUGH = 1e-6  # gᵀP⁻¹g at the end as a part of vᵀPv: vectors are within about a thousandth of the optimum
_WORDS_AT_ONCE = 16


def loss_and_gradient(v: Float64s, X: Matrix, p: Float64s, n: Float64s, ridge: float) -> tuple[float, Float64s]:
    """f(v) and ∇f(v) = Σ_r ((p_r + n_r) σ(x_r·v) - p_r) x_r + ridge v, for rows X with the weights p and n."""
    x = np.einsum("rd,d->r", X.astype(np.float64), v)
    loss = -(p * log_sigmoid(x) + n * log_sigmoid(-x)).sum() + ridge / 2 * (v * v).sum()
    return float(loss), np.einsum("r,rd->d", (p + n) * sigmoid(x) - p, X.astype(np.float64)) + ridge * v


class Noise(NamedTuple):
    """Rows that stand for the whole noise: Σ_c noise(c) g(v_c) is about Σ_i weights[i] g(X[i]) for any g."""

    X: Matrix
    weights: Float64s


def noise_of(matrix: Matrix, probability: Float64s, n: int | None) -> Noise:
    """The whole noise if it has at most n contexts (or n is None), else n rows that stand for it, or 9/4 to 9/2 * dim.

    The most probable contexts stay as they are; `_points` stand for the others. With x·v nearly normal, as it is for
    drawn contexts, hardly anything but their mean and covariance matters: those of a sample of MOMENTS * n contexts.
    """
    from wordloom.kernel.rows import thinned

    half = 1 << (matrix.shape[1] - 1).bit_length()
    if n is None or max(n, 9 * half // 4) >= len(probability):
        return Noise(np.ascontiguousarray(matrix, np.float32), probability)
    n = max(n, 9 * half // 4)  # contexts that stay are an eighth of the points at least
    rows, weights = thinned(np.arange(len(probability), dtype=np.int32), probability, MOMENTS * n)
    order, weights = np.argsort(-weights, kind="stable"), weights / weights.sum()
    kept, others = np.split(order, [n - 2 * half])
    X = np.concatenate([matrix[rows[kept]], _points(matrix, rows[others], weights[others], half)])
    return Noise(X, np.append(weights[kept], np.full(2 * half, weights[others].sum() / (2 * half))))


def _points(matrix: Matrix, rows: Ids, weights: Float64s, half: int) -> Matrix:
    """m ± L g_i for i < half: points that weigh the same, with mean m and covariance L Lᵀ of the rows.

    g_ij = ±1, odd or even as the bits that i and j share (Walsh): Σ_i g_ij g_ik is half where j = k, else 0. By ± all
    odd moments about m vanish, as those of the normal distribution do.
    """
    from wordloom.kernel import moments

    X, weight = _in_room(matrix, rows, weights)
    middle = moments.mean_of(X, weight)
    S = moments.second_moment(X - middle.astype(np.float32), weight)
    little = (1e-6 * np.trace(S) / len(S) + 1e-30) * np.eye(len(S))  # where all x are alike, L is not 0 but little
    L = moments.root_of(S + little)[: matrix.shape[1], : matrix.shape[1]]
    away = _walsh(np.pad(L.T, ((0, half - len(L)), (0, 0))))
    middle = middle[: len(L)]
    return np.concatenate([middle + away, middle - away]).astype(np.float32)


def _walsh(T: Float64s) -> Float64s:
    """Σ_j g_ij T[j] for all i: of every two neighbours sum and difference, then of every two such twos, and so on."""
    for step in 2 ** np.arange(len(T).bit_length() - 1):
        a, b = np.moveaxis(T.reshape(-1, 2, step, T.shape[1]), 1, 0)
        T = np.stack([a + b, a - b], axis=1).reshape(T.shape)
    return T


def _in_room(matrix: Matrix, rows: Ids, weights: Float64s) -> "Rows":
    """Rows as the kernel takes them: columns and rows filled up with zeros, weights as parts of 1."""
    from wordloom.kernel import logistic as kernel
    from wordloom.kernel.rows import room_for, take_rows
    from wordloom.kernel.simd import LANES

    width = -(-matrix.shape[1] // LANES) * LANES
    X = room_for(len(rows), width)
    weight = np.zeros(len(X), np.float32)
    take_rows(_with_whole_rows(matrix), rows, weights, X, weight)
    return kernel.Rows(X, weight)


def solve(
    seen: Seen,
    matrix: Matrix,
    noise: Noise,
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
    from wordloom.kernel import logistic as kernel

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
    rooms: list[Room] = []  # that no thread is using
    make_room: Callable[[int, int], Room] = kernel.make_room

    def solve_some(some: range) -> None:
        room = rooms.pop() if rooms else make_room(len(common.mean), rows + 2)
        kernel.solve_words(some.start, some.stop, problems, common, limits, room, V, gradients)
        rooms.append(room)

    spans = [range(a, min(a + _WORDS_AT_ONCE, len(V))) for a in range(0, len(V), _WORDS_AT_ONCE)]
    for span, _ in zip(spans, pool.map(solve_some, spans), strict=True):
        _check_converged(seen.words, gradients, span, l2)
        report(span.stop)
    return V


def _with_whole_rows(matrix: Matrix) -> Matrix:
    """The kernel takes rows as they lie in memory, and eight columns at a time."""
    from wordloom.kernel.simd import LANES

    if matrix.shape[1] < LANES:
        return np.pad(matrix, ((0, 0), (0, LANES - matrix.shape[1])))
    return matrix if matrix.strides[1] == matrix.itemsize else np.ascontiguousarray(matrix)


def _common(noise: Noise, ridges: Float64s) -> "Common":
    """What all problems share: the rows of the noise, and for every size of the ridge a P⁻¹ that is roughly (∇²f)⁻¹.

    P = Σ_c noise(c) v_c v_cᵀ / 2 + ridge I, with the ridge rounded to a power of four: of nothing but the fixed side,
    so that a word has the same bits in whatever company. A half is about (1 + k) σ' for k = 5.
    """
    from wordloom.kernel import logistic as kernel
    from wordloom.kernel import moments

    rows = _in_room(noise.X, np.arange(len(noise.X), dtype=np.int32), noise.weights)
    moment = moments.second_moment(*rows)
    inverse = np.stack([moments.inverse_of(0.5 * moment + ridge * np.eye(len(moment))) for ridge in ridges])
    return kernel.Common(rows, moments.mean_of(*rows), inverse)


def _check_converged(words: list[str], gradients: Counts, span: range, l2: float) -> None:
    for j in span:
        if gradients[j] < 0:
            raise DivergedError(
                f"No optimum was found for {quoted(words[j])} in {-gradients[j]} steps. l2={l2:g} may be too small, or "
                "the vectors of the model very long; an l2 of 20 is usual."
            )
