"""Find the files of a corpus: paths, globs, folders, streams and addresses, checked before anything is read.

The first of three steps from a path to text. `unpacking.py` opens what is found here, `decoding.py` decodes it.
"""

import glob
import hashlib
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from pairloom.errors import InputError, MissingFileError, unreadable
from pairloom.system.addresses import is_address, is_path_of_address
from pairloom.system.files import output_errors
from pairloom.types import PathName

BLOCK_BYTES = 1 << 20  # read at once: large enough for the kernels, small enough to have many in flight
FOLDER_SUFFIXES = (".txt", ".gz", ".bz2", ".xz", ".zst")

STDIN = "-"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as it was when it was found. A copy of a stream or of a remote file keeps the name that the user knows.

    `begin` and `end` limit what is read to a piece of the file: see `pieces.py`.
    """

    path: Path
    name: str
    spooled: bool
    size: int
    stamp: tuple[int, int, int]  # size, time of change, inode: one of them differs after most changes
    _sample: str = field(default="", compare=False)
    begin: int = 0
    end: int | None = None
    content: str = ""  # SHA-256 of all bytes, of remote files only
    alone: bool = field(default=False, compare=False)  # whether it is the only file of the corpus, for messages

    @classmethod
    def at(cls, path: Path, name: str, spooled: bool = False, content: str = "") -> "SourceFile":
        """The file as it is now."""
        status = path.stat()
        return cls(path, name, spooled, status.st_size, _stamp(status), content=content)

    @property
    def identity(self) -> tuple[str, ...] | None:
        """What changes when the file does: of a remote file its bytes, of a local one path, size, time and a sample.

        None for a stream, which may be another one next time.
        """
        if self.content:
            return self.name, self.content
        return None if self.spooled else (str(self.path.resolve()), *map(str, self.stamp[:2]), self.sample())

    def is_unchanged(self) -> bool:
        """Whether size, time and inode are the same as before, and the sample too if one was taken."""
        return _stamp(self.path.stat()) == self.stamp and (not self._sample or self._sample == self._digest())

    def is_here(self) -> bool:
        """Whether this machine has the file that another one found: same path, size, and either time or sample.

        Shared storage has the same times everywhere. Copies often have other times, so their samples are compared.
        """
        try:
            size, time, _ = _stamp(self.path.stat())
            return size == self.size and (time == self.stamp[1] or self._sample == self._digest())
        except OSError:
            return False

    def sample(self) -> str:
        """SHA-256 of 64 samples of 4 KB, spread evenly. Shows most changes that keep size and time."""
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


def find_files(sources: Sequence[PathName], suffixes: tuple[str, ...] = FOLDER_SUFFIXES) -> list[SourceFile]:
    """The files that paths, globs, folders, addresses and "-" stand for. Of a folder, those that end in a suffix.

    Streams can be read only once, and remote files should be, so they are copied to temporary files, after all paths
    have been checked.
    """
    names = [os.fspath(source) for source in sources]
    if names.count(STDIN) > 1:
        raise InputError('Standard input ("-") can be read only once. Name it once.')
    paths = {name: _expand(name, suffixes) for name in names if not _is_remote(name)}
    files: dict[str, list[SourceFile]] = {}
    try:
        files |= _downloaded([name for name in names if _is_remote(name)], suffixes)
        for name, expanded in paths.items():
            files[name] = []
            for path in expanded:
                files[name].append(_spool(path) if _is_stream(path) else SourceFile.at(Path(path), path))
    except BaseException:
        remove_spooled([file for found in files.values() for file in found])
        raise
    found = [file for name in names for file in files[name]]
    return found if len(found) > 1 else [replace(file, alone=True) for file in found]


def remove_spooled(files: Sequence[SourceFile]) -> None:
    """Delete the temporary copies of streams and remote files."""
    for file in files:
        if file.spooled:
            file.path.unlink(missing_ok=True)


def names_files(source: str) -> bool:
    """Whether a string names a file, a folder, a glob with matches, an address, or standard input."""
    try:
        return source == STDIN or is_address(source) or (source != "" and Path(source).exists()) or bool(_glob(source))
    except (OSError, ValueError):  # too long for a path, or with a NUL: probably a sentence
        return False


def check_not_read(output: PathName, source: object) -> None:
    """Refuse to overwrite what is read, which a slip of the hand may name as the output.

    source: a path or a list of paths. Nothing else can be overwritten, so anything else is accepted.
    """
    given = source if isinstance(source, list | tuple) else [source]
    if would_overwrite(output, [path for path in given if isinstance(path, str | os.PathLike)]):
        raise InputError(
            f"{os.fspath(output)} is, or is among, the files to be read. Choose another name for the output."
        )


def would_overwrite(path: PathName, sources: Sequence[PathName]) -> bool:
    """Whether `path` is one of `sources`, also by a link, or would add to a folder among them."""
    target = os.path.realpath(path)
    named = [os.fspath(source) for source in sources]
    return any(_covers(source, target) for source in named if source and source != STDIN)


def reason(error: Exception) -> str:
    """The system's words for an error, without its number and path."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


# --- Paths, globs and folders


def _covers(source: str, target: str) -> bool:
    try:
        if Path(source).is_dir():
            within = target.startswith(os.path.realpath(source) + os.sep) and target.lower().endswith(FOLDER_SUFFIXES)
            return within or _is_among(target, _files_below(Path(source), FOLDER_SUFFIXES))
        return target == os.path.realpath(source) or _is_among(target, [source, *_glob(source)])
    except (OSError, ValueError):  # too long for a path, or with a NUL: no such file can exist
        return False


def _is_among(target: str, files: Iterable[str]) -> bool:
    """Whether a file exists and is one of these. Two hard links are one file."""
    return Path(target).exists() and any(Path(file).exists() and Path(file).samefile(target) for file in files)


def _expand(source: str, suffixes: tuple[str, ...]) -> list[str]:
    """The paths of the files that one source stands for."""
    if source == STDIN:
        return [source]
    if not source:  # Path("") would be the current folder
        raise InputError("The path of the corpus is empty. Give a file, a folder or - for standard input.")
    try:
        mode = Path(source).stat().st_mode
    except FileNotFoundError:
        return _matches(source)
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else "a path cannot hold a NUL"
        raise InputError(f"{source!r} cannot be opened: {why}. Check the path.") from None
    if stat.S_ISDIR(mode):
        return _files_below(Path(source), suffixes)
    if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not source.startswith("/dev/std")):
        raise InputError(f"{source} is a device, not a text file. Give a file, a folder or - for standard input.")
    if not os.access(source, os.R_OK):
        raise InputError(f"{source} cannot be opened: Permission denied. Check its permissions.")
    return [source]


def _matches(pattern: str) -> list[str]:
    if not glob.has_magic(pattern):
        raise MissingFileError(f"{pattern} does not exist. Check the path of the corpus.")
    matches = _glob(pattern)
    if not matches:
        raise InputError(f"No file matches {pattern}. Check the pattern.")
    return matches


def _glob(pattern: str) -> list[str]:
    """Matching files, sorted by the parts of their paths: the same order on every system."""
    if not glob.has_magic(pattern):
        return []
    matches = glob.glob(pattern, recursive=True)  # noqa: PTH207 (Path.glob takes no absolute patterns)
    files = sorted((match for match in matches if Path(match).is_file()), key=lambda match: Path(match).parts)
    # `**` follows links in circles, so take each file once, under its first name.
    once = {os.path.realpath(file): file for file in reversed(files)}
    return list(once.values())[::-1]


def _files_below(folder: Path, suffixes: tuple[str, ...]) -> list[str]:
    """The files with these suffixes in a folder and its subfolders, without hidden ones."""

    def fail(error: OSError) -> None:
        raise InputError(f"{error.filename} cannot be opened: {reason(error)}. Check its permissions.")

    found = []
    for parent, folders, names in os.walk(folder, onerror=fail):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [
            Path(parent) / name
            for name in names
            if not name.startswith(".") and name.lower().endswith(suffixes) and (Path(parent) / name).is_file()
        ]
    if not found:
        kind = "text" if suffixes == FOLDER_SUFFIXES else "such"
        raise InputError(
            f"The folder {folder} has no {kind} files. Only files that end in {', '.join(suffixes)} are read "
            "from a folder. Give other files by name or by a glob."
        )
    return [str(path) for path in sorted(found, key=lambda path: path.parts)]


# --- Remote files


def _is_remote(name: str) -> bool:
    return is_address(name) or (is_path_of_address(name) and not Path(name).exists())


def _downloaded(addresses: Sequence[str], suffixes: tuple[str, ...]) -> dict[str, list[SourceFile]]:
    """Copies of the files that addresses stand for."""
    if not addresses:
        return {}
    from pairloom.corpus.remote.downloading import download, find_remote

    found = find_remote(addresses, suffixes)
    copies = iter(download([file for files in found for file in files]))
    return {
        address: [SourceFile.at(copy.path, copy.name, True, copy.digest) for copy in islice(copies, len(files))]
        for address, files in zip(addresses, found, strict=True)
    }


# --- Streams


def _is_stream(path: str) -> bool:
    """Whether it can be read only once. /dev/stdin and /dev/fd/N may share their position with another process."""
    return path == STDIN or path.startswith(("/dev/std", "/dev/fd/", "/proc/")) or not Path(path).is_file()


def _spool(source: str) -> SourceFile:
    """Copy a stream to a temporary file."""
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
        raise unreadable(error)(f"{name} cannot be read: {reason(error)}. Give another source of text.") from None
