"""The distances of trained pairs in the original text."""

from collections import Counter

import numpy as np
import pytest

from pairloom.corpus.vocabulary import Vocabulary
from pairloom.judging.explanation.windows import effective_windows, with_gaps
from pairloom.method.contexts import Windows


def test_windows_reach_over_words_that_leave():
    text = with_gaps([["a", "odd", "b", "a"]], Vocabulary(("a", "b"), [2, 1]))
    assert text.ids.tolist() == [0, -1, 1, 0]
    plain, thinned, pruned, both = effective_windows(text, np.array([0.0, 1.0]), 1, Windows(1, 1))
    assert plain.shares.tolist() == [0, 1, 0, 0, 0] and plain.mean == 1
    assert pruned.shares.tolist() == [0, 0.5, 0.5, 0, 0] and pruned.beyond == 0.5  # a-b are 2 apart, b-a 1
    assert thinned.shares.tolist() == [0, 1, 0, 0, 0]  # odd-b: a never stays
    assert both.mean == 0  # only b is left
    clean = effective_windows(text, np.array([0.0, 1.0]), 1, Windows(1, 1, clean=True))
    assert clean[2].shares.tolist() == [0, 1, 0, 0, 0]  # b-a alone: a-b are too far apart
    assert [(w.pruned, w.subsampled) for w in (plain, thinned, pruned, both)] == [
        (False, False), (False, True), (True, False), (True, True)
    ]  # fmt: skip


def test_distances_are_those_of_the_pairs_by_the_definition(small):
    vocabulary = Vocabulary(tuple(f"w{i}" for i in range(3, 30)), np.full(27, 100))  # three frequent words are unknown
    text = with_gaps(small, vocabulary)
    windows = Windows(2, 3, "harmonic")
    sides = windows.weights(2), windows.weights(3)
    found = effective_windows(text, np.ones(27), 1, windows)[2]
    expected = Counter()
    for sentence in small:
        kept = [i for i, word in enumerate(sentence) if word in vocabulary]
        for i, at in enumerate(kept):
            for j, other in enumerate(kept):
                weights = sides[0] if j < i else sides[1]
                if i != j and abs(i - j) <= len(weights):
                    expected[abs(at - other)] += weights[abs(i - j) - 1]
    shares = np.array([expected[d] for d in range(len(found.shares))]) / expected.total()
    np.testing.assert_allclose(found.shares, shares)
    assert found.beyond == pytest.approx(shares[4:].sum())


def test_only_the_beginning_of_a_long_text_is_measured():
    assert len(with_gaps([["a", "b"]] * 10, Vocabulary(("a", "b"), [1, 1]), most=5).lengths) == 3
