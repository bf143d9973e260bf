"""Plots as SVG text, which need no script and no network. The style sheet of the page sets their colours.

Classes that the page colours: axis, grid, line, same, span, dot, bar, cell, and s0 to s3 for series.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from pairloom.system.display import html

WIDTH, HEIGHT = 440, 330
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 22, 12, 50

_NAMES, _NUMBERS, _BAR = 140, 62, 22  # of bars side by side: room for names and numbers, and the height of one
_LONGEST_NAME = 19

Points = Sequence[tuple[float, float]]
Ticks = Sequence[tuple[float, str]]


class Axes(NamedTuple):
    """The ranges, labels and ticks of a plot."""

    title: str  # read out by screen readers
    x: tuple[float, float]
    y: tuple[float, float]
    x_label: str
    y_label: str
    x_ticks: Ticks
    y_ticks: Ticks

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The position of a point in the drawing. Points outside the ranges are moved to the edge."""
        across = (min(max(x, self.x[0]), self.x[1]) - self.x[0]) / (self.x[1] - self.x[0])
        up = (min(max(y, self.y[0]), self.y[1]) - self.y[0]) / (self.y[1] - self.y[0])
        return _LEFT + across * (WIDTH - _LEFT - _RIGHT), HEIGHT - _BOTTOM - up * (HEIGHT - _TOP - _BOTTOM)


def ticks(low: float, high: float, most: int = 7) -> list[tuple[float, str]]:
    """At most `most` round numbers from low to high: multiples of 1, 2 or 5 times a power of ten.

    >>> [text for _, text in ticks(2.31, 4.16)]
    ['2.5', '3', '3.5', '4']
    """
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(power * n for n in (1, 2, 5, 10, 20) if (high - low) / (power * n) <= most - 1)
    numbers = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [(n * step, f"{float(f'{n * step:.12g}'):,.12g}") for n in numbers]


def powers_of_ten(low: float, high: float) -> list[tuple[float, str]]:
    """Ticks of a logarithmic axis, whose values are log10.

    >>> powers_of_ten(0, 4)
    [(0, '1'), (1, '10'), (2, '100'), (3, '1,000'), (4, '10,000')]
    """
    return [(n, f"{10**n:,}") for n in range(math.ceil(low), math.floor(high) + 1)]


def drawing(axes: Axes, *marks: str) -> str:
    """A plot with the given marks."""
    inside = "\n".join([*_grid(axes), *filter(None, marks), *_labels(axes)])
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html(axes.title)}">\n'
        f"<title>{html(axes.title)}</title>\n{inside}\n</svg>"
    )


def line(axes: Axes, points: Points, name: str) -> str:
    """A line through points."""
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in (axes.at(*point) for point in points))
    return f'<polyline class="line {name}" points="{places}"/>' if places else ""


def dots(axes: Axes, points: Points, sizes: Sequence[float], hints: Sequence[str], name: str) -> str:
    """Dots. The hint of a dot is shown when the pointer is on it."""
    return "\n".join(
        f'<circle class="dot {name}" cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}"><title>{html(hint)}</title></circle>'
        for (x, y), size, hint in zip((axes.at(*point) for point in points), sizes, hints, strict=True)
    )


def spans(axes: Axes, ranges: Sequence[tuple[float, float, float]], name: str) -> str:
    """Vertical lines, (x, low, high) each."""
    ends = [(axes.at(x, low), axes.at(x, high)) for x, low, high in ranges]
    return "\n".join(
        f'<line class="span {name}" x1="{x:.1f}" y1="{low:.1f}" x2="{x:.1f}" y2="{high:.1f}"/>'
        for (x, low), (_, high) in ends
    )


def bars(axes: Axes, heights: Sequence[float], name: str, shift: float = 0.0, width: float = 0.36) -> str:
    """Vertical bars at x = 1, 2, ..."""
    drawn = []
    for number, height in enumerate(heights, 1):
        (left, top), (right, bottom) = (
            axes.at(number + shift - width / 2, height),
            axes.at(number + shift + width / 2, 0),
        )
        size = f'width="{right - left:.1f}" height="{bottom - top:.1f}"'
        drawn.append(f'<rect class="bar {name}" x="{left:.1f}" y="{top:.1f}" {size}/>')
    return "\n".join(drawn)


def side_bars(title: str, named: Sequence[tuple[str, float]], form: str, reach: float = 0.0) -> str:
    """A drawing of horizontal bars from a common zero line, one below the other, each with its name and number.

    form   for the numbers, for example "{:+.3f}"
    reach  the size of a bar that fills the width, if it is larger than these; for drawings of the same scale
    """
    low, high = min(0.0, *(value for _, value in named)), max(0.0, *(value for _, value in named))
    scale = (WIDTH - _NAMES - _NUMBERS) / (max(high - low, reach) or 1.0)
    zero, height = _NAMES - low * scale, _BAR * len(named) + 6
    drawn = [f'<line class="axis" x1="{zero:.1f}" y1="0" x2="{zero:.1f}" y2="{height}"/>']
    for number, (name, value) in enumerate(named):
        y, size = _BAR * number + 4, abs(value) * scale
        x = zero - (size if value < 0 else 0)
        kind = "s1" if value < 0 else "s0"
        drawn.append(f'<rect class="bar {kind}" x="{x:.1f}" y="{y}" width="{size:.1f}" height="{_BAR - 7}"/>')
        short = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
        drawn.append(
            f'<text x="{_NAMES - 6}" y="{y + 13}" text-anchor="end">{html(short)}<title>{html(name)}</title></text>'
        )
        end = zero + max(0.0, value) * scale
        drawn.append(f'<text x="{end + 6:.1f}" y="{y + 13}">{html(form.format(value))}</text>')
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{html(title)}">\n<title>{html(title)}</title>\n'
        + "\n".join(drawn)
        + "\n</svg>"
    )


def cells(axes: Axes, counts: Sequence[Sequence[float]], shade: Sequence[Sequence[float]]) -> str:
    """A heat map: cell (i, j) is the i-th step of x and the j-th of y, drawn if counts[i][j] > 0, shade from 0 to 1."""
    step_x, step_y = (axes.x[1] - axes.x[0]) / len(counts), (axes.y[1] - axes.y[0]) / len(counts[0])
    drawn = []
    for i, column in enumerate(counts):
        for j, n in enumerate(column):
            if n:
                left, top = axes.at(axes.x[0] + i * step_x, axes.y[0] + (j + 1) * step_y)
                right, bottom = axes.at(axes.x[0] + (i + 1) * step_x, axes.y[0] + j * step_y)
                size = f'width="{right - left:.1f}" height="{bottom - top:.1f}"'
                opacity = 0.08 + 0.92 * shade[i][j]
                drawn.append(f'<rect class="cell" x="{left:.1f}" y="{top:.1f}" {size} opacity="{opacity:.2f}"/>')
    return "\n".join(drawn)


def _grid(axes: Axes) -> list[str]:
    left, bottom = axes.at(axes.x[0], axes.y[0])
    right, top = axes.at(axes.x[1], axes.y[1])
    lines = [f'<rect class="axis" x="{left}" y="{top}" width="{right - left}" height="{bottom - top}"/>']
    for value, _ in axes.x_ticks:
        x, _y = axes.at(value, axes.y[0])
        lines.append(f'<line class="grid" x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}"/>')
    for value, _ in axes.y_ticks:
        _x, y = axes.at(axes.x[0], value)
        lines.append(f'<line class="grid" x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>')
    return lines


def _labels(axes: Axes) -> list[str]:
    texts = []
    for value, text in axes.x_ticks:
        x, y = axes.at(value, axes.y[0])
        texts.append(f'<text x="{x:.1f}" y="{y + 16:.1f}" text-anchor="middle">{html(text)}</text>')
    for value, text in axes.y_ticks:
        x, y = axes.at(axes.x[0], value)
        texts.append(f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{html(text)}</text>')
    middle_x, middle_y = (_LEFT + WIDTH - _RIGHT) / 2, (_TOP + HEIGHT - _BOTTOM) / 2
    texts.append(f'<text x="{middle_x}" y="{HEIGHT - 10}" text-anchor="middle">{html(axes.x_label)}</text>')
    rotated = f'transform="rotate(-90 14 {middle_y})"'
    texts.append(f'<text x="14" y="{middle_y}" text-anchor="middle" {rotated}>{html(axes.y_label)}</text>')
    return texts
