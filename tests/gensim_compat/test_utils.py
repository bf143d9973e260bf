"""simple_preprocess splits as gensim's does."""

import pytest

from pairloom.gensim_compat.utils import simple_preprocess


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("The Cat sat, on 3 mats2u!", {}, ["the", "cat", "sat", "on", "mats"]),
        ("naïve Straße", {"deacc": True}, ["naive", "straße"]),
        ("a _private of_them " + "x" * 16, {}, ["of_them"]),
        ("one two", {"min_len": 1, "max_len": 2}, []),
    ],
)
def test_words_are_runs_of_letters(text, options, words):
    assert simple_preprocess(text, **options) == words
