"""v_w·v_c against theory, over all observed pairs."""

import numpy as np
import pytest
from scipy import stats

from pairloom.judging.explanation import fit


def test_the_fit_to_both_targets_is_over_all_observed_pairs(trained, dense):
    x, n, m = dense
    seen = n > 0
    pmi = np.log(n[seen] * n.sum() / np.outer(n.sum(axis=1), n.sum(axis=0))[seen]) - np.log(5)
    found = fit.fit_observed_pairs(trained, 30, threads=2)
    for target, y in ((found.pmi.all, pmi), (found.optimum.all, np.log(n[seen] / m[seen]))):
        line = stats.linregress(y, x[seen])
        assert target.pairs == seen.sum()
        assert target.pearson == pytest.approx(line.rvalue, abs=1e-6)
        assert (target.slope, target.intercept) == pytest.approx((line.slope, line.intercept), abs=1e-6)
        assert target.spearman == pytest.approx(stats.spearmanr(y, x[seen]).statistic, abs=1e-3)
        covariance = np.cov(y, x[seen], aweights=n[seen])
        assert target.weighted_slope == pytest.approx(covariance[0, 1] / covariance[0, 0], abs=1e-6)


def test_bands_are_by_the_counts_of_words_and_of_contexts(trained, dense):
    x, n, m = dense
    found = fit.fit_observed_pairs(trained, 30, threads=1).optimum
    decade = np.floor(np.log10(trained.embedding.words.counts)).astype(int)
    assert list(found.by_word) == list(found.by_context) == ["10 to 99", "100 to 999"]
    seen = (n > 0) & (decade == 1)[:, None]
    expected = stats.pearsonr(np.log(n[seen] / m[seen]), x[seen]).statistic
    assert found.by_word["10 to 99"].pearson == pytest.approx(expected, abs=1e-6)
    seen = (n > 0) & (decade == 2)
    expected = stats.pearsonr(np.log(n[seen] / m[seen]), x[seen]).statistic
    assert found.by_context["100 to 999"].pearson == pytest.approx(expected, abs=1e-6)


def test_ranks_of_many_pairs_come_from_a_sample(trained, monkeypatch):
    everything = fit.fit_observed_pairs(trained, 30, threads=1).optimum.all
    monkeypatch.setattr(fit, "MOST_SAMPLED", 400)
    some = fit.fit_observed_pairs(trained, 30, threads=1).optimum.all
    assert some.spearman != everything.spearman and some.spearman == pytest.approx(everything.spearman, abs=0.15)
    assert some.pearson == everything.pearson
