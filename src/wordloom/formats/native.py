"""The native file: W, C, the two vocabularies and the record, in the layout of safetensors with checksums added.

docs/formats.md states it byte by byte. We write and read the layout ourselves because the safetensors package (0.8)
aligns data to 8 bytes only, does not flush to the disk, has no hashes, and of a matrix with padded rows, which ours
may be, saves other numbers than its own unless it is copied whole; it serves as the oracle of the tests.
"""

import json
import math
import mmap
import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wordloom.errors import InputError
from wordloom.files import atomic_write
from wordloom.vectors import Embedding, Vectors

FORMAT, FORMAT_VERSION = "wordloom", 1
MAX_HEADER = 1 << 20  # bytes; ours has some thousand, and JSON of a megabyte cannot fill a memory
_ALIGNMENT = 64
_DTYPES: dict[str, np.dtype[Any]] = {
    "I64": np.dtype("<i8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "U8": np.dtype("u1"),
}
# In the order of the file: the widest numbers first, so that each tensor lies at a multiple of its number's size.
_DTYPE_OF = {
    "word_offsets": "I64",
    "word_counts": "I64",
    "context_offsets": "I64",
    "context_counts": "I64",
    "W": "F32",
    "C": "F32",
    "words": "U8",
    "contexts": "U8",
}
_RANKS = {"W": 2, "C": 2}  # the others are 1
_HALF = {"W": "F16", "C": "F16"}  # what may take the place of F32, for files of half the size
_SEAL = b'"header_sha256":"'  # cannot occur a second time: inside a JSON string its quotes would be escaped
_NO_DIGEST = b"0" * 64
_FLOAT16_END = 65520  # from here on numbers are rounded to infinity
_CHUNK = 1 << 20  # bytes of a matrix that are made contiguous at a time


def save(embedding: Embedding, path: str | os.PathLike[str], dtype: str = "float32") -> None:
    """Write an embedding. Everything that could refuse does so before the file is begun."""
    if dtype == "float16":
        check_float16(embedding.words)
        check_float16(embedding.contexts)
    dtypes = _DTYPE_OF | (_HALF if dtype == "float16" else {})
    tensors = _tensors(embedding)
    header = _header(tensors, dtypes, embedding.record)
    with atomic_write(path) as file:
        file.write(header)
        for name, tensor in tensors.items():
            for piece in pieces(tensor, _DTYPES[dtypes[name]]):
                file.write(piece)


def check_float16(vectors: Vectors) -> None:
    """Refuse numbers that float16 would make infinite."""
    vectors.check()
    largest = np.maximum(vectors.vectors.max(axis=1, initial=0), -vectors.vectors.min(axis=1, initial=0))
    if np.any(largest >= _FLOAT16_END):
        row = int(np.argmax(largest))
        raise InputError(
            f"Row {row} ({vectors.words[row]!r:.60}) holds a number of size {largest[row]:g}, and float16 ends at "
            "65504. Save as float32."
        )


def _tensors(embedding: Embedding) -> dict[str, npt.NDArray[Any]]:
    words, contexts = embedding.words, embedding.contexts
    tensors: dict[str, npt.NDArray[Any]] = {"W": words.vectors, "C": contexts.vectors}
    tensors["word_counts"], tensors["context_counts"] = words.counts, contexts.counts
    tensors["words"], tensors["word_offsets"] = _packed(words)
    tensors["contexts"], tensors["context_offsets"] = _packed(contexts)
    return {name: tensors[name] for name in _DTYPE_OF}


def _packed(vectors: Vectors) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """The words as one run of UTF-8 bytes, and where each begins and ends."""
    lengths = np.fromiter(map(len, vectors.encoded_words()), np.int64, len(vectors))
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    return np.frombuffer("".join(vectors.words).encode(), np.uint8), offsets


def _header(tensors: dict[str, npt.NDArray[Any]], dtypes: dict[str, str], record: dict[str, Any]) -> bytes:
    """Length prefix and JSON, padded with spaces so that the data begin at a multiple of 64 bytes."""
    fields: dict[str, Any] = {"__metadata__": _metadata(tensors, dtypes, record)}
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


def _metadata(tensors: dict[str, npt.NDArray[Any]], dtypes: dict[str, str], record: dict[str, Any]) -> dict[str, str]:
    try:
        recorded = _json(record)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"The record of the embedding is not plain JSON: {error}. Remove what is not.") from None
    return {
        "format": FORMAT,
        "format_version": str(FORMAT_VERSION),
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
    rows = max(1, _CHUNK // (dtype.itemsize * math.prod(tensor.shape[1:])))
    for start in range(0, len(tensor), rows):
        piece = np.ascontiguousarray(tensor[start : start + rows], dtype)
        yield piece.reshape(-1).view(np.uint8).data


def load(path: str | os.PathLike[str], verify: bool = True) -> Embedding:
    """Read an embedding, memory-mapped. Whatever is wrong with the file is an InputError that says what and where.

    `verify=False` leaves out what has to read the two matrices whole, their hashes and the search for values that
    are not finite: for files too large to be read at every start, checked once before.
    """
    data = _mapped(Path(path))
    try:
        return _embedding(data, verify)
    except _Fault as fault:
        raise InputError(f"{os.fspath(path)} cannot be loaded: {fault}") from None


class _Fault(Exception):
    """What is wrong with a file, where, and what to do; `load` puts the name of the file before it."""


_DAMAGED = "The file is damaged: take an intact copy, or save the vectors again."
_WANTED = "Give the path of a file that wordloom saved."
_FOREIGN = "It is damaged, or not a file that wordloom saved: give another one."


def _mapped(path: Path) -> memoryview:
    """The bytes of a file, read only as they are used."""
    try:
        status = path.stat()
        if stat.S_ISREG(status.st_mode) and status.st_size:  # opening a pipe would wait for a writer
            with path.open("rb") as file:
                return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) else "a path cannot hold a NUL"
        raise InputError(f"{path} cannot be read: {reason}. {_WANTED}") from None
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path} is not a file. {_WANTED}")
    return memoryview(b"")  # an empty file cannot be mapped


def _embedding(data: memoryview, verify: bool) -> Embedding:
    """The checks, from the first byte on. No number of the file is used before it was compared with the file's size."""
    header = _header_bytes(data)
    fields = _object(header, "the header")
    metadata = _metadata_of(fields)
    tensors = _views(data[8 + len(header) :], fields)
    _check_header(data[:8], header, metadata["header_sha256"])
    _check_tensors(tensors, _object(metadata["sha256"], "the list of hashes"), verify)
    return Embedding(
        words=_vectors(tensors, ("W", "words", "word_offsets", "word_counts"), verify),
        contexts=_vectors(tensors, ("C", "contexts", "context_offsets", "context_counts"), verify),
        record=_object(metadata["record"], "the record"),
    )


def _header_bytes(data: memoryview) -> bytes:
    if len(data) < 8:
        raise _Fault(f"with {len(data)} bytes it is too short for the length of a header. {_FOREIGN}")
    length = int.from_bytes(data[:8], "little")
    if length > min(len(data) - 8, MAX_HEADER):
        raise _Fault(
            f"bytes 0 to 7 announce a header of {length:,} bytes, but the file has {len(data):,} bytes "
            f"and a header at most {MAX_HEADER:,}. {_FOREIGN}"
        )
    return bytes(data[8 : 8 + length])


def _object(text: str | bytes, what: str) -> dict[str, Any]:
    try:
        value = json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:  # ValueError: also bytes that are not UTF-8
        raise _Fault(f"{what} is not JSON ({error}). {_FOREIGN}") from None
    if not isinstance(value, dict):
        raise _Fault(f"{what} is JSON, but not an object. {_FOREIGN}")
    return value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a name occurs twice")
    return fields


def _metadata_of(fields: dict[str, Any]) -> dict[str, str]:
    metadata = fields.get("__metadata__")
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        raise _Fault(f"its header does not say that its format is {FORMAT}. {_FOREIGN}")
    _check_version(metadata.get("format_version"))
    for name in ("header_sha256", "sha256", "record"):
        if not isinstance(metadata.get(name), str):
            raise _Fault(f"its header has no text for {name}. {_DAMAGED}")
    return metadata


def _check_version(version: object) -> None:
    if version == str(FORMAT_VERSION):
        return
    if isinstance(version, str) and version.isascii() and version.isdigit() and int(version[:9]) > FORMAT_VERSION:
        raise _Fault(
            f"it has format version {version[:20]}, and this wordloom reads version {FORMAT_VERSION}. "
            "Install a newer wordloom: pip install --upgrade wordloom"
        )
    raise _Fault(f"{_short(version)} is no format version. {_DAMAGED}")


def _views(data: memoryview, fields: dict[str, Any]) -> dict[str, npt.NDArray[Any]]:
    """The tensors where they lie, once their names, dtypes, shapes and offsets agree with each other and the file."""
    if set(fields) != {"__metadata__", *_DTYPE_OF}:
        odd = sorted(set(fields) ^ {"__metadata__", *_DTYPE_OF})
        raise _Fault(f"its tensors must be {', '.join(_DTYPE_OF)}; missing or too many: {_short(odd)}. {_DAMAGED}")
    extents = {name: _extent(name, fields[name], len(data)) for name in _DTYPE_OF}
    _check_offsets([(begin, end, name) for name, (begin, end, _) in extents.items()], len(data))
    _check_shapes({name: shape for name, (_, _, shape) in extents.items()})
    return {
        name: np.frombuffer(data[begin:end], _DTYPES[fields[name]["dtype"]]).reshape(shape)
        for name, (begin, end, shape) in extents.items()
    }


def _extent(name: str, entry: object, size: int) -> tuple[int, int, list[int]]:
    """(begin, end, shape) of a tensor of a dtype that it may have. Python's integers do not overflow."""
    dtypes = [_DTYPE_OF[name], *([_HALF[name]] if name in _HALF else [])]
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"} or entry["dtype"] not in dtypes:
        either = " or ".join(dtypes)
        raise _Fault(f"tensor {name} is not described by a dtype {either}, a shape and data_offsets. {_DAMAGED}")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not (_naturals(shape, _RANKS.get(name, 1), size) and _naturals(offsets, 2, size)):
        raise _Fault(
            f"tensor {name} has shape {_short(shape)} and data_offsets {_short(offsets)}, "
            f"which is no place in {size:,} bytes of data. {_DAMAGED}"
        )
    if offsets[1] - offsets[0] != math.prod(shape) * _DTYPES[dtype].itemsize:
        raise _Fault(f"tensor {name} of shape {_short(shape)} does not fill its bytes {_short(offsets)}. {_DAMAGED}")
    return offsets[0], offsets[1], shape


def _naturals(values: object, n: int, limit: int) -> bool:
    """Is this a list of n integers from 0 to limit?"""
    return isinstance(values, list) and len(values) == n and all(type(v) is int and 0 <= v <= limit for v in values)


def _check_offsets(extents: list[tuple[int, int, str]], size: int) -> None:
    """One tensor begins where another ends, from the first byte to the last."""
    reached = 0
    for begin, end, name in sorted(extents):
        if begin != reached:
            raise _Fault(f"tensor {name} begins at byte {begin:,} of the data instead of {reached:,}. {_DAMAGED}")
        reached = end
    if reached != size:
        raise _Fault(f"it has {size:,} bytes of data, and its header describes {reached:,}. {_DAMAGED}")


def _check_shapes(shapes: dict[str, list[int]]) -> None:
    """W [n, d] and C [m, d] give the lengths of the others, but for the two texts."""
    (n, d), (m, _) = shapes["W"], shapes["C"]
    expected = {"C": [m, max(d, 1)], "word_offsets": [n + 1], "word_counts": [n]}
    expected |= {"W": [n, max(d, 1)], "context_offsets": [m + 1], "context_counts": [m]}
    for name, shape in expected.items():
        if shapes[name] != shape:
            raise _Fault(f"tensor {name} of shape {_short(shapes[name])} does not fit the others. {_DAMAGED}")


def _check_header(prefix: memoryview, header: bytes, expected: str) -> None:
    before, seal, rest = header.partition(_SEAL)
    digest = sha256(prefix)
    digest.update(before + seal + _NO_DIGEST + rest[64:])
    if digest.hexdigest() != expected:
        raise _Fault(f"the SHA-256 of its header (bytes 0 to {7 + len(header):,}) is wrong. {_DAMAGED}")


def _check_tensors(tensors: dict[str, npt.NDArray[Any]], expected: dict[str, Any], verify: bool) -> None:
    for name, tensor in tensors.items():
        if (verify or name not in ("W", "C")) and _digest(tensor, tensor.dtype) != expected.get(name):
            raise _Fault(f"the SHA-256 of tensor {name} is wrong. {_DAMAGED}")


def _vectors(tensors: dict[str, npt.NDArray[Any]], names: tuple[str, str, str, str], verify: bool) -> Vectors:
    matrix, blob, offsets, counts = names
    words = _unpacked(blob, tensors[blob].tobytes(), tensors[offsets])
    vectors = Vectors(words, tensors[matrix], tensors[counts])
    try:
        vectors.check(values=verify)
    except InputError as error:
        raise _Fault(f"tensors {matrix} and {blob}: {error}") from None
    return vectors


def _unpacked(name: str, text: bytes, offsets: npt.NDArray[np.int64]) -> list[str]:
    if offsets[0] != 0 or offsets[-1] != len(text) or np.any(offsets[1:] <= offsets[:-1]):
        raise _Fault(f"the offsets of tensor {name} do not rise from 0 to its {len(text):,} bytes. {_DAMAGED}")
    try:
        return [text[begin:end].decode() for begin, end in pairwise(offsets.tolist())]
    except UnicodeDecodeError as error:
        raise _Fault(f"tensor {name} holds a word that is not UTF-8 ({error.object!r:.60}). {_DAMAGED}") from None


def _short(value: object) -> str:
    """repr on one line, cut: a damaged file may hold anything, of any length."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."
