"""The SVG of a map: a dot for each word, labels where they fit, a title and a legend.

Every colour is a class of the style sheet inside the SVG, once for light and once for dark paper, and the paper is part
of the picture. So it can be read wherever it is shown, also by programs that know neither dark mode nor CSS variables.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pairloom.drawing.colours import hues, scale
from pairloom.drawing.picture import FONT
from pairloom.maps.colouring import Colouring
from pairloom.maps.labels import Box, Label, label_text, place_labels, text_width
from pairloom.system.display import html
from pairloom.types import Float64s

WIDTH = 1000.0
LEAST_HEIGHT, MOST_HEIGHT = 420.0, 1000.0  # of the map itself
FEW, HEIGHT_OF_FEW = 60, 560.0  # a few words would be lost on a large sheet
MARGIN, TITLE, LEGEND = 18.0, 46.0, 46.0
LARGEST, SMALLEST = 17.0, 10.0  # font sizes, of the first label and of the last
MOST_LABELS = 400
_PAPER, _INK, _SOFT = ("#ffffff", "#14181d"), ("#1b1f24", "#e9edf1"), ("#57606a", "#a0a8b2")


class Frame(NamedTuple):
    """The size of a picture, and where its map is."""

    height: float
    area: Box

    def at(self, places: Float64s) -> Float64s:
        """Places of [-1, 1] on the paper, with y upwards, all to the same scale, in the middle of the area."""
        low, high = places.min(axis=0), places.max(axis=0)
        size = np.array([self.area.right - self.area.left, self.area.bottom - self.area.top]) - 4 * MARGIN
        factor = float((size / np.maximum(high - low, 1e-9)).min())
        middle = np.array([self.area.left + self.area.right, self.area.top + self.area.bottom]) / 2
        points: Float64s = middle + (places - (low + high) / 2) * factor * np.array([1.0, -1.0])
        return points


def draw_map(
    words: Sequence[str], places: Float64s, colouring: Colouring, title: str, *, hints: Sequence[str] = ()
) -> str:
    """The SVG of words at places, the most important first. hints: one for each dot, which browsers show."""
    frame = _frame(places)
    points = frame.at(places)
    radius = dot_radius(len(words))
    sizes = _font_sizes(len(words))
    labels = place_labels([(x, y) for x, y in points.tolist()], words, sizes, frame.area, MOST_LABELS, radius)
    numbers = colouring.numbers.tolist()
    parts = [
        f'<rect class="paper" width="{WIDTH:g}" height="{frame.height:g}"/>',
        f'<text class="ink" x="{MARGIN:g}" y="{TITLE - 16:g}" font-size="20" font-weight="600">{html(title)}</text>',
        _circles(points, numbers, radius, hints) if hints else _dots(points, numbers, colouring.n_colours, radius),
        _texts(labels, len(words)),
        _legend(colouring, frame.height - LEGEND / 2),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pairloom-map" viewBox="0 0 {WIDTH:g} {frame.height:g}" '
        f'width="{WIDTH:g}" height="{frame.height:g}" role="img" aria-label="{html(title)}" '
        f'font-family="{FONT}">\n<title>{html(title)}</title>\n<style>{_style(colouring)}</style>\n'
        + "\n".join(filter(None, parts))
        + "\n</svg>\n"
    )


def dot_radius(n: int) -> float:
    """The radius of a dot: large for a few words, small for many."""
    return max(1.2, min(5.0, 110.0 / math.sqrt(n)))


def _frame(places: Float64s) -> Frame:
    """As wide as every picture, and as high as the places ask for."""
    span = np.maximum(places.max(axis=0) - places.min(axis=0), 1e-9)
    inner = float(span[1] / span[0]) * (WIDTH - 2 * MARGIN)
    high = min(max(inner, LEAST_HEIGHT), MOST_HEIGHT if len(places) > FEW else HEIGHT_OF_FEW)
    area = Box(MARGIN / 2, TITLE, WIDTH - MARGIN / 2, TITLE + high)
    return Frame(round(area.bottom + LEGEND), area)


def _font_sizes(n: int) -> list[float]:
    """Falling with the logarithm of the position; few words all have large labels."""
    if n <= 30:
        return [LARGEST] * n
    fall = (LARGEST - SMALLEST) / math.log(60.0)
    return [round(max(SMALLEST, LARGEST - fall * math.log1p(number / 10)), 1) for number in range(n)]


def _dots(points: Float64s, numbers: list[int], n_colours: int, radius: float) -> str:
    """A path for each colour: a dot is a line without length and with round ends. This makes small files."""
    of_colour: list[list[str]] = [[] for _ in range(n_colours)]
    for (x, y), number in zip(points.tolist(), numbers, strict=True):
        of_colour[number].append(f"M{x:.1f} {y:.1f}h0")
    paths = [f'<path class="c{i}" d="{"".join(dots)}"/>' for i, dots in enumerate(of_colour) if dots]
    return f'<g class="dots" stroke-width="{2 * radius:.1f}">\n' + "\n".join(paths) + "\n</g>"


def _circles(points: Float64s, numbers: list[int], radius: float, hints: Sequence[str]) -> str:
    drawn = [
        f'<circle class="f{number}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"><title>{html(hint)}</title></circle>'
        for (x, y), number, hint in zip(points.tolist(), numbers, hints, strict=True)
    ]
    return "\n".join(drawn)


def _texts(labels: list[Label], n: int) -> str:
    """Labels, with a halo of paper. The last are drawn first, so that the most important ones are on top."""
    drawn = []
    for label in reversed(labels):
        x, y = label.base
        anchor = "" if label.anchor == "start" else f' text-anchor="{label.anchor}"'
        soft = " soft" if n > 30 and label.size <= SMALLEST + 1 else ""
        drawn.append(
            f'<text class="ink{soft}"{anchor} x="{x:.1f}" y="{y:.1f}" font-size="{label.size:g}">'
            f"{html(label.text)}</text>"
        )
    return '<g class="labels" pointer-events="none">\n' + "\n".join(drawn) + "\n</g>"


def _legend(colouring: Colouring, middle: float) -> str:
    return _colour_bar(colouring, middle) if colouring.is_scale else _swatches(colouring, middle)


def _colour_bar(colouring: Colouring, middle: float) -> str:
    low, high = colouring.ends or ("", "")
    width, height = 14.0, 12.0
    text = label_text(colouring.legend)
    parts, x = [_legend_text(text, MARGIN, middle)], MARGIN + text_width(text, 13) + 14
    parts.append(_legend_text(low, x, middle))
    x += text_width(low, 13) + 6
    for number in range(colouring.n_colours):
        where = f'x="{x:.1f}" y="{middle - height / 2:.1f}" width="{width + 0.3:.1f}" height="{height:g}"'
        parts.append(f'<rect class="f{number}" {where}/>')
        x += width
    return "\n".join([*parts, _legend_text(high, x + 6, middle)])


def _swatches(colouring: Colouring, middle: float) -> str:
    """A dot and a name for each class, as many as fit into two lines."""
    parts, x, y = [], MARGIN, middle - 9
    for number, name in enumerate(colouring.names):
        text = label_text(name)
        width = 16 + text_width(text, 13) + 14
        if x + width > WIDTH - MARGIN:
            if y > middle:
                break
            x, y = MARGIN, middle + 11
        parts += [
            f'<circle class="f{number}" cx="{x + 5:.1f}" cy="{y:.1f}" r="5"/>',
            _legend_text(text, x + 14, y),
        ]
        x += width
    return "\n".join(parts)


def _legend_text(text: str, x: float, middle: float) -> str:
    return f'<text class="soft" x="{x:.1f}" y="{middle + 4.5:.1f}" font-size="13">{html(text)}</text>'


def _style(colouring: Colouring) -> str:
    light, dark = (_rules(colouring, dark) for dark in (False, True))
    fixed = (
        ".pairloom-map .dots{fill:none;stroke-linecap:round;stroke-opacity:.85}"
        ".pairloom-map .labels text{paint-order:stroke;stroke-width:3;stroke-linejoin:round}"
    )
    return f"{fixed}{light}@media (prefers-color-scheme:dark){{{dark}}}"


def _rules(colouring: Colouring, dark: bool) -> str:
    colours = (scale if colouring.is_scale else hues)(colouring.n_colours, dark)
    here = ".pairloom-map "
    rules = [
        f"{here}.paper{{fill:{_PAPER[dark]}}}{here}.labels text{{stroke:{_PAPER[dark]}}}",
        f"{here}.ink{{fill:{_INK[dark]}}}{here}.soft{{fill:{_SOFT[dark]}}}",
    ]
    used = sorted(set(colouring.numbers.tolist()) | set(range(len(colouring.names) or colouring.n_colours)))
    rules += [f"{here}.c{i}{{stroke:{colours[i]}}}{here}.f{i}{{fill:{colours[i]}}}" for i in used]
    return "".join(rules)
