"""Words of languages without spaces, by ICU."""

import sys

import pytest

from pairloom.config import TextOptions
from pairloom.corpus.sentences import open_corpus
from pairloom.errors import MissingExtraError
from pairloom.method.tokens import icu
from pairloom.method.tokens.words import words


@pytest.fixture
def icu_words():
    pytest.importorskip("icu4py")
    return icu.icu_words


def test_dictionaries_find_the_words_of_languages_without_spaces(icu_words):
    assert icu_words("我来到北京，你好！") == ["我", "来到", "北京", "你好"]
    assert icu_words("ภาษาไทยง่าย") == ["ภาษา", "ไทย", "ง่าย"]


def test_other_text_has_the_words_of_the_rule_words(icu_words):
    text = "King, don’t pay $3.50 at example.com — well-known new_york Straße! __ 👍🏽 🇩🇪"
    assert icu_words(text) == words(text)


def test_blocks_have_the_same_lines_and_words(icu_words, tmp_path):
    (tmp_path / "c.txt").write_text("我来到北京！\n\nKing, queen\n", "utf-8")
    with open_corpus(tmp_path / "c.txt", text=TextOptions(tokenize="icu")) as corpus:
        assert list(corpus.lines()) == [["我", "来到", "北京"], [], ["king", "queen"]]
        assert [block.data.tobytes().decode().split() for block in corpus.blocks()] == [
            ["我", "来到", "北京", "king", "queen"]
        ]


def test_without_the_extra_the_message_says_how_to_install_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "icu4py", None)
    monkeypatch.setitem(sys.modules, "icu4py.breakers", None)
    icu._icu.cache_clear()
    with pytest.raises(MissingExtraError, match=r"tokenize=icu needs .*pairloom\[icu\]"):
        icu.icu_words("a")
    icu._icu.cache_clear()
