"""The report as a single HTML page without scripts or network access."""

from pairloom.drawing.page import section, whole_page
from pairloom.explanation import charts, tables
from pairloom.explanation.fit import Fit
from pairloom.explanation.report import Explanation


def page(report: Explanation, name: str) -> str:
    """The HTML of a report about the model `name`."""
    of_pmi, of_optimum, objective, calibration, windows, lengths, directions = tables.tables(report)
    sections = [
        section("Products v_w·v_c against theory", _on_fit(report), charts.fit_plots(report), of_pmi, of_optimum),
        section("The objective", _on_objective(report), "", objective),
        section("Probabilities", _on_calibration(report), charts.calibration_plot(report), calibration),
        section("The effective window", _on_windows(report), charts.window_plot(report), windows),
        section("Length and frequency", _on_lengths(report), charts.length_plot(report), lengths),
        section("Common directions", _on_directions(report), charts.component_plot(report), directions),
    ]
    return whole_page(f"{name}, explained", introduction(report), *sections)


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
