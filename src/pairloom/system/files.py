"""Files written whole or not at all."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from pairloom.errors import InputError, OutputError
from pairloom.system.addresses import refuse_address
from pairloom.system.display import format_bytes
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
# These may lead to a file that the shell has opened. Replacing that file would not write to the shell's.
_STREAMS = ("/dev/std", "/dev/fd/", "/proc/")
# The filesystem has no fsync. Other errors mean that an fsync has failed.
_CANNOT_FLUSH = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EBADF}


@contextmanager
def output_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn any OSError of the body into an OutputError about `path`. The body should do nothing but write."""
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
    """Yield a file to write to, which replaces `path` when the body ends.

    temp file in the same folder -> fsync -> rename -> fsync of the folder. So `path` holds either the old bytes or the
    new ones at every moment, also after a crash. If the body or the disk fails, the temp file is removed and the old
    file stays. If the process is killed, the next write into the same folder removes the temp file.

    Symbolic links are followed, and the permissions of an old file are kept. Pipes and devices (/dev/stdout) are
    written directly, since a file cannot be renamed over them.
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
    """Like `atomic_write`, but compressed if `path` ends in .gz. Same content, same bytes: no file name, no time."""
    with atomic_write(path) as file:
        if not os.fspath(path).lower().endswith(".gz"):
            yield file
            return
        import gzip

        with gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=6, mtime=0) as packed:
            yield cast(BinaryIO, packed)


@contextmanager
def flushed_write(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file in a temporary folder, and flush it to the disk when the body ends."""
    with path.open("xb") as file:
        yield file
        _flush(file)


def target_of(path: str | os.PathLike[str]) -> Path | None:
    """The file or folder that `path` leads to once links are followed; None for pipes and devices."""
    try:
        target = Path(os.path.realpath(path))
        status = _status(target)
    except ValueError:
        raise OSError(errno.EINVAL, "a path cannot hold a NUL") from None
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
    """fsync, if the filesystem supports it."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_FLUSH:
            raise


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` survive a power cut. (Not needed on Windows, which cannot open folders.)"""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # on Windows, or for a folder that may be written but not read
        return
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)


def sync_name(target: Path, path: str | os.PathLike[str]) -> None:
    """Make the new name of `target` survive a power cut, or raise an OutputError about `path`."""
    try:
        sync_folder(target.parent)
    except OSError as error:
        raise OutputError(
            f"{os.fspath(path)} is written, but a power cut could undo it: its folder could not be flushed to the "
            f"disk: {error.strerror}. Check the disk, then write the file again."
        ) from error


# --- Checks before the work


def check_folder(path: str | os.PathLike[str]) -> None:
    """Raise an InputError if a file at `path` clearly cannot be written. Writes nothing itself."""
    refuse_address(path, "The output")
    if os.fspath(path) == "-":
        raise InputError("- is not a file here. Use /dev/stdout for standard output, or ./- for a file of this name.")
    try:
        target = Path(os.path.realpath(path))  # writing follows symbolic links
        with suppress(FileNotFoundError, NotADirectoryError):
            target.stat()  # raises for a name too long, or with a NUL in it
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "a path cannot hold a NUL"
        raise InputError(f"{os.fspath(path)!r} cannot be written: {reason}. Choose another path.") from None
    if target.is_dir():
        raise InputError(f"{os.fspath(path)} is a folder. Give the name of a file to write.")
    if target.parent.exists() and not target.parent.is_dir():
        raise InputError(f"{os.fspath(path)} cannot be written: {target.parent} is a file. Give a path in a folder.")
    if not target.parent.is_dir():
        raise InputError(f"The folder {target.parent} of {os.fspath(path)} does not exist. Create it first.")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(f"The folder {target.parent} is not writable. Choose another place for {os.fspath(path)}.")


def check_space(path: str | os.PathLike[str], size: int) -> None:
    """Raise an OutputError if a file of `size` bytes cannot be written to `path` for lack of space.

    The old file stays until the new one is complete, so its space does not count as free. Temporary files that killed
    processes left in the folder are removed first. If the free space is unknown, as for a device, nothing is checked.
    """
    free = _free_space(path)
    if free is not None and size > free:
        raise OutputError(
            f"{os.fspath(path)} needs {format_bytes(size)}, and its disk has {format_bytes(free)} left (the old file "
            "stays until the new one is complete). Free some space, choose another place, or use a smaller dim."
        )


def _free_space(path: str | os.PathLike[str]) -> int | None:
    import shutil

    with suppress(OSError):
        target = target_of(path)
        if target is not None:
            remove_leftovers(target.parent)
            disk = shutil.disk_usage(target.parent)
            return disk.free if disk.total else None
    return None
