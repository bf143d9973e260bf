"""Read files as numbered lines, so that errors can name the line: edges, baskets, parses."""

import os
import weakref
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pairloom.config import MAX_WORD_BYTES, TextOptions, check_names
from pairloom.corpus.decoding import byte_blocks, text_blocks
from pairloom.corpus.finding import BLOCK_BYTES, SourceFile, find_files, remove_spooled
from pairloom.errors import CorpusChangedError, InputError
from pairloom.types import PathName


class Lines(NamedTuple):
    """Some lines of a file, without their ends."""

    name: str  # of the file
    first: int  # the number of lines[0], counted from 1
    lines: list[str]
    done: int  # bytes of all files read so far

    def where(self, i: int) -> str:
        """The place of lines[i], for messages."""
        return f"{self.name}, line {self.first + i}"


class ByteLines(NamedTuple):
    """Some lines of a file as UTF-8. Each of them ends in LF."""

    name: str  # of the file
    first: int  # the number of the first line, counted from 1
    data: bytes
    done: int  # bytes of all files read so far

    def split(self) -> Lines:
        """The lines one by one."""
        lines = self.data.decode().removesuffix("\n").split("\n")
        return Lines(self.name, self.first, lines, self.done)


class LineFiles:
    """The lines of files, which can be read again. Streams are spooled as long as this object exists."""

    def __init__(self, source: PathName | list[PathName], text: TextOptions) -> None:
        sources = source if isinstance(source, list) else [source]
        self._files = find_files(sources)
        self._text = text
        weakref.finalize(self, remove_spooled, self._files)
        self.name = self._files[0].name if len(self._files) == 1 else ", ".join(os.fspath(path) for path in sources)
        self.size_bytes = sum(file.size for file in self._files)

    def blocks(self) -> Iterator[Lines]:
        """All lines in order, many at a time."""
        before = 0
        for file in self._files:
            for lines in _file_lines(file, self._text):
                yield lines._replace(done=before + lines.done)
            before += file.size

    def byte_blocks(self) -> Iterator[ByteLines]:
        """The same lines as UTF-8."""
        if self._text.lowercase:
            for name, first, lines, done in self.blocks():
                yield ByteLines(name, first, "".join(f"{line}\n" for line in lines).encode(), done)
            return
        before = 0
        for file in self._files:
            for block in _file_bytes(file, self._text):
                yield block._replace(done=before + block.done)
            before += file.size


def _file_bytes(file: SourceFile, text: TextOptions) -> Iterator[ByteLines]:
    first = 1
    for data, goes_on, read in byte_blocks(file, encoding=text.encoding, errors=text.errors, keep_unspaced=False):
        n_lines = data.count(b"\n")
        if goes_on:
            raise _too_long_line(file, first + n_lines)
        yield ByteLines(file.name, first, data if data.endswith(b"\n") else data + b"\n", read)
        first += n_lines
    _check_unchanged(file)


def _file_lines(file: SourceFile, text: TextOptions) -> Iterator[Lines]:
    first = 1
    for block in text_blocks(file, encoding=text.encoding, errors=text.errors, keep_unspaced=False):
        decoded = block.text.lower() if text.lowercase else block.text
        lines = decoded.removesuffix("\n").split("\n")
        if block.goes_on:
            raise _too_long_line(file, first + len(lines) - 1)
        yield Lines(file.name, first, lines, block.read)
        first += len(lines)
    _check_unchanged(file)


def _too_long_line(file: SourceFile, line: int) -> InputError:
    return InputError(
        f"{file.name}, line {line}: longer than {BLOCK_BYTES >> 20} MB. "
        "Check that this is the right file, and that its lines end."
    )


def _check_unchanged(file: SourceFile) -> None:
    if not file.is_unchanged():
        raise CorpusChangedError(f"{file.name} was changed while it was read. Start again when nothing writes to it.")


def is_path(source: object) -> bool:
    """Whether a source names files: a path, or a list of paths."""
    if isinstance(source, list) and source:
        return all(isinstance(item, str | os.PathLike) for item in source)
    return isinstance(source, str | os.PathLike)


def reading_options(options: dict[str, Any]) -> TextOptions:
    """How to read files, from the options lowercase, encoding and errors. Any other option is refused."""
    check_names(options, ["lowercase", "encoding", "errors"])
    return TextOptions(**options)


def check_lengths(words: Iterable[str], where: str) -> None:
    """Refuse words that are too long or not well-formed text."""
    for word in words:
        try:
            length = len(word.encode())
        except UnicodeEncodeError:
            raise InputError(f"{where}: {word[:30]!r} has half a character. Use whole characters.") from None
        if length > MAX_WORD_BYTES:
            raise InputError(f"{where}: {word[:30]!r}... is longer than {MAX_WORD_BYTES} bytes. Use a shorter name.")
