"""The report as a single HTML page without scripts or network access."""

import math

from pairloom.drawing.page import section, symbols, whole_page
from pairloom.judging.explanation import charts, tables
from pairloom.judging.explanation.fit import Fit
from pairloom.judging.explanation.report import Explanation

# Shares of the way from start to optimum. The optimum has a free choice for every pair, so no model of few dimensions
# comes close: on Wikipedia at dim 100 the shares are 0.50 (1 MB of text, 5 epochs) and 0.63 (10 MB).
LEARNT = ((0.7, "nearly everything"), (0.4, "much"), (0.15, "a part"), (-math.inf, "little"))
TRUST = ((0.02, "can be taken at their word"), (0.05, "are roughly right"), (math.inf, "should not be trusted"))

OF_FIT = {
    "v_w, v_c": "the vector of word w, and the vector of context c: a word that stands near another one",
    "v_w·v_c": "their product: the larger, the more the model expects w and c to stand near each other",
    "#(w, c)": "how often the pair was taken from the corpus; #(w) and #(c) count all pairs with w, and with c",
    "k": "the number of negatives: contexts drawn at random for every pair of the corpus",
    "noise(c)": "the probability with which context c is drawn",
    "PMI(w, c)": "log(#(w, c) n / (#(w) #(c))), n the number of pairs: how much more often the pair occurs than by "
    "chance",
}
OF_OBJECTIVE = {
    "D": "the pairs that were taken from the corpus",
    "D'": "the pairs that were drawn at random, k for every pair of D",
    "loss": "how badly the model tells D from D': the sum of -log p over all pairs, p the probability that it gives to "
    "the truth, divided by the number of pairs of D",
}
OF_PROBABILITY = {
    "σ(x)": "1 / (1 + e^-x), which turns a product into a probability",
    "p(D=1 | w, c)": "σ(v_w·v_c): how likely the pair is from D, and not from D'",
}


def page(report: Explanation, name: str) -> str:
    """The HTML of a report about the model `name`."""
    of_pmi, of_optimum, objective, calibration, windows, lengths, directions = tables.tables(report)
    fits, calibrated = charts.fit_plots(report), charts.calibration_plot(report)
    sections = [
        section("Products v_w·v_c against theory", _on_fit(report), symbols(OF_FIT) + fits, of_pmi, of_optimum),
        section("The objective", _on_objective(report), symbols(OF_OBJECTIVE), objective),
        section("Probabilities", _on_calibration(report), symbols(OF_PROBABILITY) + calibrated, calibration),
        section("The effective window", _on_windows(report), charts.window_plot(report), windows),
        section("Length and frequency", _on_lengths(report), charts.length_plot(report), lengths),
        section("Common directions", _on_directions(report), charts.component_plot(report), directions),
    ]
    return whole_page(f"{name}, explained", introduction(report), *sections)


def verdict(report: Explanation) -> str:
    """What all measures together say, in one sentence."""
    reached, error = report.objective.reached, report.calibration.error
    learnt = next(words for least, words in LEARNT if reached >= least)
    trust = next(words for most, words in TRUST if error <= most)
    return (
        f"The model has learnt {learnt} of what its corpus says about pairs of words: it went {reached:.0%} of the way "
        f"from guessing to the best that is possible, and its probabilities {trust} (off by {error:.3f} on average)."
    )


def introduction(report: Explanation) -> str:
    """The verdict, then the model, its corpus and the settings of training."""
    f = report.facts
    other = "" if f["same_corpus"] else " The model was trained on another text, or the text was read differently."
    epochs = "1 epoch" if f["epochs"] == 1 else f"{f['epochs']} epochs"
    return (
        f"{verdict(report)} The model has {f['words']:,} words of dim {f['dim']}. They occur {f['tokens']:,} times in "
        f"{f['corpus']} and make {f['pairs']:,.0f} pairs, {f['different_pairs']:,} of them different "
        f"(window {f['window']}, {f['negatives']} negatives, noise power {f['noise_power']:g}, sample {f['sample']:g}, "
        f"{epochs}).{other}"
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
