"""Files of questions about words: their lines, their columns, and which kind of question they ask."""

import csv
import os
from dataclasses import dataclass
from typing import BinaryIO, Literal

from pairloom.config import is_number
from pairloom.corpus.lists import numbered_lines, opened
from pairloom.errors import InputError
from pairloom.types import PathName

Kind = Literal["analogies", "similarities", "categories"]

_SHAPES = (
    "A file of analogies has lines of four words, one of similarities two words and a number, "
    "one of categories a word and its category."
)


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """The lines of a file with their numbers, without the empty ones and those that begin with #."""

    path: str
    lines: tuple[tuple[int, str], ...]

    def where(self, number: int) -> str:
        """How an error begins."""
        return f"{self.path}, line {number}"


def read(source: PathName | QuestionFile) -> QuestionFile:
    """Read a UTF-8 file, or standard input for "-"; what has been read stays as it is."""
    if isinstance(source, QuestionFile):
        return source
    path = os.fspath(source)
    if path.startswith("/dev/") and not path.startswith(("/dev/std", "/dev/fd/")):
        raise InputError(f"{path} is a device. Give a text file. {_SHAPES}")
    with opened(path, "Check the path.") as file:
        return read_from(file, path)


def read_from(file: BinaryIO, path: str) -> QuestionFile:
    """The lines of an open file."""
    kept = []
    for number, line in numbered_lines(file, path):
        if "\0" in line:
            raise InputError(f"{path}, line {number}: NUL bytes, so it is no text to evaluate with. {_SHAPES}")
        if line.strip() and not line.startswith("#"):
            kept.append((number, line))
    if not kept:
        raise InputError(f"{path} has no questions. {_SHAPES}")
    return QuestionFile(path, tuple(kept))


def columns(file: QuestionFile) -> list[tuple[int, list[str]]]:
    """The number and the columns of each line, cut at what the first line is cut at: tab, semicolon, comma or space."""
    first = file.lines[0][1]
    delimiter = next((mark for mark in "\t;," if mark in first), None)
    return [(number, _cut(line, delimiter)) for number, line in file.lines]


def _cut(line: str, delimiter: str | None) -> list[str]:
    if delimiter is None:
        return line.split()
    if delimiter == "\t":
        return [part.strip() for part in line.split("\t")]
    return [part.strip() for part in next(csv.reader([line], delimiter=delimiter))]


def kind_of(file: QuestionFile) -> Kind:
    """What a file asks, by its first line; or by its second, if the first may be a header of similarities."""
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
    raise InputError(f"{file.where(number)}: {line[:60]!r} is no question that is known. {_SHAPES}")


def as_number(text: str) -> float | None:
    """A decimal number, or None where the text is none."""
    try:
        value = float(text.replace("_", "?"))  # float() alone would take 1_000
    except ValueError:
        return None
    return value if is_number(value) else None
