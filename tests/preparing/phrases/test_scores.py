"""The scores of phrases."""

import math

import pytest

from pairloom import Phrases
from pairloom.preparing.phrases.scores import SCORES


def test_the_scores_are_their_formulas():
    counts = (20, 10, 9, 300, 5, 1000)  # n_a, n_b, n_ab, len_vocab, min_count, tokens
    assert SCORES["word2vec"](*counts) == 4 / 200 * 1000
    assert SCORES["gensim"](*counts) == 4 / 200 * 300
    assert SCORES["npmi"](*counts) == pytest.approx(math.log(0.009 / (0.02 * 0.01)) / -math.log(0.009))


def test_words_that_are_always_together_have_an_npmi_of_one():
    assert SCORES["npmi"](7, 7, 7, 9, 1, 50) == pytest.approx(1.0)


def test_any_function_can_score():
    def together(worda_count, wordb_count, bigram_count, len_vocab, min_count, corpus_word_count):
        assert (len_vocab, min_count, corpus_word_count) == (3 + 2, 2, 9)
        return bigram_count / min(worda_count, wordb_count)

    phrases = Phrases.learn([["a", "b", "c"]] * 3, min_count=2, threshold=0.5, scoring=together)
    assert phrases.phrases == {"a_b": 1.0, "b_c": 1.0}
    assert phrases.made == {"min_count": 2, "scoring": "function together", "thresholds": [0.5]}
