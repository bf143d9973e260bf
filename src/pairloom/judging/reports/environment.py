"""Where and when a training ran, how long it took and how fast it was. Equal trainings differ in this section only."""

import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path

from pairloom import __version__
from pairloom.drawing import svg
from pairloom.drawing.page import Table, figure, key, section, table
from pairloom.judging.reports.curve import LearningCurve
from pairloom.system.display import format_seconds
from pairloom.system.progress_bar import STAGES

TITLE = "Environment and time"
_PACKAGES = ("numpy", "numba")


def environment_section(curve: LearningCurve | None, threads: int | None) -> str:
    """The machine and the versions and, if the training was watched, its time and speed."""
    machine = table(Table("", [], _machine(threads)), "text")
    if curve is None or not curve.points:
        text = "The training was not watched for this report, so it has no times. The machine is that of the report."
        return section(TITLE, text, machine)
    resumed = (
        f" The training was resumed after {curve.resumed_at:,} {curve.unit}; the times are those since then."
        if curve.resumed_at
        else ""
    )
    text = f"From the first word read to the last trained: {format_seconds(curve.seconds)}.{resumed}"
    return section(TITLE, text, machine + "\n" + _speed_figure(curve), _stages(curve), *_epochs(curve))


def _machine(threads: int | None) -> list[list[str]]:
    rows = [["pairloom", __version__], ["Python", sys.version.split()[0]]]
    rows += [[name, _version(name)] for name in _PACKAGES]
    rows += [["system", platform.platform()], ["processor", processor()], ["cores", str(os.cpu_count() or "unknown")]]
    rows += [["threads", str(threads)]] if threads is not None else []
    return [*rows, ["report written", f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"]]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def processor(info: Path = Path("/proc/cpuinfo")) -> str:
    """The name of the processor, as Linux knows it or else as Python does."""
    try:
        lines = info.read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(iter(names), "") or platform.processor() or platform.machine() or "unknown"


def _speed_figure(curve: LearningCurve) -> str:
    speeds = curve.speeds()
    if len(speeds) < 2:
        return "<p>The training was too short for a plot of its speed.</p>"
    first, last = speeds[0][0], speeds[-1][0]
    top = max(speed for _, speed in speeds) * 1.08 or 1.0
    axes = svg.Axes(
        f"{curve.unit.capitalize()} per second over time", (first, last), (0, top), "seconds",
        f"{curve.unit} per second", svg.ticks(first, last), _large_numbers(top),
    )  # fmt: skip
    return figure(
        key(0, f"{curve.unit.capitalize()} per second") + " over time.",
        svg.drawing(axes, svg.line(axes, speeds, "s0")),
        look="Look for: a level line. A fall means that the machine had other work, or too little memory. A dip at "
        "the end of an epoch is the measuring of the held-out loss.",
    )


def _large_numbers(top: float) -> list[tuple[float, str]]:
    """Ticks from 0 to top, in thousands or millions where numbers are large.

    >>> [text for _, text in _large_numbers(2.6e6)], _large_numbers(900)[1]
    (['0', '0.5M', '1M', '1.5M', '2M', '2.5M'], (200.0, '200'))
    """
    size, letter = (1e6, "M") if top >= 1e6 else (1e3, "k") if top >= 1e3 else (1.0, "")
    return [(n, f"{n / size:g}{letter if n else ''}") for n, _ in svg.ticks(0, top)]


def _stages(curve: LearningCurve) -> Table:
    rows = [[STAGES[stage], f"{seconds:.1f} s"] for stage, seconds in curve.stages.items()]
    return Table("Time by stage", ["stage", "time"], rows)


def _epochs(curve: LearningCurve) -> list[Table]:
    """A table of the epochs that were seen from their beginning to their end."""
    ends = sorted(curve.epoch_ends.items())
    begins = [(ends[0][0] - 1, curve.points[0]), *ends] if ends else []
    rows = [
        [
            str(epoch),
            f"{end.seconds - begin.seconds:.1f} s",
            f"{(end.done - begin.done) / (end.seconds - begin.seconds):,.0f}",
        ]
        for (_, begin), (epoch, end) in pairwise(begins)
        if end.seconds > begin.seconds
    ]
    return [Table("Time by epoch", ["epoch", "time", f"{curve.unit} per second"], rows)] if rows else []
