"""Half precision, folders and tables: what others load, and what is refused before anything is written."""

import errno
import json
import os
import sys

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file

import pairloom
from pairloom.errors import ConfigError, InputError, OutputError, PairloomError
from pairloom.formats import check_output, native
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors


@pytest.fixture
def cats() -> Embedding:
    words = Vectors(["the", "naïve", "猫"], [[1, -0.5], [0.1, 1e-7], [3e4, 0]], [9, 4, 2])
    contexts = Vectors(["c"], [[1, 2]], [3])
    return Embedding(words=words, contexts=contexts, record={"seed": 1, "text": {"lowercase": True}})


# --- float16


def test_float16_halves_the_matrices_and_comes_back_as_float32(tmp_path, cats):
    cats.save(tmp_path / "half.loom", dtype="float16")
    with safe_open(tmp_path / "half.loom", "np") as file:
        assert (file.get_tensor("W").dtype, file.get_tensor("C").dtype) == (np.float16, np.float16)
        assert file.metadata()["format_version"] == "1"
    loaded = pairloom.load(tmp_path / "half.loom")
    assert loaded.words.vectors.dtype == np.float32
    assert np.array_equal(loaded.words.vectors, cats.words.vectors.astype(np.float16).astype(np.float32))
    assert loaded.words.counts.tolist() == [9, 4, 2] and loaded.record == cats.record
    loaded.save(tmp_path / "again.loom", dtype="float16")
    assert (tmp_path / "again.loom").read_bytes() == (tmp_path / "half.loom").read_bytes()


def test_every_flipped_bit_of_a_half_precision_file_is_found(tmp_path, cats):
    cats.save(tmp_path / "half.loom", dtype="float16")
    raw = bytearray((tmp_path / "half.loom").read_bytes())
    for at in range(len(raw)):
        raw[at] ^= 1 << at % 8
        (tmp_path / "half.loom").write_bytes(raw)
        with pytest.raises(InputError):
            native.load(tmp_path / "half.loom")
        raw[at] ^= 1 << at % 8


@pytest.mark.parametrize("number", [65520, -1e6])
def test_a_number_beyond_float16_is_refused(tmp_path, number):
    large = Embedding.of_words(Vectors(["a", "b"], [[1, 2], [number, 0]]))
    for name, format in (("x.loom", None), ("x", "static")):
        with pytest.raises(InputError, match=r"Row 1 \('b'\) holds a number of size .* and float16 ends at 65504"):
            large.save(tmp_path / name, format, "float16")
    assert list(tmp_path.iterdir()) == []
    Embedding.of_words(Vectors(["a"], [[65519.0]])).save(tmp_path / "x.loom", dtype="float16")
    assert pairloom.load(tmp_path / "x.loom")["a"].tolist() == [65504]


@pytest.mark.parametrize("format", ["bin", "text", "glove", "parquet", "tensorboard"])
def test_formats_that_cannot_hold_float16_say_so(tmp_path, cats, format):
    with pytest.raises(ConfigError, match=f"dtype='float16' does not go into the format {format}, only into loom and"):
        cats.save(tmp_path / "x", format, "float16")
    with pytest.raises(ConfigError, match="dtype='float8' is unknown"):
        cats.save(tmp_path / "x.loom", dtype="float8")


# --- Folders


def test_a_tensorboard_folder_has_numbers_words_and_what_joins_them(tmp_path, cats):
    cats.save(tmp_path / "logs", "tensorboard")
    assert (tmp_path / "logs" / "tensors.tsv").read_text() == "1\t-0.5\n0.100000001\t1.00000001e-07\n30000\t0\n"
    assert (tmp_path / "logs" / "metadata.tsv").read_text("utf-8") == "word\tcount\nthe\t9\nnaïve\t4\n猫\t2\n"
    assert (tmp_path / "logs" / "projector_config.pbtxt").read_text() == (
        'embeddings { tensor_name: "words" tensor_path: "tensors.tsv" metadata_path: "metadata.tsv" }\n'
    )


def test_a_single_column_has_no_header_since_tensorboard_would_take_it_for_a_word(tmp_path):
    Embedding.of_words(Vectors(["new york", "b"], [[1], [2]])).save(tmp_path / "logs", "tensorboard")
    assert (tmp_path / "logs" / "metadata.tsv").read_text() == "new york\nb\n"


def test_a_static_folder_has_a_matrix_with_a_row_of_zeros_for_unknown_words_and_a_tokenizer(tmp_path, cats):
    cats.save(tmp_path / "cats", "static")
    folder = tmp_path / "cats"
    tensors = load_file(folder / "model.safetensors")
    assert list(tensors) == ["embeddings"]
    assert tensors["embeddings"].tobytes() == cats.words.vectors.tobytes() + bytes(8)
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    assert tokenizer["model"]["vocab"] == {"the": 0, "naïve": 1, "猫": 2, "[UNK]": 3}
    assert tokenizer["normalizer"] == {"type": "Lowercase"}
    config = json.loads((folder / "config.json").read_text())
    assert (config["hidden_dim"], config["max_length"], config["normalize"]) == (2, None, True)
    assert config["pairloom"] == cats.record
    assert [module["path"] for module in json.loads((folder / "modules.json").read_text())] == [".", "1_Normalize"]
    assert "library_name: model2vec" in (folder / "README.md").read_text("utf-8")


def test_the_data_of_a_static_folder_begin_at_a_multiple_of_64_bytes_in_float16_too(tmp_path, cats):
    cats.save(tmp_path / "cats", "static", "float16")
    raw = (tmp_path / "cats" / "model.safetensors").read_bytes()
    assert (8 + int.from_bytes(raw[:8], "little")) % 64 == 0
    assert load_file(tmp_path / "cats" / "model.safetensors")["embeddings"].dtype == np.float16


@pytest.mark.parametrize(
    ("format", "word", "message"),
    [
        ("static", "new york", "'new york' is empty or has white space in it"),
        ("static", "[UNK]", r"\[UNK\] is a word here"),
        ("static", "a\ud800", "is not Unicode text"),
        ("tensorboard", "a\tb", "has a tab or a line end in it"),
        ("tensorboard", "a\nb", "has a tab or a line end in it"),
        ("parquet", "a\ud800", "is not Unicode text"),
        ("glove", "new york", "'new york' is empty or has white space in it"),
    ],
)
def test_a_word_that_a_format_cannot_hold_is_refused_before_anything_is_written(tmp_path, format, word, message):
    with pytest.raises(InputError, match=message):
        Embedding.of_words(Vectors(["the", word], [[1], [2]])).save(tmp_path / "out", format)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", ["static", "tensorboard"])
def test_a_folder_is_written_whole_or_not_at_all_and_never_over_another(tmp_path, cats, format, monkeypatch):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious").write_text("text")
    (tmp_path / "file").write_text("text")
    for name in ("full", "file"):
        with pytest.raises(InputError, match="exists already, and a folder is not written over"):
            cats.save(tmp_path / name, format)
    (tmp_path / "empty").mkdir()
    cats.save(tmp_path / "empty", format)
    assert len(list((tmp_path / "empty").iterdir())) >= 3
    before = sorted(tmp_path.iterdir())

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="could not be written: No space left on device"):
        cats.save(tmp_path / "new", format)
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_with_a_name_that_none_can_have_is_refused(tmp_path, cats):
    with pytest.raises(InputError, match="File name too long"):
        cats.save(tmp_path / ("n" * 300), "static")


# --- Parquet


def test_a_parquet_file_without_rows_is_refused(tmp_path):
    pytest.importorskip("arro3.io", reason="the extra [parquet] is not installed")
    with pytest.raises(InputError, match="There are no words to write"):
        Embedding.of_words(Vectors([], np.empty((0, 2)))).save(tmp_path / "none.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_parquet_file_has_words_counts_and_vectors(tmp_path, cats, monkeypatch):
    io = pytest.importorskip("arro3.io", reason="the extra [parquet] is not installed")
    monkeypatch.setattr("pairloom.formats.write_parquet._MAX_ROWS", 2)
    cats.save(tmp_path / "cats.parquet")
    table = io.read_parquet(tmp_path / "cats.parquet").read_all()
    assert table.column_names == ["word", "count", "vector"]
    assert table["word"].to_pylist() == ["the", "naïve", "猫"]
    assert table["count"].to_pylist() == [9, 4, 2]
    assert np.array_equal(np.array(table["vector"].to_pylist(), np.float32), cats.words.vectors)


def test_without_the_extra_parquet_is_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "arro3.io", None)
    with pytest.raises(PairloomError) as refused:
        check_output(tmp_path / "x.parquet")
    assert str(refused.value) == ("Parquet needs an extra package. Install it with: pip install 'pairloom[parquet]'")


def test_parquet_without_rows_and_a_format_that_is_none_are_refused(tmp_path):
    pytest.importorskip("arro3.io", reason="the extra [parquet] is not installed")
    nothing = Embedding.of_words(Vectors([], np.empty((0, 2), np.float32)))
    with pytest.raises(InputError, match="There are no words to write"):
        nothing.save(tmp_path / "x.parquet")
    with pytest.raises(ConfigError, match="format='pickle' cannot be written"):
        nothing.save(tmp_path / "x", "pickle")
