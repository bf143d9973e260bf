"""Files of phrases."""

import json

import pytest

import pairloom
from pairloom import Phrases
from tests.preparing.phrases.examples import TEXT, lists


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
        ("", "is not a file of phrases. Make one with Phrases.save or pairloom phrases --save-phrases."),
        ("new york\n", "is not a file of phrases."),
        ("[" * 100_000, "is not a file of phrases."),
        (b"\xff\xfe", "line 1: not valid UTF-8 (byte 0 of the line)."),
        (HEAD, "has 0 of 1 phrase. Get or make the file again."),
        (HEAD.replace("[1]", "1"), "line 1: the header is damaged."),
        (HEAD.replace('"_"', '" "'), "line 1: the header is damaged."),
        (HEAD.replace('["of"]', "[5]"), "line 1: the header is damaged."),
        (HEAD.replace("{", '{"made": 5, ', 1), "line 1: the header is damaged."),
        (HEAD + '[1, 2.5, "new"]\n', "line 2: '[1, 2.5, \"new\"]' is not a phrase."),
        (HEAD + '[1, "2.5", "new", "york"]\n', "is not a phrase."),
        (HEAD + '[1, 2.5, "new", 5]\n', "is not a phrase."),
        (HEAD + '[1, 2.5, "new", ["of"], "york"]\n', "is not a phrase."),
        (HEAD + f'[1, 1{"0" * 400}, "new", "york"]\n', "is not a phrase."),
        (HEAD + '[1, 2.5, "new", "\\ud800"]\n', "is not a phrase."),
        (
            HEAD + '[1, 2.5, "new", "york", "city"]\n',
            "with nothing but connectors between the first word and the last.",
        ),
        (HEAD + '[1, 2.5, "of", "york"]\n', "is not a phrase."),
        (HEAD + '[2, 2.5, "new", "york"]\n', "line 2: there is no pass 2."),
        (HEAD + '[1, 2.5, "new", "york"]\n' * 2, "line 3: the phrase is there twice."),
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
