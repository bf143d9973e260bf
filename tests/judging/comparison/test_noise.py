"""How far words move by chance, and the line beyond which that is unlikely."""

import math

import numpy as np
import pytest

from pairloom.judging.comparison.noise import chances, noise_curve, score_of, threshold
from pairloom.judging.comparison.shifts import spread_out


def drawn(n, seed, moved=0):
    """Shifts whose centre and spread fall with frequency, with some words that have moved by ten spreads."""
    rng = np.random.default_rng(seed)
    evidence = np.sort(rng.pareto(1.0, n) * 5 + 5)[::-1].copy()
    spread = 0.3 / (1 + 0.1 * np.log(evidence))
    y = -0.3 * np.log(evidence) + spread * rng.normal(size=n)
    places = rng.choice(n, moved, replace=False)
    y[places] += 10 * spread[places]
    return evidence, y, set(places.tolist())


def test_scores_of_words_that_do_not_move_are_normal():
    evidence, y, _ = drawn(20_000, 1)
    z = noise_curve(evidence, y).scores(evidence, y)
    assert abs(z.mean()) < 0.05 and z.std() == pytest.approx(1, abs=0.05)
    for some in np.array_split(z, 5):  # at every frequency, though the curve is flat at its ends
        assert abs(some.mean()) < 0.2 and some.std() == pytest.approx(1, abs=0.12)


@pytest.mark.parametrize("n", [200, 1000, 5000])
def test_where_nothing_moves_the_line_is_rarely_crossed(n):
    crossed = 0
    for seed in range(40):
        evidence, y, _ = drawn(n, seed)
        p = chances(noise_curve(evidence, y).scores(evidence, y))
        crossed += bool(np.any(p <= threshold(p, 0.05)))
    assert crossed <= 6  # 2 are expected of an exact rate of 5 %


@pytest.mark.parametrize("moved", [5, 50, 300])
def test_words_that_have_moved_are_found_at_the_stated_rate(moved):
    found = wrong = 0
    for seed in range(5):
        evidence, y, places = drawn(5000, seed, moved)
        p = chances(noise_curve(evidence, y).scores(evidence, y))
        beyond = {*np.flatnonzero(p <= threshold(p, 0.05)).tolist()}
        found, wrong = found + len(beyond & places), wrong + len(beyond - places)
    assert found >= 0.95 * 5 * moved and wrong <= 0.07 * found + 2


def test_a_heavy_tail_widens_the_noise():
    evidence, y, _ = drawn(20_000, 3)
    centre = -0.3 * np.log(evidence)
    above = np.where(y > centre, centre + 1.4 * (y - centre), y)  # skewed
    wide, usual = noise_curve(evidence, above), noise_curve(evidence, y)
    assert np.median(wide.spread / usual.spread) == pytest.approx(1.4, abs=0.1)


def test_too_few_words_have_no_noise_curve_and_neither_have_equal_ones():
    evidence, y, _ = drawn(199, 1)
    assert noise_curve(evidence, y) is None
    assert noise_curve(np.full(300, 5.0), np.zeros(300)) is None


def test_the_chance_is_students():
    stats = pytest.importorskip("scipy.stats")
    z = np.array([-3.0, 0.0, 1.0, 3.0, 5.0])
    np.testing.assert_allclose(chances(z), stats.t.sf(z, 100), rtol=0.06)


def test_the_score_of_a_chance_is_its_inverse():
    for p in (0.5, 0.01, 1e-7):
        assert chances(np.array([score_of(p)]))[0] == pytest.approx(p, rel=1e-6)


def test_the_threshold_is_benjamini_and_hochbergs():
    assert threshold(np.array([0.001, 0.012, 0.04, 0.9]), 0.05) == pytest.approx(0.025)
    assert threshold(np.array([0.5, 0.6]), 0.05) == pytest.approx(0.025)  # none: what one word would need


def test_the_scale_of_shifts_is_the_logarithm_of_the_tangent_of_half_the_angle():
    angle = np.array([0.1, 1.0, 2.0, 3.0])
    np.testing.assert_allclose(spread_out(np.cos(angle)), [math.log(math.tan(a / 2)) for a in angle], rtol=1e-9)
    assert np.all(np.isfinite(spread_out(np.array([1.0, -1.0]))))
