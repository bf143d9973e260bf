"""The corpus of `pairloom demo`: text that every Python carries with it, the source of its standard library.

A module is taken apart into passages: the paragraphs of its docstrings, its blocks of comments, its lines of code.
Each becomes one sentence of words. What was left in and what was cut was decided by looking at the neighbours:

- tests stay out: they triple the text, but `valueerror` then sits among the names of assertions;
- `socketType` and `socket_type` are both the words socket and type, as prose would say it;
- `ValueError` stays whole, so that exceptions are words and have each other for neighbours;
- a longer passage is said once: otherwise the 120 near-equal modules of `encodings` decide what a class is.
"""

import re
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from pairloom.errors import InputError
from pairloom.system.files import atomic_write

# Frequent in every Python from 3.11 on, with neighbours that a person can judge: things of one kind (two, red, float,
# valueerror), parts of one whole (month), partners (encode, server), one trade and its tools (match, signal, password).
PROBES = (
    "two",
    "month",
    "red",
    "float",
    "valueerror",
    "match",
    "encode",
    "compressed",
    "process",
    "signal",
    "server",
    "password",
)

SKIPPED_FOLDERS = frozenset({"site-packages", "dist-packages", "test", "tests", "idle_test"})
SAID_ONCE = 5  # words; from this length on a repeated passage is boilerplate, below it is idiom ("if not line")

# Strings and comments are matched so that a quote inside them opens nothing; only triple-quoted text is prose.
LEXEME = re.compile(
    r"""
    (?P<prose> \"{3} (?:\\.|[^\\])*? \"{3} | '{3} (?:\\.|[^\\])*? '{3} )
    | \#[^\n]*
    | "(?:\\.|[^"\\\n])*"
    | '(?:\\.|[^'\\\n])*'
    """,
    re.VERBOSE | re.DOTALL,
)
COMMENT_BLOCK = re.compile(r"(?:^[ \t]*#.*\n?)+", re.MULTILINE)
BLANK_LINE = re.compile(r"\n\s*\n")
NOT_WORDS = re.compile(r"\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|.)|\b\d\w*", re.DOTALL)  # escapes, numbers
WORD = re.compile(
    r"[A-Z][A-Za-z]*(?:Error|Exception|Warning)(?![A-Za-z])"  # ValueError
    r"|[A-Z]{2,}(?![a-z])"  # HTTP, of HTTPServer
    r"|[A-Z][a-z]+|[a-z]{2,}"  # Server; one letter is no word
)


def write_corpus(path: Path, root: Path | None = None) -> int:
    """Write the standard library (or the Python sources under `root`) as sentences; return the number of words.

    One sentence a line, words separated by spaces, modules in the order of their paths: the same Python gives the
    same bytes.
    """
    root = Path(sysconfig.get_path("stdlib")) if root is None else root
    lines = list(sentences(modules(root)))
    if not lines:
        raise InputError(
            f"{root} holds no Python sources, so the demo has no text: this Python was installed without them. "
            "Use another Python, or train on a text of your own: pairloom train TEXT -o MODEL"
        )
    with atomic_write(path) as file:
        file.writelines(f"{line}\n".encode("ascii") for line in lines)
    return sum(line.count(" ") + 1 for line in lines)


def modules(root: Path) -> list[Path]:
    """The sources under `root`, without tests and without what pip installed."""
    found = (path.relative_to(root) for path in root.rglob("*.py"))
    return [
        root / path for path in sorted(found) if SKIPPED_FOLDERS.isdisjoint(path.parts[:-1]) and (root / path).is_file()
    ]


def sentences(paths: Iterable[Path]) -> Iterator[str]:
    """Every passage of at least two words; one of `SAID_ONCE` or more words only where it is first said."""
    said = set()
    for path in paths:
        for passage in passages(path.read_bytes().decode("utf-8", errors="replace")):
            found = words(passage)
            sentence = " ".join(found)
            if len(found) < 2 or sentence in said:
                continue
            if len(found) >= SAID_ONCE:
                said.add(sentence)
            yield sentence


def passages(source: str) -> Iterator[str]:
    r"""Take a module apart into paragraphs of triple-quoted text, blocks of comments and lines of code.

    >>> list(passages('import os\n# two\n# lines\nx = 1  # one\n'))
    ['import os', '# two\n# lines\n', 'x = 1  # one']
    """
    end = 0
    for lexeme in LEXEME.finditer(source):
        if lexeme["prose"]:
            yield from _code(source[end : lexeme.start()])
            yield from BLANK_LINE.split(lexeme[0])
            end = lexeme.end()
    yield from _code(source[end:])


def _code(source: str) -> Iterator[str]:
    end = 0
    for block in COMMENT_BLOCK.finditer(source):
        yield from source[end : block.start()].splitlines()
        yield block[0]
        end = block.end()
    yield from source[end:].splitlines()


def words(passage: str) -> list[str]:
    r"""The words of letters in a passage, in lower case; a name is taken apart, but an exception's.

    >>> words('raise ValueError(f"no HTTPServer at {self._host_name}:{port0}\\n")')
    ['raise', 'valueerror', 'no', 'http', 'server', 'at', 'self', 'host', 'name', 'port']
    """
    return [word.lower() for word in WORD.findall(NOT_WORDS.sub(" ", passage))]
