"""What training on N workers costs each of them: bytes received in a round, and bytes held.

Worker n owns the block rows i of a span of P / N parts, so N is at most P (`pairs/blocks.py` defines parts and blocks).
In step s, block row i needs part (i + s) mod P of the contexts, so the parts of C go round a ring of workers. Every
block trains a copy of the hubs (`pairs/hubs.py`). A worker adds up its own copies and sends the sum to all others.

In all formulas, V_w and V_c are the numbers of words and contexts, H_w and H_c those of hubs, R the bytes of a row.
"""

from typing import NamedTuple

from pairloom.cluster.rounds import PAIRS_AT_ONCE
from pairloom.cluster.workers.hub_sums import MOST_DIRECT
from pairloom.pairs.from_text import MOST_SURVIVORS
from pairloom.system.memory import MemoryItem

SUMS_OF_A_PEER = 4096  # bytes that each worker sends to each other one when hubs are merged
RUNNING = 130_000_000  # bytes of Python, compiled kernels and Ray in a worker that no other process shares: measured
PER_WORD = 60  # bytes of a word or context in the tables that every worker has: labels, ids, limits, noise
# Memory that is kept for reuse or holds rows on their way, as a multiple of a worker's rows: at dim 300, 1.6 of 2
# workers and 2.4 of 4.
IN_USE = 1.8
PARTS_IN_USE = 12  # parts of C that are kept so on one machine, where nothing else is sent: measured
PER_PAIR, PER_TOKEN = 9, 16  # bytes of a pair of the round, and of a token that stays
STRING, PER_NAME = 64, 40  # bytes of a name on the driver, without its characters, and of its entries in lists


class ClusterSizes(NamedTuple):
    """What the sums are made of."""

    words: int  # V_w
    contexts: int  # V_c
    hub_words: int  # H_w
    hub_contexts: int  # H_c
    parts: int  # P
    row_bytes: int  # R
    workers: int  # N

    @property
    def hubs(self) -> int:
        """H_w + H_c"""
        return self.hub_words + self.hub_contexts

    @property
    def slots(self) -> int:
        """Rows of a part of the contexts: ceil((V_c - H_c) / P)"""
        return -(-(self.contexts - self.hub_contexts) // self.parts)

    @property
    def block_rows(self) -> int:
        """Block rows of the worker that has most of them: ceil(P / N)"""
        return -(-self.parts // self.workers)

    @property
    def state(self) -> float:
        """Bytes of the rows of one worker, hubs included: ((V_w + V_c) / N + H_w + H_c) R"""
        return ((self.words + self.contexts) / self.workers + self.hubs) * self.row_bytes


class Traffic(NamedTuple):
    """Bytes that one worker receives in a round."""

    ring: float
    dealing: float
    hubs: float
    spare_copy: float

    @property
    def total(self) -> float:
        """All of them."""
        return sum(self)

    def times(self, rounds: float) -> "Traffic":
        """The bytes of this many rounds."""
        return Traffic(*(size * rounds for size in self))

    def plus(self, other: "Traffic") -> "Traffic":
        """The bytes of both."""
        return Traffic(*(a + b for a, b in zip(self, other, strict=True)))


NO_TRAFFIC = Traffic(0.0, 0.0, 0.0, 0.0)


def traffic(sizes: ClusterSizes, *, copies_on_workers: bool) -> Traffic:
    """What a worker receives in a round. One worker alone receives nothing."""
    if sizes.workers == 1:
        return NO_TRAFFIC
    return Traffic(ring(sizes), dealing(sizes), hubs(sizes), spare_copy(sizes) if copies_on_workers else 0.0)


def ring(sizes: ClusterSizes) -> float:
    """One part of C in each step except the first: (P - 1) slots R"""
    return float((sizes.parts - 1) * sizes.slots * sizes.row_bytes)


def dealing(sizes: ClusterSizes) -> float:
    """Rows that were another worker's in the round before, sent by it or read from its copy.

    (V_w + V_c) / N (1 - 1/N) R
    """
    n = sizes.workers
    return (sizes.words + sizes.contexts) / n * (1 - 1 / n) * sizes.row_bytes


def hubs(sizes: ClusterSizes) -> float:
    """In each of the P steps, the sums of the copies of every other worker, and what else it takes to merge them:

    P (N - 1) (H R + SUMS_OF_A_PEER)                  with H = H_w + H_c, up to MOST_DIRECT workers
    P (N - 1) (H R / N + SUMS_OF_A_PEER + H R / N)    with more, who send sums of H / N hubs, and then merged rows
    """
    size = sizes.hubs * sizes.row_bytes
    sent = size if sizes.workers <= MOST_DIRECT else 2 * size / sizes.workers
    return float(sizes.parts * (sizes.workers - 1) * (sent + SUMS_OF_A_PEER))


def spare_copy(sizes: ClusterSizes) -> float:
    """The rows of a neighbour at the end of a round, in case that the neighbour is lost: ((V_w + V_c)/N + H) R"""
    return sizes.state


def worker_memory(
    sizes: ClusterSizes, *, pairs: float, kept_tokens: float, copies_on_workers: bool, on_one_machine: bool = False
) -> list[MemoryItem]:
    """What a worker holds while it trains a round with this many pairs, of which it trains pairs / N.

    Of a long round, not all pairs and tokens are there at the same time. If memory is free, a worker takes more of it.
    Its rows are there twice, as they were before the round and as they are, and those of a neighbour twice at the end.
    Rows on their way are those that change their worker, or parts of C. On one machine they are only these.
    """
    own = min(pairs / sizes.workers, PAIRS_AT_ONCE)
    on_their_way = PARTS_IN_USE * sizes.slots * sizes.row_bytes if on_one_machine else IN_USE * sizes.state
    return [
        MemoryItem("Python, kernels and Ray", RUNNING),
        MemoryItem("its rows, before and after the round", round(2 * sizes.state)),
        MemoryItem("spare copies of a neighbour's rows", round(2 * sizes.state) if copies_on_workers else 0),
        MemoryItem("rows on their way", round(on_their_way)),
        MemoryItem("copies of hubs", sizes.block_rows * sizes.hubs * sizes.row_bytes),
        MemoryItem("pairs of a round", round(PER_PAIR * own + PER_TOKEN * min(kept_tokens, MOST_SURVIVORS))),
        MemoryItem("tables of words and contexts", PER_WORD * max(sizes.words, sizes.contexts)),
    ]


def driver_memory(sizes: ClusterSizes, name_bytes: int) -> int:
    """What the driver holds: the names. It has no matrices.

    RUNNING + (STRING + PER_NAME) V_w + the characters of all names
    """
    return RUNNING + (STRING + PER_NAME) * sizes.words + name_bytes
