"""What scripts rely on in gensim's Phrases: learning in several calls, joining, freezing, files."""

import pickle

import pytest
from pairloom.gensim_compat.models.phrases import original_scorer

from pairloom.errors import IgnoredOptionWarning, InputError
from pairloom.gensim_compat import ENGLISH_CONNECTOR_WORDS, FrozenPhrases, LineSentence, Phraser, Phrases

TRIPS = [f"{who} flew to {city}".split() for who in ("ann", "bob", "cem") for city in ("new york", "paris")] * 20
OPTIONS = {"min_count": 10, "threshold": 0.15}


@pytest.fixture(scope="module")
def phrases():
    return Phrases(TRIPS, **OPTIONS)


def test_a_sentence_or_a_corpus_is_joined(phrases):
    assert phrases["bob flew to new york".split()] == ["bob", "flew", "to", "new_york"]
    assert phrases[[]] == []
    joined = phrases[TRIPS]
    assert next(iter(joined)) == next(iter(joined)) == ["ann", "flew", "to", "new_york"]
    assert list(phrases[iter(TRIPS)])[1] == ["ann", "flew", "to", "paris"]
    with pytest.raises(InputError, match=r"Use \.split\(\) on it"):
        phrases["new york"]


def test_phrases_are_exported_and_found_with_their_scores(phrases):
    exported = phrases.export_phrases()
    assert "new_york" in exported
    assert phrases.find_phrases([["in", "new", "york"]]) == {"new_york": exported["new_york"]}
    assert phrases.analyze_sentence(["in", "new", "york"]) == [("in", None), ("new_york", exported["new_york"])]


def test_more_sentences_can_be_added_and_generators_are_kept():
    several = Phrases(**OPTIONS)
    assert (several.export_phrases(), several[["new", "york"]]) == ({}, ["new", "york"])
    several.add_vocab(sentence for sentence in TRIPS[:60])
    several.add_vocab(TRIPS[60:])
    assert several.export_phrases() == Phrases(TRIPS, **OPTIONS).export_phrases()
    several.threshold = 1e6
    assert several.export_phrases() == {}


def test_a_file_is_read_as_a_file(tmp_path, phrases):
    (tmp_path / "trips.txt").write_text("".join(" ".join(trip) + "\n" for trip in TRIPS))
    assert Phrases(LineSentence(tmp_path / "trips.txt"), **OPTIONS).export_phrases() == phrases.export_phrases()


def test_connectors_scores_and_delimiters_are_those_of_gensim():
    text = [["bank", "of", "america", "lends"], ["a", "loan", "rises"]] * 20
    joined = Phrases(text, min_count=1, threshold=0.1, connector_words=ENGLISH_CONNECTOR_WORDS, delimiter=" ")
    assert joined[["bank", "of", "america"]] == ["bank of america"]
    assert "bank of america" in joined.freeze().phrasegrams
    assert joined.freeze().connector_words == ENGLISH_CONNECTOR_WORDS
    again = Phrases(joined[text], min_count=1, threshold=0.1, delimiter=" ")
    assert again[joined[["bank", "of", "america", "lends"]]] == ["bank of america lends"]
    same = Phrases(TRIPS, scoring=original_scorer, **OPTIONS).export_phrases()
    assert same == Phrases(TRIPS, **OPTIONS).export_phrases()
    assert max(Phrases(TRIPS, min_count=10, threshold=0.5, scoring="npmi").export_phrases().values()) <= 1


def test_frozen_phrases_are_saved_and_loaded(phrases, tmp_path):
    frozen = phrases.freeze()
    phrases.save(tmp_path / "phrases")
    for loaded in (Phrases.load(tmp_path / "phrases"), FrozenPhrases.load(tmp_path / "phrases")):
        assert loaded.phrasegrams == frozen.phrasegrams == phrases.export_phrases()
        assert loaded[["new", "york"]] == ["new_york"]
    assert Phraser(phrases).phrasegrams == frozen.phrasegrams
    assert repr(frozen) == f"FrozenPhrases<{len(frozen.phrasegrams)} phrases>"
    assert repr(phrases).endswith("min_count=10, threshold=0.15>")


def test_what_cannot_be_is_refused(phrases, tmp_path):
    (tmp_path / "old").write_bytes(pickle.dumps({"phrases": 1}))
    with pytest.raises(InputError, match="it is a pickle, which can run any code"):
        Phrases.load(tmp_path / "old")
    (tmp_path / "text").write_text("no phrases\n")
    with pytest.raises(InputError, match=r"line 1|cannot"):
        Phrases.load(tmp_path / "text")
    for wrong in ({"threshold": -1}, {"min_count": 0}, {"scoring": "best"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Phrases(TRIPS, **wrong)
    with pytest.raises(InputError, match="not a string"):
        Phrases("new york")
    with pytest.raises(InputError, match="cannot have the delimiter ' '"):
        Phrases(TRIPS, delimiter=" ", **OPTIONS).save(tmp_path / "spaces")
    with pytest.warns(IgnoredOptionWarning, match="max_vocab_size=5 has no effect"):
        Phrases(TRIPS, max_vocab_size=5)
