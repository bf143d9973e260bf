"""Phrases: scored by their counts, joined from left to right, the same on bytes as on lists."""

import gzip
import io
import json
import math
import random
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pairloom
from pairloom import Phrases
from pairloom.cli.main import main
from pairloom.corpus.sentences import open_corpus
from pairloom.phrases import pairs as pair_counting
from pairloom.phrases.joining import inner_words, join
from pairloom.phrases.scores import SCORES
from tests.reading import read_in_blocks

CITIES = ["i love new york", "new york is big", "she left new york for the bank of america", "the bank of america"]
TEXT = "\n".join(CITIES * 10) + "\n"


def lists(text):
    return [line.split() for line in text.splitlines()]


def counted(sentences, connectors=()):
    """Words and pairs by hand: ({word: n}, {(a, *connectors, b): n}, tokens)."""
    words, pairs, tokens = Counter(), Counter(), 0
    for sentence in sentences:
        open_words = []
        for word in sentence:
            tokens += 1
            if word in connectors:
                open_words += [word] if open_words else []
                continue
            words[word] += 1
            if open_words:
                pairs[(*open_words, word)] += 1
            open_words = [word]
    return words, pairs, tokens


def expected_phrases(sentences, min_count, threshold, scoring, connectors=()):
    """What `Phrases.learn` should find, the slow way."""
    words, pairs, tokens = counted(sentences, connectors)
    found = {}
    for pair, n_ab in pairs.items():
        counts = (words[pair[0]], words[pair[-1]], n_ab, len(words) + len(pairs), min_count, tokens)
        if n_ab >= min_count and SCORES[scoring](*counts) > threshold:
            found[pair] = SCORES[scoring](*counts)
    return found


# --- Scores


def test_the_scores_are_their_formulas():
    counts = (20, 10, 9, 300, 5, 1000)  # n_a, n_b, n_ab, len_vocab, min_count, tokens
    assert SCORES["word2vec"](*counts) == 4 / 200 * 1000
    assert SCORES["gensim"](*counts) == 4 / 200 * 300
    assert SCORES["npmi"](*counts) == pytest.approx(math.log(0.009 / (0.02 * 0.01)) / -math.log(0.009))


def test_words_that_are_always_together_have_an_npmi_of_one():
    assert SCORES["npmi"](7, 7, 7, 9, 1, 50) == pytest.approx(1.0)


# --- The rule of joining


@pytest.mark.parametrize(
    ("sentence", "joined"),
    [
        ("we like new york", "we like new_york"),
        ("new new york", "new new_york"),
        ("new york new york", "new_york new_york"),
        ("new york times", "new_york times"),  # york was joined already, so york_times is not
        ("york times", "york_times"),
        ("bank of america", "bank_of_america"),
        ("bank of the america", "bank of the america"),
        ("of bank of", "of bank of"),
        ("bank of of america", "bank of of america"),
        ("bank bank of america", "bank bank_of_america"),
        ("new of york", "new of york"),
        ("", ""),
    ],
)
def test_phrases_are_joined_greedily_from_left_to_right(sentence, joined, tmp_path):
    phrases = Phrases(
        ({("new", "york"): 3.0, ("york", "times"): 9.0, ("bank", "of", "america"): 1.0},), frozenset({"of", "the"})
    )
    assert phrases.apply(sentence.split()) == joined.split()
    (tmp_path / "in.txt").write_text(sentence + "\n")
    phrases.transform(tmp_path / "in.txt", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == joined + "\n"


def test_a_later_pass_sees_the_phrases_of_the_earlier_as_words():
    phrases = Phrases(({("new", "york"): 1.0}, {("new_york", "city"): 1.0}))
    assert phrases.apply("new york city".split()) == ["new_york_city"]
    assert phrases.apply("new_york city".split()) == ["new_york_city"]


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


WORD = st.sampled_from(["a", "b", "c", "of", "the", "dé", "漢", "x_y"])
SPACE = st.sampled_from([" ", "  ", "\t", "\u3000", "\u2028", "\n", "\n\n", " \r\n"])
WILD_TEXT = st.lists(st.tuples(WORD, SPACE), max_size=60).map(lambda pairs: "".join(map("".join, pairs)))
ENDS, BETWEEN = st.sampled_from(["a", "b", "c", "dé", "漢", "x_y", "a_b", "b_c"]), st.sampled_from(["of", "the"])
PHRASE = st.tuples(ENDS, st.lists(BETWEEN, max_size=2), ENDS).map(lambda parts: (parts[0], *parts[1], parts[2]))
PASSES = st.lists(st.lists(PHRASE, max_size=8), min_size=1, max_size=3)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=WILD_TEXT,
    passes=PASSES,
    delimiter=st.sampled_from(["_", "·", "--"]),
    block=st.sampled_from([1, 7, 1 << 20]),
    last=st.sampled_from(["", "a", " "]),
)
def test_text_is_joined_as_its_lines_are(text, passes, delimiter, block, last, tmp_path):
    """The kernel, the cutting of long lines and the order of blocks, against `join` on whole lines."""
    passes = tuple(dict.fromkeys(phrases, 1.0) for phrases in passes)
    phrases = Phrases(passes, frozenset({"of", "the", "unused"}), delimiter)
    text += last
    (tmp_path / "in.txt").write_text(text, newline="")
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []
    expected = "".join(" ".join(phrases.apply(line.split())) + "\n" for line in lines)
    with pytest.MonkeyPatch.context() as patch:
        read_in_blocks(patch, block)
        phrases.transform(tmp_path / "in.txt", tmp_path / "out.txt", threads=2)
    assert (tmp_path / "out.txt").read_text() == expected


def test_a_long_line_of_nothing_but_phrases_is_joined_whole(tmp_path, monkeypatch):
    read_in_blocks(monkeypatch, 100)
    (tmp_path / "in.txt").write_text("a " * 5001 + "\n")
    Phrases(({("a", "a"): 1.0},)).transform(tmp_path / "in.txt", tmp_path / "out.txt", threads=2)
    assert (tmp_path / "out.txt").read_text() == "a_a " * 2500 + "a\n"


def test_words_with_which_a_phrase_goes_on_are_known_through_all_passes():
    passes = [{("new", "york"): 1.0}, {("in", "new_york"): 1.0}, {("x", "in_new_york"): 1.0}]
    assert inner_words(passes, "_") == {"york", "new", "new_york", "in", "in_new_york"}


# --- Learning


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


def random_text(n_lines=3000, n_words=2000, seed=1):
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(n_words)]
    return "\n".join(" ".join(words[int(n_words * rng.random() ** 4)] for _ in range(8)) for _ in range(n_lines))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_counts_are_exact_however_small_the_tables_blocks_and_shares_are(threads, tmp_path, monkeypatch):
    """Some 15 000 different pairs, in tables for 768: the shares have to be halved again and again."""
    monkeypatch.setattr(pair_counting, "MOST_BYTES", 1024)
    monkeypatch.setattr(pair_counting, "_READ", 1000)
    read_in_blocks(monkeypatch, 5000)
    text, connectors = random_text(), frozenset({"w0", "w1", "w7"})
    (tmp_path / "c.txt").write_text(text)
    words, pairs, tokens = counted(lists(text), connectors)
    with open_corpus(tmp_path / "c.txt") as corpus:
        got = pair_counting.count_pairs(corpus, min_count=2, connectors=connectors, threads=threads)
    name = got.words.words(range(len(got.words.counts)))
    found = {
        (name[a], *(name[c] for c in got.gaps[gap]), name[b]): n
        for a, gap, b, n in zip(got.first, got.gap, got.second, got.counts.tolist(), strict=True)
    }
    assert len(pairs) > 10_000
    assert found == {pair: n for pair, n in pairs.items() if n >= 2}
    assert (got.n_types, got.words.n_tokens) == (len(words) + len(pairs), tokens)


def test_there_can_be_more_gaps_than_the_first_table_holds():
    connectors = [f"c{i}" for i in range(30)]
    sentences = [["a", c, d, "b"] for c in connectors for d in connectors] * 2
    phrases = Phrases.learn(sentences, min_count=2, threshold=-1, scoring="npmi", connectors=connectors)
    assert set(phrases.passes[0]) == {("a", c, d, "b") for c in connectors for d in connectors}


def test_pairs_do_not_cross_lines_but_reach_across_the_pieces_of_a_long_line(tmp_path, monkeypatch):
    read_in_blocks(monkeypatch, 10)
    (tmp_path / "c.txt").write_text("a b\nc d\n" * 10 + "e f " * 100)
    phrases = Phrases.learn(tmp_path / "c.txt", min_count=1, threshold=-1, scoring="npmi", max_sentence=3)
    assert set(phrases.phrases) == {"a_b", "c_d", "e_f", "f_e"}
    with open_corpus(tmp_path / "c.txt") as corpus:
        got = pair_counting.count_pairs(corpus, min_count=1, threads=2)
    assert sorted(got.counts.tolist()) == [10, 10, 99, 100]


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


def test_any_function_can_score():
    def together(worda_count, wordb_count, bigram_count, len_vocab, min_count, corpus_word_count):
        assert (len_vocab, min_count, corpus_word_count) == (3 + 2, 2, 9)
        return bigram_count / min(worda_count, wordb_count)

    phrases = Phrases.learn([["a", "b", "c"]] * 3, min_count=2, threshold=0.5, scoring=together)
    assert phrases.phrases == {"a_b": 1.0, "b_c": 1.0}
    assert phrases.made == {"min_count": 2, "scoring": "function together", "thresholds": [0.5]}


def test_a_phrase_longer_than_a_word_may_be_is_none():
    long = "x" * 600
    phrases = Phrases.learn([[long, long, "a", "b"]] * 9, min_count=2, threshold=-1, scoring="npmi")
    assert f"{long}_{long}" not in phrases.phrases and "a_b" in phrases.phrases


def test_nothing_stays_in_the_cache_folder(tmp_path):
    Phrases.learn(lists(TEXT), cache_dir=tmp_path / "cache", passes=2)
    assert list((tmp_path / "cache").iterdir()) == []


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


# --- Files


def test_what_is_saved_is_loaded(tmp_path):
    phrases = Phrases.learn(lists(TEXT), threshold=0.1, connectors="english", passes=2, delimiter="·")
    phrases.save(tmp_path / "p.jsonl")
    loaded = Phrases.load(tmp_path / "p.jsonl")
    assert loaded == phrases and loaded.made == phrases.made
    assert [list(p.items()) for p in loaded.passes] == [list(p.items()) for p in phrases.passes]


def test_the_file_is_lines_of_json(tmp_path):
    Phrases(({("bank", "of", "america"): 2.5}, {("a", "b"): 1.0}), frozenset({"of"})).save(tmp_path / "p.jsonl")
    head, *lines = map(json.loads, (tmp_path / "p.jsonl").read_text().splitlines())
    assert head == {
        "format": "pairloom-phrases-1",
        "delimiter": "_",
        "connectors": ["of"],
        "phrases": [1, 1],
        "made": {},
    }
    assert lines == [[1, 2.5, "bank", "of", "america"], [2, 1.0, "a", "b"]]


HEAD = '{"format": "pairloom-phrases-1", "delimiter": "_", "connectors": ["of"], "phrases": [1]}\n'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not a file of phrases. Make one by Phrases.save or pairloom phrases --save-phrases."),
        ("new york\n", "is not a file of phrases."),
        ("[" * 100_000, "is not a file of phrases."),
        (b"\xff\xfe", "line 1: not valid UTF-8 (byte 0 of the line)."),
        (HEAD, "has 0 phrases of 1. Get or make the file again."),
        (HEAD.replace("[1]", "1"), "line 1: the head of the file is damaged."),
        (HEAD.replace('"_"', '" "'), "line 1: the head of the file is damaged."),
        (HEAD.replace('["of"]', "[5]"), "line 1: the head of the file is damaged."),
        (HEAD.replace("{", '{"made": 5, ', 1), "line 1: the head of the file is damaged."),
        (HEAD + '[1, 2.5, "new"]\n', "line 2: '[1, 2.5, \"new\"]' is not a phrase."),
        (HEAD + '[1, "2.5", "new", "york"]\n', "is not a phrase."),
        (HEAD + '[1, 2.5, "new", 5]\n', "is not a phrase."),
        (HEAD + '[1, 2.5, "new", ["of"], "york"]\n', "is not a phrase."),
        (HEAD + f'[1, 1{"0" * 400}, "new", "york"]\n', "is not a phrase."),
        (HEAD + '[1, 2.5, "new", "\\ud800"]\n', "is not a phrase."),
        (HEAD + '[1, 2.5, "new", "york", "city"]\n', "between the first word and the last there can be connectors"),
        (HEAD + '[1, 2.5, "of", "york"]\n', "is not a phrase."),
        (HEAD + '[2, 2.5, "new", "york"]\n', "line 2: no such pass, or a phrase twice."),
        (HEAD + '[1, 2.5, "new", "york"]\n' * 2, "line 3: no such pass, or a phrase twice."),
        (HEAD + '[1, 2.5, "new", "yo', "is not a phrase."),
    ],
)
def test_a_damaged_file_is_one_line(content, message, tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(pairloom.InputError) as error:
        Phrases.load(path)
    assert message in str(error.value) and str(path) in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("path", ["none.jsonl", ".", "/dev/null"])
def test_a_file_that_is_none(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(pairloom.InputError, match="Give a file of phrases"):
        Phrases.load(path)


# --- Bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"min_count": 0},
            "min_count=0 is out of range. Use 1 to 4611686018427387904; 5 is usual, 1 keeps every word.",
        ),
        ({"threshold": math.nan}, "threshold=nan is out of range. Use -1e+30 to 1e+30; 10 is usual for gensim's score"),
        ({"threshold": 0}, "threshold=0 is out of range: a score above 0 is what makes a pair worth looking at."),
        ({"threshold": "10"}, "threshold='10' is not a number."),
        ({"threshold": 2, "scoring": "npmi"}, "threshold=2 is out of range. Use -1 to 1; 0.5 is usual for npmi."),
        ({"threshold": [1, 2], "passes": 3}, "threshold=[1, 2] has 2 values for 3 passes. Give one threshold, or one"),
        ({"threshold": []}, "threshold=[] has 0 values for no passes."),
        ({"passes": 0}, "passes=0 is out of range. Use 1 to 10; 1 joins two words, 2 up to four."),
        ({"scoring": "default"}, "scoring='default' is not a choice. Use gensim, word2vec, npmi or a function."),
        ({"scoring": abs}, "does not take what it is called with. Use a function of worda_count, wordb_count,"),
        ({"scoring": lambda **counts: 1.0}, "threshold=None leaves open what a phrase is."),
        ({"scoring": lambda **counts: None, "threshold": 1}, "gave None, which is no number. Return a float."),
        ({"delimiter": ""}, "delimiter='' joins nothing. Use one or a few characters, such as _."),
        ({"delimiter": " "}, "delimiter=' ' is white space, which parts words. Use another, such as _."),
        ({"delimiter": "a\u3000"}, "is white space"),
        ({"delimiter": "\ud800"}, "joins nothing"),
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
    with pytest.raises(pairloom.InputError, match=r"has white space, which text cannot hold\. Use wrap instead"):
        phrases.transform([["a b", "c"]], tmp_path / "out.txt")
    with pytest.raises(pairloom.InputError, match="can be read only once"):
        Phrases.learn(iter([["a", "b"]]))
    (tmp_path / "c.txt").write_text(TEXT)
    for corpus in (tmp_path / "c.txt", [tmp_path / "c.txt"]):
        with pytest.raises(pairloom.InputError, match="is, or is among, the files to be read"):
            phrases.transform(corpus, tmp_path / "c.txt")
    assert (tmp_path / "c.txt").read_text() == TEXT
    assert not (tmp_path / "out.txt").exists()


def test_a_corpus_that_changes_between_readings_is_noticed():
    class Fickle:
        readings = 0

        def __iter__(self):
            self.readings += 1
            return iter([["a", "b"], ["a" if self.readings < 5 else "b", "b"]])

    with pytest.raises(pairloom.CorpusChangedError, match="was not the same when read again"):
        Phrases.learn(Fickle())


# --- The command


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "c.txt").write_text(TEXT)
    return tmp_path / "c.txt"


def run(capsys, *args, code=0):
    try:
        given = main(["phrases", *map(str, args)])
    except SystemExit as exit:
        given = exit.code
    printed = capsys.readouterr()
    assert given == code, printed.err
    return printed.out if code == 0 else printed.err


def test_the_command_prints_phrases_best_first(corpus, capsys):
    lines = run(capsys, corpus, "--threshold", 0.1, "--quiet").splitlines()
    phrases = Phrases.learn(corpus, threshold=0.1).phrases
    assert [line.split("\t")[1] for line in lines] == list(phrases)
    assert [float(line.split("\t")[0]) for line in lines] == pytest.approx(list(phrases.values()), rel=1e-5)


def test_the_command_writes_the_text_and_keeps_the_phrases(corpus, tmp_path, capsys):
    out, kept, again = tmp_path / "out.txt", tmp_path / "p.jsonl", tmp_path / "again.txt"
    options = ["--threshold", "0.1,0.2", "--connectors", "english", "--passes", 2, "--delimiter", "+"]
    printed = run(capsys, corpus, "-o", out, "--save-phrases", kept, "--json", "--quiet", *options)
    phrases = Phrases.learn(corpus, threshold=[0.1, 0.2], connectors="english", delimiter="+")
    facts = json.loads(printed)
    assert (facts["phrases"], facts["best"], facts["output"]) == (len(phrases), phrases.phrases, str(out))
    assert lists(out.read_text()) == [phrases.apply(line) for line in lists(TEXT)]
    assert Phrases.load(kept) == phrases
    assert f"{again}: {len(phrases)} phrases" in run(capsys, corpus, "-o", again, "--phrases", kept)
    assert again.read_bytes() == out.read_bytes()


def test_the_command_reads_stdin_and_connectors_from_a_file(corpus, tmp_path, capsys, monkeypatch):
    (tmp_path / "connectors.txt").write_text("of\nfor\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    out = tmp_path / "out.txt"
    printed = run(capsys, "-", "-o", out, "--connectors", tmp_path / "connectors.txt", "--threshold", 0.1, "--quiet")
    assert printed == ""
    phrases = Phrases.learn(corpus, threshold=0.1, connectors=["of", "for"])
    assert lists(out.read_text()) == [phrases.apply(line) for line in lists(TEXT)]


def test_the_output_does_not_depend_on_threads(tmp_path, capsys):
    (tmp_path / "c.txt").write_text(random_text())
    outputs = set()
    for threads in (1, 2, 4):
        out, kept = tmp_path / "out.txt", tmp_path / "p.jsonl"
        options = ["--threads", threads, "--passes", 2, "--min-count", 2, "--threshold", 3, "--connectors", "english"]
        run(capsys, tmp_path / "c.txt", "-o", out, "--save-phrases", kept, "--quiet", *options)
        outputs.add((out.read_bytes(), kept.read_bytes()))
    assert len(outputs) == 1 and b"_" in outputs.pop()[0]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--min-count", "0"], "--min-count 0 is out of range."),
        (["--threshold", "nan"], "--threshold nan is out of range."),
        (["--threshold", "10,x"], "argument --threshold: '10,x' is not a number, nor numbers like 200,100."),
        (["--threshold", "1,2,3", "--passes", "2"], "--threshold [1.0, 2.0, 3.0] has 3 values for 2 passes."),
        (["--scoring", "default"], "--scoring 'default' is not a choice."),
        (["--delimiter", ""], "--delimiter is empty"),
        (["--delimiter", "\t"], "--delimiter '\\t' is white space"),
        (["--connectors", "none.txt"], "none.txt cannot be read"),
        (["-o", "c.txt"], "c.txt is, or is among, the files to be read. Choose another name for the output."),
        (["--save-phrases", "c.txt"], "c.txt is, or is among, the files to be read."),
        (["-o", "p", "--save-phrases", "p"], "p cannot hold both the text and the phrases."),
        (["-o", "none/out.txt"], "Create it first."),
        (["-o", "."], ". is a folder."),
        (["--phrases", "p.jsonl"], "--phrases writes a text with joined phrases. Name the file to write: -o OUT"),
        (["--phrases", "p.jsonl", "-o", "x", "--passes", "2"], "so --passes has no effect. Leave out one."),
        (["--phrases", "p.jsonl", "-o", "x"], "p.jsonl cannot be read: No such file or directory."),
        (["--threads", "0"], "--threads 0 is out of range."),
    ],
)
def test_the_command_says_what_is_wrong_in_one_line(args, message, corpus, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    error = run(capsys, "c.txt", "--quiet", *args, code=2)
    assert error.startswith("pairloom phrases: ") and message in error and error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["c.txt"]
    assert corpus.read_text() == TEXT


def test_the_command_needs_words(tmp_path, capsys):
    (tmp_path / "empty.txt").write_text("")
    assert "empty.txt has no words." in run(capsys, tmp_path / "empty.txt", "--quiet", code=2)


def test_the_text_can_be_piped_and_its_reader_may_stop(tmp_path):
    (tmp_path / "c.txt").write_text(TEXT * 500)
    command = [sys.executable, "-m", "pairloom", "phrases", "c.txt", "-o", "/dev/stdout"]
    command += ["--scoring", "npmi", "--threshold", "0.95"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "i_love new_york\n"
        process.stdout.close()
        assert process.wait() == 0
        assert "Broken pipe" not in process.stderr.read()


def test_help_has_an_example(capsys):
    assert "example: pairloom phrases corpus.txt -o joined.txt" in run(capsys, "--help")
