"""Sections 2 and 3, and the reading of text, compiled by Numba. Kernels know arrays and numbers: no config, no words.

Numba keeps compiled code in NUMBA_CACHE_DIR if that is set, otherwise beside the source. If the folder is not writable,
the code goes to our own cache folder. If that is not writable either, it goes to a folder that is deleted when the
process ends. Where to write is decided before anything is compiled, which takes long.
"""

import atexit
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

from pairloom.errors import ConfigError, OutputError


def _cache_dir(given: str, package: Path, our_cache: Callable[[], Path]) -> str:
    """The folder for compiled kernels. "" is Numba's own choice, beside the source.

    given: NUMBA_CACHE_DIR, or "". our_cache: called only if the others cannot be written, since it may warn.
    """
    if given and _can_hold_files(Path(given)):
        return given
    if _can_hold_files(package / "__pycache__"):
        return ""
    ours = our_cache() / "kernels"
    if _can_hold_files(ours):
        return str(ours)
    try:
        passing = tempfile.mkdtemp(prefix="pairloom-kernels-")  # a name that cannot be guessed, because its code is run
    except OSError as error:
        raise OutputError(
            f"Compiled code cannot be saved: {package}, {ours} and the folder for temporary files cannot be written. "
            "Set NUMBA_CACHE_DIR to a folder that can."
        ) from error
    atexit.register(shutil.rmtree, passing, ignore_errors=True)
    warnings.warn(
        f"Neither {package} nor {ours} can be written, so kernels are compiled again in every run. "
        "Set NUMBA_CACHE_DIR to a folder that can.",
        stacklevel=2,
    )
    return passing


def _can_hold_files(folder: Path) -> bool:
    """Whether files can be made in a folder, which is created if it does not exist."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _check_numba() -> None:
    """Refuse settings of Numba with which kernels cannot run."""
    try:
        from numba import config
    except ValueError as error:  # NUMBA_NUM_THREADS=0
        reason = str(error).rstrip(".")
        raise ConfigError(f"Numba cannot be loaded: {reason}. Check the environment variables NUMBA_*.") from error
    if config.DISABLE_JIT:  # type: ignore[attr-defined]  # Numba makes its attributes when it is imported
        raise ConfigError("NUMBA_DISABLE_JIT is set, and kernels only run when they are compiled. Unset it.")


def _choose_cache_dir() -> None:
    from numba import config

    from pairloom.system.cache_folder import cache_folder

    given, package = os.fspath(config.CACHE_DIR), Path(__file__).parent  # type: ignore[attr-defined]
    config.CACHE_DIR = _cache_dir(given, package, cache_folder)  # type: ignore[attr-defined]


def numba_cache_dir() -> str:
    """The folder that was chosen for compiled kernels. "" is beside the source."""
    from numba import config

    return os.fspath(config.CACHE_DIR)  # type: ignore[attr-defined]


_check_numba()
_choose_cache_dir()
