"""pairloom info: what a model holds and how it was trained."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from pairloom.cli.arguments import add_json
from pairloom.cli.config_file import to_toml
from pairloom.cli.models import add_model, load, summary
from pairloom.errors import InputError

GROUP = "look"
PURPOSE = "show what a model holds and how it was trained"
EXAMPLE = "pairloom info king.loom"


def arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "--toml", action="store_true", help="print the options of its training, for `pairloom train --config`"
    )
    parser.add_argument(
        "--verify", action="store_true", help="read and check the whole file, even if it was found undamaged before"
    )
    add_json(parser)


def run(args: Namespace) -> None:
    embedding = load(args.model, verify="always" if args.verify else True)
    if args.toml:
        print(_run_again(args.model, embedding.record), end="")
        return
    facts = {**summary(embedding), **embedding.record}
    if args.json:
        print(json.dumps(facts, indent=2))
        return
    for name, value in _flat(facts):
        print(f"{name:24} {'-' if value is None else value}")


def _run_again(model: str, record: dict[str, Any]) -> str:
    """The options of a training as TOML. Not in a record: where the text was, and lists of words."""
    from pairloom.vectors.record import recorded_options

    options = recorded_options(record)
    if not options:
        raise InputError(f"{model} does not say how it was trained. Only .loom files of a training do.")
    comments = ["To train again: pairloom train CORPUS -o OUT --config THIS_FILE"]
    if "start" in record:
        comments.append("It began with the vectors of another model: add --start MODEL")
    pairs = {"pairs": True} if "pairs" in record.get("corpus", {}) else {}
    return "".join(f"# {line}\n" for line in comments) + to_toml({**pairs, **options})


def _flat(record: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The entries of nested dictionaries, by dotted names."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
