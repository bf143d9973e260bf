"""The folder that keeps encoded text and compiled kernels between runs."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pairloom.errors import OutputError
from pairloom.system.temporary import IN_CACHE, Temporary


def default_cache_dir() -> Path:
    """$PAIRLOOM_CACHE, or the system's place for caches."""
    import platformdirs

    return Path(os.environ.get("PAIRLOOM_CACHE") or platformdirs.user_cache_dir("pairloom"))


@contextmanager
def temporary_folder(cache: Path) -> Iterator[Path]:
    """A new folder in the cache, which goes when the body ends unless it has another name by then."""
    temporary = new_temporary_folder(cache)
    try:
        yield temporary.path
    finally:
        temporary.remove()


def new_temporary_folder(cache: Path) -> Temporary:
    try:
        cache.mkdir(parents=True, exist_ok=True)
        return Temporary.folder(cache, IN_CACHE)
    except OSError as error:
        raise OutputError(
            f"The cache folder {cache} cannot be written: {error.strerror}. "
            "Choose another with cache_dir (--cache-dir) or in PAIRLOOM_CACHE."
        ) from error
