"""Phrases as a file: lines of JSON, UTF-8.

The first line is an object: "format" is "pairloom-phrases-1", "delimiter" a string, "connectors" a list of words,
"phrases" the number of phrases of each pass, "made" how they were learnt (for people; nothing depends on it). Every
other line is one phrase, as a list: its pass, counted from 1, its score, its words. Passes follow each other, and in
each the best phrase comes first:

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
from pairloom.phrases.joining import Pass, Words, is_phrase
from pairloom.phrases.scores import MOST_PASSES, checked_connectors, checked_delimiter
from pairloom.system.files import atomic_write, check_folder

FORMAT = "pairloom-phrases-1"
_LONGEST_LINE = 1 << 24  # bytes; the head has all connectors
_AGAIN = "Get or make the file again."


class PhraseFileContent(NamedTuple):
    """What is in a file."""

    passes: tuple[dict[Words, float], ...]
    connectors: frozenset[str]
    delimiter: str
    made: dict[str, Any]


def write(
    path: str | os.PathLike[str],
    passes: Sequence[Pass],
    connectors: frozenset[str],
    delimiter: str,
    made: Mapping[str, Any],
) -> None:
    """Write a file of phrases, whole or not at all."""
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


def read(path: str | os.PathLike[str]) -> PhraseFileContent:
    """Read a file of phrases. What is not as `write` writes it is refused, with the number of its line."""
    name = os.fspath(path)
    with opened(name, "Give a file of phrases.") as file:
        return read_from(file, name)


def read_from(file: BinaryIO, name: str) -> PhraseFileContent:
    """Read what such a file has."""
    lines = numbered_lines(file, name, longest=_LONGEST_LINE)
    header = _json(next(lines, (1, ""))[1])
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise InputError(
            f"{name} is not a file of phrases. Make one by Phrases.save or pairloom phrases --save-phrases."
        )
    delimiter, connectors, numbers, made = _head(header, name)
    passes: tuple[dict[Words, float], ...] = tuple({} for _ in numbers[:MOST_PASSES])
    for number, line in lines:
        where, words, score = _phrase(line, connectors, f"{name}, line {number}")
        if not 1 <= where <= len(passes) or words in passes[where - 1]:
            raise InputError(f"{name}, line {number}: no such pass, or a phrase twice. {_AGAIN}")
        passes[where - 1][words] = score
    found = [len(phrases) for phrases in passes]
    if found != numbers:
        raise InputError(f"{name} has {sum(found):,} phrases of {sum(numbers):,}. {_AGAIN}")
    return PhraseFileContent(passes, connectors, delimiter, made)


def _head(header: dict[str, Any], name: str) -> tuple[str, frozenset[str], list[int], dict[str, Any]]:
    match header:
        case {"delimiter": delimiter, "connectors": list(connectors), "phrases": list(numbers)} if all(
            type(n) is int and n >= 0 for n in numbers
        ):
            made = header.get("made", {})
            with suppress(ConfigError, TypeError):  # TypeError: lists among the connectors
                if isinstance(made, dict):
                    return checked_delimiter(delimiter), checked_connectors(connectors), numbers, made
    raise InputError(f"{name}, line 1: the head of the file is damaged. {_AGAIN}")


def _json(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _phrase(line: str, connectors: frozenset[str], where: str) -> tuple[int, Words, float]:
    """One line: the number of a pass, the words, the score."""
    match _json(line):
        case [int(number), int() | float() as score, *words] if is_phrase(tuple(words), connectors):
            with suppress(OverflowError):  # of a whole number beyond all floats
                if math.isfinite(score):
                    return number, tuple(words), float(score)
    raise InputError(
        f"{where}: {line[:60]!r} is not a phrase. Each line must read like: "
        '[1, 187.25, "new", "york"]; between the first word and the last there can be connectors alone.'
    )
