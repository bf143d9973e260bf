"""Opening a file of vectors and unpacking it, with one InputError for whatever is wrong with it."""

import gzip
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, cast

from pairloom.config import Errors
from pairloom.errors import Fault, InputError, unreadable
from pairloom.types import PathName

GET_AGAIN = "Get or make the file again."
LENIENTLY = "with lenient=True (pairloom convert --lenient)"
_MAX_DEFLATE_RATIO = 1032  # no byte of deflate unpacks to more
# Text of vectors unpacks to three times its packed size at most. A file made to fill the memory goes far beyond.
FREELY_UNPACKED, _MAX_RATIO = 4 << 20, 16
_FREE_BYTES = 48 << 20  # memory that a file may take besides twice its size, before it is known to be right


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadOptions:
    """How to read a file: see `pairloom.load`."""

    limit: int | None = None  # rows, from the first on
    verify: bool | Literal["always"] = True  # look for values that are not finite, and in native files check all hashes
    errors: Errors = "strict"  # how to treat words that are not UTF-8
    lenient: bool = False  # accept files that look cut or merged, but may be whole

    def rows(self, promised: int) -> int:
        """The number of rows to read from a file that promises `promised` rows."""
        return promised if self.limit is None else min(promised, self.limit)


class VectorFile(NamedTuple):
    """An open file. It holds at most `max_bytes` when unpacked, whatever its header promises."""

    stream: BinaryIO
    max_bytes: int
    packed: bool

    def affords(self, size: int) -> bool:
        """Whether reading may take `size` bytes of memory before the file is known to be right."""
        return size <= _FREE_BYTES + 2 * (self.max_bytes // _MAX_DEFLATE_RATIO if self.packed else self.max_bytes)


@contextmanager
def open_vector_file(path: PathName) -> Iterator[VectorFile]:
    """Open a file to read, unpacked. Whatever the body finds wrong with it becomes an InputError with its name."""
    _check_is_file(path)
    with load_errors(os.fspath(path)), Path(path).open("rb") as raw:
        yield unpack(raw, os.fstat(raw.fileno()).st_size)


@contextmanager
def load_errors(name: str) -> Iterator[None]:
    """Turn everything that can be wrong with a file into an InputError with its name."""
    try:
        yield
    except Fault as fault:
        raise InputError(f"{name} cannot be loaded: {fault}") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(f"{name} cannot be loaded: its gzip data is damaged or cut short. {GET_AGAIN}") from None
    except OSError as error:
        raise unreadable(error)(f"{name} cannot be read: {error.strerror}. Check the file.") from None


def _check_is_file(path: PathName) -> None:
    advice = "Give the path of a file of vectors."
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "a path cannot hold a NUL"
        raise unreadable(error)(f"{os.fspath(path)} cannot be read: {reason}. {advice}") from None
    if not stat.S_ISREG(mode):  # opening a pipe would wait for a writer
        raise InputError(f"{os.fspath(path)} is not a file. {advice}")


def unpack(raw: BinaryIO, size: int) -> VectorFile:
    """A stream of `size` bytes as a VectorFile, unpacked if its first two bytes are those of gzip."""
    packed = raw.read(2) == b"\x1f\x8b"
    raw.seek(0)
    if packed:
        return VectorFile(cast(BinaryIO, _BoundedGzip(fileobj=raw)), size * _MAX_DEFLATE_RATIO, packed)
    return VectorFile(raw, size, packed)


class _BoundedGzip(gzip.GzipFile):
    """gzip that stops when its data unpacks to far more bytes than vectors do."""

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        read = cast(BinaryIO, self.fileobj).tell()
        if self.tell() > FREELY_UNPACKED + _MAX_RATIO * read:
            raise Fault(
                f"its gzip data unpacks to more than {_MAX_RATIO} times its {read:,} bytes, which vectors never do. "
                "If you trust it, unpack it first."
            )
        return data

    def readinto(self, buffer: Any) -> int:
        """By `read`: from Python 3.14 on, GzipFile.readinto does not call it."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
