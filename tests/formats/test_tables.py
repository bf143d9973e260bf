"""CSV and .npz, and what convert prints to standard output."""

import csv
import gzip

import numpy as np
import pytest

from pairloom.cli.main import main
from pairloom.errors import InputError
from pairloom.formats import write_tables
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors

ODD = ["the", 'say "naïve"', "a,b", "two\nlines", "=1+1", "猫"]


@pytest.fixture
def odd() -> Embedding:
    rng = np.random.default_rng(0)
    return Embedding.of_words(Vectors(ODD, rng.normal(size=(6, 3)), np.arange(6, 0, -1)))


def test_a_csv_file_comes_back_to_the_bit_whatever_the_words(tmp_path, odd):
    odd.save(tmp_path / "v.csv")
    with (tmp_path / "v.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["word", "count", "0", "1", "2"]
    assert [row[0] for row in rows] == ODD
    assert [int(row[1]) for row in rows] == [6, 5, 4, 3, 2, 1]
    assert np.array([row[2:] for row in rows], np.float32).tobytes() == odd.words.vectors.tobytes()
    odd.save(tmp_path / "v.csv.gz")
    assert gzip.decompress((tmp_path / "v.csv.gz").read_bytes()) == (tmp_path / "v.csv").read_bytes()


def test_an_npz_file_is_read_by_numpy_without_pickle_and_is_the_same_every_time(tmp_path, odd):
    odd.save(tmp_path / "v.npz")
    with np.load(tmp_path / "v.npz", allow_pickle=False) as arrays:
        assert arrays["words"].tolist() == ODD
        assert arrays["counts"].tolist() == [6, 5, 4, 3, 2, 1]
        assert arrays["vectors"].tobytes() == odd.words.vectors.tobytes()
    odd.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "v.npz").read_bytes()


def test_words_that_would_take_too_much_in_an_npz_file_are_refused(tmp_path, odd, monkeypatch):
    monkeypatch.setattr(write_tables, "_MOST_BYTES", 100)
    with pytest.raises(InputError, match=r"The words would take 0\.0 MB in \.npz.*Save as \.loom or \.parquet"):
        odd.save(tmp_path / "v.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_word_that_numpy_would_cut_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"The word 'a\\x00' ends in NUL, which \.npz cannot hold"):
        Embedding.of_words(Vectors(["a", "a\0"], np.ones((2, 2)))).save(tmp_path / "v.npz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".csv", ".npz"])
def test_vectors_that_are_not_sound_are_refused_before_anything_is_written(tmp_path, suffix):
    with pytest.raises(InputError, match="NaN"):
        Embedding.of_words(Vectors(["a"], [[np.nan]])).save(tmp_path / f"v{suffix}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("to", "first"), [("csv", "word,count,0\n"), ("text", "2 1\n"), ("glove", "a 1\n")])
def test_convert_prints_text(tmp_path, to, first, capfdbinary):
    emb = Embedding.of_words(Vectors(["a", "b"], [[1], [2]]))
    emb.save(tmp_path / "m.loom")
    emb.save(tmp_path / "expected", to)
    assert main(["convert", str(tmp_path / "m.loom"), "-", "--to", to]) == 0
    printed = capfdbinary.readouterr().out
    assert printed == (tmp_path / "expected").read_bytes()
    assert printed.startswith(first.encode())


@pytest.mark.parametrize("options", [[], ["--to", "bin"], ["--to", "csv", "--json"]])
def test_convert_prints_nothing_but_text(tmp_path, options, capsys):
    Embedding.of_words(Vectors(["a", "b"], [[1], [2]])).save(tmp_path / "m.loom")
    assert main(["convert", str(tmp_path / "m.loom"), "-", *options]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == (
        "pairloom convert: Standard output takes lines of text. Add --to text, glove or csv, and leave out --json.\n"
    )
