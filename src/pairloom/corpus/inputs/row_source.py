"""A table that can be read again: files of rows, or a data frame."""

import os
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pairloom.config import TextOptions
from pairloom.corpus.finding import SourceFile, find_files, remove_spooled
from pairloom.corpus.inputs.arrow_rows import arrow_kind, arrow_rows
from pairloom.corpus.inputs.csv_rows import csv_rows, delimiter_of
from pairloom.corpus.inputs.frames import frame_rows, is_frame
from pairloom.corpus.inputs.json_rows import json_rows
from pairloom.corpus.inputs.lines_of_file import line_blocks
from pairloom.corpus.inputs.row_batch import RowBatch, is_null
from pairloom.errors import CorpusTypeError, InputError
from pairloom.system.display import of_type
from pairloom.types import PathName

_PACKED = (".gz", ".bz2", ".xz", ".zst")
_JSON, _CSV, _TSV = (".jsonl", ".ndjson", ".json"), (".csv",), (".tsv", ".tab")
_OF_TABLES = (*_JSON, *_CSV, *_TSV, ".parquet", ".arrow", ".feather")
FOLDER_SUFFIXES = (*_OF_TABLES, *(suffix + packed for suffix in (*_JSON, *_CSV, *_TSV) for packed in _PACKED))


class RowSource:
    """The rows of files, one file after another, or of a data frame. Streams are spooled while this object exists."""

    def __init__(self, source: object, text: TextOptions) -> None:
        self.text = text
        self._frame = None if _are_paths(source) else source
        self.files = [] if self._frame is not None else find_files(_paths(source), FOLDER_SUFFIXES)
        self.nulls = 0  # rows skipped in the latest reading, because they have no value
        if self._frame is not None and not is_frame(self._frame):
            raise CorpusTypeError(
                f"{_given(text)[0]}= is for tables, and the corpus is {of_type(source)}. Give a file of JSON Lines, "
                "CSV, Parquet or Arrow, or a data frame."
            )
        weakref.finalize(self, remove_spooled, self.files)

    def batches(self) -> Iterator[RowBatch]:
        """The columns that the options name, some rows at a time. `done` counts the bytes of all files, or rows."""
        self.nulls = 0
        if self._frame is not None:
            yield from frame_rows(self._frame, self.text.columns)
        before = 0
        for file in self.files:
            for batch in _file_rows(file, self.text):
                yield batch._replace(done=before + batch.done)
            before += file.size

    def holds_lists(self) -> bool:
        """Whether the first value of the column is a list of words, not a text. Raises if the first rows are wrong."""
        values = (value for batch in self.batches() for value in batch.columns[0])
        return is_list(next((value for value in values if not is_null(value)), ""))


def is_list(value: object) -> bool:
    """Whether a value holds words of its own. (pandas has arrays of NumPy where Parquet has lists.)"""
    return isinstance(value, list | tuple) or type(value).__name__ == "ndarray"


def _are_paths(source: object) -> bool:
    items = source if isinstance(source, list | tuple) and source else [source]
    return all(isinstance(item, str | os.PathLike) for item in items)


def _paths(source: Any) -> Sequence[PathName]:
    return source if isinstance(source, list | tuple) else [source]


def _file_rows(file: SourceFile, text: TextOptions) -> Iterator[RowBatch]:
    kind = arrow_kind(file.path)
    if kind is not None:
        return arrow_rows(file, kind, text.columns)
    kind = _text_kind(file, text)
    return json_rows(file, text.columns, text) if kind == "json" else csv_rows(file, text.columns, text, kind == "tsv")


def _text_kind(file: SourceFile, text: TextOptions) -> str:
    """The kind of a text file: by its name, or else by its first line."""
    path = Path(file.name.lower())
    suffix = Path(path.stem).suffix if path.suffix in _PACKED else path.suffix
    for kind, suffixes in (("json", _JSON), ("csv", _CSV), ("tsv", _TSV)):
        if suffix in suffixes:
            return kind
    lines, _ = next(line_blocks(file, text), ([""], 0))
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("{"):
        return "json"
    if delimiter_of(first) in first:
        return "csv"
    raise InputError(
        f"{file.name} has no columns: its first line is neither a JSON object nor a row of names. Leave out "
        f"{' and '.join(f'--{name}' for name in _given(text))} to read it as plain text."
    )


def _given(text: TextOptions) -> list[str]:
    return [name for name in ("column", "session", "item", "order") if getattr(text, name) is not None]
