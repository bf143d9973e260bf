"""Text without spaces is recognised, and nothing else is taken for it."""

import pytest

from pairloom.method.tokens.unsegmented import unspaced

UNSEGMENTED = {
    "Chinese": "我来到北京清华大学，他说：你好！今天天气很好，我们一起去公园玩吧。",
    "Japanese": "東京都に住んでいます。毎日、電車で会社に行きます。カタカナも使います。",
    "Thai": "ภาษาไทยเป็นภาษาที่มีระดับเสียง การเขียนไม่มีการเว้นวรรคระหว่างคำ",
    "Khmer": "ភាសាខ្មែរជាភាសាផ្លូវការរបស់ប្រទេសកម្ពុជា",
}
SEGMENTED = {
    "Chinese": "我 来到 北京 清华大学 他 说 你好 今天 天气 很 好",
    "Thai": "ภาษา ไทย เป็น ภาษา ที่ มี ระดับ เสียง",
    "German": "Donaudampfschifffahrtsgesellschaftskapitän und Bundesverfassungsgerichtsentscheidungen für alle",
    "Korean": "지미 카터는 조지아주 섬터 카운티 플레인스 마을에서 태어났다",
    "addresses": "https://example.com/a/very/long/path?with=options&and=more",
    "base64": "U29tZSBsb25nIGJhc2U2NCB0ZXh0IHdpdGhvdXQgc3BhY2VzIGFuZCBubyBlbmQ",
    "DNA": "ACGTTGCAACGGTTACACGTTGCAACGGTTACACGTTGCAACGGTTAC",
    "English with names": "The word 北京 means northern capital, and 東京 eastern capital.",
    "accents": "naïveté".ljust(60, "é"),
}


@pytest.mark.parametrize("language", UNSEGMENTED)
def test_a_language_without_spaces_is_recognised(language):
    found = unspaced(f"{UNSEGMENTED[language]}\n" * 20)
    assert found.is_certain and found.is_doubtful and found.has_some


@pytest.mark.parametrize("kind", SEGMENTED)
def test_other_text_with_long_words_is_not(kind):
    found = unspaced(f"{SEGMENTED[kind]}\n" * 40)
    assert not found.is_certain and not found.is_doubtful


def test_a_text_that_is_partly_unsegmented_is_doubtful():
    found = unspaced(f"{UNSEGMENTED['Chinese']} is a sentence of a few words in another language\n" * 20)
    assert found.is_doubtful and not found.is_certain


def test_a_few_letters_show_nothing():
    assert not unspaced(UNSEGMENTED["Chinese"]).is_certain
