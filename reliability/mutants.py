"""A test of these figures: faults are sown into a copy of the package, and the figure of each must catch it."""

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from reliability.figures import Figure, Mutant, main, n_processes

ROOT = Path(__file__).parent.parent
MODULES = sorted(path.stem for path in Path(__file__).parent.glob("*.py"))
SECONDS = 240  # a figure that hangs has caught the fault too


def measure(short: bool, seed: int) -> list[Figure]:
    """Sow every fault of every figure. The short form only checks that each can be sown."""
    sown = list(_sown())
    if short:
        misses = [_cannot(mutant) for _, mutant in sown if _cannot(mutant)]
        return [_figure("seeded faults that can be sown", len(sown), misses)]
    with ThreadPoolExecutor(n_processes()) as lanes:
        misses = [miss for miss in lanes.map(lambda item: _uncaught(*item, seed), sown) if miss]
    return [_figure("seeded faults caught", len(sown), misses)]


def _figure(name: str, n: int, misses: list[str]) -> Figure:
    return Figure(name, f"{n} of {n}, of 10 at least", f"{n - len(misses)} of {n}", n >= 10 and not misses, misses)


def _sown() -> Iterator[tuple[str, Mutant]]:
    for name in MODULES:
        if name not in ("__main__", "mutants"):
            for mutant in getattr(importlib.import_module(f"reliability.{name}"), "MUTANTS", []):
                yield name, mutant


def _cannot(mutant: Mutant) -> str:
    found = (ROOT / "src" / "pairloom" / mutant.file).read_text().count(mutant.old)
    return "" if found == 1 else f"{mutant.fault}: {mutant.old!r} occurs {found} times in {mutant.file}"


def _uncaught(name: str, mutant: Mutant, seed: int) -> str:
    """Sow a fault and run its figure. Returns "" if the figure misses its bar, as it should."""
    if _cannot(mutant):
        return _cannot(mutant)
    with TemporaryDirectory() as folder:
        package = Path(folder) / "pairloom"
        shutil.copytree(
            ROOT / "src" / "pairloom", package
        )  # keeps the times of files, so that compiled kernels stay valid
        file = package / mutant.file
        file.write_text(file.read_text().replace(mutant.old, mutant.new))
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(file)], check=True)
        if _run(name, folder, seed) != 0:
            return ""
    return f"{name} does not notice that {mutant.fault}"


def _run(name: str, folder: str, seed: int) -> int:
    command = [sys.executable, "-m", f"reliability.{name}", "--short", "--seed", str(seed)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, str(ROOT)])}
    try:
        return subprocess.run(command, env=environment, cwd=folder, capture_output=True, timeout=SECONDS).returncode
    except subprocess.TimeoutExpired:
        return 1


if __name__ == "__main__":
    main(measure)
