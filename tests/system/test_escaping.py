"""Words that want to be more than words."""

from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairloom.system.escaping import html, visible

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
    """What a browser makes of a page: its tags, and the text between them."""

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
def test_what_is_not_seen_is_written_out(text, shown):
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
    html(text).encode()  # also of half characters
