"""The encoded texts in the cache folder: which there are, and which may go when there are too many.

An entry is a folder with a `meta.json`. A process that uses an entry holds a shared lock on that file (`hold`), which
the system releases when the process ends, and touches it, so that its time says when it was last used.
"""

import json
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from pairloom.errors import InputError
from pairloom.system.cache_folder import cache_folder
from pairloom.system.files import output_errors
from pairloom.system.memory import checked_size
from pairloom.system.temporary import IN_CACHE, is_held, try_lock
from pairloom.types import PathName

META, NAME = "meta.json", "name.txt"
FORMAT_PREFIX = "pairloom-cache-"
_LONGEST_NAME = 1000  # bytes
_REST = 24 * 3600.0  # where there are no locks, an entry counts as in use for this many seconds after its last use


class CacheEntry(NamedTuple):
    """A folder of the cache."""

    path: Path
    size_bytes: int
    name: str = ""  # of the corpus, when the entry was made; "" if it was not finished
    used: float = 0.0  # when it was last used, in seconds since 1970
    in_use: bool = False


def cache_entries(cache_dir: PathName | None = None) -> list[CacheEntry]:
    """The folders in the cache, including those that killed runs left behind."""
    cache = cache_folder(cache_dir)
    try:
        folders = sorted(cache.iterdir()) if cache.exists() else []
    except OSError as error:
        raise InputError(f"The cache folder {cache} cannot be read: {error.strerror}. Choose another.") from None
    found = [_entry(folder) for folder in folders if not folder.is_symlink() and folder.is_dir()]
    return [entry for entry in found if entry is not None]


def _entry(folder: Path) -> CacheEntry | None:
    """None if the folder is not one of ours."""
    if folder.name.startswith(IN_CACHE[0]):
        return CacheEntry(folder, _size(folder), used=_time(folder), in_use=is_held(folder))
    try:
        meta: Any = json.loads((folder / META).read_bytes())
        if not str(meta["format"]).startswith(FORMAT_PREFIX):
            return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    used = _time(folder / META)
    return CacheEntry(folder, _size(folder), _name(folder), used, _is_in_use(folder / META, used))


def _name(folder: Path) -> str:
    with suppress(OSError):
        return (folder / NAME).read_bytes()[:_LONGEST_NAME].decode(errors="replace")
    return "unknown"


def clear_cache(cache_dir: PathName | None = None) -> int:
    """Delete the entries of the cache, except those in use. Returns the number of bytes freed."""
    return sum(_removed(entry) for entry in cache_entries(cache_dir))


def shrink_cache(limit: int, cache_dir: PathName | None = None) -> int:
    """Delete entries until all take at most `limit` bytes: the one whose last use is longest ago first, none in use.

    Returns the number of bytes freed.
    """
    entries = cache_entries(cache_dir)
    size, freed = sum(entry.size_bytes for entry in entries), 0
    for entry in sorted(entries, key=lambda entry: (entry.used, entry.path)):
        if size - freed <= limit:
            break
        freed += _removed(entry)
    return freed


def cache_limit() -> int | None:
    """The size that $PAIRLOOM_CACHE_SIZE allows the cache; None if it does not say."""
    return checked_size(os.environ.get("PAIRLOOM_CACHE_SIZE") or None, "$PAIRLOOM_CACHE_SIZE", least="1MB")


def hold(entry: Path) -> Callable[[], None]:
    """Mark an entry as used, and as in use until the returned function is called, or this process ends."""
    with suppress(OSError):
        descriptor = os.open(entry / META, os.O_RDONLY)
        try_lock(descriptor, shared=True)
        with suppress(OSError):  # of another user
            os.utime(entry / META)
        return lambda: os.close(descriptor)
    return lambda: None


def _is_in_use(meta: Path, used: float) -> bool:
    with suppress(OSError):
        descriptor = os.open(meta, os.O_RDONLY)
        try:
            locked = try_lock(descriptor)
            return time.time() - used < _REST if locked is None else not locked
        finally:
            os.close(descriptor)
    return False


def _removed(entry: CacheEntry) -> int:
    """The bytes that are freed by deleting an entry; 0 if it is in use."""
    if entry.in_use:
        return 0
    with output_errors(entry.path):
        shutil.rmtree(entry.path)
    return entry.size_bytes


def _time(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def _size(folder: Path) -> int:
    size = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # a run that is finishing may rename its folder
            size += path.stat().st_size if path.is_file() else 0
    return size
