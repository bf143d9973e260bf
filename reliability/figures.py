"""What every figure has: a bar, what was found, and a command of its own.

A module of this folder has

    measure(short, seed)   gives a list of Figure; the short form, which is part of `make test`, takes some seconds
    MUTANTS                faults to be sown into the package, each of which `measure(short=True)` must catch

and runs by itself as `python -m reliability.<module> [--short] [--seed N]`, with exit code 1 if a bar is missed.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Figure(NamedTuple):
    """One row of the table."""

    name: str  # "random damage to a native file"
    bar: str  # "10 000 of 10 000 detected"
    found: str  # the same for what was seen, with numbers
    met: bool
    misses: Sequence[str] = ()  # what went wrong, a line each: enough to see it happen again


class Mutant(NamedTuple):
    """A fault: in `file` of the package, `old` (which stands there once) is replaced by `new`."""

    fault: str  # "the checksum of a native file is not looked at"
    file: str  # "formats/native.py"
    old: str
    new: str


PROCESSES = "RELIABILITY_PROCESSES"


def n_processes() -> int:
    """How many processes a figure may keep busy: as many as there are cores, or its share of them among others."""
    return int(os.environ.get(PROCESSES, os.cpu_count() or 1))


Measure = Callable[[bool, int], list[Figure]]


def main(measure: Measure) -> None:
    """The command line of a figure."""
    parser = argparse.ArgumentParser(description=(sys.modules["__main__"].__doc__ or "").split("\n")[0])
    parser.add_argument("--short", action="store_true", help="the form that is part of `make test`")
    parser.add_argument("--seed", type=int, default=0, help="another seed tries other faults")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    args = parser.parse_args()
    figures = measure(args.short, args.seed)
    if args.json:
        print(json.dumps([figure._asdict() for figure in figures], indent=2))
    else:
        show(figures)
    sys.exit(not all(figure.met for figure in figures))


def show(figures: Sequence[Figure]) -> None:
    """The table, and below it what went wrong."""
    print("| figure | bar | found | |\n| --- | --- | --- | --- |")
    for figure in figures:
        print(f"| {figure.name} | {figure.bar} | {figure.found} | {'met' if figure.met else 'MISSED'} |")
    for figure in figures:
        for miss in figure.misses[:20]:
            print(f"{figure.name}: {miss}")
