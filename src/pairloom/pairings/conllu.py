"""CoNLL-U: parsed sentences, a word a line of ten columns parted by tabs, an empty line after each sentence.

    1  Dogs  dog  NOUN  NNS  _  2  nsubj  _  _
    2  bark  bark VERB  VBP  _  0  root   _  _

Lines that begin with # are comments. The lines of multiword tokens (ID 3-4) and of empty nodes (ID 5.1) say nothing
about the basic tree, and are passed over. (universaldependencies.org/format.html; CoNLL-X is read the same way.)
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pairloom.corpus.lines import LineFiles, check_lengths
from pairloom.errors import InputError

_COLUMNS = 10
_NO_WORD = re.compile(r"\d+-\d+|\d+\.\d+")


class Token(NamedTuple):
    """A word of a sentence. Its head is the place of another, counted from 1, or 0 for the root."""

    word: str
    tag: str  # universal part of speech
    head: int
    relation: str

    def lower(self) -> "Token":
        """The same with its word in lower case."""
        return self._replace(word=self.word.lower())


class _Row(NamedTuple):
    token: Token
    where: str


def sentences(files: LineFiles, lemmas: bool = False, lowercase: bool = False) -> Iterator[list[Token]]:
    """The sentences of files, each checked to be one. Words are forms, or lemmas, in lower case if wished."""
    rows: list[_Row] = []
    for lines in files.blocks():
        for i, line in enumerate(lines.lines):
            if not line.strip() or (lines.first + i == 1 and rows):  # a file's end is a sentence's, too
                yield from _whole(rows)
                rows = []
            if line.strip() and not line.startswith("#"):
                columns = _columns(line, lines.where(i))
                if not _NO_WORD.fullmatch(columns[0]):
                    row = _row(columns, len(rows) + 1, lines.where(i), lemmas)
                    rows.append(row._replace(token=row.token.lower()) if lowercase else row)
    yield from _whole(rows)


def _columns(line: str, where: str) -> list[str]:
    columns = line.split("\t")
    if len(columns) != _COLUMNS or "" in columns:
        empty = ", one of them empty" if "" in columns else ""
        raise InputError(
            f"{where}: columns parted by tabs: {len(columns)}{empty}. CoNLL-U has ten, with _ for what is not known."
        )
    return columns


def _row(columns: list[str], place: int, where: str, lemmas: bool) -> _Row:
    number, form, lemma, tag, _, _, head, relation, _, _ = columns
    if number != str(place):
        raise InputError(f"{where}: ID is {number[:30]!r}, but this is word {place} of its sentence. Mend the file.")
    if not (head.isascii() and head.isdigit() and len(head) < 10):
        raise InputError(f"{where}: HEAD is {head[:30]!r}, not a number. Give parsed text, with a head for every word.")
    word = lemma if lemmas and lemma != "_" else form
    check_lengths([word], where)
    return _Row(Token("_".join(word.split()), tag, int(head), relation), where)  # UD allows spaces, as in 10 000


def _whole(rows: list[_Row]) -> Iterator[list[Token]]:
    for place, (token, where) in enumerate(rows, 1):
        if token.head > len(rows) or token.head == place:
            raise InputError(f"{where}: HEAD is {token.head}, in a sentence of {len(rows)} words. Mend the file.")
    if rows:
        yield [token for token, _ in rows]
