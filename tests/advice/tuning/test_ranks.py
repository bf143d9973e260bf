import numpy as np
import pytest

from pairloom.advice.tuning.ranks import ranks, rounded

RNG = np.random.default_rng(3)
QUERIES, ANSWERS = (RNG.normal(size=(n, 24)).astype(np.float32) for n in (30, 50))
PRIOR, RIGHT = RNG.normal(size=50), RNG.integers(50, size=30)


def test_the_rank_counts_the_answers_with_a_larger_score():
    scores = QUERIES.astype(float) @ ANSWERS.astype(float).T + PRIOR
    expected = [1 + sum(row > row[right]) for row, right in zip(scores, RIGHT, strict=True)]
    assert ranks(QUERIES, ANSWERS, PRIOR, RIGHT).tolist() == expected


def test_sums_are_exact_in_any_order():
    order = RNG.permutation(24)
    usual, other = rounded(QUERIES) @ rounded(ANSWERS).T, rounded(QUERIES)[:, order] @ rounded(ANSWERS)[:, order].T
    assert (usual == other).all()
    one_by_one = sum(np.outer(q, a) for q, a in zip(rounded(QUERIES).T, rounded(ANSWERS).T, strict=True))
    assert (usual == one_by_one).all()


def test_rounding_changes_little_and_leaves_zeros():
    assert rounded(QUERIES) == pytest.approx(QUERIES, abs=1e-5)
    assert not rounded(np.zeros((2, 3))).any()


def test_many_queries_are_ranked_in_parts(monkeypatch):
    whole = ranks(QUERIES, ANSWERS, PRIOR, RIGHT)
    monkeypatch.setattr("pairloom.advice.tuning.ranks._CELLS", 100)
    assert (ranks(QUERIES, ANSWERS, PRIOR, RIGHT) == whole).all()


def test_no_queries_have_no_ranks():
    assert len(ranks(QUERIES[:0], ANSWERS, PRIOR, RIGHT[:0])) == 0
