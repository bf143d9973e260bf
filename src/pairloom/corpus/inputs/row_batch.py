"""Some rows of a table: what every reader of tables yields, and what every error about a row names."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple, NoReturn

from pairloom.errors import InputError
from pairloom.system.display import quoted

_MOST_NAMED = 20  # columns in a message
_OF_SESSIONS = ("session", "visit", "basket", "cart", "playlist", "user", "visitor", "customer")
_OF_ITEMS = ("item", "product", "article", "track", "song", "movie", "book", "page", "sku")
_OF_TEXT = ("text", "content", "body", "sentence", "review", "comment", "message", "abstract")


class RowBatch(NamedTuple):
    """Some rows: columns[j][i] is the value of the j-th column that was asked for, in row first + i."""

    table: str  # the name of the file or object, for messages
    first: int  # rows are counted from 1
    columns: Sequence[Sequence[Any]]
    done: int  # bytes of the file, or rows, read so far

    def where(self, i: int, column: str) -> str:
        """The place of a value, for messages."""
        return f"{self.table}, row {self.first + i}, column {quoted(column)}"


class NoValue:
    """The type of ABSENT: the row has no such key. (A key with the value null is None.)"""


ABSENT = NoValue()


def value_at(row: Any, path: str) -> Any:
    """The value of a column in a row of nested dictionaries, or ABSENT.

    A key with dots comes before a path.

    >>> value_at({"review": {"body": "good"}}, "review.body"), value_at({"a.b": 1, "a": {"b": 2}}, "a.b")
    ('good', 1)
    """
    while isinstance(row, dict):
        if path in row:
            return row[path]
        key, dot, path = path.partition(".")
        row = row.get(key, ABSENT) if dot else ABSENT
        if row is None:
            return None
    return ABSENT


def names_in(row: dict[str, Any]) -> list[str]:
    """The columns of a row, with a dotted path for each nested value.

    >>> names_in({"id": 1, "review": {"body": "good", "stars": 5}})
    ['id', 'review.body', 'review.stars']
    """
    inner = {key: names_in(value) if isinstance(value, dict) and value else [] for key, value in row.items()}
    return [name for key, below in inner.items() for name in ([f"{key}.{path}" for path in below] or [key])]


def is_null(value: Any) -> bool:
    """Whether there is no value: None, an absent key, or what pandas has in their place."""
    if isinstance(value, float):
        return value != value
    return value is None or value is ABSENT or type(value).__name__ in ("NAType", "NaTType")


def refuse_column(table: str, column: str, names: Iterable[str]) -> NoReturn:
    """Raise the error for a column that a table does not have."""
    names = list(names)
    if not names:
        raise InputError(f"{table} has no columns, so none is called {quoted(column)}. Check the file.")
    near = get_close_matches(column, names, 1, 0.5)
    meant = f"Did you mean {quoted(near[0])}?" if near else "Name one of them."
    raise InputError(f"{table} has no column {quoted(column)}. It has {listed(names)}. {meant}")


def refuse_twice(table: str, column: str, names: Sequence[str]) -> None:
    """Raise an error if a table has two columns of this name."""
    if names.count(column) > 1:
        raise InputError(f"{table} has {names.count(column)} columns {quoted(column)}. Rename all but one.")


def listed(names: Sequence[str]) -> str:
    """The names of columns, for a message."""
    more = ", ..." if len(names) > _MOST_NAMED else ""
    return ", ".join(map(quoted, names[:_MOST_NAMED])) + more


def likely_column(lengths: Mapping[str, int]) -> str | None:
    """The column of text: one with a usual name, or the one with the longest texts. None without columns.

    >>> likely_column({"url": 90, "review.body": 20}), likely_column({"id": 3, "said": 20})
    ('review.body', 'said')
    """
    return _named_like(_OF_TEXT, lengths) or max(lengths, key=lambda name: lengths[name], default=None)


def _named_like(kinds: Sequence[str], names: Iterable[str]) -> str | None:
    """The first name of the first of these kinds."""
    names = list(names)
    return next((name for kind in kinds for name in names if _plain(name) == kind), None)


def _plain(name: str) -> str:
    """The last part of a nested name, without what marks a number.

    >>> _plain("event.Session_ID"), _plain("sessionId"), _plain("text")
    ('session', 'session', 'text')
    """
    return name.rpartition(".")[2].lower().removesuffix("id").removesuffix("_")


def column_advice(names: Sequence[str], chosen: str | None) -> str:
    """What to do with a table that was given as plain text."""
    name = "NAME" if chosen is None else chosen
    has = f" It has {listed(names)}." if names else " For sessions name two: --session NAME --item NAME."
    session, item = (_named_like(kinds, names) for kinds in (_OF_SESSIONS, _OF_ITEMS))
    if session and item and _plain(name) not in _OF_TEXT:
        options = f"--session {shlex.quote(session)} --item {shlex.quote(item)}"
        return f"name its columns of sessions and items: {options} (session={session!r}, item={item!r}).{has}"
    return f"name its column of text: --column {shlex.quote(name)} (column={name!r}).{has}"
