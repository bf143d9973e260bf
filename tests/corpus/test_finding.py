"""Which files a path, a glob, a folder or a stream stands for."""

import gzip
import io
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from pairloom.corpus.finding import SourceFile, check_not_read, would_overwrite
from pairloom.corpus.sentences import open_corpus
from pairloom.errors import CorpusTypeError, InputError
from tests.corpus.helpers import message, sentences

# --- Folders and globs


def test_a_folder_means_the_text_files_in_it_and_below_in_order(write: Callable[..., Path], tmp_path: Path) -> None:
    write("z", "texts/b.txt")
    write("y", "texts/a/2.TXT")
    write(gzip.compress(b"x"), "texts/a/1.gz")
    for name in ("texts/.hidden.txt", "texts/.git/a.txt", "texts/notes.md", "texts/a.txt~"):
        write("no", name)
    assert sentences(tmp_path / "texts") == [["x"], ["y"], ["z"]]
    assert sentences(str(tmp_path / "texts")) == [["x"], ["y"], ["z"]]


def test_a_glob_means_its_matches_in_order(write: Callable[..., Path], tmp_path: Path) -> None:
    for name in ("c2", "c1", "c10", "d"):
        write(name, name)
    write("no", "c-folder/file")
    assert sentences(str(tmp_path / "c*")) == [["c1"], ["c10"], ["c2"]]
    assert sentences([str(tmp_path / "c?"), str(tmp_path / "d")]) == [["c1"], ["c2"], ["d"]]
    assert sentences(write("odd", "odd[1].txt")) == [["odd"]]


def test_a_ring_of_links_does_not_multiply_the_text(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("a\n")
    (tmp_path / "sub" / "b.txt").write_text("b\n")
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    with open_corpus(f"{tmp_path}/**") as corpus:
        assert list(corpus.sentences()) == [["a"], ["b"]]


# --- What cannot be found or opened


def test_missing_files_are_reported_at_once(tmp_path: Path) -> None:
    missing = tmp_path / "missing.txt"
    assert message(InputError, open_corpus, missing) == f"{missing} does not exist. Check the path of the corpus."
    assert (
        message(InputError, open_corpus, f"{tmp_path}/*.txt") == f"No file matches {tmp_path}/*.txt. Check the pattern."
    )
    assert message(InputError, open_corpus, tmp_path) == (
        f"The folder {tmp_path} has no text files. Only files that end in .txt, .gz, .bz2, .xz, .zst are read "
        "from a folder. Give other files by name or by a glob."
    )
    assert message(InputError, open_corpus, "a\0b") == (
        r"'a\x00b' cannot be opened: a path cannot hold a NUL. Check the path."
    )
    assert "is the string ''" in message(CorpusTypeError, open_corpus, [""])
    assert message(InputError, open_corpus, "") == (
        "The path of the corpus is empty. Give a file, a folder or - for standard input."
    )
    assert not list(tmp_path.iterdir())


def test_a_missing_file_of_several_is_named(write: Callable[..., Path], tmp_path: Path) -> None:
    there, missing = str(write("a b")), str(tmp_path / "missing")
    assert message(InputError, open_corpus, [there, missing]).startswith(f"{missing} does not exist.")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_a_device_is_not_a_corpus() -> None:
    assert message(InputError, open_corpus, "/dev/zero") == (
        "/dev/zero is a device, not a text file. Give a file, a folder or - for standard input."
    )


def test_a_file_without_permission_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("a b")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match=r"a\.txt cannot be opened: Permission denied\. Check its permissions\.$"):
        open_corpus(tmp_path / "a.txt")


def test_a_subfolder_without_permission_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("a b")
    (tmp_path / "closed").mkdir()
    scandir = os.scandir

    def closed(path):
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", closed)
    with pytest.raises(InputError, match=r"closed cannot be opened: Permission denied\. Check its permissions\.$"):
        open_corpus(tmp_path)


@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
@pytest.mark.parametrize("source", ["texts", "texts/*.txt", "texts/a.txt", ["texts/b.txt", "texts/a.txt"]])
def test_a_link_to_a_file_that_is_read_is_not_an_output(source, link, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("texts").mkdir()
    for name in ("texts/a.txt", "texts/b.txt", "other.txt"):
        Path(name).write_text("a b\n")
    link(Path("linked"), Path("texts/a.txt").resolve())
    assert message(InputError, check_not_read, Path("linked"), source) == (
        "linked is, or is among, the files to be read. Choose another name for the output."
    )
    check_not_read("other.txt", source)
    check_not_read("new.txt", source)


def test_a_file_that_a_folder_leads_to_by_a_link_is_not_an_output(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "outside.txt").write_text("a b\n")
    (tmp_path / "texts" / "a.txt").symlink_to(tmp_path / "outside.txt")
    assert would_overwrite(tmp_path / "outside.txt", [tmp_path / "texts"])


@pytest.mark.parametrize("source", [[["a", "b"]], None, "-", "", "a\0b", "x" * 5000])
def test_what_is_not_a_file_is_not_overwritten(source, tmp_path):
    (tmp_path / "there").write_text("a b\n")
    check_not_read(tmp_path / "there", source)


def test_a_folder_without_texts_is_not_overwritten(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "there").write_text("a b\n")
    check_not_read(tmp_path / "there", tmp_path / "empty")


# --- Streams


@pytest.fixture
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "spool"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_standard_input_is_spooled_and_can_be_read_twice(spool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"a b\nc"))))
    with open_corpus("-") as corpus:
        assert list(corpus.sentences()) == list(corpus.sentences()) == [["a", "b"], ["c"]]
        assert (corpus.name, corpus.identity()) == ("standard input", None)
        assert len(list(spool.iterdir())) == 1
    assert not list(spool.iterdir())


def test_a_forgotten_spool_goes_with_its_corpus(spool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a")))
    corpus = open_corpus("-")
    assert len(list(spool.iterdir())) == 1
    del corpus
    assert not list(spool.iterdir())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_spooled(tmp_path: Path, spool: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"a b\nc",))
    writer.start()
    with open_corpus(pipe) as corpus:
        assert list(corpus.sentences()) == list(corpus.sentences()) == [["a", "b"], ["c"]]
        assert (corpus.name, corpus.identity()) == (str(pipe), None)
    writer.join()
    assert not list(spool.iterdir())


def test_nothing_is_spooled_before_all_paths_are_checked(
    tmp_path: Path, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin = io.BytesIO(b"a b")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stdin))
    assert "does not exist" in message(InputError, open_corpus, ["-", tmp_path / "missing"])
    assert message(InputError, open_corpus, ["-", "-"]) == 'Standard input ("-") can be read only once. Name it once.'
    assert stdin.tell() == 0
    assert not list(spool.iterdir())


def test_a_closed_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match=r"^Standard input is closed\. Give a file, or something to read from\.$"):
        open_corpus("-")


@pytest.mark.parametrize("others", [[], ["a.txt"]])
def test_a_stream_that_fails_leaves_no_spool_behind(tmp_path, monkeypatch, others):
    class Broken(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, _):
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Broken())))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spool"))
    (tmp_path / "spool").mkdir()
    (tmp_path / "a.txt").write_text("a b")
    with pytest.raises(InputError, match=r"^standard input cannot be read: Input/output error\. Give another source"):
        open_corpus([*(tmp_path / name for name in others), Path("-")])
    assert list((tmp_path / "spool").iterdir()) == []


# --- Change


def test_a_sample_is_taken_once(tmp_path):
    (tmp_path / "a.txt").write_text("a b")
    file = SourceFile.at(tmp_path / "a.txt", "a.txt")
    assert file.is_unchanged()
    assert file.sample() == file.sample()
    assert file.is_unchanged()
