"""Objects as notebooks show them: a title over a small table. Every cell is text, whatever a word holds."""

from collections.abc import Sequence

from pairloom.drawing.page import Table, table
from pairloom.system.display import html

WORDS_SHOWN = 10


def first_words(words: Sequence[str]) -> str:
    """The first few words of a list.

    >>> first_words(["a", "b"]), first_words(list("abcdefghijkl"))
    ('a, b', 'a, b, c, d, e, f, g, h, i, j, …')
    """
    return ", ".join([*words[:WORDS_SHOWN], *["…"] * (len(words) > WORDS_SHOWN)])


def card(title: str, rows: Sequence[Sequence[str]], heads: Sequence[str] = ()) -> str:
    """The HTML of a title and a table.

    >>> card("<b>", [["a", "&"]]).count("&lt;b&gt;"), "<thead>" in card("", [["a", "b"]])
    (1, False)
    """
    head = f"<strong>{html(title)}</strong>" if title else ""
    return f"<div>{head}{table(Table('', list(heads), [list(row) for row in rows]), 'text') if rows else ''}</div>"
