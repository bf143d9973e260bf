"""A finished picture, which shows itself in notebooks and saves itself as SVG, HTML or PNG.

PNG is drawn by resvg-py: one wheel of 1.4 MB fits every Python from 3.10 on, and it draws the same SVG, shapes Arabic
and finds a font for each script. Pillow is five times as large and draws no SVG; matplotlib would be a second drawing.
"""

import os
from dataclasses import dataclass
from pathlib import PurePath

from pairloom.errors import InputError
from pairloom.system.display import html
from pairloom.system.extras import need
from pairloom.system.files import atomic_write
from pairloom.types import PathName

SUFFIXES = (".svg", ".png", ".html")
# Several names, because resvg knows no system-ui, and no generic family but by the name of a font that may be missing.
FONT = (
    "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', 'DejaVu Sans', 'Noto Sans', "
    "'Noto Sans CJK SC', 'Noto Sans CJK JP', sans-serif"
)
PIXELS = 2  # of a PNG for each unit of the SVG, so that small labels are sharp

_PAGE_STYLE = """
:root { color-scheme: light dark; } body { margin: 0; background: #fff; font: 1rem/1.5 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { body { background: #14181d; } }
svg { display: block; width: 100%; height: 100vh; } circle:hover { stroke: currentColor; stroke-width: 6; }
@media (prefers-color-scheme: dark) { svg { color: #fff; } }
"""


@dataclass(frozen=True, eq=False, kw_only=True)
class Picture:
    """A drawing with a title."""

    title: str
    svg: str
    detailed_svg: str = ""  # for HTML: the same with a hint at every point; it is much longer

    def __repr__(self) -> str:
        return f"{type(self).__name__}(title={self.title!r})"

    def _repr_svg_(self) -> str:
        """For notebooks."""
        return self.svg

    @property
    def html(self) -> str:
        """A page that loads nothing from the network and has no script."""
        return (
            f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n<title>{html(self.title)}</title>\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
            f"<style>{_PAGE_STYLE}</style>\n</head>\n<body>\n{self.detailed_svg or self.svg}\n</body>\n</html>\n"
        )

    @property
    def png(self) -> bytes:
        """The bytes of a PNG file. Needs the extra `png`, and fonts of the system for its texts."""
        resvg = need("resvg_py", "png", "A PNG picture")
        _check_fonts(resvg)
        drawn: bytes = bytes(resvg.svg_to_bytes(svg_string=self.svg, zoom=PIXELS))
        return drawn

    def save(self, path: PathName) -> None:
        """Write a file, as SVG, HTML or PNG by the end of its name."""
        suffix = suffix_of(path)
        data = self.png if suffix == ".png" else (self.html if suffix == ".html" else self.svg).encode()
        with atomic_write(path) as file:
            file.write(data)


def suffix_of(path: PathName, allowed: tuple[str, ...] = SUFFIXES) -> str:
    """The end of a name, which says the kind of picture. Any other end is an InputError."""
    suffix = PurePath(path).suffix.lower()
    if suffix not in allowed:
        raise InputError(
            f"{os.fspath(path)} does not say what to write. End its name in {', '.join(allowed[:-1])} or {allowed[-1]}."
        )
    return suffix


def check_can_save(path: PathName, allowed: tuple[str, ...] = SUFFIXES) -> None:
    """Raise an error if a picture could not be saved there: before the work, not after it."""
    from pairloom.system.files import check_folder

    if suffix_of(path, allowed) == ".png":
        _check_fonts(need("resvg_py", "png", "A PNG picture"))
    check_folder(path)


def _check_fonts(resvg: object) -> None:
    """Refuse to draw where there are no fonts: the words would be missing without a sign."""
    text = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">{}</svg>'
    draw = resvg.svg_to_bytes  # type: ignore[attr-defined]
    letter = f'<text x="0" y="8" font-family="{FONT}" font-size="9">M</text>'
    if draw(svg_string=text.format(letter)) == draw(svg_string=text.format("")):
        raise InputError("A PNG picture needs fonts, and this system has none. Install some, or write SVG or HTML.")
