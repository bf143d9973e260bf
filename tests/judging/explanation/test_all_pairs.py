"""The objective and the probabilities, over all possible pairs."""

import numpy as np
import pytest

from pairloom.judging.explanation import all_pairs, fit
from pairloom.method.objective import sigmoid


def softplus(x):
    return np.logaddexp(0, x)


def test_the_objective_is_the_sum_over_all_possible_pairs(trained, dense):
    x, n, m = dense
    seen = n > 0
    best = np.log(n[seen] / m[seen])
    found, _ = all_pairs.objective_and_calibration(trained, fit.fit_observed_pairs(trained, 30, 1), 30, threads=2)
    model = (n * softplus(-x) + m * softplus(x)).sum() / n.sum()
    optimum = (n[seen] * softplus(-best) + m[seen] * softplus(best)).sum() / n.sum()
    assert (found.words, found.share_of_pairs) == (30, 1)
    assert found.start == pytest.approx(6 * np.log(2))
    assert found.model == pytest.approx(model, rel=1e-5)
    assert found.optimum == pytest.approx(optimum, rel=1e-9)
    assert found.of_unobserved == pytest.approx((m * softplus(x))[~seen].sum() / n.sum(), rel=1e-4)
    assert found.model == pytest.approx(found.of_D + found.of_observed + found.of_unobserved)
    assert found.reached == pytest.approx((found.start - model) / (found.start - optimum), rel=1e-4)


def test_no_other_numbers_have_a_smaller_loss_than_the_optimum(dense):
    _, n, m = dense
    seen = n > 0
    n, m = n[seen], m[seen]
    best = n * softplus(-np.log(n / m)) + m * softplus(np.log(n / m))
    for shift in (-0.1, 0.1):
        other = np.log(n / m) + shift
        assert np.all(n * softplus(-other) + m * softplus(other) > best)


def test_a_large_vocabulary_is_measured_on_its_most_frequent_words(trained, dense):
    x, n, m = dense
    assert all_pairs.number_of_rows(30, 30 * 30) == 30 and all_pairs.number_of_rows(30, 299) == 9
    found, calibration = all_pairs.objective_and_calibration(
        trained, fit.fit_observed_pairs(trained, 9, 1), 9, threads=1
    )
    assert found.words == 9
    assert found.share_of_pairs == pytest.approx(n[:9].sum() / n.sum())
    assert found.model == pytest.approx((n * softplus(-x) + m * softplus(x))[:9].sum() / n[:9].sum(), rel=1e-5)
    true = sum(b.share * b.true for b in calibration.bins)
    assert true == pytest.approx(n[:9].sum() / (n + m)[:9].sum())


def test_calibration_compares_predicted_with_true_shares_in_bins_of_the_product(trained, dense):
    x, n, m = dense
    _, found = all_pairs.objective_and_calibration(trained, fit.fit_observed_pairs(trained, 30, 1), 30, threads=2)
    events = n + m
    assert sum(b.share for b in found.bins) == pytest.approx(1)
    for b in found.bins:
        inside = (x >= b.low) & (x < b.high)
        assert b.share == pytest.approx(events[inside].sum() / events.sum(), abs=1e-6)
        assert b.true == pytest.approx(n[inside].sum() / events[inside].sum(), abs=1e-5)
        assert b.predicted == pytest.approx((events * sigmoid(x))[inside].sum() / events[inside].sum(), abs=1e-4)
    assert found.error == pytest.approx(sum(b.share * abs(b.predicted - b.true) for b in found.bins))


def test_products_beyond_the_table_have_the_right_loss():
    W = np.array([[30.0, 0], [-30, 0]], np.float32)
    noise = np.array([0.5, 0.5])
    from pairloom.kernel.counts import explain as kernel

    losses, calibration = np.zeros(2), np.zeros((kernel.LOGIT_BINS, 2))
    blocks = kernel.transposed_blocks(np.array([[2.0, 0], [0, 0]], np.float32))
    kernel.all_pairs(W, blocks, 0, 2, noise, kernel.SOFTPLUS, losses, calibration, np.ones(2))
    np.testing.assert_allclose(losses, [30 + 0.5 * np.log(2), 0.5 * np.log(2)], rtol=1e-6)
    assert calibration[-1, 0] == 0.5 and calibration[0, 0] == 0.5


def test_products_are_numpys_for_every_dim():
    from pairloom.kernel.counts import explain as kernel

    rng = np.random.default_rng(0)
    for dim in (1, 3, 4, 5, 17):
        W, C = rng.normal(size=(2, 300, dim)).astype(np.float32)
        losses, calibration = np.zeros(300), np.zeros((kernel.LOGIT_BINS, 2))
        noise = rng.random(300)
        blocks = kernel.transposed_blocks(C)
        kernel.all_pairs(W, blocks, 0, 300, noise, kernel.SOFTPLUS, losses, calibration, np.ones(300))
        np.testing.assert_allclose(losses, softplus(W.astype(float) @ C.T.astype(float)) @ noise, rtol=1e-5)
