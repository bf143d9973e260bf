"""Signals while a command starts, and Ctrl-C while a long one works.

In the first seconds a signal may come during an import, in a callback of the compiler or while options are read. It
must end the program with 130 or 143 and one line all the same. Signals are sent from the moment on at which the process
has a handler: before its first line, Python alone answers.

Other figures may run beside this one, so a long command that takes longer than its bar to end is tried again.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from pairloom.system.progress_bar import STAGES
from reliability.figures import Figure, Mutant, main, n_processes

TRIALS, SHORT_TRIALS = 200, 8
FIRST_SECONDS = 3.0
SECONDS_TO_END = 10
SECONDS_TO_STOP = 1.0
MOMENTS = (0.4, 1.2, 2.5, 4.0)  # seconds after the start of a long command
ATTEMPTS = 3
LINE = "interrupted; no file is left half-written."
PROGRESS = tuple(STAGES.values())
ENDLESS = ["--epochs", "1000000", "--quiet", "--threads", "1"]

MUTANTS = [
    Mutant("the exit code does not show the signal", "cli/main.py", "INTERRUPTED, 128 + number", "INTERRUPTED, 130"),
    Mutant(
        "a signal during the first imports ends in a traceback",
        "__main__.py",
        "if number is None:",
        "if number is not None:",
    ),
]


def measure(short: bool, seed: int) -> list[Figure]:
    """Random signals; then, in the long form, Ctrl-C in every command that may take long."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` ignores it, and so would every command
    with TemporaryDirectory() as name:
        folder = Path(name)
        _write_text(folder / "text", 10_000)
        figures = [_early(folder, SHORT_TRIALS if short else TRIALS, random.Random(seed))]
        return figures if short else [*figures, _while_working(folder)]


# --- The first seconds


def _early(folder: Path, trials: int, rng: random.Random) -> Figure:
    typed = ["train", "text", *ENDLESS]
    _started(folder, [*typed, "-o", "first.loom", "--epochs", "1"], {}).communicate()  # compiles what is not compiled
    moments = [0.0, 0.0] + [rng.uniform(0, FIRST_SECONDS) for _ in range(trials - 2)]  # each kind once at once

    def trial(i: int) -> str:
        number = (signal.SIGINT, signal.SIGTERM)[i % 2]
        compiled = {"NUMBA_CACHE_DIR": str(folder / f"kernels{i}")} if i % 4 == 3 else {}  # compile all of it again
        process = _started(folder, [*typed, "-o", f"out{i}.loom"], compiled)
        return missed(_interrupted(process, number, moments[i]))

    with ThreadPoolExecutor(2 * n_processes()) as lanes:  # most of them wait for their moment
        misses = [miss for miss in lanes.map(trial, range(trials)) if miss]
    misses += [f"{path.name} was saved" for path in folder.glob("out*.loom")]
    name = f"SIGINT and SIGTERM in the first {FIRST_SECONDS:.0f} s of a training"
    bar = f"{trials} of {trials} end it with 130 or 143 and one line"
    return Figure(name, bar, f"{trials - len(misses)} of {trials}", not misses, misses)


# --- Long commands


def _while_working(folder: Path) -> Figure:
    """Ctrl-C at some moments of every command that may take long."""
    commands = _long_commands(folder)
    slowest, misses = {}, []
    for name, typed in commands.items():
        for moment in MOMENTS:
            ended = _attempt(folder, typed, moment)
            slowest[name] = max(slowest.get(name, 0.0), ended.seconds)
            if missed(ended) or ended.seconds > SECONDS_TO_STOP:
                misses.append(f"{name}: after {ended.seconds:.2f} s, {missed(ended)}")
    found = ", ".join(f"{name} {seconds:.2f}" for name, seconds in slowest.items())
    bar = f"{len(commands)} commands end within {SECONDS_TO_STOP:.0f} s"
    return Figure("Ctrl-C in long commands, the slowest of four moments", bar, f"{found} s", not misses, misses)


def _attempt(folder: Path, typed: list[str], moment: float) -> "Ended":
    """The first attempt that ends in time, or the last one."""
    for _ in range(ATTEMPTS):
        ended = _interrupted(_started(folder, typed, {}), signal.SIGINT, moment)
        if ended.seconds <= SECONDS_TO_STOP:
            break
    return ended


def _long_commands(folder: Path) -> dict[str, list[str]]:
    """Commands that take more than the last of the moments, with their input."""
    _write_text(folder / "long", 500_000)
    _write_new_words(folder / "new", (folder / "long").read_text())
    _write_vectors(folder / "vectors.bin", 600_000, 100)
    _write_questions(folder / "questions", 20_000)
    rng = np.random.default_rng(3)
    np.savetxt(folder / "edges", rng.integers(0, 100_000, (1_000_000, 2)), "%d")
    model = ["train", "long", "-o", "model.loom", "--dim", "50", "--epochs", "1", "--max-vocab", "20000", "--quiet"]
    _started(folder, model, {}).communicate()
    train = ["train", "long", "-o", "out.loom", "--epochs", "1000"]
    return {
        "train": train,
        "dim 4096": [*train, "--dim", "4096", "--max-vocab", "20000"],
        "cbow": [*train, "--model", "cbow"],
        "hs": [*train, "--objective", "hs"],
        "softmax": [*train, "--objective", "softmax", "--max-vocab", "10000"],
        "sppmi-svd": ["train", "long", "-o", "out.loom", "--model", "sppmi-svd", "--dim", "300"],
        "phrases": ["phrases", "long", "-o", "out.txt", "--passes", "6", "--threshold", "0.1"],
        "explain": ["explain", "model.loom", "long", "--cache-dir", "cache"],
        "evaluate": ["evaluate", "vectors.bin", "questions"],
        "index": ["index", "vectors.bin"],
        "map": ["map", "vectors.bin", "-o", "out.svg"],
        "classes": ["classes", "vectors.bin", "-k", "1000", "--algorithm", "lloyd"],
        "convert": ["convert", "vectors.bin", "out.vec"],
        "fold-in": ["fold-in", "model.loom", "new", "-o", "new.loom", "--min-count", "1"],
        "walk": ["walk", "edges", "-o", "walks.txt", "--walks", "100", "--length", "80"],
    }


def _write_text(path: Path, lines: int) -> None:
    ids = np.random.default_rng(7).zipf(1.3, (lines, 15)) % 60_000
    words = np.array([f"w{i}" for i in range(60_000)])
    path.write_text("".join(" ".join(line) + "\n" for line in words[ids].tolist()))


def _write_new_words(path: Path, text: str) -> None:
    """A text four times, each time with other words in place of those that have a 5, 7, 8 or 9."""
    path.write_text("".join(text.translate(str.maketrans("5789", new)) for new in ("klmn", "opqr", "stuv", "xyzg")))


def _write_vectors(path: Path, n: int, dim: int) -> None:
    rows = np.empty(n, [("word", "S8"), ("vector", "<f4", dim), ("end", "S1")])
    rows["word"] = [f"w{i:06d} " for i in range(n)]
    rows["vector"] = np.random.default_rng(5).standard_normal((n, dim), np.float32)
    rows["end"] = b"\n"
    path.write_bytes(f"{n} {dim}\n".encode() + rows.tobytes())


def _write_questions(path: Path, n: int) -> None:
    ids = np.random.default_rng(6).integers(0, 600_000, (n, 4))
    path.write_text(": all\n" + "".join(" ".join(f"w{i:06d}" for i in line) + "\n" for line in ids.tolist()))


# --- One process


class Ended(NamedTuple):
    """How a process ended after a signal."""

    number: int
    moment: float
    code: int | None
    said: str
    seconds: float


def _started(folder: Path, typed: Sequence[str], variables: dict[str, str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pairloom", *typed]
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=folder, text=True, env={**os.environ, **variables}, **streams)


def _interrupted(process: subprocess.Popen[str], number: int, moment: float) -> Ended:
    """Send a signal some seconds after the process has a handler for it, and wait for its end."""
    while process.poll() is None and not _has_handler(process.pid):
        time.sleep(0.001)
    try:
        _, said = process.communicate(timeout=moment)
        return Ended(number, moment, process.returncode, f"ended before the signal: {said}", 0.0)
    except subprocess.TimeoutExpired:
        process.send_signal(number)
    began = time.monotonic()
    try:
        _, said = process.communicate(timeout=SECONDS_TO_END)
        return Ended(number, moment, process.returncode, said, time.monotonic() - began)
    except subprocess.TimeoutExpired:
        process.kill()
        return Ended(number, moment, None, process.communicate()[1], time.monotonic() - began)


def _has_handler(pid: int) -> bool:
    """Whether a process handles SIGTERM. Linux says so; elsewhere it is not known, and a tenth of a second must do."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        time.sleep(0.1)
        return True
    caught = int(status.partition("SigCgt:")[2].split()[0], 16)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


def missed(ended: Ended) -> str:
    """What is wrong with an end, "" if nothing is."""
    lines = [line for line in ended.said.splitlines() if not line.startswith(PROGRESS)]
    if ended.code == 128 + ended.number and len(lines) == 1 and lines[0].endswith(LINE):
        return ""
    end = "did not end" if ended.code is None else f"ended with {ended.code}"
    return f"signal {ended.number} after {ended.moment:.3f} s: {end}, said {ended.said[-2000:]!r}"


if __name__ == "__main__":
    main(measure)
