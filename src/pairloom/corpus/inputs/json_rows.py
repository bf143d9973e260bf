"""Rows of JSON Lines: an object on each line. Empty lines are skipped, but counted."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pairloom.config import TextOptions
from pairloom.corpus.finding import SourceFile
from pairloom.corpus.inputs.lines_of_file import line_blocks
from pairloom.corpus.inputs.row_batch import ABSENT, RowBatch, names_in, refuse_column, value_at
from pairloom.errors import InputError
from pairloom.system.display import of_type, quoted


def json_rows(file: SourceFile, columns: Sequence[str], text: TextOptions) -> Iterator[RowBatch]:
    """The values of some columns. A row may lack a column, but not all of the first rows."""
    first = 1
    for lines, read in line_blocks(file, text):
        rows = [_row(line, file.name, first + i) if line.strip() else {} for i, line in enumerate(lines)]
        values = [[value_at(row, column) for row in rows] for column in columns]
        if first == 1:
            _check_there(file.name, columns, rows, values)
        yield RowBatch(file.name, first, values, read)
        first += len(lines)


def _row(line: str, name: str, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "it is nested too deep or has a huge number"
        if line.strip().endswith(("[", "{")):
            reason = "it is a document of many lines. Write one object per line, for example by jq -c '.[]'"
        raise InputError(f"{name}, row {number}: {quoted(line)} is not JSON: {reason}. Check this line.") from None
    if not isinstance(row, dict):
        what = "jq -c '.[]' writes the items of an array one per line" if isinstance(row, list) else "Check this line"
        raise InputError(f"{name}, row {number} is {of_type(row)}, not an object with columns. {what}.")
    return row


def _check_there(
    name: str, columns: Sequence[str], rows: Sequence[dict[str, Any]], values: Sequence[Sequence[Any]]
) -> None:
    for column, found in zip(columns, values, strict=True):
        if all(value is ABSENT for value in found) and any(rows):
            refuse_column(name, column, dict.fromkeys(key for row in rows[:100] for key in names_in(row)))
