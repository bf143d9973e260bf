"""What bounds the time of a training, and how many workers it is worth."""

from collections.abc import Sequence
from typing import NamedTuple

from pairloom.advice.planning.predict import Cost, RoundTime
from pairloom.system.display import format_bytes, format_seconds, number_of

# For each field of `RoundTime`: what binds, and why more workers do not help against it.
BINDING = {
    "training": ("training", "too little of the time is training"),
    "scanning": ("scanning the text", "every worker scans the whole text"),
    "dealing": ("dealing words to parts", "every worker deals all words and contexts"),
    "network": ("network", "every worker receives all contexts in every round"),
    "waiting": ("waiting for steps", "every step waits for the slowest worker, and for messages"),
    "parts": ("number of parts", "one thread trains a block, so threads are left without one"),
}
MEMORY = "memory"
WORTH = 1.1  # fewer workers are recommended if more of them are not faster than by this factor


class Advice(NamedTuple):
    """How many workers to use, and a sentence that says why."""

    workers: int
    why: str


def binding(cost: Cost, worker_memory: int | None = None) -> str:
    """What takes most of the time; or memory, if a worker has too little."""
    return MEMORY if not fits(cost, worker_memory) else BINDING[_slowest(cost.rounds)][0]


def fits(cost: Cost, worker_memory: int | None) -> bool:
    """Whether a worker has enough memory."""
    return worker_memory is None or cost.memory_total <= worker_memory


def _slowest(times: RoundTime) -> str:
    return max(times._fields, key=lambda name: getattr(times, name))


def advice(costs: Sequence[Cost], parts: int, worker_memory: int | None = None) -> Advice:
    """The fewest workers that are nearly as fast as any number. costs: for 1, 2, 4, ... workers, up to P."""
    fitting = [cost for cost in costs if fits(cost, worker_memory)]
    if not fitting:
        least = min(costs, key=lambda cost: cost.memory_total)
        need = format_bytes(least.memory_total)
        return Advice(
            least.workers,
            f"No number of workers fits: {number_of(least.workers, 'worker')} need {need} each. Use machines with more "
            "memory, lower dim, or raise min_count.",
        )
    fastest = min(cost.seconds for cost in fitting)
    chosen = next(cost for cost in fitting if cost.seconds <= WORTH * fastest)
    more = [cost for cost in fitting if cost.workers > chosen.workers]
    return Advice(chosen.workers, f"{_why_not_fewer(chosen, costs, fitting)}{_why_not_more(chosen, more, parts)}")


def _why_not_fewer(chosen: Cost, costs: Sequence[Cost], fitting: Sequence[Cost]) -> str:
    """The time, and what one worker would take or need."""
    said = f"{number_of(chosen.workers, 'worker')}: {format_seconds(chosen.seconds)}"
    if chosen is fitting[0] and fitting[0] is not costs[0]:
        before = costs[costs.index(chosen) - 1]
        return f"{said}; {before.workers} would need {format_bytes(before.memory_total)} each, which does not fit"
    return said if chosen is costs[0] else f"{said}, and {format_seconds(costs[0].seconds)} on one"


def _why_not_more(chosen: Cost, more: Sequence[Cost], parts: int) -> str:
    if not more:
        return f". There are {number_of(parts, 'part')}, and every worker needs one."
    after = more[0]
    reason = BINDING[_slowest(after.rounds)][1]
    return f". {after.workers} would take {format_seconds(after.seconds)}: {reason}."
