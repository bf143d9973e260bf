"""Rows of Parquet and Arrow files, and of objects that hand out Arrow data. Needs the extra `parquet`."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pairloom.corpus.finding import SourceFile
from pairloom.corpus.inputs.row_batch import RowBatch, column_advice, likely_column, refuse_column, value_at
from pairloom.errors import Fault, InputError, MissingExtraError
from pairloom.system.display import quoted
from pairloom.system.extras import need

PARQUET, ARROW, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"


def arrow_kind(path: Path) -> str | None:
    """What the first bytes show: "Parquet", "Arrow" or "an Arrow stream"; None for any other file."""
    with path.open("rb") as file:
        head = file.read(8)
    kinds = {PARQUET: "Parquet", ARROW: "Arrow", ARROW_STREAM: "an Arrow stream"}
    return next((kind for magic, kind in kinds.items() if head.startswith(magic)), None)


def arrow_rows(file: SourceFile, kind: str, columns: Sequence[str]) -> Iterator[RowBatch]:
    """The values of some columns of a file, a thousand rows at a time."""
    with reading(file.name, kind), file.path.open("rb") as raw:
        done = 0
        for batch in rows_of_reader(_reader(raw, kind), columns, file.name):
            done = max(done, min(raw.tell(), file.size))  # columns are read in turn, so the position goes back
            yield batch._replace(done=done)


def rows_of_reader(reader: Any, columns: Sequence[str], name: str) -> Iterator[RowBatch]:
    """The values of some columns of a RecordBatchReader. `done` counts rows."""
    names, first = list(reader.schema.names), 1
    keys = [_top(name, names, column) for column in columns]
    for batch in reader:
        values = [
            _values(batch.column(names.index(key)), key, column) for key, column in zip(keys, columns, strict=True)
        ]
        yield RowBatch(name, first, values, first + batch.num_rows - 1)
        first += batch.num_rows


def check_not_arrow(file: SourceFile) -> None:
    """Refuse a Parquet or Arrow file that was given as plain text, and name its columns."""
    try:
        kind, names = arrow_kind(file.path), []
        if kind is None:
            return
        with reading(file.name, kind), file.path.open("rb") as raw:
            names = list(_reader(raw, kind).schema.names)
    except OSError:  # the reader of text says what is wrong with it
        return
    except (InputError, MissingExtraError):  # damaged, or arro3 is not installed
        if kind == "an Arrow stream":  # only its first bytes speak for it
            return
    what = kind if kind == "an Arrow stream" else f"{'an' if kind == 'Arrow' else 'a'} {kind} file"
    chosen = likely_column(dict.fromkeys(names, 0)) if len(names) != 1 else names[0]
    raise InputError(f"{file.name} is {what}, not plain text. To read it, {column_advice(names, chosen)}")


@contextmanager
def reading(name: str, kind: str) -> Iterator[None]:
    """Turn what arro3 raises for bad data into an InputError. Its panics are no Exceptions."""
    for module in ("arro3.core", "arro3.io"):
        need(module, "parquet", "Parquet" if kind == "Parquet" else "Arrow")
    try:
        yield
    except (InputError, Fault):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{name} cannot be read as {kind}: {reason}. Get or make the file again.") from None


def _reader(raw: Any, kind: str) -> Any:
    from arro3.io import read_ipc, read_ipc_stream, read_parquet

    return {"Parquet": read_parquet, "Arrow": read_ipc, "an Arrow stream": read_ipc_stream}[kind](raw)


def _top(name: str, names: list[str], column: str) -> str:
    """The column of the table that holds a value, which may be nested in it."""
    if names.count(column) > 1:
        raise InputError(f"{name} has {names.count(column)} columns {quoted(column)}. Rename all but one.")
    parts = column.split(".")
    prefixes = [".".join(parts[:n]) for n in range(len(parts), 0, -1)]
    return next((prefix for prefix in prefixes if prefix in names), "") or refuse_column(name, column, names)


def _values(array: Any, key: str, column: str) -> list[Any]:
    values: list[Any] = array.to_pylist()
    return values if key == column else [value_at({key: value}, column) for value in values]
