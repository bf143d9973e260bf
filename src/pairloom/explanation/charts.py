"""The plots of a report."""

import math

import numpy as np

from pairloom.explanation import plots
from pairloom.explanation.report import Explanation
from pairloom.kernel.counts.explain import REACH
from pairloom.system.display import html

FARTHEST = 60  # words apart in the plot of distances


def _whole_ticks(low: float, high: float, step: float) -> list[tuple[float, str]]:
    values = np.arange(math.ceil(low / step) * step, high + 1e-9, step)
    return [(float(v), f"{v:g}") for v in values.tolist()]


def fit_plots(report: Explanation) -> str:
    """Products against what theory says they become."""
    ticks = _whole_ticks(-REACH, REACH, 4)
    drawn = []
    for name, heat, fit in (
        ("PMI(w, c) - log k", report.heat[0], report.pmi.all),
        ("log(#(w, c) / (k #(w) noise(c)))", report.heat[1], report.optimum.all),
    ):
        axes = plots.Axes(f"v_w·v_c against {name}", (-REACH, REACH), (-REACH, REACH), name, "v_w·v_c", ticks, ticks)
        shade = np.log1p(heat) / max(float(np.log1p(heat.max())), 1e-9)
        marks = [plots.cells(axes, heat.tolist(), shade.tolist())]
        marks.append(plots.line(axes, [(-REACH, -REACH), (REACH, REACH)], "same"))
        if fit.slope is not None and fit.intercept is not None:
            ends = [(x, fit.slope * x + fit.intercept) for x in (-REACH, REACH)]
            marks.append(plots.line(axes, ends, "s1"))
        drawn.append(plots.svg(axes, *marks))
    caption = "Observed pairs: the stronger the colour, the more, by the logarithm. Dashed grey: equal. " + _key(
        1, "Dashed: fitted line."
    )
    return _figure(caption, *drawn)


def _logit(p: float) -> float:
    return math.log(p / (1 - p))


def calibration_plot(report: Explanation) -> str:
    """What is so against what the model says, by log-odds."""
    bins = [b for b in report.calibration.bins if 0 < b.true < 1]
    ticks = [(_logit(p), f"{p:g}") for p in (0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999)]
    reach = (_logit(0.0001), _logit(0.999))
    axes = plots.Axes(
        "True share against predicted probability", reach, reach, "σ(v_w·v_c)", "share of D", ticks, ticks
    )
    points = [(_logit(b.predicted), _logit(b.true)) for b in bins]
    hints = [f"{b.share:.3%} of all pairs: predicted {b.predicted:.4f}, true {b.true:.4f}" for b in bins]
    sizes = [2.5 + 9 * math.sqrt(b.share) for b in bins]
    marks = plots.line(axes, [(reach[0],) * 2, (reach[1],) * 2], "same"), plots.line(axes, points, "s0")
    return _figure(
        "Dots are larger the more pairs they stand for.",
        plots.svg(axes, *marks, plots.dots(axes, points, sizes, hints, "s0")),
    )


def window_plot(report: Explanation) -> str:
    """Distances of pairs, without and with what leaves the text."""
    far = min(3 * report.facts["reach"], len(report.windows[-1].shares) - 1, FARTHEST)
    top = max(float(w.shares.max()) for w in report.windows) * 1.05 or 1.0
    step = max(1, far // 8)
    axes = plots.Axes(
        "Share of pairs by distance", (0.5, far + 0.5), (0, top), "words apart in the text as it was written",
        "share of pairs", _whole_ticks(1, far, step), [(v, f"{v:.0%}") for v in np.arange(0, top, 0.1).tolist()],
    )  # fmt: skip
    names = ("all words", "frequent words thinned", "rare words pruned", "both, as trained")
    marks = [
        plots.line(axes, [(d, float(w.shares[d])) for d in range(1, far + 1)], f"s{i}")
        for i, w in enumerate(report.windows)
    ]
    return _figure(", ".join(_key(i, name) for i, name in enumerate(names)), plots.svg(axes, *marks))


def length_plot(report: Explanation) -> str:
    """Norms of both sides by frequency."""
    bands = list(report.words.norm_by_count)
    both = [report.words, report.contexts]
    top = max(some.high for g in both for some in g.norm_by_count.values()) * 1.05 or 1.0
    ticks = [(float(i), band.split(" to ")[0] + "…") for i, band in enumerate(bands, 1)]
    step = 10 ** math.floor(math.log10(top)) / 2
    axes = plots.Axes(
        "Length of vectors by count", (0.4, len(bands) + 0.6), (0, top), "occurrences", "length",
        ticks, _whole_ticks(0, top, step),
    )  # fmt: skip
    marks = []
    for i, (geometry, shift) in enumerate(zip(both, (-0.08, 0.08), strict=True)):
        some = [(x + shift, geometry.norm_by_count[band]) for x, band in enumerate(bands, 1)]
        means = [(x, s.mean) for x, s in some]
        hints = [
            f"{band}: mean {s.mean:.2f}, {s.low:.2f} to {s.high:.2f}" for band, (_, s) in zip(bands, some, strict=True)
        ]
        marks += [plots.spans(axes, [(x, s.low, s.high) for x, s in some], f"s{i}"), plots.line(axes, means, f"s{i}")]
        marks.append(plots.dots(axes, means, [4.0] * len(means), hints, f"s{i}"))
    return _figure(f"{_key(0, 'words')}, {_key(1, 'contexts')}", plots.svg(axes, *marks))


def component_plot(report: Explanation) -> str:
    """The variance along the first principal components of both sides."""
    of_words, of_contexts = report.words.share_of_components, report.contexts.share_of_components
    n = len(of_words)
    top = max(of_words[0], of_contexts[0]) * 1.08 or 1.0
    step = 10 ** math.floor(math.log10(top)) / (1 if top > 5 * 10 ** math.floor(math.log10(top)) else 2)
    y_ticks = [(v, f"{v:.1%}") for v in np.arange(0, top, step).tolist()]
    x_ticks = [(float(i), str(i)) for i in range(1, n + 1)]
    axes = plots.Axes(
        "Variance by component", (0.4, n + 0.6), (0, top), "component", "share of variance", x_ticks, y_ticks
    )
    marks = plots.bars(axes, of_words, "s0", -0.19), plots.bars(axes, of_contexts, "s1", 0.19)
    return _figure(f"{_key(0, 'words')}, {_key(1, 'contexts')}", plots.svg(axes, *marks))


# --- What they share


def _figure(caption: str, *drawn: str) -> str:
    inside = "\n".join(f"<div>{one}</div>" for one in drawn)
    return f"<figure>\n{inside}\n<figcaption>{caption}</figcaption>\n</figure>"


def _key(number: int, text: str) -> str:
    return f'<span class="key k{number}">{html(text)}</span>'
