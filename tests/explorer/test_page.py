"""The files of the page, read as text: contrast, safety, addresses. Browsers are for tests/explorer/browser."""

import re
from pathlib import Path

import pytest

from pairloom import explorer

PAGE = Path(explorer.__file__).parent / "page"
OWN = sorted(path for path in PAGE.rglob("*.js") if "vendor" not in path.parts)
STYLE = (PAGE / "style.css").read_text()

# What is written on what. Large bars and borders of controls need less contrast than text.
TEXT = [
    ("ink", "paper"),
    ("ink", "raised"),
    ("ink", "tint"),
    ("muted", "paper"),
    ("muted", "raised"),
    ("muted", "tint"),
]
TEXT += [("accent", "paper"), ("accent", "raised"), ("on-accent", "accent"), ("paper", "ink")]
SHAPES = [("edge", "paper"), ("edge", "raised"), ("accent", "line"), ("against", "line")]


def colours(theme: int) -> dict[str, str]:
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", STYLE)
    return {name: values[theme] for name, *values in pairs}


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.1, from 1 to 21.

    >>> round(contrast("#000000", "#ffffff"), 2)
    21.0
    """
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    shares = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize("pair", TEXT)
def test_text_is_readable_in_light_and_dark(pair, theme):
    front, back = (colours(theme)[name] for name in pair)
    assert contrast(front, back) >= 4.5


@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize("pair", SHAPES)
def test_controls_and_bars_are_seen_in_light_and_dark(pair, theme):
    front, back = (colours(theme)[name] for name in pair)
    assert contrast(front, back) >= 3.0


@pytest.mark.parametrize("path", OWN, ids=lambda path: str(path.relative_to(PAGE)))
def test_words_never_become_html_or_code(path):
    text = path.read_text()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc", text)


def test_nothing_comes_from_another_host():
    sources = [*OWN, PAGE / "index.html", PAGE / "style.css", PAGE / "icon.svg"]
    found = {match for path in sources for match in re.findall(r"https?://[^'\"\s)]+", path.read_text())}
    assert found == {"http://www.w3.org/2000/svg"}  # the name of a format, never asked for


def test_nothing_is_inline_as_the_policy_demands():
    text = (PAGE / "index.html").read_text()
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", text)


@pytest.mark.parametrize("path", OWN, ids=lambda path: str(path.relative_to(PAGE)))
def test_modules_are_short(path):
    assert len(path.read_text().splitlines()) <= 250


def test_every_id_that_a_module_asks_for_is_there():
    asked = {name for path in OWN for name in re.findall(r"\$\('([\w-]+)'\)", path.read_text())}
    there = set(re.findall(r'\bid="([\w-]+)"', (PAGE / "index.html").read_text()))
    assert asked - there == {"embedded"}  # only exported files have it
