"""The bytes of a file of vectors, unpacked where need be, and what all readers do with the rows that they find."""

import gzip
import os
import stat
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from wordloom.errors import InputError, VectorsWarning
from wordloom.types import Matrix

AGAIN = "Get or make the file again."
_MOST_PACKED = 1032  # bytes that deflate can make of one at most
_MOVED = 4096  # rows moved at a time


class Fault(Exception):
    """What is wrong with a file, where, and what to do; `opened` puts the name of the file before it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """How a file is to be read."""

    limit: int | None = None  # rows, from the first on
    verify: bool = True  # look for values that are not finite (in native files also: check all hashes)
    errors: str = "strict"  # what to do with words that are not UTF-8

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
    try:
        with Path(path).open("rb") as raw:
            yield _unpacked(raw)
    except Fault as fault:
        raise InputError(f"{os.fspath(path)} cannot be loaded: {fault}") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(
            f"{os.fspath(path)} cannot be loaded: its gzip data is damaged or cut short. {AGAIN}"
        ) from None
    except OSError as error:
        raise InputError(f"{os.fspath(path)} cannot be read: {error.strerror}. Check the file.") from None


def _check_is_file(path: str | os.PathLike[str]) -> None:
    wanted = "Give the path of a file of vectors."
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "a path cannot hold a NUL"
        raise InputError(f"{os.fspath(path)} cannot be read: {reason}. {wanted}") from None
    if not stat.S_ISREG(mode):  # opening a pipe would wait for a writer
        raise InputError(f"{os.fspath(path)} is not a file. {wanted}")


def _unpacked(raw: BinaryIO) -> Source:
    size = os.fstat(raw.fileno()).st_size
    packed = raw.read(2) == b"\x1f\x8b"
    raw.seek(0)
    if packed:
        return Source(cast(BinaryIO, gzip.GzipFile(fileobj=raw)), size * _MOST_PACKED, packed)
    return Source(raw, size, packed)


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


def new_matrix(rows: int, dim: int) -> Matrix:
    """Room for the rows of a file. The system gives memory only where it is written to."""
    try:
        return np.empty((rows, dim), np.float32)
    except (MemoryError, ValueError):  # ValueError: beyond all addresses
        raise Fault(
            f"{rows:,} rows of {dim:,} numbers take {4 * rows * dim / 2**30:,.1f} GB, more memory than there is. "
            "Load only the first rows by limit= (--limit on the command line)."
        ) from None


def decoded(words: Sequence[bytes | bytearray], first_row: int, errors: str) -> list[str]:
    """The words of some rows as text."""
    try:
        together = b"\n".join(words).decode("utf-8", errors).split("\n")  # four times as fast as one by one
        return together if len(together) == len(words) else [str(word, "utf-8", errors) for word in words]
    except UnicodeDecodeError:
        row, word = next((row, word) for row, word in enumerate(words, first_row) if not _is_utf8(word))
        raise Fault(
            f"the word of row {row:,} is not UTF-8: {bytes(word)!r:.60}. word2vec.c cuts long words within a letter. "
            "Load with errors='replace' or errors='ignore' (--errors on the command line)."
        ) from None


def _is_utf8(word: bytes | bytearray) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError:
        return False
    return True


def check_finite(vectors: Matrix, words: list[str], first_row: int) -> None:
    """Refuse NaN, infinity and what float32 takes for it."""
    finite = np.isfinite(vectors)
    if not finite.all():
        row = int(np.argmin(finite.all(axis=1)))
        raise Fault(
            f"row {first_row + row:,} ({words[row]!r:.60}) holds NaN, infinity or a number beyond float32. "
            "Leave such rows out, or load with verify=False."
        )


def first_rows(words: list[str]) -> npt.NDArray[np.intp] | None:
    """The rows to keep, the first of each word, where not all are; the others are counted in one warning."""
    if "" in words:
        raise Fault(f"row {words.index(''):,} has no word. {AGAIN}")
    if len(set(words)) == len(words):
        return None
    row_of = dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))
    again = next(word for row, word in enumerate(words) if row_of[word] != row)
    kept = np.sort(np.fromiter(row_of.values(), np.intp, len(row_of)))
    warnings.warn(
        f"{len(words) - len(kept):,} of {len(words):,} rows were left out, since their words have earlier rows; "
        f"the first of them is {again!r:.60}.",
        VectorsWarning,
        stacklevel=5,
    )
    return kept


def unique_rows(words: list[str], matrix: Matrix) -> tuple[list[str], Matrix]:
    """Words and rows without those that `first_rows` leaves out. Rows move up in place: they may fill the memory."""
    kept = first_rows(words)
    if kept is None:
        return words, matrix
    for start in range(0, len(kept), _MOVED):
        rows = kept[start : start + _MOVED]
        matrix[start : start + len(rows)] = matrix[rows]
    return [words[row] for row in kept], matrix[: len(kept)]
