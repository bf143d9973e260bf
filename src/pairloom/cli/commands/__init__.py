"""The commands, one module each, named as they are typed.

A command imports NumPy, and whatever needs it, inside `run`, so that --help answers at once.
"""

from argparse import ArgumentParser, Namespace
from importlib import import_module
from typing import Protocol, cast

GROUPS = {  # in the order of --help
    "learn": "learn vectors",
    "prepare": "prepare what to learn from",
    "ask": "ask a model",
    "look": "look at a model",
    "measure": "measure and compare models",
    "convert": "make files for other uses",
    "install": "look after this installation",
    "other": "other commands",  # which name no group; a test has every command name one
    "word2vec": "the programs of word2vec, with their own flags",
}
NAMES = (  # within a group, in the order of --help
    "train",
    "plan",
    "vocab",
    "phrases",
    "inspect",
    "walk",
    "pairs",
    "fold-in",
    "spell",
    "tune",
    "near",
    "similarity",
    "map",
    "analogy",
    "recommend",
    "evaluate",
    "explain",
    "report",
    "explore",
    "compare",
    "trajectory",
    "align",
    "index",
    "classes",
    "info",
    "convert",
    "doctor",
    "compile",
    "cache",
    "completion",
    "demo",
    "word2vec",
    "word2vecf",
    "word2phrase",
    "distance",
    "word-analogy",
    "compute-accuracy",
)


class Command(Protocol):
    """The module of a command.

    It may also have OPTION_NAMES, the command's names for parameters of the library: {"topn": "-n"}. Errors use them.
    """

    GROUP: str  # where --help lists it: a key of GROUPS
    PURPOSE: str  # what it does, in one line for --help
    EXAMPLE: str

    def arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments of the command."""

    def run(self, args: Namespace) -> None:
        """Call the library and print the result."""


def command(name: str) -> Command:
    """The command of this name."""
    return cast(Command, import_module(f"pairloom.cli.commands.{name.replace('-', '_')}"))


def group_of(name: str) -> str:
    """The group of a command, a key of GROUPS."""
    group = getattr(command(name), "GROUP", "other")
    return group if group in GROUPS else "other"
