"""Sections 2 and 3, and the reading of text, compiled by Numba. Arrays in, arrays changed; no config, no words.

Numba keeps what it compiled beside the source. Where that cannot be written, it goes to our own cache folder, and where
that cannot be written either, to a folder that ends with the process.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from numba import config


def _cache_dir(package: Path, ours: Path) -> str:
    """Where compiled kernels go; "" is Numba's own choice, beside the source."""
    if os.access(package, os.W_OK):
        return ""
    try:
        ours.mkdir(parents=True, exist_ok=True)
        if os.access(ours, os.W_OK):
            return str(ours)
    except OSError:
        pass
    passing = tempfile.mkdtemp(prefix="pairloom-kernels-")  # a name that nobody can guess: what is in it is run
    atexit.register(shutil.rmtree, passing, ignore_errors=True)
    return passing


if not config.CACHE_DIR:  # type: ignore[attr-defined]  # Numba makes its attributes when it is imported
    from pairloom.system.cache_folder import cache_folder

    config.CACHE_DIR = _cache_dir(  # type: ignore[attr-defined]
        Path(__file__).parent, cache_folder() / "kernels"
    )
