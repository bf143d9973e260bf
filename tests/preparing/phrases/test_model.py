"""`Phrases`: learnt by their scores, joined in any text."""

import gzip
import io
import math
import random
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pairloom
from pairloom import Phrases
from pairloom.corpus.sentences import open_corpus
from pairloom.preparing.phrases.joining import join
from pairloom.preparing.phrases.scores import SCORES
from tests.preparing.phrases.examples import TEXT, counted, lists
from tests.reading import read_in_blocks


def expected_phrases(sentences, min_count, threshold, scoring, connectors=()):
    """What `Phrases.learn` should find, the slow way."""
    words, pairs, tokens = counted(sentences, connectors)
    found = {}
    for pair, n_ab in pairs.items():
        counts = (words[pair[0]], words[pair[-1]], n_ab, len(words) + len(pairs), min_count, tokens)
        if n_ab >= min_count and SCORES[scoring](*counts) > threshold:
            found[pair] = SCORES[scoring](*counts)
    return found


def test_phrases_cannot_be_changed():
    passes = {("new", "york"): 1.0}
    phrases = Phrases((passes,))
    passes.clear()
    assert phrases.phrases == {"new_york": 1.0}
    with pytest.raises(TypeError):
        phrases.passes[0][("a", "b")] = 2.0
    with pytest.raises(AttributeError):
        phrases.delimiter = "-"


@pytest.mark.parametrize("words", [("new",), ("of", "york"), ("new", "york", "city"), ("new", ""), "ab", ("a", 5)])
def test_what_is_not_a_phrase_is_refused(words):
    with pytest.raises(pairloom.InputError, match="is not a phrase"):
        Phrases(({words: 1.0},), frozenset({"of"}))


def test_pairs_that_are_together_more_often_than_by_chance_are_phrases():
    phrases = Phrases.learn(lists(TEXT), min_count=5, threshold=0.1, connectors="english")
    assert {"new_york", "bank_of_america"} <= phrases.phrases.keys()
    assert phrases.apply("the bank of america in new york".split()) == "the bank_of_america in new_york".split()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sentences=st.lists(st.lists(st.sampled_from(["a", "b", "c", "d", "of", "the", "é"]), max_size=12), max_size=15),
    min_count=st.integers(1, 3),
    scoring=st.sampled_from([("gensim", 0.5), ("word2vec", 0.9), ("npmi", -0.2)]),
    connectors=st.sampled_from([(), ("of", "the"), ("unseen",)]),
)
def test_phrases_are_those_of_counting_by_hand(sentences, min_count, scoring, connectors, tmp_path):
    sentences.append(["a", "b", "a", "b"])
    name, threshold = scoring
    expected = expected_phrases(sentences, min_count, threshold, name, connectors)
    (tmp_path / "c.txt").write_text("\n".join(map(" ".join, sentences)))
    options = {"min_count": min_count, "threshold": threshold, "scoring": name, "connectors": connectors}
    for source, threads in ((sentences, 1), (tmp_path / "c.txt", 1), (tmp_path / "c.txt", 3)):
        learnt = Phrases.learn(source, threads=threads, **options)
        assert dict(learnt.passes[0]) == expected
        assert list(learnt.phrases.items()) == sorted(learnt.phrases.items(), key=lambda item: (-item[1], item[0]))


def test_several_passes_make_longer_phrases_and_each_has_its_threshold(tmp_path):
    rng = random.Random(1)
    fillers = [f"w{i}" for i in range(20)]
    text = "".join(
        f"{' '.join(rng.choices(fillers, k=4))} new york city\n{rng.choice(fillers)} new york\n" for _ in range(30)
    )
    (tmp_path / "c.txt").write_text(text)
    sentences = lists(text)
    first = expected_phrases(sentences, 5, 4.0, "word2vec")
    joined = [join(sentence, first, (), "_") for sentence in sentences]
    second = expected_phrases(joined, 5, 3.0, "word2vec")
    assert ("new", "york") in first and ("new_york", "city") in second
    for source in (sentences, tmp_path / "c.txt"):
        phrases = Phrases.learn(source, threshold=[4, 3], scoring="word2vec", passes=2)
        assert tuple(map(dict, phrases.passes)) == (first, second)
    assert phrases.phrases["new_york_city"] == second["new_york", "city"]
    phrases.transform(tmp_path / "c.txt", tmp_path / "out.txt")
    assert lists((tmp_path / "out.txt").read_text()) == [join(sentence, second, (), "_") for sentence in joined]


def test_a_phrase_longer_than_a_word_may_be_is_none():
    long = "x" * 600
    phrases = Phrases.learn([[long, long, "a", "b"]] * 9, min_count=2, threshold=-1, scoring="npmi")
    assert f"{long}_{long}" not in phrases.phrases and "a_b" in phrases.phrases


def test_the_text_keeps_its_lines_and_its_rare_words(tmp_path):
    (tmp_path / "c.txt").write_bytes(b"\xef\xbb\xbfnew york\r\n\r\n  hapax   new\tyork \r\n" + TEXT.encode() + b"last")
    phrases = Phrases.learn(tmp_path / "c.txt", threshold=0.1)
    phrases.transform(tmp_path / "c.txt", tmp_path / "out.txt")
    lines = (tmp_path / "out.txt").read_text().split("\n")
    assert lines[:3] == ["new_york", "", "hapax new_york"] and lines[-2:] == ["last", ""]
    assert len(lines) == 3 + TEXT.count("\n") + 2


def test_packed_files_and_several_files_and_stdin_are_read_as_everywhere(tmp_path, monkeypatch):
    (tmp_path / "c.gz").write_bytes(gzip.compress(TEXT.encode()))
    (tmp_path / "d.txt").write_text(TEXT.rstrip("\n"))
    plain = Phrases.learn(lists(TEXT), threshold=0.1)
    assert Phrases.learn(tmp_path / "c.gz", threshold=0.1) == plain
    both = [tmp_path / "c.gz", tmp_path / "d.txt"]
    plain.transform(both, tmp_path / "out.txt")
    assert lists((tmp_path / "out.txt").read_text()) == [plain.apply(line) for line in lists(TEXT) * 2]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert Phrases.learn("-", threshold=0.1) == plain


@pytest.mark.parametrize("block", [600, 1100, 1 << 20])
def test_words_too_long_are_left_out_of_the_text_too(block, tmp_path, monkeypatch):
    read_in_blocks(monkeypatch, block)
    long = "x" * 1001
    (tmp_path / "c.txt").write_text(f"{long} {long} in new {long} york {long}\n{long}\n{long} is\n")
    Phrases(({("new", "york"): 1.0},)).transform(tmp_path / "c.txt", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "in new_york\n\nis\n"


def test_a_block_of_a_line_that_has_only_words_too_long_leaves_no_trace(tmp_path, monkeypatch):
    read_in_blocks(monkeypatch, 1102)  # the first block ends after the y, and is cut before it
    (tmp_path / "c.txt").write_text(f"{'x' * 1001} {'x' * 1001} {'y' * 198} {'z' * 200}\n")
    Phrases(({},)).transform(tmp_path / "c.txt", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == f"{'y' * 198} {'z' * 200}\n"


def test_a_tokenizer_makes_the_words(tmp_path):
    (tmp_path / "c.txt").write_text("new-york,is-big\n" * 9)
    learnt = Phrases.learn(
        tmp_path / "c.txt", min_count=9, threshold=-1, scoring="npmi", tokenize=lambda s: s.split("-")
    )
    assert set(learnt.phrases) == {"new_york,is", "york,is_big"}
    assert list(learnt.wrap(tmp_path / "c.txt", tokenize=lambda s: s.split("-"))) == [["new_york,is", "big"]] * 9


def test_sentences_with_phrases_can_be_trained_on(tmp_path):
    (tmp_path / "c.txt").write_text(TEXT)
    phrases = Phrases.learn(lists(TEXT), threshold=0.1, connectors="english")
    for source in (lists(TEXT), tmp_path / "c.txt"):
        sentences = phrases.wrap(source)
        assert list(sentences) == list(sentences) == [phrases.apply(line) for line in lists(TEXT)]
        emb = pairloom.train(sentences, dim=4, epochs=1, sample=0)
        assert "new_york" in emb and "bank_of_america" in emb


NEW_YORK = Phrases(({("new", "york"): 1.0},))


def test_each_sentence_stays_one_sentence_also_if_it_is_empty():
    sentences = [[], ["a", "new", "york"], [], [], ["b"], []]
    assert list(NEW_YORK.wrap(sentences)) == [[], ["a", "new_york"], [], [], ["b"], []]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [[]]),
        ("a", [["a"]]),
        ("a\n", [["a"]]),
        ("\n\na new york\n\n", [[], [], ["a", "new_york"], []]),
        ("a\r\n\r\n \r\nb", [["a"], [], [], ["b"]]),
    ],
)
@pytest.mark.parametrize("tokenize", [None, str.split])
@pytest.mark.parametrize("block", [4, 1000])
def test_each_line_of_a_file_stays_one_line(text, lines, tokenize, block, tmp_path, monkeypatch):
    read_in_blocks(monkeypatch, block)
    (tmp_path / "c.txt").write_bytes(text.encode())
    assert list(NEW_YORK.wrap(tmp_path / "c.txt", tokenize=tokenize)) == lines
    with open_corpus(tmp_path / "c.txt", tokenize=tokenize) as corpus:
        NEW_YORK.transform(corpus, tmp_path / "joined.txt")
    assert (tmp_path / "joined.txt").read_text() == "".join(" ".join(line) + "\n" for line in lines)


def test_sentences_are_cut_after_phrases_are_joined_not_inside_them():
    assert list(NEW_YORK.wrap([["a", "new", "york", "b", "c"]], max_sentence=2)) == [["a", "new_york"], ["b", "c"]]


def test_a_long_line_that_is_cut_has_no_empty_end(tmp_path, monkeypatch):
    read_in_blocks(monkeypatch, 4)
    (tmp_path / "c.txt").write_text("a b c d e f   \n\ng\n")
    assert list(NEW_YORK.wrap(tmp_path / "c.txt", max_sentence=2)) == [["a", "b"], ["c", "d"], ["e", "f"], [], ["g"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"min_count": 0},
            "min_count=0 is out of range. Use 1 to 4611686018427387904; 5 is usual, 1 keeps every word.",
        ),
        ({"threshold": math.nan}, "threshold=nan is out of range. Use -1e+30 to 1e+30; 10 is usual for gensim's score"),
        ({"threshold": 0}, "threshold=0 is out of range. Use a number above 0; 10 is usual"),
        ({"threshold": "10"}, "threshold='10' is not a number."),
        ({"threshold": 2, "scoring": "npmi"}, "threshold=2 is out of range. Use -1 to 1; 0.5 is usual for npmi."),
        ({"threshold": [1, 2], "passes": 3}, "threshold=[1, 2] has 2 values for 3 passes. Give one threshold, or one"),
        ({"threshold": []}, "threshold=[] has 0 values for no passes."),
        ({"passes": 0}, "passes=0 is out of range. Use 1 to 10; 1 joins two words, 2 up to four."),
        ({"scoring": "default"}, "scoring='default' is not a choice. Use gensim, word2vec, npmi or a function."),
        ({"scoring": abs}, "cannot be called as a score. Use a function of worda_count, wordb_count,"),
        (
            {"scoring": lambda **counts: 1.0},
            "threshold=None is for the scores with a name. Give a threshold for your function.",
        ),
        ({"scoring": lambda **counts: None, "threshold": 1}, "returned None, which is not a number. Return a float."),
        ({"delimiter": ""}, "delimiter='' is not a delimiter. Use one or a few characters, for example _."),
        (
            {"delimiter": " "},
            "delimiter=' ' contains white space, which separates words. Use another, for example _.",
        ),
        ({"delimiter": "a\u3000"}, "contains white space"),
        ({"delimiter": "\ud800"}, "is not a delimiter"),
        ({"delimiter": "_" * 101}, "is too long"),
        ({"connectors": "german"}, "connectors='german' is not a choice. Use 'english' or a list of words."),
        ({"connectors": ["", "of"]}, "connectors='' is not a word."),
        ({"connectors": [5]}, "connectors=5 is not a word."),
        ({"threads": 0}, "threads=0 is out of range."),
        ({"treshold": 5}, "There is no option 'treshold'"),
    ],
)
def test_a_wrong_option_is_one_line(options, message):
    with pytest.raises(pairloom.ConfigError) as error:
        Phrases.learn([["a", "b"]] * 9, **options)
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("content", ["", "\n\n", " \t\u3000"])
def test_text_without_words(content, tmp_path):
    (tmp_path / "c.txt").write_text(content)
    with pytest.raises(pairloom.InputError, match=r"c.txt has no words\. A corpus is text"):
        Phrases.learn(tmp_path / "c.txt")


def test_other_bad_input(tmp_path):
    phrases = Phrases(({("a", "b"): 1.0},))
    with pytest.raises(pairloom.InputError, match=r"Use .split\(\) on it"):
        phrases.apply("a b")
    with pytest.raises(
        pairloom.InputError, match=r"contains white space, which separates words in a text\. Use wrap instead"
    ):
        phrases.transform([["a b", "c"]], tmp_path / "out.txt")
    with pytest.raises(pairloom.InputError, match="can be read only once"):
        Phrases.learn(iter([["a", "b"]]))
    (tmp_path / "c.txt").write_text(TEXT)
    for corpus in (tmp_path / "c.txt", [tmp_path / "c.txt"]):
        with pytest.raises(pairloom.InputError, match="is, or is among, the files to be read"):
            phrases.transform(corpus, tmp_path / "c.txt")
    assert (tmp_path / "c.txt").read_text() == TEXT
    assert not (tmp_path / "out.txt").exists()
