"""Progress reports of long calls. The library reports to a callback and to the log; only the command line prints."""

import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Stage = Literal[
    "count",
    "encode",
    "join",
    "compile",
    "cluster",
    "train",
    "read",
    "walk",
    "pairs",
    "factor",
    "fit",
    "whole",
    "solve",
    "index",
    "compare",
    "measure",
    "neighbours",
    "layout",
    "place",
    "page",
    "check",
    "spell",
    "tune",
]

SECONDS_BETWEEN_REPORTS = 0.25
_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerProgress:
    """What one worker of a cluster has done since the training began."""

    node: str = ""  # where it runs
    rows_moved: int = 0  # received from other workers
    bytes_received: int = 0
    seconds_waiting: float = 0.0  # for other workers
    seconds_training: float = 0.0
    restarts: int = 0
    memory: int = 0  # bytes at most so far


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """One report: `done` of `total` in the stage's own unit.

    count, encode, join, read   bytes of files or text
    train                       `unit`
    walk                        walks
    pairs                       tokens
    fit                         pairs
    whole, solve, index         words
    neighbours, place, compare  words
    layout                      steps
    spell                       solutions, each for sixteen columns
    tune                        trials, or seconds of a budget
    compile, cluster, factor    nothing: these stages only announce that they start
    measure, page, check        the same
    """

    stage: Stage
    done: int = 0
    total: int | None = None  # None if unknown, for example on the first pass over an iterable
    epoch: int = 0  # 1..epochs while training
    epochs: int = 0
    lr: float = 0.0
    unit: Literal["words", "pairs"] = "words"
    words_per_second: float = 0.0  # or pairs per second, see `unit`
    heldout: float | None = None  # the latest held-out objective
    workers: tuple[WorkerProgress, ...] = ()  # of a cluster


OnProgress = Callable[[Progress], None]


def ignore(progress: Progress) -> None:
    """The default callback: do nothing."""


def logged(on_progress: OnProgress) -> OnProgress:
    """The callback, which from now on also logs where a stage begins, and where one with a known end is done."""
    last: Progress | None = None

    def report(progress: Progress) -> None:
        nonlocal last
        if last is None or last.stage != progress.stage:
            _log.info("stage %s begins", progress.stage)
        if progress.stage != "train" and progress.total and progress.done == progress.total and progress != last:
            _log.info("stage %s is done: %s", progress.stage, f"{progress.total:,}")
        last = progress
        on_progress(progress)

    return report


def reporter(stage: Stage, total: int | None, on_progress: OnProgress) -> Callable[[int], None]:
    """A function that reports how much is done, at most four times a second and always at the end."""
    last_time, last_done = -math.inf, 0

    def report(done: int) -> None:
        nonlocal last_time, last_done
        now = time.monotonic()
        if done > last_done and (now - last_time >= SECONDS_BETWEEN_REPORTS or done == total):
            last_time, last_done = now, done
            on_progress(Progress(stage=stage, done=done, total=total))

    return report
