"""Files written whole or not at all."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from pairloom.errors import InputError, OutputError
from pairloom.system.temporary import remove_leftovers, temporary_file

_ADVICE = {
    errno.ENOSPC: "Free some space or choose another place.",
    errno.EDQUOT: "Free some space or choose another place.",
    errno.EFBIG: "Choose a place where files may be larger.",
    errno.EACCES: "Choose a folder that you may write to.",
    errno.EPERM: "Choose a folder that you may write to.",
    errno.EROFS: "Choose a folder that you may write to.",
    errno.ENOENT: "Create its folder first.",
    errno.ENOTDIR: "Part of the path is a file, not a folder.",
    errno.EISDIR: "It is a folder: give the name of a file.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
}
_STREAMS = (
    "/dev/std",
    "/dev/fd/",
    "/proc/",
)  # may be a file that the shell has opened: replacing it would not reach it
_CANNOT_FLUSH = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EBADF}  # not: has failed to


@contextmanager
def output_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn any OSError of the body into one OutputError about `path`; the body should do nothing but write."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0, "Choose another place.")
        reason = error.strerror or str(error)
        raise OutputError(f"{os.fspath(path)} could not be written: {reason}. {advice}") from error


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Give a file to write into; it takes the place of `path` when the body ends, and not before.

    temp file in the same folder -> fsync -> rename -> fsync of the folder, so that at every moment `path` holds the old
    bytes or the new ones, also after a crash. If the body or the disk fails, the temp file goes and the old one stays;
    what a killed process left is removed by the next write into the same folder. A symbolic link is followed, the
    permissions of an old file are kept, and what is not a regular file (a pipe, /dev/stdout) is written directly, since
    it cannot be renamed over.
    """
    with output_errors(path):
        target = target_of(path)
        if target is None:
            with Path(path).open("wb") as file:
                yield file
            return
        old = _status(target)
        if old is not None and stat.S_ISDIR(old.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with temporary_file(target.parent) as (temporary, file):
            if old is not None:
                temporary.chmod(stat.S_IMODE(old.st_mode))
            yield file
            _flush(file)
            file.close()
            temporary.replace(target)
        sync_name(target, path)


@contextmanager
def packed_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The same, packed by gzip if the name ends in .gz, without name and hour: equal content makes equal files."""
    with atomic_write(path) as file:
        if not os.fspath(path).lower().endswith(".gz"):
            yield file
            return
        import gzip

        with gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=6, mtime=0) as packed:
            yield cast(BinaryIO, packed)


@contextmanager
def flushed_write(path: Path) -> Iterator[BinaryIO]:
    """Give a new file in a folder that is itself temporary; when the body ends, the file is on the disk."""
    with path.open("xb") as file:
        yield file
        _flush(file)


def target_of(path: str | os.PathLike[str]) -> Path | None:
    """Where the file or folder `path` is, or will be, once links are followed; None for pipes and devices."""
    try:
        target = Path(os.path.realpath(path))
        status = _status(target)
    except ValueError as error:  # a NUL
        raise OSError(errno.EINVAL, str(error)) from None
    is_plain = status is None or stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    return target if is_plain and not os.fspath(path).startswith(_STREAMS) else None


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


# --- Flushing to the disk


def _flush(file: BinaryIO) -> None:
    file.flush()
    _sync(file.fileno())


def _sync(descriptor: int) -> None:
    """fsync, where the filesystem has it."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_FLUSH:
            raise


def sync_folder(folder: Path) -> None:
    """Make names in `folder` survive a power cut. (Windows opens no folders, and needs it not.)"""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # also a folder that may be written and not read
        return
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)


def sync_name(target: Path, path: str | os.PathLike[str]) -> None:
    """Make the name that `target` just got survive a power cut; an OutputError about `path` says that it may not."""
    try:
        sync_folder(target.parent)
    except OSError as error:
        raise OutputError(
            f"{os.fspath(path)} is written, but a power cut could undo it: its folder could not be flushed to the "
            f"disk: {error.strerror}. Look after the disk, and write it again."
        ) from error


# --- Before the work


def check_folder(path: str | os.PathLike[str]) -> None:
    """Raise an InputError if a file at `path` clearly cannot be written. It writes nothing anywhere."""
    try:
        target = Path(os.path.realpath(path))  # a symbolic link is written through
        with suppress(FileNotFoundError, NotADirectoryError):
            target.stat()  # raises for a name too long, or with a NUL in it
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "a path cannot hold a NUL"
        raise InputError(f"{os.fspath(path)!r} cannot be written: {reason}. Choose another path.") from None
    if target.is_dir():
        raise InputError(f"{os.fspath(path)} is a folder. Give the name of a file to write.")
    if target.parent.exists() and not target.parent.is_dir():
        raise InputError(f"{target.parent} is a file, so there is no {os.fspath(path)}. Give a path in a folder.")
    if not target.parent.is_dir():
        raise InputError(f"The folder {target.parent} of {os.fspath(path)} does not exist. Create it first.")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(f"The folder {target.parent} is not writable. Choose another place for {os.fspath(path)}.")


def check_space(path: str | os.PathLike[str], size: int) -> None:
    """Raise an OutputError if a file of `size` bytes cannot be written to `path` for lack of space.

    The old file stays until the new one is whole, so that all of it is needed; what killed processes left there goes.
    Where it cannot be known how much is free (a device, a filesystem that does not say), this says nothing.
    """
    free = _free(path)
    if free is not None and size > free:
        raise OutputError(
            f"{os.fspath(path)} needs {_bytes(size)}, and its disk has {_bytes(free)} left (an old file stays until "
            "the new one is whole). Free some space, choose another place, or a smaller dim."
        )


def _free(path: str | os.PathLike[str]) -> int | None:
    import shutil

    with suppress(OSError):
        target = target_of(path)
        if target is not None:
            remove_leftovers(target.parent)
            disk = shutil.disk_usage(target.parent)
            return disk.free if disk.total else None
    return None


def _bytes(n: int) -> str:
    return f"{n / 1e9:,.1f} GB" if n >= 1e9 else f"{n / 1e6:,.1f} MB"
