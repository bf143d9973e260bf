"""Files of questions about words: their lines, their columns, and the kind of questions that they hold."""

import csv
import os
from dataclasses import dataclass
from typing import BinaryIO, Literal

from pairloom.config import is_number
from pairloom.corpus.lists import numbered_lines, opened
from pairloom.errors import InputError
from pairloom.types import PathName

QuestionKind = Literal["analogies", "similarities", "categories"]

_SHAPES = (
    "Each line has four words (analogies), two words and a number (similarities), or a word and its category "
    "(categories)."
)


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """The lines of a file with their numbers, except empty lines and lines that begin with #."""

    path: str
    lines: tuple[tuple[int, str], ...]

    def where(self, number: int) -> str:
        """The place that an error message begins with."""
        return f"{self.path}, line {number}"


def read(source: PathName | QuestionFile) -> QuestionFile:
    """Read a UTF-8 file, or standard input for "-". A `QuestionFile` is returned unchanged."""
    if isinstance(source, QuestionFile):
        return source
    path = os.fspath(source)
    if path.startswith("/dev/") and not path.startswith(("/dev/std", "/dev/fd/")):
        raise InputError(f"{path} is a device, not a text file. Give a text file. {_SHAPES}")
    with opened(path, "Check the path.") as file:
        return read_from(file, path)


def read_from(file: BinaryIO, path: str) -> QuestionFile:
    """The lines of an open file."""
    kept = []
    for number, line in numbered_lines(file, path):
        if "\0" in line:
            raise InputError(f"{path}, line {number}: it holds NUL bytes, so it is not a text file. {_SHAPES}")
        if line.strip() and not line.startswith("#"):
            kept.append((number, line))
    if not kept:
        raise InputError(f"{path} has no questions. {_SHAPES}")
    return QuestionFile(path, tuple(kept))


def columns(file: QuestionFile) -> list[tuple[int, list[str]]]:
    """The number and the columns of each line. The first line decides the separator: tab, ;, comma or space."""
    first = file.lines[0][1]
    delimiter = next((mark for mark in "\t;," if mark in first), None)
    return [(number, _cut(line, delimiter)) for number, line in file.lines]


def _cut(line: str, delimiter: str | None) -> list[str]:
    if delimiter is None:
        return line.split()
    if delimiter == "\t":
        return [part.strip() for part in line.split("\t")]
    return [part.strip() for part in next(csv.reader([line], delimiter=delimiter))]


def kind_of(file: QuestionFile) -> QuestionKind:
    """The kind of a file's questions, recognised by its first line, or by its second if the first may be a header."""
    number, line = file.lines[0]
    if line.startswith(":"):
        return "analogies"
    begin = [parts for _, parts in columns(file)[:2]]
    if any(len(parts) >= 3 and as_number(parts[2]) is not None for parts in begin):
        return "similarities"
    if len(begin[0]) == 2:
        return "categories"
    if len(line.split()) == 4:
        return "analogies"
    raise InputError(f"{file.where(number)}: {line[:60]!r} is not a question of any known kind. {_SHAPES}")


def as_number(text: str) -> float | None:
    """The value of a decimal number, or None if the text is not a number."""
    try:
        value = float(text.replace("_", "?"))  # float() alone would accept 1_000
    except ValueError:
        return None
    return value if is_number(value) else None
