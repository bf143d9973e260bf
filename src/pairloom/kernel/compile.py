"""numba.njit, with a cache of compiled kernels that damage and other processes cannot get into.

Numba runs what it finds in its cache unseen: a file that was cut short ends in a traceback, a changed bit in the
machine code in a crash. And it numbers the entries of a function by an index, so of two processes that compile at the
same time one may find the other's code under its own number. Here every entry is a file by itself, named after what it
was compiled for, with a digest at its end:

    pickle of (key, code) as Numba makes and reads it | SHA-256 of Numba's version, the source's stamp and the pickle

What does not agree is compiled anew and written over. The digest is against accidents: whoever may write to the cache
folder may run code as its owner, as everywhere with Numba.
"""

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import IndexDataCacheFile


def njit(**options):
    """numba.njit(**options), with `KernelFile` for its cache."""

    def compiled(function):
        dispatcher = numba.njit(**options)(function)
        cache = getattr(dispatcher, "_cache", None)  # none under NUMBA_DISABLE_JIT
        if hasattr(cache, "_cache_file"):
            cache._cache_file.__class__ = KernelFile
        return dispatcher

    return compiled


class KernelFile(IndexDataCacheFile):
    """The cache of one function; key is what Numba tells its versions apart by: types of arguments, CPU, bytecode."""

    def load(self, key: Any) -> Any:
        """The code for a key, or None if there is none, or none that can be trusted."""
        try:
            content = self._path(key).read_bytes()
            if content[-32:] != self._digest(content[:-32]):
                return None
            stored, code = self._load_data(self._path(key).name)  # stops where the pickle ends
        except OSError:
            return None
        return code if stored == key else None

    def save(self, key: Any, data: Any) -> None:
        """Keep code; a disk that is full, or that nobody may write to, costs compiling again and nothing else."""
        content = self._dump((key, data))
        with suppress(OSError), self._open_for_write(str(self._path(key))) as file:
            file.write(content + self._digest(content))

    def _path(self, key: Any) -> Path:
        name = self._index_name.removesuffix(".nbi")
        return Path(self._cache_path) / f"{name}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.nbc"

    def _digest(self, content: bytes) -> bytes:
        stamp = f"{self._version} {self._source_stamp} "
        return hashlib.sha256(stamp.encode() + content).digest()
