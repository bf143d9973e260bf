"""The rows of n-grams that fit given vectors best: ridge regression, solved by conjugate gradients.

With A[w, g] = (how often word w has n-gram g) / (the n-grams of w) and a weight for every word, U minimises

    Σ_w weight(w) |t_w - Σ_g A[w, g] u_g|²  +  l2 Σ_g |u_g|²

which is the solution of (AᵀDA + l2) U = AᵀD T with the weights on the diagonal of D. The columns of U are separate
problems with the same matrix. They are solved in blocks of COLUMNS, each by one thread, so that the number of threads
changes nothing. Frequent n-grams have a diagonal thousands of times larger than rare ones, so the matrix is
preconditioned by its diagonal.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.system.threads import Workers, stop_if_cancelled
from pairloom.types import Float64s, Matrix

TOLERANCE = 1e-2  # of the residual, relative to U = 0. With 1e-3 it takes 2.5 times as long, and explains 0.07 % more
MOST_STEPS = 100
_WORDS_AT_ONCE = 1 << 13  # between two checks for Ctrl-C: some 0.02 s of work


class Bags(NamedTuple):
    """The n-grams of each word that have a row, and how much the word counts."""

    starts: npt.NDArray[np.int64]  # (n_words + 1,): word w has ngrams[starts[w] : starts[w + 1]]
    ngrams: npt.NDArray[np.uint32]
    lengths: npt.NDArray[np.int64]  # (n_words,): the number of its n-grams, with those that have no row; 1 or more
    weights: Float64s  # (n_words,)
    n_rows: int


Targets = Callable[[int], Matrix]  # the number of a block -> (n_words, COLUMNS), padded with zeros


def n_blocks(dim: int) -> int:
    """The number of blocks of columns."""
    from pairloom.kernel.counts.ridge import COLUMNS

    return -(-dim // COLUMNS)


def diagonal(bags: Bags) -> Matrix:
    """About the diagonal of AᵀDA."""
    from pairloom.kernel.counts import ridge as kernel

    found = np.zeros(bags.n_rows, np.float32)
    kernel.add_diagonal(bags.starts, bags.ngrams, bags.lengths, bags.weights, found)
    return found


def solve(bags: Bags, targets: Targets, l2: float, out: Matrix, pool: Workers, report: Callable[[int], None]) -> None:
    """Fill `out` (bucket, dim) with the optimum."""
    from pairloom.kernel.counts.ridge import COLUMNS

    scale = diagonal(bags)

    def solve_one(block: int) -> None:
        columns = slice(block * COLUMNS, min((block + 1) * COLUMNS, out.shape[1]))
        X = np.zeros((bags.n_rows, COLUMNS), np.float32)
        descend(bags, targets(block), l2, scale, X)
        out[:, columns] = X[:, : columns.stop - columns.start]

    for done, _ in enumerate(pool.map(solve_one, range(n_blocks(out.shape[1]))), 1):
        report(done)


def descend(bags: Bags, T: Matrix, l2: float, scale: Matrix, X: Matrix) -> int:
    """Move X to the optimum of one block, from where it is. Returns the number of steps.

    scale: `diagonal(bags)`
    """
    from pairloom.kernel.counts import ridge as kernel

    R, Q, P = np.zeros_like(X), np.zeros_like(X), np.empty_like(X)
    product, bend, before = np.empty((3, X.shape[1]))
    _over_words(kernel.add_transposed, bags, T, R)
    goal = TOLERANCE**2 * (R.astype(np.float64) ** 2 / (scale + l2)[:, None]).sum(axis=0)
    if X.any():
        _over_words(kernel.add_normal, bags, X, Q)
    kernel.begin_descent(X, R, Q, scale, l2, P, product)
    Q[:] = 0
    for step in range(MOST_STEPS):
        if np.all(product <= goal):
            return step
        _over_words(kernel.add_normal, bags, P, Q)
        kernel.curvature(P, Q, l2, bend)
        before[:] = product
        kernel.descend(X, R, P, Q, scale, l2, _ratio(product, bend), product)
        kernel.turn(P, R, Q, scale, l2, _ratio(product, before))
    return MOST_STEPS


def error(bags: Bags, T: Matrix, X: Matrix) -> Float64s:
    """Σ_w weight(w) (t_w - Σ_g A[w, g] u_g)², for each column."""
    from pairloom.kernel.counts import ridge as kernel

    errors = np.zeros(X.shape[1])
    kernel.squared_errors(bags.starts, bags.ngrams, bags.lengths, bags.weights, X, T, errors)
    return errors


def _over_words(kernel: Callable[..., None], bags: Bags, source: Matrix, target: Matrix) -> None:
    for first in range(0, len(bags.weights), _WORDS_AT_ONCE):
        stop_if_cancelled()
        last = min(first + _WORDS_AT_ONCE, len(bags.weights))
        kernel(bags.starts, bags.ngrams, bags.lengths, bags.weights, first, last, source, target)


def _ratio(a: Float64s, b: Float64s) -> Matrix:
    """a / b in float32, and 0 where b is 0: there is nothing left to do in such a column."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0).astype(np.float32)
