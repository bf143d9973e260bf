"""What a long call reports while it works: the library calls back, only the command line prints."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """One report. `done` of `total` is in bytes of files or text, for train in `unit`, for walk in walks.

    Of an explanation it is in tokens (pairs), pairs (fit) and words (whole); for solve it is in words.
    """

    stage: Literal[
        "count", "encode", "join", "compile", "train", "read", "walk", "pairs", "factor", "fit", "whole", "solve"
    ]
    done: int = 0
    total: int | None = None  # None where it cannot be known, as for an iterable on its first reading
    epoch: int = 0  # 1..epochs while training
    epochs: int = 0
    lr: float = 0.0
    unit: Literal["words", "pairs"] = "words"
    words_per_second: float = 0.0  # or pairs
    heldout: float | None = None  # the newest held-out objective


OnProgress = Callable[[Progress], None]


def ignore(progress: Progress) -> None:
    """The default callback: say nothing."""


def reporter(
    stage: Literal["count", "encode", "join", "read", "walk", "pairs", "fit", "whole"],
    total: int | None,
    on_progress: OnProgress,
) -> Callable[[int], None]:
    """A function that passes on how much is done, four times a second at most, and always when all is."""
    last_time, last_done = -math.inf, 0

    def report(done: int) -> None:
        nonlocal last_time, last_done
        now = time.monotonic()
        if done > last_done and (now - last_time >= 0.25 or done == total):
            last_time, last_done = now, done
            on_progress(Progress(stage=stage, done=done, total=total))

    return report
