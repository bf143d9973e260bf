"""pairloom inspect: what will be read from a corpus, and what looks wrong with it."""

import json
from argparse import ArgumentParser, Namespace
from typing import Any

from pairloom.cli.arguments import add_corpus, add_json, add_quiet, explicit_options
from pairloom.cli.console import progress
from pairloom.cli.files import input_paths
from pairloom.cli.tables import print_table
from pairloom.config import TextOptions
from pairloom.system.display import format_bytes, number_of, visible

GROUP = "prepare"
PURPOSE = "show what will be read from a text, and what looks wrong with it"
EXAMPLE = "pairloom inspect corpus.txt --tokenize words"


def arguments(parser: ArgumentParser) -> None:
    add_corpus(parser)
    add_quiet(parser, "progress")
    add_json(parser)


def run(args: Namespace) -> None:
    from pairloom.preparing.inspection.report import inspect_corpus

    options = TextOptions(**explicit_options(args, TextOptions.__dataclass_fields__))
    with progress(args.quiet) as on_progress:
        found = inspect_corpus(input_paths(args.corpus), options, on_progress)
    if args.json:
        print(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        _print(found)


def _print(found: dict[str, Any]) -> None:
    print("The first lines as words:")
    for line in found["first_lines"]:
        print("  " + " | ".join(map(visible, line)))
    print()
    for name, value in _facts(found):
        print(f"{name:10} {value}")
    print()
    kept = [[f"{row['min_count']}", f"{row['words']:,}", f"{row['tokens']:.1%}"] for row in found["kept"]]
    print_table(["min_count", "words kept", "of all tokens"], kept)
    if found["wrong"]:
        print("\nWhat looks wrong:")
    for finding in found["wrong"]:
        print(visible(f"  - {finding['what']} {finding['advice']}".rstrip()))
    if found["next"]:
        print(f"\nNext: {visible(found['next'])}")


def _size(n_bytes: int) -> str:
    return format_bytes(n_bytes) if n_bytes >= 100_000 else number_of(n_bytes, "byte")


def _facts(found: dict[str, Any]) -> list[tuple[str, str]]:
    size = f"{number_of(found['files'], 'file')}, {_size(found['bytes'])}"
    read = "all of it" if found["whole"] else f"a sample, the first {_size(found['bytes_read'])}"
    lines = f"{number_of(found['lines'], 'line')} ({found['empty_lines']:,} without words)"
    counts = f"{lines}, {number_of(found['tokens'], 'token')}, {number_of(found['words'], 'different word')}"
    names = [*found["names"], *(["..."] if found["files"] > len(found["names"]) else [])]
    return [
        ("files", visible(", ".join(names))),
        ("size", size),
        ("format", f"{found['format']}, {found['encoding']}, split by the rule {found['tokenize']!r}"),
        ("read", read),
        ("holds", counts),
        ("scripts", ", ".join(f"{script} {share:.1%}" for script, share in found["scripts"].items()) or "-"),
        ("frequent", visible("  ".join(f"{word} {n:,}" for word, n in found["frequent"]))),
    ]
