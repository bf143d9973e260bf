"""Temporary files of running processes stay, those of killed processes are removed."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pairloom.system import temporary
from pairloom.system.cache_folder import temporary_folder
from pairloom.system.files import atomic_write, check_space
from pairloom.system.temporary import BESIDE_OUTPUT, IN_CACHE, Temporary, remove_leftovers, try_lock

needs_locks = pytest.mark.skipif(not temporary.HAS_LOCKS, reason="this system has no flock")


def killed(code: str, *args: object) -> None:
    """Run some lines in a process that is then killed by kill -9."""
    lines = f"import os, signal, sys\nfrom pathlib import Path\n{code}\nos.kill(os.getpid(), signal.SIGKILL)"
    assert subprocess.run([sys.executable, "-c", lines, *map(str, args)]).returncode == -9


def left_file(folder: Path) -> Path:
    """The file left by a process that was killed while it wrote."""
    killed(
        "from pairloom.system.files import atomic_write\n"
        "writing = atomic_write(Path(sys.argv[1]) / 'vectors')\nwriting.__enter__().write(bytes(100_000))",
        folder,
    )
    (left,) = folder.glob(".pairloom-*.tmp")
    assert left.stat().st_size > 0
    return left


@needs_locks
def test_the_next_write_into_a_folder_removes_what_a_killed_process_left(tmp_path: Path) -> None:
    left = left_file(tmp_path)
    with atomic_write(tmp_path / "others") as file:
        assert not left.exists()  # before the write: its space may be needed
        file.write(b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["others"]


@needs_locks
def test_a_check_for_space_removes_what_a_killed_process_left(tmp_path: Path) -> None:
    left = left_file(tmp_path)
    check_space(tmp_path / "vectors", 1)
    assert not left.exists()


@needs_locks
def test_the_next_folder_in_the_cache_replaces_one_that_a_killed_process_left(tmp_path: Path) -> None:
    killed(
        "from pairloom.system.cache_folder import temporary_folder\nfolder = temporary_folder(Path(sys.argv[1]))\n"
        "(folder.__enter__() / 'ids.bin').write_bytes(b'ids')",
        tmp_path,
    )
    (left,) = tmp_path.glob("pairloom-tmp-*")
    assert (left / "ids.bin").exists()
    with temporary_folder(tmp_path) as folder:
        assert list(tmp_path.iterdir()) == [folder]
    assert list(tmp_path.iterdir()) == []


@needs_locks
def test_files_of_a_running_process_stay(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "one") as one, temporary_folder(tmp_path) as folder:
        with atomic_write(tmp_path / "two") as two:
            remove_leftovers(tmp_path)
            assert len(list(tmp_path.glob(".pairloom-*.tmp"))) == 2 and folder.exists()
            two.write(b"2")
        command = "import sys; from pairloom.system.temporary import *; remove_leftovers(Path(sys.argv[1]))"
        subprocess.run([sys.executable, "-c", command, tmp_path], check=True)
        assert len(list(tmp_path.glob(".pairloom-*.tmp"))) == 1 and folder.exists()
        one.write(b"1")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"one": b"1", "two": b"2"}


@needs_locks
def test_files_of_another_host_stay_for_a_day(tmp_path: Path) -> None:
    young, old = (tmp_path / f".pairloom-{'0' * 8}{digit * 16}.tmp" for digit in "12")
    for path in (young, old):
        path.touch()
    os.utime(old, (0, 0))
    remove_leftovers(tmp_path)
    assert list(tmp_path.iterdir()) == [young]


@needs_locks
def test_links_and_names_of_others_are_left_alone(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis").touch()
    host = temporary._host()
    (tmp_path / f".pairloom-{host}{'0' * 16}.tmp").symlink_to(precious)
    for name in (".pairloom-mine.tmp", "pairloom-tmp-mine", f"x.pairloom-{host}{'1' * 16}.tmp"):
        (tmp_path / name).touch()
    before = sorted(tmp_path.iterdir())
    remove_leftovers(tmp_path)
    assert sorted(tmp_path.iterdir()) == before and (precious / "thesis").exists()


@needs_locks
def test_a_leftover_that_may_not_be_removed_stays_without_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / f".pairloom-{temporary._host()}{'0' * 16}.tmp"
    left.touch()

    def read_only(self: Path) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", read_only)
        remove_leftovers(tmp_path)
    assert list(tmp_path.iterdir()) == [left]


@needs_locks
def test_many_processes_write_into_one_folder_without_removing_each_others_files(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom pairloom.system.files import atomic_write\n"
        "for i in range(150):\n    with atomic_write(Path(sys.argv[1]) / sys.argv[2]) as file: file.write(b'x' * i)"
    )
    with_names = [[sys.executable, "-c", code, str(tmp_path), name] for name in ("a", "b", "same", "same")]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE) for command in with_names]
    assert [process.communicate()[1] for process in processes] == [b""] * 4
    assert sorted((path.name, path.stat().st_size) for path in tmp_path.iterdir()) == [
        ("a", 149),
        ("b", 149),
        ("same", 149),
    ]


def test_a_folder_that_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    remove_leftovers(tmp_path / "nowhere")


@pytest.mark.parametrize("kind", [BESIDE_OUTPUT, IN_CACHE])
def test_without_locks_a_process_removes_only_its_own_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: tuple[str, str]
) -> None:
    left = tmp_path / f"{kind[0]}{temporary._host()}{'0' * 16}{kind[1]}"
    left.mkdir()

    def unsupported(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    for attribute, value in (("fcntl.flock", unsupported), ("pairloom.system.temporary.HAS_LOCKS", False)):
        monkeypatch.setattr(attribute, value)
        with atomic_write(tmp_path / "vectors") as file:
            file.write(b"new")
        Temporary.folder(tmp_path, kind).remove()
        assert sorted(tmp_path.iterdir()) == sorted([left, tmp_path / "vectors"])


@needs_locks
def test_a_file_that_was_removed_as_a_leftover_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []

    def late(descriptor: int) -> bool | None:
        if len(taken) < 2:  # the first was just removed by another process, the second is about to be
            for path in tmp_path.iterdir():
                path.unlink()
            taken.append(descriptor)
            return try_lock(descriptor) if len(taken) == 1 else False
        return try_lock(descriptor)

    monkeypatch.setattr(temporary, "try_lock", late)
    with atomic_write(tmp_path / "vectors") as file:
        file.write(b"new")
    assert len(taken) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["vectors"]


def test_an_interrupt_before_the_lock_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: int) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(temporary, "try_lock", interrupted)
    with pytest.raises(KeyboardInterrupt), atomic_write(tmp_path / "vectors"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_opened_is_made_without_a_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))  # as Windows does

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refused)
        folder = Temporary.folder(tmp_path, IN_CACHE)
    assert folder.path.is_dir()
    folder.remove()
    folder.remove()  # the second call does nothing
    assert list(tmp_path.iterdir()) == []
