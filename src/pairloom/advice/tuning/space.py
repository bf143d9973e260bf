"""The options that are searched, and the next ones to try.

Candidate 0 has the defaults and, for items, candidate 1 their preset. The others take turns: odd numbers are drawn at
random from all values, even ones change one or two options of the best candidate so far. A draw depends on the seed and
the number of the candidate only.
"""

import random
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from pairloom.config import TrainConfig
from pairloom.preparing.inspection.presets import PRESETS

Options = dict[str, Any]
Space = Mapping[str, tuple[Any, ...]]

TEXT: Space = {
    "dim": (50, 100, 200, 300),
    "window": (2, 3, 5, 8, 12),
    "negatives": (3, 5, 10, 15),
    "sample": (1e-2, 1e-3, 1e-4, 1e-5),
    "epochs": (3, 5, 10, 20, 40),
    "noise_power": (0.5, 0.75, 1.0),
}
# Sessions are short and their items have no stop words. Popular items are often the right answer, rare ones too.
ITEMS: Space = {
    "dim": (50, 100, 200),
    "window": (2, 3, 5, 10),
    "negatives": (5, 10, 15, 20),
    "sample": (0.0, 1e-3, 1e-4),
    "epochs": (5, 10, 20, 40, 80),
    "lr": (0.025, 0.05),
    "noise_power": (-0.5, 0.0, 0.5, 0.75, 1.0),
    "min_count": (1, 2, 5),
}
# Candidates that would take longer than the defaults by a larger factor are not tried, unless the best so far does too.
MOST_WORK = 10
_TRIES = 200

DEFAULTS: Options = {field.name: field.default for field in fields(TrainConfig)}


def searched(space: Space, fixed: Mapping[str, Any]) -> Space:
    """The options of a space that the user has not fixed."""
    return {name: values for name, values in space.items() if name not in fixed}


def default_options(space: Space) -> Options:
    """Candidate 0."""
    return {name: DEFAULTS[name] for name in space}


def item_options(space: Space) -> Options:
    """Candidate 1, if items are learnt: the preset, as far as its options are searched.

    >>> item_options({"dim": (50, 100), "epochs": (5, 40)})
    {'dim': 100, 'epochs': 40}
    """
    return default_options(space) | {name: value for name, value in PRESETS["items"].items() if name in space}


def work(options: Mapping[str, Any]) -> float:
    """How long a training takes, about, in trainings with the defaults: it does dim * (k + 1) sums for each pair.

    >>> work({"dim": 200, "epochs": 10}), work({})
    (4.0, 1.0)
    """
    amounts = {name: options.get(name, DEFAULTS[name]) for name in ("dim", "window", "epochs", "negatives")}
    factors = [amounts[name] / DEFAULTS[name] for name in ("dim", "window", "epochs")]
    return float(factors[0] * factors[1] * factors[2] * (amounts["negatives"] + 1) / (DEFAULTS["negatives"] + 1))


def propose(space: Space, number: int, best: Options, tried: Iterable[Options], seed: int) -> Options | None:
    """The options of the candidate of this number; None if nothing new is found."""
    draw, known, most = random.Random(f"{seed}/{number}"), list(tried), max(MOST_WORK, work(best))
    for i in range(_TRIES):
        near = number % 2 == 0 and i < _TRIES // 2  # all that is near may be known
        options = _changed(draw, space, best) if near else _drawn(draw, space)
        if options not in known and work(options) <= most:
            return options
    return None


def _drawn(draw: random.Random, space: Space) -> Options:
    return {name: draw.choice(values) for name, values in space.items()}


def _changed(draw: random.Random, space: Space, best: Options) -> Options:
    """One or two options get another value: the next larger or smaller one."""
    names = draw.sample(sorted(space), min(len(space), draw.choice((1, 2))))
    return best | {name: _beside(draw, space[name], best[name]) for name in names}


def _beside(draw: random.Random, values: tuple[Any, ...], value: Any) -> Any:
    if value not in values:  # the default of an option whose values do not include it
        return draw.choice(values)
    place = values.index(value) + draw.choice((-1, 1))
    return values[min(max(place, 0), len(values) - 1)]
