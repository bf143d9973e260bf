"""A column as sentences: blocks of text, lists of words, or the items of each session.

A text is one or more lines, as in a file: a line end inside it ends a sentence. Rows without a value are skipped and
counted.
"""

import re
from collections.abc import Hashable, Iterator
from operator import itemgetter
from typing import Any

from pairloom.config import is_whole
from pairloom.corpus.decoding import TextBlock
from pairloom.corpus.finding import BLOCK_BYTES
from pairloom.corpus.inputs.row_batch import RowBatch, is_null
from pairloom.corpus.inputs.row_source import RowSource, is_list
from pairloom.errors import InputError
from pairloom.system.display import of_type, quoted

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_TO_TEXT = "Texts are strings, or lists of strings that are words. Convert the column"


def text_blocks_of(table: RowSource) -> Iterator[tuple[str, TextBlock]]:
    """The texts of a column, each with a line end, many at a time, with the name of their file."""
    column = table.text.columns[0]
    held: list[str] = []
    size, name, done = 0, "", 0
    for batch in table.batches():
        if held and (batch.table != name or size >= BLOCK_BYTES):
            yield name, TextBlock("".join(held), False, done)
            held, size = [], 0
        name, done = batch.table, batch.done
        for i, value in enumerate(batch.columns[0]):
            if is_null(value):
                table.nulls += 1
                continue
            text = _checked_text(value, batch, i, column, table.text.errors)
            held += [text, "\n"]
            size += len(text)
    if held:
        yield name, TextBlock("".join(held), False, done)


def _checked_text(value: Any, batch: RowBatch, i: int, column: str, errors: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{batch.where(i, column)}: {quoted(value)} is {of_type(value)}. {_TO_TEXT}.")
    if "\r" in value:
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    return value if value.isascii() else _whole_characters(value, batch.where(i, column), errors)


def _whole_characters(value: str, where: str, errors: str) -> str:
    """The text, if all of its characters are whole. JSON can spell halves, which UTF-8 cannot hold."""
    try:
        return value.encode(errors=errors).decode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{where}: {quoted(value[error.start])} is half a character. Correct the text, or replace such characters "
            "(--errors replace)."
        ) from None


def lists_of(table: RowSource) -> Iterator[tuple[list[str], int]]:
    """The lists of words of a column, each with what has been read so far."""
    column = table.text.columns[0]
    for batch in table.batches():
        for i, value in enumerate(batch.columns[0]):
            if is_null(value):
                table.nulls += 1
            elif is_list(value):
                yield [_checked_word(word, batch, i, column, table.text.errors) for word in value], batch.done
            else:
                raise InputError(
                    f"{batch.where(i, column)}: {quoted(value)} is {of_type(value)}, but the values before it are "
                    "lists of words. Give a column that holds only texts or only lists."
                )


def _checked_word(word: Any, batch: RowBatch, i: int, column: str, errors: str) -> str:
    """A word: a string, or a whole number, since items often have numbers for names."""
    if is_whole(word):
        return str(word)
    if not isinstance(word, str) or not word:
        what = "an empty string" if word == "" else f"{quoted(word)}, {of_type(word)}"
        raise InputError(f"{batch.where(i, column)}: {what}, is not a word. Leave it out, or make it a string.")
    return word if word.isascii() else _whole_characters(word, batch.where(i, column), errors)


class Sessions:
    """The items of each session, in the order of their rows or of the column `order`. Sessions keep the order in which
    they first appear. If all values of `order` are strings that say numbers, as in CSV, they are sorted as numbers.

    The rows of a session may be anywhere, so all items are kept in memory, about 10 bytes for a row, or 50 with
    `order`, after the first reading.
    """

    def __init__(self, table: RowSource) -> None:
        self._table = table
        self._sessions: list[list[str]] | None = None

    def __iter__(self) -> Iterator[list[str]]:
        if self._sessions is None:
            self._sessions = self._read()
        return iter(self._sessions)

    def _read(self) -> list[list[str]]:
        table, text = self._table, self._table.text
        items: dict[Hashable, list[str]] = {}
        orders: dict[Hashable, list[Any]] = {}
        names: dict[Any, str] = {}  # one string for each item, however many rows it has
        for batch in table.batches():
            for i, (session, item, *order) in enumerate(zip(*batch.columns, strict=True)):
                if is_null(session) or is_null(item) or session == "" or item == "":
                    table.nulls += 1
                    continue
                name = _checked_word(item, batch, i, str(text.item), text.errors)
                items.setdefault(_key(session, batch, i, str(text.session)), []).append(names.setdefault(name, name))
                for value in order:
                    orders.setdefault(session, []).append(_checked_order(value, batch, i, str(text.order)))
        if all(_says_a_number(value) for found in orders.values() for value in found):
            orders = {session: list(map(_number, found)) for session, found in orders.items()}
        return [_in_order(found, orders[session], table) if orders else found for session, found in items.items()]


def _says_a_number(value: Any) -> bool:
    return isinstance(value, str) and _NUMBER.fullmatch(value.strip()) is not None


def _number(text: str) -> float:
    """The number, exactly if it is whole: times in nanoseconds do not fit a float."""
    return int(text) if text.strip().lstrip("+-").isdecimal() else float(text)


def _key(session: Any, batch: RowBatch, i: int, column: str) -> Hashable:
    if isinstance(session, str) or is_whole(session):
        return session  # type: ignore[no-any-return]  # mypy does not know what is_whole says
    raise InputError(
        f"{batch.where(i, column)}: {quoted(session)} is {of_type(session)}. A session is named by a string or a whole "
        "number."
    )


def _checked_order(value: Any, batch: RowBatch, i: int, column: str) -> Any:
    if is_null(value) or value == "":
        raise InputError(f"{batch.where(i, column)} has no value to sort by. Fill it in, or leave the row out.")
    return value


def _in_order(items: list[str], orders: list[Any], table: RowSource) -> list[str]:
    """The items of a session, sorted. Rows of equal order stay as they are."""
    try:
        return [item for _, item in sorted(zip(orders, items, strict=True), key=itemgetter(0))]
    except TypeError:
        kinds = sorted({type(order).__name__ for order in orders})
        raise InputError(
            f"The column {quoted(table.text.order)} cannot be sorted: a session has values of {' and '.join(kinds)}. "
            "Use one type."
        ) from None
