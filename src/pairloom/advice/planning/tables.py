"""A prediction as sentences and tables of text, for the command line."""

from collections.abc import Iterator
from typing import NamedTuple

from pairloom.advice.planning.plan import Prediction
from pairloom.advice.planning.recommend import BINDING, binding
from pairloom.system.display import format_bytes, format_seconds, number_of

_KINDS = {
    "ring": "parts of the contexts, round the ring",
    "dealing": "rows that change their worker",
    "hubs": "sums of the copies of hubs",
    "spare_copy": "spare copy of a neighbour's rows",
}


class PlanTable(NamedTuple):
    """The names of the columns, and the rows."""

    heads: list[str]
    rows: list[list[str]]


def introduction(found: Prediction) -> str:
    """What is trained and where, in two sentences."""
    work, asked = found.workload, found.asked
    rounds, epochs = sum(kind.times for kind in work.rounds), work.config.epochs
    where = (
        f"On {number_of(asked.workers, 'worker')} with {number_of(found.setup.threads, 'thread')} each and a network "
        f"of {8e-9 * found.setup.network:g} Gb/s"
        if asked.workers > 1
        else f"On one machine with {number_of(found.setup.threads, 'thread')}"
    )
    return (
        f"{number_of(work.words.rows, 'word')} of dim {work.config.dim}, {number_of(round(work.tokens), 'token')}, "
        f"{number_of(round(epochs * work.pairs), 'pair')} in {number_of(epochs, 'epoch')}: "
        f"{number_of(rounds, 'round')} of up to {number_of(found.parts, 'part')}.\n"
        f"{where}, each thread training {found.speed.pairs_per_second:,.0f} pairs a second."
    )


def tables(found: Prediction) -> Iterator[PlanTable]:
    """Time, memory, traffic if there is any, and other numbers of workers."""
    yield times(found)
    yield memory(found)
    if found.asked.workers > 1:
        yield traffic(found)
    if found.parts > 1:
        yield by_workers(found)


def times(found: Prediction) -> PlanTable:
    """Where the time goes."""
    asked = found.asked
    rows = [[BINDING[name][0], seconds] for name, seconds in asked.rounds._asdict().items() if seconds]
    rows += [["held-out loss", asked.heldout], ["saving the vectors", asked.saving], ["in all", asked.seconds]]
    rows.append(["before that: start, count and encode the text", asked.starting])
    return PlanTable(["time", ""], [[str(what), format_seconds(float(seconds))] for what, seconds in rows])


def memory(found: Prediction) -> PlanTable:
    """What a worker holds."""
    asked = found.asked
    rows = [[item.what, format_bytes(item.size)] for item in asked.memory if item.size]
    rows.append(["in all", format_bytes(asked.memory_total)])
    if asked.workers > 1:
        rows.append(["beside: the driver", format_bytes(found.driver_memory)])
    return PlanTable(["memory of a worker" if asked.workers > 1 else "memory", ""], rows)


def traffic(found: Prediction) -> PlanTable:
    """What a worker receives."""
    one, every = found.asked.traffic_of_a_round, found.asked.traffic
    rows = [
        [what, format_bytes(getattr(one, name)), format_bytes(getattr(every, name))]
        for name, what in _KINDS.items()
        if getattr(every, name)
    ]
    rows.append(["in all", format_bytes(one.total), format_bytes(every.total)])
    return PlanTable(["received by a worker", "in the longest round", "in all rounds"], rows)


def by_workers(found: Prediction) -> PlanTable:
    """Time, memory and traffic for 1, 2, 4, ... workers."""
    rows = [
        [
            f"{cost.workers:,}",
            format_seconds(cost.seconds),
            format_bytes(cost.memory_total),
            format_bytes(cost.traffic.total),
            binding(cost, found.worker_memory),
        ]
        for cost in found.by_workers
    ]
    return PlanTable(["workers", "time", "memory of each", "received by each", "what binds"], rows)


def conclusion(found: Prediction) -> str:
    """What binds, and the recommended number of workers."""
    return f"What binds: {found.binds}.\nRecommended: {found.advice.why}"
