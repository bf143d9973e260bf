"""The plots of a report, one function for each section of the page."""

import math

import numpy as np

from pairloom.drawing import svg
from pairloom.drawing.page import figure, key
from pairloom.judging.explanation.report import Explanation
from pairloom.kernel.counts.explain import REACH

FARTHEST = 60  # the largest distance in the plot of distances, in words


def _whole_ticks(low: float, high: float, step: float) -> list[tuple[float, str]]:
    values = np.arange(math.ceil(low / step) * step, high + 1e-9, step)
    return [(float(v), f"{v:g}") for v in values.tolist()]


def fit_plots(report: Explanation) -> str:
    """Heat maps of v_w·v_c against both targets of the theory."""
    ticks = _whole_ticks(-REACH, REACH, 4)
    drawn = []
    for name, heat, fit in (
        ("PMI(w, c) - log k", report.heat[0], report.pmi.all),
        ("log(#(w, c) / (k #(w) noise(c)))", report.heat[1], report.optimum.all),
    ):
        axes = svg.Axes(f"v_w·v_c against {name}", (-REACH, REACH), (-REACH, REACH), name, "v_w·v_c", ticks, ticks)
        shade = np.log1p(heat) / max(float(np.log1p(heat.max())), 1e-9)
        marks = [svg.cells(axes, heat.tolist(), shade.tolist())]
        marks.append(svg.line(axes, [(-REACH, -REACH), (REACH, REACH)], "same"))
        if fit.slope is not None and fit.intercept is not None:
            ends = [(x, fit.slope * x + fit.intercept) for x in (-REACH, REACH)]
            marks.append(svg.line(axes, ends, "s1"))
        drawn.append(svg.drawing(axes, *marks))
    caption = (
        "Observed pairs. The stronger the colour, the more pairs (on a logarithmic scale). Dashed grey: equal. "
        + key(1, "Dashed: fitted line.")
    )
    look = (
        "Look for: a cloud along the dashed grey line. The flatter the fitted line, the more the model shrinks "
        "products towards their mean, as few dimensions and few epochs do. Most pairs occur once or "
        "twice, so the cloud is wide."
    )
    return figure(caption, *drawn, look=look)


def _logit(p: float) -> float:
    return math.log(p / (1 - p))


def calibration_plot(report: Explanation) -> str:
    """True shares against predicted probabilities, on log-odds axes."""
    bins = [b for b in report.calibration.bins if 0 < b.true < 1]
    ticks = [(_logit(p), f"{p:g}") for p in (0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999)]
    reach = (_logit(0.0001), _logit(0.999))
    axes = svg.Axes("True share against predicted probability", reach, reach, "σ(v_w·v_c)", "share of D", ticks, ticks)
    points = [(_logit(b.predicted), _logit(b.true)) for b in bins]
    hints = [f"{b.share:.3%} of all pairs: predicted {b.predicted:.4f}, true {b.true:.4f}" for b in bins]
    sizes = [2.5 + 9 * math.sqrt(b.share) for b in bins]
    marks = svg.line(axes, [(reach[0],) * 2, (reach[1],) * 2], "same"), svg.line(axes, points, "s0")
    return figure(
        "The larger a dot, the more pairs it represents.",
        svg.drawing(axes, *marks, svg.dots(axes, points, sizes, hints, "s0")),
        look="Look for: dots on the dashed line, where a prediction of 0.1 comes true for one pair in ten. Dots below "
        "the line are too sure that a pair is real, dots above it not sure enough. The large dots matter most.",
    )


def window_plot(report: Explanation) -> str:
    """Distances of pairs, without and with pruning and subsampling."""
    far = min(3 * report.facts["reach"], len(report.windows[-1].shares) - 1, FARTHEST)
    top = max(float(w.shares.max()) for w in report.windows) * 1.05 or 1.0
    step = max(1, far // 8)
    axes = svg.Axes(
        "Share of pairs by distance", (0.5, far + 0.5), (0, top), "words apart in the original text",
        "share of pairs", _whole_ticks(1, far, step), [(v, f"{v:.0%}") for v in np.arange(0, top, 0.1).tolist()],
    )  # fmt: skip
    names = ("all words", "frequent words subsampled", "rare words removed", "both, as trained")
    marks = [
        svg.line(axes, [(d, float(w.shares[d])) for d in range(1, far + 1)], f"s{i}")
        for i, w in enumerate(report.windows)
    ]
    look = (
        f"Look for: how far the trained pairs reach beyond {report.facts['reach']} words, the largest window. The "
        "further, the more the vectors are about topics, and the less about grammar."
    )
    return figure(", ".join(key(i, name) for i, name in enumerate(names)), svg.drawing(axes, *marks), look=look)


def length_plot(report: Explanation) -> str:
    """Lengths of word and context vectors by frequency."""
    bands = list(report.words.norm_by_count)
    both = [report.words, report.contexts]
    top = max(some.high for g in both for some in g.norm_by_count.values()) * 1.05 or 1.0
    ticks = [(float(i), band.split(" to ")[0].replace(",000", "k") + "…") for i, band in enumerate(bands, 1)]
    step = 10 ** math.floor(math.log10(top)) / 2
    axes = svg.Axes(
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
        marks += [svg.spans(axes, [(x, s.low, s.high) for x, s in some], f"s{i}"), svg.line(axes, means, f"s{i}")]
        marks.append(svg.dots(axes, means, [4.0] * len(means), hints, f"s{i}"))
    look = (
        "Look for: short vectors at the left, since little is known of rare words, and a fall at the right, since very "
        "frequent words stand near everything. Cosines leave lengths out, products do not."
    )
    return figure(f"{key(0, 'words')}, {key(1, 'contexts')}", svg.drawing(axes, *marks), look=look)


def component_plot(report: Explanation) -> str:
    """The variance along the first principal components, of words and of contexts."""
    of_words, of_contexts = report.words.share_of_components, report.contexts.share_of_components
    n = len(of_words)
    top = max(of_words[0], of_contexts[0]) * 1.08 or 1.0
    step = 10 ** math.floor(math.log10(top)) / (1 if top > 5 * 10 ** math.floor(math.log10(top)) else 2)
    y_ticks = [(v, f"{v:.1%}") for v in np.arange(0, top, step).tolist()]
    x_ticks = [(float(i), str(i)) for i in range(1, n + 1)]
    axes = svg.Axes(
        "Variance by component", (0.4, n + 0.6), (0, top), "component", "share of variance", x_ticks, y_ticks
    )
    marks = svg.bars(axes, of_words, "s0", -0.19), svg.bars(axes, of_contexts, "s1", 0.19)
    look = (
        "Look for: bars that fall slowly. If the first one stands out, most vectors share a direction that says more "
        "about frequency than about meaning, and cosines are all too high."
    )
    return figure(f"{key(0, 'words')}, {key(1, 'contexts')}", svg.drawing(axes, *marks), look=look)
