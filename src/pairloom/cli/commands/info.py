"""pairloom info: what a model holds and how it was made."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import Any

from pairloom.cli.commands.inputs import load, summary

PURPOSE = "what a model holds and how it was made"
EXAMPLE = "pairloom info king.loom"


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    parser.add_argument("model", metavar="MODEL", help="a file of vectors")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: Namespace) -> None:
    """Do it."""
    embedding = load(args.model)
    facts = {**summary(embedding), **embedding.record}
    if args.json:
        print(json.dumps(facts, indent=2))
        return
    for name, value in _flat(facts):
        print(f"{name:24} {value}")


def _flat(record: dict[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    """Nested dictionaries as dotted names."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
