"""The folder that keeps encoded text and compiled kernels between runs."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pairloom.errors import OutputError
from pairloom.system.temporary import IN_CACHE, Temporary
from pairloom.types import PathName


def cache_folder(cache_dir: PathName | None = None) -> Path:
    """cache_dir if given, otherwise $PAIRLOOM_CACHE, otherwise the system's folder for caches."""
    if cache_dir is not None:
        return Path(cache_dir)
    import platformdirs

    return Path(os.environ.get("PAIRLOOM_CACHE") or platformdirs.user_cache_dir("pairloom"))


@contextmanager
def temporary_folder(cache: Path) -> Iterator[Path]:
    """A new folder in the cache. It is removed when the body ends, unless the body has renamed it."""
    temporary = new_temporary_folder(cache)
    try:
        yield temporary.path
    finally:
        temporary.remove()


def new_temporary_folder(cache: Path) -> Temporary:
    """A new folder in the cache, which the caller removes. The cache is created if it does not exist."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        return Temporary.folder(cache, IN_CACHE)
    except OSError as error:
        raise OutputError(
            f"The cache folder {cache} cannot be written: {error.strerror}. "
            "Set PAIRLOOM_CACHE, or the option cache_dir, to another folder."
        ) from error
