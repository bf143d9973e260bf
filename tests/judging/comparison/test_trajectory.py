"""A word through a series of models."""

import pytest

import pairloom
from pairloom.errors import InputError
from tests.judging.comparison.conftest import OPTIONS, SWAPPED, sentences


def test_a_word_that_moves_late_moves_from_the_first_and_from_the_one_before(early, again, moved):
    word = SWAPPED[0][0]
    found = pairloom.trajectory([early, again, moved], word, names=["1960", "1970", "1980"])
    first, second, third = found.stations
    assert first.from_first is None and first.occurrences == early.words.get_vecattr(word, "count")
    assert not second.from_first.beyond and third.from_first.beyond and third.from_previous.beyond
    assert second.from_previous == second.from_first
    assert len(first.near) == 5 and {near for near, _ in third.near}.isdisjoint(near for near, _ in first.near)
    near = third.near[0][0]
    assert found.cosines[near] == pytest.approx([emb.similarity(word, near) for emb in (early, again, moved)])


def test_a_model_without_the_word_has_an_empty_station(early, moved):
    word = SWAPPED[0][0]
    without = pairloom.train([[w for w in s if w != word] for s in sentences(1, 1500)], **OPTIONS)
    found = pairloom.trajectory([early, without, moved], word)
    assert [station.occurrences > 0 for station in found.stations] == [True, False, True]
    assert found.stations[1].near == [] and found.stations[1].from_first is None
    assert all(row[1] is None for row in found.cosines.values())
    assert found.as_dict()["models"][1] == {
        "model": "2", "count": 0, "from_first": None, "from_previous": None, "near": []
    }  # fmt: skip


@pytest.mark.parametrize(
    ("models", "word", "names", "message"),
    [
        (1, "t0w0", None, "at least 2 models"),
        (2, "kat", None, "'kat' is in 0 models of 2"),
        (2, "t0w0", ["a"], "1 name and 2 models"),
    ],
)
def test_wrong_series_are_refused(early, again, models, word, names, message):
    with pytest.raises(InputError, match=message):
        pairloom.trajectory([early, again][:models], word, names=names)
