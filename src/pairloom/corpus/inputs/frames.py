"""Rows of tables in memory, recognised by what they can do, so that none of their packages is imported.

a dictionary of lists       {"text": [...]}
datasets.Dataset            column_names, select_columns, and slices that are dictionaries of lists
pandas.DataFrame            iloc, and columns with tolist
polars.DataFrame            get_column, and columns with slice and to_list
Arrow tables, and others    __arrow_c_stream__, read with the extra `parquet`
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pairloom.corpus.inputs.arrow_rows import reading, rows_of_reader
from pairloom.corpus.inputs.row_batch import RowBatch, listed, refuse_column, refuse_twice, value_at
from pairloom.errors import CorpusTypeError
from pairloom.system.display import of_type, quoted

_ROWS = 1 << 12  # in a batch
_OWN_COLUMNS = ("iloc", "get_column", "select_columns")


def is_frame(source: object) -> bool:
    """Whether this is a table in memory."""
    marks = ("__arrow_c_stream__", "collect_schema", *_OWN_COLUMNS)
    return isinstance(source, Mapping) or any(hasattr(type(source), mark) for mark in marks)


def frame_columns(source: Any) -> list[str]:
    """The names of its columns, as far as they are known without reading it."""
    if isinstance(source, Mapping):
        return list(map(str, source))
    names = getattr(source, "column_names", None) or getattr(source, "columns", None)
    return list(map(str, names)) if names is not None and not callable(names) else []


def frame_rows(source: Any, columns: Sequence[str]) -> Iterator[RowBatch]:
    """The values of some columns. `done` counts rows."""
    name = f"the {type(source).__name__}"
    _check_is_table(source)
    if not isinstance(source, Mapping) and not any(hasattr(source, mark) for mark in _OWN_COLUMNS):
        with reading(name, "Arrow data"):
            from arro3.core import RecordBatchReader

            yield from rows_of_reader(RecordBatchReader.from_arrow(source), columns, name)
        return
    known = frame_columns(source)
    own = [_own_column(name, known, column) for column in columns]
    first = 1
    for values in (_dataset_slices if hasattr(source, "select_columns") else _column_slices)(source, own):
        inner = [_inner(*one) for one in zip(columns, own, values, strict=True)]
        yield RowBatch(name, first, inner, first + len(inner[0]) - 1)
        first += len(inner[0])


def _own_column(name: str, known: Sequence[str], column: str) -> str:
    """The column of the table that has the values of `column`, which may be a path into dictionaries."""
    paths = (column.rsplit(".", n)[0] for n in range(column.count(".") + 1))
    own = next((path for path in paths if path in known), None)
    if own is None:
        refuse_column(name, column, known)
    refuse_twice(name, own, known)
    return own


def _inner(column: str, own: str, values: Sequence[Any]) -> Sequence[Any]:
    return values if column == own else [value_at(value, column[len(own) + 1 :]) for value in values]


def _check_is_table(source: Any) -> None:
    lazy = hasattr(source, "collect_schema") and not hasattr(source, "get_column")
    if lazy or hasattr(source, "read_next_batch"):
        raise CorpusTypeError(
            f"{of_type(source, 'A')} is not a table yet, and a corpus is read twice. Give the table that its collect() "
            "or read_all() returns."
        )
    if hasattr(source, "select_columns") and not hasattr(source, "__len__"):
        raise CorpusTypeError(
            f"{of_type(source, 'A')} is a stream, and a corpus is read twice. Load the dataset without streaming=True."
        )


def _dataset_slices(source: Any, columns: Sequence[str]) -> Iterator[list[Sequence[Any]]]:
    chosen = source.select_columns(list(dict.fromkeys(columns))).with_format(None)  # others may be costly to decode
    for begin in range(0, len(chosen), _ROWS):
        rows = chosen[begin : begin + _ROWS]
        yield [rows[column] for column in columns]


def _column_slices(source: Any, columns: Sequence[str]) -> Iterator[list[Sequence[Any]]]:
    found = [_column(source, column) for column in columns]
    lengths = {len(column) for column in found}
    if len(lengths) > 1:
        raise CorpusTypeError(f"The columns {listed(columns)} have different lengths. Make them equal.")
    for begin in range(0, max(lengths), _ROWS):
        yield [_values(getattr(column, "iloc", column)[begin : begin + _ROWS]) for column in found]


def _column(source: Any, column: str) -> Any:
    if hasattr(source, "get_column"):
        return source.get_column(column)
    name = next(name for name in source if str(name) == column)  # pandas numbers the columns that have no name
    found = source[name]
    if not hasattr(found, "__len__") or isinstance(found, str | bytes):
        raise CorpusTypeError(f"The column {quoted(column)} is {of_type(found)}. Give a list of its values.")
    return found


def _values(column: Any) -> Sequence[Any]:
    """A list of Python's own values, since numbers of NumPy are not ints."""
    convert = getattr(column, "to_list", None) or getattr(column, "tolist", None)
    return list(convert() if convert else column)
