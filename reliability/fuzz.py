"""Fuzzing: every reader gets a million damaged files, and must refuse each in one line or read it correctly.

An accepted file must be consistent: as many rows as words, no word twice, all numbers finite. A native file must not be
changed at all. Everything else is a finding: an exception other than a PairloomError, a message of more than one line,
more than a second of computing, memory beyond 64 MB plus four times the file.

The changes are our own (`mutate.py`: bits, cuts, splices, numbers at their limits, false headers). atheris 3.0, which
is guided by coverage, was as fast on the .bin and .vec readers (7,000 files per second and process). But the readers
accepted 0.6 % of its files and refused half at the first line; of ours they accept 13 to 20 %, so ours get further in.
"""

import mmap
import resource
import signal
import time
import traceback
import warnings
from multiprocessing import get_context
from random import Random
from typing import Any, NamedTuple

from pairloom.errors import PairloomError
from reliability.figures import Figure, Mutant, main, n_processes
from reliability.fuzz_targets import Target, targets
from reliability.mutate import mutated

EXECUTIONS, SHORT = 1_000_000, 2_000
SECONDS = 1.0  # of computing
MEMORY, PER_FILE_BYTE = 64 << 20, 4
_LARGEST = 1 << 16  # bytes of a changed file; most have some hundred
_MOST_FINDINGS = 10
_PER_TIMER = (
    100  # files for one timer: they take some hundredths of a second, so the next timer starts before this one fires
)
MUTANTS = [
    Mutant(
        "the checksums of a native file are ignored",
        "system/tensors.py",
        "if digest.hexdigest() != expected:",
        "if False:",
    ),
    Mutant(
        "a pair may weigh NaN",
        "pairs/pair_reading.py",
        "bad = np.flatnonzero(~((weights >= 0) & (weights <= LARGEST_WEIGHT)))",
        "bad = np.flatnonzero(weights < 0)",
    ),
    Mutant(
        "words that are not UTF-8 break a vocabulary",
        "corpus/lists.py",
        "except UnicodeDecodeError as",
        "except KeyError as",
    ),
    Mutant("NaN in a file of vectors is accepted", "formats/rows.py", "if not finite.all():", "if False:"),
]


class Result(NamedTuple):
    """What a worker found."""

    executions: int
    accepted: int
    findings: list[str]
    grown: int  # bytes of memory at its peak, beyond its memory at the start


class _TooLong(BaseException):
    """A reader has computed for too long. Not an Exception, so that no reader catches it."""


def measure(short: bool, seed: int) -> list[Figure]:
    """A figure for each reader."""
    n = SHORT if short else EXECUTIONS
    return [_figure(target, round(target.share * n), seed) for target in targets()]


def _figure(target: Target, n: int, seed: int) -> Figure:
    began = time.monotonic()
    parts = _run(target, n, seed)
    executions, accepted = sum(part.executions for part in parts), sum(part.accepted for part in parts)
    findings = [finding for part in parts for finding in part.findings]
    grown = max(part.grown for part in parts)
    seconds = time.monotonic() - began
    return Figure(
        name=f"fuzzing: {target.name}",
        bar=f"{n:,} executions, no crash, no hang over {SECONDS:g} s, memory below 64 MB + {PER_FILE_BYTE} x file",
        found=f"{executions:,} in {seconds:.0f} s, {accepted:,} accepted; findings: {len(findings)}, {grown >> 20} MB",
        met=executions >= n and not findings and accepted > 0,
        misses=findings,
    )


def _run(target: Target, n: int, seed: int) -> list[Result]:
    """Run workers, each with its share. One that dies is a finding, with the file that killed it."""
    context = get_context("fork")
    workers = min(n_processes(), 8)
    shares = [n // workers + (i < n % workers) for i in range(workers)]
    started = []
    for number, share in enumerate(shares):
        current = mmap.mmap(-1, _LARGEST + 8)
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(target, share, f"{seed}/{target.name}/{number}", current, sender))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # about forking with threads; none of ours run
            process.start()
        sender.close()
        started.append((process, receiver, current))
    return [_result(*worker) for worker in started]


def _result(process: Any, receiver: Any, current: mmap.mmap) -> Result:
    """Wait for a worker as long as it proceeds from file to file."""
    last = b""
    while not receiver.poll(20):
        now = current[:]
        if now == last or not process.is_alive():
            process.kill()
            process.join()
            return Result(0, 0, [f"a hang that no signal ends, at {_shown(_current(current))}"], 0)
        last = now
    try:
        result: Result = receiver.recv()
    except EOFError:
        process.join()
        return Result(0, 0, [f"the process ended by {process.exitcode}, at {_shown(_current(current))}"], 0)
    process.join()
    return result


def _current(current: mmap.mmap) -> bytes:
    return current[8 : 8 + int.from_bytes(current[:8], "little")]


def _shown(data: bytes) -> str:
    return repr(data) if len(data) <= 2000 else f"{data[:2000]!r}..."


def _work(target: Target, n: int, seed: str, current: mmap.mmap, sender: Any) -> None:
    warnings.simplefilter("ignore")
    rng, findings, accepted = Random(seed), [], 0
    for data in target.seeds:
        target.read(data)  # valid files must be read; this also loads everything that is imported or compiled late
    signal.signal(signal.SIGPROF, _stop)
    before = _limit_memory()
    for number in range(n):
        if number % _PER_TIMER == 0:
            _start_timer()
        data = (target.repair(rng, rng.choice(target.seeds)) if target.repair else mutated(rng, target.seeds))[
            :_LARGEST
        ]
        current[: 8 + len(data)] = len(data).to_bytes(8, "little") + data
        finding = _tried(target, data)
        accepted += finding is None
        if finding:
            findings.append(f"{finding}, at {_shown(data)}")
            if len(findings) == _MOST_FINDINGS:
                break
    signal.setitimer(signal.ITIMER_PROF, 0)
    grown = _peak() - before
    if grown > MEMORY + PER_FILE_BYTE * _LARGEST:
        findings.append(f"memory grew by {grown >> 20} MB")
    sender.send(Result(n, accepted, findings, grown))


def _start_timer() -> None:
    signal.setitimer(signal.ITIMER_PROF, SECONDS)


def _stop(*_: object) -> None:
    raise _TooLong


def _limit_memory() -> int:
    """Limit the memory to that of the bar. Returns the peak so far."""
    with open("/proc/self/statm") as file:  # noqa: PTH123 (not a file on a disk)
        now = int(file.read().split()[0]) * mmap.PAGESIZE
    most = now + MEMORY + PER_FILE_BYTE * _LARGEST
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    return _peak()


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _tried(target: Target, data: bytes) -> str | None:
    """What is wrong with how the reader handled a file; None if it accepted the file, "" if it refused it."""
    try:
        target.read(data)
        return None
    except PairloomError as error:
        return f"a message of several lines: {error}" if "\n" in str(error) else ""
    except _TooLong:
        _start_timer()
        return f"more than {SECONDS:g} s"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({place.filename.rpartition('/')[2]}, line {place.lineno})"


if __name__ == "__main__":
    main(measure)
