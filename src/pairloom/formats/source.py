"""The bytes of a file of vectors, unpacked where need be, and what all readers do with the rows that they find."""

import gzip
import os
import stat
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from pairloom.errors import Fault, InputError
from pairloom.system.display import format_bytes
from pairloom.types import Matrix

AGAIN = "Get or make the file again."
LENIENTLY = "with lenient=True (pairloom convert --lenient)"
_MOST_PACKED = 1032  # bytes that deflate can make of one at most
FREELY_UNPACKED, _LARGEST_RATIO = 4 << 20, 16  # vectors are packed to a third of their text at best; beyond is a bomb
_LARGEST_DIM = 1 << 20  # a row is read at once
_HELD = 48 << 20  # bytes that a file may cost beside twice its own, before all of it is known to be right

Hashes = npt.NDArray[np.int64]
RowsFor = Callable[[int, int], Matrix]  # where the numbers of some rows go: the first row, and how many they are
Where = Callable[[int], str]  # what a message calls the i-th of some rows


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """How a file is to be read."""

    limit: int | None = None  # rows, from the first on
    verify: bool = True  # look for values that are not finite (in native files also: check all hashes)
    errors: str = "strict"  # what to do with words that are not UTF-8
    lenient: bool = False  # take files that may be whole, but look as if cut or written twice

    def rows(self, promised: int) -> int:
        """How many rows are wanted of a file with so many."""
        return promised if self.limit is None else min(promised, self.limit)


class VectorFile(NamedTuple):
    """An open file. `most` bytes are the most that it can hold, however much its header promises."""

    stream: BinaryIO
    most: int
    packed: bool

    def affords(self, size: int) -> bool:
        """Whether a file may cost so many bytes before it has been read to its end and found right."""
        return size <= _HELD + 2 * (self.most // _MOST_PACKED if self.packed else self.most)


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[VectorFile]:
    """Open a file to read; whatever is wrong with it, also as the body finds, is an InputError with its name."""
    _check_is_file(path)
    with refusals(os.fspath(path)), Path(path).open("rb") as raw:
        yield unpacked(raw, os.fstat(raw.fileno()).st_size)


@contextmanager
def refusals(name: str) -> Iterator[None]:
    """Turn what can be wrong with a file into an InputError with its name."""
    try:
        yield
    except Fault as fault:
        raise InputError(f"{name} cannot be loaded: {fault}") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(f"{name} cannot be loaded: its gzip data is damaged or cut short. {AGAIN}") from None
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}. Check the file.") from None


def _check_is_file(path: str | os.PathLike[str]) -> None:
    wanted = "Give the path of a file of vectors."
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "a path cannot hold a NUL"
        raise InputError(f"{os.fspath(path)} cannot be read: {reason}. {wanted}") from None
    if not stat.S_ISREG(mode):  # opening a pipe would wait for a writer
        raise InputError(f"{os.fspath(path)} is not a file. {wanted}")


def unpacked(raw: BinaryIO, size: int) -> VectorFile:
    """A stream of so many bytes, with gzip undone if its first two bytes show it."""
    packed = raw.read(2) == b"\x1f\x8b"
    raw.seek(0)
    if packed:
        return VectorFile(cast(BinaryIO, _Unpacking(fileobj=raw)), size * _MOST_PACKED, packed)
    return VectorFile(raw, size, packed)


class _Unpacking(gzip.GzipFile):
    """gzip that stops where it makes far more of its bytes than vectors can have been packed to."""

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        read = cast(BinaryIO, self.fileobj).tell()
        if self.tell() > FREELY_UNPACKED + _LARGEST_RATIO * read:
            raise Fault(
                f"{read:,} bytes of gzip make more than {_LARGEST_RATIO} times as many, which those of vectors do not: "
                "it is made to fill a memory. If you trust it, unpack it first."
            )
        return data

    def readinto(self, buffer: Any) -> int:
        """By `read`, which Python from 3.14 on goes around."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


# --- What is the same for all rows


def check_size(rows: int, dim: int, least: int, most: int) -> None:
    """Refuse a promise that the file cannot keep, before anything is allocated for it."""
    if rows < 0 or dim < 1:
        raise Fault(f"its first line promises {rows:,} rows of {dim:,} numbers. {AGAIN}")
    if least > most:
        raise Fault(
            f"{rows:,} rows of {dim:,} numbers, as its first line promises, take at least {least:,} bytes, "
            f"and there are at most {most:,}. It was cut short, or is of another format. {AGAIN}"
        )
    if dim > _LARGEST_DIM:
        raise Fault(f"its first line promises rows of {dim:,} numbers, and {_LARGEST_DIM:,} is the most here. {AGAIN}")


def new_rows(rows: int, dim: int) -> tuple[Matrix, Hashes]:
    """Room for the rows of a file and for hashes of their words. The system gives memory where it is written to."""
    try:
        return np.empty((rows, dim), np.float32), np.empty(rows, np.int64)
    except (MemoryError, ValueError):  # ValueError: beyond all addresses
        raise Fault(
            f"{rows:,} rows of {dim:,} numbers take {format_bytes(4 * rows * dim)}, more memory than there is. "
            "Load only the first rows by limit= (--limit on the command line)."
        ) from None


def check_finite(vectors: Matrix, words: Sequence[bytes], where: Where) -> None:
    """Refuse NaN, infinity and what float32 takes for it."""
    finite = np.isfinite(vectors)
    if not finite.all():
        row = int(np.argmin(finite.all(axis=1)))
        word = words[row].decode(errors="replace")
        raise Fault(
            f"{where(row)} ({word!r:.60}) holds NaN, infinity or a number beyond float32. "
            "Leave such rows out, or load with verify=False."
        )
