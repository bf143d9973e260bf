"""The folder of the cache: where it is, and what happens where it cannot be written."""

import os
import shutil

import platformdirs
import pytest

import pairloom
from pairloom.system import cache_folder as module
from pairloom.system.cache_folder import cache_folder, check_writable


@pytest.fixture
def nowhere(tmp_path):
    """A path that cannot be written, not even by root: it is below a file."""
    (tmp_path / "file").write_text("in the way")
    return tmp_path / "file" / "folder"


@pytest.fixture
def system_folder(monkeypatch):
    """A setter for the system's folder for caches."""
    monkeypatch.delenv("PAIRLOOM_CACHE", raising=False)
    module._system_folder.cache_clear()
    yield lambda folder: monkeypatch.setattr(platformdirs, "user_cache_dir", lambda _: os.fspath(folder))
    module._system_folder.cache_clear()


def test_the_argument_comes_before_the_variable_and_the_variable_before_the_system(
    system_folder, monkeypatch, tmp_path
):
    system_folder(tmp_path / "system")
    assert cache_folder() == tmp_path / "system"
    monkeypatch.setenv("PAIRLOOM_CACHE", "variable")
    assert str(cache_folder()) == "variable"
    assert str(cache_folder("argument")) == "argument"
    assert not (tmp_path / "system").exists()


@pytest.mark.parametrize("folder", ["below a file", "~/.cache"])
def test_without_a_home_the_cache_lasts_as_long_as_the_process(folder, system_folder, nowhere, monkeypatch):
    folder = nowhere if folder == "below a file" else folder  # platformdirs leaves ~ as it is for unknown users
    system_folder(folder)
    deleted = []
    monkeypatch.setattr(module.atexit, "register", lambda function, path, **_: deleted.append((function, path)))
    with pytest.warns(UserWarning) as warned:
        passing = cache_folder()
    assert str(warned[0].message) == (
        f"The cache folder {folder} cannot be written, so nothing is kept for the next run. "
        "Set PAIRLOOM_CACHE, or the option cache_dir, to another folder."
    )
    assert passing.is_dir() and cache_folder() == passing
    assert deleted == [(shutil.rmtree, str(passing))]
    passing.rmdir()


@pytest.mark.parametrize("train", [pairloom.train, pairloom.train_pairs])
def test_a_cache_that_cannot_be_written_is_found_before_anything_is_compiled(train, nowhere, monkeypatch):
    monkeypatch.setattr("pairloom.training.train.load_kernels", lambda **_: pytest.fail("it began to compile"))
    with pytest.raises(pairloom.OutputError) as error:
        train([["a", "b"]] * 20, cache_dir=nowhere)
    assert str(error.value) == (
        f"The cache folder {nowhere} cannot be written: Not a directory. "
        "Set PAIRLOOM_CACHE, or the option cache_dir, to another folder."
    )


def test_a_cache_that_can_only_be_read_may_still_hold_the_text(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(module.Temporary, "folder", refuse)
    with pytest.raises(pairloom.OutputError, match="Read-only file system"):
        check_writable(tmp_path)
    (tmp_path / "entry").mkdir()
    check_writable(tmp_path)
