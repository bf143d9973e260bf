"""The check of grammar that every message of a bad case passes, and what the source must not do to its messages."""

import re
from pathlib import Path

import pytest

import pairloom
from reliability.cases.grammar import faults


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("a.txt has 1 words.", "a plural of one"),
        ("'cat' occurs 1 times.", "a plural of one"),
        ("There are 1 more files.", "a plural of one"),
        ("It is a int.", "a before a vowel"),
        ("It is an list of an table.", "an before a consonant"),
        ("Did you mean what?.", "two full stops"),
        ("It ends here..", "two full stops"),
        ("One  word.", "two spaces"),
        ("One word .", "a space before a full stop"),
        ("One (of two.", "( without )"),
        ("Is [1, 2.", "[ without ]"),
        ("A word 'aaaaaaaaaaaaa has no end.", "a quote without its other half"),
        ('A word "aaaaaaaaaaaaa has no end.', "a quote without its other half"),
        ("Use more text", "no full stop"),
    ],
)
def test_bad_grammar_is_found(message, fault):
    assert fault in list(faults(message))


@pytest.mark.parametrize(
    "message",
    [
        "'1 words' is in a one-word file, a UTF-8 text of a user (an hour old). Use 1 to 20.",
        "11 words cannot be put into -1 classes. It's the user's choice.",
        "Each line must read like: tiger<TAB>cat<TAB>7.35",
        "Give paths, for example ../a.txt, or a list such as ['a', 'b', ...].",
        "The word 'it\\'s (' is odd. Did you mean \"it's\"?",
    ],
)
def test_good_grammar_is_left_alone(message):
    assert list(faults(message)) == []


@pytest.mark.parametrize(
    ("form", "instead"),
    [(r"!r:\.\d+\}", "quoted(), which keeps both quotes"), (r"\b[Aa] \{type\(", "of_type(), which knows an int")],
)
def test_messages_are_made_by_the_functions_for_it(form, instead):
    sources = Path(pairloom.__file__).parent.rglob("*.py")
    assert [path.name for path in sources if re.search(form, path.read_text())] == [], f"Use {instead}"
