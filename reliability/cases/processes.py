"""Cases that need their own process: signals, pipes, full devices and limits of the system."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pairloom
from reliability.cases import folder
from reliability.cases.bench import Bench

SECONDS = 60  # limit of a process
LONG = ("--epochs", "1000000", "--min-count", "1", "--dim", "4")


class Ended(NamedTuple):
    """How a process ended."""

    code: int
    out: str
    err: str


Try = Callable[[Bench], Iterator[str]]


class Process(NamedTuple):
    """A case that runs itself and yields a line for everything that is wrong."""

    name: str
    fault: int | None
    tried: Try
    long: bool = True  # left out of the short form

    def problems(self, bench: Bench) -> list[str]:
        before = folder.snapshot(bench.folder)
        try:
            found = list(self.tried(bench))
        except subprocess.TimeoutExpired:
            found = [f"did not end within {SECONDS} s"]
        after = folder.snapshot(bench.folder)
        found += [f"{name} was written or changed" for name in before | after if before.get(name) != after.get(name)]
        found += [f"{path.name} was left among temporary files" for path in bench.temporary.iterdir()]
        folder.restore(bench.folder, bench.good)
        folder.restore(bench.temporary, {})
        return [f"{self.name}: {problem}" for problem in found]


def environment(bench: Bench) -> dict[str, str]:
    """The environment, with the same package as in this process."""
    package = str(Path(pairloom.__file__).parents[1])
    return {**os.environ, "PAIRLOOM_CACHE": str(bench.cache), "TMPDIR": str(bench.temporary), "PYTHONPATH": package}


def start(bench: Bench, *argv: str, **options: Any) -> subprocess.Popen[str]:
    """Start `pairloom argv...` in the folder."""
    command = [sys.executable, "-m", "pairloom", *argv]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
    return subprocess.Popen(command, cwd=bench.folder, env=environment(bench), text=True, **options)


def end(process: subprocess.Popen[str], seconds: float = SECONDS) -> Ended:
    """Wait for a process, and kill it if it does not end."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return Ended(process.returncode, out or "", err or "")


def wait_for_training(process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    while (line := process.stderr.readline()) and not line.startswith("train"):
        pass


def expect(ended: Ended, code: int, says: str = "") -> Iterator[str]:
    """Check for one line on stderr, or none after success."""
    last = ended.err.splitlines()[-1] if ended.err else ""
    if ended.code != code:
        yield f"exit code {ended.code}, not {code}: {ended.err[-300:]!r}"
    if "Traceback" in ended.err or says not in last:
        yield f"{says!r} is not in {ended.err[-300:]!r}"


# --- Signals


def signalled(number: signal.Signals, code: int, says: str) -> Try:
    """A training over an old model that gets a signal, and must end within 5 s."""

    def tried(bench: Bench) -> Iterator[str]:
        process = start(bench, "train", "text.txt", "-o", "old.loom", *LONG)
        wait_for_training(process)
        began = time.perf_counter()
        process.send_signal(number)
        yield from expect(end(process), code, says)
        if time.perf_counter() - began > 5:
            yield "took longer than 5 s to end"
        for left in bench.cache.glob("pairloom-tmp-*"):
            yield f"{left.name} was left in the cache"
        if number == signal.SIGKILL:  # the lock is free then, but its file stays until the next run
            (bench.folder / ".pairloom-old.loom.lock").unlink()

    return tried


def resumed(bench: Bench) -> Iterator[str]:
    """A training that is killed and resumed must write the same bytes as an undisturbed one."""
    options = ("train", "text.txt", "--epochs", "300", "--min-count", "1", "--dim", "4", "--quiet")
    yield from expect(end(start(bench, *options, "-o", "whole.loom")), 0)
    process = start(bench, *options, "-o", "killed.loom", "--checkpoint", "points", "--every", "epoch")
    while process.poll() is None and not list((bench.folder / "points").glob("*.checkpoint")):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    end(process)
    yield from expect(end(start(bench, "train", "--resume", "points", "-o", "killed.loom", "--quiet")), 0)
    whole, killed = (bench.folder / name for name in ("whole.loom", "killed.loom"))
    if not killed.exists() or whole.read_bytes() != killed.read_bytes():
        yield "what was resumed differs from what was not interrupted"
    folder.restore(bench.folder, bench.good)


def locked(bench: Bench) -> Iterator[str]:
    """The second of two trainings with the same output must be refused."""
    first = start(bench, "train", "text.txt", "-o", "old.loom", *LONG)
    wait_for_training(first)
    yield from expect(
        end(start(bench, "train", "text.txt", "-o", "old.loom", "--quiet", "--min-count", "1")), 6, "old.loom"
    )
    first.send_signal(signal.SIGKILL)
    end(first)
    folder.restore(bench.folder, {**bench.good, "old.loom": (bench.folder / "old.loom").read_bytes()})


def changed(change: Callable[[Path], object]) -> Try:
    """A training whose corpus changes must end with exit code 4."""

    def tried(bench: Bench) -> Iterator[str]:
        corpus = bench.folder / "c.txt"
        corpus.write_text(folder.TEXT)
        process = start(bench, "train", "c.txt", "-o", "old.loom", *LONG)
        wait_for_training(process)
        change(corpus)
        process.stderr = None
        try:
            yield from expect(end(process, 15), 4)
        finally:
            corpus.unlink(missing_ok=True)

    return tried


# --- Pipes and devices


def unread(*argv: str) -> Try:
    """A command whose output is not read must end quietly."""

    def tried(bench: Bench) -> Iterator[str]:
        read, write = os.pipe()
        os.close(read)
        process = start(bench, *argv, stdout=write)
        os.close(write)
        ended = end(process)
        yield from expect(ended, 0)
        if ended.err:
            yield f"said {ended.err!r}"

    return tried


def ends(code: int, says: str, *argv: str, stdout: str | None = None, **options: Any) -> Try:
    """A command that must end with this code and one line."""

    def tried(bench: Bench) -> Iterator[str]:
        with open(stdout or os.devnull, "w") as out:  # noqa: PTH123  (a device)
            ended = end(start(bench, *argv, stdout=out, **options))
        yield from expect(ended, code, says)
        if ended.err.count("\n") > (code != 0):
            yield f"not one line: {ended.err!r}"

    return tried


def shell(code: int, command: str) -> Try:
    """A shell line, in which W is pairloom, that must end with this exit code and no traceback."""

    def tried(bench: Bench) -> Iterator[str]:
        line = command.replace("W ", f"{sys.executable} -m pairloom ")
        done = subprocess.run(
            ["bash", "-c", line], cwd=bench.folder, env=environment(bench), capture_output=True,
            text=True, timeout=SECONDS, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        yield from expect(Ended(done.returncode, done.stdout, done.stderr), code)

    return tried


def limit(kind: int, value: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(kind, (value, value))


FULL_DISK = limit(resource.RLIMIT_FSIZE, 600)  # bytes of a file, like a full disk
FILLING_DISK = limit(resource.RLIMIT_FSIZE, 30_000)  # enough for the encoded text, not for the vectors
FEW_THREADS = limit(resource.RLIMIT_AS, 2_500_000_000)  # of address space: too little for 256 stacks and their heaps


def few_threads(bench: Bench) -> Iterator[str]:
    """256 threads, on a system that allows fewer, must write the same bytes as one."""
    for name, threads, options in (("one.loom", "1", {}), ("many.loom", "256", {"preexec_fn": FEW_THREADS})):
        argv = ("train", "text.txt", "-o", name, "--quiet", "--min-count", "1", "--dim", "4", "--threads", threads)
        yield from expect(end(start(bench, *argv, **options)), 0)
    one, many = (bench.folder / name for name in ("one.loom", "many.loom"))
    if not many.exists() or one.read_bytes() != many.read_bytes():
        yield "the bytes differ"
    folder.restore(bench.folder, bench.good)


CASES = [
    Process("SIGINT while training", 50, signalled(signal.SIGINT, 130, "interrupted")),
    Process("SIGTERM while training", 50, signalled(signal.SIGTERM, 143, "interrupted")),
    Process("SIGHUP while training", 50, signalled(signal.SIGHUP, 129, "interrupted")),
    Process("SIGKILL while training", 50, signalled(signal.SIGKILL, -9, "")),
    Process("resumed after a kill", 51, resumed),
    Process("two trainings, one output", 52, locked),
    Process("cut short while another process trains", 24, changed(lambda path: os.truncate(path, 100))),
    Process("overwritten while another process trains", 25, changed(lambda path: path.write_bytes(os.urandom(9000)))),
    Process("deleted while another process trains", 26, changed(lambda path: path.unlink())),
    Process("256 threads in little address space", 39, few_threads),
    Process("a full device", 46, ends(5, "No space left", "convert", "model.loom", "/dev/full", "--to", "bin"),
         long=False),
    Process("printing to a full device", 46, ends(5, "No space left", "near", "model.loom", "cat", stdout="/dev/full")),
    Process("a disk full over an old model", 47, ends(5, "old.loom", "convert", "model.loom", "old.loom",
            preexec_fn=FULL_DISK), long=False),
    Process("a disk full at the end of training", 47, ends(5, "old.loom", "train", "text.txt", "-o", "old.loom",
         "--quiet",
            "--min-count", "1", "--dim", "512", "--epochs", "1", preexec_fn=FILLING_DISK)),
    *(Process(f"the output of {argv[0]} is not read", 75, unread(*argv), long=argv[0] != "near") for argv in (
        ("near", "model.loom", "cat"), ("analogy", "model.loom", "cat", "dog", "cow"), ("info", "model.loom"),
        ("vocab", "text.txt", "--quiet"), ("walk", "edges.txt", "-o", "-", "--quiet"),
        ("pairs", "baskets", "baskets.txt", "-o", "-", "--quiet"), ("evaluate", "model.loom", "similar.tsv"),
        ("phrases", "text.txt", "--quiet"), ("cache",), ("distance", "model.loom"), ("classes", "model.loom", "-k",
             "2"),
        ("--help",), ("train", "--help"))),
    *(Process(f"{name} after the end of its input", 75, ends(0, "", name, "model.loom"), long=name != "distance")
      for name in ("near", "analogy", "distance", "word-analogy", "compute-accuracy")),
    Process("the first of many lines", 75, shell(0,
         "W near model.loom cat dog cow | head -n 1; exit ${PIPESTATUS[0]}")),
    Process("an endless input", 75, shell(0,
         "yes cat | W near model.loom | head -n 5000 > /dev/null; exit ${PIPESTATUS[1]}")),
    Process("output closed", None, shell(0, "W info model.loom >&-")),
    Process("input closed", None, shell(0, "W near model.loom <&-")),
    Process("errors closed", None, shell(2, "W near missing.loom cat 2>&-")),
    Process("all three closed", None, shell(2, "W near missing.loom cat <&- >&- 2>&-")),
    Process("a corpus from a pipe of the shell", 21, shell(0, "W vocab <(cat text.txt) --quiet")),
    Process("a corpus on a closed input", 21, shell(2, "W vocab - --quiet <&-")),
]  # fmt: skip
