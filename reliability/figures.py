"""A figure: a bar, what was found, and the command that measures it.

A module of this folder has

    measure(short, seed)   returns a list of Figure; the short form, which is part of `make test`, takes some seconds
    MUTANTS                faults to sow into the package; `measure(short=True)` must catch each of them

Run it with `python -m reliability.<module> [--short] [--seed N]`. The exit code is 1 if a bar is missed.
"""

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Figure(NamedTuple):
    """One row of the table."""

    name: str  # "random damage to a native file"
    bar: str  # "10 000 of 10 000 detected"
    found: str  # the result, in the same form
    met: bool
    misses: Sequence[str] = ()  # what went wrong, one line each, enough to reproduce it


class Mutant(NamedTuple):
    """A fault: in `file` of the package, `old`, which occurs once, is replaced by `new`."""

    fault: str  # "the checksum of a native file is ignored"
    file: str  # "formats/native.py"
    old: str
    new: str


PROCESSES = "RELIABILITY_PROCESSES"


def n_processes() -> int:
    """How many processes a module may keep busy: one for each core, or its share when several modules run."""
    return int(os.environ.get(PROCESSES, os.cpu_count() or 1))


Measure = Callable[[bool, int], list[Figure]]


def main(measure: Measure) -> None:
    """The command line of a figure."""
    _heed_signals()
    parser = argparse.ArgumentParser(description=(sys.modules["__main__"].__doc__ or "").split("\n")[0])
    parser.add_argument("--short", action="store_true", help="run the short form, which is part of `make test`")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random faults (default: 0)")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    args = parser.parse_args()
    figures = measure(args.short, args.seed)
    if args.json:
        print(json.dumps([figure._asdict() for figure in figures], indent=2))
    else:
        show(figures)
    sys.exit(not all(figure.met for figure in figures))


def _heed_signals() -> None:
    """Let the programs that are begun here be ended by signals, also if this one was begun by nohup, or by `&`.

    A program inherits that a signal is ignored, but not that it has a handler.
    """
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is signal.SIG_IGN:
            signal.signal(getattr(signal, name), lambda *_: None)


def show(figures: Sequence[Figure]) -> None:
    """Print the table, and below it what went wrong."""
    print("| figure | bar | found | |\n| --- | --- | --- | --- |")
    for figure in figures:
        print(f"| {figure.name} | {figure.bar} | {figure.found} | {'met' if figure.met else 'MISSED'} |")
    for figure in figures:
        for miss in figure.misses[:20]:
            print(f"{figure.name}: {miss}")
