"""Recognise files that hold text in another format: JSON, CSV, CoNLL-U, XML, HTML, subtitles, mail; and unspaced text.

Read as plain text, they would be trained on with their keys, tags and numbers. The first lines decide, and the name
only helps where few lines could look like this by chance. For a format with an unmistakable form three lines are
enough; a table of values takes five lines that agree in everything.
"""

import codecs
import csv
import io
import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pairloom.corpus.decoding import iconv_name
from pairloom.corpus.finding import SourceFile
from pairloom.corpus.inputs.row_batch import column_advice, likely_column, names_in, value_at
from pairloom.errors import InputError
from pairloom.method.tokens.unsegmented import unspaced

ADVICE = (
    "tokenize=icu (--tokenize icu), after: pip install 'pairloom[icu]'; or tokenize=words (--tokenize words) for words "
    "of one character"
)
_HEAD = 1 << 18  # characters to look at
_LONG = 1 << 16  # characters of lines of which one is enough
_LINES, _FEWEST, _FEWEST_ROWS, _FEWEST_UNNAMED = 50, 3, 5, 10
_DELIMITERS = (
    (",", "commas", (".csv",)),
    (";", "semicolons", (".csv",)),
    ("\t", "tabs", (".tsv", ".tab")),
    ("|", "vertical bars", (".csv", ".psv")),
)
_UNPACKERS = {".gz": "zcat", ".bz2": "bzcat", ".xz": "xzcat", ".zst": "zstdcat"}

_ALL_STRINGS = ".. | strings"

_KEY = r'"(?:[^"\\]|\\.)*"\s*:'
_OBJECT = re.compile(rf"\s*\{{\s*{_KEY}")
_DOCUMENT = re.compile(rf"\s*(?:\[\s*\{{|\{{\s*\n)\s*{_KEY}")
_ROOTS = "html|mediawiki|rss|feed|tei|teicorpus|tei\\.2"  # elements that begin a document
_MARKUP = re.compile(rf"\s*<(?:\?xml\b|!doctype\s|(?:{_ROOTS})[\s>]|[\w:.-]+\s[^<>]*\bxmlns\b)", re.IGNORECASE)
_ATTRIBUTE = r"\s+[\w:.-]+\s*=\s*[\"']"
_ELEMENT = re.compile(
    rf"<(?:[a-z][\w:.-]*{_ATTRIBUTE}|/?(?:html|head|body|div|p|span|table|tr|td|ul|li|br)\s*/?>)", re.I
)
_HTML = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+)?html\b", re.IGNORECASE)
_TIME = r"(?:[0-9]+:)?[0-9]{2}:[0-9]{2}[.,][0-9]{3}"
_CUE = re.compile(rf"\s*{_TIME}\s+-->\s+{_TIME}\b")
_CUES = 8  # lines for each time, at most
_ENVELOPE = re.compile(r"\s*From \S+ .*[0-9]{4}\s*\n")  # of each message of a mailbox
_FIELD = re.compile(r"([A-Za-z][A-Za-z0-9-]*):(?:\s|$)")
_FIELDS_OF_PROGRAMS = {"delivered-to", "message-id", "mime-version", "received", "return-path"}
_TOKEN_ID = re.compile(r"[0-9]+(?:[-.][0-9]+)?")
_TAG = re.compile(  # of the Penn Treebank, of Universal Dependencies, of chunks and names; and of punctuation
    "CC|CD|DT|EX|FW|IN|JJ[RS]?|LS|MD|NNP?S?|PDT|POS|PRP\\$?|RB[RS]?|RP|SYM|TO|UH|VB[DGNPZ]?|WDT|WP\\$?|WRB|"
    "ADJ|ADP|ADV|AUX|CCONJ|CONJ|DET|INTJ|NOUN|NUM|PART|PRON|PROPN|PRT|PUNCT|SCONJ|VERB|X|"
    "O|[BIES]-[A-Za-z_]+|[.,:;()'`$#\"-]{1,3}"
)
_COLUMN_NAME = re.compile(r"[^\W\d][\w.#/()-]{0,39}(?: [\w.#/()-]+){0,2}")
_DECIMAL = re.compile(r"-?[0-9]+\.[0-9]+(?:e[+-]?[0-9]+)?")
_NUMBER = re.compile(r"[+-]?[0-9][0-9.,:/TZ-]*")
_COMMA_IN_NUMBER = re.compile(r"[0-9],[0-9]")
_ALL_TEXT_OF_XML = (
    'python3 -c "import sys, xml.etree.ElementTree as tree; '
    '[print(text) for text in tree.parse(sys.stdin.buffer).getroot().itertext()]"'
)
_ALL_TEXT_OF_HTML = (
    "python3 -c \"import html, re, sys; tags = '(?s)<script.*?</script>|<style.*?</style>|<[^>]*>'; "
    "print(html.unescape(re.sub(tags, ' ', sys.stdin.read())))\""
)
_ALL_TEXT_OF_SUBTITLES = "sed -E '/-->/d; /^[0-9]+[[:space:]]*$/d; /^WEBVTT/d; s/<[^>]*>//g'"
_ALL_TEXT_OF_MAIL = (
    'python3 -c "import email, email.policy, re, sys; '
    "mails = re.split(rb'(?m)^From .*\\n', sys.stdin.buffer.read()); "
    "mails = [email.message_from_bytes(mail, policy=email.policy.default) for mail in mails if mail]; "
    "[print(text.get_content()) for mail in mails if (text := mail.get_body(['plain']))]\""
)


class _Named(NamedTuple):
    """What messages say of a file."""

    name: str
    spooled: bool
    encoding: str


class OtherFormat(NamedTuple):
    """A format that was recognised."""

    name: str
    advice: str


def check_plain_text(text: str, file: SourceFile, encoding: str, spaced: bool = True) -> None:
    """Refuse the first block of a file if it is in another format. The message says how to read its text.

    spaced: words are to be separated by white space.
    """
    if spaced:
        _check_segmented(text, file)
    found = other_format(text, file, encoding)
    if found:
        raise InputError(
            f"{file.name} is {found.name}, not plain text. To read it as it is, use as_text (--as-text). {found.advice}"
        )


def other_format(text: str, source: SourceFile, encoding: str) -> OtherFormat | None:
    """The format of the first block of a file, if it is not plain text."""
    file = _Named(source.name, source.spooled, encoding)
    head = text if len(text) <= _HEAD else text[: text.rfind("\n", 0, _HEAD) + 1 or _HEAD]
    lines = [line for line in head.split("\n", 2 * _LINES)[: 2 * _LINES] if line.strip()]
    return (
        _json(head, lines, file)
        or _json_arrays(lines, file)
        or _markup(head, file)
        or _elements(head, lines, file)
        or _subtitles(lines, file)
        or _mail(head, file)
        or _conllu(lines, file)
        or _tagged(head, file)
        or _vectors(lines, file)
        or _table(head, lines, file)
    )


def _check_segmented(text: str, file: SourceFile) -> None:
    if unspaced(text).is_certain:
        raise InputError(
            f"{file.name} has no spaces between words: nearly all that white space separates are whole sentences. To "
            f"find words, use {ADVICE}. To read it as it is, use as_text (--as-text)."
        )


def _extract(file: _Named, program: str) -> str:
    """The advice to extract the text by a program that reads standard input."""
    if file.spooled:
        return f"Otherwise extract the text first by a pipe, for example: {program}"
    unpacker, name = _UNPACKERS.get(Path(file.name).suffix.lower()), shlex.quote(file.name)
    if codecs.lookup(file.encoding).name not in ("utf-8", "utf-8-sig", "ascii"):
        program = f"iconv -f {iconv_name(file.encoding)} -t utf-8 | {program}"
        unpacker = unpacker or "cat"
    command = f"{unpacker} {name} | {program}" if unpacker else f"{program} < {name}"
    return f"Otherwise extract the text first, for example: {command} > text.txt"


def _column(names: Sequence[str], chosen: str | None) -> str:
    return f"Otherwise {column_advice(names, chosen)}"


def _suffix(file: _Named) -> str:
    """The suffix of the name, without that of a compression."""
    path = Path(file.name.lower())
    return Path(path.stem).suffix if path.suffix in _UNPACKERS else path.suffix


# --- JSON


def _json(head: str, lines: list[str], file: _Named) -> OtherFormat | None:
    named = _suffix(file) in (".jsonl", ".ndjson", ".json")
    if len(lines) >= (1 if named or len(head) > _LONG else _FEWEST) and all(map(_OBJECT.match, lines)):
        first = _first_object(head)
        return OtherFormat("JSON, an object on each line", _column(names_in(first), _text_key(first)))
    if _DOCUMENT.match(head):
        return OtherFormat("JSON", _extract(file, f"jq -r {shlex.quote(_jq(head))}"))
    return None


def _json_arrays(lines: list[str], file: _Named) -> OtherFormat | None:
    named = _suffix(file) in (".jsonl", ".ndjson")
    if len(lines) < (1 if named else _FEWEST) or not all(map(_is_array_of_strings, lines)):
        return None
    return OtherFormat("JSON, an array on each line", _extract(file, "jq -r '[.. | strings] | join(\" \")'"))


def _is_array_of_strings(line: str) -> bool:
    """Whether a line is an array with a string, or one that begins with another array. `[12]` may be a footnote."""
    if not line.lstrip().startswith("["):  # most text ends here
        return False
    try:
        array = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return bool(array) and (isinstance(array[0], list) or any(isinstance(value, str) for value in array))


def _first_object(head: str) -> dict[str, Any]:
    """The first object, or an empty one if it is longer than the head."""
    try:
        first, _ = json.JSONDecoder().raw_decode(head, head.index("{"))
    except (ValueError, RecursionError):
        return {}
    return dict(first)


def _text_key(first: dict[str, Any]) -> str | None:
    """The key of the text of an object, if it has any."""
    texts = {name: value for name in names_in(first) if isinstance(value := value_at(first, name), str)}
    return likely_column({name: len(value) for name, value in texts.items()})


def _jq(head: str) -> str:
    """The program of jq for a document: the texts of an array of objects, or all strings."""
    first = _first_object(head) if head.lstrip().startswith("[") else {}
    key = _text_key({name: value for name, value in first.items() if isinstance(value, str)})
    if key is None:
        return _ALL_STRINGS
    return ".[] | " + (f".{key}" if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", key) else f".{json.dumps(key)}")


# --- XML, HTML, subtitles, mail and CoNLL-U


def _markup(head: str, file: _Named) -> OtherFormat | None:
    named = _suffix(file) in (".xml", ".html", ".htm") and head.lstrip().startswith("<")
    if not named and not _MARKUP.match(head):
        return None
    if _HTML.match(head) or _suffix(file) in (".html", ".htm"):
        return OtherFormat("HTML", _extract(file, _ALL_TEXT_OF_HTML))
    return OtherFormat("XML", _extract(file, _ALL_TEXT_OF_XML))


def _elements(head: str, lines: list[str], file: _Named) -> OtherFormat | None:
    """Parts of XML or HTML without its beginning. (A text may have <s> and <unk> among its words.)"""
    if not head.lstrip().startswith("<"):
        return None
    marked = sum(map(bool, map(_ELEMENT.search, lines)))
    if marked < _FEWEST or 2 * marked < len(lines):
        return None
    return OtherFormat("a text with tags of XML or HTML", _extract(file, _ALL_TEXT_OF_HTML))


def _subtitles(lines: list[str], file: _Named) -> OtherFormat | None:
    cues = sum(map(bool, map(_CUE.match, lines)))
    named = _suffix(file) in (".srt", ".vtt")
    if cues < (1 if named else _FEWEST) or cues * _CUES < len(lines):
        return None
    return OtherFormat("subtitles", _extract(file, _ALL_TEXT_OF_SUBTITLES))


def _mail(head: str, file: _Named) -> OtherFormat | None:
    """A message, or a mailbox of them (mbox). Its header has a field that programs write, which no person would."""
    envelope = _ENVELOPE.match(head)
    fields = set()
    for line in head[envelope.end() if envelope else 0 :].lstrip().splitlines():
        field = _FIELD.match(line)
        if field:
            fields.add(field[1].lower())
        elif not line.strip() or not line[0].isspace():  # the header is over, or it is none
            break
    if len(fields) < _FEWEST or "from" not in fields or not fields & _FIELDS_OF_PROGRAMS:
        return None
    return OtherFormat("a mailbox" if envelope else "an e-mail message", _extract(file, _ALL_TEXT_OF_MAIL))


def _conllu(lines: list[str], file: _Named) -> OtherFormat | None:
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    if len(rows) < _FEWEST or not all(map(_is_token, rows)):
        return None
    name = "-" if file.spooled else shlex.quote(file.name)
    pairs = f"pairloom pairs conllu {name} -o pairs.txt && pairloom train --pairs pairs.txt -o vectors.loom"
    return OtherFormat("CoNLL-U, a parse", f"Otherwise train on its dependencies, for example: {pairs}")


def _is_token(row: list[str]) -> bool:
    return len(row) == 10 and bool(_TOKEN_ID.fullmatch(row[0])) and (row[6] == "_" or row[6].isdigit())


def _tagged(head: str, file: _Named) -> OtherFormat | None:
    """A token with its tags on each line, and an empty line after each sentence (CoNLL 2000 to 2003, "vertical")."""
    sentences = re.split(r"\n\s*\n", head.strip("\n"))[:_LINES]
    tokens = [line.split() for sentence in sentences for line in sentence.split("\n")][:_LINES]
    if len(sentences) < 2 or len(tokens) < _FEWEST_UNNAMED or len({len(row) for row in tokens}) > 1:
        return None
    tags = {row[-1] for row in tokens}
    if len(tokens[0]) < 2 or len(tags) == len(tokens) or not all(map(_TAG.fullmatch, tags)):
        return None
    program = """awk 'NF {printf "%s ", $1; next} {print ""}'"""
    return OtherFormat("a tagged text, a token on each line", _extract(file, program))


# --- Vectors and tables


def _vectors(lines: list[str], file: _Named) -> OtherFormat | None:
    """A word and numbers on each line, as in word2vec's and GloVe's text formats, with a header or without."""
    rows = [line.split() for line in lines]
    has_header = len(rows[0]) == 2 and all(map(str.isdecimal, rows[0])) if rows else False
    rows = rows[has_header : has_header + _LINES]
    if len(rows) < _FEWEST or len({len(row) for row in rows}) > 1 or len(rows[0]) < 3:
        return None
    if not all(_DECIMAL.fullmatch(number) for row in rows for number in row[1:]):
        return None
    return OtherFormat(
        "a file of vectors", f"Other commands use vectors, for example: pairloom info {shlex.quote(file.name)}"
    )


def _table(head: str, lines: list[str], file: _Named) -> OtherFormat | None:
    for delimiter, name, suffixes in _DELIMITERS:
        rows = _rows(head, delimiter)
        named = _suffix(file) in suffixes
        if _is_even(rows, 2 if named else _FEWEST_ROWS):
            is_table = named or _has_header(rows, delimiter) or _is_unnamed_table(rows, delimiter, lines)
        else:
            rows = [line.split(delimiter) for line in lines[:_LINES]]
            is_table = _is_uneven_table(rows)
        if is_table:
            return OtherFormat(f"a table, separated by {name}", _advice_for(rows, delimiter, file))
    return None


def _rows(head: str, delimiter: str) -> list[list[str]]:
    """The first rows, up to one that is cut or not valid."""
    rows: list[list[str]] = []
    if delimiter not in head.partition("\n")[0]:  # most text ends here
        return rows
    try:
        for row in csv.reader(io.StringIO(head, newline=""), delimiter=delimiter, strict=True):
            rows += [row] if row else []
            if len(rows) == _LINES:
                break
    except csv.Error:
        pass
    return rows


def _is_even(rows: list[list[str]], fewest: int) -> bool:
    """Whether all rows have the same number of columns, two or more."""
    return len(rows) >= fewest and len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows)


def _has_header(rows: list[list[str]], delimiter: str) -> bool:
    """Whether the first row names columns and the others are not prose.

    Prose has a space after a comma. It has none beside a tab, chats may have none after their only comma, and bars
    separate the forms of a word, so there a column of numbers below a name is required.
    """
    header, *values = rows
    if not _are_names(header):
        return False
    if delimiter in ",;" and len(header) > 2:
        return not _has_spaces(rows)
    return _has_numbers(values)


def _is_unnamed_table(rows: list[list[str]], delimiter: str, lines: list[str]) -> bool:
    """Whether these are values without a header.

    Lines of text may be numbered, with a tab after the number, and a comma between digits may be part of a number.
    """
    if len(rows) < _FEWEST_UNNAMED or len(rows[0]) < 3 or delimiter == "\t":
        return False
    if delimiter == "," and any(map(_COMMA_IN_NUMBER.search, lines)):
        return False
    return not _has_spaces(rows) and _has_numbers(rows)


def _is_uneven_table(rows: list[list[str]]) -> bool:
    """Whether three names or more are above rows that begin with a number and have as many values or more.

    That is a table whose texts have separators too, without quotes.
    """
    if len(rows) < _FEWEST_ROWS or len(rows[0]) < 3 or not _are_names(rows[0]):
        return False
    return all(len(row) >= len(rows[0]) and _NUMBER.fullmatch(row[0]) for row in rows[1:])


def _are_names(header: list[str]) -> bool:
    """Whether a row may name columns. pandas leaves the name of the first one empty."""
    return len({*header}) == len(header) and all(map(_COLUMN_NAME.fullmatch, header[not header[0] :]))


def _has_spaces(rows: list[list[str]]) -> bool:
    """Whether a space follows a delimiter anywhere."""
    return any(field.startswith(" ") for row in rows for field in row[1:])


def _has_numbers(rows: list[list[str]]) -> bool:
    """Whether a column has numbers only."""
    return any(all(map(_NUMBER.fullmatch, column)) for column in zip(*rows, strict=True))


def _advice_for(rows: list[list[str]], delimiter: str, file: _Named) -> str:
    """To name a column, if the first row looks like names, or else a command that extracts one."""
    header = rows[0]
    if not _are_names(header):
        return _extract(file, _column_of(rows, delimiter))
    lengths = {name: sum(len(row[j]) for row in rows[1:]) for j, name in enumerate(header)}
    return _column(header, likely_column(lengths))


def _column_of(rows: list[list[str]], delimiter: str) -> str:
    """A program that prints the column with the longest texts."""
    lengths = [sum(map(len, column)) for column in zip(*rows, strict=True)]
    column = lengths.index(max(lengths))
    if delimiter == "\t":
        return f"cut -f {column + 1}"
    reader = "csv.reader(sys.stdin)" if delimiter == "," else f"csv.reader(sys.stdin, delimiter={delimiter!r})"
    return f'python3 -c "import csv, sys; [print(*row[{column}:{column + 1}]) for row in {reader}]"'
