"""The corpus of `pairloom demo`: the source of Python's standard library, which every Python brings along.

A module is split into passages: the paragraphs of its docstrings, its blocks of comments, its lines of code. Each
becomes one sentence. These choices gave the best neighbours:

- tests are left out: they triple the text, but then the neighbours of `valueerror` are names of assertions;
- `socketType` and `socket_type` both become the words socket and type, as in prose;
- `ValueError` stays one word, so that exceptions are neighbours of each other;
- a longer passage is used once: otherwise the 120 similar modules of `encodings` decide what a class is.
"""

import re
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from pairloom.errors import InputError
from pairloom.system.files import atomic_write

# Frequent in every Python from 3.11 on, with neighbours that a person can judge: things of one kind (two, red, float,
# valueerror), parts of a whole (month), counterparts (encode, server), a topic and its terms (match, signal, password).
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
BOILERPLATE = 5  # words: a repeated passage of this length is boilerplate, a shorter one idiom ("if not line")

# Strings and comments are matched too, so that a quote inside them opens nothing; only triple-quoted text is prose.
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
    r"|[A-Z][a-z]+|[a-z]{2,}"  # Server; a single letter is not a word
)


def write_corpus(path: Path, root: Path | None = None) -> int:
    """Write the standard library (or the Python sources under `root`) as sentences; return the number of words.

    One sentence per line, words separated by spaces, modules in the order of their paths, so that the same Python
    makes the same bytes.
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
    """The sources under `root`, without tests and installed packages."""
    found = (path.relative_to(root) for path in root.rglob("*.py"))
    return [
        root / path for path in sorted(found) if SKIPPED_FOLDERS.isdisjoint(path.parts[:-1]) and (root / path).is_file()
    ]


def sentences(paths: Iterable[Path]) -> Iterator[str]:
    """The passages of at least two words; of repeated ones with `BOILERPLATE` or more words only the first."""
    seen = set()
    for path in paths:
        for passage in passages(path.read_bytes().decode("utf-8", errors="replace")):
            found = words(passage)
            sentence = " ".join(found)
            if len(found) < 2 or sentence in seen:
                continue
            if len(found) >= BOILERPLATE:
                seen.add(sentence)
            yield sentence


def passages(source: str) -> Iterator[str]:
    r"""Split a module into paragraphs of triple-quoted text, blocks of comments and lines of code.

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
    r"""The words of a passage in lower case. Names are split into their words, except those of exceptions.

    >>> words('raise ValueError(f"no HTTPServer at {self._host_name}:{port0}\\n")')
    ['raise', 'valueerror', 'no', 'http', 'server', 'at', 'self', 'host', 'name', 'port']
    """
    return [word.lower() for word in WORD.findall(NOT_WORDS.sub(" ", passage))]
