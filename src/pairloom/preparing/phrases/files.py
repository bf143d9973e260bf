"""Files of phrases: lines of JSON in UTF-8.

The first line is an object: "format" is "pairloom-phrases-1", "delimiter" is a string, "connectors" a list of words,
"phrases" the number of phrases in each pass, and "made" says how they were learnt (for people; no program uses it).
Every other line is one phrase as a list: the number of its pass, counted from 1, its score, and its words. The lines
are in the order of the passes, and in each pass the best phrase comes first:

    {"format": "pairloom-phrases-1", "delimiter": "_", "connectors": ["of"], "phrases": [2], "made": {"min_count": 5}}
    [1, 187.25, "new", "york"]
    [1, 31.5, "bank", "of", "america"]
"""

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, NamedTuple

from pairloom.corpus.lists import numbered_lines, opened
from pairloom.errors import ConfigError, InputError
from pairloom.preparing.phrases.joining import Pass, Words, is_phrase
from pairloom.preparing.phrases.scores import MOST_PASSES, checked_connectors, checked_delimiter
from pairloom.system.display import number_of
from pairloom.system.files import atomic_write, check_folder
from pairloom.types import PathName

FORMAT = "pairloom-phrases-1"
_LONGEST_LINE = 1 << 24  # bytes; the first line has all connectors
_AGAIN = "Get or make the file again."


class PhraseFileContent(NamedTuple):
    """The content of a file of phrases."""

    passes: tuple[dict[Words, float], ...]
    connectors: frozenset[str]
    delimiter: str
    made: dict[str, Any]


def write(
    path: PathName,
    passes: Sequence[Pass],
    connectors: frozenset[str],
    delimiter: str,
    made: Mapping[str, Any],
) -> None:
    """Write a file of phrases. If writing fails, no half file is left."""
    header = {
        "format": FORMAT,
        "delimiter": delimiter,
        "connectors": sorted(connectors),
        "phrases": [len(phrases) for phrases in passes],
        "made": dict(made),
    }
    check_folder(path)
    with atomic_write(path) as file:
        for line in [header, *_lines(passes)]:
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


def _lines(passes: Sequence[Pass]) -> Iterator[list[Any]]:
    for number, phrases in enumerate(passes, 1):
        for words, score in phrases.items():
            yield [number, score, *words]


def read(path: PathName) -> PhraseFileContent:
    """Read a file of phrases. Errors name the line that is not as `write` writes it."""
    name = os.fspath(path)
    with opened(name, "Give a file of phrases.") as file:
        return read_from(file, name)


def read_from(file: BinaryIO, name: str) -> PhraseFileContent:
    """Read phrases from an open file. name: for messages."""
    lines = numbered_lines(file, name, longest=_LONGEST_LINE)
    header = _json(next(lines, (1, ""))[1])
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise InputError(
            f"{name} is not a file of phrases. Make one with Phrases.save or pairloom phrases --save-phrases."
        )
    delimiter, connectors, numbers, made = _header(header, name)
    passes: tuple[dict[Words, float], ...] = tuple({} for _ in numbers[:MOST_PASSES])
    for number, line in lines:
        of_pass, words, score = _phrase(line, connectors, f"{name}, line {number}")
        if not 1 <= of_pass <= len(passes):
            raise InputError(f"{name}, line {number}: there is no pass {of_pass}. {_AGAIN}")
        if words in passes[of_pass - 1]:
            raise InputError(f"{name}, line {number}: the phrase is there twice. {_AGAIN}")
        passes[of_pass - 1][words] = score
    found = [len(phrases) for phrases in passes]
    if found != numbers:
        raise InputError(f"{name} has {sum(found):,} of {number_of(sum(numbers), 'phrase')}. {_AGAIN}")
    return PhraseFileContent(passes, connectors, delimiter, made)


def _header(header: dict[str, Any], name: str) -> tuple[str, frozenset[str], list[int], dict[str, Any]]:
    match header:
        case {"delimiter": delimiter, "connectors": list(connectors), "phrases": list(numbers)} if all(
            type(n) is int and n >= 0 for n in numbers
        ):
            made = header.get("made", {})
            with suppress(ConfigError, TypeError):  # TypeError: a connector is a list
                if isinstance(made, dict):
                    return checked_delimiter(delimiter), checked_connectors(connectors), numbers, made
    raise InputError(f"{name}, line 1: the header is damaged. {_AGAIN}")


def _json(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _phrase(line: str, connectors: frozenset[str], where: str) -> tuple[int, Words, float]:
    """The pass, the words and the score of a line."""
    match _json(line):
        case [int(number), int() | float() as score, *words] if is_phrase(tuple(words), connectors):
            with suppress(OverflowError):  # an integer too large for a float
                if math.isfinite(score):
                    return number, tuple(words), float(score)
    raise InputError(
        f"{where}: {line[:60]!r} is not a phrase. Each line must read like: "
        '[1, 187.25, "new", "york"], with nothing but connectors between the first word and the last.'
    )
