"""Time by number of workers as an SVG file, with what binds at each number. It needs no script and no network."""

import math
from collections.abc import Sequence

from pairloom.advice.planning.plan import Prediction
from pairloom.advice.planning.recommend import MEMORY, binding
from pairloom.drawing import svg
from pairloom.system.display import format_bytes, format_seconds, html

MOST_WORKERS = 1024
COLOURS = {
    "training": "#157347",
    "scanning the text": "#0a5fb4",
    "dealing words to parts": "#8a2be2",
    "network": "#b45309",
    "waiting for steps": "#b42318",
    "number of parts": "#57606a",
    MEMORY: "#000000",
}
_YEAR = 31_557_600
_UNITS = [(1, "1 s"), (10, "10 s"), (60, "1 min"), (600, "10 min"), (3600, "1 h"), (36_000, "10 h")]
_UNITS += [(86_400 * n, f"{n} days") for n in (3, 10, 30)] + [(_YEAR // 4, "¼ year"), (_YEAR, "1 year")]
_UNITS += [(_YEAR * 10**n, f"{10**n:,} y") for n in range(1, 7)]
_TITLE, _KEY = 24, 44  # heights
_STYLE = """
svg { font-family: system-ui, sans-serif; background: #fff; } text { font-size: 12px; fill: #1b1f24; }
.axis { fill: none; stroke: #57606a; } .grid { stroke: #d8dde3; } .line { fill: none; stroke: #57606a; }
.ideal { stroke-dasharray: 4 3; } .title { font-size: 13px; font-weight: 600; } .limit { stroke: #b42318; }
"""


def chart(found: Sequence[tuple[str, Prediction]]) -> str:
    """The plots of titled predictions side by side, over a key of colours."""
    width, height = svg.WIDTH * len(found), svg.HEIGHT + _TITLE + _KEY
    plots = "\n".join(
        f'<text class="title" x="{svg.WIDTH * (i + 0.5)}" y="16" text-anchor="middle">{html(title)}</text>\n'
        f'<g transform="translate({svg.WIDTH * i} {_TITLE})">{_plot(title, prediction)}</g>'
        for i, (title, prediction) in enumerate(found)
    )
    styles = _STYLE + "".join(f".{_class(name)} {{ fill: {colour}; }}\n" for name, colour in COLOURS.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">\n'
        f"<style>{styles}</style>\n{plots}\n{_key(found, height)}\n</svg>\n"
    )


def _class(name: str) -> str:
    return name.replace(" ", "-")


def _plot(title: str, found: Prediction) -> str:
    """Time against workers, both logarithmic; the dashed line is what the first point would take if all was shared."""
    costs = found.by_workers
    points = [(math.log2(cost.workers), math.log10(cost.seconds)) for cost in costs]
    ideal = [(x, points[0][1] - x * math.log10(2)) for x in (0.0, points[-1][0])]
    low, high = (f(y for _, y in [*points, *ideal]) + edge for f, edge in ((min, -0.3), (max, 0.5)))
    ticks = [(math.log10(s), name) for s, name in _UNITS if low <= math.log10(s) <= high]
    x_ticks = [(float(n), str(1 << n)) for n in range(0, 11, 2)]
    axes = svg.Axes(title, (0, math.log2(MOST_WORKERS)), (low, high), "workers", "", x_ticks, ticks)
    marks = [svg.line(axes, ideal, "ideal"), svg.line(axes, points, "")]
    for point, cost in zip(points, costs, strict=True):
        name = binding(cost, found.worker_memory)
        hint = f"{cost.workers} workers: {format_seconds(cost.seconds)}, {format_bytes(cost.memory_total)} each; {name}"
        marks.append(svg.dots(axes, [point], [5.0], [hint], _class(name)))
    if found.parts < MOST_WORKERS:
        x, top = axes.at(math.log2(found.parts), axes.y[1])
        marks.append(f'<line class="limit" x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{svg.HEIGHT - 50}"/>')
        end = 'text-anchor="end" ' if x > svg.WIDTH / 2 else ""  # on the side where there is room
        x += -5 if end else 5
        marks.append(f'<text {end}x="{x:.1f}" y="{top + 16:.1f}">{found.parts} parts:</text>')
        marks.append(f'<text {end}x="{x:.1f}" y="{top + 30:.1f}">no more workers</text>')
    size = f'<svg width="{svg.WIDTH}" height="{svg.HEIGHT}" '  # inside another drawing, it would fill all of that
    return svg.drawing(axes, *marks).replace("<svg ", size, 1)


def _key(found: Sequence[tuple[str, Prediction]], height: int) -> str:
    """The colours that occur, with their names."""
    there = {binding(cost, each.worker_memory) for _, each in found for cost in each.by_workers}
    drawn, x = [], 20
    for name in (name for name in COLOURS if name in there):
        drawn.append(f'<circle class="{_class(name)}" cx="{x}" cy="{height - 22}" r="5"/>')
        drawn.append(f'<text x="{x + 10}" y="{height - 18}">{html(name)}</text>')
        x += 40 + 7 * len(name)
    return "\n".join(drawn)
