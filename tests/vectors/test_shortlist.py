"""A search that compares whole numbers first has the same answers."""

import numpy as np
import pytest

from pairloom.vectors.shortlist import Shortlist
from pairloom.vectors.vectors import Vectors


def vectors(n, dim, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, dim)) * rng.lognormal(sigma=2, size=(n, 1)) * scale
    rows[n // 2] = 0
    rows[n // 3] = rows[n // 4] * 2  # equal cosines: the earlier row comes first
    return Vectors([f"w{i}" for i in range(n)], rows.astype(np.float32))


@pytest.mark.parametrize(("dim", "scale"), [(1, 1.0), (3, 1.0), (50, 1e-20), (50, 1e20), (300, 1.0), (4096, 1.0)])
def test_answers_are_those_of_comparing_every_row(dim, scale):
    v = vectors(600, dim, dim, scale)
    shortlist = Shortlist(v)
    for query in (["w1"], ["w7", "w8"], [f"w{600 // 4}"], ["w599", "w2", "w3"]):
        for topn in (1, 10, 599, 1000):
            assert v.most_similar(query, topn=topn, indexer=shortlist) == v.most_similar(query, topn=topn)


@pytest.mark.parametrize("noise", [1e-2, 1e-3, 1e-6])
def test_crowded_rows_that_int8_cannot_tell_apart_are_still_ranked(noise):
    rng = np.random.default_rng(5)
    rows = (rng.normal(size=40) + noise * rng.normal(size=(400, 40))).astype(np.float32)
    v = Vectors([f"w{i}" for i in range(400)], rows)
    shortlist = Shortlist(v)
    for row in range(0, 400, 40):
        assert v.most_similar(f"w{row}", topn=5, indexer=shortlist) == v.most_similar(f"w{row}", topn=5)


def test_rows_that_int8_holds_exactly_are_still_found_by_a_direction_that_is_rounded():
    """The bounds of such rows are nearly 0, so what is rounded off the direction must be in the comparison."""
    rows = np.random.default_rng(1).integers(-127, 128, (60_000, 16)).astype(np.float32)
    rows[:, 3] = 127
    v = Vectors([f"w{i}" for i in range(len(rows))], rows)
    shortlist, u = Shortlist(v), np.full(16, 0.5 / 15**0.5)
    u[3] = 0.75**0.5
    cosines = (rows.astype(np.float64) @ u) / v.norms
    for k in range(10_000, 50_000, 1000):
        assert set(np.argsort(-cosines)[:k].tolist()) <= set(shortlist.candidates(u, k).tolist())


def test_few_rows_are_left_to_compare():
    v = vectors(5000, 100)
    direction = v.get_vector("w9", norm=True).astype(np.float64)
    assert 10 <= len(Shortlist(v).candidates(direction, 10)) < 500


def test_sums_of_the_longest_rows_fit():
    v = Vectors(["a", "b", "c"], np.ones((3, 4096), np.float32) * np.array([[1], [-1], [1]], np.float32))
    assert v.most_similar("a", topn=2, indexer=Shortlist(v)) == [("c", 1.0), ("b", -1.0)]
