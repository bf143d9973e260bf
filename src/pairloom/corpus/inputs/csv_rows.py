"""Rows of CSV and TSV: a line of names, then a row of as many values on each line. Values in quotes may hold line ends.

In a file called .tsv or .tab tabs separate the values; in others it is what the first line has most of.
"""

import csv
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from pairloom.config import TextOptions
from pairloom.corpus.decoding import MAX_UNSPACED_BYTES
from pairloom.corpus.finding import SourceFile
from pairloom.corpus.inputs.lines_of_file import line_blocks
from pairloom.corpus.inputs.row_batch import RowBatch, refuse_column, refuse_twice
from pairloom.errors import InputError
from pairloom.system.display import number_of

_ROWS = 1 << 12  # in a batch


def csv_rows(file: SourceFile, columns: Sequence[str], text: TextOptions, tabs: bool) -> Iterator[RowBatch]:
    """The values of some columns, all strings."""
    csv.field_size_limit(max(csv.field_size_limit(), MAX_UNSPACED_BYTES))  # Python's own is 128 KB, for all readers
    lines = _Lines(file, text)
    first_line = next(lines, "")
    reader = csv.reader(_chained(first_line, lines), delimiter="\t" if tabs else delimiter_of(first_line), strict=True)
    rows = _rows(reader, file.name)
    names = next(rows, [])
    at = [_index(file.name, names, column) for column in columns]
    first = 1
    while batch := list(islice(rows, _ROWS)):
        yield RowBatch(file.name, first, [[row[j] for row in batch] for j in at], lines.read)
        first += len(batch)


def delimiter_of(line: str) -> str:
    """The character that separates the values of a line of names.

    >>> delimiter_of("id;text;stars"), delimiter_of("text")
    (';', ',')
    """
    return max(",;\t|", key=line.count)


class _Lines(Iterator[str]):
    """The lines of a file with LF, and the bytes that were read for them."""

    def __init__(self, file: SourceFile, text: TextOptions) -> None:
        self.read = 0
        self._lines = self._all(file, text)

    def _all(self, file: SourceFile, text: TextOptions) -> Iterator[str]:
        for lines, self.read in line_blocks(file, text):
            for line in lines:
                yield f"{line}\n"

    def __next__(self) -> str:
        return next(self._lines)


def _chained(first: str, others: Iterator[str]) -> Iterator[str]:
    yield first
    yield from others


def _rows(reader: Any, name: str) -> Iterator[list[str]]:
    """The rows, the one with names first. Lines without any value are left out, as pandas does."""
    n_names, number = 0, 0
    try:
        for row in reader:
            if not row:
                continue
            n_names = n_names or len(row)
            if len(row) != n_names:
                raise InputError(
                    f"{name}, row {number} (line {reader.line_num}) has {number_of(len(row), 'value')} below "
                    f"{number_of(n_names, 'name')}. Put values with separators or line ends into quotes."
                )
            yield row
            number += 1
    except csv.Error as error:
        raise InputError(
            f"{name}, row {number} (line {reader.line_num}) cannot be read: {error}. Check its quotes."
        ) from None


def _index(name: str, names: Sequence[str], column: str) -> int:
    refuse_twice(name, column, names)
    if column not in names:
        refuse_column(name, column, names)
    return names.index(column)
