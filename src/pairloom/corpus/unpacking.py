"""Read the bytes of a file, unpacked if its first bytes show that it is compressed.

The second of three steps from a path to text: `finding.py` finds the file, `decoding.py` decodes the bytes.
"""

import sys
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple, cast

from pairloom.corpus.finding import BLOCK_BYTES, SourceFile, reason
from pairloom.errors import InputError

# Files that unpack to much more than text would are refused after _FREELY_UNPACKED bytes. Usual ratios: text 3 to 10,
# logs up to 50.
_FREELY_UNPACKED, _LARGEST_RATIO = 32 << 20, 200

_BZ2_BLOCKS = (b"\x31\x41\x59\x26\x53\x59", b"\x17\x72\x45\x38\x50\x90")  # one of these follows the bzip2 header

_UNPACK, _EXPORT = "Unpack it to text first.", "Write its text to a file first."
_COLUMN = (
    "Unpack it if it is compressed, and name its column of text (--column NAME), or its columns of sessions and items "
    "(--session NAME --item NAME)."
)
_REFUSED = {
    b"PK\x03\x04": ("a zip archive, as .docx, .xlsx and .epub files are", _UNPACK),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", _UNPACK),
    b"Rar!\x1a\x07": ("a RAR archive", _UNPACK),
    b"\x04\x22\x4d\x18": ("compressed by lz4", _UNPACK),
    b"\x1f\x9d": ("compressed by compress (.Z)", _UNPACK),
    b"PAR1": ("a Parquet file", _COLUMN),
    b"ARROW1\0\0": ("an Arrow file", _COLUMN),
    b"FEA1\0": ("a Feather file", _EXPORT),
    b"\x89HDF\r\n": ("an HDF5 file", _EXPORT),
    b"\x93NUMPY\x01": ("a NumPy file", _EXPORT),
    b"SQLite format 3\0": ("an SQLite database", _EXPORT),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ("an old Word or Excel file", _EXPORT),
    b"{\\rtf": ("rich text (RTF)", _EXPORT),
    b"%PDF-": ("a PDF", "Extract its text first, for example with pdftotext."),
    **{bytes([0x80, protocol]): ("a Python pickle", _EXPORT) for protocol in range(2, 6)},
}


def unpacked_bytes(file: SourceFile) -> Iterator[tuple[bytes, int]]:
    """The bytes of a file, unpacked, each time with the position in the stored file."""
    form: str | None = None
    damage: tuple[type[Exception], ...] = ()
    again = "Get or make the file again."
    try:
        with file.path.open("rb") as raw:
            stream, form, damage = _unpack(raw, file.name)
            unpacked = stream.seek(file.begin) if file.begin else 0
            while data := stream.read(BLOCK_BYTES if file.end is None else min(BLOCK_BYTES, file.end - unpacked)):
                if unpacked == 0:
                    _refuse_binary(data, file.name)
                unpacked += len(data)
                _check_ratio(unpacked, raw.tell(), file.name)
                yield data, raw.tell()
    except EOFError:
        raise InputError(f"{file.name} is damaged: its {form} data ends too early. {again}") from None
    except damage:
        raise InputError(f"{file.name} is damaged: its {form} data is not valid. {again}") from None
    except OSError as error:
        if error.errno is None:  # gzip and bzip2 raise OSError for bad data, without an errno
            raise InputError(f"{file.name} is damaged: its {form} data is not valid. {again}") from None
        raise InputError(f"{file.name} could not be read: {reason(error)}. Check the file.") from None


def _refuse_binary(head: bytes, name: str) -> None:
    """Refuse files that hold their text in another form, by the first bytes after unpacking."""
    for magic, (what, advice) in _REFUSED.items():
        if head.startswith(magic):
            as_text = " as text" if advice == _COLUMN else ""
            raise InputError(f"{name} is {what}, which pairloom does not read{as_text}. {advice}")
    if head[257:262] == b"ustar":
        raise InputError(f"{name} is a tar archive, which pairloom does not read. {_UNPACK}")
    if _compression(head):
        raise InputError(f"{name} is compressed twice. Unpack it once first.")


def _check_ratio(unpacked: int, read: int, name: str) -> None:
    """Refuse a decompression bomb: a small file that unpacks to more than any text would."""
    if unpacked > _FREELY_UNPACKED + _LARGEST_RATIO * read:
        raise InputError(
            f"{name} unpacks to more than {_LARGEST_RATIO} times its {read:,} bytes, which is unusual for text. "
            "If you trust the file, unpack it first."
        )


class _Unpacked(NamedTuple):
    """A file being read without its compression."""

    stream: BinaryIO
    form: str | None  # the name of the compression
    damage: tuple[type[Exception], ...]  # raised by its reader on bad data, besides EOFError and OSError


def _unpack(raw: BinaryIO, name: str) -> _Unpacked:
    """Undo the compression of a file. Its module is imported only when needed, to keep start-up fast."""
    head = raw.read(16)
    raw.seek(0)
    form = _compression(head)
    if form == "gzip":
        import gzip
        import zlib

        return _Unpacked(cast(BinaryIO, gzip.GzipFile(fileobj=raw)), form, (zlib.error,))
    if form == "xz":
        import lzma

        return _Unpacked(cast(BinaryIO, lzma.LZMAFile(raw)), form, (lzma.LZMAError,))
    if form == "bzip2":
        import bz2

        return _Unpacked(cast(BinaryIO, bz2.BZ2File(raw)), form, ())
    if form == "zstd":
        zstd = _zstd(name)
        return _Unpacked(zstd.ZstdFile(raw), form, (zstd.ZstdError,))
    return _Unpacked(raw, None, ())


def is_compressed(head: bytes) -> bool:
    """Whether a file with these first bytes is compressed, so that it can only be read from its beginning."""
    return _compression(head) is not None


def _compression(head: bytes) -> str | None:
    """The compression that the first bytes of a file show. Its name does not matter."""
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    if head.startswith(b"\xfd7zXZ\x00"):
        return "xz"
    if head.startswith(b"\x28\xb5\x2f\xfd") or (head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F):
        return "zstd"
    if head.startswith(b"BZh") and head[4:10] in _BZ2_BLOCKS:
        return "bzip2"
    return None


def _zstd(name: str) -> Any:
    """The zstd module: part of Python from 3.14 on, its backport before."""
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError as error:
        raise InputError(
            f"{name} is compressed by zstd, whose module cannot be imported ({error}). "
            "Unpack the file with zstd -d, or install pairloom again with all it depends on."
        ) from None
    return zstd
