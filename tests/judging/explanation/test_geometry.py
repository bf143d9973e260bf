"""Lengths and common directions of vectors."""

import numpy as np
import pytest
from scipy import stats

from pairloom.judging.explanation.geometry import geometry
from pairloom.vectors.vectors import Vectors


def test_variance_is_split_into_the_mean_and_the_components():
    rows = np.random.default_rng(1).normal(size=(200, 3)) * [3, 1, 0.1] + [2, 0, 0]
    found = geometry(Vectors([f"w{i}" for i in range(200)], rows, np.arange(1, 201)))
    centred = rows.astype(np.float32) - rows.mean(axis=0)
    squares = np.linalg.svd(centred, compute_uv=False) ** 2
    np.testing.assert_allclose(found.share_of_components, squares / squares.sum(), rtol=1e-4)
    assert found.share_of_mean == pytest.approx((rows.mean(axis=0) ** 2).sum() / (rows**2).sum() * 200, rel=1e-4)
    assert found.dimensions == pytest.approx(squares.sum() ** 2 / (squares**2).sum(), rel=1e-4)
    lengths = np.linalg.norm(rows, axis=1)
    assert found.norm_by_count["100 to 999"].mean == pytest.approx(lengths[99:].mean(), rel=1e-5)
    assert found.norm_against_count == pytest.approx(stats.spearmanr(lengths, np.arange(200)).statistic, abs=1e-6)


def test_zero_vectors_have_zero_shares():
    found = geometry(Vectors(["a", "b"], np.zeros((2, 2)), [1, 1]))
    assert (found.share_of_mean, found.share_of_components) == (0, [0, 0])
