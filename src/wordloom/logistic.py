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
from wordloom.types import Float64s, Ids, Matrix
from wordloom.workers import Workers

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from wordloom.kernel.logistic import Room, Rows

MOST_GRADIENTS = 1000  # for one word; nearly all need 10 to 20
TYPICAL = 0.1  # σ of trained words with drawn contexts (0.15 on Wikipedia), and about its derivative (0.11)
_WORDS_AT_ONCE = 16
_SAMPLE = 1  # which of all systematic samples


def loss_and_gradient(v: Float64s, X: Matrix, p: Float64s, n: Float64s, ridge: float) -> tuple[float, Float64s]:
    """f(v) and ∇f(v) = Σ_r ((p_r + n_r) σ(x_r·v) - p_r) x_r + ridge v, for rows X with the weights p and n."""
    x = np.einsum("rd,d->r", X.astype(np.float64), v)
    loss = -(p * log_sigmoid(x) + n * log_sigmoid(-x)).sum() + ridge / 2 * (v * v).sum()
    return float(loss), np.einsum("r,rd->d", (p + n) * sigmoid(x) - p, X.astype(np.float64)) + ridge * v


class Noise(NamedTuple):
    """Rows that stand for the whole noise: Σ_c noise(c) g(v_c) is about Σ_i weights[i] g(rows[i]) for any g.

    For linear g it is exact if `rest`, the difference of the two means, is added: so for drawn contexts, where σ is
    about TYPICAL and changes little, the gradient of the sample is made better by TYPICAL * rest.
    """

    rows: Ids
    weights: Float64s
    rest: Float64s  # (dim,): Σ_c noise(c) v_c - Σ_i weights[i] v_rows[i]


def noise_of(matrix: Matrix, probability: Float64s, n: int | None) -> Noise:
    """The whole noise if it has at most n contexts (or n is None), else a `sample` of n."""
    rows, weights = sample(probability, len(probability) if n is None else n)
    return Noise(rows, weights, _mean(matrix, probability) - _mean(matrix[rows], weights))


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
    others = order[sure:][np.argsort(draw(key(_SAMPLE, Purpose.NOISE), order[sure:]), kind="stable")]
    part = left[sure] / (n - sure)
    at = np.searchsorted(np.cumsum(probability[others]), (np.arange(n - sure) + 0.5) * part)
    rows = np.concatenate([order[:sure], others[np.minimum(at, len(others) - 1)]])
    weights = np.concatenate([probability[order[:sure]], np.full(n - sure, part)])
    return rows.astype(np.int32), weights


def _mean(matrix: Matrix, weights: Float64s) -> Float64s:
    """Σ_i weights[i] matrix[i], some rows at a time: einsum makes a float64 copy of what it is given."""
    spans = range(0, len(weights), 1 << 14)
    parts = [np.einsum("i,id->d", weights[a : a + (1 << 14)], matrix[a : a + (1 << 14)]) for a in spans]
    return np.sum(parts, axis=0)  # type: ignore[no-any-return]


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

    most: of more rows than that a word is taken to be seen with a sample of so many (None: with all of them).
    What the kernel solves is divided by n(w): what was seen weighs 1, the noise drawn[j], and the ridge is l2 / n(w).
    """
    report(0)
    if matrix.strides[1] != matrix.itemsize:
        matrix = np.ascontiguousarray(matrix)  # the kernel takes rows as they lie in memory
    total = np.add.reduceat(seen.times, seen.starts[:-1])
    ridge = l2 / total
    metric = _Metric(matrix, noise, ridge)
    V = np.empty((len(seen.words), matrix.shape[1]), np.float32)
    rooms: list[_Room] = []  # that no thread is using

    def solve_some(some: range) -> list[int]:
        room = rooms.pop() if rooms else _Room(metric.width, most)
        gradients = [room.solve(seen, j, matrix, total[j], metric, drawn[j], ridge[j], V[j]) for j in some]
        rooms.append(room)
        return gradients

    done = 0
    spans = [range(a, min(a + _WORDS_AT_ONCE, len(V))) for a in range(0, len(V), _WORDS_AT_ONCE)]
    for span, gradients in zip(spans, pool.map(solve_some, spans), strict=True):
        for j, n in zip(span, gradients, strict=True):
            if n < 0:
                raise DivergedError(
                    f"No optimum was found for {quoted(seen.words[j])} in {-n} steps. l2={l2:g} may be too small, or "
                    "the vectors of the model very long; an l2 of 20 is usual."
                )
        done += len(span)
        report(done)
    return V


class _Metric:
    """What all problems share: the rows of the noise, and for every size of the ridge a P⁻¹ that is roughly (∇²f)⁻¹.

    P = Σ_c noise(c) v_c v_cᵀ / 2 + ridge I, with the ridge rounded to a power of two: of nothing but the fixed side, so
    that a word has the same bits in whatever company. A half is about (1 + k) * TYPICAL for k = 5.
    """

    def __init__(self, matrix: Matrix, noise: Noise, ridge: Float64s) -> None:
        from wordloom.kernel import logistic as kernel
        from wordloom.kernel.simd import LANES

        dim = matrix.shape[1]
        self.width = -(-dim // LANES) * LANES
        self.slope = np.zeros(self.width)
        self.slope[:dim] = TYPICAL * noise.rest
        X = np.zeros((len(noise.rows) + kernel.ROWS, self.width), np.float32)
        weight = np.zeros(len(X), np.float32)
        full = kernel.take_rows(matrix, noise.rows, noise.weights, X, weight)
        self.noise: Rows = kernel.Rows(X[:full], weight[:full], np.zeros(full, np.float32))
        moment = kernel.second_moment(*self.noise[:2])
        self._sizes = np.rint(np.log2(ridge)).astype(int).tolist()
        self._inverse: dict[int, Float64s] = {
            size: kernel.inverse_of(0.5 * moment + 2.0**size * np.eye(self.width)) for size in sorted(set(self._sizes))
        }

    def inverse(self, j: int) -> Float64s:
        return self._inverse[self._sizes[j]]


class _Room:
    """What one thread solves one word after the other in."""

    def __init__(self, width: int, most: int | None) -> None:
        from wordloom.kernel import logistic as kernel

        self._kernel, self._width, self._most = kernel, width, 2**31 if most is None else most
        self._room: Room = kernel.make_room(width)  # type: ignore[no-untyped-call]
        self._reserve(0)

    def _reserve(self, n: int) -> None:
        self._X = np.zeros((n + self._kernel.ROWS, self._width), np.float32)  # 0 beyond dim, and stays so
        self._weight = np.empty(n + self._kernel.ROWS, np.float32)

    def solve(
        self, seen: Seen, j: int, matrix: Matrix, total: float, metric: _Metric, drawn: float, ridge: float, out: Matrix
    ) -> int:
        """The vector of word j into `out`; gives what the kernel's `solve` does."""
        mine = slice(seen.starts[j], seen.starts[j + 1])
        rows, times = self._kernel.thinned(seen.rows[mine], seen.times[mine] / total, self._most)
        if len(rows) + self._kernel.ROWS > len(self._X):
            self._reserve(2 * len(rows))
        full = self._kernel.take_rows(matrix, rows, times, self._X, self._weight)
        own = self._kernel.Rows(self._X[:full], self._weight[:full], self._weight[:full])
        where = metric.noise, drawn, drawn * metric.slope, ridge, metric.inverse(j)
        n: int = self._kernel.solve(own, *where, MOST_GRADIENTS, self._room)
        out[:] = self._room.v[: len(out)]
        return n
