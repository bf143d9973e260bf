"""pairloom info: what a model holds and how it was trained."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from pairloom.cli.arguments import add_json
from pairloom.cli.models import add_model, load, summary

GROUP = "look"
PURPOSE = "show what a model holds and how it was trained"
EXAMPLE = "pairloom info king.loom"


def arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    add_json(parser)


def run(args: Namespace) -> None:
    embedding = load(args.model)
    facts = {**summary(embedding), **embedding.record}
    if args.json:
        print(json.dumps(facts, indent=2))
        return
    for name, value in _flat(facts):
        print(f"{name:24} {'-' if value is None else value}")


def _flat(record: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The entries of nested dictionaries, by dotted names."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
