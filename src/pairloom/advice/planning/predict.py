"""Time, memory and traffic of a training on a given number of workers, from its workload and the speed of a thread.

In every round, each worker scans the whole text of the round for its own words, deals words to parts, and trains its
block rows in P steps. `cluster/costs.py` has the sums of bytes. One worker alone has no traffic.
"""

import math
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from pairloom.advice.planning.speed import Speed
from pairloom.advice.planning.workload import RoundKind, Workload
from pairloom.cluster import costs
from pairloom.cluster.costs import ClusterSizes, Traffic
from pairloom.pairs.source import FEWEST_HELDOUT, LARGEST_SHARE, MOST_HELDOUT
from pairloom.system.memory import RUNNING, MemoryItem
from pairloom.training.memory_need import PER_PAIR_KEPT_ASIDE, TrainingSizes, encoding_need, total, training_need

Copies = Literal["workers", "disk", "machine"]

DISK = 500e6  # bytes a second
FLUSHING = 0.05  # seconds to flush even a small file to the disk
HELDOUT_STEP = 1.5e-9  # seconds for each number of a row, of each held-out pair and each of its negatives
PREPARING = 6e-8  # seconds for a thread to count a token and to encode it
STARTING = 1.0  # seconds to load Python and kernels, once they are compiled
STARTING_RAY = 10.0  # seconds more


class Setup(NamedTuple):
    """Where a training runs."""

    threads: int  # of each worker
    network: float  # bytes a second that a worker receives
    latency: float  # seconds that a message takes
    spare_copies: Copies = "workers"


class RoundTime(NamedTuple):
    """Seconds of one or more rounds, by what they are spent on. Of work on several workers, only what none can hide."""

    training: float
    scanning: float
    dealing: float
    network: float
    waiting: float
    parts: float  # threads without a block, because there are too few parts

    @property
    def total(self) -> float:
        """All of them."""
        return sum(self)


class Cost(NamedTuple):
    """What a training takes with a given number of workers. Traffic and memory are those of one worker."""

    workers: int
    rounds: RoundTime  # of all rounds
    heldout: float  # seconds
    saving: float
    starting: float
    traffic: Traffic
    traffic_of_a_round: Traffic  # of the longest kind
    memory: list[MemoryItem]

    @property
    def seconds(self) -> float:
        """From the first round to the saved file. Start-up is not in it: it depends most on where the text is."""
        return self.rounds.total + self.heldout + self.saving

    @property
    def memory_total(self) -> int:
        """Bytes of a worker."""
        return total(self.memory)


def cost(workload: Workload, speed: Speed, setup: Setup, workers: int) -> Cost:
    """The cost of a training on this many workers."""
    times, traffic = RoundTime(*[0.0] * 6), costs.NO_TRAFFIC
    for kind in workload.rounds:
        one = round_time(workload, kind, speed, setup, workers)
        times = RoundTime(*(a + kind.times * b for a, b in zip(times, one, strict=True)))
        traffic = traffic.plus(_traffic(workload, kind, setup, workers).times(kind.times))
    config, rows = workload.config, workload.words.rows + workload.contexts.rows
    heldout = heldout_pairs(workload) * (config.negatives + 1) * config.dim * HELDOUT_STEP
    return Cost(
        workers,
        times,
        heldout * (config.epochs + 1) / setup.threads,
        FLUSHING + 4 * config.dim * rows / DISK,
        STARTING + (STARTING_RAY if workers > 1 else 0.0) + PREPARING * workload.tokens / setup.threads,
        traffic,
        _traffic(workload, workload.longest, setup, workers),
        memory(workload, setup, workers),
    )


def sizes_of(workload: Workload, parts: int, workers: int) -> ClusterSizes:
    """The numbers that costs on a cluster are made of. Rounds with few parts leave some workers without any."""
    words, contexts = workload.words, workload.contexts
    hubs = (words.hubs, contexts.hubs)
    return ClusterSizes(words.rows, contexts.rows, *hubs, parts, workload.row_bytes, min(workers, parts))


def _traffic(workload: Workload, kind: RoundKind, setup: Setup, workers: int) -> Traffic:
    on_workers = setup.spare_copies == "workers"
    return costs.traffic(sizes_of(workload, kind.parts, workers), copies_on_workers=on_workers)


def round_time(workload: Workload, kind: RoundKind, speed: Speed, setup: Setup, workers: int) -> RoundTime:
    """Seconds of a round.

    A block has pairs / P² pairs, and one thread trains it. A worker has r = P / N block rows, T threads, and so needs
    ceil(r / T) times as long as for a block in each of the P steps. A step ends when its slowest worker has ended:
    with N workers of uneven blocks, sqrt(2 log N) standard deviations after the mean one. While a worker trains, it
    receives the next part of C, if it has other blocks to train (r > 1). Merging hubs takes two messages.
    """
    sizes = sizes_of(workload, kind.parts, workers)
    p, rows, threads = kind.parts, sizes.block_rows, setup.threads
    block = kind.pairs / p**2 / speed.pairs_per_second
    busy, ideal = p * block * math.ceil(rows / threads), p * block * rows / threads
    scanning = kind.tokens * speed.token / threads + kind.pairs / sizes.workers * speed.pair / threads
    sorting = max(workload.words.rows, workload.contexts.rows) * speed.row
    if sizes.workers == 1:
        return RoundTime(ideal, scanning, sorting, 0.0, 0.0, busy - ideal)
    uneven = math.hypot(workload.words.unevenness(p), workload.contexts.unevenness(p))
    late = busy * uneven * math.sqrt(2 * math.log(sizes.workers) / rows)
    received = _traffic(workload, kind, setup, workers)
    hidden = min(received.ring / setup.network, (busy + late) * (p - 1) / p) if rows > 1 else 0.0
    copying = sizes.state / DISK if setup.spare_copies == "disk" else 0.0
    network = received.total / setup.network - hidden
    return RoundTime(ideal, scanning, sorting, network, late + 2 * p * setup.latency + copying, busy - ideal)


def memory(workload: Workload, setup: Setup, workers: int) -> list[MemoryItem]:
    """What one worker holds. For one worker alone, what `train` checks."""
    if workers > 1:
        return max((_memory_of_round(workload, kind, setup, workers) for kind in workload.rounds), key=total)
    # Only the lengths of these arrays count, so they take no memory.
    words, contexts = (np.broadcast_to(np.float64(1), side.rows) for side in (workload.words, workload.contexts))
    name_bytes = max(side.bins.name_bytes for side in (workload.words, workload.contexts))
    needed = TrainingSizes(words, contexts, name_bytes, round(workload.tokens), workload.kept, workload.pairs)
    training = training_need(replace(workload.config, heldout=0.0, patience=None), needed, setup.threads)
    training.append(_heldout_memory(workload))
    if workload.config.patience is not None:
        state = workload.row_bytes * (workload.words.rows + workload.contexts.rows)
        training.append(MemoryItem("for the best state of them", state))
    encoding = encoding_need(workload.words.rows, workload.words.bins.name_bytes, setup.threads)
    most = max(training, encoding, key=total)
    return [MemoryItem("Python and compiled code", RUNNING), *(item for item in most if item.size)]


def _memory_of_round(workload: Workload, kind: RoundKind, setup: Setup, workers: int) -> list[MemoryItem]:
    """What one of several workers holds in a round. It is not most in the longest: short rounds have larger parts."""
    return costs.worker_memory(
        sizes_of(workload, kind.parts, workers),
        pairs=kind.pairs,
        kept_tokens=kind.tokens * workload.kept,
        copies_on_workers=setup.spare_copies == "workers",
        on_one_machine=setup.spare_copies == "machine",
    )


def heldout_pairs(workload: Workload) -> float:
    """Pairs that are held out, by `source.heldout_limit`."""
    if workload.config.heldout == 0.0:
        return 0.0
    fewest = min(FEWEST_HELDOUT, LARGEST_SHARE * workload.pairs)
    return min(max(workload.config.heldout * workload.pairs, fewest), MOST_HELDOUT)


def _heldout_memory(workload: Workload) -> MemoryItem:
    of_a_pair = PER_PAIR_KEPT_ASIDE + 16 * workload.config.negatives
    return MemoryItem("for what is held out", round(heldout_pairs(workload) * of_a_pair) + 16 * workload.contexts.rows)
