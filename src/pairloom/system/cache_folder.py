"""The folder that keeps encoded text and compiled kernels between runs."""

import atexit
import errno
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from pairloom.errors import OutputError
from pairloom.system.temporary import IN_CACHE, Temporary
from pairloom.types import PathName


def cache_folder(cache_dir: PathName | None = None) -> Path:
    """cache_dir if given, otherwise $PAIRLOOM_CACHE, otherwise the system's folder for caches.

    If a folder that was not given here cannot be written, for example by a user without a home, it costs a warning, and
    what would be written there goes to a folder that is deleted when the process ends.
    """
    given = os.environ.get("PAIRLOOM_CACHE") if cache_dir is None else cache_dir
    return Path(given) if given else _system_folder()


def usual_folder() -> Path:
    """$PAIRLOOM_CACHE, otherwise the system's folder for caches, whether it can be written or not."""
    given = os.environ.get("PAIRLOOM_CACHE")
    return Path(given) if given else _system_path()


def _system_path() -> Path:
    import platformdirs

    return Path(platformdirs.user_cache_dir("pairloom"))


@cache
def _system_folder() -> Path:
    folder = _system_path()
    return folder if _may_be_written(folder) else passing_folder(folder)


@cache
def passing_folder(folder: Path) -> Path:
    """In place of a cache folder that cannot be written: one that is deleted when the process ends."""
    try:
        passing = tempfile.mkdtemp(prefix="pairloom-cache-")
    except OSError as error:
        raise OutputError(
            f"Neither the cache folder {folder} nor the folder for temporary files can be written: {error.strerror}. "
            "Set PAIRLOOM_CACHE or TMPDIR to a folder that can."
        ) from error
    atexit.register(shutil.rmtree, passing, ignore_errors=True)
    warnings.warn(
        f"The cache folder {folder} cannot be written, so nothing is kept for the next run. "
        "Set PAIRLOOM_CACHE, or the option cache_dir, to another folder.",
        stacklevel=2,
    )
    return Path(passing)


def _may_be_written(folder: Path) -> bool:
    """Whether a folder can be written, or created. It is not created here. (~ stays ~ for a user without a home.)"""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return folder.is_absolute() and there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def check_writable(cache_dir: PathName | None) -> None:
    """Raise an OutputError if the cache cannot be written, and holds no text that may make this unnecessary."""
    folder = cache_folder(cache_dir)
    try:
        with temporary_folder(folder):
            pass
    except OutputError:
        with suppress(OSError):
            if any(folder.iterdir()):
                return
        raise


@contextmanager
def temporary_folder(cache_path: Path) -> Iterator[Path]:
    """A new folder in the cache. It is removed when the body ends, unless the body has renamed it."""
    temporary = new_temporary_folder(cache_path)
    try:
        yield temporary.path
    finally:
        temporary.remove()


def new_temporary_folder(cache_path: Path) -> Temporary:
    """A new folder in the cache, which the caller removes. The cache is created if it does not exist."""
    try:
        cache_path.mkdir(parents=True, exist_ok=True)
        return Temporary.folder(cache_path, IN_CACHE)
    except OSError as error:
        if cache_path == cache_folder() and error.errno != errno.ENOSPC:  # not one that the user has named for this run
            return Temporary.folder(passing_folder(cache_path), IN_CACHE)
        raise OutputError(
            f"The cache folder {cache_path} cannot be written: {error.strerror}. "
            "Set PAIRLOOM_CACHE, or the option cache_dir, to another folder."
        ) from error
