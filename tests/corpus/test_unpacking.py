"""Compressed files are read like others, and damaged ones are refused."""

import bz2
import gzip
import lzma
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


def test_archives_are_refused_by_name(write: Callable[..., Path]) -> None:
    path = write(b"PK\x03\x04....")
    assert message(InputError, sentences, path) == (
        f"{path} is a zip archive, which pairloom does not read. Unpack it to text first."
    )


def test_without_its_package_zstd_is_refused_with_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_bytes(b"\x28\xb5\x2f\xfd and more")
    for name in ("backports", "backports.zstd", "compression", "compression.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=r"compressed by zstd, .* Install it with: pip install backports\.zstd$"):
        list(open_corpus(tmp_path / "a.txt").sentences())


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
