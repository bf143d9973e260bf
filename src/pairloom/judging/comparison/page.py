"""A comparison, and a trajectory, as a single HTML page without scripts or network access."""

from collections.abc import Sequence

from pairloom.drawing.page import section, table, whole_page
from pairloom.judging.comparison import tables
from pairloom.judging.comparison.charts import shift_plot, trajectory_plots
from pairloom.judging.comparison.neighbours import Changes
from pairloom.judging.comparison.series import Trajectory
from pairloom.judging.comparison.two_models import Comparison, WordShift

_ON_PLOT = (
    "Each word is compared with words of about its frequency, since rare words move further by chance. Look for words "
    "above the dashed line. The shift is 1 - cosine of the word with itself, after one model was rotated onto the "
    "other."
)
_ON_WORDS = (
    "z is how far the shift is above the usual one, in units of its spread by chance. Read the neighbours on both "
    "sides: they say what has changed."
)


def page(compared: Comparison, shifts: Sequence[WordShift], near: Sequence[Changes], a: str, b: str) -> str:
    """The HTML of a comparison of the models named a and b, with these words in detail."""
    shown = tables.most_shifted(shifts, near, a, b)
    side_by_side = [tables.neighbours(one, changed, a, b) for one, changed in zip(shifts, near, strict=True)]
    sections = [
        section("Shift against frequency", _ON_PLOT, shift_plot(compared)),
        section("Words", _ON_WORDS, table(shown)),
        section("Neighbours kept, gained and lost", "Open a word to see its neighbours.", "", *side_by_side),
    ]
    return whole_page(f"{a} and {b}, compared", tables.summary(compared, a, b), *sections)


def trajectory_page(found: Trajectory) -> str:
    """The HTML of a trajectory."""
    of_models = tables.stations(found)
    text = "* marks a shift beyond the noise line. Neighbours are among the words that all models have."
    sections = [
        section("Shift and neighbours", "How far the word has moved, and which words came near or went.",
                trajectory_plots(found)),
        section("Models", text, table(of_models)),
        section("Neighbours", "Cosines in every model.", table(tables.coming_and_going(found))),
    ]  # fmt: skip
    names = f"{found.stations[0].name} to {found.stations[-1].name}"
    return whole_page(f"{found.word}, {names}", f"The word in {len(found.stations)} models, in their order.", *sections)
