"""A file that was found whole is known again as long as nothing about it changes."""

import os
import time

import pytest

from pairloom.system.verified import _MOST, FileState

LATER = lambda: time.time() + 60  # noqa: E731


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PAIRLOOM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"content")
    return path


def state(path, digest="abc"):
    return FileState(path, path.stat(), digest)


def test_a_file_is_known_after_it_was_remembered(file):
    assert not state(file).is_verified()
    state(file).remember(LATER)
    assert state(file).is_verified()
    assert not state(file, "other header").is_verified()


def test_any_change_makes_it_unknown(file, tmp_path):
    state(file).remember(LATER)
    times = file.stat()
    file.write_bytes(b"cOntent")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))  # the time of the inode still tells
    assert not state(file).is_verified()
    state(file).remember(LATER)
    other = tmp_path / "other"
    other.write_bytes(b"content")
    other.replace(file)
    assert not state(file).is_verified()


def test_a_file_that_has_only_just_changed_is_not_remembered(file):
    state(file).remember()
    assert not state(file).is_verified()


def test_a_file_that_changes_while_it_is_read_is_not_remembered(file):
    opened = state(file)
    file.write_bytes(b"another content")
    opened.remember(LATER)
    file.unlink()
    opened.remember(LATER)
    assert not opened.is_verified()


@pytest.mark.parametrize("spoil", ["folder", "bytes", "file in the way"])
def test_a_list_that_cannot_be_used_costs_nothing_but_time(file, cache, spoil):
    if spoil == "file in the way":
        cache.write_bytes(b"")
    else:
        cache.mkdir()
        place = cache / "verified.txt"
        place.mkdir() if spoil == "folder" else place.write_bytes(b"\xff\x00")
    state(file).remember(LATER)
    assert state(file).is_verified() == (spoil == "bytes")


def test_the_list_does_not_grow_without_end(file, cache):
    cache.mkdir()
    (cache / "verified.txt").write_text("".join(f"{i:064}\n" for i in range(_MOST)))
    state(file).remember(LATER)
    kept = (cache / "verified.txt").read_text().splitlines()
    assert len(kept) == _MOST and kept[0] == f"{1:064}" and state(file).is_verified()
