"""Which words of a map get a label: as many as fit without overlap, the most important first.

Labels are tried in the order of the words. A label stands to the right of its point, or to the left, above or below,
wherever first it overlaps no label before it. A grid of cells finds the labels that are near. Nothing is random, so
the same words get the same labels.
"""

from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from pairloom.system.display import visible

LONGEST = 24  # characters of a label; a longer word is cut
LINE = 1.16  # height of a line of text, in font sizes
ASCENT = 0.9  # of this, above the base line
GAP = 2.0  # between labels
FEW_DOTS = 300  # more cannot be kept free of labels
_CELL = 48.0

# Widths in font sizes, those of DejaVu Sans rounded up: it is among the widest of the usual fonts.
_NARROW, _WIDE = set("fijlrtI.,:;'!|()[]/\\ -"), set("mwMWOQ@%&_<>=+#~")
_WIDTH = {"narrow": 0.42, "usual": 0.645, "upper": 0.78, "wide": 1.0, "east": 1.05, "picture": 1.4}


class Box(NamedTuple):
    """A rectangle, with y downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "Box") -> bool:
        """Whether the two share more than an edge."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def is_inside(self, other: "Box") -> bool:
        """Whether this box is within the other."""
        return (
            self.left >= other.left
            and self.top >= other.top
            and self.right <= other.right
            and self.bottom <= other.bottom
        )


class Label(NamedTuple):
    """The label of a word."""

    number: int  # of the word
    text: str
    size: float
    box: Box
    anchor: str  # the end of the text that is at its point: start, end or middle

    @property
    def base(self) -> tuple[float, float]:
        """Where the anchor of the text is, on its base line."""
        left, right = self.box.left + GAP / 2, self.box.right - GAP / 2
        x = {"start": left, "end": right, "middle": (left + right) / 2}[self.anchor]
        return x, self.box.top + ASCENT * self.size


class _Grid:
    """Boxes by the cells that they touch."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], list[Box]] = {}

    def add(self, box: Box) -> None:
        for cell in _cells(box):
            self._cells.setdefault(cell, []).append(box)

    def is_free(self, box: Box) -> bool:
        return not any(box.overlaps(old) for cell in _cells(box) for old in self._cells.get(cell, ()))


def place_labels(
    places: Sequence[tuple[float, float]],
    words: Sequence[str],
    sizes: Sequence[float],
    area: Box,
    most: int,
    radius: float = 3.0,
) -> list[Label]:
    """At most `most` labels of words inside an area that do not overlap, from the first word on.

    If there are few dots, labels cover none of them as long as there is another position.
    """
    labels, dots = _Grid(), _Grid()
    if len(places) <= FEW_DOTS:
        for x, y in places:
            dots.add(Box(x - radius, y - radius, x + radius, y + radius))
    placed: list[Label] = []
    for number, ((x, y), word, size) in enumerate(zip(places, words, sizes, strict=True)):
        if len(placed) >= most:
            break
        text = label_text(word)
        positions = _positions(x, y, text_width(text, size), LINE * size, radius)
        free = [position for position in positions if position[0].is_inside(area) and labels.is_free(position[0])]
        if free:
            box, anchor = next((position for position in free if dots.is_free(position[0])), free[0])
            placed.append(Label(number, text, size, box, anchor))
            labels.add(box)
    return placed


def label_text(word: str) -> str:
    """A word as it is drawn: with invisible characters spelled out, and cut if it is long."""
    text = visible(word)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def text_width(text: str, size: float) -> float:
    """About the width of a text, rather too much than too little.

    >>> text_width("ill", 10) < text_width("cat", 10) < text_width("猫猫猫", 10)
    True
    """
    return size * sum(map(_character_width, text))


def _character_width(character: str) -> float:
    if combining(character) or character in "\u200c\u200d\ufe0f":
        return 0.0
    if east_asian_width(character) in "WF":
        return _WIDTH["picture" if ord(character) > 0x1F000 else "east"]
    if character in _NARROW:
        return _WIDTH["narrow"]
    if character in _WIDE or ord(character) > 0x2E00:
        return _WIDTH["wide"]
    return _WIDTH["upper" if character.isupper() else "usual"]


def _positions(x: float, y: float, width: float, height: float, radius: float) -> list[tuple[Box, str]]:
    """Boxes beside a point, with the anchors of their texts: right, left, above, below."""
    away = radius + 1.5 * GAP
    corners = (
        (x + away, y - height / 2, "start"),
        (x - away - width, y - height / 2, "end"),
        (x - width / 2, y - away - height, "middle"),
        (x - width / 2, y + away, "middle"),
    )
    return [(Box(left - GAP / 2, top, left + width + GAP / 2, top + height), anchor) for left, top, anchor in corners]


def _cells(box: Box) -> list[tuple[int, int]]:
    """The cells of the grid that a box touches."""
    columns = range(int(box.left // _CELL), int(box.right // _CELL) + 1)
    rows = range(int(box.top // _CELL), int(box.bottom // _CELL) + 1)
    return [(column, row) for column in columns for row in rows]
