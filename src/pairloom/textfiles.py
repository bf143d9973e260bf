"""Files on the disk as blocks of decoded text, in bounded memory.

Three steps: find the files, undo the compression that their first bytes show, decode and cut. A block ends at a line
end, or at white space where so much text has no line end; the file's end is a line end.
"""

import codecs
import glob
import hashlib
import io
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from pairloom.errors import InputError
from pairloom.files import output_errors

MAX_WORD_BYTES = 1000  # longer "words" are data that strayed into the text: left out and reported, never cut
MAX_RUN_BYTES = 64 << 20  # so much without any white space is not text
BLOCK_BYTES = 1 << 20  # read at once: large enough for the kernels, small enough to have many in flight
FOLDER_SUFFIXES = (".txt", ".gz", ".bz2", ".xz", ".zst")
STDIN = "-"

PathName = str | os.PathLike[str]

_FREELY_UNPACKED, _LARGEST_RATIO = 32 << 20, 200  # bytes; text is packed to a third or a tenth, logs to a fiftieth
_STUB = 2 * MAX_WORD_BYTES  # what is held of a run without white space: enough to be known as too long


class TextBlock(NamedTuple):
    """Lines that end in LF. Only the last one may go on in the next block."""

    text: str
    goes_on: bool
    read: int  # bytes of the file, as stored, read so far


# --- Finding


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as it was when it was found. A spooled stream keeps the name that the user knows it by."""

    path: Path
    name: str
    spooled: bool
    size: int
    stamp: tuple[int, int, int]  # what a change of the file changes: size, time of change, inode
    _sample: str = field(default="", compare=False)

    @classmethod
    def at(cls, path: Path, name: str, spooled: bool = False) -> "SourceFile":
        status = path.stat()
        return cls(path, name, spooled, status.st_size, _stamp(status))

    def is_unchanged(self) -> bool:
        """Whether size, time, inode and, once one was taken, the sample are what they were."""
        return _stamp(self.path.stat()) == self.stamp and (not self._sample or self._sample == self._digest())

    def sample(self) -> str:
        """SHA-256 of 64 stretches of 4 KB, from first to last: most changes that keep size and time show."""
        if not self._sample:
            object.__setattr__(self, "_sample", self._digest())
        return self._sample

    def _digest(self) -> str:
        digest = hashlib.sha256()
        with self.path.open("rb") as file:
            for i in range(64):
                file.seek(max(0, self.size - 4096) * i // 63)
                digest.update(file.read(4096))
        return digest.hexdigest()


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ino


def names_files(source: str) -> bool:
    """Whether a string is a file, a folder, a glob with matches, or standard input."""
    try:
        return source == STDIN or (source != "" and Path(source).exists()) or bool(_glob(source))
    except (OSError, ValueError):  # too long for a name, or with NUL: a sentence, not a path
        return False


def find_files(sources: Sequence[PathName]) -> list[SourceFile]:
    """The files that paths, globs, folders and "-" stand for. Streams are spooled, once all else is checked."""
    if [os.fspath(source) for source in sources].count(STDIN) > 1:
        raise InputError('Standard input ("-") can be read only once. Give it one time.')
    paths = [path for source in sources for path in _expand(os.fspath(source))]
    found: list[SourceFile] = []
    try:
        for path in paths:
            found.append(_spool(path) if _is_stream(path) else SourceFile.at(Path(path), path))
    except BaseException:
        remove_spooled(found)
        raise
    return found


def is_among(path: PathName, sources: Sequence[PathName]) -> bool:
    """Whether writing to `path` would write over one of these files, or into a folder that is read as a whole."""
    target = os.path.realpath(path)
    named = [os.fspath(source) for source in sources]
    return any(_covers(source, target) for source in named if source and source != STDIN)


def _covers(source: str, target: str) -> bool:
    try:
        if Path(source).is_dir():
            return target.startswith(os.path.realpath(source) + os.sep) and target.lower().endswith(FOLDER_SUFFIXES)
        return target in {os.path.realpath(source), *map(os.path.realpath, _glob(source))}
    except (OSError, ValueError):  # a name too long, or with a NUL in it: there is no such file
        return False


def remove_spooled(files: Sequence[SourceFile]) -> None:
    """Delete the temporary copies of streams."""
    for file in files:
        if file.spooled:
            file.path.unlink(missing_ok=True)


def _expand(source: str) -> list[str]:
    if source == STDIN:
        return [source]
    if not source:  # which Path would take for the current folder
        raise InputError("The path of the corpus is empty. Give a file, a folder or - for standard input.")
    try:
        mode = Path(source).stat().st_mode
    except FileNotFoundError:
        return _matches(source)
    except (OSError, ValueError) as error:
        raise InputError(f"{source!r} cannot be opened: {_reason(error)}. Check the path.") from None
    if stat.S_ISDIR(mode):
        return _files_below(Path(source))
    if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not source.startswith("/dev/std")):
        raise InputError(f"{source} is a device, not a text file. Give a file, a folder or - for standard input.")
    if not os.access(source, os.R_OK):
        raise InputError(f"{source} cannot be opened: Permission denied. Check who may read it.")
    return [source]


def _matches(pattern: str) -> list[str]:
    if not glob.has_magic(pattern):
        raise InputError(f"{pattern} does not exist. Check the path of the corpus.")
    matches = _glob(pattern)
    if not matches:
        raise InputError(f"No file matches {pattern}. Check the pattern.")
    return matches


def _glob(pattern: str) -> list[str]:
    """Matching files in the order of their paths' parts, which is the same on every system."""
    if not glob.has_magic(pattern):
        return []
    matches = glob.glob(pattern, recursive=True)  # noqa: PTH207 (Path.glob takes no absolute patterns)
    files = sorted((match for match in matches if Path(match).is_file()), key=lambda match: Path(match).parts)
    return list({os.path.realpath(file): file for file in reversed(files)}.values())[
        ::-1
    ]  # `**` follows links in rings


def _files_below(folder: Path) -> list[str]:
    def fail(error: OSError) -> None:
        raise InputError(f"{error.filename} cannot be opened: {_reason(error)}. Check who may read it.")

    found = []
    for parent, folders, names in os.walk(folder, onerror=fail):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [
            Path(parent) / name
            for name in names
            if not name.startswith(".") and name.lower().endswith(FOLDER_SUFFIXES) and (Path(parent) / name).is_file()
        ]
    if not found:
        raise InputError(
            f"The folder {folder} has no text files. Files in a folder are taken if they end in "
            f"{', '.join(FOLDER_SUFFIXES)}; give others by name or by a glob."
        )
    return [str(path) for path in sorted(found, key=lambda path: path.parts)]


def _is_stream(path: str) -> bool:
    """Whether it can be read only once. /dev/stdin and /dev/fd/N may share their position with somebody else."""
    return path == STDIN or path.startswith(("/dev/std", "/dev/fd/", "/proc/")) or not Path(path).is_file()


def _spool(source: str) -> SourceFile:
    import tempfile

    if source == STDIN and sys.stdin is None:
        raise InputError("Standard input is closed. Give a file, or something to read from.")
    name = "standard input" if source == STDIN else source
    with output_errors(tempfile.gettempdir()):
        descriptor, path = tempfile.mkstemp(prefix="pairloom-", suffix=".spool")
    try:
        with os.fdopen(descriptor, "wb") as copy:
            for data in _stream(source, name):
                with output_errors(tempfile.gettempdir()):
                    copy.write(data)
    except BaseException:
        Path(path).unlink()
        raise
    return SourceFile.at(Path(path), name, spooled=True)


def _stream(source: str, name: str) -> Iterator[bytes]:
    try:
        with sys.stdin.buffer if source == STDIN else Path(source).open("rb") as stream:
            while data := stream.read(BLOCK_BYTES):
                yield data
    except OSError as error:
        raise InputError(f"{name} cannot be read: {_reason(error)}. Give another source of text.") from None


# --- Undoing compression

_BZ2_BLOCKS = (b"\x31\x41\x59\x26\x53\x59", b"\x17\x72\x45\x38\x50\x90")  # a bzip2 file goes on with one of these
_REFUSED = {
    b"PK\x03\x04": "a zip archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"\x04\x22\x4d\x18": "compressed by lz4",
    b"PAR1": "a Parquet file",
}


def _compression(head: bytes) -> str | None:
    """What the first bytes of a file say, whatever its name says."""
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    if head.startswith(b"\xfd7zXZ\x00"):
        return "xz"
    if head.startswith(b"\x28\xb5\x2f\xfd") or (head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F):
        return "zstd"
    if head.startswith(b"BZh") and head[4:10] in _BZ2_BLOCKS:
        return "bzip2"
    return None


class _Unpacking(NamedTuple):
    """A file with its compression undone."""

    stream: BinaryIO
    form: str | None  # the name of the compression
    damage: tuple[type[Exception], ...]  # what its reader raises on bad data, besides EOFError and OSError


def _unpacking(raw: BinaryIO, name: str) -> _Unpacking:
    """Undo the compression that the first bytes show. Its module is imported only then, to keep the start light."""
    head = raw.read(16)
    raw.seek(0)
    for magic, what in _REFUSED.items():
        if head.startswith(magic):
            raise InputError(f"{name} is {what}, which pairloom does not read. Unpack it to text first.")
    form = _compression(head)
    if form == "gzip":
        import gzip
        import zlib

        return _Unpacking(cast(BinaryIO, gzip.GzipFile(fileobj=raw)), form, (zlib.error,))
    if form == "xz":
        import lzma

        return _Unpacking(cast(BinaryIO, lzma.LZMAFile(raw)), form, (lzma.LZMAError,))
    if form == "bzip2":
        import bz2

        return _Unpacking(cast(BinaryIO, bz2.BZ2File(raw)), form, ())
    if form == "zstd":
        zstd = _zstd(name)
        return _Unpacking(zstd.ZstdFile(raw), form, (zstd.ZstdError,))
    return _Unpacking(raw, None, ())


def _zstd(name: str) -> Any:
    """Python's own module from 3.14 on, the same thing from the package index before."""
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError:
        raise InputError(
            f"{name} is compressed by zstd, which needs an extra package. Install it with: pip install backports.zstd"
        ) from None
    return zstd


def _chunks(file: SourceFile) -> Iterator[tuple[bytes, int]]:
    """The bytes of a file, unpacked, and how many stored bytes were read for them."""
    form: str | None = None
    damage: tuple[type[Exception], ...] = ()
    again = "Get or make the file again."
    try:
        with file.path.open("rb") as raw:
            stream, form, damage = _unpacking(raw, file.name)
            unpacked = 0
            while data := stream.read(BLOCK_BYTES):
                unpacked += len(data)
                _check_ratio(unpacked, raw.tell(), file.name)
                yield data, raw.tell()
    except EOFError:
        raise InputError(f"{file.name} is damaged: its {form} data ends too early. {again}") from None
    except damage:
        raise InputError(f"{file.name} is damaged: its {form} data is not valid. {again}") from None
    except OSError as error:
        if error.errno is None:  # not from the system: gzip and bzip2 use it for bad data
            raise InputError(f"{file.name} is damaged: its {form} data is not valid. {again}") from None
        raise InputError(f"{file.name} could not be read: {_reason(error)}. Check the file.") from None


def _check_ratio(unpacked: int, read: int, name: str) -> None:
    """Packed text that is all repetition would keep a machine busy for as long as somebody likes."""
    if unpacked > _FREELY_UNPACKED + _LARGEST_RATIO * read:
        raise InputError(
            f"{name} unpacks to more than {_LARGEST_RATIO} times its {read:,} bytes, which text does not. "
            "If you trust it, unpack it first."
        )


# --- Decoding


# Notations rather than encodings of text files; they can even spell halves of characters, which UTF-8 cannot hold.
_NOTATIONS = {
    "utf-7",
    "unicode_escape",
    "raw_unicode_escape",
    "unicode-escape",
    "raw-unicode-escape",
    "punycode",
    "idna",
}


def is_text_encoding(encoding: object) -> bool:
    """Whether Python can decode text files in this encoding, piece by piece."""
    try:
        codecs.getincrementaldecoder(cast(str, encoding))
        b"text".decode(cast(str, encoding), "replace")  # LookupError for codecs between bytes, such as hex
        return codecs.lookup(cast(str, encoding)).name not in _NOTATIONS
    except (LookupError, ValueError, TypeError):
        return False


def _decoded(file: SourceFile, encoding: str, errors: str) -> Iterator[tuple[str, int]]:
    """The text of a file with every line end as LF, without its byte order mark."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(errors), translate=True)
    position = read = 0
    fresh = True
    for data, read in _chunks(file):
        if position == 0:
            _refuse_other_encodings(data, file.name, encoding)
        text = _decode(decoder, data, position, file, encoding)
        position += len(data)
        if fresh and text:
            text, fresh = text.removeprefix("\ufeff"), False
        yield text, read
    yield _decode(decoder, b"", position, file, encoding), read


def _decode(decoder: io.IncrementalNewlineDecoder, data: bytes, position: int, file: SourceFile, encoding: str) -> str:
    try:
        return decoder.decode(data, final=not data)
    except UnicodeDecodeError as error:
        held_over = len(error.object) - len(data)  # bytes of an unfinished character, from the chunk before
        at = position - held_over + error.start
        raise InputError(
            f"{file.name}, line {_line_number(file, encoding, at)}, byte {at}: "
            f"0x{error.object[error.start]:02x} is not valid {encoding}. If the text is in another encoding, name it "
            "(--encoding latin-1); or have such bytes replaced (--errors replace)."
        ) from None
    except UnicodeError as error:  # UTF-16 and UTF-32 without the mark that says which bytes come first
        raise InputError(
            f"{file.name} is not {encoding}: {error}. "
            f"Name the order of its bytes (--encoding {encoding}-le or {encoding}-be)."
        ) from None


def _line_number(file: SourceFile, encoding: str, position: int) -> int:
    """The line of a byte, counted from 1. Reads the file again: only an error asks for it."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)("replace"), translate=True)
    line = 1
    for data, _ in _chunks(file):
        line += decoder.decode(data[:position]).count("\n")
        position -= len(data)
        if position <= 0:
            break
    return line


def _refuse_other_encodings(head: bytes, name: str, encoding: str) -> None:
    """UTF-16 and UTF-32 show by their byte order mark or by their many NULs; read as something else they are noise."""
    if codecs.lookup(encoding).name.startswith(("utf-16", "utf-32")):
        return
    looks = _wide_encoding(head)
    if looks is not None:
        raise InputError(f"{name} looks like {looks.upper()}, not {encoding}. Use --encoding {looks}.")
    if head.count(0) * 10 >= len(head) * 3 and len(head) >= 16:
        raise InputError(f"{name} is full of NUL bytes, so it is not text. Give a text file.")


def _wide_encoding(head: bytes) -> str | None:
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if len(head) < 16:
        return None
    half = len(head) // 2
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.6 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.6 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


# --- Cutting


def text_blocks(file: SourceFile, *, encoding: str, errors: str, whole_runs: bool) -> Iterator[TextBlock]:
    """A file's text in blocks. The last one never goes on.

    A run without white space that is longer than a block is a word too long to keep, so only its beginning is held,
    unless whole_runs asks for all of it (for tokenizers of languages without spaces).
    """
    rest, dropped, goes_on, read = "", 0, False, 0  # dropped: bytes of the run at the end of rest that are not held
    for text, read in _decoded(file, encoding, errors):
        rest += text
        cut = _last_break(rest)
        if cut > 0:
            goes_on = rest[cut - 1] != "\n"
            yield TextBlock(rest[:cut], goes_on, read)
            rest, dropped = rest[cut:], 0
        elif len(rest) > BLOCK_BYTES:
            dropped += 0 if whole_runs else _n_bytes(rest[_STUB:])
            rest = rest if whole_runs else rest[:_STUB]
            if dropped + _n_bytes(rest) > MAX_RUN_BYTES:
                raise InputError(
                    f"{file.name} has {MAX_RUN_BYTES >> 20} MB without any white space, so it is not text. "
                    "Words must be separated by white space."
                )
    if rest or goes_on:
        yield TextBlock(rest, False, read)


def _last_break(text: str) -> int:
    """The position after the last line end, or in a long text without any after the last white space, or else 0."""
    end = text.rfind("\n") + 1
    if end > 0 or len(text) <= BLOCK_BYTES:
        return end
    if text[-1].isspace():
        return len(text)
    return len(text) - len(text.rsplit(None, 1)[-1])


def _n_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
