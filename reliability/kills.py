"""Trainings that are killed at random moments and resumed until they are done.

Each trial begins a training of a second or two over an old model, kills it after a random time, resumes it, kills it
again, and in the end lets it finish. At every moment the output must be the old file or the final one, and the final
one must be byte for byte that of a training which nobody disturbed. A fifth as many trials send SIGINT or SIGTERM
instead, which must end the program within five seconds, with a checkpoint.
"""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from reliability.figures import Figure, Mutant, main

TRIALS, SHORT_TRIALS = 200, 4
MOST_KILLS = 3  # of one training, so that each trial ends
MOST_SECONDS = 4.0  # after which one is killed
SECONDS_TO_STOP = 5
OLD = b"the model of yesterday"
KINDS = {  # the short form takes the first two
    "blocks": ["--epochs", "8"],
    "cbow, patient": ["--model", "cbow", "--epochs", "6", "--patience", "3"],
    "hierarchical softmax": ["--objective", "hs", "--epochs", "4"],
    "softmax": ["--objective", "softmax", "--max-vocab", "400", "--epochs", "2"],
    "pairs": ["--pairs", "--epochs", "6"],
}

MUTANTS = [
    Mutant(
        "a resumed training begins its epoch again",
        "trainer.py",
        'self.epoch, self.step, self.n_pairs = place["epoch"], place["step"], place["n_pairs"]',
        'self.epoch, self.step, self.n_pairs = place["epoch"], 0, place["n_pairs"]',
    ),
    Mutant(
        "a resumed training forgets how far its round was",
        "blockwise.py",
        'self.shift = state.place["shift"]',
        "self.shift = 0",
    ),
    Mutant("a resumed training begins with fresh vectors", "trainer.py", "array[...] = state.arrays[name]", "pass"),
    Mutant("the exit code names no signal", "commands/interrupted.py", "stopped.exit_code = 128 + asked[0]", "pass"),
]


class Case(NamedTuple):
    """What is trained, what it must come to, and how long that takes undisturbed."""

    kind: str
    typed: list[str]
    wanted: bytes
    seconds: float


def measure(short: bool, seed: int) -> list[Figure]:
    """Two trials at a time."""
    trials, signals = (SHORT_TRIALS, SHORT_TRIALS) if short else (TRIALS, TRIALS // 5)
    with TemporaryDirectory() as folder, ThreadPoolExecutor(2) as lanes:
        cases = _cases(Path(folder), list(KINDS)[: 2 if short else None])
        killed = list(lanes.map(lambda i: _killed(Path(folder), cases[i % len(cases)], seed, i), range(trials)))
        stopped = list(lanes.map(lambda i: _stopped(Path(folder), cases[i % len(cases)], seed, i), range(signals)))
    return [
        _figure("random SIGKILLs of a short training, resumed until done", "byte-identical", killed),
        _figure("SIGINT and SIGTERM", "stopped within 5 s with a checkpoint, then byte-identical", stopped),
    ]


def _figure(name: str, what: str, outcomes: list[tuple[int, str]]) -> Figure:
    misses = [miss for _, miss in outcomes if miss]
    n, times = len(outcomes), sum(times for times, _ in outcomes)
    return Figure(name, f"{n} of {n} {what}", f"{n - len(misses)} of {n}, {times} signals", not misses, misses)


def _cases(folder: Path, kinds: list[str]) -> list[Case]:
    """The corpus, and the undisturbed run of each kind."""
    rng = np.random.default_rng(7)
    ids = (rng.zipf(1.3, 150_000) % 1500).reshape(-1, 15)
    (folder / "text").write_text("".join(" ".join(f"w{i}" for i in line) + "\n" for line in ids.tolist()))
    (folder / "pairs").write_text(
        "".join(f"w{a} c{b} {c % 3 + 1}\n" for line in ids for a, b, c in [line[:3].tolist()] * 4)
    )
    return [_case(folder, kind, KINDS[kind]) for kind in kinds]


def _case(folder: Path, kind: str, options: list[str]) -> Case:
    corpus = folder / ("pairs" if "--pairs" in options else "text")
    typed = [str(corpus), "--dim", "32", "--min-count", "2", "--sample", "0", "--threads", "1", "--quiet", *options]
    output = folder / "whole.loom"
    began = time.monotonic()
    subprocess.run(_command(*typed, "-o", output), check=True, env=_environment(folder / "cache"))
    seconds = min(MOST_SECONDS, time.monotonic() - began)  # the first may have to compile
    return Case(kind, typed, output.read_bytes(), seconds)


def _command(*typed: object) -> list[str]:
    return [sys.executable, "-m", "wordloom", "train", *map(str, typed)]


def _environment(cache: Path) -> dict[str, str]:
    return {**os.environ, "WORDLOOM_CACHE": str(cache)}


class _Trial:
    """A folder with an old model, in which one training is begun, ended and resumed."""

    def __init__(self, folder: Path, case: Case, number: int) -> None:
        self.case, self.folder = case, folder
        folder.mkdir()
        self.output = folder / "model.loom"
        self.output.write_bytes(OLD)
        cache = folder.parent / "cache" if number % 4 else folder / "cache"  # at times to be encoded, too
        self.environment = _environment(cache)

    def start(self) -> subprocess.Popen[str]:
        typed: list[object] = ["--resume", "run", "--quiet"]
        if not (self.folder / "run" / "command.json").exists():
            typed = [*self.case.typed, "-o", "model.loom", "--checkpoint", "run", "--every", "0.15s"]
        return subprocess.Popen(
            _command(*typed), cwd=self.folder, env=self.environment, stderr=subprocess.PIPE, text=True
        )

    def finish(self) -> str:
        """Let it run to its end; gives what is wrong then."""
        process = self.start()
        _, said = process.communicate(timeout=60)
        if process.returncode != 0:
            return f"resumed, it ended with {process.returncode}: {said.strip()}"
        if self.output.read_bytes() != self.case.wanted:
            return "the final file is not that of the undisturbed training"
        left = [path.name for path in self.folder.rglob(".wordloom*")]
        return f"{left} were left" if left else ""

    def is_old_or_new(self) -> bool:
        return self.output.read_bytes() in (OLD, self.case.wanted)


def _killed(folder: Path, case: Case, seed: int, number: int) -> tuple[int, str]:
    """How often it was killed, and what went wrong."""
    trial = _Trial(folder / f"kill{number}", case, number)
    rng = np.random.default_rng([seed, number])
    kills = int(rng.integers(1, MOST_KILLS + 1))
    for kill in range(kills):
        process, wait = trial.start(), float(rng.uniform(0.1, 1.2 * case.seconds))
        try:
            process.wait(wait)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        if not trial.is_old_or_new():
            return (
                kill + 1,
                f"trial {number} ({case.kind}): killed after {wait:.3f} s, the output is neither old nor new",
            )
    wrong = trial.finish()
    return kills, wrong and f"trial {number} ({case.kind}): {wrong}"


def _stopped(folder: Path, case: Case, seed: int, number: int) -> tuple[int, str]:
    """The same with a signal that a program can answer, sent once there is a checkpoint."""
    trial = _Trial(folder / f"stop{number}", case, number)
    sign = (signal.SIGTERM, signal.SIGINT)[number // 2 % 2]
    process = trial.start()
    while process.poll() is None and not list((trial.folder / "run").glob("*.checkpoint")):
        time.sleep(0.005)
    time.sleep(float(np.random.default_rng([seed, number]).uniform(0, 0.3)))
    sent = time.monotonic()
    process.send_signal(sign)
    _, said = process.communicate(timeout=60)
    took = time.monotonic() - sent
    done_before = process.returncode in (0, -sign) and trial.output.read_bytes() == case.wanted
    if process.returncode != 128 + sign and not done_before:
        return 1, f"stop {number} ({case.kind}): {sign.name} ended it with {process.returncode}: {said.strip()}"
    if took > SECONDS_TO_STOP:
        return 1, f"stop {number} ({case.kind}): {sign.name} took {took:.1f} s"
    wrong = trial.finish()
    return 1, wrong and f"stop {number} ({case.kind}): {wrong}"


if __name__ == "__main__":
    main(measure)
