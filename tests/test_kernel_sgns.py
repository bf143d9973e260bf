"""The kernel takes the steps of `objective.py`, and draws from the distributions it should."""

import numpy as np
import pytest
from numba import njit
from scipy.stats import chisquare

from wordloom import objective
from wordloom.draws import key
from wordloom.kernel import simd
from wordloom.kernel.noise import alias_table
from wordloom.kernel.sgns import LANES, SIX, Batch, Model, Noise, sigmoid, step_batch, train_block, train_diagonal
from wordloom.training import noise_by_part

LR = 0.5  # a step as large as the vectors, so that an error in it cannot hide in their rounding


def random_model(rng, n_words, dim, scale=0.5):
    """Rows as the trainer lays them out, with some room between them that must stay zero."""
    width, stride = -(-dim // LANES) * LANES, -(-dim // LANES) * LANES + LANES
    rows = np.zeros((2, n_words, stride), np.float32)
    rows[:, :, :dim] = rng.normal(scale=scale, size=(2, n_words, dim))
    return Model(rows[0].ravel().copy(), rows[1].ravel().copy(), width, stride)


def matrices(model, dim):
    return [m.reshape(-1, model.stride)[:, :dim].astype(np.float64) for m in (model.W, model.C)]


@njit
def _step(model, batch, live, lr, step):
    step_batch(model, batch, live, lr, step, batch)  # gives a vector of lanes, which Python cannot hold


def check_batch(rng, dim, negatives, live, n_words):
    model = random_model(rng, n_words, dim)
    w, c = rng.integers(0, n_words, (2, SIX))
    n = rng.integers(0, n_words, negatives)
    w[live:], c[live:] = w[live - 1], c[live - 1]
    W, C = before = matrices(model, dim)
    start = [m.copy() for m in before]
    objective.batch_step(W, C, w[:live], c[:live], n, LR)
    batch = Batch(*(rows * model.stride for rows in (w, c, n)))
    _step(model, batch, live, LR, np.empty((negatives + 1) * LANES, np.float32))
    for now, expected, was in zip(matrices(model, dim), (W, C), start, strict=True):
        assert np.abs(now - expected).max() <= 1e-5 * np.abs(expected - was).max()
    for m in (model.W, model.C):
        assert not m.reshape(-1, model.stride)[:, dim:].any()


def test_ten_thousand_random_batches_step_as_the_definition_says():
    rng = np.random.default_rng(1)
    for _ in range(10_000):
        check_batch(
            rng,
            dim=int(rng.integers(1, 40)),
            negatives=int(rng.integers(1, 9)),
            live=int(rng.integers(1, SIX + 1)),
            n_words=int(rng.choice([2, 5, 40])),  # few words: rows occur twice, and drawn contexts are pairs' own
        )


@pytest.mark.parametrize("dim", [1, 7, 8, 9, 100, 300, 512, 4096])
@pytest.mark.parametrize("negatives", [1, 2, 5, 15, 64])
def test_any_dim_and_any_number_of_negatives_steps_as_the_definition_says(dim, negatives):
    check_batch(np.random.default_rng(dim + negatives), dim, negatives, SIX, 30)


@njit
def _apply_sigmoid(x, out):
    for i in range(0, len(x), 8):
        simd.store(out, i, sigmoid(simd.load(x, i)))


def test_the_polynomial_sigmoid_is_the_sigmoid():
    x = np.linspace(-30, 30, 80_000).astype(np.float32)
    out = np.empty_like(x)
    _apply_sigmoid(x, out)
    np.testing.assert_allclose(out, objective.sigmoid(x), rtol=2e-6)
    extremes = np.array([0, -0.0, 1e30, -1e30, np.inf, -np.inf, 100, -100], np.float32)
    _apply_sigmoid(extremes, out)
    np.testing.assert_allclose(out[:8], [0.5, 0.5, 1, 0, 1, 0, 1, 0], atol=1e-15)


@njit
def _apply_sums(x, out):
    a, b, c, d = simd.load(x, 0), simd.load(x, 8), simd.load(x, 16), simd.load(x, 24)
    e, f, g, h = simd.load(x, 32), simd.load(x, 40), simd.load(x, 48), simd.load(x, 56)
    simd.store(out, 0, simd.sums(a, b, c, d, e, f, g, h))


def test_eight_sums_come_in_the_order_of_their_vectors_and_in_one_order_of_adding():
    x = np.random.default_rng(2).normal(size=(8, 8)).astype(np.float32)
    out = np.empty(8, np.float32)
    _apply_sums(x.ravel(), out)
    expected = ((x[:, 0] + x[:, 1]) + (x[:, 2] + x[:, 3])) + ((x[:, 4] + x[:, 5]) + (x[:, 6] + x[:, 7]))
    assert out.tolist() == expected.tolist()


def alias_probabilities(probability):
    """The exact distribution that an alias table draws from."""
    n = len(probability)
    cut, other = np.empty(n, np.uint64), np.empty(n, np.int64)
    alias_table(probability, cut, other)
    share = cut.astype(float) / 2**32
    return (share + np.bincount(other, weights=1 - share, minlength=n)) / n


@pytest.mark.parametrize("probability", [[1.0], [0.5, 0.5], [0.9, 0.05, 0.05], [0.0, 1.0], [1e-12, 0.3, 0.7 - 1e-12]])
def test_an_alias_table_draws_from_the_distribution_it_was_made_of(probability):
    np.testing.assert_allclose(alias_probabilities(np.array(probability)), probability, atol=1e-9)


def test_an_alias_table_of_many_words_too():
    p = np.random.default_rng(3).random(5000) ** 4
    np.testing.assert_allclose(alias_probabilities(p / p.sum()), p / p.sum(), atol=1e-9)


def test_drawn_contexts_follow_the_noise_of_their_part():
    """Rows that were pushed are rows that were drawn: one batch at a time, count who moved."""
    counts = np.array([60, 50, 40, 30, 20, 10, 8, 6])
    part_of = np.array([0, 1, 1, 0, 0, 1, 1, 0], np.int32)
    noise = noise_by_part(counts / counts.sum(), part_of, parts=2)
    seen = np.zeros(8)
    model = Model(np.ones(9 * 8, np.float32), np.zeros(9 * 8, np.float32), 8, 8)
    for i in range(4000):
        model.C[:] = 0
        pairs = np.array([(8 << 32) | 8])  # a word and a context outside the noise, so that every draw counts
        train_block(model, pairs, 0, 1, noise, 1, 1, key(i), 0.1, 0.1)
        seen += model.C.reshape(9, 8)[:8, 0] != 0
    assert seen[part_of == 0].sum() == 0
    expected = np.where(part_of == 1, counts, 0)
    assert chisquare(seen[part_of == 1], (expected / expected.sum() * 4000)[part_of == 1]).pvalue > 0.001


def test_a_block_is_its_batches_one_after_the_other_with_the_rate_falling():
    rng = np.random.default_rng(4)
    n_words, dim, negatives, n = 30, 10, 3, 20
    model = random_model(rng, n_words, dim)
    w, c = rng.integers(0, n_words, (2, n))
    W, C = matrices(model, dim)
    only = np.array([7], np.int32)  # a noise of one context makes the draws known
    noise = Noise(only, np.array([2**32], np.uint64), only, np.array([0, 1]))
    for at in range(0, n, SIX):
        some = slice(at, min(at + SIX, n))
        objective.batch_step(W, C, w[some], c[some], np.full(negatives, 7), 0.1 - 0.05 * at / n)
    square = train_block(model, (w << 32) | c, 0, n, noise, 0, negatives, key(1), 0.1, 0.05)
    for now, expected in zip(matrices(model, dim), (W, C), strict=True):
        np.testing.assert_allclose(now, expected, rtol=1e-4, atol=1e-6)
    assert 0 < square < 10


def test_an_empty_block_changes_nothing():
    model = random_model(np.random.default_rng(5), 4, 8)
    W = model.W.copy()
    noise = noise_by_part(np.full(4, 0.25), np.zeros(4, np.int32), 1)
    assert train_block(model, np.empty(0, np.int64), 0, 0, noise, 0, 5, key(1), 0.1, 0.1) == 0
    assert np.array_equal(model.W, W)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e30])
def test_a_row_that_is_not_finite_shows_in_the_mean_square(bad):
    rng = np.random.default_rng(6)
    model = random_model(rng, 8, 8)
    model.W[3] = bad
    noise = noise_by_part(np.full(8, 0.125), np.array([0, 1] * 4, np.int32), 2)
    pairs = (rng.integers(0, 8, 40) // 2 * 2 << 32) | (rng.integers(0, 8, 40) // 2 * 2)
    starts = np.array([0, 40, 40, 40, 40])
    square = train_diagonal(model, pairs, starts, noise, 2, 0, 0, 2, 5, key(1), 0.1, 0.1)
    assert not square <= 1e6
