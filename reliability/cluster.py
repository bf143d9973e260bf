"""Training on Ray while its processes are killed and paused at random moments: the vectors must keep their bytes.

Two raylets on this machine stand for two machines. Every training is a `pairloom train` of its own, which connects to
them, and its output must have the SHA-256 of local training. The log of rounds must have every round exactly once.
`make cluster-test` runs this. It takes about a quarter of an hour, so it is not part of `make reliability`.
"""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from pairloom.cluster.ledger import applied_rounds
from pairloom.cluster.ray_executor import protect
from reliability.figures import Figure, main

WORKERS = (1, 2, 3, 4)
SECONDS = 240  # in which a training ends, whatever happens to it
SECONDS_TO_RECOVER = 90
ADDRESS = "127.0.0.2"  # Ray replaces 127.0.0.1 by an address that other machines can reach
CPUS = 6  # of each raylet: one of them alone can have all workers
CORPORA = {  # how each is trained: some rounds for the figures of bytes, and many for the others
    "text": (["--dim", "50", "--sample", "0"], ["--epochs", "2"], ["--epochs", "10"]),
    "pairs": (["--dim", "50", "--pairs"], ["--epochs", "4"], ["--epochs", "40"]),
}


class Counts(NamedTuple):
    """How often each fault is tried."""

    worker_kills: int = 50
    kills_of_all: int = 5
    driver_kills: int = 10
    pauses: int = 10
    raylet_kills: int = 5
    of_one_training: int = 10


SHORT = Counts(worker_kills=6, kills_of_all=1, driver_kills=2, pauses=2, raylet_kills=1, of_one_training=3)


def measure(short: bool, seed: int) -> list[Figure]:
    """One figure after the other, each by a random generator of its own."""
    print(f"seed {seed}", file=sys.stderr)
    figures = []
    with TemporaryDirectory() as name, machines() as cluster:
        bench = Bench(Path(name), cluster, SHORT if short else Counts())
        for measured in FIGURES:
            began = time.monotonic()
            figures.append(_figure(measured, bench, random.Random(f"{measured.__name__} {seed}")))
            print(f"{figures[-1].name}: {figures[-1].found}, {time.monotonic() - began:.0f} s", file=sys.stderr)
    return figures


def _figure(measured: "Callable[[Bench, random.Random], Figure]", bench: "Bench", rng: random.Random) -> Figure:
    """A figure. If it cannot be measured, for example because a training hangs, that is a figure too."""
    try:
        return measured(bench, rng)
    except Exception as error:
        return Figure(measured.__name__.replace("_", " "), "a result", f"{type(error).__name__}: {error}", False)
    finally:
        bench.end_trainings()


# --- The machines


class Machines:
    """The two raylets. The second can be killed and replaced."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        head = {"num_cpus": CPUS, "include_dashboard": False, "node_ip_address": ADDRESS}
        self._cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        self._second = self._added()

    def _added(self) -> Any:
        return self._cluster.add_node(num_cpus=CPUS, node_ip_address=ADDRESS)

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def raylets(self) -> list[int]:
        return [_raylet(node) for node in self._cluster.list_all_nodes()]

    def workers(self, raylet: int | None = None) -> list[int]:
        """The processes of workers, of all raylets or of one."""
        parents = self.raylets() if raylet is None else [raylet]
        return sorted(pid for parent in parents for pid in children(parent) if _title(pid).startswith("ray::Worker"))

    def has(self, n: int) -> bool:
        """Whether there are n workers."""
        return len(self.workers()) >= n

    @property
    def second(self) -> int:
        return _raylet(self._second)

    def kill_second(self) -> None:
        os.kill(self.second, signal.SIGKILL)

    def replace_second(self) -> None:
        self._cluster.remove_node(self._second, allow_graceful=False)
        self._second = self._added()

    def end(self) -> None:
        self._cluster.shutdown()


@contextmanager
def machines() -> Iterator[Machines]:
    """The machines, with a token of their own for all that is started here."""
    protect("local")
    running = Machines()
    try:
        yield running
    finally:
        running.end()


def _raylet(node: Any) -> int:
    return int(node.all_processes["raylet"][0].process.pid)


def children(parent: int) -> list[int]:
    """The processes that a process has started, as far as they run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, of = path.read_text().rpartition(")")[2].split()[:2]
            if int(of) == parent and state != "Z":
                found.append(int(path.parent.name))
    return found


def _title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


# --- Trainings


class Training:
    """One `pairloom train`, which may be started several times until it is done."""

    def __init__(self, bench: "Bench", corpus: str, options: Sequence[str], number: int) -> None:
        self.bench, self.corpus, self.folder = bench, corpus, bench.folder / f"training{number}"
        self.folder.mkdir()
        self._options = [*CORPORA[corpus][0], *options]
        self.output, self.log = self.folder / "model.loom", self.folder / "rounds.log"
        self._said, self.run = self.folder / "said", self.folder / "run"
        self.process: subprocess.Popen[bytes] | None = None
        self.began = time.monotonic()

    def start(self, *typed: str) -> "subprocess.Popen[bytes]":
        """Begin it, or resume it if it has a checkpoint."""
        if (self.run / "command.json").exists():
            command = ["train", "--resume", str(self.run), *typed]
        else:
            command = ["train", str(self.bench.folder / self.corpus), "-o", str(self.output), *self._options, *typed]
        self.began = time.monotonic()
        with self._said.open("ab") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "pairloom", *command, "--quiet"],
                stdout=file,
                stderr=file,
                env={**os.environ, "PAIRLOOM_CACHE": str(self.bench.folder / "cache")},
            )
        return self.process

    def on_ray(self, workers: int, *typed: str) -> "subprocess.Popen[bytes]":
        """`start` on the two raylets."""
        ray = ["--ray", self.bench.machines.address, "--workers", str(workers), "--round-log", str(self.log)]
        return self.start(*ray, *typed)

    @property
    def runs(self) -> bool:
        assert self.process is not None
        return self.process.poll() is None and time.monotonic() - self.began < SECONDS

    def events(self) -> list[dict[str, Any]]:
        """The log of rounds."""
        found = []
        with suppress(FileNotFoundError):
            for line in self.log.read_text().splitlines():
                with suppress(ValueError):  # the last line of a killed driver
                    found.append(json.loads(line))
        return found

    def has_begun(self) -> bool:
        """Whether a round is done."""
        return any(event["event"] == "applied" for event in self.events())

    def wait_for(self, condition: Callable[[], object], seconds: float = SECONDS_TO_RECOVER) -> bool:
        """Wait while it runs. Returns whether the condition came true."""
        until = time.monotonic() + seconds
        while self.runs and time.monotonic() < until:
            if condition():
                return True
            time.sleep(0.05)
        return False

    def end(self, expected: "Expected", *, whole_log: bool = True) -> str:
        """Wait for the end. Returns what is wrong then, or ""."""
        assert self.process is not None
        try:
            code = self.process.wait(max(1.0, self.began + SECONDS - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return f"did not end within {SECONDS} s ({self.said()}; {self.events()[-3:]})"
        if code != 0:
            return f"ended with {code}: {self.said()}"
        if digest(self.output) != expected.digest:
            return "the vectors have other bytes"
        if whole_log and applied_rounds(self.log) != expected.rounds:
            return f"the log has the rounds {applied_rounds(self.log)}"
        return ""

    def said(self) -> str:
        return self._said.read_text(errors="replace").strip()[-500:]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Expected(NamedTuple):
    """What a training must come to: the SHA-256 of its output, and its rounds."""

    digest: str
    rounds: list[tuple[int, int]]


class Bench:
    """The corpora, the machines, and what trainings on them must come to."""

    def __init__(self, folder: Path, machines: Machines, counts: Counts) -> None:
        self.folder, self.machines, self.counts = folder, machines, counts
        self._trainings: list[Training] = []
        self._expected: dict[str, Expected] = {}
        _write_corpora(folder)

    def training(self, corpus: str, long: bool = True) -> Training:
        self._trainings.append(Training(self, corpus, CORPORA[corpus][2 if long else 1], len(self._trainings)))
        return self._trainings[-1]

    def end_trainings(self) -> None:
        """Kill what still runs, which nothing waits for any more."""
        for training in self._trainings:
            if training.process is not None and training.process.poll() is None:
                training.process.kill()
                training.process.wait()

    def expected(self, corpus: str) -> Expected:
        """Of the long training: the bytes of a local one, and the rounds of one on Ray that nothing disturbs."""
        if corpus not in self._expected:
            local, on_ray = self.training(corpus), self.training(corpus)
            if local.start("--threads", "1").wait(SECONDS) or on_ray.on_ray(2).wait(SECONDS):
                raise RuntimeError(f"undisturbed: {local.said()} {on_ray.said()}")
            self._expected[corpus] = Expected(digest(local.output), applied_rounds(on_ray.log))
        return self._expected[corpus]


def _write_corpora(folder: Path) -> None:
    rng = np.random.default_rng(7)
    p = 1 / np.arange(1, 6001)
    words = np.array([f"w{i}" for i in range(6000)])
    drawn = rng.choice(words, (50_000, 15), p=p / p.sum())
    (folder / "text").write_text("".join(" ".join(line) + "\n" for line in drawn.tolist()))
    w, c, weight = rng.zipf(1.2, 500_000) % 4000, rng.zipf(1.3, 500_000) % 2000, rng.integers(1, 4, 500_000)
    lines = zip(w.tolist(), c.tolist(), weight.tolist(), strict=True)
    (folder / "pairs").write_text("".join(f"w{w}\tc{c}\t{weight}\n" for w, c, weight in lines))


# --- The figures


def same_bytes(bench: Bench, rng: random.Random) -> Figure:
    """Local with one thread and two, and on Ray with 1 to 4 workers."""
    found: list[str] = []
    misses: list[str] = []
    for corpus in CORPORA:
        digests = {}
        for name, typed in [(f"{n} threads", ["--threads", str(n)]) for n in (1, 2)]:
            digests[name] = _digest_of(bench.training(corpus, long=False), typed, misses)
        for n in WORKERS:
            typed = ["--ray", bench.machines.address, "--workers", str(n)]
            digests[f"{n} workers"] = _digest_of(bench.training(corpus, long=False), typed, misses)
        if len({*digests.values()}) > 1:
            misses.append(f"{corpus}: {digests}")
        found.append(f"{corpus} {digests['1 threads'][:12]}")
    name = "text and pairs on 1 and 2 threads, and on Ray with 1, 2, 3 and 4 workers"
    return Figure(name, "one SHA-256 each", ", ".join(found), not misses, misses)


def _digest_of(training: Training, typed: Sequence[str], misses: list[str]) -> str:
    if training.start(*typed).wait(SECONDS):
        misses.append(f"{typed}: {training.said()}")
        return ""
    return digest(training.output)


def resumed(bench: Bench, rng: random.Random) -> Figure:
    """From local to Ray and back."""
    misses = []
    for corpus in CORPORA:
        expected, training = bench.expected(corpus), bench.training(corpus)
        training.start("--threads", "1", "--checkpoint", str(training.run), "--every", "0.2s")
        legs = [_stopped(training)]
        training.on_ray(3)
        legs.append(_stopped(training))
        training.start("--ray", "none")
        wrong = training.end(expected, whole_log=False)
        if wrong or not all(legs):
            misses.append(f"{corpus}: {wrong or 'ended before it could be stopped'}")
    name = "text and pairs, stopped and resumed: local, then Ray, then local"
    return Figure(name, "the SHA-256 of local training", f"{2 - len(misses)} of 2", not misses, misses)


def _stopped(training: Training) -> bool:
    """Send SIGTERM after the next checkpoint. Returns whether it ended by that."""
    assert training.process is not None
    before = {path.name for path in training.run.glob("*.checkpoint")}
    training.wait_for(lambda: {path.name for path in training.run.glob("*.checkpoint")} - before)
    time.sleep(0.3)
    training.process.send_signal(signal.SIGTERM)
    return training.process.wait(SECONDS) == 128 + signal.SIGTERM


class Kind(NamedTuple):
    """A training that is disturbed."""

    corpus: str
    workers: int
    typed: Sequence[str] = ()

    def __str__(self) -> str:
        return f"{self.corpus}, {self.workers} workers {' '.join(self.typed)}"


KINDS = (
    Kind("text", 3),
    Kind("text", 2, ["--threads", "2"]),
    Kind("pairs", 3),
    Kind("text", 4),
    Kind("text", 2, ["--copies", "."]),
)


def worker_kills(bench: Bench, rng: random.Random) -> Figure:
    """SIGKILL a random worker, again and again, each time some seconds after the last one is back."""

    def fault(training: Training, workers: list[int]) -> None:
        _kill(training, [rng.choice(workers)])

    return _disturbed(bench, rng, bench.counts.worker_kills, "SIGKILLs of random workers", fault, pause=3.0)


def kills_of_all(bench: Bench, rng: random.Random) -> Figure:
    """SIGKILL all workers at once, of which copies are in a folder."""
    kinds, name = [Kind("text", 3, ["--copies", "."])], "SIGKILLs of all workers at once, with copies in a folder"
    return _disturbed(bench, rng, bench.counts.kills_of_all, name, _kill, pause=3.0, kinds=kinds)


def _kill(training: Training, pids: list[int]) -> None:
    """Kill workers, and wait until they are back."""
    sent = time.time()
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    training.wait_for(lambda: _is_back(training, sent))


def _is_back(training: Training, since: float) -> bool:
    """Whether a lost worker has its rows again, or the training has begun again."""
    return any(event["event"] in ("restored", "begun") and event["time"] > since for event in training.events())


def pauses(bench: Bench, rng: random.Random) -> Figure:
    """SIGSTOP a random worker, and SIGCONT after some seconds."""

    def fault(training: Training, workers: list[int]) -> None:
        os.kill(pid := rng.choice(workers), signal.SIGSTOP)
        try:
            time.sleep(rng.uniform(1, 3))
        finally:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    return _disturbed(bench, rng, bench.counts.pauses, "pauses of a worker for 1 to 3 s (SIGSTOP)", fault, pause=1.5)


def _disturbed(
    bench: Bench,
    rng: random.Random,
    wanted: int,
    name: str,
    fault: Callable[[Training, list[int]], None],
    *,
    pause: float,
    kinds: Sequence[Kind] = KINDS,
) -> Figure:
    """Trainings of all kinds in turn until there were `wanted` faults."""
    done = trainings = losses = 0
    misses: list[str] = []
    while done < wanted and len(misses) < 3:
        kind = kinds[trainings % len(kinds)]
        training, trainings = bench.training(kind.corpus), trainings + 1
        expected = bench.expected(kind.corpus)
        typed = [str(training.folder) if word == "." else word for word in kind.typed]
        training.on_ray(kind.workers, *typed)
        training.wait_for(partial(bench.machines.has, kind.workers))
        faults = 0
        while training.runs and faults < min(bench.counts.of_one_training, wanted - done):
            time.sleep(rng.uniform(0, pause))
            there = bench.machines.workers()
            if there and training.runs:
                with suppress(ProcessLookupError):
                    fault(training, there)
                    faults += 1
        done += faults
        wrong = training.end(expected)
        losses += sum(event["event"] == "lost" for event in training.events())
        if wrong:
            misses.append(f"training {trainings} ({kind}), {faults} faults: {wrong}")
    found = f"{done} in {trainings} trainings, {trainings - len(misses)} of which end so; {losses} losses in the logs"
    bar = f"{wanted} faults; all trainings end with the SHA-256, each round once in the log"
    return Figure(name, bar, found, done >= wanted and not misses, misses)


def driver_kills(bench: Bench, rng: random.Random) -> Figure:
    """SIGKILL the command, and resume it from its checkpoints."""
    wanted, done, trainings = bench.counts.driver_kills, 0, 0
    misses: list[str] = []
    expected = bench.expected("text")
    while done < wanted and len(misses) < 3:
        training, trainings = bench.training("text"), trainings + 1
        kills = 0
        while kills < min(5, wanted - done):
            process = training.on_ray(3, *_checkpoints_of(training))
            with suppress(subprocess.TimeoutExpired):
                process.wait(rng.uniform(2, 16))
            if process.poll() is not None:
                break
            process.kill()
            process.wait()
            kills += 1
        done += kills
        if training.process is not None and training.process.returncode != 0:
            training.on_ray(3, *_checkpoints_of(training))
        wrong = training.end(expected)
        if wrong:
            misses.append(f"training {trainings}, {kills} kills: {wrong}")
    found = f"{done} in {trainings} trainings, {trainings - len(misses)} of which end so"
    bar = f"{wanted} kills; all trainings end with the SHA-256, each round once in the log"
    return Figure("SIGKILLs of the driver, resumed until done", bar, found, done >= wanted and not misses, misses)


def _checkpoints_of(training: Training) -> list[str]:
    is_begun = (training.run / "command.json").exists()
    return [] if is_begun else ["--checkpoint", str(training.run), "--every", "1s"]


def raylet_kills(bench: Bench, rng: random.Random) -> Figure:
    """SIGKILL the second raylet, with all its workers, and add another one while the training goes on."""
    wanted = bench.counts.raylet_kills
    misses: list[str] = []
    lost: list[int] = []
    expected, cluster = bench.expected("text"), bench.machines
    for number in range(wanted):
        training = bench.training("text")
        training.on_ray(3 + number % 2)
        training.wait_for(training.has_begun)
        time.sleep(rng.uniform(0, 3))
        lost.append(len(cluster.workers(cluster.second)))
        cluster.kill_second()
        time.sleep(rng.uniform(0, 5))
        cluster.replace_second()
        wrong = training.end(expected)
        if wrong:
            misses.append(f"training {number + 1}, {lost[-1]} workers lost: {wrong}")
    found = f"{wanted - len(misses)} of {wanted}, with {', '.join(map(str, lost))} workers lost"
    bar = f"{wanted} of {wanted} end with the SHA-256, each round once in the log"
    return Figure("SIGKILLs of one of two raylets", bar, found, not misses and all(lost), misses)


def head_kill(bench: Bench, rng: random.Random) -> Figure:
    """SIGKILL the only raylet of `--ray local`. Ray then ends the driver, and the training is resumed."""
    expected, training = bench.expected("text"), bench.training("text")
    process = training.start("--ray", "local", "--round-log", str(training.log), *_checkpoints_of(training))
    training.wait_for(lambda: list(training.run.glob("*.checkpoint")))
    for pid in children(process.pid):
        if "raylet/raylet" in _title(pid):
            os.kill(pid, signal.SIGKILL)
    code = process.wait(SECONDS)
    training.start()
    wrong = training.end(expected) or ("" if code else "Ray went on without its raylet")
    name = "SIGKILL of the raylet that --ray local has started, resumed"
    return Figure(name, "the SHA-256, each round once in the log", wrong or "so", not wrong, [wrong] if wrong else [])


def left_behind(bench: Bench, rng: random.Random) -> Figure:
    """Worker processes and files that trainings have left. Ray needs a moment to end the workers of a killed driver."""
    until = time.monotonic() + 30
    while (workers := bench.machines.workers()) and time.monotonic() < until:
        time.sleep(0.5)
    files = [str(path) for path in bench.folder.rglob("*pairloom-*") if path.name.startswith(("pairloom-", ".pair"))]
    misses = [f"worker {pid}" for pid in workers] + files
    return Figure("workers and temporary files left by all of these", "none", f"{len(misses)}", not misses, misses)


FIGURES = (same_bytes, resumed, worker_kills, kills_of_all, driver_kills, pauses, raylet_kills, head_kill, left_behind)


if __name__ == "__main__":
    main(measure)
