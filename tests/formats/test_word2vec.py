"""word2vec's text and binary files, and the choice of a format by the suffix of a path."""

import errno
import gzip
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pairloom import formats
from pairloom.errors import InputError, OutputError
from pairloom.formats.write_word2vec import write_binary, write_text
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors


@pytest.fixture
def cats() -> Vectors:
    return Vectors(["the", "naïve", "猫"], [[1, -0.5], [0.1, 1e-7], [3e38, 0]], [9, 4, 2])


def read_text(raw: bytes) -> dict[str, list[np.float32]]:
    header, *lines = raw.decode().removesuffix("\n").split("\n")
    rows = {line.split(" ")[0]: [np.float32(number) for number in line.split(" ")[1:]] for line in lines}
    assert header == f"{len(rows)} {len(next(iter(rows.values())))}"
    return rows


def read_binary(raw: bytes) -> dict[str, list[np.float32]]:
    header, _, rest = raw.partition(b"\n")
    n, dim = map(int, header.split())
    rows = {}
    for _ in range(n):
        word, _, rest = rest.partition(b" ")
        rows[word.decode()] = list(np.frombuffer(rest[: 4 * dim], "<f4"))
        assert rest[4 * dim : 4 * dim + 1] == b"\n"
        rest = rest[4 * dim + 1 :]
    assert rest == b""
    return rows


def test_text_is_a_line_of_sizes_and_a_line_for_each_word(tmp_path, cats):
    write_text(cats, tmp_path / "cats.vec")
    assert (tmp_path / "cats.vec").read_bytes() == (
        "3 2\nthe 1 -0.5\nnaïve 0.100000001 1.00000001e-07\n猫 3.00000001e+38 0\n".encode()
    )


def test_binary_is_a_line_of_sizes_and_then_word_space_floats_line_feed(tmp_path, cats):
    write_binary(cats, tmp_path / "cats.bin")
    expected = b"3 2\n"
    expected += b"the " + np.array([1, -0.5], "<f4").tobytes() + b"\n"
    expected += "naïve ".encode() + np.array([0.1, 1e-7], "<f4").tobytes() + b"\n"
    expected += "猫 ".encode() + np.array([3e38, 0], "<f4").tobytes() + b"\n"
    assert (tmp_path / "cats.bin").read_bytes() == expected


words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda word: word.split() == [word])
floats = st.floats(width=32, allow_nan=False, allow_infinity=False)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(words, st.tuples(floats, floats, floats), min_size=1, max_size=6))
def test_every_float32_and_every_word_without_white_space_come_back_exactly(tmp_path, rows):
    vectors = Vectors(rows, list(rows.values()))
    write_text(vectors, tmp_path / "any.vec")
    write_binary(vectors, tmp_path / "any.bin")
    expected = {word: np.array(row, np.float32).tobytes() for word, row in rows.items()}
    for found in (read_text((tmp_path / "any.vec").read_bytes()), read_binary((tmp_path / "any.bin").read_bytes())):
        assert list(found) == list(rows)
        assert {word: np.array(row, np.float32).tobytes() for word, row in found.items()} == expected


@pytest.mark.parametrize("write", [write_text, write_binary])
@pytest.mark.parametrize("word", ["new york", "a\nb", " a", "a\t", "", "a\u00a0b", "a\u2028b", "a\u0085", "a\x1cb"])
def test_a_word_with_white_space_is_refused_by_name_and_nothing_is_written(tmp_path, write, word):
    with pytest.raises(InputError) as refusal:
        write(Vectors(["the", word], [[1], [2]]), tmp_path / "new.out")
    assert str(refusal.value) == (
        f"The word {word!r} is empty or has white space in it, which word2vec's formats use between words. "
        "Save as .loom, or rename it, for example with '_' for the space."
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", [write_text, write_binary])
@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (Vectors(["a", "a"], [[1], [2]]), "Rows 0 and 1 both belong to 'a'"),
        (Vectors(["a"], [[np.nan]]), "NaN or infinity"),
        (Vectors(["a\udc80"], [[1]]), "is not Unicode text"),
    ],
)
def test_what_other_programs_would_misread_is_not_written(tmp_path, write, vectors, message):
    with pytest.raises(InputError, match=message):
        write(vectors, tmp_path / "new.out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", [write_text, write_binary])
def test_when_the_disk_is_full_the_old_file_stays(tmp_path, cats, write, monkeypatch):
    (tmp_path / "old.out").write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match=r"old\.out could not be written: No space left on device\."):
        write(cats, tmp_path / "old.out")
    assert (tmp_path / "old.out").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


# The suffix says the format


@pytest.fixture
def embedding(cats) -> Embedding:
    return Embedding(words=cats, contexts=Vectors(["c"], [[1, 2]], [3]), record={"seed": 1})


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("cats.vec", b"3 2\nthe 1 -0.5\n"),
        ("cats.txt", b"3 2\nthe 1 -0.5\n"),
        ("cats.bin", b"3 2\nthe \x00\x00\x80?"),
        ("CATS.BIN", b"3 2\nthe \x00\x00\x80?"),
    ],
)
def test_bin_vec_and_txt_are_word2vecs(tmp_path, embedding, name, begins):
    embedding.save(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.parametrize("name", ["cats.loom", "cats.safetensors", "Cats.Loom"])
def test_loom_and_safetensors_are_native_and_come_back_whole(tmp_path, embedding, name):
    embedding.save(str(tmp_path / name))
    loaded = formats.load(str(tmp_path / name))
    assert loaded.words.words == ["the", "naïve", "猫"]
    assert loaded.words.counts.tolist() == [9, 4, 2]
    assert loaded.contexts["c"].tolist() == [1, 2]
    assert loaded.record == {"seed": 1}


@pytest.mark.parametrize("name", ["cats", "cats.npy", "cats.loom.gz", ".loom"])
def test_another_suffix_is_refused_with_those_there_are(tmp_path, embedding, name):
    for act in (lambda path: embedding.save(path), formats.check_output):
        with pytest.raises(InputError) as refusal:
            act(tmp_path / name)
        assert str(refusal.value) == (
            f"{tmp_path / name} has no suffix that names a format. Use one of .loom, .safetensors, .bin, .vec, .txt, "
            ".parquet, .csv or .npz; .bin, .vec, .txt and .csv may be followed by .gz."
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["cats.bin.gz", "cats.vec.gz", "cats.TXT.GZ"])
def test_a_path_that_ends_in_gz_is_packed_the_same_at_every_hour(tmp_path, embedding, name, monkeypatch):
    embedding.save(tmp_path / name)
    packed = (tmp_path / name).read_bytes()
    embedding.save(tmp_path / name.lower().removesuffix(".gz"))
    assert gzip.decompress(packed) == (tmp_path / name.lower().removesuffix(".gz")).read_bytes()
    monkeypatch.setattr("time.time", lambda: 1e9)
    embedding.save(tmp_path / f"other{name}")
    assert (tmp_path / f"other{name}").read_bytes() == packed


def test_a_format_can_be_named_whatever_the_suffix(tmp_path, embedding):
    embedding.save(tmp_path / "cats.of.glove", "glove")
    assert (tmp_path / "cats.of.glove").read_bytes().startswith(b"the 1 -0.5\nna")
    embedding.save(tmp_path / "cats", "bin")
    assert (tmp_path / "cats").read_bytes().startswith(b"3 2\nthe \x00\x00\x80?")
    with pytest.raises(InputError, match=r"format='word2vec' cannot be written. Use one of loom, bin, text, glove, "):
        embedding.save(tmp_path / "other", "word2vec")
    assert not (tmp_path / "other").exists()


def test_the_line_feed_after_a_binary_row_can_be_left_out_as_gensim_does(tmp_path, cats):
    write_binary(cats, tmp_path / "with.bin")
    write_binary(cats, tmp_path / "without.bin", newline=False)
    floats = np.array([1, -0.5], "<f4").tobytes()
    assert (tmp_path / "with.bin").read_bytes().startswith(b"3 2\nthe " + floats + b"\nna")
    assert (tmp_path / "without.bin").read_bytes().startswith(b"3 2\nthe " + floats + b"na")


# The look at an output path before the training


def test_a_good_output_path_is_neither_made_nor_touched(tmp_path):
    formats.check_output(tmp_path / "new.loom")
    assert list(tmp_path.iterdir()) == []
    old = tmp_path / "old.loom"
    old.write_bytes(b"old")
    os.utime(old, (1, 1))
    folder = tmp_path.stat().st_mtime_ns
    formats.check_output(old)
    assert (old.read_bytes(), old.stat().st_mtime, tmp_path.stat().st_mtime_ns) == (b"old", 1, folder)


def test_a_link_is_judged_by_the_place_it_points_to(tmp_path):
    link = tmp_path / "link.loom"
    link.symlink_to(tmp_path / "missing" / "model.loom")
    with pytest.raises(InputError, match="does not exist"):
        formats.check_output(link)
    (tmp_path / "missing").mkdir()
    formats.check_output(link)


def test_a_folder_as_output_is_refused(tmp_path):
    (tmp_path / "model.loom").mkdir()
    with pytest.raises(InputError) as refusal:
        formats.check_output(tmp_path / "model.loom")
    assert str(refusal.value) == f"{tmp_path / 'model.loom'} is a folder. Give the name of a file to write."


def test_a_missing_folder_is_refused(tmp_path):
    path = tmp_path / "no" / "model.loom"
    with pytest.raises(InputError) as refusal:
        formats.check_output(path)
    assert str(refusal.value) == f"The folder {path.parent} of {path} does not exist. Create it first."


def test_a_folder_that_may_not_be_written_to_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root, in a container, may write everywhere
    path = tmp_path / "model.loom"
    with pytest.raises(InputError) as refusal:
        formats.check_output(path)
    assert str(refusal.value) == f"The folder {tmp_path} is not writable. Choose another place for {path}."


@pytest.mark.parametrize(
    ("name", "reason"), [("x" * 300 + ".loom", "File name too long"), ("a\0b.loom", "a path cannot hold a NUL")]
)
def test_a_name_that_no_file_can_have_is_refused(tmp_path, name, reason):
    path = tmp_path / name
    with pytest.raises(InputError) as refusal:
        formats.check_output(path)
    assert str(refusal.value) == f"{str(path)!r} cannot be written: {reason}. Choose another path."


def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot be written: .* is a file\. Give a path in a folder\."):
        formats.check_output(tmp_path / "file" / "model.loom")
