"""Compressed files are read like others, and damaged ones are refused."""

import bz2
import gzip
import lzma
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pairloom.corpus import unpacking
from pairloom.corpus.sentences import open_corpus
from pairloom.errors import InputError
from tests.corpus.helpers import message, sentences

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd.compress,
}


@pytest.mark.parametrize("form", PACKERS)
def test_compression_is_recognized_by_the_first_bytes_not_by_the_name(write: Callable[..., Path], form: str) -> None:
    packed = PACKERS[form](b"a b\nc d\n")
    assert sentences(write(packed, "corpus.txt")) == [["a", "b"], ["c", "d"]]
    assert sentences(write(packed + packed, "twice.gz")) == [["a", "b"], ["c", "d"]] * 2
    assert sentences(write(b"BZh is plain text\n", "plain.gz")) == [["BZh", "is", "plain", "text"]]


@pytest.mark.parametrize("form", PACKERS)
def test_damaged_data_is_reported_as_damaged(write: Callable[..., Path], form: str) -> None:
    packed = PACKERS[form](b" ".join(b"%d" % (i * i) for i in range(3000)))
    path = write(packed[:-30], "short")
    assert message(InputError, sentences, path) == (
        f"{path} is damaged: its {form} data ends too early. Get or make the file again."
    )
    middle = len(packed) // 2
    path = write(
        packed[:middle] + bytes(b ^ 0xFF for b in packed[middle : middle + 64]) + packed[middle + 64 :], "flip"
    )
    assert message(InputError, sentences, path) == (
        f"{path} is damaged: its {form} data is not valid. Get or make the file again."
    )


BINARY = {
    b"PK\x03\x04....": "a zip archive, as .docx, .xlsx and .epub files are, which pairloom does not read. Unpack it to",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07\0": "a RAR archive",
    b"\x1f\x9d\x90": "compressed by compress (.Z)",
    b"PAR1\x15\x04": "a Parquet file, ",
    b"ARROW1\0\0\xff": "an Arrow file",
    b"FEA1\0\0\0\0": "a Feather file",
    b"\x89HDF\r\n\x1a\n": "an HDF5 file",
    b"\x93NUMPY\x01\0": "a NumPy file",
    b"SQLite format 3\0": "an SQLite database",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old Word or Excel file",
    b"{\\rtf1\\ansi": "rich text (RTF)",
    b"%PDF-1.7\n%\xe2\xe3": "a PDF, which pairloom does not read. Extract its text first, for example with pdftotext.",
    pickle.dumps(["a b"]): "a Python pickle",
    pickle.dumps(["a b"], 2): "a Python pickle",
    b"a.txt".ljust(257, b"\0") + b"ustar\x0000": "a tar archive",
}


@pytest.mark.parametrize("data", BINARY)
def test_binary_files_are_refused_by_their_kind_packed_or_not(write: Callable[..., Path], data: bytes) -> None:
    path, what = write(data), BINARY[data]
    assert message(InputError, sentences, path).startswith(f"{path} is {what}")
    assert message(InputError, sentences, write(gzip.compress(data))).startswith(f"{path} is {what}")


def test_packed_parquet_is_to_be_unpacked(write: Callable[..., Path]) -> None:
    path = write(gzip.compress(b"PAR1\x15\x04"))
    assert message(InputError, sentences, path, column="text") == (
        f"{path} is a Parquet file, which pairloom does not read as text. Unpack it if it is compressed, and name its "
        "column of text (--column NAME), or its columns of sessions and items (--session NAME --item NAME)."
    )


def test_a_file_that_was_packed_twice_is_refused(write: Callable[..., Path]) -> None:
    path = write(gzip.compress(bz2.compress(b"a b\n")))
    assert message(InputError, sentences, path) == f"{path} is compressed twice. Unpack it once first."


def test_without_its_package_zstd_is_refused_with_what_to_do(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_bytes(b"\x28\xb5\x2f\xfd and more")
    package = zstd.__name__.partition(".")[0]
    monkeypatch.setitem(sys.modules, package, None)
    assert message(InputError, lambda: list(open_corpus(tmp_path / "a.txt").sentences())) == (
        f"{tmp_path / 'a.txt'} is compressed by zstd, whose module cannot be imported "
        f"(import of {package} halted; None in sys.modules). "
        "Unpack the file with zstd -d, or install pairloom again with all it depends on."
    )


def test_a_file_that_cannot_be_read_to_its_end_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("a b")
    corpus = open_corpus(tmp_path / "a.txt")

    def broken(path, *_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "open", broken)
    with pytest.raises(InputError, match=r"a\.txt could not be read: Input/output error\. Check the file\.$"):
        list(corpus.sentences())


def test_packed_text_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "_FREELY_UNPACKED", 1000)
    (tmp_path / "a.txt").write_bytes(gzip.compress(b"a b\n" * 500_000))
    with pytest.raises(InputError, match=r"a\.txt unpacks to more than 200 times its [\d,]+ bytes"):
        list(open_corpus(tmp_path / "a.txt").sentences())
