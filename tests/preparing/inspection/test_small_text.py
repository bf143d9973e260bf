"""Settings for small texts, and none for others."""

import warnings

import pytest

import pairloom
from pairloom.errors import SmallTextWarning
from pairloom.preparing.inspection.small_text import ENOUGH, advice, settings_for


def test_the_smaller_a_text_the_more_epochs_and_the_fewer_words_left_out():
    assert settings_for(1_000) == {"epochs": 50, "sample": 0, "min_count": 1}
    assert settings_for(50_000) == {"epochs": 50, "sample": 0, "min_count": 2}
    assert settings_for(200_000) == {"epochs": ENOUGH // 200_000}
    assert settings_for(500_001) == settings_for(10**9) == {}


def test_the_advice_has_only_options_that_were_not_given():
    assert advice("c.txt", 1_000, {"sample"}) == (
        "c.txt has 1,000 tokens to learn from, which is little for the default settings. "
        "These suit it better: epochs=50, min_count=1 (--epochs 50 --min-count 1)."
    )
    assert advice("c.txt", 1_000, {"epochs"}) is None
    assert advice("c.txt", 10**6, ()) is None


def test_training_on_a_small_text_says_so_once_and_not_if_epochs_were_chosen():
    text = [["a", "b", "c", "d"]] * 50
    with pytest.warns(SmallTextWarning, match="200 tokens to learn from.*epochs=50, sample=0") as caught:
        pairloom.train(text, dim=4, min_count=1)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pairloom.train(text, dim=4, min_count=1, epochs=2)
