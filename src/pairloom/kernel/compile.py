"""numba.njit, with a cache of compiled kernels that is safe from damage and from other processes.

Numba runs the code in its cache without checking it: a file that was cut short ends in a traceback, a changed bit in
the machine code in a crash. It also numbers the entries of a function by an index, so two processes that compile at the
same time may find each other's code under their own number. Here every entry is a separate file, named after the types
and the CPU it was compiled for, with a digest at its end:

    pickle of (key, code) as Numba makes and reads it | SHA-256 of Numba's version, the source's stamp and the pickle

A file that does not match its digest is compiled again and replaced. The digest protects against accidents only: as
everywhere with Numba, a user who can write to the cache folder can run code as its owner.
"""

import hashlib
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
from numba.core.caching import IndexDataCacheFile
from numba.core.registry import cpu_target

_log = logging.getLogger(__name__)
# If set, called with the name of a kernel before it is compiled. If it returns True, the cache may have it now.
on_missing: Callable[[str], bool] | None = None


def _columns() -> int:
    """Floats in a wide vector: 16 if kernels are compiled for a CPU with AVX-512, or if PAIRLOOM_COLUMNS says so.

    Both widths give the same bits on any CPU, as tests check with this variable.
    """
    given = os.environ.get("PAIRLOOM_COLUMNS")
    if given in ("8", "16"):
        return int(given)
    _, _, features = cpu_target.target_context.codegen().magic_tuple()
    return 16 if "+avx512f" in features.split(",") else 8


COLUMNS = _columns()


def njit(**options):
    """numba.njit(**options), with `KernelFile` for its cache."""

    def compiled(function):
        # C code calls no kernel. Without these wrappers the first start compiles for 14 s instead of 16.
        dispatcher = numba.njit(no_cfunc_wrapper=True, **options)(function)
        cache = dispatcher._cache
        if hasattr(cache, "_cache_file"):
            cache._cache_file.__class__ = KernelFile
        return dispatcher

    return compiled


@cache
def _announce(folder: str) -> None:
    """Log why the program compiles, once for each folder of kernels."""
    _log.info(
        "kernels are compiled for this CPU (%s), since %s does not have them: this is the first start of its kind, or "
        "pairloom, Numba or the CPU has changed",
        os.environ.get("NUMBA_CPU_NAME") or llvmlite.binding.get_host_cpu_name(),
        folder,
    )


class KernelFile(IndexDataCacheFile):
    """The cache of one function. A key identifies a compiled version: types of arguments, CPU, bytecode."""

    def load(self, key: Any) -> Any:
        """The code for a key, or None if there is none or it is damaged."""
        code = self._found(key)
        if code is None and on_missing is not None and on_missing(self._index_name.rpartition("-")[0]):
            code = self._found(key)
        return code

    def _found(self, key: Any) -> Any:
        try:
            content = self._path(key).read_bytes()
            if content[-32:] != self._digest(content[:-32]):
                _log.debug("%s is damaged, or of another version, and is compiled again", self._path(key).name)
                return None
            stored, code = self._load_data(self._path(key).name)  # stops where the pickle ends
        except OSError as error:
            _announce(self._cache_path)
            _log.debug("%s is compiled, since it is not in the cache: %s", self._path(key).name, error.strerror)
            return None
        return code if stored == key else None

    def save(self, key: Any, data: Any) -> None:
        """Keep code. If the disk is full or not writable, the only cost is compiling again."""
        content = self._dump((key, data))
        with suppress(OSError), self._open_for_write(str(self._path(key))) as file:
            file.write(content + self._digest(content))

    def _path(self, key: Any) -> Path:
        name, of = self._index_name.removesuffix(".nbi"), hashlib.sha256(repr((key, COLUMNS)).encode())
        return Path(self._cache_path) / f"{name}.{of.hexdigest()[:16]}.nbc"

    def _digest(self, content: bytes) -> bytes:
        stamp = f"{self._version} {self._source_stamp} "
        return hashlib.sha256(stamp.encode() + content).digest()
