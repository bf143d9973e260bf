"""All figures, as a table: about 16 minutes on two cores.

Two modules run at a time, each in its own process with its share of the cores. The soak always takes ten minutes, so it
runs beside them.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from reliability.figures import PROCESSES, Figure, show
from reliability.mutants import MODULES

NOT_MEASURED = {"__init__", "__main__", "cluster"}  # `make cluster-test` measures the cluster
AT_A_TIME = 2
# The first to start, since they take longest. Signals needs most time when other figures run beside it.
LONGEST = ("signals", "mutants", "fuzz", "kills", "bad_input")


def main() -> None:
    parser = argparse.ArgumentParser(
        description="All figures of reliability, as a table: about 16 minutes on two cores."
    )
    parser.add_argument("--short", action="store_true", help="run the short forms, which are part of `make test`")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random faults (default: 0)")
    args = parser.parse_args()
    arguments = [f"--seed={args.seed}", *(["--short"] if args.short else [])]
    modules = [name for name in MODULES if _measures(name)]
    began = time.monotonic()
    with ThreadPoolExecutor(1) as soak_lane, ThreadPoolExecutor(AT_A_TIME) as lanes:
        found = {"soak": soak_lane.submit(_figures, "soak", arguments)}
        for name in [*LONGEST, *sorted(set(modules) - found.keys() - set(LONGEST))]:
            found[name] = lanes.submit(_figures, name, arguments)
        figures = [figure for name in modules for figure in found[name].result()]
    show(figures)
    met = sum(figure.met for figure in figures)
    print(f"\n{met} of {len(figures)} bars met, in {(time.monotonic() - began) / 60:.1f} minutes.")
    sys.exit(met < len(figures))


def _measures(name: str) -> bool:
    from importlib import import_module

    return name not in NOT_MEASURED and hasattr(import_module(f"reliability.{name}"), "measure")


def _figures(name: str, arguments: list[str]) -> list[Figure]:
    """The figures of a module. If the module crashes, that is a figure too."""
    began = time.monotonic()
    command = [sys.executable, "-m", f"reliability.{name}", "--json", *arguments]
    share = max(1, (os.cpu_count() or 1) // AT_A_TIME)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env={**os.environ, PROCESSES: str(share)})
    print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    try:
        return [Figure(**figure) for figure in json.loads(done.stdout)]
    except (ValueError, TypeError):
        return [Figure(name, "a result", f"exit code {done.returncode} without one", False)]


if __name__ == "__main__":
    main()
