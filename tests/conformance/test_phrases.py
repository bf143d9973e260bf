"""The phrases of gensim and the text of word2phrase, from the programs themselves.

They differ from ours where words have the delimiter in them: gensim and word2phrase count new_york, the word, and new
york, the pair, as one. gensim's export_phrases also takes the phrases of a second pass apart again, so of two passes
the texts are compared. A function of the user's own is asked by gensim about every pair, by us about those seen
min_count times. word2phrase counts pairs across the ends of lines, though it never joins there; it cuts words at 58
bytes, begins lines with a space, loses a last word that no white space follows, takes </s> for the end of a line, and
computes in float32.
"""

import json
import random
import subprocess
from pathlib import Path

import pytest

from pairloom import Phrases

GENSIM = """
import json, sys
from gensim.models.phrases import ENGLISH_CONNECTOR_WORDS, Phrases
sentences, passes = json.load(open(sys.argv[1]))
for options in passes:
    if options.pop("english"):
        options["connector_words"] = ENGLISH_CONNECTOR_WORDS
    phrases = Phrases(sentences, **options)
    exported = phrases.export_phrases()
    sentences = [phrases[sentence] for sentence in sentences]
print(json.dumps([exported, sentences, sorted(ENGLISH_CONNECTOR_WORDS)]))
"""


@pytest.fixture
def gensim(ask, tmp_path):
    """The phrases of the last pass, the sentences after all passes, the English connectors."""

    def run(sentences, *passes):
        (tmp_path / "given.json").write_text(json.dumps([sentences, passes]))
        return ask("gensim", GENSIM, tmp_path / "given.json")

    return run


@pytest.fixture(scope="module")
def sentences():
    """2 000 lines of words with the frequencies of real text, where some words often follow each other."""
    rng = random.Random(1)
    words = ["of", "the", "in", *(f"w{i}" for i in range(1500))]
    sentences = []
    for _ in range(2000):
        line = [words[int(len(words) * rng.random() ** 3)] for _ in range(rng.randrange(15))]
        for _ in range(2):
            i = rng.randrange(30)
            line += [f"a{i}", *(["of", "the"][: rng.randrange(3)]), f"b{i}", *([f"c{i}"][: rng.randrange(2)])]
        sentences.append(line)
    return sentences


@pytest.mark.parametrize("english", [False, True])
@pytest.mark.parametrize(("scoring", "threshold"), [("default", 10.0), ("default", 0.3), ("npmi", 0.4), ("npmi", -0.5)])
def test_phrases_scores_and_text_are_gensims(gensim, sentences, scoring, threshold, english):
    options = {"min_count": 3, "threshold": threshold}
    exported, joined, _ = gensim(sentences, {**options, "scoring": scoring, "english": english})
    ours = "gensim" if scoring == "default" else scoring
    phrases = Phrases.learn(sentences, **options, scoring=ours, connectors="english" if english else ())
    assert len(exported) > 50
    assert phrases.phrases == exported  # every bit of every score
    assert [phrases.apply(sentence) for sentence in sentences] == joined


def test_two_passes_are_gensim_on_the_output_of_gensim(gensim, sentences):
    options = {"min_count": 3, "scoring": "default", "english": True}
    _, joined, _ = gensim(sentences, {**options, "threshold": 20.0}, {**options, "threshold": 10.0})
    phrases = Phrases.learn(sentences, min_count=3, threshold=[20, 10], connectors="english")
    assert [phrases.apply(sentence) for sentence in sentences] == joined
    assert any(word.count("_") > 3 for sentence in joined for word in sentence)


def test_the_english_connectors_are_gensims(gensim, sentences):
    from pairloom.preparing.phrases.scores import ENGLISH_CONNECTORS

    *_, connectors = gensim(sentences[:10], {"min_count": 1, "threshold": 1.0, "scoring": "default", "english": False})
    assert sorted(ENGLISH_CONNECTORS) == connectors


@pytest.mark.parametrize(("min_count", "threshold"), [(5, 100), (3, 20), (1, 5)])
def test_the_text_is_word2phrases(program, sentences, min_count, threshold, tmp_path, monkeypatch):
    """Each line begins with a word of its own, so that no pair that word2phrase counts across lines occurs twice."""
    word2phrase = program("word2vec", "word2phrase")
    monkeypatch.chdir(tmp_path)  # it has room for short names alone
    lines = [" ".join([f"line{i}", *sentence]) for i, sentence in enumerate(sentences)]
    Path("in.txt").write_text("\n".join(lines) + "\n")
    options = ["-min-count", str(min_count), "-threshold", str(threshold), "-debug", "0"]
    subprocess.run(
        [word2phrase, "-train", "in.txt", "-output", "theirs.txt", *options], check=True, capture_output=True
    )
    phrases = Phrases.learn("in.txt", min_count=min_count, threshold=threshold, scoring="word2vec")
    phrases.transform("in.txt", "ours.txt")
    theirs = [line.removeprefix(" ") for line in Path("theirs.txt").read_text().split("\n")]
    assert Path("ours.txt").read_text().split("\n") == theirs
    assert sum(line.count("_") for line in theirs) > 500
