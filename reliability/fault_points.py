"""Make every system call of a save fail in turn: the path must hold the old file or the new one.

The calls of a save are counted. Then, for each call, the save runs again in its own process, where that call fails with
ENOSPC or EIO, kills the process, or is the last one before a power cut. Then three things are checked:

- the path holds all the old bytes or all the new ones;
- the save reports the truth: success if the new bytes are there, an OutputError if the call failed;
- no other file is left in the folder (after a kill: once the next file was written there).

The long form also makes the calls fail in the kernel, by strace, if that is installed.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import OutputError
from pairloom.system.files import atomic_write
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors
from reliability.figures import Figure, Mutant, main
from reliability.traps import Call, Trap, after_power_cut, trapped

FAULTS = ("ENOSPC", "EIO", "kill")
_MAY_FAIL_SILENTLY = {"close"}  # everything was flushed before, so its failure loses nothing

MUTANTS = [
    Mutant(
        "a file is not flushed before it gets its name",
        "system/files.py",
        "            _flush(file)\n",
        "            file.flush()\n",
    ),
    Mutant("a folder is not flushed after a rename in it", "system/files.py", "        sync_name(target, path)\n", ""),
    Mutant(
        "a failed flush is not reported",
        "system/files.py",
        "if error.errno not in _CANNOT_FLUSH:",
        "if False:",
    ),
    Mutant(
        "files of a killed process are not removed",
        "system/temporary.py",
        "if rested and try_lock(descriptor):",
        "if False:",
    ),
]


# --- What is saved


def _embedding(seed: int) -> Embedding:
    rng = np.random.default_rng(seed)
    words, contexts = ([f"{side}{i}" for i in range(n)] for side, n in (("word", 400), ("context", 300)))
    counts = (np.arange(len(side), 0, -1) for side in (words, contexts))
    rows = (rng.normal(size=(len(side), 16)).astype(np.float32) for side in (words, contexts))
    return Embedding(
        words=Vectors(words, next(rows), next(counts)), contexts=Vectors(contexts, next(rows), next(counts)), record={}
    )


def _vocabulary(path: Path, seed: int) -> None:
    words = tuple(f"{seed}word{i}" for i in range(3000))
    Vocabulary(words, np.arange(len(words), 0, -1)).save(path)


def _checkpoint(path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    with atomic_write(path) as file:
        for _ in range(5):
            file.write(rng.bytes(50_000))


SAVES: dict[str, Callable[[Path, int], None]] = {
    "model.loom": lambda path, seed: _embedding(seed).save(path),
    "words.txt": _vocabulary,
    "static": lambda path, seed: _embedding(seed).save(path, "static"),
    "model.bin": lambda path, seed: _embedding(seed).save(path),
    "model.vec": lambda path, seed: _embedding(seed).save(path),
    "checkpoint": _checkpoint,
}
_OLD, _NEW = 1, 2  # seeds of what is there before, and of what is saved
_SHORT = ("model.loom", "words.txt", "static")

Content = bytes | dict[str, bytes] | None


def content(path: Path) -> Content:
    """The bytes of a file, or of all files in a folder."""
    if path.is_dir():
        return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}
    return path.read_bytes() if path.exists() else None


class Case(NamedTuple):
    """One save in its own folder, over an old file unless it writes a folder."""

    name: str
    folder: Path
    old: Content
    new: Content

    @classmethod
    def made(cls, name: str, root: Path) -> "Case":
        """The case of this name, with its old and new content."""
        save = SAVES[name]
        for seed in (_OLD, _NEW):
            save(root / f"{seed}-{name}", seed)
        new = content(root / f"{_NEW}-{name}")
        old = None if isinstance(new, dict) else content(root / f"{_OLD}-{name}")  # folders are not overwritten
        (root / name).mkdir()
        return cls(name, root / name / "in", old, new)

    @property
    def path(self) -> Path:
        return self.folder / self.name

    def begin(self) -> None:
        """Put the folder into the state before the save."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        if isinstance(self.old, bytes):
            self.path.write_bytes(self.old)

    def save(self) -> None:
        SAVES[self.name](self.path, _NEW)


# --- One point


def attempt(case: Case, at: int, fault: str) -> str:
    """Save in a process where one call fails. Returns "saved", "killed" or the error."""
    case.begin()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, _outcome(case, Trap(at, fault)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        text = said.read()
    _, status = os.waitpid(child, 0)
    return "killed" if os.WIFSIGNALED(status) else text


def _outcome(case: Case, trap: Trap) -> str:
    try:
        with trapped(trap):
            case.save()
    except OutputError as error:
        return f"OutputError: {error}"
    except BaseException as error:
        return f"{type(error).__name__}, which is not an OutputError: {error}"
    return "saved"


def faults_of(case: Case, outcome: str, must_report: bool, was_killed: bool) -> Iterator[str]:
    """What is wrong after a save that ended with this outcome."""
    stands = content(case.path)
    if stands not in (case.old, case.new):
        yield "the path holds neither the old file nor the new one"
    elif outcome == "saved" and (stands != case.new or must_report):
        yield "it reported success although a call had failed"
    elif outcome.startswith("OutputError") and stands != (case.new if " is written, but " in outcome else case.old):
        yield f"its report is false: {outcome}"
    elif not outcome.startswith(("saved", "killed", "OutputError")):
        yield outcome
    if was_killed:
        with atomic_write(case.folder / "next") as file:
            file.write(b"something else")
        (case.folder / "next").unlink()
    if left := sorted(file.name for file in case.folder.iterdir() if file != case.path):
        yield f"left behind: {', '.join(left)}"


def calls_of(case: Case) -> list[Call]:
    """The calls of a save that succeeds."""
    case.begin()
    with trapped(Trap()) as trap:
        case.save()
    return trap.calls


def points(case: Case) -> Iterator[tuple[str, list[str]]]:
    """Every point of a save at which something can fail, and what is wrong after it."""
    calls = calls_of(case)
    for at, call in enumerate(calls):
        for fault in FAULTS:
            outcome = attempt(case, at, fault)
            must_report = fault != "kill" and call.kind not in _MAY_FAIL_SILENTLY
            where = f"{case.name}, {fault} at call {at + 1} of {len(calls)} ({call.kind})"
            yield where, [f"{where}: {wrong}" for wrong in faults_of(case, outcome, must_report, fault == "kill")]
        stands = after_power_cut(calls[: at + 1])
        where = f"{case.name}, power cut after call {at + 1} of {len(calls)} ({call.kind})"
        yield where, [f"{where}: may leave a mixture"] if "mixture" in stands else []
    if "old" in after_power_cut(calls):
        yield case.name, [f"{case.name}: after the save a power cut may bring the old file back"]


# --- The same in the kernel

_CALLS = ("write", "fsync", "/^rename", "/chmod")
_CODE = """
import sys
from pathlib import Path
from reliability.fault_points import SAVES, _NEW
from pairloom.errors import OutputError
path = Path(sys.argv[1])
try:
    SAVES[path.name](path, _NEW)
except OutputError as error:
    sys.exit(f"OutputError: {error}")
"""


def kernel_points(case: Case) -> Iterator[tuple[str, list[str]]]:
    """The same for system calls that fail in the kernel."""
    for call in _CALLS:
        n_calls = _traced(case, call)[1]
        for n in range(1, n_calls + 1):
            for fault, action in (("ENOSPC", "error=ENOSPC"), ("EIO", "error=EIO"), ("kill", "signal=KILL")):
                outcome, _ = _traced(case, call, f"{action}:when={n}")
                where = f"{case.name}, {fault} at {call.strip('/^')} {n} of {n_calls} in the kernel"
                wrongs = faults_of(case, outcome, fault != "kill", fault == "kill")
                yield where, [f"{where}: {wrong}" for wrong in wrongs]


def _traced(case: Case, call: str, inject: str = "") -> tuple[str, int]:
    """The outcome of a save under strace, and the number of these calls that it made."""
    case.begin()
    log = case.folder.parent / "log"
    options = ["-o", str(log), "-e", f"trace={call}", *(["-e", f"inject={call}:{inject}"] if inject else [])]
    command = ["strace", "-qq", *options, sys.executable, "-B", "-c", _CODE, str(case.path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    killed = done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)
    outcome = "killed" if killed else "saved" if done.returncode == 0 else done.stderr.strip().rsplit("\n", 1)[-1]
    return outcome, len(re.findall(r"^\w+\(", log.read_text(), re.MULTILINE))


def _can_trace() -> bool:
    strace = shutil.which("strace")
    return strace is not None and subprocess.run([strace, "-qq", "true"], capture_output=True).returncode == 0


# --- The figures


def measure(short: bool, seed: int = 0) -> list[Figure]:
    """All points of all saves. The seed has no effect, since nothing is drawn."""
    memory = "/dev/shm"  # faster than a disk
    with tempfile.TemporaryDirectory(dir=memory if short and os.access(memory, os.W_OK) else None) as root:
        cases = [Case.made(name, Path(root)) for name in (_SHORT if short else SAVES)]
        figures = [_figure("fault points of save", 100, (point for case in cases for point in points(case)))]
        if not short and _can_trace():
            found = (point for case in cases if case.name in _SHORT for point in kernel_points(case))
            figures.append(_figure("the same in the kernel, by strace", 1, found))
        return figures


def _figure(name: str, least: int, found: Iterator[tuple[str, list[str]]]) -> Figure:
    tried = [wrongs for _, wrongs in found]
    good = sum(not wrongs for wrongs in tried)
    misses = [wrong for wrongs in tried for wrong in wrongs]
    bar = f"all of {least} or more: the old file or the new one, a true report, nothing left behind"
    return Figure(name, bar, f"{good} of {len(tried)}", good == len(tried) >= least, misses)


if __name__ == "__main__":
    main(measure)
