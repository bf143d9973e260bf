"""Words and values as people see them: hostile text is harmless, long values are short."""

from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairloom.system.display import html, quoted, visible

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    "\"onmouseover='alert(1)'",
    "'><img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "&lt;b&gt;&#60;",
    "line\u2028paragraph\u2029end",
    "\u202eexe.gpj",
    "user\u2066\u2069\u200f",
    "\x1b]0;title\x07\x1b[2J",
    "nul\x00",
    "half\ud800",
    "zero\u200bwidth\ufeff",
    "\U000e0041tag",
]


class Tags(HTMLParser):
    """Parses a page as a browser does: its tags, and the text between them."""

    def __init__(self):
        super().__init__()
        self.tags, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, attrs))

    def handle_comment(self, data):
        self.tags.append(("comment", data))

    def handle_data(self, data):
        self.text += data


def browsed(page):
    parser = Tags()
    parser.feed(page)
    parser.close()
    return parser


@pytest.mark.parametrize("word", HOSTILE)
def test_a_hostile_word_is_text_between_tags_and_in_an_attribute(word):
    seen = browsed(f'<td title="{html(word)}">{html(word)}</td>')
    assert seen.tags == [("td", [("title", visible(word))])]
    assert seen.text == visible(word)
    ET.fromstring(f'<td title="{html(word)}">{html(word)}</td>')  # no character that XML forbids


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\u202eevil", r"\u202eevil"),
        ("\u2066\u2069\u061c\u200e", r"\u2066\u2069\u061c\u200e"),
        ("a\x1b[2J", r"a\x1b[2J"),
        ("\x85\x7f\t", r"\x85\x7f\t"),
        ("\ud83d", r"\ud83d"),
        ("co\u00adop", r"co\xadop"),
        ("\U000e0061", r"\U000e0061"),
    ],
)
def test_invisible_characters_are_escaped(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize("word", ["naïve", "café", "عربي", "עברית", "नमस्ते", "می\u200cخواهم", "👩\u200d💻", "日本", "π"])
def test_words_of_any_script_stay_as_they_are(word):
    assert visible(word) == word
    assert html(word) == word


@given(st.text(st.characters()))
def test_no_text_makes_a_tag(text):
    seen = browsed(f"<td>{html(text)}</td>")
    assert seen.tags == [("td", [])]
    assert seen.text == visible(text)
    html(text).encode()  # works for half characters too


@pytest.mark.parametrize(
    "value", ["word", "two\nlines", "\ud800", None, 3.5, ("a", 2), ["a"] * 12, {"a": [1, 2]}, b"ab"]
)
def test_a_short_value_is_quoted_as_python_writes_it(value):
    assert quoted(value) == repr(value)


def test_a_long_value_is_cut_to_one_line_of_at_most_80_characters():
    assert quoted("a" * 1000) == "'" + "a" * 37 + "..." + "a" * 38 + "'"
    assert quoted(["word"] * 1000) == "['word', 'word', 'word', 'word', 'word', 'word', 'word', 'word', 'word', 'wor..."
    assert quoted(np.zeros((2, 3))) == "array([[0., 0., 0.],        [0., 0., 0.]])"
    for value in ({i: ["x" * 200] * 50 for i in range(50)}, [[[[["deep"]]]]] * 30, np.zeros((9, 9)), 10**1000):
        assert len(quoted(value)) <= 80 and "\n" not in quoted(value)
