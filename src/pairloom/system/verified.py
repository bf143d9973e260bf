"""Which files were found whole, so that a file is read to its end once and not at every start.

A file is known by its device, inode, size and times (mtime and ctime, in nanoseconds), and by a digest that its header
gives for all its content. A program that changes the file changes its times. Damage to the disk itself does not, and is
found only by reading everything again.

The list is a text file in the cache folder, a line for each file, replaced as a whole. If it cannot be read or written,
files are read to their end again, and nothing else happens.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from pairloom.errors import PairloomError
from pairloom.system.cache_folder import usual_folder
from pairloom.system.files import atomic_write

_MOST = 1000  # files; the one that was found whole longest ago is forgotten first
_SETTLED = 3.0  # seconds. Two changes within the resolution of a file system's clock leave the same times


class FileState:
    """A file as it was when it was opened."""

    def __init__(self, path: Path, status: os.stat_result, digest: str) -> None:
        self._path, self._status = path, status
        fields = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, digest)
        self._key = sha256(repr(fields).encode()).hexdigest()

    def is_verified(self) -> bool:
        """Whether the file, as it is, was found whole before."""
        return self._key in _remembered()

    def remember(self, now: Callable[[], float] = time.time) -> None:
        """Keep that the file is whole, unless it has changed since it was opened, or only just before."""
        with suppress(OSError, PairloomError):
            if self._is_unchanged() and now() - max(self._status.st_mtime, self._status.st_ctime) > _SETTLED:
                keys = [*(key for key in _remembered() if key != self._key), self._key]
                _list_path().parent.mkdir(parents=True, exist_ok=True)
                with atomic_write(_list_path()) as file:
                    file.write("".join(f"{key}\n" for key in keys[-_MOST:]).encode())

    def _is_unchanged(self) -> bool:
        there = self._path.stat()
        return all(
            getattr(there, name) == getattr(self._status, name)
            for name in ("st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
        )


def _list_path() -> Path:
    return usual_folder() / "verified.txt"


def _remembered() -> list[str]:
    with suppress(OSError, UnicodeDecodeError):
        return _list_path().read_text("ascii").splitlines()
    return []
