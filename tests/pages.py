"""The pages that people read, and the examples in them."""

import ast
import re
import shlex
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])

# A comment that begins so is the value of its line; "...", as in doctests, stands for any text.
_VALUE = re.compile(r"[\[({'0-9-]|True|False|None")


class Statement(NamedTuple):
    """A statement of an example, and the value that the comment after it shows, if any."""

    code: str
    shown: str | None


def text_of(page: str) -> str:
    return (ROOT / page).read_text()


def blocks(page: str, language: str) -> list[str]:
    """What stands between ```language and ```."""
    return re.findall(rf"^```{language}\n(.*?)^```", text_of(page), re.DOTALL | re.MULTILINE)


def statements(page: str) -> list[Statement]:
    """The Python of a page, in order."""
    found = []
    for block in blocks(page, "python"):
        lines = block.splitlines()
        for node in ast.parse(block).body:
            code = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            comment = code.splitlines()[-1].partition("  # ")[2]
            is_value = isinstance(node, ast.Expr) and _VALUE.match(comment)
            found.append(Statement(ast.unparse(node), comment if is_value else None))
    return found


def commands(page: str) -> list[list[str]]:
    """What a page has one type after `pairloom`, in order."""
    lines = "\n".join(blocks(page, "sh")).splitlines()
    typed = [shlex.split(line, comments=True) for line in lines]
    return [words[1:] for words in typed if words[:1] == ["pairloom"]]


class Step(NamedTuple):
    """A block of shell commands, and the output that the page shows below it, if any."""

    typed: str
    shown: str


def steps(page: str) -> list[Step]:
    """The ```sh blocks of a page, in order."""
    pattern = r"^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```)?"
    return [Step(*found) for found in re.findall(pattern, text_of(page), re.DOTALL | re.MULTILINE)]
