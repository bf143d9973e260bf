"""What a user sees on stderr: messages and progress, as a bar on a terminal and as a few lines elsewhere."""

import logging
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TextIO

from pairloom.progress import OnProgress, Progress, WorkerProgress, ignore
from pairloom.system.display import format_bytes, number_of

SECONDS_BETWEEN_LINES = 10.0
STAGES = {
    "count": "counting words",
    "encode": "encoding the text",
    "join": "joining phrases",
    "compile": "loading the kernels (compiled on first use)",
    "pairs": "counting pairs",
    "factor": "computing singular values",
    "fit": "comparing inner products with counts",
    "whole": "computing the objective over all words and contexts",
    "cluster": "starting workers",
    "train": "training",
    "read": "reading edges",
    "walk": "drawing walks",
    "solve": "computing the vectors of new words",
    "index": "linking words to their neighbours",
    "check": "comparing trained bytes with the published ones",
    "measure": "measuring the speed of this machine",
}


def print_message(line: str) -> None:
    """Print a line for the user on stderr, apart from the output."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(line + "\n")


def is_conversation() -> bool:
    """Whether a person types at a terminal and reads the answers there."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def typed_lines(prompt: str) -> Iterator[str]:
    """The lines that a person types, until Ctrl-D. Arrow keys edit them and bring earlier ones back."""
    with suppress(ImportError):  # Windows has no readline, but a console that does the same
        import readline  # noqa: F401  (input() uses it once it is imported)
    while True:
        try:
            yield input(prompt)
        except EOFError:
            print()  # the shell's own prompt begins on a new line
            return


class _ToStderr(logging.Handler):
    """Prints the log by `print_message`, which finds the stderr of the moment: a bar puts lines above itself."""

    def emit(self, record: logging.LogRecord) -> None:
        print_message(self.format(record))


@contextmanager
def shown_log(verbosity: int) -> Iterator[None]:
    """Print the log of the library while the body runs: 1 for what is done, 2 for every detail and where it is from."""
    if not verbosity:
        yield
        return
    log, handler = logging.getLogger("pairloom"), _ToStderr()
    handler.setFormatter(logging.Formatter("%(message)s" if verbosity == 1 else "%(name)s: %(message)s"))
    before = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO if verbosity == 1 else logging.DEBUG)
    try:
        yield
    finally:
        log.setLevel(before)
        log.removeHandler(handler)


@contextmanager
def progress(quiet: bool = False) -> Iterator[OnProgress]:
    """A callback that shows reports on stderr while the body runs."""
    if quiet or sys.stderr is None:
        yield ignore
    elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":  # a dumb one cannot draw over what it has drawn
        with _bar() as show:
            yield show
    else:
        yield _Lines(sys.stderr)


def describe(progress: Progress) -> str:
    """The stage in words; for training the epoch, speed, learning rate and held-out loss."""
    if progress.stage != "train":
        return STAGES[progress.stage]
    figures = [f"{progress.words_per_second / 1e3:,.0f}k {progress.unit}/s", f"lr {progress.lr:.2g}"]
    if progress.heldout is not None:
        figures.append(f"held-out loss {progress.heldout:.4f}")
    if progress.workers:
        figures.append(describe_workers(progress.workers))
    return f"epoch {progress.epoch}/{progress.epochs}, " + ", ".join(figures)


def describe_workers(workers: Sequence[WorkerProgress]) -> str:
    """How long the workers of a cluster have waited for each other, and what they have sent."""
    seconds = sum(worker.seconds_training for worker in workers)
    waiting = sum(worker.seconds_waiting for worker in workers) / seconds if seconds else 0.0
    moved = format_bytes(sum(worker.bytes_received for worker in workers))
    return f"{number_of(len(workers), 'worker')} ({waiting:.0%} of the time waiting, {moved} moved)"


class _Lines:
    """For a file or a pipe: one line when a stage or an epoch begins or ends, and one every ten seconds."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._last: tuple[str, int, float | None] = ("", 0, None)
        self._next = 0.0

    def __call__(self, progress: Progress) -> None:
        phase = (progress.stage, progress.epoch, progress.heldout)
        now = time.monotonic()
        ended = progress.done == progress.total and progress.stage != "train"
        if phase == self._last and now < self._next and not ended:
            return
        self._last, self._next = phase, now + SECONDS_BETWEEN_LINES
        share = f" {progress.done / progress.total:.0%}" if progress.total else ""
        figures = f": {describe(progress)}" if progress.stage == "train" else ""
        with suppress(OSError):  # a closed pipe is no reason to stop training
            self._stream.write(f"{STAGES[progress.stage]}{share}{figures}\n")
            self._stream.flush()


@contextmanager
def _bar() -> Iterator[OnProgress]:
    """A bar with the time left, by rich, which knows about the width, colours and resizing of terminals."""
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True)) as bar:
        tasks: dict[str, int] = {}

        def show(progress: Progress) -> None:
            if progress.stage not in tasks:
                for task in bar.tasks:  # earlier stages are done, even those whose total was unknown
                    bar.update(task.id, completed=task.total or 1, total=task.total or 1)
                tasks[progress.stage] = bar.add_task(STAGES[progress.stage], total=progress.total)
            bar.update(
                tasks[progress.stage],  # type: ignore[arg-type]  # rich's TaskID is an int
                description=describe(progress),
                completed=progress.done,
                total=progress.total,
            )

        yield show
