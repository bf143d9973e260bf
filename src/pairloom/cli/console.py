"""How a person sees progress: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from pairloom.progress import OnProgress, Progress, ignore

SECONDS_BETWEEN_LINES = 10.0
_DOING = {
    "count": "counting words",
    "encode": "encoding",
    "join": "joining phrases",
    "compile": "loading kernels (compiled on first use)",
    "pairs": "counting pairs",
    "factor": "finding singular values",
    "fit": "comparing products with counts",
    "whole": "going over all words and contexts",
    "train": "training",
    "read": "reading edges",
    "walk": "walking",
    "solve": "solving for new words",
}


@contextmanager
def progress(quiet: bool = False) -> Iterator[OnProgress]:
    """A callback that shows on stderr what it is told, until the body ends."""
    if quiet or sys.stderr is None:
        yield ignore
    elif sys.stderr.isatty():
        with _bar() as show:
            yield show
    else:
        yield _Lines(sys.stderr)


def describe(progress: Progress) -> str:
    """What is being done, and while training its figures."""
    if progress.stage != "train":
        return _DOING[progress.stage]
    figures = [f"{progress.words_per_second / 1e3:,.0f}k {progress.unit}/s", f"lr {progress.lr:.2g}"]
    if progress.heldout is not None:
        figures.append(f"held-out loss {progress.heldout:.4f}")
    return f"epoch {progress.epoch}/{progress.epochs}, " + ", ".join(figures)


class _Lines:
    """For a file or a pipe: a line when a stage or an epoch begins or ends, and every ten seconds between."""

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
        share = f" {progress.done / progress.total:4.0%}" if progress.total else ""
        with suppress(OSError):  # nobody reads it any more, which is no reason to stop training
            self._stream.write(f"{progress.stage}{share}: {describe(progress)}\n")
            self._stream.flush()


@contextmanager
def _bar() -> Iterator[OnProgress]:
    """A bar with the time left. rich: thirty lines of ours would not know a terminal's width, colours and resizes."""
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True)) as bar:
        tasks: dict[str, int] = {}

        def show(progress: Progress) -> None:
            if progress.stage not in tasks:
                for task in bar.tasks:  # what came before is done, also where nobody knew how much it would be
                    bar.update(task.id, completed=task.total or 1, total=task.total or 1)
                tasks[progress.stage] = bar.add_task(_DOING[progress.stage], total=progress.total)
            bar.update(
                tasks[progress.stage],  # type: ignore[arg-type]  # rich's TaskID is an int
                description=describe(progress),
                completed=progress.done,
                total=progress.total,
            )

        yield show
