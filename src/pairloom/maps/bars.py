"""A chart of neighbours: a panel for each word, a bar for each neighbour, as long as the cosine is large."""

from collections.abc import Mapping

from pairloom.drawing.picture import FONT, Picture
from pairloom.maps.labels import label_text, text_width
from pairloom.system.display import html
from pairloom.vectors.search import Neighbours

PANEL, MARGIN, HEAD, STEP, BAR = 480.0, 16.0, 40.0, 22.0, 14.0
SIZE = 13.0
_FIGURE = 44.0  # room for the cosine after the bar
_STYLE = (
    ".pairloom-bars .paper{fill:#fff}.pairloom-bars .ink{fill:#1b1f24}.pairloom-bars .bar{fill:#0a5fb4}"
    ".pairloom-bars .minus{fill:#b45309}.pairloom-bars .soft{fill:#57606a}"
    "@media (prefers-color-scheme:dark){.pairloom-bars .paper{fill:#14181d}.pairloom-bars .ink{fill:#e9edf1}"
    ".pairloom-bars .bar{fill:#6cb2ff}.pairloom-bars .minus{fill:#f3a45c}.pairloom-bars .soft{fill:#a0a8b2}}"
)


def neighbour_chart(near: Mapping[str, Neighbours]) -> Picture:
    """Bars for the neighbours of one or more words, two panels side by side. All bars have the same scale, 0 to 1."""
    columns = min(2, len(near))
    heights = [HEAD + STEP * max(1, len(found)) for found in near.values()]
    parts, top = [], MARGIN
    for first in range(0, len(near), columns):
        for column, (word, found) in enumerate(list(near.items())[first : first + columns]):
            parts.append(_panel(word, found, MARGIN + column * PANEL, top))
        top += max(heights[first : first + columns]) + MARGIN
    title = "Nearest to " + ", ".join(near)
    width = columns * PANEL + MARGIN
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pairloom-bars" viewBox="0 0 {width:g} {top:g}" '
        f'width="{width:g}" height="{top:g}" role="img" aria-label="{html(title)}" font-family="{FONT}">\n'
        f"<title>{html(title)}</title>\n<style>{_STYLE}</style>\n"
        f'<rect class="paper" width="{width:g}" height="{top:g}"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )
    return Picture(title=title, svg=svg)


def _panel(word: str, found: Neighbours, left: float, top: float) -> str:
    names = [label_text(name) for name, _ in found]
    room = max([text_width(name, SIZE) for name in names], default=0.0)
    start = left + room + 8
    longest = PANEL - MARGIN - room - 8 - _FIGURE
    parts = [_text("ink", left, top + 20, label_text(word), 17, ' font-weight="600"')]
    if not found:
        parts.append(_text("soft", left, top + HEAD + 12, "no neighbours"))
    for number, (name, (_, cosine)) in enumerate(zip(names, found, strict=True)):
        y = top + HEAD + number * STEP
        width = max(0.5, abs(cosine) * longest)
        kind = "bar" if cosine >= 0 else "minus"
        parts += [
            _text("ink", start - 8, y + 11.5, name, SIZE, ' text-anchor="end"'),
            f'<rect class="{kind}" x="{start:.1f}" y="{y:.1f}" width="{width:.1f}" height="{BAR:g}" rx="2"/>',
            _text("soft", start + width + 6, y + 11.5, f"{cosine:.2f}"),
        ]
    return "\n".join(parts)


def _text(kind: str, x: float, y: float, text: str, size: float = SIZE, more: str = "") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" font-size="{size:g}"{more}>{html(text)}</text>'
