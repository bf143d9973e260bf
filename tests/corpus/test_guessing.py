"""The encoding of text is guessed only where its bytes speak for it."""

import random

import pytest

from pairloom.corpus.guessing import guessed_encoding, is_mostly_utf8, is_valid, other_byte_order, wide_encoding
from tests.corpus.languages import STORED, TEXTS


@pytest.mark.parametrize(("language", "encoding"), STORED)
def test_the_encoding_that_is_guessed_reads_the_text_as_it_was_written(language, encoding):
    text = TEXTS[language]
    data = text.encode(encoding)
    assert data.decode(guessed_encoding(data, 0)) == text
    assert not is_mostly_utf8(data)


@pytest.mark.parametrize(("language", "encoding"), STORED)
def test_the_guess_is_the_same_far_into_a_file_and_on_a_long_line(language, encoding):
    before = b"plain text\n" * 10_000
    data = before + TEXTS[language].encode(encoding)
    found = guessed_encoding(data, len(before))
    assert data.decode(found).endswith(TEXTS[language])
    assert guessed_encoding(data.replace(b"\n", b" "), len(before)) == found
    assert guessed_encoding(before + data[len(before) :] * 500, len(before)) == found


def test_a_guess_from_the_first_lines_of_a_korean_text_reads_all_of_it():
    """cp949 has 8,822 syllables that euc-kr lacks, and the first of them may come late."""
    text = TEXTS["Korean"] * 1000 + "똠방각하\n"
    data = text.encode("cp949")
    assert data.decode(guessed_encoding(data, 0)) == text


@pytest.mark.parametrize("language", set(TEXTS) - {"English"})
def test_damaged_utf_8_is_mostly_utf_8(language):
    data = TEXTS[language].encode()
    assert is_valid(data, "utf-8") and not is_valid(b"\xff" + data, "utf-8")
    assert is_mostly_utf8(b"\xff" + data)
    assert is_mostly_utf8(data[: len(data) // 2] + data[len(data) // 2 + 1 :])
    assert guessed_encoding(data, 0) == "utf-8"


def test_a_few_words_are_enough_for_russian_but_capitals_are_not_taken_for_another_encoding():
    for encoding in ("cp1251", "koi8-r", "cp866"):
        assert guessed_encoding("Сегодня хорошая погода\n".encode(encoding), 0) == encoding
    assert guessed_encoding(TEXTS["Russian"].upper().encode("cp1251"), 0) in (None, "cp1251")


def test_one_letter_in_a_word_of_ascii_is_enough_for_western_europe_only():
    assert guessed_encoding(b"caf\xe9\n", 3) == "cp1252"
    assert guessed_encoding(b"don\x92t\n", 3) == "cp1252"
    assert guessed_encoding(b"\xe9\xe9\xe9\n", 0) is None  # it would be Cyrillic as well
    assert guessed_encoding(b"\xcd\xd1\xd2\n", 0) is None
    assert guessed_encoding(b"ab\xff\n", 2) is None
    assert guessed_encoding(b"na\xc3ve\n", 2) is None  # a capital within a word: half of a letter in UTF-8


@pytest.mark.parametrize("allowed", [range(256), range(128, 256), range(32, 256), b"ab \n\xff\xfe\x80\x90\xd0"])
def test_of_random_bytes_nothing_is_guessed(allowed):
    draw = random.Random(0)
    samples = [bytes(draw.choice(allowed) for _ in range(300)) for _ in range(100)]
    assert {guessed_encoding(sample, 0) for sample in samples} == {None}


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_nul_bytes_show_utf_16_and_utf_32_in_any_language(language, encoding):
    assert wide_encoding(TEXTS[language].encode(encoding)) == encoding
    assert wide_encoding((TEXTS[language] + "\U0001f600").encode(encoding)) == encoding


@pytest.mark.parametrize(
    "data", [b"", b"a\0b\0", bytes(100), b"some plain text with\0one NUL" * 3, b"a\0b\0\0\0c\0\0" * 9]
)
def test_other_nul_bytes_show_nothing(data):
    assert wide_encoding(data) is None


@pytest.mark.parametrize(
    ("encoding", "line"),
    [
        ("koi8-r", "РУССКИЙ ЯЗЫК ЯВЛЯЕТСЯ ОДНИМ ИЗ ВОСТОЧНОСЛАВЯНСКИХ"),
        ("cp1251", "РУССКИЙ ЯЗЫК ЯВЛЯЕТСЯ ОДНИМ ИЗ ВОСТОЧНОСЛАВЯНСКИХ"),
        ("mac_cyrillic", "Русский язык является одним из восточнославянских языков, Москва"),
        ("mac_cyrillic", "русский язык является одним из восточнославянских языков"),
        ("cp1251", "русский язык является одним из восточнославянских языков"),
        ("koi8-u", "Українська мова є державною мовою України, її вживають мільйони людей у світі"),
        ("cp1257", "Latviešu valoda ir dzimtā valoda apmēram cilvēkiem, galvenokārt Latvijā"),
        ("cp1257", "Lietuvių kalba yra viena iš dviejų gyvų baltų kalbų ir valstybinė kalba"),
        ("cp1252", "It cost £100 in all and £5 more for the dog"),
    ],
)
def test_capitals_and_neighbours_of_other_languages(encoding: str, line: str) -> None:
    data = f"{line}\n".encode(encoding) * 5
    found = guessed_encoding(data, next(i for i, byte in enumerate(data) if byte > 127))
    assert found is not None and data.decode(found) == f"{line}\n" * 5


@pytest.mark.parametrize("language", TEXTS)
def test_utf_16_in_the_other_byte_order_is_noticed_in_any_language(language: str) -> None:
    orders = ["utf-16-le", "utf-16-be"]
    for encoding, other in (orders, orders[::-1]):
        for mark in ("", "\ufeff"):
            data = (mark + TEXTS[language]).encode(encoding)
            assert other_byte_order(data, encoding) is None
            assert other_byte_order(data, other) == encoding
            assert other_byte_order(data, "utf-16") is None  # its mark decides
