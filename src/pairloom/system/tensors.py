"""Named arrays and their metadata in one file, in the layout of safetensors with checksums added.

docs/formats.md specifies it byte by byte. We write and read the layout ourselves because the safetensors package (0.8)
aligns data to 8 bytes only, does not flush to the disk and has no hashes. It also saves wrong numbers for a matrix with
padded rows, as those of a checkpoint are, unless the whole matrix is copied first. The tests compare our files with it.
"""

import json
import math
import mmap
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.errors import Fault, InputError, unreadable
from pairloom.system.display import number_of, quoted
from pairloom.system.files import atomic_write
from pairloom.system.memory import available
from pairloom.system.threads import in_order

Tensors = dict[str, npt.NDArray[Any]]

MAX_HEADER = 1 << 20  # bytes. Ours has a few thousand, and parsing 1 MB of JSON cannot exhaust memory
DAMAGED = "The file is damaged: take an intact copy, or save the vectors again."
WANTED = "Give the path of a file that pairloom saved."
FOREIGN = "It is damaged, or not a file that pairloom saved: give another one."
_ALIGNMENT = 64
_MADV_POPULATE_READ = 22  # not in the module mmap
_DTYPES: dict[str, np.dtype[Any]] = {
    "I64": np.dtype("<i8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "I8": np.dtype("i1"),
    "U8": np.dtype("u1"),
}
_SEAL = b'"header_sha256":"'  # occurs only once: inside a JSON string its quotes would be escaped
_NO_DIGEST = b"0" * 64
_WORTH_THREADS = 1 << 26  # bytes to hash; the two matrices are nearly all of them
_ASKED_AT_ONCE = 1 << 26  # bytes
_CHUNK = 1 << 20  # bytes of a matrix that are copied at a time


class Layout(NamedTuple):
    """The tensors of one kind of file, in the order in which they are written. All are required except `optional`."""

    format: str
    version: int
    dtypes: Mapping[str, tuple[str, ...]]  # the dtypes allowed for each tensor, the usual one first
    optional: frozenset[str] = frozenset()
    matrices: frozenset[str] = frozenset()  # tensors of rank 2; the others have rank 1
    later: "Layout | None" = None  # of the next version, which is read too


class Content(NamedTuple):
    """What a file holds, with its header checked and its tensors not yet."""

    tensors: Tensors  # views of the file
    record: dict[str, Any]
    digest: str  # SHA-256 of the header, and so of all digests in it
    digests: dict[str, Any]  # SHA-256 of each tensor, as the header has them


# --- Writing


def write(
    path: str | os.PathLike[str], layout: Layout, tensors: Tensors, record: dict[str, Any], half: bool = False
) -> None:
    """Write a file whole or not at all. All checks are made before the first byte is written.

    half: write float16 where the layout allows it.
    """
    tensors = {name: tensors[name] for name in layout.dtypes if name in tensors}
    dtypes = {name: "F16" if half and "F16" in layout.dtypes[name] else layout.dtypes[name][0] for name in tensors}
    header = _header(layout, tensors, dtypes, record)
    with atomic_write(path) as file:
        file.write(header)
        for name, tensor in tensors.items():
            for chunk in byte_chunks(tensor, _DTYPES[dtypes[name]]):
                file.write(chunk)


def _header(layout: Layout, tensors: Tensors, dtypes: dict[str, str], record: dict[str, Any]) -> bytes:
    """Length prefix and JSON, padded with spaces so that the data start at a multiple of 64 bytes."""
    fields: dict[str, Any] = {"__metadata__": _metadata(layout, tensors, dtypes, record)}
    end = 0
    for name, tensor in tensors.items():
        begin, end = end, end + tensor.size * _DTYPES[dtypes[name]].itemsize
        fields[name] = {"dtype": dtypes[name], "shape": list(tensor.shape), "data_offsets": [begin, end]}
    text = _json(fields).encode("ascii")
    text += b" " * (-(8 + len(text)) % _ALIGNMENT)
    if len(text) > MAX_HEADER:
        raise InputError(
            f"The record makes a header of {number_of(len(text), 'byte')}; {MAX_HEADER:,} is the limit. Shorten it."
        )
    header = len(text).to_bytes(8, "little") + text
    return header.replace(_SEAL + _NO_DIGEST, _SEAL + sha256(header).hexdigest().encode())


def _metadata(layout: Layout, tensors: Tensors, dtypes: dict[str, str], record: dict[str, Any]) -> dict[str, str]:
    try:
        recorded = _json(record)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"The record of the embedding is not plain JSON: {error}. Remove that entry.") from None
    return {
        "format": layout.format,
        "format_version": str(layout.version),
        "header_sha256": _NO_DIGEST.decode(),
        "record": recorded,
        "sha256": _json({name: _digest(tensor, _DTYPES[dtypes[name]]) for name, tensor in tensors.items()}),
    }


def _json(value: object) -> str:
    """JSON text. Equal values have equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _digest(tensor: npt.NDArray[Any], dtype: np.dtype[Any]) -> str:
    digest = sha256()
    for chunk in byte_chunks(tensor, dtype):
        digest.update(chunk)
    return digest.hexdigest()


def byte_chunks(tensor: npt.NDArray[Any], dtype: np.dtype[Any]) -> Iterator[memoryview]:
    """The bytes of a tensor, a few rows at a time: padded rows must be copied, but not all at once."""
    rows = max(1, _CHUNK // max(1, dtype.itemsize * math.prod(tensor.shape[1:])))
    for start in range(0, len(tensor), rows):
        chunk = np.ascontiguousarray(tensor[start : start + rows], dtype)
        yield chunk.reshape(-1).view(np.uint8).data
        release_pages(tensor, start, min(start + rows, len(tensor)))


# --- Reading


def mapped(path: Path) -> memoryview:
    """The bytes of a file, mapped into memory: they are read from the disk when they are used."""
    return mapped_as(path)[0]


def mapped_as(path: Path) -> tuple[memoryview, os.stat_result]:
    """`mapped`, and the status of the file that was opened."""
    try:
        status = path.stat()
        if stat.S_ISREG(status.st_mode) and status.st_size:  # opening a pipe would wait for a writer
            with path.open("rb") as file:
                status = os.fstat(file.fileno())
                return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)), status
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) else "a path cannot hold a NUL"
        raise unreadable(error)(f"{path} cannot be read: {reason}. {WANTED}") from None
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path} is not a file. {WANTED}")
    return memoryview(b""), status  # an empty file cannot be mapped


def release_pages(array: npt.NDArray[Any], begin: int, end: int) -> None:
    """Release the memory of array[begin:end], if it is mapped from a file and the system supports it.

    Reading it again brings it back. Without this, a process would seem to hold the whole file in memory.
    """
    if begin < end and hasattr(mmap, "MADV_DONTNEED"):
        _advise(array, begin, end, mmap.MADV_DONTNEED)


def ask_for_pages(array: npt.NDArray[Any]) -> None:
    """Map all pages of an array at once, if it is mapped from a file: faster than one by one when they are read.

    An array of more than half of the free memory is left alone, since its first pages might go before they are read.
    """
    free, rows = available(), max(1, _ASKED_AT_ONCE // max(1, array.strides[0]))
    if sys.platform == "linux" and free is not None and array.nbytes <= free // 2:
        with suppress(OSError):  # systems before Linux 5.14 do not know it
            for begin in range(0, len(array), rows):  # between two of them an interrupt takes effect
                _advise(array, begin, min(begin + rows, len(array)), _MADV_POPULATE_READ)


def _advise(array: npt.NDArray[Any], begin: int, end: int, advice: int) -> None:
    base = getattr(array, "base", None)
    while isinstance(base, np.ndarray):
        base = base.base
    pages = getattr(base, "obj", None)  # np.frombuffer keeps a memoryview of the map
    if isinstance(pages, mmap.mmap):
        offset = array.ctypes.data - np.frombuffer(pages, np.uint8).ctypes.data
        first, last = ((offset + at * array.strides[0]) // mmap.PAGESIZE * mmap.PAGESIZE for at in (begin, end))
        if first < last:
            pages.madvise(advice, first, last - first)


def read(data: memoryview, layout: Layout, trusted: frozenset[str] = frozenset()) -> tuple[Tensors, dict[str, Any]]:
    """The tensors, as views of `data`, and the record. The hashes of `trusted` tensors are not checked.

    Checks go from the first byte to the last. No number of the file is used before it is compared with the file's size.
    """
    content = read_header(data, layout)
    check_tensors(content, trusted)
    return content.tensors, content.record


def read_header(data: memoryview, layout: Layout) -> Content:
    """The content of a file. Everything is checked except the hashes of the tensors."""
    header = _header_bytes(data)
    fields = _object(header, "the header")
    layout = _of_its_version(fields.get("__metadata__"), layout)
    metadata = _metadata_of(fields, layout)
    tensors = _views(data[8 + len(header) :], fields, layout)
    _check_header(data[:8], header, metadata["header_sha256"])
    digests, record = _object(metadata["sha256"], "the list of hashes"), _object(metadata["record"], "the record")
    return Content(tensors, record, metadata["header_sha256"], digests)


def _header_bytes(data: memoryview) -> bytes:
    if len(data) < 8:
        raise Fault(f"with {number_of(len(data), 'byte')} it is too short for the length of a header. {FOREIGN}")
    length = int.from_bytes(data[:8], "little")
    if length > min(len(data) - 8, MAX_HEADER):
        raise Fault(
            f"bytes 0 to 7 announce a header of {number_of(length, 'byte')}, but the file has "
            f"{number_of(len(data), 'byte')} and a header at most {MAX_HEADER:,}. {FOREIGN}"
        )
    return bytes(data[8 : 8 + length])


def _object(text: str | bytes, what: str) -> dict[str, Any]:
    try:
        value = json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:  # ValueError: also bytes that are not UTF-8
        raise Fault(f"{what} is not JSON ({error}). {FOREIGN}") from None
    if not isinstance(value, dict):
        raise Fault(f"{what} is JSON, but not an object. {FOREIGN}")
    return value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a name occurs twice")
    return fields


def _of_its_version(metadata: object, layout: Layout) -> Layout:
    """The layout of the file's version, or the latest one if it has none of them: `_check_version` then says so."""
    version = metadata.get("format_version") if isinstance(metadata, dict) else None
    while layout.later is not None and version != str(layout.version):
        layout = layout.later
    return layout


def _metadata_of(fields: dict[str, Any], layout: Layout) -> dict[str, str]:
    metadata = fields.get("__metadata__")
    if not isinstance(metadata, dict) or metadata.get("format") != layout.format:
        raise Fault(f"its header does not say that its format is {layout.format}. {FOREIGN}")
    _check_version(metadata.get("format_version"), layout.version)
    for name in ("header_sha256", "sha256", "record"):
        if not isinstance(metadata.get(name), str):
            raise Fault(f"its header has no text for {name}. {DAMAGED}")
    return metadata


def _check_version(version: object, known: int) -> None:
    if version == str(known):
        return
    if isinstance(version, str) and version.isascii() and version.isdigit() and int(version[:9]) > known:
        raise Fault(
            f"it has format version {version[:20]}, and this pairloom reads version {known}. "
            "Install a newer pairloom: pip install --upgrade pairloom"
        )
    raise Fault(f"{quoted(version)} is not a format version. {DAMAGED}")


def _views(data: memoryview, fields: dict[str, Any], layout: Layout) -> Tensors:
    """The tensors as views, after a check that names, dtypes, shapes and offsets fit each other and the file."""
    odd = set(fields) ^ {"__metadata__", *layout.dtypes}
    if odd - (layout.optional - set(fields)):
        raise Fault(
            f"its tensors must be {', '.join(layout.dtypes)}; missing or too many: {quoted(sorted(odd))}. {DAMAGED}"
        )
    names = [name for name in layout.dtypes if name in fields]
    extents = {name: _extent(name, fields[name], len(data), layout) for name in names}
    _check_offsets([(begin, end, name) for name, (begin, end, _) in extents.items()], len(data))
    return {
        name: np.frombuffer(data[begin:end], _DTYPES[fields[name]["dtype"]]).reshape(shape)
        for name, (begin, end, shape) in extents.items()
    }


def _extent(name: str, entry: object, size: int, layout: Layout) -> tuple[int, int, list[int]]:
    """(begin, end, shape) of a tensor, after a check of its entry. Python's integers do not overflow."""
    dtypes, rank = layout.dtypes[name], 2 if name in layout.matrices else 1
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"} or entry["dtype"] not in dtypes:
        allowed = " or ".join(dtypes)
        raise Fault(f"tensor {name} is not described by a dtype {allowed}, a shape and data_offsets. {DAMAGED}")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not (_naturals(shape, rank, size) and _naturals(offsets, 2, size)):
        raise Fault(
            f"tensor {name} has shape {quoted(shape)} and data_offsets {quoted(offsets)}, "
            f"which does not fit in {number_of(size, 'byte')} of data. {DAMAGED}"
        )
    if offsets[1] - offsets[0] != math.prod(shape) * _DTYPES[dtype].itemsize:
        raise Fault(f"tensor {name} of shape {quoted(shape)} does not fill its bytes {quoted(offsets)}. {DAMAGED}")
    return offsets[0], offsets[1], shape


def _naturals(values: object, n: int, limit: int) -> bool:
    """Whether this is a list of n integers from 0 to limit."""
    return isinstance(values, list) and len(values) == n and all(type(v) is int and 0 <= v <= limit for v in values)


def _check_offsets(extents: list[tuple[int, int, str]], size: int) -> None:
    """Check that the tensors fill the data from the first byte to the last, without a gap or an overlap."""
    reached = 0
    for begin, end, name in sorted(extents):
        if begin != reached:
            raise Fault(f"tensor {name} begins at byte {begin:,} of the data instead of {reached:,}. {DAMAGED}")
        reached = end
    if reached != size:
        raise Fault(f"it has {number_of(size, 'byte')} of data, and its header describes {reached:,}. {DAMAGED}")


def _check_header(prefix: memoryview, header: bytes, expected: str) -> None:
    before, seal, rest = header.partition(_SEAL)
    digest = sha256(prefix)
    digest.update(before + seal + _NO_DIGEST + rest[64:])
    if digest.hexdigest() != expected:
        raise Fault(f"the SHA-256 of its header (bytes 0 to {7 + len(header):,}) is wrong. {DAMAGED}")


def check_tensors(content: Content, trusted: frozenset[str] = frozenset()) -> None:
    """Compare the tensors with their hashes, two at a time where that saves time, except those that are trusted."""

    def check(name: str) -> None:
        tensor = content.tensors[name]
        if name not in trusted and _digest(tensor, tensor.dtype) != content.digests.get(name):
            raise Fault(f"the SHA-256 of tensor {name} is wrong. {DAMAGED}")

    size = sum(tensor.nbytes for tensor in content.tensors.values())
    for _ in in_order(check, content.tensors, threads=1 if size < _WORTH_THREADS else 2):
        pass
