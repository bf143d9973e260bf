"""Counts in bins stand for the counts of single words."""

import numpy as np
import pytest

import pairloom
from pairloom.advice.planning.counts import of_file, of_vocabulary, zipf

VOCABULARY = pairloom.Vocabulary.of([("the", 50), ("cat", 10), ("dog", 10), ("cow", 3)])


def test_a_vocabulary_has_a_bin_for_each_count():
    bins = of_vocabulary(VOCABULARY)
    assert bins.counts.tolist() == [50, 10, 3]
    assert bins.words.tolist() == [1, 2, 1]
    assert (bins.n_words, bins.n_tokens, bins.name_bytes) == (4, 73, 12)


def test_a_file_has_the_bins_of_its_vocabulary(tmp_path):
    VOCABULARY.save(tmp_path / "words.txt")
    assert [column.tolist() for column in of_file(tmp_path / "words.txt")[:2]] == [[50, 10, 3], [1, 2, 1]]


def test_bins_keep_as_many_tokens_as_their_words():
    bins = of_vocabulary(VOCABULARY)
    keep = VOCABULARY.keep_probability(0.01)
    assert bins.counts * bins.kept(0.01, "program") @ bins.words == pytest.approx(VOCABULARY.counts @ keep)


@pytest.mark.parametrize(("tokens", "words"), [(1000, 2), (10**6, 5000), (10**12, 10**9), (10**15, 2**31 - 1)])
def test_zipf_counts_add_up_to_the_tokens_and_words(tokens, words):
    bins = zipf(tokens, words)
    assert bins.n_words == words
    assert bins.n_tokens == pytest.approx(tokens, rel=1e-6)
    assert len(bins.words) < 3000
    assert np.all(np.diff(bins.counts) < 0)


def test_zipf_counts_fall_with_the_rank():
    bins = zipf(10**6, 5000)
    exact = 10**6 / np.arange(1, 5001) / (1 / np.arange(1, 5001)).sum()
    np.testing.assert_allclose(bins.first(bins.counts, 100), exact[:100], rtol=0.001)
    assert bins.first(bins.counts, 5000)[-1] == pytest.approx(exact[-1], rel=0.02)
