"""Every call by which a save writes, made to fail: what stands at the path is the old file or the new one.

The calls of a save are counted; then for each the save is made again in a process of its own, in which that call fails
with ENOSPC or with EIO, or ends the process by SIGKILL, or is the last one before the power goes. Looked at is

- what stands at the path: the old bytes or the new ones, all of them;
- what the save says: nothing if the new ones are there, an OutputError if the call failed;
- what lies beside it: nothing; after a kill, nothing once something else was written there.

The whole form makes the calls fail in the kernel, too, by strace, where that is installed.
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
_MAY_FAIL_UNHEARD = {"close"}  # once all is flushed, it has nothing left to say

MUTANTS = [
    Mutant(
        "a file is not flushed before it gets its name",
        "system/files.py",
        "            _flush(file)\n",
        "            file.flush()\n",
    ),
    Mutant("a folder is not flushed after a rename in it", "system/files.py", "        sync_name(target, path)\n", ""),
    Mutant(
        "that a flush has failed is not told",
        "system/files.py",
        "if error.errno not in _CANNOT_FLUSH:",
        "if False:",
    ),
    Mutant(
        "what a killed process left stays",
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
    """All that stands at a path."""
    if path.is_dir():
        return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}
    return path.read_bytes() if path.exists() else None


class Case(NamedTuple):
    """One save in a folder of its own, over the old file if that can be."""

    name: str
    folder: Path
    old: Content
    new: Content

    @classmethod
    def made(cls, name: str, root: Path) -> "Case":
        """What it saves, and over what."""
        save = SAVES[name]
        for seed in (_OLD, _NEW):
            save(root / f"{seed}-{name}", seed)
        new = content(root / f"{_NEW}-{name}")
        old = None if isinstance(new, dict) else content(root / f"{_OLD}-{name}")  # a folder is not written over
        (root / name).mkdir()
        return cls(name, root / name / "in", old, new)

    @property
    def path(self) -> Path:
        return self.folder / self.name

    def begin(self) -> None:
        """The folder as it is before."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        if isinstance(self.old, bytes):
            self.path.write_bytes(self.old)

    def save(self) -> None:
        SAVES[self.name](self.path, _NEW)


# --- One point


def attempt(case: Case, at: int, fault: str) -> str:
    """The save in a process of its own, in which one call fails; how it ended: "saved", "killed", or its error."""
    case.begin()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, _said(case, Trap(at, fault)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        text = said.read()
    _, status = os.waitpid(child, 0)
    return "killed" if os.WIFSIGNALED(status) else text


def _said(case: Case, trap: Trap) -> str:
    try:
        with trapped(trap):
            case.save()
    except OutputError as error:
        return f"OutputError: {error}"
    except BaseException as error:
        return f"{type(error).__name__}, which is no OutputError: {error}"
    return "saved"


def faults_of(case: Case, said: str, must_be_told: bool, was_killed: bool) -> Iterator[str]:
    """What is wrong after a save that has ended in some way."""
    stands = content(case.path)
    if stands not in (case.old, case.new):
        yield "what stands there is neither the old file nor the new one"
    elif said == "saved" and (stands != case.new or must_be_told):
        yield "it was said to be saved, though a call had failed"
    elif said.startswith("OutputError") and stands != (case.new if " is written, but " in said else case.old):
        yield f"what it says is not what is there: {said}"
    elif not said.startswith(("saved", "killed", "OutputError")):
        yield said
    if was_killed:
        with atomic_write(case.folder / "next") as file:
            file.write(b"something else")
        (case.folder / "next").unlink()
    if left := sorted(file.name for file in case.folder.iterdir() if file != case.path):
        yield f"left behind: {', '.join(left)}"


def calls_of(case: Case) -> list[Call]:
    """The calls of a save in which none fails."""
    case.begin()
    with trapped(Trap()) as trap:
        case.save()
    return trap.calls


def points(case: Case) -> Iterator[tuple[str, list[str]]]:
    """Every point of a save, and what is wrong there."""
    calls = calls_of(case)
    for at, call in enumerate(calls):
        for fault in FAULTS:
            said = attempt(case, at, fault)
            must_be_told = fault != "kill" and call.kind not in _MAY_FAIL_UNHEARD
            where = f"{case.name}, {fault} at call {at + 1} of {len(calls)} ({call.kind})"
            yield where, [f"{where}: {wrong}" for wrong in faults_of(case, said, must_be_told, fault == "kill")]
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
    """Every call of the system by which a save writes, failing in the kernel."""
    for call in _CALLS:
        n_calls = _traced(case, call)[1]
        for n in range(1, n_calls + 1):
            for fault, action in (("ENOSPC", "error=ENOSPC"), ("EIO", "error=EIO"), ("kill", "signal=KILL")):
                said, _ = _traced(case, call, f"{action}:when={n}")
                where = f"{case.name}, {fault} at {call.strip('/^')} {n} of {n_calls} in the kernel"
                wrongs = faults_of(case, said, fault != "kill", fault == "kill")
                yield where, [f"{where}: {wrong}" for wrong in wrongs]


def _traced(case: Case, call: str, inject: str = "") -> tuple[str, int]:
    """What a save says under strace, and how many of these calls it made."""
    case.begin()
    log = case.folder.parent / "log"
    options = ["-o", str(log), "-e", f"trace={call}", *(["-e", f"inject={call}:{inject}"] if inject else [])]
    command = ["strace", "-qq", *options, sys.executable, "-B", "-c", _CODE, str(case.path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    killed = done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)
    said = "killed" if killed else "saved" if done.returncode == 0 else done.stderr.strip().rsplit("\n", 1)[-1]
    return said, len(re.findall(r"^\w+\(", log.read_text(), re.MULTILINE))


def _can_trace() -> bool:
    strace = shutil.which("strace")
    return strace is not None and subprocess.run([strace, "-qq", "true"], capture_output=True).returncode == 0


# --- The figures


def measure(short: bool, seed: int = 0) -> list[Figure]:
    """All points of all saves; the seed changes nothing, since none is left out."""
    memory = "/dev/shm"  # where nothing waits for a disk
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
    bar = f"all of {least} or more: the old file or the new one, truly told, nothing left"
    return Figure(name, bar, f"{good} of {len(tried)}", good == len(tried) >= least, misses)


if __name__ == "__main__":
    main(measure)
