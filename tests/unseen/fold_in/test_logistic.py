"""Each new word is a logistic regression with one optimum, and the compiled solver finds it."""

import numpy as np
import pytest

from pairloom.errors import DivergedError
from pairloom.kernel.counts.logistic import NODES, PARTS, SEEN, SINGLE_GRADIENTS, solve_words
from pairloom.kernel.rows import thinned
from pairloom.system.threads import workers
from pairloom.unseen.fold_in.logistic import (
    EXACT_ONE_IN,
    MEAN_SAMPLE,
    MOMENT_SAMPLE,
    TOLERANCE,
    context_noise,
    loss_and_gradient,
    normal_loss_and_gradient,
    solve,
)
from pairloom.unseen.fold_in.occurrences import Occurrences


def problem(rng, rows=300, dim=11, n_words=4):
    """Random rows, words that occur with some of them, and a noise over all of them."""
    matrix = rng.normal(scale=0.7, size=(rows, dim)).astype(np.float32)
    chosen = [np.sort(rng.choice(rows, size, replace=False)).astype(np.int32) for size in (1, 5, 90, 290)[:n_words]]
    times = [rng.exponential(3.0, len(some)) for some in chosen]
    starts = np.cumsum([0, *map(len, chosen)])
    ones = np.ones(n_words)
    words = [f"w{j}" for j in range(n_words)]
    occurrences = Occurrences(
        words, ones.astype(np.int64), ones, ones, np.concatenate(chosen), np.concatenate(times), starts
    )
    probability = rng.dirichlet(np.ones(rows))
    return matrix, occurrences, probability


def solved(occurrences, matrix, noise, k=5.0, l2=2.0, threads=1, most=None):
    with workers(threads) as pool:
        return solve(occurrences, matrix, noise, np.full(len(occurrences.words), k), l2, most, pool, lambda done: None)


@pytest.fixture
def to_the_end(monkeypatch):
    """Solve to the optimum itself; by default the solver stops within about a thousandth of it."""
    monkeypatch.setattr("pairloom.unseen.fold_in.logistic.TOLERANCE", 1e-12)


def test_the_gradient_is_that_of_the_loss():
    rng = np.random.default_rng(0)
    X, (p, n), v = rng.normal(size=(7, 4)).astype(np.float32), rng.exponential(size=(2, 7)), rng.normal(size=4)
    _, gradient = loss_and_gradient(v, X, p, n, 0.3)
    for i, step in enumerate(1e-6 * np.eye(4)):
        up, down = (loss_and_gradient(v + sign * step, X, p, n, 0.3)[0] for sign in (1, -1))
        assert (up - down) / 2e-6 == pytest.approx(gradient[i], rel=1e-6, abs=1e-8)


def objective_of(j, occurrences, matrix, probability, k=5.0, l2=2.0):
    """The arguments of `loss_and_gradient` after v, by the formula at the head of fold_in.py."""
    mine = slice(occurrences.starts[j], occurrences.starts[j + 1])
    p = np.bincount(occurrences.rows[mine], occurrences.times[mine], minlength=len(matrix))
    return matrix, p, k * p.sum() * probability, l2


@pytest.mark.parametrize(("enough", "left"), [(TOLERANCE, 2e-3), (1e-12, 1e-5)])
@pytest.mark.parametrize("dim", [1, 8, 11, 100])
def test_at_the_solution_the_gradient_vanishes(dim, enough, left, monkeypatch):
    monkeypatch.setattr("pairloom.unseen.fold_in.logistic.TOLERANCE", enough)
    matrix, occurrences, probability = problem(np.random.default_rng(dim), dim=dim)
    V = solved(occurrences, matrix, context_noise(matrix, probability, None))
    for j, v in enumerate(V.astype(np.float64)):
        terms = objective_of(j, occurrences, matrix, probability)
        at_zero, at_v = (np.linalg.norm(loss_and_gradient(x, *terms)[1]) for x in (0 * v, v))
        assert at_v < left * at_zero


def test_a_vector_is_within_about_a_thousandth_of_its_optimum(monkeypatch):
    matrix, occurrences, probability = problem(np.random.default_rng(4), dim=50)
    near = solved(occurrences, matrix, context_noise(matrix, probability, None))
    monkeypatch.setattr("pairloom.unseen.fold_in.logistic.TOLERANCE", 1e-12)
    exact = solved(occurrences, matrix, context_noise(matrix, probability, None))
    distance = np.linalg.norm(near - exact, axis=1) / np.linalg.norm(exact, axis=1)
    assert 0 < distance.max() < 2e-3


def test_no_other_vector_has_a_smaller_loss():
    rng = np.random.default_rng(5)
    matrix, occurrences, probability = problem(rng)
    V = solved(occurrences, matrix, context_noise(matrix, probability, None)).astype(np.float64)
    for j, v in enumerate(V):
        terms = objective_of(j, occurrences, matrix, probability)
        best = loss_and_gradient(v, *terms)[0]
        assert all(loss_and_gradient(v + rng.normal(scale=s, size=len(v)), *terms)[0] > best for s in (0.01, 0.1, 3.0))


def test_the_solution_is_that_of_scikit_learn(to_the_end):
    linear_model = pytest.importorskip("sklearn.linear_model")
    matrix, occurrences, probability = problem(np.random.default_rng(6))
    V = solved(occurrences, matrix, context_noise(matrix, probability, None))
    for j, v in enumerate(V):
        _, p, n, l2 = objective_of(j, occurrences, matrix, probability)
        model = linear_model.LogisticRegression(C=1 / l2, fit_intercept=False, tol=1e-10, max_iter=10_000)
        label = np.repeat([1, 0], len(matrix))
        model.fit(np.vstack([matrix, matrix]).astype(np.float64), label, sample_weight=np.concatenate([p, n]))
        np.testing.assert_allclose(v, model.coef_[0], rtol=1e-4, atol=1e-5 * np.linalg.norm(v))


@pytest.mark.parametrize(("dim", "l2"), [(11, 2.0), (100, 2.0), (11, 1e-6)])
def test_the_solution_is_the_optimum_of_rows_and_a_normal_distribution_too(dim, l2, to_the_end):
    matrix, occurrences, probability = problem(np.random.default_rng(6), dim=dim)
    noise = context_noise(matrix, probability, 64)
    V = solved(occurrences, matrix, noise, l2=l2).astype(np.float64)
    for j, v in enumerate(V):
        _, p, _, _ = objective_of(j, occurrences, matrix, probability)
        drawn = 5.0 * p.sum()

        def gradient(v, p=p, drawn=drawn):
            of_seen, of_rows = (
                loss_and_gradient(v, *terms)[1]
                for terms in ((matrix, p, 0 * p, l2), (noise.X, 0 * noise.weights, drawn * noise.weights, 0.0))
            )
            return of_seen + of_rows + drawn * noise.rest * normal_loss_and_gradient(v, noise.mean, noise.covariance)[1]

        assert np.linalg.norm(gradient(v)) < 1e-5 * np.linalg.norm(gradient(0 * v))


def test_the_gradient_over_a_normal_distribution_matches_its_loss_and_many_drawn_rows():
    rng = np.random.default_rng(1)
    root, mean, v = rng.normal(scale=0.6, size=(4, 4)), rng.normal(size=4), rng.normal(size=4)
    covariance = root @ root.T
    loss, gradient = normal_loss_and_gradient(v, mean, covariance)
    for i, step in enumerate(1e-6 * np.eye(4)):
        up, down = (normal_loss_and_gradient(v + sign * step, mean, covariance)[0] for sign in (1, -1))
        assert (up - down) / 2e-6 == pytest.approx(gradient[i], rel=1e-6, abs=1e-8)
    rows = (mean + rng.normal(size=(200_000, 4)) @ root.T).astype(np.float32)
    weights = np.full(len(rows), 1 / len(rows))
    of_rows = loss_and_gradient(v, rows, 0 * weights, weights, 0.0)
    assert of_rows[0] == pytest.approx(loss, rel=0.01)
    np.testing.assert_allclose(of_rows[1], gradient, atol=0.01)
    assert normal_loss_and_gradient(0 * v, mean, covariance)[1] == pytest.approx(mean / 2)


def test_the_nodes_and_weights_are_those_of_gauss_hermite_quadrature():
    t, parts = np.polynomial.hermite_e.hermegauss(8)
    np.testing.assert_allclose(NODES, t[4:], rtol=1e-14)
    np.testing.assert_allclose(PARTS, parts[4:] / parts.sum(), rtol=1e-13)


def test_a_sample_of_contexts_is_corrected_to_the_mean_of_a_larger_one(to_the_end):
    matrix, occurrences, probability = problem(np.random.default_rng(12))
    noise = context_noise(matrix, probability, None)
    V = solved(occurrences, matrix, noise, most=20).astype(np.float64)
    for j, v in enumerate(V):
        mine = slice(occurrences.starts[j], occurrences.starts[j + 1])
        rows, times, total = occurrences.rows[mine], occurrences.times[mine], occurrences.times[mine].sum()
        many, many_times = thinned(rows, times, MEAN_SAMPLE * 20)
        some, weights = thinned(many, many_times, 20)
        weights, many_times = (w * total / w.sum() for w in (weights, many_times))
        p = np.bincount(some, weights, minlength=len(matrix))
        _, gradient = loss_and_gradient(v, matrix, p, 5.0 * total * probability, 2.0)
        gradient += (1 - SEEN) * (weights @ matrix[some] - many_times @ matrix[many])
        assert len(some) <= 20 and np.linalg.norm(gradient) < 1e-5 * total


def test_threads_and_other_words_do_not_change_a_vector():
    matrix, occurrences, probability = problem(np.random.default_rng(7))
    many = Occurrences(
        [f"w{j}" for j in range(40)],
        np.tile(occurrences.counts, 10),
        *np.ones((2, 40)),
        np.tile(occurrences.rows, 10),
        np.tile(occurrences.times, 10),
        np.concatenate([[0], (occurrences.starts[1:] + np.arange(10)[:, None] * occurrences.starts[-1]).ravel()]),
    )
    noise = context_noise(matrix, probability, 64)
    alone = solved(occurrences, matrix, noise)
    for threads in (1, 2, 5):
        np.testing.assert_array_equal(solved(many, matrix, noise, threads=threads), np.tile(alone, (10, 1)))


def test_rows_of_a_loaded_and_of_a_trained_model_give_the_same_bits():
    matrix, occurrences, probability = problem(np.random.default_rng(8))
    padded = np.zeros((len(matrix), 48), np.float32)
    padded[:, : matrix.shape[1]] = matrix
    noise = context_noise(matrix, probability, None)
    expected = solved(occurrences, matrix, noise)
    np.testing.assert_array_equal(solved(occurrences, padded[:, : matrix.shape[1]], noise), expected)
    np.testing.assert_array_equal(solved(occurrences, np.asfortranarray(matrix), noise), expected)


def test_read_only_rows_do_not_compile_another_kernel():
    matrix, occurrences, probability = problem(np.random.default_rng(8))
    noise = context_noise(matrix, probability, None)
    solved(occurrences, matrix, noise)
    compiled = len(solve_words.signatures)
    matrix.flags.writeable = False  # as those of a file are
    solved(occurrences, matrix, noise)
    assert len(solve_words.signatures) == compiled


@pytest.mark.parametrize("scale", [1e-3, 20.0])
@pytest.mark.parametrize("l2", [1e-6, 1.0, 1e6])
def test_nearly_equal_rows_of_any_length_reach_their_optimum(scale, l2, to_the_end):
    rng = np.random.default_rng(10)
    matrix, occurrences, probability = problem(rng)
    alike = (scale * (1 + 0.01 * matrix)).astype(np.float32)
    V = solved(occurrences, alike, context_noise(alike, probability, None), l2=l2).astype(np.float64)
    for j, v in enumerate(V):
        terms = objective_of(j, occurrences, alike, probability, l2=l2)
        at_zero, at_v = (np.linalg.norm(loss_and_gradient(x, *terms)[1]) for x in (0 * v, v))
        assert at_v < 1e-4 * at_zero


@pytest.mark.parametrize("most", [3, SINGLE_GRADIENTS + 1])
def test_a_word_that_does_not_converge_is_an_error(most, to_the_end, monkeypatch):
    monkeypatch.setattr("pairloom.unseen.fold_in.logistic.MOST_GRADIENTS", most)
    matrix, occurrences, probability = problem(np.random.default_rng(9))
    alike = (20 * (1 + 0.01 * matrix)).astype(np.float32)
    with pytest.raises(
        DivergedError, match=r"No optimum was found for 'w\d' in \d+ steps\. Either l2=1e-06 is too small, or"
    ):
        solved(occurrences, alike, context_noise(alike, probability, None), l2=1e-6)


def test_all_contexts_are_the_noise_if_they_are_few():
    matrix, p = np.arange(6, dtype=np.float32).reshape(3, 2), np.array([0.5, 0.2, 0.3])
    noise = context_noise(matrix, p, 3)
    assert noise.X.tolist() == matrix.tolist() and noise.weights.tolist() == [0.5, 0.2, 0.3] and noise.rest == 0


def test_probable_contexts_are_kept_and_the_others_become_a_normal_distribution():
    rng = np.random.default_rng(2)
    p = np.array([*[0.3 / 300] * 300, 0.4, 0.3])
    matrix = rng.normal(size=(302, 3)).astype(np.float32)
    noise = context_noise(matrix, p, 2 * EXACT_ONE_IN)
    np.testing.assert_array_equal(noise.X, matrix[[300, 301]])
    np.testing.assert_allclose([*noise.weights, noise.rest], [0.4, 0.3, 0.3], rtol=0.01)
    np.testing.assert_allclose(noise.mean, matrix[:300].mean(axis=0), atol=0.06)
    np.testing.assert_allclose(noise.covariance, np.cov(matrix[:300].T, bias=True), atol=0.1)


def test_a_sample_keeps_frequent_rows_and_weighs_the_others_equally():
    times = np.array([4, 3, *[0.01] * 300])
    rows, weights = thinned(np.arange(302, dtype=np.int32), times, 32)
    assert 31 <= len(set(rows.tolist())) == len(rows) <= 33 and weights.sum() == pytest.approx(10, rel=0.01)
    assert dict(zip(rows.tolist(), weights.tolist(), strict=True)).items() >= {0: 4.0, 1: 3.0}.items()
    np.testing.assert_allclose(weights[2:], 3 / 30)


def test_a_sample_keeps_the_weight_of_every_row_above_the_step():
    rng = np.random.default_rng(3)
    rows, times = np.arange(1000, dtype=np.int32), rng.exponential(size=1000) ** 3
    some, weights = thinned(rows, times, 200)
    assert 199 <= len(some) <= 201 and (np.diff(some) > 0).all()
    assert weights.sum() == pytest.approx(times.sum(), rel=0.01)
    as_they_are = weights > weights.min()
    assert 20 < as_they_are.sum() < 200
    np.testing.assert_array_equal(weights[as_they_are], times[some[as_they_are]])
    assert times[np.setdiff1d(rows, some)].max() <= weights.min()
    few, same = thinned(rows[:5], times[:5], 5)
    assert few.tolist() == [0, 1, 2, 3, 4] and same.tolist() == times[:5].tolist()


@pytest.mark.parametrize("rest", [1e-9, 1e-20, 1e-300, 0.0])
def test_a_sample_has_its_size_however_uneven_the_weights_are(rest):
    times = np.full(1000, rest)
    times[[7, 500]] = 1e20, 3.0
    some, weights = thinned(np.arange(1000, dtype=np.int32), times, 200)
    assert {7, 500} <= set(some.tolist()) and len(some) <= 201 and (np.diff(some) > 0).all()
    assert weights.sum() == pytest.approx(times.sum(), rel=0.01)


@pytest.mark.parametrize(("contexts", "drawn"), [(5000, 400), (150, 148), (3000, 24), (3000, 1)])
def test_mean_and_covariance_of_the_noise_come_from_a_larger_sample(contexts, drawn):
    rng = np.random.default_rng(1)
    matrix, p = rng.normal(1.0, size=(contexts, 6)).astype(np.float32), rng.dirichlet(np.full(contexts, 0.3))
    X, weights, rest, mean, covariance = context_noise(matrix, p, drawn)
    rows, many = thinned(np.arange(contexts, dtype=np.int32), p, MOMENT_SAMPLE * max(drawn, 6))
    many = many / many.sum()
    assert len(X) == drawn // EXACT_ONE_IN and weights.sum() + rest == pytest.approx(1)
    np.testing.assert_allclose(weights @ X + rest * mean, many @ matrix[rows], rtol=1e-5)
    moment = X.T * weights @ X + rest * (covariance + np.outer(mean, mean))
    np.testing.assert_allclose(moment, matrix[rows].T * many @ matrix[rows], rtol=1e-4)


def test_contexts_that_are_all_equal_have_no_covariance(to_the_end):
    matrix, p = np.full((900, 3), 0.5, np.float32), np.full(900, 1 / 900)
    _, occurrences, _ = problem(np.random.default_rng(3))
    noise = context_noise(matrix, p, 40)
    np.testing.assert_allclose([noise.mean, *noise.X], 0.5, rtol=1e-6)
    np.testing.assert_allclose(noise.covariance, 0, atol=1e-12)
    np.testing.assert_allclose(
        solved(occurrences, matrix, noise), solved(occurrences, matrix, context_noise(matrix, p, None)), rtol=1e-4
    )
