"""The report as a single HTML page without scripts or network access. It is light or dark as the system is."""

from pairloom.explanation import charts, tables
from pairloom.explanation.fit import Fit
from pairloom.explanation.report import Explanation
from pairloom.explanation.tables import Table
from pairloom.system.display import html

_STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --faint: #d8dde3; --soft: #57606a;
  --s0: #0a5fb4; --s1: #b45309; --s2: #157347; --s3: #8a2be2; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181d; --ink: #e4e8ec; --faint: #353c45; --soft: #a0a8b2;
  --s0: #6cb2ff; --s1: #f3a45c; --s2: #5fd08f; --s3: #c9a0ff; } }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .3rem; }
p { max-width: 44rem; } .soft { color: var(--soft); }
figure { margin: .5rem 0; display: flex; flex-wrap: wrap; gap: 1rem; }
figure > div { flex: 0 1 28.5rem; } figcaption { flex-basis: 100%; color: var(--soft); }
svg { width: 100%; height: auto; } svg text { font-size: 12px; fill: var(--ink); }
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
"""


def page(report: Explanation, name: str) -> str:
    """The HTML of a report about the model `name`."""
    of_pmi, of_optimum, objective, calibration, windows, lengths, directions = tables.tables(report)
    sections = [
        _section("Products v_w·v_c against theory", _on_fit(report), charts.fit_plots(report), of_pmi, of_optimum),
        _section("The objective", _on_objective(report), "", objective),
        _section("Probabilities", _on_calibration(report), charts.calibration_plot(report), calibration),
        _section("The effective window", _on_windows(report), charts.window_plot(report), windows),
        _section("Length and frequency", _on_lengths(report), charts.length_plot(report), lengths),
        _section("Common directions", _on_directions(report), charts.component_plot(report), directions),
    ]
    title = html(f"{name}, explained")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{html(introduction(report))}</p>\n"
        + "\n".join(sections)
        + "\n</body>\n</html>\n"
    )


def introduction(report: Explanation) -> str:
    """The model, its corpus and the settings of training, in a few sentences."""
    f = report.facts
    other = "" if f["same_corpus"] else " The model was trained on another text, or the text was read differently."
    epochs = "1 epoch" if f["epochs"] == 1 else f"{f['epochs']} epochs"
    return (
        f"The model has {f['words']:,} words of dim {f['dim']}. They occur {f['tokens']:,} times in {f['corpus']} and "
        f"make {f['pairs']:,.0f} pairs, {f['different_pairs']:,} of them different (window {f['window']}, "
        f"{f['negatives']} negatives, noise power {f['noise_power']:g}, sample {f['sample']:g}, {epochs}).{other}"
    )


def _section(title: str, text: str, plot: str, *of: Table) -> str:
    details = "\n".join(f"<details><summary>{html(table.title)}</summary>{_table(table)}</details>" for table in of)
    return f"<section>\n<h2>{html(title)}</h2>\n<p>{html(text)}</p>\n{plot}\n{details}\n</section>"


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{html(cell)}</th>' for cell in table.heads)
    rows = "\n".join("<tr>" + "".join(f"<td>{html(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table></div>'


# --- The text above each plot


def _on_fit(report: Explanation) -> str:
    def both(fit: Fit) -> str:
        numbers = (fit.pearson, fit.weighted_pearson)
        return " and ".join("undefined" if n is None else f"{n:.2f}" for n in numbers)

    return (
        "Levy and Goldberg (2014): if vectors have enough dimensions, each product v_w·v_c reaches "
        "log(#(w, c) / (k #(w) noise(c))). This is PMI(w, c) - log k if contexts are drawn as often as they occur. "
        "Correlation over all observed pairs, each counted once, and each counted as often as it occurs: "
        f"{both(report.pmi.all)} with PMI(w, c) - log k, {both(report.optimum.all)} with the general form."
    )


def _on_objective(report: Explanation) -> str:
    o = report.objective
    return (
        f"The loss per pair was {o.start:.3f} at the start and is {o.model:.3f} now. The lowest possible loss, with a "
        f"free choice of v_w·v_c for every pair, is {o.optimum:.3f}. The model covered {o.reached:.1%} of the distance "
        f"with {report.facts['dim']} numbers per word."
    )


def _on_calibration(report: Explanation) -> str:
    return (
        "The model predicts a probability for every pair of D and D'. What share of the pairs with about the same "
        f"prediction belongs to D? The mean error is {report.calibration.error:.4f}."
    )


def _on_windows(report: Explanation) -> str:
    first, last = report.windows[0], report.windows[-1]
    return (
        "When words leave the text, windows reach further. If all words stayed, pairs would be "
        f"{first.mean:.2f} words apart on average. The trained pairs are {last.mean:.2f} words apart in the original "
        f"text, and {last.beyond:.1%} of them are further apart than the window reaches."
    )


def _on_lengths(report: Explanation) -> str:
    r = report.words.norm_against_count
    correlation = "" if r is None else f" Spearman's correlation of |v_w| with the count: {r:.2f}."
    return f"Lengths of vectors by the frequency of their words: the mean, and the middle 80 %.{correlation}"


def _on_directions(report: Explanation) -> str:
    return (
        f"The mean of all v_w makes up {report.words.share_of_mean:.1%} of their squared length. The first component "
        f"holds {report.words.share_of_components[0]:.1%} of the variance about the mean. The variance is spread over "
        f"about {report.words.dimensions:.0f} of {report.facts['dim']} dimensions (for contexts, over "
        f"{report.contexts.dimensions:.0f})."
    )
