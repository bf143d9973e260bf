"""Files written whole or not at all."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from wordloom.errors import InputError, OutputError

_ADVICE = {
    errno.ENOSPC: "Free some space or choose another place.",
    errno.EDQUOT: "Free some space or choose another place.",
    errno.EACCES: "Choose a folder that you may write to.",
    errno.EPERM: "Choose a folder that you may write to.",
    errno.EROFS: "Choose a folder that you may write to.",
    errno.ENOENT: "Create its folder first.",
    errno.ENOTDIR: "Part of the path is a file, not a folder.",
    errno.EISDIR: "It is a folder: give the name of a file.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
}


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
    bytes or the new ones, also after a crash. If the body or the disk fails, the temp file goes and the old one stays.
    A symbolic link is followed, the permissions of an old file are kept, and what is not a regular file (a pipe,
    /dev/stdout) is written directly, since it cannot be renamed over.
    """
    with output_errors(path):
        target = Path(os.path.realpath(path))
        old = _status(target)
        if old is not None and stat.S_ISDIR(old.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if os.fspath(path).startswith("/dev/") or (old is not None and not stat.S_ISREG(old.st_mode)):
            with Path(path).open("wb") as file:
                yield file
            return
        temporary = target.parent / f".wordloom-{os.urandom(8).hex()}.tmp"
        try:
            with temporary.open("xb") as file:
                if old is not None:
                    temporary.chmod(stat.S_IMODE(old.st_mode))
                yield file
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        sync_folder(target.parent)


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


def sync_folder(folder: Path) -> None:
    """Make renames in `folder` survive a power cut. (Windows has no such call, and needs none.)"""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


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
