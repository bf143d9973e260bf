"""Markdown pages made of the code: every command with its options, every public name with its docstring.

`make docs` writes them into the site. They are not committed, so they cannot be out of date.
"""

import argparse
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from textwrap import dedent
from typing import Any

from pairloom.cli.commands import GROUPS, NAMES, command, group_of
from pairloom.cli.parsing import parser_of

MODULES = ("pairloom", "pairloom.pairings", "pairloom.sklearn", "pairloom.gensim_compat")
WIDTH = 100  # of signatures; longer ones have a line for each parameter


def commands_page() -> str:
    """All commands, grouped as in `pairloom help`."""
    groups = {title: [name for name in NAMES if group_of(name) == group] for group, title in GROUPS.items()}
    parts = ["# Commands\n\nFor people who look up an option: what `pairloom help COMMAND` prints, for all commands.\n"]
    for title, names in groups.items():
        if names:
            parts += [f"## {title.capitalize()}\n", *map(command_section, names)]
    return "\n".join(parts)


def command_section(name: str) -> str:
    parser = parser_of(name)
    rows = [row for group in parser._action_groups for row in option_rows(parser, group)]
    usage = dedent(parser.format_usage().replace("usage:", " " * 6, 1)).strip()
    table = ["| option | meaning |", "| --- | --- |", *rows]
    return "\n".join(
        [
            f"### {name}\n",
            f"{parser.description}\n",
            f"```text\n{usage}\n```\n",
            *table,
            "",
            f"Example: `{example(name)}`\n",
        ]
    )


def example(name: str) -> str:
    return command(name).EXAMPLE.replace("`", "'")


def option_rows(parser: argparse.ArgumentParser, group: argparse._ArgumentGroup) -> Iterator[str]:
    formatter = parser._get_formatter()
    for action in group._group_actions:
        if action.help != argparse.SUPPRESS:
            names = formatter._format_action_invocation(action)
            yield f"| `{in_cell(names)}` | {as_text(in_cell(formatter._expand_help(action) if action.help else ''))} |"


def in_cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def as_text(text: str) -> str:
    """Text whose characters mean nothing to Markdown, except within `backticks`."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(piece if piece.startswith("`") else re.sub(r"([*_<\[])", r"\\\1", piece) for piece in pieces)


def python_page() -> str:
    """All public names, module by module."""
    parts = ["# Python\n\nFor people who write programs: every public name, its signature and its docstring.\n"]
    for name in MODULES:
        module = import_module(name)
        public = [name for name in module.__all__ if not name.startswith("__")]
        first = (inspect.getdoc(module) or "").split("\n\n")[0].replace("\n", " ")
        parts.append(f"## {name}\n\n{as_text(first)}\n")
        parts += [name_section(f"{name}.{member}", getattr(module, member)) for member in public]
    return "\n".join(parts)


def name_section(name: str, value: Any) -> str:
    """One public name: a class with its methods, a function, or a module or value."""
    if inspect.isclass(value):
        methods = [definition(member, *found, own_doc=True) for member, *found in public_members(value)]
        return "\n".join([f"### {name}\n", definition(name, value), *methods])
    return f"### {name}\n\n{definition(name, value)}"


def public_members(owner: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class of ours defines or inherits from a class of ours."""
    for name, value in sorted(inspect.getmembers_static(owner)):
        plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        plain = plain.fget if isinstance(plain, property) else plain
        ours = getattr(plain, "__module__", None) or ""
        if not name.startswith("_") and inspect.isfunction(plain) and ours.startswith("pairloom"):
            yield name, value


def definition(name: str, value: Any, own_doc: bool = False) -> str:
    """The signature and the docstring, as they are."""
    plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
    shown = f"{name.rpartition('.')[2]}{signature(plain)}"
    doc = inspect.getdoc(plain) if own_doc or inspect.isroutine(plain) or inspect.isclass(plain) else None
    text = f"{shown}\n\n{doc}" if doc else shown
    return f"```text\n{text.replace('```', '~~~')}\n```\n"


def signature(value: Any) -> str:
    """For example `(path, *, topn: int = 10) -> None`. Empty for values and properties."""
    if isinstance(value, property):
        return ""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    text = str(found)
    if len(text) > WIDTH:
        lines = "".join(f"    {one},\n" for one in parameters(found))
        text = f"(\n{lines})" + text.rpartition(")")[2]
    text = re.sub(r"<(?:function|class|object) '?([\w.]+)'?[^>]*>", r"\1", text)  # without the addresses of defaults
    return re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])", "", text)  # Iterable, not collections.abc.Iterable


def parameters(found: inspect.Signature) -> Iterator[str]:
    kinds = [one.kind for one in found.parameters.values()]
    for number, one in enumerate(found.parameters.values()):
        first = one.kind is inspect.Parameter.KEYWORD_ONLY and one.kind not in kinds[:number]
        yield f"*,\n    {one}" if first and inspect.Parameter.VAR_POSITIONAL not in kinds else str(one)
