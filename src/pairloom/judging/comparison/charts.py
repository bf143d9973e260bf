"""The plots of a comparison and of a trajectory."""

import math

import numpy as np

from pairloom.drawing import svg
from pairloom.drawing.page import figure, key
from pairloom.judging.comparison.series import Trajectory
from pairloom.judging.comparison.two_models import Comparison

CELLS = 60  # of the heat map, in each direction
MOST_DOTS = 200  # words beyond the line that are drawn one by one
MOST_LINES = 4  # the page has four colours


def shift_plot(compared: Comparison) -> str:
    """Shift against frequency: all words as a heat map, the usual shift, the line, and the words beyond it."""
    evidence = compared.common.evidence
    x, shift = np.log10(evidence), compared.shift
    axes = _axes(float(x.min()), float(x.max()), float(shift.max()))
    heat, _, _ = np.histogram2d(x, shift, CELLS, [axes.x, axes.y])
    marks = [svg.cells(axes, heat.tolist(), (np.log1p(heat) / np.log1p(max(heat.max(), 1))).tolist())]
    caption = "The stronger the colour, the more words. A word's frequency is the mean of its counts in both, near the "
    caption += "lower of the two."
    if compared.noise is not None and compared.line is not None:
        at = 10 ** np.linspace(*axes.x, 60)
        for name, z in (("same", 0.0), ("s1", compared.line)):
            marks.append(
                svg.line(axes, list(zip(np.log10(at).tolist(), compared.usual(at, z).tolist(), strict=True)), name)
            )
        far = [i for i in compared.order if compared.is_beyond[i]][:MOST_DOTS]
        points = [(float(x[i]), float(shift[i])) for i in far]
        marks.append(svg.dots(axes, points, [2.5] * len(far), [compared.words[i] for i in far], "s1"))
        caption += f" Dashed grey: the usual shift. {key(1, 'Dashed: the noise line, and words beyond it.')}"
    return figure(caption, svg.drawing(axes, *marks))


def _axes(low: float, high: float, top: float) -> svg.Axes:
    low, high = math.floor(low), max(math.ceil(high), math.floor(low) + 1)
    x_ticks = [
        (float(e), f"{10 ** (e % 3)}{'kMGTPE'[e // 3 - 1] if e > 2 else ''}") for e in range(max(low, 0), high + 1)
    ]
    top = max(0.2, math.ceil(5 * top) / 5)
    y_ticks = [(v, f"{v:.1f}") for v in np.arange(0, top + 1e-9, 0.2).tolist()]
    return svg.Axes(
        "Shift of words against their frequency", (low, high), (0, top), "occurrences", "shift", x_ticks, y_ticks
    )


def trajectory_plots(found: Trajectory) -> str:
    """The shift of a word by model with the usual one, and the neighbours that change most."""
    ticks = [(float(i), station.name[-12:]) for i, station in enumerate(found.stations, 1)]
    reach = (0.5, len(ticks) + 0.5)
    moved = [(i, one.from_first) for i, one in enumerate(found.stations, 1) if one.from_first is not None]
    shifts = [(float(i), one.shift) for i, one in moved]
    usual = [(float(i), one.usual) for i, one in moved if one.usual is not None]
    top = max([0.2, *(math.ceil(5 * y) / 5 for _, y in shifts)])
    y_ticks = [(v, f"{v:.1f}") for v in np.arange(0, top + 1e-9, 0.2).tolist()]
    axes = svg.Axes("Shift from the first model", reach, (0, top), "model", "shift from the first", ticks, y_ticks)
    hints = [f"{found.stations[int(i) - 1].name}: {y:.3f}" for i, y in shifts]
    marks = [svg.line(axes, usual, "same"), svg.line(axes, shifts, "s0")]
    marks.append(svg.dots(axes, shifts, [4.0] * len(shifts), hints, "s0"))
    names = _most_changed(found)
    of_near = svg.Axes(
        "Cosine to neighbours",
        reach,
        (-0.2, 1),
        "model",
        "cosine",
        ticks,
        [(v / 5, f"{v / 5:.1f}") for v in range(-1, 6)],
    )
    lines = [
        svg.line(of_near, [(float(i), c) for i, c in enumerate(found.cosines[name], 1) if c is not None], f"s{number}")
        for number, name in enumerate(names)
    ]
    caption = f"Left: {key(0, 'shift from the first model')}; dashed grey: the usual shift of its frequency. Right: "
    caption += "cosine to " + ", ".join(key(number, name) for number, name in enumerate(names)) + "."
    return figure(caption, svg.drawing(axes, *marks), svg.drawing(of_near, *lines))


def _most_changed(found: Trajectory) -> list[str]:
    """The neighbours whose cosine changes most over the series."""

    def change(name: str) -> float:
        known = [c for c in found.cosines[name] if c is not None]
        return max(known) - min(known)

    return sorted(found.cosines, key=lambda name: -change(name))[:MOST_LINES]
