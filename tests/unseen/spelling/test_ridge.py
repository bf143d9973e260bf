"""Ridge regression on bags: the optimum is the only one, whoever looks for it."""

import numpy as np
import pytest

from pairloom.kernel.counts.ridge import COLUMNS
from pairloom.system.threads import workers
from pairloom.unseen.spelling import ridge
from pairloom.unseen.spelling.ridge import Bags


def random_bags(rng, n_words=60, n_rows=40):
    """Words of 0 to 8 n-grams. Some have an n-gram twice, and some have n-grams without a row."""
    sizes = rng.integers(0, 9, n_words)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    lengths = np.maximum(sizes + rng.integers(0, 3, n_words), 1)
    ngrams = rng.integers(0, n_rows, starts[-1]).astype(np.uint32)
    return Bags(starts, ngrams, lengths, rng.uniform(0, 2, n_words), n_rows)


def dense(bags):
    A = np.zeros((len(bags.weights), bags.n_rows))
    for w, (begin, end) in enumerate(zip(bags.starts, bags.starts[1:], strict=False)):
        np.add.at(A[w], bags.ngrams[begin:end], 1 / bags.lengths[w])
    return A


def solved(bags, T, l2, threads):
    out = np.empty((bags.n_rows, T.shape[1]), np.float32)
    padded = np.pad(T, ((0, 0), (0, -T.shape[1] % COLUMNS))).astype(np.float32)
    with workers(threads) as pool:
        ridge.solve(bags, lambda b: padded[:, b * COLUMNS : (b + 1) * COLUMNS].copy(), l2, out, pool, lambda done: None)
    return out


@pytest.mark.parametrize("l2", [1e-3, 0.1, 10.0])
def test_the_rows_are_the_least_squares_solution_of_numpy(l2, monkeypatch):
    monkeypatch.setattr(ridge, "TOLERANCE", 1e-6)
    rng = np.random.default_rng(0)
    bags, T = random_bags(rng), rng.normal(size=(60, 20))
    A, root = dense(bags), np.sqrt(bags.weights)[:, None]
    system = np.vstack([root * A, np.sqrt(l2) * np.eye(bags.n_rows)])
    expected, *_ = np.linalg.lstsq(system, np.vstack([root * T, np.zeros((bags.n_rows, 20))]), rcond=None)
    np.testing.assert_allclose(solved(bags, T, l2, 1), expected, atol=2e-4 * np.abs(expected).max())


def test_the_usual_tolerance_is_near_enough_to_the_optimum():
    rng = np.random.default_rng(1)
    bags, T = random_bags(rng), rng.normal(size=(60, COLUMNS))
    A, D = dense(bags), bags.weights[:, None]
    expected = np.linalg.solve(A.T @ (D * A) + 0.02 * np.eye(bags.n_rows), A.T @ (D * T))
    found = solved(bags, T, 0.02, 1)
    assert np.linalg.norm(found - expected) < 0.02 * np.linalg.norm(expected)


def test_the_bits_do_not_depend_on_the_number_of_threads_or_the_other_columns():
    rng = np.random.default_rng(2)
    bags, T = random_bags(rng), rng.normal(size=(60, 50))
    one = solved(bags, T, 0.02, 1)
    assert solved(bags, T, 0.02, 3).tobytes() == one.tobytes()
    assert solved(bags, T[:, :COLUMNS], 0.02, 1).tobytes() == one[:, :COLUMNS].tobytes()


def test_a_start_at_the_optimum_takes_no_step():
    rng = np.random.default_rng(3)
    bags, T = random_bags(rng), rng.normal(size=(60, COLUMNS)).astype(np.float32)
    X, scale = np.zeros((bags.n_rows, COLUMNS), np.float32), ridge.diagonal(bags)
    assert ridge.descend(bags, T, 0.02, scale, X) > 0
    assert ridge.descend(bags, T, 0.02, scale, X) <= 1


def test_errors_are_those_of_the_definition():
    rng = np.random.default_rng(4)
    bags, T = random_bags(rng), rng.normal(size=(60, COLUMNS)).astype(np.float32)
    X = rng.normal(size=(bags.n_rows, COLUMNS)).astype(np.float32)
    expected = (bags.weights[:, None] * (dense(bags) @ X - T) ** 2).sum(axis=0)
    np.testing.assert_allclose(ridge.error(bags, T, X), expected, rtol=1e-5)


def test_a_column_of_zeros_stays_zero():
    bags = random_bags(np.random.default_rng(5))
    assert not solved(bags, np.zeros((60, COLUMNS)), 0.02, 1).any()
