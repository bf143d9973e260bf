"""Section 2: the objective, its gradient, and what happens without D'."""

import numpy as np
import pytest

from pairloom.method.objective import (
    NoiseWeights,
    batch_step,
    corpus_loss,
    example_loss,
    log_sigmoid,
    pair_loss,
    sigmoid,
)

RNG = np.random.default_rng(0)


def test_sigmoid_of_zero_is_a_half_and_large_arguments_do_not_overflow():
    np.testing.assert_allclose(sigmoid([0.0, 800.0, -800.0]), [0.5, 1.0, 0.0], atol=1e-300)
    assert log_sigmoid(-800.0) == -800.0


def test_a_pair_is_in_d_or_not_so_the_two_probabilities_add_up_to_one():
    v_w, v_c = RNG.normal(size=(2, 5))
    in_d, not_in_d = (np.exp(-pair_loss(v_w, v_c, label)[0]) for label in (1, 0))
    assert in_d + not_in_d == pytest.approx(1.0)


@pytest.mark.parametrize("label", [0, 1])
def test_the_gradient_is_that_of_finite_differences(label):
    v_w, v_c = RNG.normal(size=(2, 6))
    _, slope = pair_loss(v_w, v_c, label)
    h = 1e-6
    for i, step in enumerate(np.eye(6) * h):
        by_w = (pair_loss(v_w + step, v_c, label)[0] - pair_loss(v_w - step, v_c, label)[0]) / (2 * h)
        by_c = (pair_loss(v_w, v_c + step, label)[0] - pair_loss(v_w, v_c - step, label)[0]) / (2 * h)
        assert by_w == pytest.approx(slope * v_c[i], abs=1e-8)
        assert by_c == pytest.approx(slope * v_w[i], abs=1e-8)


def test_the_corpus_objective_is_the_mean_of_equation_4_over_the_pairs():
    W, C = RNG.normal(size=(2, 9, 4)).astype(np.float32)
    w, c = RNG.integers(0, 9, (2, 20))
    drawn = RNG.integers(0, 9, (20, 3))
    by_example = [
        example_loss(W[a].astype(float), C[b].astype(float), C[n].astype(float))
        for a, b, n in zip(w, c, drawn, strict=True)
    ]
    assert corpus_loss(W, C, w, c, drawn) == pytest.approx(np.mean(by_example), rel=1e-12)


def test_more_pairs_than_fit_a_gathering_are_summed_all():
    W, C = RNG.normal(size=(2, 9, 4)).astype(np.float32)
    w, c = RNG.integers(0, 9, (2, 9000))
    drawn = RNG.integers(0, 9, (9000, 2))
    halves = [corpus_loss(W, C, w[s], c[s], drawn[s]) for s in (slice(0, 4500), slice(4500, None))]
    assert corpus_loss(W, C, w, c, drawn) == pytest.approx(np.mean(halves), rel=1e-12)


def test_untrained_contexts_of_zero_cost_log_2_for_each_of_the_k_plus_1_pairs():
    W, C = RNG.normal(size=(9, 4)).astype(np.float32), np.zeros((9, 4), np.float32)
    w, c, drawn = RNG.integers(0, 9, 20), RNG.integers(0, 9, 20), RNG.integers(0, 9, (20, 5))
    assert corpus_loss(W, C, w, c, drawn) == pytest.approx(6 * np.log(2))


def test_without_d_prime_equal_vectors_with_a_large_product_are_a_trivial_solution():
    """ "This can be easily achieved by setting v_c = v_w and v_c·v_w = K ... as soon as K ≈ 40" (section 2)."""
    same = np.full((9, 4), np.sqrt(40 / 4), np.float32)
    w, c = RNG.integers(0, 9, (2, 20))
    nothing_drawn = np.empty((20, 0), np.int32)
    assert corpus_loss(same, same, w, c, nothing_drawn) < 1e-15  # every p(D=1|w,c) is 1
    drawn = RNG.integers(0, 9, (20, 1))
    assert corpus_loss(same, same, w, c, drawn) > 39  # D' forbids it


def test_without_d_prime_descent_runs_into_that_solution():
    W, C = RNG.normal(size=(2, 6, 3)) * 0.1 + 0.1
    w, c = (x.ravel() for x in np.meshgrid(np.arange(6), np.arange(6)))
    for _ in range(2000):
        batch_step(W, C, w, c, np.empty(0, int), lr=0.5)
    assert np.all(sigmoid(W @ C.T) > 0.99)


def test_a_batch_step_is_the_gradient_step_where_no_row_occurs_twice():
    W, C = RNG.normal(size=(2, 9, 4))
    w, c, drawn, lr, h = np.array([0, 1, 2]), np.array([3, 4, 5]), np.array([6, 7]), 1e-3, 1e-6

    def loss(W, C):
        return sum(example_loss(W[a], C[b], C[drawn]) for a, b in zip(w, c, strict=True))

    moved_W, moved_C = W.copy(), C.copy()
    batch_step(moved_W, moved_C, w, c, drawn, lr)
    for before, after, at in ((W, moved_W, 0), (C, moved_C, 1)):
        for index in np.ndindex(before.shape):
            step = np.zeros_like(before)
            step[index] = h
            up, down = ([W, C], [W, C])
            up = [m + step if i == at else m for i, m in enumerate(up)]
            down = [m - step if i == at else m for i, m in enumerate(down)]
            slope = (loss(*up) - loss(*down)) / (2 * h)
            assert after[index] - before[index] == pytest.approx(-lr * slope, abs=1e-9)


def test_a_drawn_context_may_be_the_pairs_own_as_in_the_paper():
    """D' is drawn from p(w) noise(c), whatever pair of D it is drawn for. (word2vec leaves such draws out.)"""
    W, C = RNG.normal(size=(2, 3, 4))
    x = sigmoid(W[0] @ C[1])
    after_own = C[1] + 0.1 * (1 - x) * W[0]
    expected_W = W[0] + 0.1 * (1 - x) * C[1] - 0.1 * x * after_own
    expected_C = after_own - 0.1 * x * W[0]
    batch_step(W, C, np.array([0]), np.array([1]), np.array([1]), 0.1)
    np.testing.assert_allclose(W[0], expected_W)
    np.testing.assert_allclose(C[1], expected_C)


def test_in_parts_a_drawn_context_counts_by_its_weight():
    W, C = RNG.normal(size=(2, 3, 4))
    plain_W, plain_C, own_W, own_C = W.copy(), C.copy(), W.copy(), C.copy()
    w, c = np.array([0]), np.array([1])
    batch_step(own_W, own_C, w, c, np.empty(0, int), 0.1)
    batch_step(plain_W, plain_C, w, c, np.array([2]), 0.1)
    batch_step(W, C, w, c, np.array([2]), 0.1, NoiseWeights(drawn=3.0, together=0.1))
    np.testing.assert_allclose(C[2] - own_C[2], 3 * (plain_C[2] - own_C[2]))
    np.testing.assert_allclose(W[0] - own_W[0], 3 * (plain_W[0] - own_W[0]))
    both = [[m.copy() for m in (own_W, own_C)] for _ in range(2)]
    for (v, u), weights in zip(both, (NoiseWeights(), NoiseWeights(3.0, 0.1)), strict=True):
        batch_step(v, u, w, c, np.array([1]), 1e-6, weights)
    own_step = 1e-6 * (1 - sigmoid(own_W[0] @ own_C[1])) * own_W[0]
    steps = [u[1] - own_C[1] - own_step for _, u in both]
    np.testing.assert_allclose(steps[1], 3.0 * 0.1 * steps[0], rtol=1e-4)


def test_no_step_is_lost_where_a_row_occurs_twice():
    W, C = np.ones((1, 2)), np.ones((3, 2))
    batch_step(W, C, np.array([0, 0]), np.array([0, 1]), np.empty(0, int), 0.1)
    one_pair = 0.1 * (1 - 1 / (1 + np.exp(-2.0)))
    np.testing.assert_allclose(W[0], 1 + 2 * one_pair)
