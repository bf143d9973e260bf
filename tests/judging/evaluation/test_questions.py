"""Files of questions: their kinds, and those that are refused."""

import re
import sys

import pytest

import pairloom
from pairloom.errors import InputError
from pairloom.judging.evaluation import (
    evaluate,
    kind_of,
    read,
)
from tests.judging.evaluation.planted import CASES, write


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (": s\na b c d\n", "analogies"),
        ("a b c d\n", "analogies"),
        ("a\tb\tc\td\n", "analogies"),
        ("# made by hand\n\n: s\n", "analogies"),
        ("a b 3.5\n", "similarities"),
        ("a b 3 4\n", "similarities"),
        ("first,second,score\na,b,-1e-3\n", "similarities"),
        ("a\tb\t.5\n", "similarities"),
        ("cat\tanimal\n", "categories"),
        ("New York\tbig city\n", "categories"),
        ("cat animal\n", "categories"),
    ],
)
def test_the_kind_of_a_file_is_recognised(tmp_path, text, kind):
    assert kind_of(read(write(tmp_path, text))) == kind


BAD = {
    b"": "has no questions",
    b"# only a comment\n\n": "has no questions",
    b": section\n": "has sections but no questions",
    b": s\na b c\n": "line 2: 'a b c' is not a question of four words",
    b": s\na b c d\na b c d e\n": "line 3: 'a b c d e' is not a question",
    b"a\tb\tx\na\tb\ty\n": r"line 1: 'a\\tb\\tx' is not a question of any known kind",
    b"a\tb\t1\na\tb\tnan\n": "line 2: 'a b nan' is not two words and a number",
    b"a\tb\tinf\na\tb\tinf\n": "line 1: .* is not a question of any known kind",
    b"a\tb\t1\na\tb\t1e999\n": "line 2: 'a b 1e999' is not two words and a number",
    b"a\tb\t1\na\tb\n": "line 2: 'a b' is not two words and a number",
    b"a\tb\tscore\na\tb\t1\nc\td\tscore\n": "line 3: 'c d score' is not two words",
    b"a\tx\nb\n": "line 2: 'b' is not a word and its category",
    b"a\tx\nb\ty\nc\t\n": "line 3: 'c ' is not a word and its category",
    b"one\n": "line 1: 'one' is not a question of any known kind",
    b"a\tb\t1\n\xff\tb\t2\n": "line 2: not valid UTF-8 \\(byte 0 of the line\\)\\. Save the file as UTF-8",
    b"a\tb\t1\0\n": "line 1: it holds NUL bytes, so it is not a text file",
    b"a b c d e\na b c d e\n": "line 1: 'a b c d e' is not a question of any known kind",
}


@pytest.mark.parametrize("text", BAD, ids=repr)
def test_a_file_that_cannot_be_used_is_refused_by_line(vectors, tmp_path, text):
    with pytest.raises(InputError, match=f"^{re.escape(str(tmp_path / 'q.txt'))},? {BAD[text]}") as error:
        evaluate(vectors, write(tmp_path, text))
    assert "\n" not in str(error.value)


def test_a_path_that_cannot_be_read_is_refused(vectors, tmp_path):
    for path, reason in (
        (tmp_path / "none.txt", "No such file or directory. Check the path"),
        (tmp_path, "Is a directory. Check the path"),
        ("/dev/zero", "is a device"),
        ("a\0b", "a path cannot hold a NUL"),
    ):
        with pytest.raises(InputError, match=reason):
            evaluate(vectors, path)


def test_a_closed_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match=r"^Standard input is closed\. Give a file, or something to read from\.$"):
        pairloom.evaluate(CASES, "-")
