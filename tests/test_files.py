"""A file is there whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from wordloom.errors import OutputError
from wordloom.files import atomic_write


def test_the_file_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    with atomic_write(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt, OSError])
def test_after_an_error_the_old_file_stands_and_nothing_else(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(b"old")
    with pytest.raises((error, OutputError)), atomic_write(path) as file:
        file.write(b"half")
        raise error
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed_and_permissions_are_kept(tmp_path: Path) -> None:
    path, link = tmp_path / "vectors", tmp_path / "latest"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    with atomic_write(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    with atomic_write(tmp_path / "vectors"):
        pass
    assert (tmp_path / "vectors").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_what_cannot_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, message in {
        tmp_path / "no" / "vectors": "could not be written: No such file or directory. Create its folder first.",
        tmp_path: "could not be written: Is a directory. It is a folder: give the name of a file.",
        tmp_path
        / "file"
        / "vectors": "could not be written: Not a directory. Part of the path is a file, not a folder.",
        tmp_path / ("n" * 300): "could not be written: File name too long. Choose a shorter name.",
    }.items():
        with pytest.raises(OutputError) as caught, atomic_write(path):
            pass
        assert str(caught.value) == f"{path} {message}"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_device_is_an_error_and_stays_a_device() -> None:
    with pytest.raises(OutputError) as caught, atomic_write("/dev/full") as file:
        file.write(b"x")
    expected = "/dev/full could not be written: No space left on device. Free some space or choose another place."
    assert str(caught.value) == expected
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)  # noqa: PTH116 (one call, for a device)
