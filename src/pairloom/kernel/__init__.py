"""Sections 2 and 3, and the reading of text, compiled by Numba. Kernels know arrays and numbers: no config, no words.

Numba keeps compiled code beside the source. If that folder is not writable, the code goes to our own cache folder. If
that is not writable either, it goes to a folder that is deleted when the process ends.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from numba import config


def _cache_dir(package: Path, ours: Path) -> str:
    """The folder for compiled kernels. "" is Numba's own choice, beside the source."""
    if os.access(package, os.W_OK):
        return ""
    try:
        ours.mkdir(parents=True, exist_ok=True)
        if os.access(ours, os.W_OK):
            return str(ours)
    except OSError:
        pass
    passing = tempfile.mkdtemp(prefix="pairloom-kernels-")  # a name that cannot be guessed, because its code is run
    atexit.register(shutil.rmtree, passing, ignore_errors=True)
    return passing


if not config.CACHE_DIR:  # type: ignore[attr-defined]  # Numba makes its attributes when it is imported
    from pairloom.system.cache_folder import cache_folder

    config.CACHE_DIR = _cache_dir(  # type: ignore[attr-defined]
        Path(__file__).parent, cache_folder() / "kernels"
    )
