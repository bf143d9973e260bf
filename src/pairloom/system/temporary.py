"""Temporary files and folders. If the process that made one is killed, the next process removes it.

The process that makes a temporary file or folder locks it (flock) until it is renamed or removed. The system releases
the lock when the process ends, even if it is killed. So a temporary file without a lock is a leftover.

On some network filesystems a machine cannot see the locks of other machines. Therefore the name includes the host, and
files of another host are left alone for a day. Without flock (on Windows and some network filesystems) a process
removes only its own files.
"""

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, TypeVar

HAS_LOCKS = find_spec("fcntl") is not None  # False on Windows

TemporaryKind = tuple[str, str]  # the parts of a name before and after the host and the random digits
BESIDE_OUTPUT: TemporaryKind = (".pairloom-", ".tmp")
IN_CACHE: TemporaryKind = ("pairloom-tmp-", "")

_NAME = re.compile(r"(?:\.pairloom-(\w{8})\w{16}\.tmp|pairloom-tmp-(\w{8})\w{16})", re.ASCII)
_OTHER_HOSTS_REST = 24 * 3600.0  # seconds for which files of another host are left alone
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_INSPECT = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # follows no link, never waits


def try_lock(descriptor: int, shared: bool = False) -> bool | None:
    """Lock an open file until it is closed. False if another process has the lock, None if there are no locks here.

    shared: several may hold it at the same time, and together keep others from a lock that is not shared.
    """
    if not HAS_LOCKS:
        return None
    import fcntl

    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def is_at(path: Path, descriptor: int) -> bool:
    """Whether `path` still names the open file."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


class Temporary:
    """A file or folder that other processes leave alone until it is removed or this process ends."""

    def __init__(self, path: Path, lock: int | None) -> None:
        self.path = path
        self._lock = lock  # the descriptor that holds the lock, or None without locks

    @classmethod
    def folder(cls, parent: Path, kind: TemporaryKind) -> "Temporary":
        """Make a new folder in `parent`, and remove what killed processes left there."""
        path, descriptor, _ = _make(parent, kind, _create_folder)
        return cls(path, descriptor)

    @classmethod
    def file(cls, parent: Path) -> tuple["Temporary", int]:
        """Make a new file in `parent` in the same way. Also returns a descriptor to write to it."""
        path, descriptor, is_locked = _make(parent, BESIDE_OUTPUT, _create_file)
        # Only a lock needs a second descriptor. Windows has no locks, and cannot rename a file that is open twice.
        return cls(path, os.dup(descriptor) if is_locked else None), descriptor

    def remove(self) -> None:
        """Remove it, unless it has been renamed, and release the lock."""
        _remove(self.path)
        lock, self._lock = self._lock, None
        if lock is not None:
            with suppress(OSError):  # everything written was flushed before
                os.close(lock)


_Descriptor = TypeVar("_Descriptor", int, int | None)


def _make(parent: Path, kind: TemporaryKind, create: Callable[[Path], _Descriptor]) -> tuple[Path, _Descriptor, bool]:
    """Create a file or folder under a new name. Returns its path, its descriptor and whether it is locked."""
    remove_leftovers(parent)
    while True:
        path = parent / f"{kind[0]}{_host()}{os.urandom(8).hex()}{kind[1]}"
        try:
            descriptor = create(path)
            locked = None if descriptor is None else try_lock(descriptor)
            if descriptor is None or locked is None:
                return path, descriptor, False
            if locked and is_at(path, descriptor):
                return path, descriptor, True
        except FileNotFoundError:
            if parent.exists():
                continue  # another process removed the folder as a leftover before it was opened: make another
            raise
        except BaseException:
            _remove(path)
            raise
        os.close(descriptor)  # another process removed it as a leftover before it was locked: make another


def _create_file(path: Path) -> int:
    return os.open(path, _NEW_FILE, 0o666)


def _create_folder(path: Path) -> int | None:
    path.mkdir()
    try:
        return os.open(path, os.O_RDONLY)
    except PermissionError:  # Windows cannot open folders
        return None


@contextmanager
def temporary_file(parent: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """Yield a file to write to. It is removed when the body ends, unless the body has renamed it."""
    temporary, descriptor = Temporary.file(parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            try:
                yield temporary.path, file
            except BaseException:
                with suppress(OSError):  # the rest of the buffer is no longer needed
                    file.close()
                raise
    finally:
        temporary.remove()


def remove_leftovers(folder: Path) -> None:
    """Remove temporary files and folders of processes that have ended. Those that cannot be opened stay."""
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208 (names are enough to skip most files)
            if match := _NAME.fullmatch(name):
                _remove_if_leftover(folder / name, (match[1] or match[2]) == _host())


def is_held(path: Path) -> bool:
    """Whether a running process uses this temporary file or folder, as far as locks show."""
    with suppress(OSError):
        descriptor = os.open(path, _INSPECT)
        try:
            return try_lock(descriptor) is False
        finally:
            os.close(descriptor)
    return False


def _remove_if_leftover(path: Path, is_ours: bool) -> None:
    with suppress(OSError):
        descriptor = os.open(path, _INSPECT)
        try:
            rested = is_ours or time.time() - os.fstat(descriptor).st_mtime > _OTHER_HOSTS_REST
            if rested and try_lock(descriptor):
                _remove(path)
        finally:
            os.close(descriptor)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
        return
    import shutil  # here, like platform below, because it would slow down `pairloom --help`

    shutil.rmtree(path, ignore_errors=True)


@cache
def _host() -> str:
    import platform

    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]
