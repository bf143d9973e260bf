"""Named arrays and their metadata in one file, in the layout of safetensors with checksums added.

docs/formats.md states it byte by byte. We write and read the layout ourselves because the safetensors package (0.8)
aligns data to 8 bytes only, does not flush to the disk, has no hashes, and of a matrix with padded rows, which ours
may be, saves other numbers than its own unless it is copied whole; it serves as the oracle of the tests.
"""

import json
import math
import mmap
import os
import stat
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.errors import Fault, InputError
from pairloom.system.files import atomic_write

Tensors = dict[str, npt.NDArray[Any]]

MAX_HEADER = 1 << 20  # bytes; ours has some thousand, and JSON of a megabyte cannot fill a memory
DAMAGED = "The file is damaged: take an intact copy, or save the vectors again."
WANTED = "Give the path of a file that pairloom saved."
FOREIGN = "It is damaged, or not a file that pairloom saved: give another one."
_ALIGNMENT = 64
_DTYPES: dict[str, np.dtype[Any]] = {
    "I64": np.dtype("<i8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "U8": np.dtype("u1"),
}
_SEAL = b'"header_sha256":"'  # cannot occur a second time: inside a JSON string its quotes would be escaped
_NO_DIGEST = b"0" * 64
_CHUNK = 1 << 20  # bytes of a matrix that are made contiguous at a time


class Layout(NamedTuple):
    """What files of one kind hold. Tensors are written in this order; all are there but those that are optional."""

    format: str
    version: int
    dtypes: Mapping[str, tuple[str, ...]]  # which each tensor may have, the usual one first
    optional: frozenset[str] = frozenset()
    matrices: frozenset[str] = frozenset()  # of rank 2; the others are lists


# --- Writing


def write(
    path: str | os.PathLike[str], kind: Layout, tensors: Tensors, record: dict[str, Any], half: bool = False
) -> None:
    """Write a file whole or not at all. Everything that could refuse does so before it is begun.

    half: as float16, where a tensor may have it.
    """
    tensors = {name: tensors[name] for name in kind.dtypes if name in tensors}
    dtypes = {name: "F16" if half and "F16" in kind.dtypes[name] else kind.dtypes[name][0] for name in tensors}
    header = _header(kind, tensors, dtypes, record)
    with atomic_write(path) as file:
        file.write(header)
        for name, tensor in tensors.items():
            for piece in pieces(tensor, _DTYPES[dtypes[name]]):
                file.write(piece)


def _header(kind: Layout, tensors: Tensors, dtypes: dict[str, str], record: dict[str, Any]) -> bytes:
    """Length prefix and JSON, padded with spaces so that the data begin at a multiple of 64 bytes."""
    fields: dict[str, Any] = {"__metadata__": _metadata(kind, tensors, dtypes, record)}
    end = 0
    for name, tensor in tensors.items():
        begin, end = end, end + tensor.size * _DTYPES[dtypes[name]].itemsize
        fields[name] = {"dtype": dtypes[name], "shape": list(tensor.shape), "data_offsets": [begin, end]}
    text = _json(fields).encode("ascii")
    text += b" " * (-(8 + len(text)) % _ALIGNMENT)
    if len(text) > MAX_HEADER:
        raise InputError(f"The record makes a header of {len(text):,} bytes; {MAX_HEADER:,} is the limit. Shorten it.")
    header = len(text).to_bytes(8, "little") + text
    return header.replace(_SEAL + _NO_DIGEST, _SEAL + sha256(header).hexdigest().encode())


def _metadata(kind: Layout, tensors: Tensors, dtypes: dict[str, str], record: dict[str, Any]) -> dict[str, str]:
    try:
        recorded = _json(record)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"The record of the embedding is not plain JSON: {error}. Remove what is not.") from None
    return {
        "format": kind.format,
        "format_version": str(kind.version),
        "header_sha256": _NO_DIGEST.decode(),
        "record": recorded,
        "sha256": _json({name: _digest(tensor, _DTYPES[dtypes[name]]) for name, tensor in tensors.items()}),
    }


def _json(value: object) -> str:
    """One text for equal values."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _digest(tensor: npt.NDArray[Any], dtype: np.dtype[Any]) -> str:
    digest = sha256()
    for piece in pieces(tensor, dtype):
        digest.update(piece)
    return digest.hexdigest()


def pieces(tensor: npt.NDArray[Any], dtype: np.dtype[Any]) -> Iterator[memoryview]:
    """The bytes of a tensor, some rows at a time: rows may be padded in memory, and are not copied all at once."""
    rows = max(1, _CHUNK // max(1, dtype.itemsize * math.prod(tensor.shape[1:])))
    for start in range(0, len(tensor), rows):
        piece = np.ascontiguousarray(tensor[start : start + rows], dtype)
        yield piece.reshape(-1).view(np.uint8).data


# --- Reading


def mapped(path: Path) -> memoryview:
    """The bytes of a file, read only as they are used."""
    try:
        status = path.stat()
        if stat.S_ISREG(status.st_mode) and status.st_size:  # opening a pipe would wait for a writer
            with path.open("rb") as file:
                return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) else "a path cannot hold a NUL"
        raise InputError(f"{path} cannot be read: {reason}. {WANTED}") from None
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path} is not a file. {WANTED}")
    return memoryview(b"")  # an empty file cannot be mapped


def read(data: memoryview, kind: Layout, trusted: frozenset[str] = frozenset()) -> tuple[Tensors, dict[str, Any]]:
    """The tensors, where they lie, and the record; those that are trusted are not hashed.

    The checks go from the first byte on. No number of the file is used before it was compared with the file's size.
    """
    header = _header_bytes(data)
    fields = _object(header, "the header")
    metadata = _metadata_of(fields, kind)
    tensors = _views(data[8 + len(header) :], fields, kind)
    _check_header(data[:8], header, metadata["header_sha256"])
    _check_tensors(tensors, _object(metadata["sha256"], "the list of hashes"), trusted)
    return tensors, _object(metadata["record"], "the record")


def _header_bytes(data: memoryview) -> bytes:
    if len(data) < 8:
        raise Fault(f"with {len(data)} bytes it is too short for the length of a header. {FOREIGN}")
    length = int.from_bytes(data[:8], "little")
    if length > min(len(data) - 8, MAX_HEADER):
        raise Fault(
            f"bytes 0 to 7 announce a header of {length:,} bytes, but the file has {len(data):,} bytes "
            f"and a header at most {MAX_HEADER:,}. {FOREIGN}"
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


def _metadata_of(fields: dict[str, Any], kind: Layout) -> dict[str, str]:
    metadata = fields.get("__metadata__")
    if not isinstance(metadata, dict) or metadata.get("format") != kind.format:
        raise Fault(f"its header does not say that its format is {kind.format}. {FOREIGN}")
    _check_version(metadata.get("format_version"), kind.version)
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
    raise Fault(f"{short(version)} is no format version. {DAMAGED}")


def _views(data: memoryview, fields: dict[str, Any], kind: Layout) -> Tensors:
    """The tensors where they lie, once their names, dtypes, shapes and offsets agree with each other and the file."""
    odd = set(fields) ^ {"__metadata__", *kind.dtypes}
    if odd - (kind.optional - set(fields)):
        raise Fault(
            f"its tensors must be {', '.join(kind.dtypes)}; missing or too many: {short(sorted(odd))}. {DAMAGED}"
        )
    names = [name for name in kind.dtypes if name in fields]
    extents = {name: _extent(name, fields[name], len(data), kind) for name in names}
    _check_offsets([(begin, end, name) for name, (begin, end, _) in extents.items()], len(data))
    return {
        name: np.frombuffer(data[begin:end], _DTYPES[fields[name]["dtype"]]).reshape(shape)
        for name, (begin, end, shape) in extents.items()
    }


def _extent(name: str, entry: object, size: int, kind: Layout) -> tuple[int, int, list[int]]:
    """(begin, end, shape) of a tensor of a dtype that it may have. Python's integers do not overflow."""
    dtypes, rank = kind.dtypes[name], 2 if name in kind.matrices else 1
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"} or entry["dtype"] not in dtypes:
        either = " or ".join(dtypes)
        raise Fault(f"tensor {name} is not described by a dtype {either}, a shape and data_offsets. {DAMAGED}")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not (_naturals(shape, rank, size) and _naturals(offsets, 2, size)):
        raise Fault(
            f"tensor {name} has shape {short(shape)} and data_offsets {short(offsets)}, "
            f"which is no place in {size:,} bytes of data. {DAMAGED}"
        )
    if offsets[1] - offsets[0] != math.prod(shape) * _DTYPES[dtype].itemsize:
        raise Fault(f"tensor {name} of shape {short(shape)} does not fill its bytes {short(offsets)}. {DAMAGED}")
    return offsets[0], offsets[1], shape


def _naturals(values: object, n: int, limit: int) -> bool:
    """Is this a list of n integers from 0 to limit?"""
    return isinstance(values, list) and len(values) == n and all(type(v) is int and 0 <= v <= limit for v in values)


def _check_offsets(extents: list[tuple[int, int, str]], size: int) -> None:
    """One tensor begins where another ends, from the first byte to the last."""
    reached = 0
    for begin, end, name in sorted(extents):
        if begin != reached:
            raise Fault(f"tensor {name} begins at byte {begin:,} of the data instead of {reached:,}. {DAMAGED}")
        reached = end
    if reached != size:
        raise Fault(f"it has {size:,} bytes of data, and its header describes {reached:,}. {DAMAGED}")


def _check_header(prefix: memoryview, header: bytes, expected: str) -> None:
    before, seal, rest = header.partition(_SEAL)
    digest = sha256(prefix)
    digest.update(before + seal + _NO_DIGEST + rest[64:])
    if digest.hexdigest() != expected:
        raise Fault(f"the SHA-256 of its header (bytes 0 to {7 + len(header):,}) is wrong. {DAMAGED}")


def _check_tensors(tensors: Tensors, expected: dict[str, Any], trusted: frozenset[str]) -> None:
    for name, tensor in tensors.items():
        if name not in trusted and _digest(tensor, tensor.dtype) != expected.get(name):
            raise Fault(f"the SHA-256 of tensor {name} is wrong. {DAMAGED}")


def short(value: object) -> str:
    """repr on one line, cut: a damaged file may hold anything, of any length."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."
