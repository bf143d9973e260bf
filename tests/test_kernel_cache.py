"""Compiled kernels are kept where they can be written."""

import os

from wordloom import kernel


def test_beside_the_source_if_that_can_be_written(tmp_path):
    assert kernel._cache_dir(tmp_path, tmp_path / "ours") == ""
    assert list(tmp_path.iterdir()) == []


def test_in_our_cache_folder_if_not(tmp_path, monkeypatch):
    package = tmp_path / "package"
    monkeypatch.setattr(os, "access", lambda path, _: path != package)
    assert kernel._cache_dir(package, tmp_path / "a" / "ours") == str(tmp_path / "a" / "ours")
    assert (tmp_path / "a" / "ours").is_dir()


def test_in_a_folder_of_this_process_if_nothing_else_can_be_written(tmp_path, monkeypatch):
    registered = []
    monkeypatch.setattr(kernel.atexit, "register", lambda *args, **_: registered.append(args))
    monkeypatch.setattr(os, "access", lambda path, _: False)
    (tmp_path / "file").write_text("in the way")
    folder = kernel._cache_dir(tmp_path, tmp_path / "file" / "ours")
    assert os.path.isdir(folder)  # noqa: PTH112
    assert registered[0][1] == folder
    os.rmdir(folder)  # noqa: PTH106
