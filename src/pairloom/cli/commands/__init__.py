"""The commands, one file each, named as they are typed: PURPOSE, EXAMPLE, `arguments` and `run`.

What brings NumPy is imported by `run`, so that --help answers at once.
"""

from argparse import ArgumentParser, Namespace
from importlib import import_module
from typing import Protocol, cast

NAMES = (  # in the order of --help
    "train",
    "vocab",
    "phrases",
    "walk",
    "pairs",
    "fold-in",
    "near",
    "analogy",
    "evaluate",
    "explain",
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
    """What the file of a command has."""

    PURPOSE: str
    EXAMPLE: str

    def arguments(self, parser: ArgumentParser) -> None:
        """Add what can be typed after the command."""

    def run(self, args: Namespace) -> None:
        """Do it: call the library and print."""


def command(name: str) -> Command:
    """The command of this name."""
    return cast(Command, import_module(f"pairloom.cli.commands.{name.replace('-', '_')}"))
