"""Sentences given as lists of words."""

import pytest

from pairloom.corpus.inputs.row_batch import column_advice
from pairloom.corpus.inputs.word_lists import quickly_joined


def test_words_are_joined_by_spaces() -> None:
    assert quickly_joined(("a", "b")) == (["a", "b"], "a b")
    assert quickly_joined([]) == ([], "")


@pytest.mark.parametrize("sentence", ["a b", None, {"a"}, ["a", 5], ["\ud800"], [""], ["a", ""], ["a", " b"]])
def test_what_may_not_be_words_is_looked_at_more_closely(sentence: object) -> None:
    assert quickly_joined(sentence) is None


def test_a_table_of_sessions_and_items_is_told_from_one_of_text() -> None:
    advice = column_advice(["session_id", "item", "time"], "session_id")
    assert advice.startswith("name its columns of sessions and items: --session session_id --item item ")
    assert column_advice(["session_id", "item", "text"], "text").startswith("name its column of text: --column text ")
    assert column_advice([], None) == (
        "name its column of text: --column NAME (column='NAME'). For sessions name two: --session NAME --item NAME."
    )
