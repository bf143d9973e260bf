"""Lists in text files, an entry a line: vocabularies, words to keep or drop, questions, phrases.

They are UTF-8 and small beside a corpus, so they are read as they are: neither packed nor in other encodings. Lines end
in LF, CR LF or CR. One line at a time is in memory, and none may be so long that it cannot be an entry.
"""

import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pairloom.corpus.finding import STDIN
from pairloom.errors import InputError

LONGEST_LINE = 1 << 16  # bytes
_BLOCK = 1 << 16
_LINE_END = re.compile(rb"\r\n|\r|\n")


@contextmanager
def opened(path: str, wanted: str) -> Iterator[BinaryIO]:
    """A file to read, or standard input for "-". `wanted` ends the messages: "Give a file of ..."."""
    if path == STDIN:
        if sys.stdin is None:
            raise InputError("Standard input is closed. Give a file, or something to read from.")
        yield sys.stdin.buffer
        return
    if "\0" in path:
        raise InputError(f"{path!r} cannot be read: a path cannot hold a NUL. {wanted}")
    try:
        mode = Path(path).stat().st_mode
        if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not path.startswith("/dev/std")):
            raise InputError(f"{path} is a device. {wanted}")
        with Path(path).open("rb") as file:
            yield file
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}. {wanted}") from None


def numbered_lines(
    stream: BinaryIO, name: str, *, whole: bool = False, longest: int = LONGEST_LINE
) -> Iterator[tuple[int, str]]:
    """The lines without their ends, counted from 1, and without a byte order mark.

    whole: refuse a last line that has no end, since it may have been cut.
    """
    number = 0
    for number, line in enumerate(_lines(stream, name, whole, longest), 1):
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise InputError(
                f"{name}, line {number}: not valid UTF-8 (byte {error.start} of the line). Save the file as UTF-8."
            ) from None
        yield number, text.removeprefix("\ufeff") if number == 1 else text


def _lines(stream: BinaryIO, name: str, whole: bool, longest: int) -> Iterator[bytes]:
    held: list[bytes] = []  # of a line that has not ended yet
    length, number = 0, 1
    while block := stream.read(_BLOCK):
        while block.endswith(b"\r") and (more := stream.read(1)):  # it may be half of a CR LF
            block += more
        first, *others = _LINE_END.split(block)
        held.append(first)
        for line in others:
            yield b"".join(held)
            held, length = [line], 0
        number, length = number + len(others), length + len(held[-1])
        if length > longest:
            raise InputError(
                f"{name}, line {number}: longer than {longest:,} bytes. Check that this is the file that was meant."
            )
    if any(held):
        if whole:
            raise InputError(f"{name}, line {number}: it has no end, so it may be cut. Get the file again, or end it.")
        yield b"".join(held)
