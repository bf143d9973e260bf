"""The report as tables of text, for the command line and the HTML page."""

from collections.abc import Iterator

from pairloom.drawing.page import Table
from pairloom.judging.explanation.fit import Fit, TargetFits
from pairloom.judging.explanation.geometry import Geometry
from pairloom.judging.explanation.report import Explanation
from pairloom.judging.explanation.shared_contexts import SharedContext, SharedContexts


def tables(report: Explanation) -> Iterator[Table]:
    """All tables of a report, in order."""
    yield fits("v_w·v_c against PMI - log k", report.pmi)
    yield fits("v_w·v_c against its optimum, log(#(w, c) / (k #(w) noise(c)))", report.optimum)
    yield objective(report)
    yield calibration(report)
    yield windows(report)
    yield lengths(report)
    yield directions(report)


def fits(title: str, target: TargetFits) -> Table:
    """How well the products fit a target, over all pairs and by frequency."""
    heads = ["which pairs", "pairs", "Pearson", "Spearman", "slope", "intercept", "weighted Pearson", "weighted slope"]
    rows = [_fit("(all)", target.all)]
    rows += [_fit(f"word occurs {band}", fit) for band, fit in target.by_word.items()]
    rows += [_fit(f"context occurs {band}", fit) for band, fit in target.by_context.items()]
    return Table(title, heads, rows)


def _fit(name: str, fit: Fit) -> list[str]:
    numbers = fit.pearson, fit.spearman, fit.slope, fit.intercept, fit.weighted_pearson, fit.weighted_slope
    return [name, f"{fit.pairs:,}", *("-" if n is None else f"{n:.3f}" for n in numbers)]


def objective(report: Explanation) -> Table:
    """The loss and its parts."""
    o = report.objective
    rows = [
        ["at the start (all probabilities 1/2)", f"{o.start:.4f}"],
        ["now", f"{o.model:.4f}"],
        ["  pairs of D", f"{o.of_D:.4f}"],
        ["  pairs of D' that are also in D", f"{o.of_observed:.4f}"],
        ["  pairs of D' that are not in D", f"{o.of_unobserved:.4f}"],
        ["at the optimum (a free choice for every pair)", f"{o.optimum:.4f}"],
        ["share of the way from start to optimum", f"{o.reached:.1%}"],
    ]
    share = (
        ""
        if o.words == report.facts["words"]
        else f", for the {o.words:,} most frequent words ({o.share_of_pairs:.1%} of D)"
    )
    return Table(f"The objective: loss per pair of D{share}", ["", "loss"], rows)


def calibration(report: Explanation) -> Table:
    """Predicted probabilities and true shares."""
    rows = [
        [_range(b.low, b.high), f"{b.share:.3%}", f"{b.predicted:.4f}", f"{b.true:.4f}"]
        for b in report.calibration.bins
    ]
    title = f"p(D=1 | w, c), with a mean error of {report.calibration.error:.4f}"
    return Table(title, ["v_w·v_c", "share of D and D'", "σ(v_w·v_c)", "true"], rows)


def _range(low: float, high: float) -> str:
    if low == float("-inf"):
        return f"below {high:.0f}"
    return f"above {low:.0f}" if high == float("inf") else f"{low:.0f} to {high:.0f}"


def windows(report: Explanation) -> Table:
    """How far apart trained pairs are in the original text."""
    heads = ["rare words", "frequent words", "mean distance", "beyond the window"]
    rows = [
        [
            "removed" if w.pruned else "kept",
            "subsampled" if w.subsampled else "kept",
            f"{w.mean:.2f}",
            f"{w.beyond:.1%}",
        ]
        for w in report.windows
    ]
    return Table("The effective window: distances of pairs in the original text", heads, rows)


def lengths(report: Explanation) -> Table:
    """Lengths of vectors by frequency, with the 10th and 90th percentile."""
    of_contexts = report.contexts.norm_by_count
    rows = [
        [band, f"{some.words:,}", *(f"{n:.2f}" for g in (some, of_contexts[band]) for n in (g.low, g.mean, g.high))]
        for band, some in report.words.norm_by_count.items()
    ]
    heads = ["occurs", "words", "|v_w|: 10 %", "mean", "90 %", "|v_c|: 10 %", "mean", "90 %"]
    return Table("Length of vectors by frequency", heads, rows)


def directions(report: Explanation) -> Table:
    """How much of the variance is in directions that all vectors share."""

    def of(geometry: Geometry) -> list[str]:
        first = geometry.share_of_components
        correlation = geometry.norm_against_count
        return [
            f"{geometry.share_of_mean:.1%}",
            f"{first[0]:.1%}",
            f"{sum(first[:3]):.1%}",
            f"{sum(first):.1%}",
            f"{geometry.dimensions:.1f}",
            "-" if correlation is None else f"{correlation:.3f}",
        ]

    heads = ["", "mean", "1st component", "first 3", "first 10", "dimensions", "length and count (Spearman)"]
    return Table(
        "Share of variance in common directions",
        heads,
        [["words", *of(report.words)], ["contexts", *of(report.contexts)]],
    )


def similarity_tables(found: SharedContexts) -> Iterator[Table]:
    """The contexts that make two words similar, and those that make them different."""
    a, b = found.words
    for title, contexts in (
        ("Contexts that both words prefer", found.sought),
        ("Contexts that both words avoid", found.avoided),
        ("Contexts that make them different", found.apart),
    ):
        counted = [f"#({a}, c)", f"#({b}, c)"] if any(s.counts for s in contexts) else []
        yield Table(title, ["contribution", "context", f"{a}·c", f"{b}·c", *counted], [_context(s) for s in contexts])


def _context(s: SharedContext) -> list[str]:
    numbers = [f"{p:+.2f}" for p in s.products] + [f"{n:,.1f}" for n in s.counts or ()]
    return [f"{s.contribution:+.4f}", s.context, *numbers]
