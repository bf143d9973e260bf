"""A whole HTML page without scripts or network access. It is light or dark as the system is.

A page is a title, an introduction and sections; a section has a text, figures and tables that can be unfolded.
"""

from collections.abc import Mapping
from typing import NamedTuple

from pairloom.system.display import html

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --faint: #d8dde3; --soft: #57606a;
  --s0: #0a5fb4; --s1: #b45309; --s2: #157347; --s3: #8a2be2; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181d; --ink: #e4e8ec; --faint: #353c45; --soft: #a0a8b2;
  --s0: #6cb2ff; --s1: #f3a45c; --s2: #5fd08f; --s3: #c9a0ff; } }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .3rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
p { max-width: 44rem; } .soft { color: var(--soft); }
figure { margin: .5rem 0; display: flex; flex-wrap: wrap; gap: 1rem; }
figure > div { flex: 0 1 28.5rem; } figcaption { flex-basis: 100%; color: var(--soft); }
svg { width: 100%; height: auto; } svg text { fill: var(--ink); }
svg:not(.pairloom-map) text { font-size: 12px; } figure > div:has(> .pairloom-map) { flex-basis: 100%; }
.axis { fill: none; stroke: var(--soft); } .grid { stroke: var(--faint); }
.line { fill: none; stroke-width: 2; } .same { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 4 3; }
.cell { fill: var(--s0); } .span { stroke-width: 3; opacity: .45; }
.line.s0, .span.s0 { stroke: var(--s0); } .line.s1, .span.s1 { stroke: var(--s1); } .line.s1 { stroke-dasharray: 7 3; }
.line.s2 { stroke: var(--s2); stroke-dasharray: 2 3; } .line.s3 { stroke: var(--s3); }
.dot.s0, .bar.s0 { fill: var(--s0); } .dot.s1, .bar.s1 { fill: var(--s1); }
.key { font-weight: 600; } .k0 { color: var(--s0); } .k1 { color: var(--s1); } .k2 { color: var(--s2); }
.k3 { color: var(--s3); }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .7rem; text-align: right; border-bottom: 1px solid var(--faint); white-space: pre; }
th:first-child, td:first-child { text-align: left; padding-left: 0; } summary { cursor: pointer; }
table.text th, table.text td { text-align: left; vertical-align: top; }
table.text td:last-child { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 12rem; }
@media (max-width: 36rem) { table.text th, table.text td, table.text td:last-child { white-space: normal;
  min-width: 0; padding: .15rem .4rem .15rem 0; } }
ul.remarks { max-width: 44rem; padding-left: 1.2rem; }
dl.symbols { max-width: 44rem; margin: .6rem 0; padding: .1rem .9rem; border-left: 3px solid var(--faint); }
dl.symbols > div { margin: .25rem 0; } dl.symbols dt { display: inline; font-weight: 600; margin-right: .6rem; }
dl.symbols dd { display: inline; margin: 0; color: var(--soft); }
"""


class Table(NamedTuple):
    """A title, the names of the columns, and the rows."""

    title: str
    heads: list[str]
    rows: list[list[str]]


def whole_page(title: str, introduction: str, *sections: str) -> str:
    """The HTML of a page. Title and introduction are text, sections are HTML."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n<title>{html(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{html(title)}</h1>\n<p>{html(introduction)}</p>\n"
        + "\n".join(sections)
        + "\n</body>\n</html>\n"
    )


def section(title: str, text: str, figures: str, *of: Table) -> str:
    """A section: title and text, then figures (HTML) and tables, which are folded."""
    details = "\n".join(f"<details><summary>{html(one.title)}</summary>{table(one)}</details>" for one in of)
    return f"<section>\n<h2>{html(title)}</h2>\n<p>{html(text)}</p>\n{figures}\n{details}\n</section>"


def table(of: Table, kind: str = "") -> str:
    """A table, which scrolls sideways if it is wider than the page. Cells are numbers, or of kind "text" are text."""
    name = f' class="{kind}"' if kind else ""
    heads = "".join(f'<th scope="col">{html(cell)}</th>' for cell in of.heads)
    head = f"<thead><tr>{heads}</tr></thead>\n" if heads else ""
    rows = "\n".join("<tr>" + "".join(f"<td>{html(cell)}</td>" for cell in row) + "</tr>" for row in of.rows)
    return f'<div class="wide"><table{name}>\n{head}<tbody>\n{rows}\n</tbody>\n</table></div>'


def figure(caption: str, *drawn: str, look: str = "") -> str:
    """Plots side by side over their caption, all of them HTML. look: what to look for, a text for below."""
    inside = "\n".join(f"<div>{one}</div>" for one in drawn)
    below = f"\n<p>{html(look)}</p>" if look else ""
    return f"<figure>\n{inside}\n<figcaption>{caption}</figcaption>\n</figure>{below}"


def symbols(meanings: Mapping[str, str]) -> str:
    """A list of symbols with their meanings."""
    rows = "\n".join(f"<div><dt>{html(name)}</dt><dd>{html(meaning)}</dd></div>" for name, meaning in meanings.items())
    return f'<dl class="symbols">\n{rows}\n</dl>'


def key(number: int, text: str) -> str:
    """The name of a series in its colour, for a caption."""
    return f'<span class="key k{number}">{html(text)}</span>'
