"""Which trial is next, by successive halving without waiting (Li et al. 2020, ASHA), with one worker.

A rung is a share of the sample and a seed. All candidates begin on the first rung, with the least text. One that is
among the best third of its rung goes on to the next. So most of the time is spent on settings that have done well.
The defaults go first, up to the last rung, so that the others can be compared with them at every share.

The next trial follows from the scores of the trials before it and from nothing else. So n trials are always the first n
of any longer search: a search that ended by the clock can be repeated by its number of trials.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

KEEP_ONE_OF = 3
FEWEST_TOKENS = 100_000  # of the smallest rung: the order of settings on less text says little about more


class Rung(NamedTuple):
    """How much of the sample is trained on, and with which seed."""

    share: float
    seed: int


class Scored(Protocol):
    """A trial that is done."""

    @property
    def candidate(self) -> int: ...
    @property
    def rung(self) -> int: ...
    @property
    def score(self) -> float: ...


class NextTrial(NamedTuple):
    """A trial to do: a candidate on a rung."""

    candidate: int
    rung: int


def rungs_for(tokens: int, seed: int) -> list[Rung]:
    """A ninth, a third and all of the sample, as far as a share has enough tokens, then all of it with another seed.

    >>> [(round(rung.share, 2), rung.seed) for rung in rungs_for(500_000, seed=1)]
    [(0.33, 1), (1.0, 1), (1.0, 2)]
    """
    shares = [share for share in (1 / 9, 1 / 3) if tokens * share >= FEWEST_TOKENS]
    return [*(Rung(share, seed) for share in shares), Rung(1.0, seed), Rung(1.0, seed + 1)]


def next_step(done: Sequence[Scored], n_rungs: int) -> NextTrial:
    """The next trial. A candidate that is one more than all before is a new one."""
    reached = sum(trial.candidate == 0 for trial in done)
    if reached < n_rungs:
        return NextTrial(0, reached)
    for rung in reversed(range(n_rungs - 1)):
        above = {trial.candidate for trial in done if trial.rung == rung + 1}
        order = sorted((trial for trial in done if trial.rung == rung), key=lambda t: (-t.score, t.candidate))
        best = order[: -(-len(order) // KEEP_ONE_OF)]  # a third, rounded up
        for trial in best:
            if trial.candidate not in above:
                return NextTrial(trial.candidate, rung + 1)
    return NextTrial(1 + max((trial.candidate for trial in done), default=-1), 0)
