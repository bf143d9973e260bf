"""Fuzzing: every reader, given a million files that were right once, refuses them in one line or reads them rightly.

A file that is accepted must make sense in itself: as many rows as words, no word twice, all numbers finite; a native
one must not be changed at all. Anything else is a finding: another exception than a PairloomError, a message of more
than one line, a second of computing, memory beyond 64 MB and four times the file.

The changes are our own (`mutate.py`: bits, cuts, splices, numbers at their limits, lies in headers). atheris 3.0, which
is guided by coverage, was as fast on the .bin and .vec readers (7,000 files a second and process), but of its files
0.6 % were accepted and half ended at the first line, while of these 13 to 20 % are accepted: they get further in.
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
_LARGEST = 1 << 16  # bytes of a changed file; they are some hundred
_MOST_FINDINGS = 10
_A_TIMER = 100  # files, which take some hundredths of a second: the next timer always comes before this one's end
MUTANTS = [
    Mutant(
        "the checksums of a native file are not looked at",
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
    Mutant("NaN in a file of vectors is not seen", "formats/rows.py", "if not finite.all():", "if False:"),
]


class Result(NamedTuple):
    """What a worker has seen."""

    executions: int
    accepted: int
    findings: list[str]
    grown: int  # bytes of memory at its peak, beyond what it had when it began


class _TooLong(BaseException):
    """A reader has computed for too long. Not an Exception: none of them may catch it."""


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
    """Some workers, each with its share; one that dies is a finding, with the file that it died of."""
    context = get_context("fork")
    workers = min(n_processes(), 8)
    shares = [n // workers + (i < n % workers) for i in range(workers)]
    started = []
    for number, share in enumerate(shares):
        seen = mmap.mmap(-1, _LARGEST + 8)
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(target, share, f"{seed}/{target.name}/{number}", seen, sender))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads: none of ours runs
            process.start()
        sender.close()
        started.append((process, receiver, seen))
    return [_result(*worker) for worker in started]


def _result(process: Any, receiver: Any, seen: mmap.mmap) -> Result:
    """Wait for a worker as long as it goes on from file to file."""
    last = b""
    while not receiver.poll(20):
        now = seen[:]
        if now == last or not process.is_alive():
            process.kill()
            process.join()
            return Result(0, 0, [f"a hang that no signal ends, at {_shown(_seen(seen))}"], 0)
        last = now
    try:
        result: Result = receiver.recv()
    except EOFError:
        process.join()
        return Result(0, 0, [f"the process ended by {process.exitcode}, at {_shown(_seen(seen))}"], 0)
    process.join()
    return result


def _seen(seen: mmap.mmap) -> bytes:
    return seen[8 : 8 + int.from_bytes(seen[:8], "little")]


def _shown(data: bytes) -> str:
    return repr(data) if len(data) <= 2000 else f"{data[:2000]!r}..."


def _work(target: Target, n: int, seed: str, seen: mmap.mmap, sender: Any) -> None:
    warnings.simplefilter("ignore")
    rng, findings, accepted = Random(seed), [], 0
    for data in target.seeds:
        target.read(data)  # a right file is read; and what is imported or compiled late is there now
    signal.signal(signal.SIGPROF, _stop)
    before = _limit_memory()
    for number in range(n):
        if number % _A_TIMER == 0:
            _start_timer()
        data = (target.repair(rng, rng.choice(target.seeds)) if target.repair else mutated(rng, target.seeds))[
            :_LARGEST
        ]
        seen[: 8 + len(data)] = len(data).to_bytes(8, "little") + data
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
    """No more memory than the bar has; gives the peak so far."""
    with open("/proc/self/statm") as file:  # noqa: PTH123 (a file that the system makes up)
        now = int(file.read().split()[0]) * mmap.PAGESIZE
    most = now + MEMORY + PER_FILE_BYTE * _LARGEST
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    return _peak()


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _tried(target: Target, data: bytes) -> str | None:
    """What is wrong with how the reader takes a file; None if it was accepted, "" if it was refused."""
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
