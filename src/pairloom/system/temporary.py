"""Temporary files and folders that belong to a living process, and are removed by the next one if it was killed.

Whoever makes one locks it (flock) and keeps the lock until it is renamed or removed. The system takes the lock back
when a process ends, however it ends, so what nobody holds was left behind. The host stands in the name, since on some
network filesystems locks are not seen by other machines: what another host made is left alone for a day. Where there
are no such locks at all (Windows, some network filesystems), nothing is removed but one's own.
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

HAS_LOCKS = find_spec("fcntl") is not None  # Windows has not

TemporaryKind = tuple[str, str]  # what stands before and after the random part of a name
BESIDE_OUTPUT: TemporaryKind = (".pairloom-", ".tmp")
IN_CACHE: TemporaryKind = ("pairloom-tmp-", "")

_NAME = re.compile(r"(?:\.pairloom-(\w{8})\w{16}\.tmp|pairloom-tmp-(\w{8})\w{16})", re.ASCII)
_OTHER_HOSTS_REST = 24 * 3600.0  # seconds that what another host made is left alone
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_LOOK = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # never through a link, nor waiting


def try_lock(descriptor: int) -> bool | None:
    """Lock an open file until it is closed; False if somebody else has it, None if it cannot be locked here."""
    if not HAS_LOCKS:
        return None
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def is_at(path: Path, descriptor: int) -> bool:
    """Whether `path` is still the name of an open file."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


class Temporary:
    """A file or folder that others leave alone until it is removed, or this process ends."""

    def __init__(self, path: Path, owner: int | None) -> None:
        self.path = path
        self._owner = owner  # a descriptor that holds the lock, where there are locks

    @classmethod
    def folder(cls, parent: Path, kind: TemporaryKind) -> "Temporary":
        """A new folder, after removing what killed processes have left in `parent`."""
        path, descriptor, _ = _made(parent, kind, _make_folder)
        return cls(path, descriptor)

    @classmethod
    def file(cls, parent: Path) -> tuple["Temporary", int]:
        """The same with a file, and a descriptor to write to it. (Windows renames no file that is open twice.)"""
        path, descriptor, is_locked = _made(parent, BESIDE_OUTPUT, _make_file)
        return cls(path, os.dup(descriptor) if is_locked else None), descriptor

    def remove(self) -> None:
        """Remove it, unless it has another name by now, and let go of it."""
        _remove(self.path)
        owner, self._owner = self._owner, None
        if owner is not None:
            with suppress(OSError):  # what was written was flushed long ago
                os.close(owner)


_Descriptor = TypeVar("_Descriptor", int, int | None)


def _made(parent: Path, kind: TemporaryKind, make: Callable[[Path], _Descriptor]) -> tuple[Path, _Descriptor, bool]:
    """A new name and what was made there; whether it is locked."""
    remove_leftovers(parent)
    while True:
        path = parent / f"{kind[0]}{_host()}{os.urandom(8).hex()}{kind[1]}"
        try:
            descriptor = make(path)
            locked = None if descriptor is None else try_lock(descriptor)
            if descriptor is None or locked is None:
                return path, descriptor, False
            if locked and is_at(path, descriptor):
                return path, descriptor, True
        except FileNotFoundError:
            if parent.exists():
                continue  # somebody took a folder for a leftover before it was even opened: take another
            raise
        except BaseException:
            _remove(path)
            raise
        os.close(descriptor)  # somebody took it for a leftover before it was locked: take another


def _make_file(path: Path) -> int:
    return os.open(path, _NEW_FILE, 0o666)


def _make_folder(path: Path) -> int | None:
    path.mkdir()
    try:
        return os.open(path, os.O_RDONLY)
    except PermissionError:  # Windows opens no folders
        return None


@contextmanager
def temporary_file(parent: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A file to write into, which is gone when the body ends unless it has another name by then."""
    temporary, descriptor = Temporary.file(parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            try:
                yield temporary.path, file
            except BaseException:
                with suppress(OSError):  # what was not yet written is not wanted any more
                    file.close()
                raise
    finally:
        temporary.remove()


def remove_leftovers(folder: Path) -> None:
    """Remove temporary files and folders whose makers have ended. What cannot be looked into stays."""
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208 (a name is all that most files need be looked at for)
            if match := _NAME.fullmatch(name):
                _remove_if_left(folder / name, (match[1] or match[2]) == _host())


def is_held(path: Path) -> bool:
    """Whether a living process has made it and not yet removed it, as far as can be seen from here."""
    with suppress(OSError):
        descriptor = os.open(path, _LOOK)
        try:
            return try_lock(descriptor) is False
        finally:
            os.close(descriptor)
    return False


def _remove_if_left(path: Path, is_ours: bool) -> None:
    with suppress(OSError):
        descriptor = os.open(path, _LOOK)
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
    import shutil  # here and below, since these take longer to import than `pairloom --help` has

    shutil.rmtree(path, ignore_errors=True)


@cache
def _host() -> str:
    import platform

    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]
