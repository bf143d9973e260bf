"""The trials of a search as a plot and as a page."""

from collections.abc import Sequence

from pairloom.advice.tuning.result import Trial, TuningResult
from pairloom.drawing import svg
from pairloom.drawing.page import figure, key, section, table, whole_page
from pairloom.drawing.picture import FONT, Picture
from pairloom.system.display import html, number_of

_COLOURS = {"s0": "#0a5fb4", "s1": "#b45309"}
_STYLE = (
    f"svg {{ font-family: {FONT}; background: #fff; }} text {{ font-size: 12px; fill: #1b1f24; }}"
    " .axis { fill: none; stroke: #57606a; } .grid { stroke: #d8dde3; } .line { fill: none; stroke-width: 2; }"
    + "".join(f" .dot.{name} {{ fill: {ink}; }} .line.{name} {{ stroke: {ink}; }}" for name, ink in _COLOURS.items())
)
_SMALLEST, _LARGEST = 2.5, 6.0  # radius of a dot, by the share of the text


def plot(result: TuningResult) -> str:
    """A dot for the score of each trial, larger for more text, and a line for the best on the whole sample so far."""
    trials = result.trials
    scores = [trial.score for trial in trials]
    low, high = min(scores), max(scores)
    room = (high - low) * 0.08 or 0.01
    x, y = (0.0, len(trials) + 1.0), (low - room, high + room)
    axes = svg.Axes("Scores of the trials", x, y, "trial", result.score_name, svg.ticks(*x), svg.ticks(*y))
    marks = [svg.line(axes, _best_so_far(trials), "s1")]
    for name, which in (("s0", False), ("s1", True)):
        some = [(n, trial) for n, trial in enumerate(trials, 1) if (trial.candidate == 0) == which]
        points = [(float(n), trial.score) for n, trial in some]
        sizes = [_SMALLEST + (_LARGEST - _SMALLEST) * trial.share for _, trial in some]
        marks.append(svg.dots(axes, points, sizes, [_hint(n, trial) for n, trial in some], name))
    return svg.drawing(axes, *marks)


def _best_so_far(trials: Sequence[Trial]) -> list[tuple[float, float]]:
    """Steps: the highest score of a trial on the whole sample so far."""
    points: list[tuple[float, float]] = []
    for n, trial in enumerate(trials, 1):
        if trial.share == 1.0 and (not points or trial.score > points[-1][1]):
            points += [(float(n), points[-1][1])] if points else []
            points.append((float(n), trial.score))
    return [*points, (float(len(trials)), points[-1][1])] if points else []


def _hint(number: int, trial: Trial) -> str:
    options = ", ".join(f"{name} {value}" for name, value in trial.options.items())
    return f"trial {number}: {trial.score:.4f} with {trial.share:.0%} of the sample; {options}"


def chart(result: TuningResult) -> Picture:
    """The plot as a picture of its own."""
    size = f'<svg xmlns="http://www.w3.org/2000/svg" width="{svg.WIDTH}" height="{svg.HEIGHT}" '
    drawn = plot(result).replace("<svg ", size, 1).replace(">\n", f">\n<style>{_STYLE}</style>\n", 1)
    return Picture(title="Scores of the trials", svg=drawn + "\n")


def page(result: TuningResult) -> str:
    """A page with the verdict, the command, the plot and the table."""
    read = f"{number_of(result.tokens, 'token')} of {result.tokens_read:,}"
    introduction = f"{result.verdict} {number_of(len(result.trials), 'trial')} on a sample of {read}."
    caption = (
        f"{html(result.score_name)}, higher is better. {key(1, 'The defaults')}, {key(0, 'other settings')}; larger "
        "dots were trained on more of the sample. The line is the best so far on the whole sample."
    )
    command = f"<p>Train with the best settings:</p>\n<pre>{html(result.command)}</pre>"
    shown = figure(caption, plot(result))
    return whole_page(
        f"Settings for {result.target}",
        introduction,
        command,
        section("Trials", result.ending, shown),
        f"<section>\n<h2>Settings</h2>\n{table(result.rows())}\n</section>",
    )
