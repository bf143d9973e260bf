"""Trainings that are killed at random moments and resumed until they are done.

Each trial begins a training of a second or two over an old model, kills it after a random time, resumes it, kills it
again, and finally lets it finish. At every moment the output must be the old file or the final one, and the final one
must be byte for byte that of an undisturbed training. Half as many trials send SIGINT or SIGTERM instead, which must
end the program within five seconds, with a checkpoint.

Most trainings are forked from a process that has loaded everything (`warm.py`); otherwise half of the time would go to
imports. Every 21st trial starts fresh processes, as the undisturbed training does. 21 shares no factor with the number
of kinds, so each kind has its turn.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from reliability.figures import Figure, Mutant, main
from reliability.warm import Forked, Server

TRIALS, SHORT_TRIALS = 200, 6
MOST_KILLS = 3  # for one training, so that each trial ends
MOST_SECONDS = 4.0  # of a training: kills come sooner
FRESH_EVERY = 21  # trials
SECONDS_TO_STOP = 5
OLD = b"the model of yesterday"
KINDS = {  # the short form takes the first two
    # Rounds of 80,000 pairs and of five calls of the kernel, so that a training nearly always stops within a round.
    "blocks": ["--epochs", "1", "--window", "2", "--dim", "2000", "--negatives", "64"],
    "cbow, patient": ["--model", "cbow", "--epochs", "6", "--patience", "3"],
    "hierarchical softmax": ["--objective", "hs", "--epochs", "4"],
    "softmax": ["--objective", "softmax", "--max-vocab", "400", "--epochs", "2"],
    "pairs": ["--pairs", "--epochs", "6"],
}

MUTANTS = [
    Mutant(
        "a resumed training begins its epoch again",
        "training/loop.py",
        'self.epoch, self.step, self.n_pairs = place["epoch"], place["step"], place["n_pairs"]',
        'self.epoch, self.step, self.n_pairs = place["epoch"], 0, place["n_pairs"]',
    ),
    Mutant(
        "a resumed training forgets how far its round was",
        "training/blockwise.py",
        'self.shift = state.place["shift"]',
        "self.shift = 0",
    ),
    Mutant(
        "a resumed training begins with fresh vectors",
        "training/loop.py",
        "array[...] = state.arrays[name]",
        "pass",
    ),
    Mutant(
        "the exit code does not show the signal",
        "cli/signals.py",
        "stopped.exit_code = 128 + asked[0]",
        "pass",
    ),
]


class Case(NamedTuple):
    """A kind of training, the bytes that it must write, and how long it takes in a fresh process or a forked one."""

    kind: str
    typed: list[str]
    wanted: bytes
    fresh_seconds: float
    forked_seconds: float


def measure(short: bool, seed: int) -> list[Figure]:
    """Run all trials, one after the other."""
    trials, signals = (SHORT_TRIALS, SHORT_TRIALS) if short else (TRIALS, TRIALS // 2)
    with TemporaryDirectory() as name:
        folder = Path(name)
        _write_corpora(folder)
        kinds = {kind: _typed(folder, KINDS[kind]) for kind in list(KINDS)[: 2 if short else None]}
        with Server(*(["train", *typed, *_places(folder)] for typed in kinds.values())) as server:
            cases = [_case(folder, server, kind, typed) for kind, typed in kinds.items()]
            killed = [_killed(_Trial("kill", i, folder, cases, server), seed) for i in range(trials)]
            stopped = [_stopped(_Trial("stop", i, folder, cases, server), seed) for i in range(signals)]
    return [
        _figure("random SIGKILLs of a short training, resumed until done", "byte-identical", killed),
        _figure("SIGINT and SIGTERM", "stopped within 5 s with a checkpoint, then byte-identical", stopped),
    ]


def _figure(name: str, what: str, outcomes: list[tuple[int, str]]) -> Figure:
    misses = [miss for _, miss in outcomes if miss]
    n, times = len(outcomes), sum(times for times, _ in outcomes)
    return Figure(name, f"{n} of {n} {what}", f"{n - len(misses)} of {n}, {times} signals", not misses, misses)


def _write_corpora(folder: Path) -> None:
    rng = np.random.default_rng(7)
    ids = (rng.zipf(1.3, 150_000) % 1500).reshape(-1, 15)
    (folder / "text").write_text("".join(" ".join(f"w{i}" for i in line) + "\n" for line in ids.tolist()))
    (folder / "pairs").write_text(
        "".join(f"w{a} c{b} {c % 3 + 1}\n" for line in ids for a, b, c in [line[:3].tolist()] * 4)
    )


def _typed(folder: Path, options: list[str]) -> list[str]:
    corpus = folder / ("pairs" if "--pairs" in options else "text")
    return [str(corpus), "--dim", "32", "--min-count", "2", "--sample", "0", "--threads", "1", "--quiet", *options]


def _places(folder: Path) -> list[str]:
    """The output and the cache of the trainings that the server runs to load everything."""
    return ["-o", str(folder / "loaded.loom"), "--cache-dir", str(folder / "cache")]


def _case(folder: Path, server: Server, kind: str, typed: list[str]) -> Case:
    """Run a kind undisturbed, in a fresh process for the bytes, and forked for the time."""
    output, seconds, written = folder / "whole.loom", [], []
    for start in (_fresh, server.start):
        began = time.monotonic()
        process = start(["train", *typed, "-o", str(output)], folder, _environment(folder / "cache"), folder / "said")
        if process.wait(60) != 0:
            raise RuntimeError(f"{kind}, undisturbed: {(folder / 'said').read_text()}")
        seconds.append(min(MOST_SECONDS, time.monotonic() - began))  # the first run may have to compile
        written.append(output.read_bytes())
    return Case(kind, typed, written[0], *seconds)


def _fresh(argv: Sequence[str], folder: Path, environment: dict[str, str], output: Path) -> subprocess.Popen[bytes]:
    """Like `Server.start`, in a fresh process that has loaded nothing."""
    with output.open("wb") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "pairloom", *argv], cwd=folder, env=environment, stdout=file, stderr=file
        )


def _environment(cache: Path) -> dict[str, str]:
    return {**os.environ, "PAIRLOOM_CACHE": str(cache)}


class _Trial:
    """A folder with an old model, in which a training is begun, stopped and resumed."""

    def __init__(self, name: str, number: int, folder: Path, cases: list[Case], server: Server) -> None:
        self.number, self.case, self.folder = number, cases[number % len(cases)], folder / f"{name}{number}"
        self.name = f"{name} {number} ({self.case.kind})"
        is_fresh = number % FRESH_EVERY == 0
        self._start = _fresh if is_fresh else server.start
        self.seconds = self.case.fresh_seconds if is_fresh else self.case.forked_seconds
        self.folder.mkdir()
        self.output, self._said = self.folder / "model.loom", self.folder / "said"
        self.output.write_bytes(OLD)
        cache = (
            folder / "cache" if number % 4 else self.folder / "cache"
        )  # sometimes empty, so that the text is encoded too
        self.environment = _environment(cache)

    def start(self) -> subprocess.Popen[bytes] | Forked:
        typed = ["--resume", "run", "--quiet"]
        if not (self.folder / "run" / "command.json").exists():
            typed = [*self.case.typed, "-o", "model.loom", "--checkpoint", "run", "--every", "0.15s"]
        return self._start(["train", *typed], self.folder, self.environment, self._said)

    def said(self) -> str:
        return self._said.read_text().strip()

    def finish(self) -> str:
        """Let the training finish. Returns what is wrong then, or ""."""
        code = self.start().wait(60)
        if code != 0:
            return f"resumed, it ended with {code}: {self.said()}"
        if self.output.read_bytes() != self.case.wanted:
            return "the final file is not that of the undisturbed training"
        left = [path.name for path in self.folder.rglob(".pairloom*")]
        return f"{left} were left" if left else ""

    def is_old_or_new(self) -> bool:
        return self.output.read_bytes() in (OLD, self.case.wanted)


def _killed(trial: _Trial, seed: int) -> tuple[int, str]:
    """How often the training was killed, and what went wrong."""
    rng = np.random.default_rng([seed, trial.number])
    kills = int(rng.integers(1, MOST_KILLS + 1))
    for kill in range(kills):
        process, wait = trial.start(), float(rng.uniform(0, 1.2 * trial.seconds))
        try:
            process.wait(wait)
        except subprocess.TimeoutExpired:
            process.kill()
        process.wait()
        if not trial.is_old_or_new():
            return kill + 1, f"{trial.name}: killed after {wait:.3f} s, the output is neither old nor new"
    wrong = trial.finish()
    return kills, wrong and f"{trial.name}: {wrong}"


def _stopped(trial: _Trial, seed: int) -> tuple[int, str]:
    """The same with a signal that the program handles, sent after the first checkpoint."""
    sign = (signal.SIGTERM, signal.SIGINT)[trial.number // 2 % 2]
    process = trial.start()
    while process.poll() is None and not list((trial.folder / "run").glob("*.checkpoint")):
        time.sleep(0.005)
    # The first of each kind comes in the middle, in all probability within a round and surely before the end.
    share = 0.3 if trial.number in (0, 2) else np.random.default_rng([seed, trial.number]).uniform(0, 0.5)
    time.sleep(float(share) * trial.case.forked_seconds)
    sent = time.monotonic()
    process.send_signal(sign)
    code = process.wait(60)
    took = time.monotonic() - sent
    done_before = code in (0, -sign) and trial.output.read_bytes() == trial.case.wanted
    if code != 128 + sign and not done_before:
        return 1, f"{trial.name}: {sign.name} ended it with {code}: {trial.said()}"
    if took > SECONDS_TO_STOP:
        return 1, f"{trial.name}: {sign.name} took {took:.1f} s"
    wrong = trial.finish()
    return 1, wrong and f"{trial.name}: {wrong}"


if __name__ == "__main__":
    main(measure)
