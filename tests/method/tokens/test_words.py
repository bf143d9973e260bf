"""Words by Unicode's rules, as people expect them; and the kernel, which must find the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairloom.kernel.text.separate import character_table, separate
from pairloom.method.tokens.characters import Kind, characters
from pairloom.method.tokens.words import fold, words

HARD = [
    "King, queen!",
    "don't can’t rock'n'roll 'quoted' dogs' o’",
    "3.14 1,000,000.5 1. 2, 3;4 12:30 1'000 v2.0 3D",
    "U.S.A. e.g. example.com a.b. note:this a::b",
    "well-known state-of-the-art naïve—café",
    "new_york _private __ ___a_ a_b_1 _ア_",
    "Straße STRASSE ẞ ﬁne ŉ ǰ ΐ İstanbul Iı ſo",
    "ΛΌΓΟΣ λόγος ὈδυσσεΐΣ ᾳ ᾼ",
    "cafe\u0301 a\u0308\u0301b \u0301x ' \u0301' a'\u0301b 1,\u03012",
    "co\u00adoperate \ufeffword a\u200eb x\u2060y",
    "我来到北京 ひらがな カタカナー abcアイ アa ｱｲ",
    "ภาษาไทย ភាសាខ្មែរ မြန်မာ ລາວ",
    "한국어 문장입니다. Привет, мир! שלום",
    'צה"ל בית" a"b ג\'ון',
    "👨‍👩‍👧 👍🏽 🇩🇪🇫🇷🇪 ❤️ ❤ 🏳️‍🌈 a\u200d😀 😀\u200da",
    "x² ½ № © ™ → C++ C# $5 50% a/b <b>bold</b> http://a.b/c?d=e",
    "\x00a\x00b\x1f \u00a0 \u202f1\u202f000 \u3000",
    "𝐀𝐁 𐐀 𐐨 🄰",
    "",
    " ",
    ".",
    "'",
]


def separated(text: str) -> list[list[str]]:
    data = np.frombuffer(text.encode(), np.uint8)
    return [[word for word in line.split(" ") if word] for line in _text(separate(data)).split("\n")]


def _text(data: np.ndarray) -> str:
    return data.tobytes().decode()


def test_punctuation_goes_and_case_is_folded():
    assert words("King, queen!") == ["king", "queen"]
    assert words("«Straße» — ÉCOLE…") == ["strasse", "école"]


def test_apostrophes_stay_within_words_and_both_kinds_are_one():
    assert words("'don't' can’t dogs'") == ["don't", "can't", "dogs"]


def test_numbers_keep_points_and_commas_between_digits():
    assert words("3.14, 1,000.5. 12:30") == ["3.14", "1,000.5", "12", "30"]


def test_hyphens_separate_and_underscores_join():
    assert words("well-known new_york __ _x_") == ["well", "known", "new_york", "_x_"]


def test_marks_stay_with_their_letter_and_go_without_one():
    assert words("cafe\u0301 \u0301") == ["cafe\u0301"]


def test_invisible_characters_are_taken_out():
    assert words("co\u00adoperate \ufeffthe ❤\ufe0f") == ["cooperate", "the", "❤"]


def test_scripts_without_spaces_have_a_character_to_a_word_but_for_katakana():
    assert words("北京 ひら カタカナ ไท") == ["北", "京", "ひ", "ら", "カタカナ", "ไ", "ท"]


def test_emoji_are_words_with_all_that_is_joined_to_them():
    assert words("ok👨\u200d👩\u200d👧🇩🇪🇫🇷") == ["ok", "👨\u200d👩\u200d👧", "🇩🇪", "🇫🇷"]


def test_hebrew_acronyms_keep_their_quotation_mark():
    assert words('צה"ל "בית"') == ['צה"ל', "בית"]


def test_turkish_letters_are_folded_as_in_all_languages():
    assert words("Iı İ") == ["iı", "i\u0307"]


@pytest.mark.parametrize("text", HARD)
def test_the_kernel_finds_the_words_of_the_definition(text):
    for around in ("{}", "{} and more text", "some text {}", "{0}{0}", "a{}b"):
        assert separated(around.format(text)) == [words(around.format(text))]


@pytest.mark.parametrize("text", HARD)
def test_the_kernel_finds_the_words_within_plain_text_wherever_its_vectors_begin(text):
    for shift in range(66):
        around = f"{'x' * shift} so: it's 3.5%, {'or not; ' * 12}{text} and {'a.b 1,2 ' * 12}"
        assert separated(around) == [words(around)]


ENGLISH = st.text("abXYZ019__''.::,,;; \n\t-\"é\u0301\xad", min_size=64, max_size=300)


@settings(max_examples=300, deadline=None)
@given(ENGLISH)
def test_the_kernel_finds_the_words_of_long_text(text):
    assert separated(text) == [words(line) for line in text.split("\n")]


def test_the_kernel_writes_no_more_than_it_reads_of_plain_text_and_keeps_line_ends():
    data = np.frombuffer(b"King,  queen!\n" * 20, np.uint8)
    assert _text(separate(data)).count("\n") == 20
    assert len(separate(data)) <= len(data)


def test_the_kernel_keeps_lines_and_no_other_white_space():
    data = np.frombuffer(b"King,  queen!\n\n .\nDon't.", np.uint8)
    assert _text(separate(data)) == "king queen \n\n\ndon't"
    assert not separate(data).flags.writeable


# Characters of every kind are as likely as those of ASCII.
OF_KINDS = [[chr(c) for c in np.flatnonzero(characters().kinds == k) if not 0xD800 <= c < 0xE000] for k in Kind]
OF_A_KIND = st.tuples(st.sampled_from(Kind), st.integers(0, 1 << 20)).map(
    lambda pick: OF_KINDS[pick[0]][pick[1] % len(OF_KINDS[pick[0]])]
)
ANY = st.one_of(OF_A_KIND, st.integers(0, 127).map(chr))


@settings(max_examples=300, deadline=None)
@given(st.lists(ANY, max_size=40))
def test_the_kernel_finds_the_words_of_any_text(letters):
    text = "".join(letters)
    assert separated(text) == [words(line) for line in text.split("\n")]


@pytest.mark.parametrize("kind", list(Kind))
def test_the_kernel_finds_the_words_around_each_kind_of_character(kind):
    text = "\n".join(f"x{a}y {a}{b} 1{a}2{a}" for a in OF_KINDS[kind][:300:7] for b in "a9_'.中ア😀\u0301")
    assert separated(text) == [words(line) for line in text.split("\n")]


def test_folding_changes_no_kind_and_is_done_once():
    found = characters()
    for code, folded in found.folds.items():
        if folded:
            assert found.kinds[code] == found.kinds[ord(folded[0])]
            assert fold(folded) == folded


def test_folding_is_that_of_python_but_for_newer_characters_and_what_is_stated():
    text = "".join(map(chr, range(0xC0, 0x530))).replace("\u0345", "")
    assert fold(text) == text.casefold()
    assert fold("’") == "'"


def test_the_table_is_small_and_of_one_unicode_for_all_pythons():
    assert characters().version == "15.0.0"
    assert sum(array.nbytes for array in character_table()) < 100_000
