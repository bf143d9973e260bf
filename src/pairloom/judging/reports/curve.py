"""The course of a training, kept from its progress reports: time, words trained, and how long each stage took."""

import time
from typing import NamedTuple

from pairloom.progress import Progress

MOST_POINTS = 2048  # of a longer training every second point is kept, then every fourth, and so on
MOST_SPEEDS = 80  # enough for a plot
SHORTEST = 0.2  # seconds; about that many lie between two reports


class CurvePoint(NamedTuple):
    """Where a training was at some time."""

    seconds: float  # since the first report of the call
    done: int  # words or pairs, counted over all epochs


class LearningCurve:
    """A callback that keeps what a training reports, for `pairloom.report`.

        curve = pairloom.LearningCurve()
        emb = pairloom.train("corpus.txt", on_progress=curve)
        pairloom.report(emb, "report.html", curve=curve)

    points      CurvePoints of the training itself, at most MOST_POINTS
    epoch_ends  the CurvePoint at the end of each epoch, by number (1 is the first)
    stages      seconds of each stage: "count", "encode", "compile", "train", ...
    unit        of `done`: "words" or "pairs"

    A resumed training reports what it sees of itself: the first point then has done > 0.
    """

    def __init__(self) -> None:
        self.points: list[CurvePoint] = []
        self.epoch_ends: dict[int, CurvePoint] = {}
        self.stages: dict[str, float] = {}
        self.unit = "words"
        self.seconds = 0.0  # from the first report to the latest
        self._began: float | None = None
        self._stage = ""
        self._gap = 0.0  # seconds between two points that are kept, at least

    def __call__(self, progress: Progress) -> None:
        now = time.perf_counter()
        self._began = now if self._began is None else self._began
        before, self.seconds = self.seconds, now - self._began
        stage, self._stage = self._stage or progress.stage, progress.stage
        self.stages[stage] = self.stages.get(stage, 0.0) + self.seconds - before  # the time since the last report
        if progress.stage == "train" and progress.total and progress.epochs:
            self.unit = progress.unit
            self._keep(CurvePoint(self.seconds, progress.done), progress.total // progress.epochs)

    def _keep(self, point: CurvePoint, per_epoch: int) -> None:
        if point.done and point.done % per_epoch == 0:
            self.epoch_ends[point.done // per_epoch] = point
        if self.points and point.seconds - self.points[-1].seconds < self._gap:
            return
        self.points.append(point)
        if len(self.points) > MOST_POINTS:
            self._gap = 2 * (point.seconds - self.points[0].seconds) / MOST_POINTS
            self.points = self.points[::2]

    @property
    def resumed_at(self) -> int:
        """How much was trained before, if the training was resumed; otherwise 0."""
        return self.points[0].done if self.points else 0

    def speeds(self) -> list[tuple[float, float]]:
        """(seconds, words or pairs per second) over the course of the training: the means of at most MOST_SPEEDS spans.

        Spans last SHORTEST seconds or more: at the end of an epoch two reports follow each other at once.
        """
        if not self.points:
            return []
        found, begin = [], self.points[0]
        shortest = max(SHORTEST, (self.points[-1].seconds - begin.seconds) / MOST_SPEEDS)
        for end in self.points:
            if (seconds := end.seconds - begin.seconds) >= shortest:
                found.append((begin.seconds + seconds / 2, (end.done - begin.done) / seconds))
                begin = end
        return found

    def __repr__(self) -> str:
        done = self.points[-1].done if self.points else 0
        return f"LearningCurve({done:,} {self.unit}, {self.seconds:.1f} s)"
