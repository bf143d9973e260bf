"""Logistic regression on the rows of a fixed side, one problem for each new word, solved by all threads.

    f(v) = Σ_r p_r * -log σ(x_r·v)  +  Σ_r n_r * -log σ(-x_r·v)  +  ridge/2 |v|²

`loss_and_gradient` is the definition, made to be read; `kernel/logistic.py` finds the v where the gradient is zero.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from wordloom.draws import Purpose, draw, key
from wordloom.errors import DivergedError
from wordloom.objective import log_sigmoid, sigmoid
from wordloom.seen import Seen
from wordloom.spelling import quoted
from wordloom.types import Counts, Float64s, Ids, Matrix
from wordloom.workers import Workers

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from wordloom.kernel.logistic import Common, Room

MOST_GRADIENTS = 1000  # for one word; nearly all need 6 to 18
MOMENTS = 16  # so many times as many contexts as are taken say what mean, and for the noise what covariance, they have
ROWS_PER_DIM = 4  # of the noise at least: fewer do not have its covariance
ENOUGH = 1e-6  # gᵀP⁻¹g at the end as a part of vᵀPv: vectors are within about a thousandth of the optimum
_WORDS_AT_ONCE = 16
_SAMPLE = 1  # which of all systematic samples


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
    """The whole noise if it has at most n contexts (or n is None), else a `sample` of n whose moments are put right.

    The contexts that are all in the sample stay as they are. The others stand for many; the sample of them is moved and
    stretched so that it has mean and covariance of a sample that is MOMENTS times as large. With x·v nearly normal, as
    it is for drawn contexts, hardly anything else of them matters.
    """
    if n is None or max(n, ROWS_PER_DIM * matrix.shape[1]) >= len(probability):
        return Noise(np.ascontiguousarray(matrix, np.float32), probability)
    n = max(n, ROWS_PER_DIM * matrix.shape[1])
    rows, weights = sample(probability, MOMENTS * n)
    at, kept = sample(weights, n)
    X, others = matrix[rows[at]], kept == kept.min()
    rest = np.delete(np.arange(len(rows)), at[~others])
    X[others] = _with_moments_of(X[others], matrix[rows[rest]], weights[rest])
    return Noise(X, kept)


def _with_moments_of(X: Matrix, all_of_them: Matrix, weights: Float64s) -> Matrix:
    """X, whose rows weigh the same, with every x moved to m + L_S L⁻¹ (x - mean of X).

    L Lᵀ is the covariance of X, m and L_S L_Sᵀ are mean and covariance of all of them.
    """
    from wordloom.kernel import moments as kernel

    share, equal = weights / weights.sum(), np.full(len(X), 1 / len(X))
    to, middle = kernel.mean_of(all_of_them, share), kernel.mean_of(X, equal)
    S, covariance = kernel.second_moment(all_of_them, share, to), kernel.second_moment(X, equal, middle)
    little = (1e-6 * np.trace(S) / len(S) + 1e-30) * np.eye(len(S))  # where all x are alike nothing is stretched
    root, back = kernel.root_of(S + little), kernel.inverse_of_root(kernel.root_of(covariance + little))
    return np.asarray(kernel.moved(X, middle, np.einsum("ij,jk->ik", root, back), to))


def sample(probability: Float64s, n: int) -> tuple[Ids, Float64s]:
    """n of the outcomes, each once, with weights that add up to 1, and to an outcome's probability on average.

    The probable ones are all there, each with its probability. The others, in an order that hashes decide, are laid end
    to end and one is taken at every n-th part of what they make up, to stand for this part (a systematic sample).
    """
    if n >= len(probability):
        return np.arange(len(probability), dtype=np.int32), probability
    order = np.argsort(-probability, kind="stable")
    left = np.append(np.cumsum(probability[order][::-1])[::-1], 0.0)
    sure = int(np.argmax(probability[order[:n]] * (n - np.arange(n)) < left[:n]))  # where none would be taken twice
    hashes = (draw(key(_SAMPLE, Purpose.NOISE), order[sure:]) >> np.uint64(48)).astype(np.uint16)  # quick to sort by
    others = order[sure:][np.argsort(hashes, kind="stable")]
    part = left[sure] / (n - sure)
    at = np.searchsorted(np.cumsum(probability[others]), (np.arange(n - sure) + 0.5) * part)
    rows = np.concatenate([order[:sure], others[np.minimum(at, len(others) - 1)]])
    weights = np.concatenate([probability[order[:sure]], np.full(n - sure, part)])
    return rows.astype(np.int32), weights


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
    up for what its mean is off (None: with all of them).
    What the kernel solves is divided by n(w): what was seen weighs 1, the noise drawn[j], and the ridge is l2 / n(w).
    """
    from wordloom.kernel import logistic as kernel

    matrix, dim = _with_whole_rows(matrix), matrix.shape[1]
    total = np.add.reduceat(seen.times, seen.starts[:-1])
    ridge = l2 / total
    sizes, size = np.unique(np.rint(np.log2(ridge)), return_inverse=True)
    common = _common(noise, 2.0**sizes)
    problems = kernel.Problems(matrix, seen.rows, seen.times, seen.starts, drawn, ridge, size)
    longest = int(np.diff(seen.starts).max())
    rows = longest if most is None else min(most, longest)
    limits = kernel.Limits(rows, MOST_GRADIENTS, ENOUGH)
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

    P = Σ_c noise(c) v_c v_cᵀ / 2 + ridge I, with the ridge rounded to a power of two: of nothing but the fixed side, so
    that a word has the same bits in whatever company. A half is about (1 + k) σ' for k = 5.
    """
    from wordloom.kernel import logistic as kernel
    from wordloom.kernel import moments
    from wordloom.kernel.rows import take_rows
    from wordloom.kernel.simd import LANES

    n, dim = noise.X.shape
    width = -(-dim // LANES) * LANES
    X, weight = np.zeros((n + LANES, width), np.float32), np.zeros(n + LANES, np.float32)
    full = take_rows(_with_whole_rows(noise.X), np.arange(n), noise.weights, X, weight)
    rows = kernel.Rows(X[:full], weight[:full])
    moment = moments.second_moment(*rows, np.zeros(width))
    inverse = np.stack([moments.inverse_of(0.5 * moment + ridge * np.eye(width)) for ridge in ridges])
    return kernel.Common(rows, moments.mean_of(*rows), inverse)


def _check_converged(words: list[str], gradients: Counts, span: range, l2: float) -> None:
    for j in span:
        if gradients[j] < 0:
            raise DivergedError(
                f"No optimum was found for {quoted(words[j])} in {-gradients[j]} steps. l2={l2:g} may be too small, or "
                "the vectors of the model very long; an l2 of 20 is usual."
            )
