"""The kernel takes the steps of `objective.py`."""

import numpy as np
import pytest
from numba import njit

from pairloom.kernel import memory, simd
from pairloom.kernel.exponential import sigmoid
from pairloom.kernel.steps.sgns import LANES, OWN, SIX, DrawWeights, step_batch, step_floats, step_frozen
from pairloom.method import objective
from pairloom.training.blockwise import FROZEN
from tests.models import matrices, random_model

LR = 0.5  # a step as large as the vectors, so that an error in it cannot hide in their rounding


PLAIN = DrawWeights(1.0, 1.0, 0, 0)


@njit
def _step(batch, negatives, width, six, lr, weights, step, frozen):
    address = memory.address(batch)
    if frozen:
        step_frozen(
            address, negatives, width, six, lr, weights, memory.address(step), frozen
        )  # returns lanes, which Python cannot hold
    else:
        step_batch(address, negatives, width, six, lr, weights, memory.address(step), address, OWN)


def check_batch(rng, dim, negatives, n_words, six, frozen=None, weights=PLAIN):
    model = random_model(rng, n_words, dim)
    w, c = rng.integers(0, n_words, (2, SIX))
    n = rng.integers(0, n_words, negatives)
    c[:] = c[-1] if six else c
    W, C = before = matrices(model, dim)
    start = [m.copy() for m in before]
    if six:
        objective.six_step(W, C, w, c[0], n, LR, objective.NoiseWeights(*weights[:2]), frozen)
    else:
        objective.batch_step(W, C, w, c, n, LR, objective.NoiseWeights(*weights[:2]), frozen)
    where = [model.W.ctypes.data + 4 * model.stride * w, model.C.ctypes.data + 4 * model.stride * np.append(c, n)]
    step = np.empty(step_floats(negatives), np.float32)
    _step(np.concatenate(where), negatives, model.width, six, LR, weights, step, FROZEN[frozen])
    for now, expected, was in zip(matrices(model, dim), (W, C), start, strict=True):
        rounding = 3e-7  # of float32: where a pair's own context is drawn, two large steps may almost cancel out
        assert np.abs(now - expected).max() <= 1e-5 * np.abs(expected - was).max() + rounding
    for m in (model.W, model.C):
        assert not m.reshape(-1, model.stride)[:, dim:].any()


@pytest.mark.parametrize("six", [True, False])
def test_ten_thousand_random_batches_step_as_the_definition_says(six):
    rng = np.random.default_rng(1)
    for _ in range(10_000):
        check_batch(
            rng,
            dim=int(rng.integers(1, 40)),
            negatives=int(rng.integers(1, 9)),
            n_words=int(rng.choice([2, 5, 40])),  # few words: rows occur twice, and drawn contexts are pairs' own
            six=six,
            weights=PLAIN._replace(drawn=rng.uniform(0.5, 2), together=rng.uniform(0, 1)),
        )


@pytest.mark.parametrize("six", [True, False])
@pytest.mark.parametrize("frozen", ["words", "contexts"])
def test_a_frozen_side_does_not_move_and_the_other_steps_as_the_definition_says(six, frozen):
    rng = np.random.default_rng(2)
    for _ in range(3_000):
        dim, negatives, n_words = (int(rng.choice(of)) for of in (range(1, 40), range(1, 9), [2, 5, 40]))
        check_batch(rng, dim, negatives, n_words, six, frozen)


@pytest.mark.parametrize("dim", [1, 7, 8, 9, 100, 300, 512, 4096])
@pytest.mark.parametrize("negatives", [1, 2, 5, 15, 64])
@pytest.mark.parametrize("six", [True, False])
def test_any_dim_and_any_number_of_negatives_steps_as_the_definition_says(dim, negatives, six):
    check_batch(np.random.default_rng(dim + negatives), dim, negatives, 30, six)


@pytest.mark.parametrize("six", [True, False])
def test_a_hub_that_is_drawn_for_its_own_pair_counts_in_full(six):
    """Its copy is in every part, so it is drawn no more often than the noise says."""
    rng = np.random.default_rng(3)
    start = random_model(rng, 2, 8)
    moved = []
    for where_copies_are in (0, start.C.ctypes.data):
        model = start._replace(W=start.W.copy(), C=start.C)
        before = model.C.copy()
        w, c = model.W.ctypes.data, model.C.ctypes.data
        batch, step = np.array([w] * 6 + [c] * 6 + [c]), np.empty(2 * LANES, np.float32)
        _step(batch, 1, 8, six, LR, DrawWeights(1.0, 0.25, where_copies_are, where_copies_are + 4), step, None)
        moved.append(step[LANES : LANES + SIX].copy())
        model.C[:] = before
    np.testing.assert_allclose(0.25 * moved[1], moved[0], rtol=1e-6)


@njit
def _apply_sigmoid(x, out):
    for i in range(0, len(x), 8):
        simd.store(memory.address(out), i, sigmoid(simd.load(memory.address(x), i)))


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
    p = memory.address(x)
    a, b, c, d = simd.load(p, 0), simd.load(p, 8), simd.load(p, 16), simd.load(p, 24)
    e, f, g, h = simd.load(p, 32), simd.load(p, 40), simd.load(p, 48), simd.load(p, 56)
    simd.store(memory.address(out), 0, simd.sums(a, b, c, d, e, f, g, h))


def test_eight_sums_come_in_the_order_of_their_vectors_and_in_one_order_of_adding():
    x = np.random.default_rng(2).normal(size=(8, 8)).astype(np.float32)
    out = np.empty(8, np.float32)
    _apply_sums(x.ravel(), out)
    expected = ((x[:, 0] + x[:, 1]) + (x[:, 2] + x[:, 3])) + ((x[:, 4] + x[:, 5]) + (x[:, 6] + x[:, 7]))
    assert out.tolist() == expected.tolist()
