"""CoNLL-U: parsed sentences, one word per line in ten columns separated by tabs, and an empty line after each sentence.

    1  Dogs  dog  NOUN  NNS  _  2  nsubj  _  _
    2  bark  bark VERB  VBP  _  0  root   _  _

Lines that begin with # are comments. Lines of multiword tokens (ID 3-4) and of empty nodes (ID 5.1) are skipped, since
they are not part of the basic tree. (universaldependencies.org/format.html; CoNLL-X is read in the same way.)
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pairloom.corpus.lines import LineFiles, check_lengths
from pairloom.errors import InputError
from pairloom.system.display import number_of

_COLUMNS = 10
_NOT_A_WORD = re.compile(r"\d+-\d+|\d+\.\d+")


class ParsedWord(NamedTuple):
    """A word of a sentence. `head` is the position of its head, counted from 1, or 0 for the root."""

    word: str
    tag: str  # universal part of speech
    head: int
    relation: str

    def lower(self) -> "ParsedWord":
        """The same in lower case."""
        return self._replace(word=self.word.lower())


class _Row(NamedTuple):
    parsed: ParsedWord
    where: str  # file and line, for messages


def sentences(files: LineFiles, lemmas: bool = False, lowercase: bool = False) -> Iterator[list[ParsedWord]]:
    """The sentences of files, checked. Words are forms, or lemmas, in lower case if `lowercase`."""
    rows: list[_Row] = []
    for lines in files.blocks():
        for i, line in enumerate(lines.lines):
            if not line.strip() or (lines.first + i == 1 and rows):  # a sentence also ends with its file
                yield from _checked_sentence(rows)
                rows = []
            if line.strip() and not line.startswith("#"):
                columns = _columns(line, lines.where(i))
                if not _NOT_A_WORD.fullmatch(columns[0]):
                    row = _row(columns, len(rows) + 1, lines.where(i), lemmas)
                    rows.append(row._replace(parsed=row.parsed.lower()) if lowercase else row)
    yield from _checked_sentence(rows)


def _columns(line: str, where: str) -> list[str]:
    columns = line.split("\t")
    if len(columns) != _COLUMNS or "" in columns:
        empty = ", one empty" if "" in columns else ""
        raise InputError(
            f"{where}: {number_of(len(columns), 'column')} separated by tabs{empty}. CoNLL-U has ten, with _ for "
            f"unknown values."
        )
    return columns


def _row(columns: list[str], position: int, where: str, lemmas: bool) -> _Row:
    number, form, lemma, tag, _, _, head, relation, _, _ = columns
    if number != str(position):
        raise InputError(f"{where}: ID is {number[:30]!r}, but this is word {position} of the sentence. Correct it.")
    if not (head.isascii() and head.isdigit() and len(head) < 10):
        raise InputError(f"{where}: HEAD is {head[:30]!r}, not a number. Give parsed text, with a head for every word.")
    word = lemma if lemmas and lemma != "_" else form
    check_lengths([word], where)
    return _Row(ParsedWord("_".join(word.split()), tag, int(head), relation), where)  # UD allows spaces: 10 000


def _checked_sentence(rows: list[_Row]) -> Iterator[list[ParsedWord]]:
    """The sentence of these rows. Nothing if there are none."""
    for position, (parsed, where) in enumerate(rows, 1):
        if parsed.head > len(rows):
            raise InputError(
                f"{where}: HEAD is {parsed.head}, in a sentence of {number_of(len(rows), 'word')}. Correct it."
            )
        if parsed.head == position:
            raise InputError(f"{where}: HEAD is {parsed.head}, the word itself. Correct it.")
    if rows:
        yield [parsed for parsed, _ in rows]
