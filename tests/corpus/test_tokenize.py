"""The rule that finds words, from files to ids, records and caches."""

import json
import warnings
from pathlib import Path

import pytest

import pairloom
from pairloom.config import TextOptions
from pairloom.corpus.counting import count
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import WordSelection
from pairloom.errors import ConfigError, CorpusWarning, InputError
from pairloom.method.tokens.words import words
from tests.corpus.helpers import as_lists, message, sentences
from tests.method.tokens.test_unsegmented import UNSEGMENTED
from tests.method.tokens.test_words import HARD

ANIMALS, PLACES = ("Cat", "dog", "COW"), ("barn,", "house!", "(field)")
TEXT = "".join(f"The {animal} sleeps in the {place}\n" for animal in ANIMALS for place in PLACES) * 30
OPTIONS = {"dim": 8, "epochs": 2, "min_count": 1, "sample": 0, "heldout": 0}


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "c.txt").write_text(TEXT)
    return tmp_path / "c.txt"


def test_files_are_split_by_the_rule(write):
    path = write("\n".join(HARD))
    assert sentences(path, tokenize="words") == list(filter(None, map(words, HARD)))
    assert sentences(path, tokenize="spaces") == list(filter(None, map(str.split, HARD)))
    assert sentences(write("AB Cd"), tokenize="words", lowercase=True) == [["ab", "cd"]]


def test_given_words_are_folded_and_not_split():
    assert sentences([["New York", "Straße", "\u00ad"]], tokenize="words") == [["new york", "strasse"]]


@pytest.mark.parametrize("threads", [1, 2])
def test_ids_and_counts_are_those_of_the_words(write, tmp_path, threads, monkeypatch):
    monkeypatch.setattr("pairloom.corpus.decoding.BLOCK_BYTES", 64)
    monkeypatch.setattr("pairloom.corpus.unpacking.BLOCK_BYTES", 64)
    lines = [line.replace("\0", " ") for line in HARD * 3]
    expected = [line for line in map(words, lines) if line]
    with open_corpus(write("\n".join(lines)), text=TextOptions(tokenize="words")) as corpus:
        counted = count(corpus, threads=threads)
        assert counted.n_tokens == sum(map(len, expected))
        with prepare(corpus, WordSelection(min_count=1), cache_dir=tmp_path / "cache", threads=threads) as encoded:
            names = encoded.vocabulary.words
            assert [[names[i] for i in line] for line in as_lists(encoded)] == expected


def test_a_rule_has_its_own_entry_in_the_cache(text, tmp_path):
    sizes = []
    for rule in ("spaces", "words", "spaces", "words"):
        with (
            open_corpus(text, text=TextOptions(tokenize=rule)) as corpus,
            prepare(corpus, WordSelection(min_count=1), cache_dir=tmp_path / "cache") as encoded,
        ):
            sizes.append(len(encoded.vocabulary))
    assert sizes == [10, 9, 10, 9]  # The and the are two words at white space
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_a_model_keeps_the_rule_and_text_given_later_is_read_by_it(text, tmp_path):
    model = pairloom.train(text, tokenize="words", cache_dir=tmp_path, **OPTIONS)
    assert sorted(model.words) == sorted({"the", "sleeps", "in", "cat", "dog", "cow", "barn", "house", "field"})
    model.save(tmp_path / "m.loom")
    model = pairloom.load(tmp_path / "m.loom")
    assert model.record["text"]["tokenize"] == "words"
    (tmp_path / "new.txt").write_text("The SHEEP, sleeps in the barn!\n" * 9)
    assert model.fold_in(tmp_path / "new.txt", cache_dir=tmp_path).vectors.words == ["sheep"]
    assert pairloom.explain(model, text, cache_dir=tmp_path).facts["same_corpus"]


def test_the_default_leaves_no_trace_in_the_record(text, tmp_path):
    one, two = (
        pairloom.train(text, cache_dir=tmp_path, **OPTIONS, **options) for options in ({}, {"tokenize": "spaces"})
    )
    assert one.record == two.record and "tokenize" not in one.record["text"]


def test_a_model_of_a_function_asks_for_it_again(text, tmp_path):
    model = pairloom.train(text, tokenize=str.split, cache_dir=tmp_path, **OPTIONS)
    assert model.record["text"]["tokenize"] == "function"
    assert "Give the same one as tokenize=" in message(ConfigError, model.fold_in, text)
    assert model.fold_in([["x", "The", "dog"]] * 9, tokenize="spaces", cache_dir=tmp_path).vectors.words == ["x"]


def test_phrases_are_learnt_from_the_words_of_the_rule(tmp_path):
    (tmp_path / "c.txt").write_text("New York, is big!\n" * 9)
    found = pairloom.Phrases.learn(tmp_path / "c.txt", min_count=9, threshold=-1, scoring="npmi", tokenize="words")
    assert "new_york" in found.phrases
    assert next(iter(found.wrap(tmp_path / "c.txt", tokenize="words")))[0] == "new_york"


def test_a_wrong_rule_is_refused():
    assert message(ConfigError, TextOptions, tokenize="wrods") == (
        "tokenize='wrods' is not a choice. Use spaces, words or icu."
    )
    assert "cannot be called" in message(ConfigError, TextOptions, tokenize=5)


def test_pairs_have_no_rule():
    assert "tokenize is about text" in message(ConfigError, pairloom.train_pairs, [("a", "b")], tokenize="words")


# --- Text without spaces


def test_text_without_spaces_is_refused_with_what_to_do(write):
    path = write(f"{UNSEGMENTED['Chinese']}\n" * 20)
    said = message(InputError, sentences, path)
    assert "has no spaces between words" in said and "--tokenize icu" in said and "--as-text" in said
    assert len(sentences(path, as_text=True)) == len(sentences(path, tokenize="words")) == 20


def test_a_doubt_is_a_warning(write):
    mixed = write(f"{UNSEGMENTED['Chinese']} and some words of English, many more of them\n" * 20)
    for rule, said in (("spaces", "many words would be whole sentences"), ("words", "takes each character for a word")):
        with open_corpus(mixed, text=TextOptions(tokenize=rule)) as corpus, pytest.warns(CorpusWarning, match=said):
            corpus.check_beginning()
    with open_corpus(write("plain text"), text=TextOptions()) as corpus, warnings.catch_warnings():
        warnings.simplefilter("error")
        corpus.check_beginning()


def test_nuls_separate_words(write):
    options = TextOptions(tokenize="words")
    said = pytest.warns(CorpusWarning, match="1 NUL character, which separate words")
    with open_corpus(write("a\0b c\n"), text=options) as corpus, said:
        assert count(corpus).n_tokens == 3


def test_a_static_folder_splits_text_as_for_training(text, tmp_path):
    model = pairloom.train(text, tokenize="words", cache_dir=tmp_path, **OPTIONS)
    model.save(tmp_path / "static", "static")
    tokenizer = json.loads((tmp_path / "static" / "tokenizer.json").read_text("utf-8"))
    assert tokenizer["pre_tokenizer"]["type"] == "Split" and tokenizer["pre_tokenizer"]["invert"] is True
    steps = tokenizer["normalizer"]["normalizers"]
    assert steps[-1] == {"type": "Lowercase"}
    assert "without punctuation" in (tmp_path / "static" / "README.md").read_text("utf-8")
