"""The words of a file: found among its bytes, decoded when they are asked for."""

import pickle

import numpy as np
import pytest

from pairloom.vectors.names import Names, PackedWords
from pairloom.vectors.vectors import Vectors

WORDS = ["the", "eht", "naïve", "猫", "猫猫", "a", "\x00", "th", "thee", "word10", "word01", " space "]


def packed(words):
    encoded = [word.encode() for word in words]
    offsets = np.concatenate(([0], np.cumsum([len(word) for word in encoded], dtype=np.int64)))
    return PackedWords(np.frombuffer(b"".join(encoded), np.uint8), offsets.astype(np.int64))


def test_each_word_is_found_among_the_bytes_and_no_other():
    words = packed(WORDS)
    assert [words.row(word) for word in WORDS] == list(range(len(WORDS)))
    assert [words.word(row) for row in range(len(WORDS))] == WORDS == words.strings()
    for other in ("", "he", "tha", "naive", "猫猫猫", "A", "word11", "\ud800", "theethe"):
        assert words.row(other) is None


@pytest.mark.parametrize("words", [WORDS, ["plain", "ascii"]])
def test_a_few_questions_decode_nothing_and_many_make_a_dictionary(words, monkeypatch):
    monkeypatch.setattr("pairloom.vectors.names._FEW_SEARCHES", 3)
    names = Names(packed(words))
    assert len(names) == len(words)
    for _ in range(3):
        assert names.row(words[-1]) == len(words) - 1 and names.word(0) == words[0]
    assert names._strings is None and names._rows is None
    assert names.row("nowhere") is None
    assert names._rows == {word: row for row, word in enumerate(words)}
    assert names.strings == words and names.word(1) == words[1]


def test_answers_are_the_same_from_bytes_and_from_strings():
    rows = np.random.default_rng(0).normal(size=(len(WORDS), 4))
    given, lazy = Vectors(WORDS, rows), Vectors(packed(WORDS), rows)
    assert len(lazy) == len(WORDS) and "猫" in lazy and "hund" not in lazy and 3 not in lazy
    assert lazy.most_similar("猫", topn=20) == given.most_similar("猫", topn=20)
    assert lazy.get_index("a") == 5 and lazy.get_index("x", -1) == -1
    copied = pickle.loads(pickle.dumps(lazy))
    assert copied.words == WORDS and not copied.vectors.flags.writeable
    assert copied.most_similar("a") == given.most_similar("a")
