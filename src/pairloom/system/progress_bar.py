"""Progress as people see it: a bar on a terminal or in a notebook, and a few lines elsewhere.

The command line shows it by itself, the library if asked to: `train(progress=True)`.
"""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from pairloom.errors import ConfigError
from pairloom.progress import OnProgress, Progress, WorkerProgress, ignore
from pairloom.system.display import format_bytes, html, number_of, quoted

SECONDS_BETWEEN_LINES = 10.0
SECONDS_BETWEEN_UPDATES = 0.2  # of a notebook
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
    "compare": "comparing words",
    "check": "comparing trained bytes with the published ones",
    "measure": "measuring the speed of this machine",
    "neighbours": "finding the nearest words of each word",
    "layout": "laying out the map",
    "place": "placing rarer words on the map",
    "page": "putting the page together",
    "spell": "fitting the rows of n-grams",
    "tune": "trying settings",
}


@contextmanager
def shown_progress(quiet: bool = False) -> Iterator[OnProgress]:
    """A callback that shows reports while the body runs: in the notebook, or on stderr."""
    if quiet:
        yield ignore
    elif _in_notebook():
        with _notebook_bar() as show:
            yield show
    elif sys.stderr is None:
        yield ignore
    elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":  # a dumb one cannot draw over what it has drawn
        with _bar() as show:
            yield show
    else:
        yield _Lines(sys.stderr)


@contextmanager
def reported_progress(shown: bool, on_progress: OnProgress) -> Iterator[OnProgress]:
    """A callback for `progress=shown, on_progress=on_progress`: it shows a report, hands it on, or does both."""
    if not isinstance(shown, bool):
        raise ConfigError(f"progress={quoted(shown)} is not True or False. A function is given as on_progress.")
    with shown_progress(quiet=not shown) as show:

        def both(progress: Progress) -> None:
            show(progress)
            on_progress(progress)

        yield both if shown else on_progress


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


def _share_done(progress: Progress) -> str:
    return f" {progress.done / progress.total:.0%}" if progress.total else ""


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
        figures = f": {describe(progress)}" if progress.stage == "train" else ""
        with suppress(OSError):  # a closed pipe is no reason to stop training
            self._stream.write(f"{STAGES[progress.stage]}{_share_done(progress)}{figures}\n")
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


# --- In a notebook


def _in_notebook() -> bool:
    """Whether a kernel runs this code for a page that can show HTML."""
    ipython = sys.modules.get("IPython")  # a kernel has imported it
    shell = ipython.get_ipython() if ipython else None
    return getattr(shell, "kernel", None) is not None


@contextmanager
def _notebook_bar() -> Iterator[OnProgress]:
    """One line of HTML that is replaced by the next. (rich would need ipywidgets for this.)"""
    from IPython.display import display  # type: ignore[import-not-found, unused-ignore]  # part of every kernel

    line = _Line(Progress(stage="compile"))
    handle = cast(Any, display)(line, display_id=True)  # without a cast, mypy minds IPython's missing types
    last = ("", 0.0)

    def show(progress: Progress) -> None:
        nonlocal last
        line.progress = progress
        now = time.monotonic()
        if progress.stage != last[0] or now - last[1] >= SECONDS_BETWEEN_UPDATES or progress.done == progress.total:
            last = progress.stage, now
            handle.update(line)

    yield show
    handle.update(line)


class _Line:
    """The latest report, as text and as HTML."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress

    def __repr__(self) -> str:
        return describe(self.progress) + _share_done(self.progress)

    def _repr_html_(self) -> str:
        done, total = self.progress.done, self.progress.total
        share = f'value="{done}" max="{total}"' if total else ""
        return f"<div><progress {share}></progress> {html(repr(self))}</div>"
