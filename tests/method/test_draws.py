"""Randomness is a function of position."""

import numpy as np
from scipy.stats import chisquare

from pairloom.kernel import rng
from pairloom.method.draws import Purpose, draw, key, mix, uniform


def test_mix_is_splitmix64():
    # the first outputs of the published SplitMix64 from state 0 and from state 1234567
    first = draw(np.uint64(0), np.arange(3))
    assert [hex(x) for x in first.tolist()] == ["0xe220a8397b1dcdaf", "0x6e789e6aa1b965f4", "0x6c45d188009454f"]
    assert draw(np.uint64(1234567), np.arange(2)).tolist() == [6457827717110365317, 3203168211198807973]


def test_a_draw_depends_on_nothing_but_its_key_and_index():
    k = key(1, Purpose.KEEP, 0)
    assert draw(k, np.array([5]))[0] == draw(k, np.arange(10))[5]


def test_seed_purpose_epoch_and_their_order_make_different_keys():
    keys = {int(key(*parts)) for parts in [(1, 2, 3), (1, 3, 2), (2, 1, 3), (1, 2), (1, 2, 4), (0, 1, 2, 3)]}
    assert len(keys) == 6


def test_the_compiled_draws_are_the_same():
    k = key(7, Purpose.WINDOW, 2)
    index = np.array([0, 1, 2, 10**6, 2**40])
    assert [rng.draw(k, i) for i in index.tolist()] == draw(k, index).tolist()
    assert rng.derive(key(7), 9) == key(7, 9)
    assert rng.mix(k) == mix(np.array([k]))[0]


def test_uniform_draws_are_uniform_and_neighbours_are_independent():
    u = uniform(key(3, Purpose.NOISE), np.arange(200_000))
    cells = np.histogram2d(u[::2], u[1::2], bins=10, range=[[0, 1], [0, 1]])[0].ravel()
    assert chisquare(cells).pvalue > 0.001
    assert u.min() >= 0.0 and u.max() < 1.0


def test_below_gives_each_number_its_share():
    bits = draw(key(5), np.arange(70_000))
    counts = np.bincount([rng.below(b, 7) for b in bits], minlength=7)
    assert len(counts) == 7
    assert chisquare(counts).pvalue > 0.001


def test_vectors_start_small_and_all_different():
    W = np.zeros(50 * 112, np.float32)
    rng.start_rows(W, 112, 100, key(1, Purpose.START), np.ones(50), np.arange(50))
    rows = W.reshape(50, 112)
    assert np.abs(rows[:, :100]).max() <= 0.6 / np.sqrt(100)
    assert 0.3 < np.linalg.norm(rows, axis=1).mean() < 0.4
    assert np.all(rows[:, 100:] == 0)
    assert len(np.unique(rows[:, 0])) == 50
    assert chisquare(np.histogram(rows[:, :100], bins=20)[0]).pvalue > 0.001


def test_a_vector_starts_as_long_as_it_should():
    usual, shorter = np.zeros((2, 3 * 112), np.float32)
    rng.start_rows(usual, 112, 100, key(1, Purpose.START), np.ones(3), np.arange(3))
    rng.start_rows(shorter, 112, 100, key(1, Purpose.START), np.array([1.0, 0.5, 0.1]), np.arange(3))
    np.testing.assert_allclose(shorter.reshape(3, -1), usual.reshape(3, -1) * [[1.0], [0.5], [0.1]], rtol=1e-6)
