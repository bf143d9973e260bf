"""A comparison in sentences and tables of text, for the command line and the HTML page."""

from collections.abc import Iterable, Sequence

import numpy as np

from pairloom.drawing.page import Table
from pairloom.judging.comparison.neighbours import Changes, Neighbour
from pairloom.judging.comparison.noise import FEWEST_WORDS
from pairloom.judging.comparison.series import Trajectory
from pairloom.judging.comparison.two_models import Comparison, WordShift
from pairloom.system.display import number_of

MUCH = 0.5  # a median shift: between halves of 2.5 M words it is 0.3 to 0.4, between those of half a million 0.54
_FEW = "That is too few to estimate how far words move by chance, so shifts cannot be told from noise."
_SAME = "The noise is zero: most words have not moved at all, or the yardstick is too small. Compare different models."
NEAREST = 5  # neighbours of a word in the table of the most shifted


def summary(compared: Comparison, a: str, b: str) -> str:
    """The answer in a few sentences. a and b are the names of the models."""
    said = f"{a} and {b} have {number_of(len(compared.words), 'word')} in common. "
    if not compared.rotated:
        said += "They share their contexts, so their vectors are compared as they are. "
    if compared.noise is None:
        return said + (_FEW if len(compared.words) < FEWEST_WORDS else _SAME)
    n = len(compared.beyond)
    verb = "has" if n == 1 else "have"
    said += f"{number_of(n, 'word')} {verb} moved beyond the noise line (z {compared.line:.2f})."
    if n:
        said += f" About {100 * compared.rate:.3g} % of them ({n * compared.rate:.1f}) should be there by chance."
    if compared.yardsticks:
        others = number_of(compared.yardsticks, "other model")
        return f"{said} Noise is how far words move between {a} and {others} of its text."
    return f"{said} Noise is how far most words of the same frequency have moved.{_doubt(compared)}"


def _doubt(compared: Comparison) -> str:
    """A warning if so many words have moved that the noise cannot be told from the compared words themselves."""
    median = float(np.median(compared.shift))
    if median < MUCH:
        return ""
    return (
        f" Half of all words have moved by {median:.2f} or more: the texts are of different kinds, or too small. "
        "Another model of the first text tells which (--noise)."
    )


def most_shifted(shifts: Sequence[WordShift], near: Sequence[Changes], a: str, b: str) -> Table:
    """The words that moved most, with the nearest words in both models."""
    heads = ["word", "shift", "usual", "z", "beyond", "counts", f"near in {a}", f"near in {b}"]
    rows = [
        [one.word, *_figures(one), f"{one.count_a:,} / {one.count_b:,}", *_both(changed)]
        for one, changed in zip(shifts, near, strict=True)
    ]
    return Table("The words that moved most for their frequency", heads, rows)


def _figures(one: WordShift) -> list[str]:
    if one.z is None or one.usual is None:
        return [f"{one.shift:.3f}", "-", "-", "-"]
    return [f"{one.shift:.3f}", f"{one.usual:.3f}", f"{one.z:.2f}", "yes" if one.beyond else "no"]


def _both(changed: Changes) -> tuple[str, str]:
    before = sorted([*changed.kept, *changed.lost], key=lambda near: -near.in_a)
    after = sorted([*changed.kept, *changed.gained], key=lambda near: -near.in_b)
    return _listed(before), _listed(after)


def _listed(near: Iterable[Neighbour]) -> str:
    return ", ".join([one.word for one in near][:NEAREST])


def verdict(one: WordShift) -> str:
    """A word in one sentence."""
    counts = f"{number_of(one.count_a, 'occurrence')} and {one.count_b:,}"
    if one.z is None or one.usual is None or one.p is None:
        return f"{one.word}: shift {one.shift:.3f} ({counts})"
    where = "beyond the noise line" if one.beyond else "within the noise"
    chance = "less than 1 in a million" if one.p < 1e-6 else f"1 in {1 / one.p:,.0f}"
    return (
        f"{one.word}: shift {one.shift:.3f}, {where}. Usual for its frequency ({counts}): {one.usual:.3f}; "
        f"z {one.z:.2f}, by chance {chance}"
    )


def neighbours(one: WordShift, changed: Changes, a: str, b: str) -> Table:
    """The neighbours of a word that were kept, gained and lost."""
    rows = [
        [kind, near.word, f"{near.in_a:.3f}", f"{near.in_b:.3f}"]
        for kind, some in (("kept", changed.kept), ("gained", changed.gained), ("lost", changed.lost))
        for near in some
    ]
    return Table(verdict(one), ["", "neighbour", f"cosine in {a}", f"cosine in {b}"], rows)


def stations(found: Trajectory) -> Table:
    """A word in each model of a series."""
    heads = ["model", "count", "shift from first", "z", "shift from previous", "z", "near"]
    rows = []
    for station in found.stations:
        shifts = [figure for one in (station.from_first, station.from_previous) for figure in _short(one)]
        near = ", ".join(word for word, _ in station.near) or "-"
        rows.append([station.name, f"{station.occurrences:,}", *shifts, near])
    return Table(f"{found.word} in {number_of(len(rows), 'model')}", heads, rows)


def _short(one: WordShift | None) -> list[str]:
    if one is None:
        return ["-", "-"]
    return [f"{one.shift:.3f}", "-" if one.z is None else f"{one.z:.2f}{' *' if one.beyond else ''}"]


def coming_and_going(found: Trajectory) -> Table:
    """The cosine of the word to each neighbour, in each model; + where it is among the nearest."""
    nearest = [dict(station.near) for station in found.stations]
    rows = [
        [
            word,
            *(
                "-" if c is None else f"{c:.3f}{' +' if word in near else '  '}"
                for c, near in zip(row, nearest, strict=True)
            ),
        ]
        for word, row in found.cosines.items()
    ]
    title = "Neighbours that come and go: cosines, with + where a word is among the nearest"
    return Table(title, ["neighbour", *(station.name for station in found.stations)], rows)
