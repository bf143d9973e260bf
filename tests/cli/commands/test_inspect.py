"""pairloom inspect, and --tokenize in the commands that read text."""

import json

import pytest

TEXT = "".join(f"The {a} sleeps in the {b}\n" for a in ("Cat", "DOG") for b in ("barn,", "house!")) * 9


@pytest.fixture
def text(tmp_path):
    (tmp_path / "c.txt").write_text(TEXT)
    return tmp_path / "c.txt"


def test_inspect_shows_lines_facts_counts_and_the_next_command(output, text):
    shown = output("inspect", text)
    assert "The first lines as words:\n  The | Cat | sleeps | in | the | barn,\n" in shown
    assert "36 lines (0 without words), 216 tokens, 8 different words" in shown
    assert "scripts    Latin 100.0%" in shown
    assert "min_count  words kept  of all tokens\n1          8           100.0%\n" in shown
    assert "Punctuation is part of words, for example 'barn,'" in shown
    assert shown.endswith("c.txt -o vectors.loom --tokenize words --epochs 50 --sample 0 --min-count 1\n")


def test_inspect_as_json_is_the_same_for_programs(output, text):
    found = json.loads(output("inspect", text, "--tokenize", "words", "--json"))
    assert found["words"] == 7 and found["tokenize"] == "words" and found["whole"] and found["wrong"] == []


def test_control_characters_are_made_visible(output, tmp_path):
    (tmp_path / "c.txt").write_text("a \x1b[31mred word\n")
    assert "\x1b" not in output("inspect", tmp_path / "c.txt")


def test_vocab_and_phrases_read_by_the_rule(output, text):
    assert output("vocab", text, "--tokenize", "words", "--min-count", "18").splitlines() == [
        "the 72", "in 36", "sleeps 36", "barn 18", "cat 18", "dog 18", "house 18",
    ]  # fmt: skip
    assert "sleeps_in" in output("phrases", text, "--tokenize", "words", "--threshold", "0.1", "--min-count", "2")


def test_near_similarity_and_analogy_find_words_as_the_text_spells_them(output, text, tmp_path):
    model = tmp_path / "m.loom"
    output("train", text, "-o", model, "--tokenize", "words", "--min-count", 1, "--dim", 4, "--epochs", 1, "--quiet")
    assert output("near", model, "DOG,", "-n", "1").startswith("DOG,\n")
    asked, spelt = (json.loads(output("near", model, word, "--json")) for word in ("DOG,", "dog"))
    assert asked["near"] == spelt["near"]
    assert output("similarity", model, "Cat", "DOG,") == output("similarity", model, "cat", "dog")
    assert output("analogy", model, "Cat", "barn", "Dog").startswith("cat : barn = dog :")
    assert "text.tokenize            words" in output("info", model)
