"""What `pairloom inspect` finds out about a text."""

import gzip

import pytest
from arro3.core import Array, DataType, RecordBatch
from arro3.io import write_parquet

from pairloom.config import TextOptions
from pairloom.errors import InputError
from pairloom.preparing.inspection import report
from pairloom.preparing.inspection.report import inspect_corpus
from tests.method.tokens.test_unsegmented import UNSEGMENTED


@pytest.fixture
def inspected(tmp_path):
    def inspect(text: str, name: str = "c.txt", **options):
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return inspect_corpus(path, TextOptions(**options))

    return inspect


def whats(found):
    return " ".join(finding["what"] for finding in found["wrong"])


def test_it_counts_lines_tokens_and_what_each_min_count_keeps(inspected):
    found = inspected("a b b c c c\n\na a a a\n" * 10)
    assert (found["lines"], found["empty_lines"], found["tokens"], found["words"]) == (30, 10, 100, 3)
    assert found["first_lines"][:2] == [["a", "b", "b", "c", "c", "c"], ["a", "a", "a", "a"]]
    assert found["frequent"] == [["a", 50], ["c", 30], ["b", 20]]
    kept = {row["min_count"]: (row["words"], row["tokens"]) for row in found["kept"]}
    assert kept == {1: (3, 1.0), 2: (3, 1.0), 5: (3, 1.0), 10: (3, 1.0), 20: (3, 1.0), 50: (1, 0.5)}
    assert found["whole"] and found["format"] == "plain text" and found["wrong"] == []
    assert found["next"].endswith("c.txt -o vectors.loom --epochs 50 --sample 0 --min-count 1")


def test_scripts_are_shares_of_letters(inspected):
    assert inspected("abc где 123 北\n")["scripts"] == {"Latin": 0.4286, "Cyrillic": 0.4286, "Han": 0.1429}


def test_scripts_are_those_of_all_files(tmp_path):
    """The first file is longer than a block, so a look at the beginning alone would show Latin only."""
    (tmp_path / "a.txt").write_text("latin words\n" * 200_000)
    (tmp_path / "b.txt").write_text("где\n" * 50_000)
    found = inspect_corpus(tmp_path, TextOptions())["scripts"]
    assert found == {"Latin": 0.9302, "Cyrillic": 0.0698}


def test_a_large_text_is_read_in_part_and_its_tokens_are_estimated(inspected, monkeypatch):
    monkeypatch.setattr(report, "SAMPLE_BYTES", 1 << 20)
    found = inspected("the cat sat on the mat by the door today\n" * 80_000)
    assert not found["whole"] and found["bytes_read"] == 1 << 20 < found["bytes"]
    assert abs(found["tokens_estimated"] - 800_000) < 1_000 and found["tokens"] < 300_000
    assert "--epochs" not in found["next"]


def test_punctuation_asks_for_words_and_then_it_is_gone(inspected):
    found = inspected("The cat, the dog.\n" * 9)
    assert "Punctuation is part of words, for example 'cat,'" in whats(found)
    assert "--tokenize words" in found["next"]
    again = inspected("The cat, the dog.\n" * 9, tokenize="words")
    assert again["wrong"] == [] and again["first_lines"][0] == ["the", "cat", "the", "dog"]
    assert "--tokenize words" in again["next"]


def test_unsegmented_text_asks_for_icu(inspected):
    found = inspected(f"{UNSEGMENTED['Chinese']}\n" * 20)
    assert whats(found) == "Part of it is in a language that writes no spaces between words."
    assert "--tokenize icu" in found["next"]
    assert "--tokenize icu" in inspected(f"{UNSEGMENTED['Thai']}\n" * 20, tokenize="words")["next"]


def test_markup_numbers_capitals_and_odd_lines_are_noticed(inspected):
    assert "It has markup, for example '<b>'" in whats(inspected("some <b>bold</b> words here\n" * 9))
    assert "no letter" in whats(inspected("1 2 3.5 a\n" * 9))
    capitals = inspected("ALL OF THIS IS LOUD\n" * 9)
    assert "capitals" in whats(capitals) and "--lowercase" in capitals["next"]
    assert "single word" in whats(inspected("word\nother\n" * 9))
    assert "One line has 60,000 words" in whats(inspected("a b c " * 20_000))
    assert whats(inspected("")) == "It has no words." and inspected("")["next"] is None


def test_another_format_is_named_with_the_option_for_its_text(inspected):
    found = inspected('{"text": "the cat"}\n' * 9, "c.jsonl")
    assert found["format"] == "JSON, an object on each line" and found["next"] is None
    assert "--column text" in found["wrong"][0]["advice"] and len(found["wrong"]) == 1
    assert inspected('{"text": "the cat"}\n' * 9, "c.jsonl", as_text=True)["format"] == "plain text"


def test_a_file_of_another_format_beside_others_is_named(inspected, tmp_path):
    inspected("one two three\n" * 50, "a.txt")
    inspected('{"text": "a b"}\n' * 5, "b.jsonl")
    both = [tmp_path / "a.txt", tmp_path / "b.jsonl"]
    found = inspect_corpus(both, TextOptions())
    assert found["format"] == "plain text and JSON, an object on each line" and found["next"] is None
    assert found["names"] == list(map(str, both))
    assert found["wrong"][0]["what"].startswith(f"{both[1]} is JSON")
    assert found["wrong"][0]["advice"] == "Leave it out: all files of a training have one format."
    two = inspect_corpus([both[1], both[1]], TextOptions())
    assert two["format"] == "JSON, an object on each line" and "--column text" in two["wrong"][0]["advice"]


def test_the_next_command_has_the_options_that_were_given(inspected):
    found = inspected("one two three\n" * 50, errors="replace", max_sentence=500, as_text=True, encoding="latin-1")
    assert "--encoding latin-1 --errors replace --max-sentence 500 --as-text" in found["next"]


def test_columns_are_read_as_training_reads_them(inspected):
    found = inspected('{"text": "the cat", "w": ["a b", "c"]}\n' * 9, "c.jsonl", column="text")
    assert found["format"] == "the column text" and found["tokens"] == 18
    assert "--column text" in found["next"]
    found = inspected('{"text": "the cat", "w": ["a b", "c"]}\n' * 9, "c.jsonl", column="w")
    assert found["first_lines"][0] == ["a b", "c"] and found["scripts"] == {"Latin": 1.0}
    found = inspected("s,i\n" + "1,a\n2,b\n" * 9, "c.csv", session="s", item="i")
    assert found["lines"] == 2 and "--session s --item i" in found["next"]


def test_items_get_their_preset_and_no_advice_for_words(inspected):
    found = inspected("12 7 33 12\n8 7\n" * 9)
    assert whats(found) == "Nearly all words are numbers, as items of sessions and nodes of walks are."
    assert "--preset graph" in found["wrong"][0]["advice"]
    assert found["next"].endswith("-o vectors.loom --preset items")
    table = "s,i\n" + "1,12\n1,7\n2,33\n" * 9
    found = inspected(table, "c.csv", session="s", item="i", tokenize="words")
    assert found["wrong"] == [] and found["next"].endswith("--session s --item i --tokenize words --preset items")


def test_parquet_is_refused_with_its_columns(tmp_path):
    path = tmp_path / "c.parquet"
    write_parquet(RecordBatch.from_pydict({"text": Array(["a"], DataType.string())}), path)
    with pytest.raises(InputError, match="--column text"):
        inspect_corpus(path, TextOptions())


def test_compressed_text_is_read_and_a_wrong_encoding_is_an_error_with_the_guess(inspected, tmp_path):
    assert inspected("the cat\n" * 9, "c.txt.gz")["tokens"] == 18
    (tmp_path / "latin.txt").write_bytes("le garçon a mangé une crêpe à l'été\n".encode("latin-1") * 9)
    with pytest.raises(InputError, match="--encoding cp1252"):
        inspect_corpus(tmp_path / "latin.txt", TextOptions())
