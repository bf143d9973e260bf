"""Given pairs are read the same from lines, tables and tuples, and errors name the line."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pairloom
from pairloom.errors import CorpusTypeError, InputError
from pairloom.pairs.pair_reading import open_pairs
from tests.pairs.examples import PAIRS, write


def everything(source, threads=1, **options):
    """All pairs of a corpus as Python has them."""
    with open_pairs(source, **options) as corpus:
        found = []
        for chunk in corpus.chunks(threads):
            words, contexts = chunk.words.texts, chunk.contexts.texts
            weights = [1.0] * len(chunk.w) if chunk.weights is None else chunk.weights.tolist()
            found += [(words[w], contexts[c], n) for w, c, n in zip(chunk.w, chunk.c, weights, strict=True)]
        return found


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9).filter(
    lambda name: name.split() == [name] and name[0] != "\ufeff"  # a byte order mark, at the beginning of a file
)
weights = st.sampled_from(
    ["", "1", "0", "2.5", "1e3", "0.1", "+7", "3.", ".5", "1e-50", "00012", "123456.789012345678901"]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(names, names, weights), max_size=12), st.sampled_from([" ", "\t", "  \t", "\u2003"]))
def test_the_kernel_reads_lines_as_python_does(tmp_path_factory, lines, separator):
    path = tmp_path_factory.mktemp("pairs") / "p.txt"
    path.write_text("".join(separator.join(filter(None, line)) + "\n" for line in lines), encoding="utf-8", newline="")
    expected = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        word, context, weight = ([*line.split(), "1", "1"])[:3] if line.split() else ("", "", "")
        if word:
            expected.append((word, context, float(np.float32(weight))))
    assert everything(path) == expected


def test_files_of_any_packing_and_lists_give_the_same(tmp_path):
    plain = write(tmp_path / "p.txt", PAIRS)
    packed = tmp_path / "p.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    expected = [(w, c, 1.0) for w, c in PAIRS]
    assert (
        everything(plain) == everything(packed, threads=3) == everything(PAIRS) == everything(iter(PAIRS)) == expected
    )


def test_a_table_that_grows_within_a_block_loses_nothing(tmp_path):
    pairs = [(f"w{i}", f"c{i // 2}") for i in range(30_000)]
    assert everything(write(tmp_path / "p.txt", pairs)) == [(w, c, 1.0) for w, c in pairs]


def test_empty_lines_crlf_and_a_last_line_without_end_are_fine(tmp_path):
    path = tmp_path / "p.txt"
    path.write_bytes(b"\xef\xbb\xbfa b\r\n\r\n  \r\nc d 2\r\ne f")
    assert everything(path) == [("a", "b", 1.0), ("c", "d", 2.0), ("e", "f", 1.0)]


def test_python_may_use_words_with_spaces():
    assert everything([("new york", "big apple", 0.5)]) == [("new york", "big apple", 0.5)]


def test_parquet_columns_are_pairs(tmp_path):
    core, io = pytest.importorskip("arro3.core"), pytest.importorskip("arro3.io")
    text = core.DataType.string()
    columns = {"n": core.Array.from_numpy(np.array([1.0, 2.5]))}
    columns |= {"item": core.Array(["a", "b"], text), "place": core.Array(["x", "y"], text)}
    io.write_parquet(core.Table.from_pydict(columns), tmp_path / "p.parquet")
    path = tmp_path / "p.parquet"
    assert everything(path, columns=["item", "place", "n"]) == [("a", "x", 1.0), ("b", "y", 2.5)]
    assert everything(path, columns=["place", "item"]) == [("x", "a", 1.0), ("y", "b", 1.0)]
    with pytest.raises(InputError, match=r"has the columns n, item, place\. Name two or three of them in columns="):
        everything(path, columns=["item", "nowhere"])
    assert len(everything([path, path], columns=["item", "place"])) == 4
    damaged = tmp_path / "damaged.parquet"
    data = bytearray(path.read_bytes())
    data[8:60] = bytes(52)
    damaged.write_bytes(data)
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        everything(damaged, columns=["item", "place"])


GOOD = "a b\n" * 3
LINE = "Each line must read like: cat sleeps, or with a weight: cat sleeps 2.5"
WEIGHT = "Weights are counts, from 0 to 1,000,000. If they are larger, divide all of them by the same number."


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("alone", f"line 4: 'alone' has no context. {LINE}"),
        ("a b 1 d", f"line 4: 'a b 1 d' has 4 fields. {LINE}"),
        ("a\t\tb\tc\td\te", f"line 4: 'a\\t\\tb\\tc\\td\\te' has 5 fields. {LINE}"),
        ("a b many", f"line 4: the weight 'many' is not a number. {LINE}"),
        ("a b -1", f"line 4: a pair cannot have the weight -1. {WEIGHT}"),
        ("a b nan", f"line 4: a pair cannot have the weight nan. {WEIGHT}"),
        ("a b inf", f"line 4: a pair cannot have the weight inf. {WEIGHT}"),
        ("a b 1e300", f"line 4: a pair cannot have the weight 1e300. {WEIGHT}"),
        ("a b 1000001", f"line 4: a pair cannot have the weight 1000001. {WEIGHT}"),
        ("a " + "b" * 1001, "line 4: a word is longer than 1000 bytes. Shorten it."),
    ],
)
def test_a_line_that_is_no_pair_is_named(tmp_path, line, message):
    path = tmp_path / "p.txt"
    path.write_text(f"{GOOD}{line}\n{GOOD}")
    with pytest.raises(InputError) as error:
        everything(path)
    assert str(error.value) == f"{path}, {message}"


def test_the_line_is_that_of_its_own_file(tmp_path):
    write(tmp_path / "1.txt", [("a", "b")] * 300_000)
    (tmp_path / "2.txt").write_text("a b\n" * 200_000 + "alone\n")
    with pytest.raises(InputError, match=r"2\.txt, line 200001: 'alone' has no context"):
        everything(tmp_path, threads=2)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("a", "b"), "ab"], "pairs[1] is 'ab', which is not a pair. Give (word, context) or (word, context, weight)."),
        (
            [("a", "b"), ("a",)],
            "pairs[1] is ('a',), which is not a pair. Give (word, context) or (word, context, weight).",
        ),
        ([("a", 7)], "The context of pairs[0] is 7, of type int. Words are strings: use str()."),
        ([("", "b")], "The word of pairs[0] is an empty string. Leave empty words out: [w for w in words if w]."),
        ([("a", "b", "3")], "The weight of pairs[0] is '3', which is not a number. Give an int or a float."),
        ([("a", "b", True)], "The weight of pairs[0] is True, which is not a number. Give an int or a float."),
        ([("a", "b", -2)], f"pairs[0]: a pair cannot have the weight -2. {WEIGHT}"),
        ([("a", "b", float("nan"))], f"pairs[0]: a pair cannot have the weight nan. {WEIGHT}"),
        ({("a", "b")}, "A set has no fixed order, so the result could not be reproduced. Give a list of pairs."),
        (7, "Pairs cannot be of type int. Give a path, or (word, context) tuples."),
    ],
)
def test_what_is_no_pair_in_python_is_named(pairs, message):
    with pytest.raises((InputError, CorpusTypeError)) as error:
        everything(pairs if isinstance(pairs, list | set | int) else list(pairs))
    assert str(error.value) == message


def test_columns_are_those_of_a_table():
    with pytest.raises(
        CorpusTypeError, match=r"^columns= is for Parquet files, and the pairs are a list\. Leave it out\.$"
    ):
        pairloom.train_pairs([("a", "b")], columns=["a", "b"])


def test_a_line_longer_than_any_pair_is_refused(tmp_path):
    (tmp_path / "pairs.txt").write_text("a b\n" + "c " * 3_000_000)
    with pytest.raises(InputError, match=r"pairs\.txt, line 2: "):
        pairloom.train_pairs(tmp_path / "pairs.txt")


def test_a_word_of_a_pair_has_a_largest_length():
    with pytest.raises(InputError, match=r"^The context of pairs\[1\] is longer than \d+ bytes\. Shorten it\.$"):
        pairloom.train_pairs([("a", "b"), ("a", "x" * 100_000)])


def test_pairs_in_memory_have_no_file_that_could_change():
    open_pairs([("a", "b")]).check_unchanged()


def test_what_is_no_pair_in_a_table_is_named_with_its_file(tmp_path):
    arro3 = pytest.importorskip("arro3.core")
    io = pytest.importorskip("arro3.io")
    table = arro3.Table.from_pydict(
        {"w": arro3.Array(["a", ""], arro3.DataType.utf8()), "c": arro3.Array(["b", "c"], arro3.DataType.utf8())}
    )
    io.write_parquet(table, str(tmp_path / "pairs.parquet"))
    with pytest.raises(
        InputError,
        match=r"pairs\.parquet, whose rows are pairs\[0\], pairs\[1\], \.\.\.: The word of pairs\[1\] is an empty",
    ):
        pairloom.train_pairs(tmp_path / "pairs.parquet")


def test_columns_of_what_is_no_table_are_refused(tmp_path):
    (tmp_path / "pairs.txt").write_text("a b\n")
    with pytest.raises(
        InputError, match=r"^columns= is for Parquet files, and .*pairs\.txt is not one\. Leave it out\.$"
    ):
        pairloom.train_pairs(tmp_path / "pairs.txt", columns=["a", "b"])


def test_a_pair_with_a_megabyte_of_space_behind_it_is_refused(tmp_path):
    (tmp_path / "pairs.txt").write_text("a b\nc d" + " " * 3_000_000)
    with pytest.raises(InputError, match=r"pairs\.txt, line 2: far too long for a pair\."):
        pairloom.train_pairs(tmp_path / "pairs.txt")
