"""Read lists from text files, one entry per line: vocabularies, words to keep or drop, questions, phrases.

Lists are small beside a corpus, so they must be UTF-8 and not compressed. Lines end in LF, CR LF or CR. One line at a
time is in memory, and a line too long for an entry is refused.
"""

import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pairloom.corpus.finding import STDIN
from pairloom.errors import InputError, unreadable
from pairloom.system.addresses import refuse_address

LONGEST_LINE = 1 << 16  # bytes
_BLOCK = 1 << 16
_LINE_END = re.compile(rb"\r\n|\r|\n")


@contextmanager
def opened(path: str, wanted: str) -> Iterator[BinaryIO]:
    """Open a file to read, or standard input for "-". `wanted` ends the messages: "Give a file of ..."."""
    if path == STDIN:
        if sys.stdin is None:
            raise InputError("Standard input is closed. Give a file, or something to read from.")
        yield sys.stdin.buffer
        return
    refuse_address(path, "A list")
    if "\0" in path:
        raise InputError(f"{path!r} cannot be read: a path cannot hold a NUL. {wanted}")
    try:
        mode = Path(path).stat().st_mode
        if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not path.startswith("/dev/std")):
            raise InputError(f"{path} is a device. {wanted}")
        with Path(path).open("rb") as file:
            yield file
    except OSError as error:
        raise unreadable(error)(f"{path} cannot be read: {error.strerror}. {wanted}") from None


def numbered_lines(
    stream: BinaryIO, name: str, *, whole: bool = False, longest: int = LONGEST_LINE
) -> Iterator[tuple[int, str]]:
    """The lines and their numbers, from 1, without line ends and without a byte order mark.

    whole: refuse a last line without a line end, since it may have been cut off.
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
    held: list[bytes] = []  # the parts of a line that has not ended yet
    length, number = 0, 1
    while block := stream.read(_BLOCK):
        while block.endswith(b"\r") and (more := stream.read(1)):  # may be half of a CR LF
            block += more
        first, *others = _LINE_END.split(block)
        held.append(first)
        for line in others:
            yield b"".join(held)
            held, length = [line], 0
        number, length = number + len(others), length + len(held[-1])
        if length > longest:
            raise InputError(
                f"{name}, line {number}: longer than {longest:,} bytes. Check that this is the right file."
            )
    if any(held):
        if whole:
            raise InputError(
                f"{name}, line {number}: it has no line end, so it may be cut off. Get the file again, or end the line."
            )
        yield b"".join(held)
