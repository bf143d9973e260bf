"""Correlations and their interval, against SciPy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pairloom.judging.evaluation.correlation import pearson, ranks, spearman, spearman_interval

numbers = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=30)


@given(numbers)
def test_ranks_are_scipys(x):
    assert ranks(np.array(x)).tolist() == stats.rankdata(x).tolist()


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, max_size=30))
def test_correlations_are_scipys_if_defined(pairs):
    x, y = np.array(pairs, float).T
    if len(pairs) < 2 or len(set(x)) == 1 or len(set(y)) == 1:
        assert pearson(x, y) is None and spearman(x, y) is None
    else:
        assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y)[0], abs=1e-12)
        assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y)[0], abs=1e-12)


def test_the_interval_equals_that_of_pairs_drawn_one_by_one():
    rng = np.random.default_rng(5)
    x = rng.integers(0, 10, 40).astype(float)
    y = x + rng.normal(size=40).round(1) * 4
    drawn = np.random.default_rng(7).integers(40, size=(1000, 40))
    values = [stats.spearmanr(x[draw], y[draw])[0] for draw in drawn]
    low, high = spearman_interval(x, y, seed=7)
    assert (low, high) == pytest.approx(tuple(np.percentile(values, [2.5, 97.5])), abs=1e-12)
    assert low < spearman(x, y) < high
    assert (low, high) == spearman_interval(x, y, seed=7) != spearman_interval(x, y, seed=8)


def test_the_interval_does_not_depend_on_how_many_draws_are_held_at_once(monkeypatch):
    from pairloom.judging.evaluation import correlation

    x, y = np.random.default_rng(0).normal(size=(2, 31))
    expected = spearman_interval(x, y)
    monkeypatch.setattr(correlation, "_AT_ONCE", 100)
    assert spearman_interval(x, y) == expected


def test_equal_values_have_no_interval():
    assert spearman_interval(np.ones(5), np.arange(5.0)) is None
