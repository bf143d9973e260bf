"""Files are written whole or not at all."""

import errno
import os
import shutil
import stat
import subprocess
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.errors import InputError, OutputError
from pairloom.formats.write_folders import new_folder
from pairloom.system.files import atomic_write, check_folder, check_space, flushed_write, packed_write, sync_folder
from pairloom.system.temporary import IN_CACHE, Temporary


def failing(number: int):
    """A system call that fails with this error."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def test_the_file_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    with atomic_write(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt, SystemExit, GeneratorExit, OSError])
def test_after_an_error_only_the_old_file_is_there(tmp_path: Path, error: type[BaseException]) -> None:
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


def test_a_dash_is_not_taken_for_the_name_of_a_file() -> None:
    with pytest.raises(InputError, match=r"^- is not a file here\. Use /dev/stdout for standard output, or \./- for"):
        check_folder("-")
    check_folder("./-")


@pytest.mark.parametrize("path", [b"a.loom", 3])
def test_what_is_not_a_path_is_refused_by_name(path: object) -> None:
    with pytest.raises(TypeError, match=r"is (b'a\.loom'|3), not a path\. Give a string or a pathlib\.Path\."):
        pairloom.load(path)  # type: ignore[arg-type]


def test_a_path_that_cannot_be_written_is_explained_in_one_line(tmp_path: Path) -> None:
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


def test_an_interrupt_stays_an_interrupt_when_the_disk_is_full_too(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), atomic_write(tmp_path / "vectors") as file:
        file.write(b"still in the buffer")
        os.close(file.fileno())  # now the buffer cannot be written when the file is closed
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_no_file_can_have_is_an_output_error(tmp_path: Path) -> None:
    with (
        pytest.raises(OutputError, match="could not be written: a path cannot hold a NUL"),
        atomic_write(f"{tmp_path}/a\0b"),
    ):
        pass


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="needs /dev/shm")
def test_a_file_in_shared_memory_is_written_whole_or_not_at_all_too() -> None:
    path = Path("/dev/shm") / f"pairloom-test-{os.getpid()}"
    try:
        path.write_bytes(b"old")
        with pytest.raises(KeyError), atomic_write(path) as file:
            file.write(b"half")
            raise KeyError
        assert path.read_bytes() == b"old"
    finally:
        path.unlink()


def test_standard_output_is_written_to_wherever_the_shell_has_sent_it(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with out.open("wb") as shell:
        with atomic_write(f"/dev/fd/{shell.fileno()}") as file:
            file.write(b"vectors")
        shell.seek(0, os.SEEK_END)
        shell.write(b", and more")
    assert out.read_bytes() == b"vectors, and more"


def test_a_compressed_file_has_no_name_and_no_time(tmp_path: Path) -> None:
    for name in ("a.gz", "b.GZ"):
        with packed_write(tmp_path / name) as file:
            file.write(b"new")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.GZ").read_bytes()


# --- Flushing


def test_a_file_is_flushed_before_it_gets_its_name_and_its_folder_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, calls, fsync = tmp_path / "vectors", [], os.fsync

    def watched(descriptor: int) -> None:
        kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        calls.append((kind, os.fstat(descriptor).st_size if kind == "file" else None, path.exists()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    with atomic_write(path) as file:
        file.write(b"new")
    assert calls == [("file", 3, False), ("folder", None, True)]


def test_a_folder_that_cannot_be_flushed_is_reported_although_the_new_file_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "vectors"
    monkeypatch.setattr("pairloom.system.files.sync_folder", failing(errno.EIO))
    with pytest.raises(OutputError) as caught, atomic_write(path) as file:
        file.write(b"new")
    assert str(caught.value) == (
        f"{path} is written, but a power cut could undo it: its folder could not be flushed to the disk: "
        "Input/output error. Check the disk, then write the file again."
    )
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EBADF])
def test_a_filesystem_that_cannot_flush_is_written_to_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(os, "fsync", failing(number))
    with atomic_write(tmp_path / "vectors") as file:
        file.write(b"new")
    assert (tmp_path / "vectors").read_bytes() == b"new"


def test_a_folder_that_cannot_be_opened_is_not_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "open", failing(errno.EACCES))
    monkeypatch.setattr(os, "fsync", failing(errno.EIO))
    sync_folder(tmp_path)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EFBIG])
def test_a_file_that_cannot_be_flushed_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", failing(number))
    with pytest.raises(OutputError, match=os.strerror(number)), atomic_write(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_files_and_folders_in_a_new_folder_are_flushed_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, flushed, fsync = tmp_path / "logs", [], os.fsync

    def watched(descriptor: int) -> None:
        flushed.append((Path(os.readlink(f"/proc/self/fd/{descriptor}")).name, target.exists()))  # noqa: PTH115
        fsync(descriptor)

    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc")
    monkeypatch.setattr(os, "fsync", watched)
    with new_folder(target) as folder:
        (folder / "inner").mkdir()
        with flushed_write(folder / "inner" / "tensors.tsv") as file:
            file.write(b"1")
    assert flushed == [("tensors.tsv", False), (folder.name, False), ("inner", False), (tmp_path.name, True)]


# --- Space


Disk = namedtuple("Disk", "total used free")


def test_a_file_that_does_not_fit_is_refused_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Disk(10**10, 9 * 10**9, 123_400_000))
    check_space(tmp_path / "vectors", 123_400_000)
    with pytest.raises(OutputError) as caught:
        check_space(tmp_path / "vectors", 2_560_000_000)
    assert str(caught.value) == (
        f"{tmp_path / 'vectors'} needs 2.6 GB, and its disk has 123.4 MB left (the old file stays until the new one is "
        "complete). Free some space, choose another place, or use a smaller dim."
    )
    assert caught.value.exit_code == 5


@pytest.mark.parametrize("usage", [failing(errno.ENOSYS), lambda _: Disk(0, 0, 0)])
def test_unknown_free_space_is_not_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, usage) -> None:
    monkeypatch.setattr(shutil, "disk_usage", usage)
    check_space(tmp_path / "vectors", 10**18)


def test_devices_and_missing_folders_are_not_checked_for_space(tmp_path: Path) -> None:
    for path in (os.devnull, tmp_path / "no" / "vectors", f"{tmp_path}/a\0b"):
        check_space(path, 10**18)


# --- A full disk, for every command that writes


@pytest.fixture(scope="module")
def small_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A disk of 64 kB. Mounting one needs root, and does not work everywhere."""
    folder = tmp_path_factory.mktemp("disk")
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run([mount, "-t", "tmpfs", "-o", "size=64k", "x", folder], capture_output=True).returncode
    ):
        pytest.skip("no small disk can be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory, corpus: Path, model: Path) -> dict[str, list[str]]:
    """For each command, its arguments before the output path. The results have more than 64 kB."""
    folder = tmp_path_factory.mktemp("inputs")
    edges, words, news = folder / "edges.txt", folder / "words.txt", folder / "news.txt"
    edges.write_text("".join(f"n{i} n{i + 1}\n" for i in range(5000)))
    words.write_text("".join(f"word{i} word{i + 1}\n" for i in range(8000)))
    news.write_text("".join(f"new{i} cat dog\n" for i in range(1500)))
    large = folder / "large.loom"
    pairloom.train(words, dim=8, epochs=1, min_count=1).save(large)
    return {
        "convert": ["convert", str(large)],
        "walk": ["walk", str(edges), "--walks", "1", "--length", "10", "--threads", "1", "-o"],
        "pairs": ["pairs", "edges", str(edges), "-o"],
        "phrases": ["phrases", str(words), "-o"],
        "vocab": ["vocab", str(words), "--min-count", "1", "-o"],
        "explain": ["explain", str(model), str(corpus), "--quiet", "--page"],
        "fold-in": ["fold-in", str(model), str(news), "--min-count", "1", "-o"],
        "train": ["train", str(words), "--dim", "8", "--epochs", "1", "--min-count", "1", "--quiet", "-o"],
    }


NAMES = {
    "convert": "out.bin",
    "walk": "walks.txt",
    "pairs": "pairs.txt",
    "phrases": "joined.txt",
    "vocab": "words.txt",
    "explain": "page.html",
    "fold-in": "more.loom",
    "train": "model.vec",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_full_disk_ends_each_command_with_5_and_leaves_the_old_file_alone(
    commands: dict[str, list[str]], small_disk: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = small_disk / NAMES[name]
    path.write_bytes(b"old")
    with (small_disk / "filler").open("wb") as filler:
        filler.write(bytes(40_000))
    try:
        assert main([*commands[name], str(path)]) == 5
        said = "could not be written: No space left on device. Free some space or choose another place."
        if name == "train":  # checks the space before it starts
            said = "needs 0.6 MB, and its disk has 0.0 MB left (the old file stays until the new one is complete). "
            said += "Free some space, choose another place, or use a smaller dim."
        assert capsys.readouterr().err.splitlines()[-1] == f"pairloom {name}: {path} {said}"
        assert path.read_bytes() == b"old"
        assert sorted(small_disk.iterdir()) == sorted([small_disk / "filler", path])
    finally:
        for left in small_disk.iterdir():
            left.unlink()


@pytest.mark.parametrize("name", NAMES)
def test_a_flush_that_fails_ends_each_command_with_5_and_leaves_the_old_file_alone(
    commands: dict[str, list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    path, fsync = tmp_path / NAMES[name], os.fsync
    path.write_bytes(b"old")

    def failing_here(descriptor: int) -> None:
        if os.fstat(descriptor).st_nlink and any(
            os.path.samestat(os.fstat(descriptor), f.stat()) for f in tmp_path.iterdir()
        ):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", failing_here)
    assert main([*commands[name], str(path)]) == 5
    message = capsys.readouterr().err.splitlines()[-1]
    assert message == f"pairloom {name}: {path} could not be written: Input/output error. Choose another place."
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("name", ["convert", "walk", "pairs", "phrases", "vocab", "explain"])
def test_a_full_device_ends_each_command_with_5(
    commands: dict[str, list[str]], capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert main([*commands[name], "/dev/full", *(["--to", "bin"] if name == "convert" else [])]) == 5
    assert "/dev/full could not be written: No space left on device." in capsys.readouterr().err


def test_a_demo_whose_model_cannot_be_written_ends_with_5(
    tmp_path: Path, two_topics: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def write_corpus(path: Path) -> int:
        path.write_text("".join(" ".join(sentence) + "\n" for sentence in two_topics))
        return 4800

    path, replace = tmp_path / "demo.loom", Path.replace

    def failing_here(self: Path, target: Path) -> Path:
        if target == path:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return replace(self, target)

    path.write_bytes(b"old")
    monkeypatch.setattr("pairloom.cli.demo_text.write_corpus", write_corpus)
    monkeypatch.setattr(Path, "replace", failing_here)
    assert main(["demo", "-o", str(path)]) == 5
    assert f"pairloom demo: {path} could not be written: No space left" in capsys.readouterr().err
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_removed_before_it_is_opened_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, taken = os.open, []

    def too_late(path: object, *more: int, **named: int) -> int:
        if not taken and isinstance(path, Path) and path.is_dir():
            taken.append(path)
            path.rmdir()  # as another process may do that removes leftovers at this moment
        return opened(path, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", too_late)
    folder = Temporary.folder(tmp_path, IN_CACHE)
    assert taken and folder.path != taken[0] and folder.path.is_dir()
    folder.remove()
    with pytest.raises(FileNotFoundError):
        Temporary.folder(tmp_path / "nowhere", IN_CACHE)
