"""What a long call reports while it works: the library calls back, only the command line prints."""

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
