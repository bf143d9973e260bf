"""The trials of a search, the best settings, and the command to run."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pairloom.advice.tuning.space import DEFAULTS, Options
from pairloom.drawing import page as html_page
from pairloom.system.display import number_of

Ending = Literal["trials", "time", "interrupted", "space"]
ENDINGS: dict[Ending, str] = {
    "trials": "",
    "time": "The time was up. The same trials again: --trials {n}.",
    "interrupted": "Interrupted. The same trials again: --trials {n}.",
    "space": "There was nothing else to try.",
}


class Trial(NamedTuple):
    """One training with its score."""

    candidate: int  # 0 has the defaults
    rung: int
    share: float  # of the sample
    seed: int
    options: Options
    score: float
    check: float | None  # the score on lines that no choice depended on
    more: dict[str, float]


class Standing(NamedTuple):
    """A candidate that was trained on the whole sample: means over its seeds."""

    candidate: int
    options: Options
    score: float
    check: float | None
    trainings: int
    spread: float  # the largest score of a seed less the smallest


@dataclass(frozen=True, kw_only=True, eq=False)
class TuningResult:
    """What was tried and what was best. `pairloom.train(corpus, **result.best)` trains with it."""

    target: str
    score_name: str
    trials: Sequence[Trial]
    fixed: Mapping[str, Any]  # options of all trials
    tokens: int  # of the sample
    tokens_read: int  # of the corpus
    ended: Ending
    corpus: tuple[str, ...] = field(default=("CORPUS",))  # for the command

    @property
    def standings(self) -> list[Standing]:
        """The candidates that were trained on the whole sample, best first."""
        whole = [trial for trial in self.trials if trial.share == 1.0]
        found = [_standing([t for t in whole if t.candidate == number]) for number in {t.candidate for t in whole}]
        return sorted(found, key=lambda one: (-one.score, one.candidate))

    @property
    def winner(self) -> Standing | None:
        """The best of them; None if no candidate was trained on the whole sample."""
        return next(iter(self.standings), None)

    @property
    def default(self) -> Standing | None:
        """The defaults."""
        return next((one for one in self.standings if one.candidate == 0), None)

    @property
    def best(self) -> Options:
        """The options to train with. Those at their defaults are left out."""
        chosen = dict(self.fixed) | (self.winner.options if self.winner else {})
        return {name: value for name, value in chosen.items() if DEFAULTS.get(name, object()) != value}

    @property
    def verdict(self) -> str:
        """Whether the best settings are better than the defaults, and by more than another seed would change."""
        winner, default = self.winner, self.default
        if winner is None or default is None:
            return "The search ended before the defaults were tried on the whole sample. Nothing is known yet."
        if winner.candidate == 0:
            return "No other settings did better than the defaults."
        gain, spread = winner.score - default.score, max(winner.spread, default.spread)
        said = f"Better than the defaults by {gain:.4f}; another seed changes the score by {spread:.4f}"
        said += " or more." if min(winner.trainings, default.trainings) < 2 else "."
        if gain <= spread:
            said += " So this may be chance: the defaults will do."
        if winner.check is not None and default.check is not None:
            lines = f" On lines that no choice depended on: {winner.check - default.check:+.4f}."
            said += lines
        return said

    @property
    def ending(self) -> str:
        """Why the search ended, if not by the number of trials that was asked for."""
        return ENDINGS[self.ended].format(n=len(self.trials))

    @property
    def command(self) -> str:
        """The command that trains with the best settings."""
        return " ".join(["pairloom train", *map(shlex.quote, self.corpus), "-o vectors.loom", *as_arguments(self.best)])

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for every trial, in the order in which they were run, for example for `pandas.DataFrame(table)`."""
        return [
            {
                "trial": number,
                "candidate": trial.candidate,
                "share": round(trial.share, 4),
                "seed": trial.seed,
                **trial.options,
                "score": trial.score,
                "check": trial.check,
                **trial.more,
            }
            for number, trial in enumerate(self.trials, 1)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        names = ("target", "score_name", "tokens", "tokens_read", "ended", "best", "verdict", "command")
        return {name: getattr(self, name) for name in names} | {
            "trials": self.table,
            "standings": [one._asdict() for one in self.standings],
        }

    def rows(self) -> html_page.Table:
        """The candidates on the whole sample, best first, then the others by how far they came."""
        names = list(self.trials[0].options) if self.trials else []
        rows = [
            [
                _name(one.candidate),
                *(_cell(one.options[name]) for name in names),
                "all",
                *_figures(one.score, one.check),
            ]
            for one in self.standings
        ]
        for trial in self._ended_early():
            shown = [_cell(trial.options[name]) for name in names]
            rows.append([_name(trial.candidate), *shown, f"1/{round(1 / trial.share)}", *_figures(trial.score, None)])
        title = f"{number_of(len(self.trials), 'trial')}, {self.score_name}"
        return html_page.Table(title, ["settings", *names, "text", "score", "check"], rows)

    def _ended_early(self) -> list[Trial]:
        """The last trial of each candidate that was not trained on the whole sample."""
        last = {trial.candidate: trial for trial in self.trials}
        there = {one.candidate for one in self.standings}
        some = [trial for number, trial in last.items() if number not in there]
        return sorted(some, key=lambda trial: (-trial.share, -trial.score, trial.candidate))

    def __repr__(self) -> str:
        return f"TuningResult({number_of(len(self.trials), 'trial')}, best={self.best})"

    def _repr_html_(self) -> str:
        return html_page.table(self.rows())


def _standing(trials: Sequence[Trial]) -> Standing:
    scores = [trial.score for trial in trials]
    checks = [trial.check for trial in trials if trial.check is not None]
    mean = sum(scores) / len(scores)
    check = sum(checks) / len(checks) if checks else None
    return Standing(trials[0].candidate, trials[0].options, mean, check, len(scores), max(scores) - min(scores))


def as_arguments(options: Mapping[str, Any]) -> list[str]:
    """Options as arguments of the command line. Functions and switches that are off have none.

    >>> as_arguments({"dim": 200, "noise_power": 0.5, "lowercase": True, "sample": 1e-05})
    ['--dim 200', '--noise-power 0.5', '--lowercase', '--sample 1e-05']
    """
    spelt = []
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            spelt.append(option)
        elif isinstance(value, str | int | float) and value is not False:
            spelt.append(f"{option} {shlex.quote(_cell(value))}")
    return spelt


def _name(candidate: int) -> str:
    return "defaults" if candidate == 0 else f"no. {candidate}"


def _cell(value: Any) -> str:
    if value is None:
        return "usual"  # the learning rate
    return f"{value:g}" if isinstance(value, float) else str(value)


def _figures(score: float, check: float | None) -> list[str]:
    return [f"{score:.4f}", "" if check is None else f"{check:.4f}"]
