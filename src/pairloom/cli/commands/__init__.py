"""The commands, one module each, named as they are typed.

A command imports NumPy, and whatever needs it, inside `run`, so that --help answers at once.
"""

from argparse import ArgumentParser, Namespace
from importlib import import_module
from typing import Protocol, cast

NAMES = (  # in the order of --help
    "train",
    "plan",
    "vocab",
    "phrases",
    "walk",
    "pairs",
    "fold-in",
    "spell",
    "near",
    "map",
    "analogy",
    "evaluate",
    "explain",
    "report",
    "index",
    "classes",
    "info",
    "convert",
    "cache",
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

    PURPOSE: str  # what it does, in one line for --help
    EXAMPLE: str

    def arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments of the command."""

    def run(self, args: Namespace) -> None:
        """Call the library and print the result."""


def command(name: str) -> Command:
    """The command of this name."""
    return cast(Command, import_module(f"pairloom.cli.commands.{name.replace('-', '_')}"))
