"""All figures, as a table: about 25 minutes on two cores.

The soak runs beside the others, which come one after the other, each in a process of its own.
"""

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from reliability.figures import Figure, show
from reliability.mutants import MODULES

NO_FIGURES = {"__init__", "__main__"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description="All figures of reliability, as a table: about 25 minutes on two cores."
    )
    parser.add_argument("--short", action="store_true", help="the short forms, which are part of `make test`")
    parser.add_argument("--seed", type=int, default=0, help="another seed tries other faults")
    args = parser.parse_args()
    typed = [f"--seed={args.seed}", *(["--short"] if args.short else [])]
    modules = [name for name in MODULES if _measures(name)]
    began = time.monotonic()
    with ThreadPoolExecutor(1) as beside:
        soak = beside.submit(_figures, "soak", typed)
        figures = [figure for name in modules if name != "soak" for figure in _figures(name, typed)]
        figures += soak.result()
    show(figures)
    met = sum(figure.met for figure in figures)
    print(f"\n{met} of {len(figures)} bars met, in {(time.monotonic() - began) / 60:.1f} minutes.")
    sys.exit(met < len(figures))


def _measures(name: str) -> bool:
    from importlib import import_module

    return name not in NO_FIGURES and hasattr(import_module(f"reliability.{name}"), "measure")


def _figures(name: str, typed: list[str]) -> list[Figure]:
    """What a module finds; that it breaks is a figure, too."""
    began = time.monotonic()
    command = [sys.executable, "-m", f"reliability.{name}", "--json", *typed]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    try:
        return [Figure(**figure) for figure in json.loads(done.stdout)]
    except (ValueError, TypeError):
        return [Figure(name, "a result", f"exit code {done.returncode} without one", False)]


if __name__ == "__main__":
    main()
