"""Files of other programs: what they are is found out from their content, what is in them comes back to the bit."""

import gzip
import re
import subprocess
import sys
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import pairloom
from pairloom.errors import ConfigError, InputError, UnknownWordError, VectorsWarning
from pairloom.formats import read_binary, read_text
from pairloom.formats.detect import format_of
from pairloom.formats.rows import new_rows
from pairloom.formats.write_word2vec import write_binary, write_text
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors

TEXT = "3 2\nthe 1 -0.5\nnaïve 0.1 1e-7\n猫 3e38 0\n".encode()
ROWS = np.array([[1, -0.5], [0.1, 1e-7], [3e38, 0]], "<f4")


def binary(end=b"\n"):
    words = [word.encode() for word in ("the", "naïve", "猫")]
    return b"3 2\n" + b"".join(word + b" " + row.tobytes() + end for word, row in zip(words, ROWS, strict=True))


def write(path, raw):
    path.write_bytes(raw)
    return path


def refusal(path, **options):
    """The one line that a file is refused with, without its name."""
    with pytest.raises(InputError) as refused:
        pairloom.load(path, **options)
    message = str(refused.value)
    assert "\n" not in message
    assert message.startswith(f"{path} cannot be loaded: ")
    return message.removeprefix(f"{path} cannot be loaded: ")


# --- What a file is


GOOD = {
    "text": TEXT,
    "text with trailing spaces, as word2vec.c and fastText write it": TEXT.replace(b"\n", b" \n").replace(
        b"2 \n", b"2\n"
    ),
    "text of Windows": TEXT.replace(b"\n", b"\r\n"),
    "text with tabs": TEXT.replace(b" ", b"\t"),
    "text with blank lines at its end": TEXT + b"\n \r\n",
    "text after a byte order mark": b"\xef\xbb\xbf" + TEXT,
    "GloVe": TEXT.removeprefix(b"3 2\n"),
    "GloVe with blank lines at its end": TEXT.removeprefix(b"3 2\n") + b"\n\n",
    "binary": binary(),
    "binary without line feeds": binary(b""),
}


@pytest.mark.parametrize("kind", GOOD)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("name", ["vectors.bin", "vectors.txt", "vectors.loom", "vectors"])
def test_a_file_is_what_its_content_is_whatever_its_name(tmp_path, kind, pack, name):
    loaded = pairloom.load(write(tmp_path / name, pack(GOOD[kind])))
    assert loaded.words.words == ["the", "naïve", "猫"]
    assert loaded.words.vectors.tobytes() == ROWS.tobytes()
    assert loaded.words.counts.tolist() == [0, 0, 0]


def test_a_native_file_is_one_also_under_the_name_of_another(tmp_path):
    vectors = Vectors(["a", "b"], [[1, 2], [3, 4]], [9, 1])
    Embedding(words=vectors, contexts=vectors, record={"seed": 1}).save(tmp_path / "model.loom")
    (tmp_path / "model.loom").rename(tmp_path / "model.bin")
    loaded = pairloom.load(tmp_path / "model.bin")
    assert (loaded.record, loaded.contexts.words, loaded.words.counts.tolist()) == ({"seed": 1}, ["a", "b"], [9, 1])
    first = pairloom.load(tmp_path / "model.bin", limit=1)
    assert (first.words.words, first.contexts.words, first.record) == (["a"], ["a"], {"seed": 1})


def test_the_words_before_the_numbers_may_have_spaces_in_them(tmp_path):
    path = write(tmp_path / "glove.txt", b". . . 1 2\nat name 3 4\n5 6 7 8\na 9 10\n")
    loaded = pairloom.load(path)
    assert loaded.words.words == [". . .", "at name", "5 6", "a"]
    assert loaded["5 6"].tolist() == [7, 8]


def test_a_file_of_another_program_has_words_and_no_contexts(tmp_path):
    loaded = pairloom.load(write(tmp_path / "v.txt", TEXT))
    assert len(loaded.contexts) == 0
    assert loaded.similarity("the", "the") == pytest.approx(1)
    with pytest.raises(InputError, match="these vectors hold no contexts"):
        loaded.probability("the", "the")
    with pytest.raises(UnknownWordError, match="'the' cannot be looked up: there are no vectors here"):
        loaded.contexts.most_similar("the")
    loaded.save(tmp_path / "v.loom")
    assert pairloom.load(tmp_path / "v.loom").words.vectors.tobytes() == ROWS.tobytes()


@pytest.mark.parametrize("kind", GOOD)
@pytest.mark.parametrize("limit", [1, 2, 3, 99])
def test_a_limit_takes_the_first_rows(tmp_path, kind, limit):
    loaded = pairloom.load(write(tmp_path / "v", GOOD[kind]), limit=limit)
    assert loaded.words.words == ["the", "naïve", "猫"][:limit]
    assert loaded.words.vectors.tobytes() == ROWS[:limit].tobytes()


LENIENT = {
    "text without a last line end": TEXT.rstrip(),
    "GloVe without a last line end": TEXT.removeprefix(b"3 2\n").rstrip(),
    "text with a space in a word": TEXT.replace(b"the", b"t e"),
    "binary with a line feed after some rows": binary().replace("\n猫".encode(), "猫".encode()),
    "binary with line feeds at its end": binary() + b"\n\n",
    "binary with a line feed after its last row alone": binary(b"") + b"\n",
}


@pytest.mark.parametrize("kind", LENIENT)
def test_what_looks_damaged_and_may_be_whole_is_read_if_that_is_asked_for(tmp_path, kind):
    path = write(tmp_path / "v", LENIENT[kind])
    refusal(path)
    loaded = pairloom.load(path, lenient=True)
    assert loaded.words.words == ["t e" if b"t e" in LENIENT[kind] else "the", "naïve", "猫"]
    assert loaded.words.vectors.tobytes() == ROWS.tobytes()


def test_a_row_alone_may_end_in_a_line_feed_or_not(tmp_path):
    for end in (b"", b"\n"):
        raw = b"1 2\nthe " + ROWS[0].tobytes() + end
        assert pairloom.load(write(tmp_path / "v", raw)).words.words == ["the"]


@pytest.mark.parametrize("raw", [TEXT[:-9], binary()[:-5]])
def test_what_comes_after_the_limit_is_not_looked_at(tmp_path, raw):
    assert len(pairloom.load(write(tmp_path / "v", raw), limit=2)) == 2
    with pytest.raises(InputError):
        pairloom.load(tmp_path / "v")


@pytest.mark.parametrize("limit", [0, -1, 1.5, "3", True])
def test_a_limit_that_is_no_number_of_rows_is_refused(tmp_path, limit):
    with pytest.raises(ConfigError, match=r"is not a number of rows\. Use 1 or more"):
        pairloom.load(write(tmp_path / "v", TEXT), limit=limit)


def test_a_format_can_be_named_and_a_wrong_one_is_refused(tmp_path):
    ambiguous = write(tmp_path / "one.txt", b"7 2\n8 3\n")  # the words 7 and 8, or seven rows of two numbers
    assert pairloom.load(ambiguous, format="glove").words.words == ["7", "8"]
    with pytest.raises(InputError, match="7 rows of 2 numbers"):
        pairloom.load(ambiguous)
    with pytest.raises(
        ConfigError, match=r"format='pickle' cannot be read\. Use one of loom, bin, text, glove, fasttext or parq"
    ):
        pairloom.load(ambiguous, format="pickle")
    with pytest.raises(ConfigError, match="errors='lenient' is unknown"):
        pairloom.load(ambiguous, errors="lenient")


def test_a_header_is_not_read_as_a_word_of_glove(tmp_path):
    path = write(tmp_path / "v.vec", b"2 3\na 1 2 3\nb 4 5 6\n")
    with pytest.raises(InputError, match=r"the header of word2vec's text format: load it as text\."):
        pairloom.load(path, format="glove")


def test_binary_read_as_text_and_text_read_as_binary_are_told_apart(tmp_path):
    text, raw = write(tmp_path / "a", TEXT), write(tmp_path / "b", binary())
    assert refusal(text, format="bin").startswith("its rows are text, not binary")
    assert refusal(raw, format="text").startswith("its rows are binary, not text")
    assert refusal(raw, format="fasttext").startswith("it begins with ")
    assert refusal(text, format="loom").startswith("bytes 0 to 7 announce a header")
    assert refusal(raw, format="glove").startswith("line 2 ")


# --- Round trips


words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda word: word.split() == [word])
floats = st.floats(width=32, allow_nan=False, allow_infinity=False)
tables = st.integers(2, 5).flatmap(
    lambda dim: st.dictionaries(words, st.lists(floats, min_size=dim, max_size=dim), min_size=1, max_size=6)
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example({"1": [1.0, 2.0], "2": [3.0, 4.0]})
@example({"\x00": [1e-45, -0.0], "\ufeff": [3.4e38, 1.0]})
@given(tables)
def test_what_is_written_is_what_is_read_for_any_words_and_any_float32(tmp_path, rows):
    vectors = Vectors(rows, list(rows.values()))
    write_text(vectors, tmp_path / "text")
    write_text(vectors, tmp_path / "glove", header=False)
    write_binary(vectors, tmp_path / "bin")
    write_binary(vectors, tmp_path / "bare", newline=False)
    Embedding.of_words(vectors).save(tmp_path / "v.loom")
    for name in ("text", "glove", "bin", "bare", "v.loom"):
        loaded = pairloom.load(tmp_path / name)
        assert loaded.words.words == list(rows), name
        assert loaded.words.vectors.tobytes() == vectors.vectors.tobytes(), name


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(words, st.lists(floats, min_size=1, max_size=1), min_size=1, max_size=6))
def test_rows_of_one_number_make_the_round_trip_where_the_format_is_named(tmp_path, rows):
    vectors = Vectors(rows, list(rows.values()))
    write_text(vectors, tmp_path / "text")
    write_text(vectors, tmp_path / "glove", header=False)
    write_binary(vectors, tmp_path / "bin")
    for name in ("text", "glove"):
        loaded = pairloom.load(tmp_path / name, format=name)
        assert (loaded.words.words, loaded.words.vectors.tobytes()) == (list(rows), vectors.vectors.tobytes())


def test_no_rows_are_none_whatever_blank_lines_come_after_them(tmp_path):
    for raw in (b"0 5\n", b"0 5\n\n", b"0 5\n \n\n"):
        assert len(pairloom.load(write(tmp_path / "v", raw), format="text").words) == 0


def test_blocks_are_put_together_wherever_they_are_cut(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    rows = {f"w{'x' * rng.integers(9)}{i}": rng.normal(size=3).astype(np.float32) for i in range(50)}
    vectors = Vectors(rows, np.array(list(rows.values())))
    write_text(vectors, tmp_path / "text")
    write_text(vectors, tmp_path / "glove", header=False)
    write_binary(vectors, tmp_path / "bin")
    write_binary(vectors, tmp_path / "bare", newline=False)
    for name in ("text", "glove"):
        write(tmp_path / name, (tmp_path / name).read_bytes() + b"\n \n\n")
    for size in (1, 2, 7, 64, 100, 1000):
        monkeypatch.setattr(read_text, "_BLOCK", size)
        monkeypatch.setattr(read_binary, "_BLOCK", size)
        for name in ("text", "glove", "bin", "bare"):
            for limit in (None, 1, 49, 50):
                loaded = pairloom.load(tmp_path / name, limit=limit)
                assert loaded.words.words == vectors.words[:limit]
                assert loaded.words.vectors.tobytes() == vectors.vectors[:limit].tobytes()


def test_a_large_file_takes_no_more_memory_than_its_matrix_and_its_words(tmp_path):
    rng = np.random.default_rng(0)
    vectors = Vectors([f"word{i}" for i in range(20_000)], rng.normal(size=(20_000, 200)).astype(np.float32))
    write_text(vectors, tmp_path / "large.vec")
    write_binary(vectors, tmp_path / "large.bin")
    pairloom.load(tmp_path / "large.vec")  # Numba's own memory is not the file's
    for name in ("large.vec", "large.bin"):
        tracemalloc.start()
        try:
            loaded = pairloom.load(tmp_path / name)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert loaded.words.vectors.tobytes() == vectors.vectors.tobytes()
        blocks = 6 * (2 << 20)  # one for each of two threads, read and parsed, and what is between
        assert peak < vectors.vectors.nbytes * 1.2 + 100 * len(vectors) + blocks


def test_a_small_file_does_not_wait_for_numba(tmp_path):
    path = write(tmp_path / "v.txt", TEXT)
    script = f"import sys, pairloom; pairloom.load({str(path)!r}); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], timeout=60).returncode == 0


# --- Words that are not text, words that are there twice


BROKEN = {
    "line 2": b"2 2\ncaf\xc3 1 2\nok 3 4\n",
    "line 1": b"caf\xc3 1 2\nok 3 4\n",
    "row 0 (byte 4)": b"2 2\ncaf\xc3 " + ROWS[0].tobytes() + b"\nok " + ROWS[1].tobytes() + b"\n",
}


@pytest.mark.parametrize(("where", "raw"), BROKEN.items())
def test_a_word_that_is_not_utf_8_is_refused_by_place_and_option_or_read_as_asked(tmp_path, where, raw):
    path = write(tmp_path / "cut", raw)
    assert refusal(path) == (
        f"the word of {where} is not UTF-8: b'caf\\xc3'. word2vec.c cuts long words within a letter. "
        "Load it with errors='replace' or errors='ignore' (pairloom convert --errors replace)."
    )
    assert pairloom.load(path, errors="replace").words.words == ["caf\ufffd", "ok"]
    assert pairloom.load(path, errors="ignore").words.words == ["caf", "ok"]


@pytest.mark.parametrize("raw", [b"5 2\na 1 2\nb 3 4\na 5 6\nb 7 8\nc 9 9\n", b"a 1 2\nb 3 4\na 5 6\nb 7 8\nc 9 9\n"])
def test_of_a_word_that_occurs_twice_the_first_row_counts_leniently_and_one_warning_counts_the_others(tmp_path, raw):
    path = write(tmp_path / "twice", raw)
    assert refusal(path) == (
        f"line {4 if raw.startswith(b'5') else 3} has the word 'a' of row 0 again. Load with lenient=True (pairloom "
        "convert --lenient) to keep the first row of each word."
    )
    with pytest.warns(VectorsWarning) as caught:
        loaded = pairloom.load(path, lenient=True)
    assert [str(warning.message) for warning in caught] == [
        "2 of 5 rows were left out, since their words have earlier rows; the first of them is 'a'."
    ]
    assert loaded.words.words == ["a", "b", "c"]
    assert loaded.words.vectors.tolist() == [[1, 2], [3, 4], [9, 9]]


def test_binary_words_that_occur_twice_are_left_out_too(tmp_path):
    raw = b"3 1\n" + b"".join(b"%b %b\n" % (w, np.float32(i).tobytes()) for i, w in enumerate([b"a", b"a", b"b"]))
    path = write(tmp_path / "twice", raw)
    assert refusal(path).startswith("row 1 (byte 11) has the word 'a' of row 0 again.")
    with pytest.warns(VectorsWarning, match="1 of 3 rows"):
        loaded = pairloom.load(path, lenient=True)
    assert (loaded.words.words, loaded.words.vectors.tolist()) == (["a", "b"], [[0], [2]])


def test_a_thousand_repeated_words_move_the_rows_after_them_up(tmp_path):
    names = [f"w{i % 9000}" for i in range(18_000)]
    rows = np.arange(18_000, dtype=np.float32).reshape(-1, 1)
    raw = b"18000 1\n" + b"".join(b"%b %b" % (w.encode(), r.tobytes()) for w, r in zip(names, rows, strict=True))
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        loaded = pairloom.load(write(tmp_path / "twice", raw), lenient=True)
    assert loaded.words.words == names[:9000]
    assert np.array_equal(loaded.words.vectors, rows[:9000])


# --- Files that are damaged or meant to do damage


HUGE = 10**12
DAMAGED = {
    b"": "it is empty. Get or make the file again.",
    b"\n\n": "its first bytes do not match any format that pairloom reads",
    b"hello world, this is text\n": "its first bytes do not match any format that pairloom reads",
    b"%d 300\nthe 1 2\n" % HUGE: "1,000,000,000,000 rows of 300 numbers, as its first line promises, take at least",
    b"3 %d\nthe 1 2\n" % HUGE: "3 rows of 1,000,000,000,000 numbers, as its first line promises, take at least",
    b"%d 2\nthe \x00\x01\x02\x03\xff\xff\xff\xff" % HUGE: "1,000,000,000,000 rows of 2 numbers",
    b"-5 10\nthe 1 2\n": "its first line promises -5 rows of 10 numbers.",
    b"5 -10\nthe 1 2\n": "its first line promises 5 rows of -10 numbers.",
    b"2 0\na\nb\n": "its first line promises 2 rows of 0 numbers.",
    TEXT[:-9]: "its last line, from byte 31 on, has no line feed, so its last number may be cut.",
    TEXT[:-1]: "its last line, from byte 31 on, has no line feed, so its last number may be cut.",
    TEXT[4:-1]: "its last line, from byte 27 on, has no line feed, so its last number may be cut.",
    TEXT[: TEXT.index("猫".encode())]: "it ends in row 2 of 3, after line 3. It was cut short: get or make it again.",
    TEXT[:10]: "3 rows of 2 numbers, as its first line promises, take at least 17 bytes, and there are at most 10.",
    TEXT.replace(b"3 2", b"2 2"): "it goes on in line 4, after the 2 rows that its first line promises.",
    TEXT.replace(b" 1 -0.5", b" 1 2 -0.5"): "line 2 (b'the 1 2 -0.5\\n') has more than a word and 2 numbers.",
    TEXT.replace(b" 1 -0.5", b" 1"): "line 2 (b'the 1\\n') has no word with 2 numbers after it.",
    TEXT.replace(b" -0.5", b" x"): "line 2 (b'the') has b'x' where a number belongs.",
    TEXT.replace(b" -0.5", b" 1_0"): "line 2 (b'the') has b'1_0' where a number belongs.",
    TEXT.replace(b" -0.5", b" nan"): "line 2 ('the') holds NaN, infinity or a number beyond float32.",
    TEXT.replace(b" -0.5", b" 1e39"): "line 2 ('the') holds NaN, infinity or a number beyond float32.",
    TEXT.replace("naïve".encode(), b""): "line 3 has no word.",
    TEXT.replace("naïve 0.1 1e-7".encode(), b""): "line 3 (b'\\n') has no word with 2 numbers after it.",
    TEXT[4:].replace("naïve 0.1 1e-7".encode(), b""): "line 2 (b'\\n') has no word with 2 numbers after it.",
    binary()[:-7]: "it ends in row 2 of 3, after 39 bytes. It was cut short: get or make it again.",
    binary()[:29]: "3 rows of 2 numbers, as its first line promises, take at least 30 bytes, and there are at most 29.",
    binary()[:-2]: "it ends in row 2 of 3, after 44 bytes.",
    binary()[:-1]: "it ends without the line feed of its last row, at byte 45.",
    binary(b"") + b"\n": "it goes on after the 3 rows that its first line promises, at byte 43.",
    binary() + b"more": "it goes on after the 3 rows that its first line promises, at byte 45.",
    binary() + b"\n" * 9: "it goes on after the 3 rows that its first line promises, at byte 45.",
    binary().replace(b"the ", b"\nthe "): "row 0 (byte 4) begins with a line feed, where none belongs",
    binary().replace("\n猫".encode(), "猫".encode()): "row 2 (byte 32) begins without a line feed, which row 1 has",
    binary(b"").replace("猫".encode(), "\n猫".encode()): (
        "row 2 (byte 31) begins with a line feed, which row 1 does not have"
    ),
    binary().replace("猫".encode(), "?\n猫".encode()): "the word of row 2 (byte 33) has a line feed in it",
    binary().replace(b"the ", b" "): "row 0 (byte 4) has no word.",
    b"0 %d\n" % HUGE: "its first line promises rows of 1,000,000,000,000 numbers, more than the limit of 1,048,576.",
    binary().replace(ROWS[0].tobytes(), np.array([np.nan, 1], "<f4").tobytes()): "row 0 (byte 4) ('the') holds NaN",
    binary().replace(ROWS[2].tobytes(), np.array([np.inf, 1], "<f4").tobytes()): "row 2 (byte 33) ('猫') holds NaN",
    b"9 1\n" + bytes([1, 200]) * 40_000: "the word of row 0 (byte 4) has no end.",
    gzip.compress(TEXT)[:-9]: "its gzip data is damaged or cut short.",
    gzip.compress(binary())[:20] + b"xxxx" + gzip.compress(binary())[24:]: "its gzip data is damaged or cut short.",
    b"\x80\x04\x95" + bytes(30): "it is a Python pickle, which could run any code",
    b"PK\x03\x04" + bytes(30): "it is a zip archive: unpack it",
    b"BZh91AY" + bytes(30): "it is packed by bzip2: unpack it",
    b"PAR1" + bytes(30): "it is a damaged Parquet file: get or make it again.",
    TEXT.decode().encode("utf-16"): "its first bytes do not match any format that pairloom reads",
    b"1 1\n" + b"x" * 60_000 + b"\n": "line 2 (b'xxx",
    b"1 1\n" + b"x" * 200_000: "it has a line of more than",
    b"2 1\nx 1\n" + b"x" * 5_000_000: "it has a line of more than",
}


@pytest.mark.parametrize(("raw", "message"), DAMAGED.items(), ids=lambda value: repr(value)[:30])
def test_a_damaged_file_is_refused_in_one_line_and_little_memory(tmp_path, raw, message):
    path = write(tmp_path / "damaged", raw)
    tracemalloc.start()
    try:
        found = refusal(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.startswith(message)
    assert len(found) < 600
    assert peak < 40 << 20


def test_without_verification_nan_is_loaded(tmp_path):
    path = write(tmp_path / "nan", TEXT.replace(b" -0.5", b" nan"))
    assert np.isnan(pairloom.load(path, verify=False)["the"][1])


def test_more_rows_than_there_is_memory_for_are_refused_with_the_way_out(tmp_path, monkeypatch):
    path = write(tmp_path / "v", TEXT)
    monkeypatch.setattr(np, "empty", lambda *_: np.zeros((2**60, 2**20)))  # more than any machine has
    assert refusal(path).endswith("Load only the first rows by limit= (pairloom convert --limit).")


def test_a_promise_within_a_packed_file_is_no_allocation(tmp_path):
    path = write(tmp_path / "bomb.gz", gzip.compress(b"%d 300\n" % HUGE + b"a " * 100))
    assert "rows of 300 numbers" in refusal(path)


@pytest.mark.parametrize("name", ["none.bin", "folder.txt", "nul\0.vec"])
def test_a_path_that_is_no_file_is_refused(tmp_path, name):
    (tmp_path / "folder.txt").mkdir()
    with pytest.raises(InputError, match=r"(cannot be read|is not a file).*Give the path of a file of vectors\."):
        pairloom.load(tmp_path / name)


def test_a_damaged_native_file_is_still_told_as_one(tmp_path):
    path = write(tmp_path / "model.loom", b"nonsense")
    assert refusal(path).startswith("bytes 0 to 7 announce a header")


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_have_a_format_or_are_refused(raw):
    from pairloom.errors import Fault

    try:
        assert format_of(raw) in ("loom", "bin", "text", "glove", "fasttext", "parquet")
    except Fault as fault:
        assert "\n" not in str(fault)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted(GOOD)), st.data())
def test_any_damage_gives_vectors_or_a_refusal_and_nothing_else(tmp_path, kind, data):
    raw = bytearray(GOOD[kind])
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
        raw = raw or bytearray(b" ")
    path = write(tmp_path / "any", bytes(raw))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VectorsWarning)
        try:
            loaded = pairloom.load(path)
            assert np.isfinite(loaded.words.vectors).all()
            assert len(set(loaded.words)) == len(loaded)
        except InputError as error:
            assert "\n" not in str(error)


def test_a_file_named_as_one_format_that_is_another_is_refused(tmp_path):
    path = write(tmp_path / "v", b"hello world, this is text\n")
    assert refusal(path, format="glove") == "its first line has no numbers after a word."
    assert refusal(path, format="text").startswith("it has no first line of two whole numbers. If it is GloVe's")
    assert refusal(path, format="bin").startswith("it has no first line of two whole numbers, as word2vec's binary")


def test_without_verification_nan_of_a_binary_file_is_loaded(tmp_path):
    raw = binary().replace(ROWS[0].tobytes(), np.array([np.nan, 1], "<f4").tobytes())
    assert np.isnan(pairloom.load(write(tmp_path / "nan", raw), verify=False)["the"][0])


def test_the_kernel_reads_what_python_reads_and_leaves_the_odd_rows_to_it(tmp_path, monkeypatch):
    raw = TEXT.replace(b"0.1 1e-7", b"0.1  1e-7 ")
    path, packed = write(tmp_path / "v.vec", raw), write(tmp_path / "v.vec.gz", gzip.compress(raw))
    monkeypatch.setattr(read_text, "_FEW_NUMBERS", 0)
    monkeypatch.setattr(read_text, "_KERNEL", 0)
    for loaded in (pairloom.load(path), pairloom.load(packed)):
        assert (loaded.words.words, loaded.words.vectors.tobytes()) == (["the", "naïve", "猫"], ROWS.tobytes())


@pytest.mark.parametrize("row", [b" 0" * 3000 + b"\n", b" " + bytes(12_000) + b"\n"])
def test_packed_vectors_that_unpack_to_far_more_than_vectors_can_are_refused(tmp_path, row):
    n = (8 << 20) // len(row)
    raw = b"%d 3000\n" % n + b"".join(b"%d%b" % (i, row) for i in range(n))
    assert "its gzip data unpacks to more than 16 times its" in refusal(write(tmp_path / "v.gz", gzip.compress(raw)))
    assert len(pairloom.load(write(tmp_path / "v", raw))) == n


def test_a_file_that_the_disk_cannot_give_is_refused(tmp_path, monkeypatch):
    path = write(tmp_path / "v", TEXT)

    def broken(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("pairloom.formats.opening.unpack", broken)
    with pytest.raises(InputError, match=r"cannot be read: Input/output error\. Check the file\."):
        pairloom.load(path)


# --- What a file may cost before it is known to be right


MANY = 60_000
LATE_FAULTS = {
    (b"%d 1\n" % (MANY + 1), b""): "it ends in row 60,000 of 60,001, after line 60,001.",
    (b"%d 1\n" % (MANY - 1), b""): "it goes on in line 60,001, after the 59,999 rows",
    (b"%d 1\n" % (MANY + 1), b"w 1"): "its last line, from byte",
    (b"%d 1\n" % (MANY + 1), b"w5 1\n"): "line 60,002 has the word 'w5' of row 5 again.",
    (b"%d 1\n" % (MANY + 1), b"w 1x\n"): "line 60,002 (b'w') has b'1x' where a number belongs.",
    (b"%d 1\n" % (MANY + 1), b"w nan\n"): "line 60,002 ('w') holds NaN",
    (b"%d 1\n" % (MANY + 1), b"\xff 1\n"): "the word of line 60,002 is not UTF-8",
    (b"", b"w5 1\n"): "line 60,001 has the word 'w5' of row 5 again.",
    (b"", b"w 1x\n"): "line 60,001 (b'w') has b'1x' where a number belongs.",
}


def refused_within(path, message, most):
    """The refusal of a file, for which no more than so many bytes were taken."""
    tracemalloc.start()
    try:
        assert refusal(path).startswith(message)
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(("ends", "message"), LATE_FAULTS.items(), ids=LATE_FAULTS.values())
def test_rows_that_are_wrong_at_their_end_alone_are_refused_before_a_string_is_made(tmp_path, ends, message, pack):
    raw = ends[0] + b"".join(b"w%d 1\n" % i for i in range(MANY)) + ends[1]
    # Numbers, words and hashes take 18 bytes a row, what Python makes of a block 3 MB; strings would take 200 a row.
    refused_within(write(tmp_path / "late", pack(raw)), message, 40 * MANY + (4 << 20))


def test_binary_rows_that_are_wrong_at_their_end_alone_are_refused_before_a_string_is_made(tmp_path):
    rows = b"".join(b"w%d \0\0\0\0\n" % i for i in range(MANY))
    for ends, message in {
        (b"60001 1\n", b""): "it ends in row 60,000 of 60,001",
        (b"59999 1\n", b""): "it goes on after the 59,999 rows",
        (b"60001 1\n", b"w5 \0\0\0\0\n"): "row 60,000 (byte ",
        (b"60001 1\n", b"w \0\0\xc0\x7f\n"): "row 60,000 (byte ",
    }.items():
        refused_within(write(tmp_path / "late", ends[0] + rows + ends[1]), message, 40 * MANY + (4 << 20))


def test_the_byte_of_a_repeated_binary_word_is_that_of_its_row(tmp_path):
    raw = b"4 1\nab \0\0\0\0\nc \0\0\0\0\n\xc3\xa9 \0\0\0\0\nc \0\0\0\0\n"
    assert refusal(write(tmp_path / "v", raw)).startswith("row 3 (byte 27) has the word 'c' of row 1 again.")
    raw = b"3 1\n\xff \0\0\0\0\nc \0\0\0\0\nc \0\0\0\0\n"  # whose first word is longer when it is replaced
    assert refusal(write(tmp_path / "v", raw), errors="replace").startswith("row 2 has the word 'c' of row 1 again.")
    raw = b"4 1\nab \0\0\0\0c \0\0\0\0\xc3\xa9 \0\0\0\0c \0\0\0\0"
    assert refusal(write(tmp_path / "v", raw)).startswith("row 3 (byte 24) has the word 'c' of row 1 again.")


@pytest.mark.parametrize("kind", ["text", "glove", "bin"])
def test_packed_numbers_that_are_far_more_than_their_bytes_are_read_before_any_is_kept(tmp_path, monkeypatch, kind):
    monkeypatch.setattr("pairloom.formats.opening._FREE_BYTES", 0)
    words, row = [b"w%d" % i for i in range(2000)], {"bin": b" " + bytes(400) + b"\n"}.get(kind, b" 0" * 100 + b"\n")
    head = b"" if kind == "glove" else b"2000 100\n"
    right, wrong = (head + b"".join(word + row for word in some) for some in (words, [*words[:-1], b"w5"]))
    made = []

    def marked(rows, dim):
        matrix, hashes = new_rows(rows, dim)
        matrix[:] = 7
        made.append(matrix)
        return matrix, hashes

    for module in (read_text, read_binary):
        monkeypatch.setattr(module, "new_rows", marked)
    assert pairloom.load(write(tmp_path / "v.gz", gzip.compress(right))).words.words == [w.decode() for w in words]
    assert not made.pop().any()
    refusal(write(tmp_path / "v.gz", gzip.compress(wrong)))
    assert (made.pop() == 7).all() and not made


def test_words_whose_hashes_alone_agree_are_not_taken_for_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("pairloom.formats.word_list._hashes", lambda words: np.zeros(len(words), np.int64))
    assert pairloom.load(write(tmp_path / "v", TEXT)).words.words == ["the", "naïve", "猫"]
    assert pairloom.load(write(tmp_path / "v", TEXT), lenient=True).words.words == ["the", "naïve", "猫"]
    again = TEXT.replace(b"3 2", b"4 2") + b"the 1 2\n"
    assert refusal(write(tmp_path / "v", again)).startswith("line 5 has the word 'the' of row 0 again.")


def test_words_that_become_the_same_by_the_way_of_reading_them_are_refused(tmp_path):
    path = write(tmp_path / "v", b"2 1\na\xff 1\na\xfe 2\n")
    assert refusal(path, errors="replace").startswith("line 3 has the word 'a\ufffd' of row 0 again.")


@pytest.mark.parametrize(
    ("where", "raw"), [("line 3", b"2 1\nb 2\n\xff 1\n"), ("row 1", b"2 1\nb \0\0\0\0\xff \0\0\0\0")]
)
def test_if_skipping_bytes_leaves_nothing_of_a_word_the_option_is_blamed_and_not_the_file(tmp_path, where, raw):
    path = write(tmp_path / "v", raw)
    assert refusal(path, errors="ignore").replace(" (byte 10)", "") == (
        f"no byte of the word of {where}, b'\\xff', is UTF-8, so errors='ignore' leaves nothing of it. Load it with "
        "errors='replace' (pairloom convert --errors replace), or leave such rows out with lenient=True (pairloom "
        "convert --lenient)."
    )
    assert pairloom.load(path, errors="replace").words.words == ["b", "\ufffd"]
    with pytest.warns(VectorsWarning, match="1 of 2 rows was left out, since it has no word"):
        assert pairloom.load(path, errors="ignore", lenient=True).words.words == ["b"]


def test_a_row_without_a_word_is_blamed_on_the_file_also_where_bytes_are_skipped(tmp_path):
    path = write(tmp_path / "v", b"2 1\ncaf\xc3 2\n 1\n")
    assert refusal(path, errors="ignore").startswith("line 3 has no word. Get or make the file again.")


NUMBERS = np.array([1, 2], "<f4").tobytes()
WITHOUT_A_WORD = {
    "line 3": b"4 2\na 1 2\n 1 2\n\t1 2\na 9 9\n",
    "line 2": b"a 1 2\n 1 2\n\t1 2\na 9 9\n",
    "row 1 (byte 15)": b"4 2\n" + b"".join(word + b" " + NUMBERS + b"\n" for word in (b"a", b"", b"", b"a")),
    "row 1 (byte 14)": b"4 2\n" + b"".join(word + b" " + NUMBERS for word in (b"a", b"", b"", b"a")),
}


@pytest.mark.parametrize("few", [10**6, 0])
@pytest.mark.parametrize(("where", "raw"), WITHOUT_A_WORD.items())
def test_a_row_without_a_word_is_refused_or_left_out_leniently(tmp_path, monkeypatch, where, raw, few):
    monkeypatch.setattr("pairloom.formats.read_text._FEW_NUMBERS", few)
    path = write(tmp_path / "v", raw)
    assert refusal(path) == (
        f"{where} has no word. Get or make the file again. To leave such rows out, load it with lenient=True "
        "(pairloom convert --lenient)."
    )
    with pytest.warns(VectorsWarning) as caught:
        loaded = pairloom.load(path, lenient=True)
    assert [str(warning.message) for warning in caught] == [
        "2 of 4 rows were left out, since they have no word.",
        "1 of 4 rows was left out, since its word, 'a', has an earlier row.",
    ]
    assert loaded.words.words == ["a"] and loaded.words.vectors.tolist() == [[1, 2]]


def test_a_line_of_too_few_numbers_is_not_taken_for_a_row_without_a_word(tmp_path):
    for raw in (b"1 2\n1 2\n", b"1 3\n 1 2\n", b"2 1\n \nb 1\n"):
        assert "has no word with" in refusal(write(tmp_path / "v", raw), lenient=True)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text("0123456789+-.e_nai", min_size=1, max_size=9), min_size=1, max_size=4), st.booleans())
def test_numbers_read_many_at_a_time_are_those_that_are_read_one_after_the_other(fields, spaced):
    from pairloom.errors import Fault
    from pairloom.formats.read_text_rows import _read_each, read_rows

    block = b"".join(b"w%d %b\n" % (i, " ".join(fields).encode()) for i in range(3))
    found, expected = np.zeros((2, 3, len(fields)), np.float32)
    try:
        words = _read_each(block, expected, 1, spaced)
    except Fault as fault:
        with pytest.raises(Fault, match=re.escape(str(fault))):
            read_rows(block, found, 1, False, spaced, False)
    else:
        assert read_rows(block, found, 1, False, spaced, False) == words == [b"w0", b"w1", b"w2"]
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("block", [b"a b 1\n2\n", b"a 1\n\nb 2\n", b" a 1\nb 2\n", b"a\t1\r\nb  2\n", b"a 1 \nb 2\n"])
def test_lines_are_told_apart_where_their_fields_are_as_many_as_they_should_be(tmp_path, block):
    path = write(tmp_path / "v", b"2 1\n" + block)
    if block.split() == [b"a", b"1", b"b", b"2"] and b"\n\n" not in block:
        assert pairloom.load(path).words.words == ["a", "b"]
    else:
        assert refusal(path).startswith(("line 2 (b'a b 1\\n') has more than", "it goes on in line 4"))
