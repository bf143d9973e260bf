"""The bytes of a file of vectors, unpacked where need be, and what all readers do with the rows that they find."""

import gzip
import os
import stat
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from wordloom.errors import InputError, VectorsWarning
from wordloom.types import Matrix

AGAIN = "Get or make the file again."
LENIENTLY = "with lenient=True (wordloom convert --lenient)"
_MOST_PACKED = 1032  # bytes that deflate can make of one at most
FREELY_UNPACKED, _LARGEST_RATIO = 4 << 20, 16  # vectors are packed to a third of their text at best; beyond is a bomb
_LARGEST_DIM = 1 << 20  # a row is read at once
_MOVED = 4096  # rows moved at a time

Where = Callable[[int], str]  # what a message calls the i-th of some rows


class Fault(Exception):
    """What is wrong with a file, where, and what to do; `opened` puts the name of the file before it."""


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


class Source(NamedTuple):
    """An open file. `most` bytes are the most that it can hold, however much its header promises."""

    stream: BinaryIO
    most: int
    packed: bool


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Source]:
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


def unpacked(raw: BinaryIO, size: int) -> Source:
    """A stream of so many bytes, with gzip undone if its first two bytes show it."""
    packed = raw.read(2) == b"\x1f\x8b"
    raw.seek(0)
    if packed:
        return Source(cast(BinaryIO, _Unpacking(fileobj=raw)), size * _MOST_PACKED, packed)
    return Source(raw, size, packed)


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


def new_matrix(rows: int, dim: int) -> Matrix:
    """Room for the rows of a file. The system gives memory only where it is written to."""
    try:
        return np.empty((rows, dim), np.float32)
    except (MemoryError, ValueError):  # ValueError: beyond all addresses
        raise Fault(
            f"{rows:,} rows of {dim:,} numbers take {4 * rows * dim / 2**30:,.1f} GB, more memory than there is. "
            "Load only the first rows by limit= (--limit on the command line)."
        ) from None


def decoded(words: Sequence[bytes | bytearray], where: Where, errors: str) -> list[str]:
    """The words of some rows as text."""
    try:
        together = b"\n".join(words).decode("utf-8", errors).split("\n")  # four times as fast as one by one
        return together if len(together) == len(words) else [str(word, "utf-8", errors) for word in words]
    except UnicodeDecodeError:
        row, word = next((row, word) for row, word in enumerate(words) if not _is_utf8(word))
        raise Fault(
            f"the word of {where(row)} is not UTF-8: {bytes(word)!r:.60}. word2vec.c cuts long words within a letter. "
            "Load with errors='replace' or errors='ignore' (--errors on the command line)."
        ) from None


def _is_utf8(word: bytes | bytearray) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError:
        return False
    return True


def check_finite(vectors: Matrix, words: list[str], where: Where) -> None:
    """Refuse NaN, infinity and what float32 takes for it."""
    finite = np.isfinite(vectors)
    if not finite.all():
        row = int(np.argmin(finite.all(axis=1)))
        raise Fault(
            f"{where(row)} ({words[row]!r:.60}) holds NaN, infinity or a number beyond float32. "
            "Leave such rows out, or load with verify=False."
        )


class Names:
    """The words of the rows read so far. Each may come once; of a lenient reading, its first row counts."""

    def __init__(self, lenient: bool) -> None:
        self.words: list[str] = []
        self._lenient, self._seen = lenient, set[str]()

    def add(self, words: list[str], where: Where) -> None:
        """Those of some more rows."""
        before = len(self.words)
        self.words += words
        self._seen.update(words)
        if "" in self._seen:
            raise Fault(f"{where(words.index(''))} has no word. {AGAIN}")
        if len(self._seen) < len(self.words) and not self._lenient:
            row_of = _last_to_first(self.words)
            row = next(row for row in range(before, len(self.words)) if row_of[self.words[row]] < row)
            raise Fault(
                f"{where(row - before)} has the word {self.words[row]!r:.60} of row {row_of[self.words[row]]:,} again. "
                f"Load {LENIENTLY} to have the first row of each word count."
            )

    def first_rows(self) -> npt.NDArray[np.intp] | None:
        """The rows to keep, the first of each word, where not all are; the others are counted in one warning."""
        if len(self._seen) == len(self.words):
            return None
        row_of = _last_to_first(self.words)
        again = next(word for row, word in enumerate(self.words) if row_of[word] != row)
        kept = np.sort(np.fromiter(row_of.values(), np.intp, len(row_of)))
        warnings.warn(
            f"{len(self.words) - len(kept):,} of {len(self.words):,} rows were left out, since their words have "
            f"earlier rows; the first of them is {again!r:.60}.",
            VectorsWarning,
            stacklevel=5,
        )
        return kept

    def with_rows(self, matrix: Matrix) -> tuple[list[str], Matrix]:
        """Each word once, with its row. Rows move up in place: they may fill the memory."""
        kept = self.first_rows()
        if kept is None:
            return self.words, matrix
        for start in range(0, len(kept), _MOVED):
            rows = kept[start : start + _MOVED]
            matrix[start : start + len(rows)] = matrix[rows]
        return [self.words[row] for row in kept], matrix[: len(kept)]


def _last_to_first(words: list[str]) -> dict[str, int]:
    """The first row of each word."""
    return dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))
