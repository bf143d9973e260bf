"""The sums of traffic and memory, against a simulation of who sends what."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from pairloom.cluster import costs
from pairloom.cluster.costs import ClusterSizes
from pairloom.cluster.workers.hub_sums import MOST_DIRECT

ROW = 64  # bytes


def sizes(**given):
    usual = {"words": 4096, "contexts": 8192, "hub_words": 0, "hub_contexts": 0, "parts": 16, "row_bytes": ROW}
    return ClusterSizes(**{**usual, "workers": 4, **given})


@dataclass
class Cluster:
    """Workers that note the bytes they receive."""

    sizes: ClusterSizes
    received: np.ndarray = field(init=False)

    def __post_init__(self):
        self.received = np.zeros(self.sizes.workers)

    def owner(self, block_row):
        return block_row * self.sizes.workers // self.sizes.parts

    def send(self, to, rows):
        self.received[to] += rows * ROW

    def turn_the_ring(self):
        """In step s, block row i needs part (i + s) mod P. What a worker had in the step before, it still has."""
        p = self.sizes.parts
        held = [{i for i in range(p) if self.owner(i) == worker} for worker in range(self.sizes.workers)]
        for step in range(1, p):
            for worker in range(self.sizes.workers):
                needed = {(i + step) % p for i in range(p) if self.owner(i) == worker}
                self.send(worker, len(needed - held[worker]) * self.sizes.slots)
                held[worker] = needed

    def deal(self, seed):
        """Every row goes to a random part. It is sent if the part belongs to another worker than before."""
        rng = np.random.default_rng(seed)
        for rows in (self.sizes.words, self.sizes.contexts):
            before, after = (self.owner(rng.permutation(rows) % self.sizes.parts) for _ in range(2))
            for worker in after[before != after]:
                self.send(worker, 1)

    def merge_hubs(self):
        """In every step, each worker sends the sum of its copies of each hub to all others."""
        n = self.sizes.workers
        for _ in range(self.sizes.parts):
            for sender in range(n):
                for worker in set(range(n)) - {sender}:
                    self.received[worker] += costs.SUMS_OF_A_PEER
                    if n <= MOST_DIRECT:
                        self.send(worker, self.sizes.hubs)
                    else:
                        self.send(worker, self.sizes.hubs // n)  # sums of the hubs that the worker cares for
                        self.send(worker, self.sizes.hubs // n)  # rows that the sender has merged


@pytest.mark.parametrize("workers", [2, 4, 8, 16])
def test_every_worker_receives_one_part_of_the_contexts_in_each_step_but_the_first(workers):
    cluster = Cluster(sizes(workers=workers))
    cluster.turn_the_ring()
    assert cluster.received.tolist() == [costs.ring(cluster.sizes)] * workers


@pytest.mark.parametrize("workers", [2, 4, 16])
def test_rows_that_are_dealt_to_another_worker_are_received(workers):
    cluster = Cluster(sizes(workers=workers))
    cluster.deal(seed=workers)
    assert cluster.received.mean() == pytest.approx(costs.dealing(cluster.sizes), rel=0.03)


@pytest.mark.parametrize("workers", [2, 4, 8])
def test_the_sums_of_copies_of_hubs_go_to_those_who_merge_them(workers):
    cluster = Cluster(sizes(workers=workers, hub_words=8, hub_contexts=16))
    cluster.merge_hubs()
    assert cluster.received.tolist() == [costs.hubs(cluster.sizes)] * workers


def test_one_worker_receives_nothing():
    assert costs.traffic(sizes(workers=1), copies_on_workers=True).total == 0


def test_copies_on_disk_are_not_received():
    on_workers, on_disk = (costs.traffic(sizes(), copies_on_workers=where) for where in (True, False))
    assert on_workers.total - on_disk.total == costs.spare_copy(sizes()) == (4096 + 8192) / 4 * ROW


def test_a_worker_holds_its_rows_twice_and_those_of_a_neighbour_twice():
    items = {
        item.what: item.size
        for item in costs.worker_memory(sizes(), pairs=4000, kept_tokens=100, copies_on_workers=True)
    }
    rows = (4096 + 8192) // 4 * ROW
    assert items["its rows, before and after the round"] == items["spare copies of a neighbour's rows"] == 2 * rows
    assert items["pairs of a round"] == 9 * 1000 + 16 * 100


def test_more_workers_need_less_memory_each():
    totals = [
        sum(
            item.size for item in costs.worker_memory(sizes(workers=n), pairs=1e6, kept_tokens=1e5, copies_on_workers=w)
        )
        for w in (False, True)
        for n in (16, 8, 4, 2)
    ]
    assert totals[:4] == sorted(totals[:4]) and totals[4:] == sorted(totals[4:]) and totals[0] < totals[4]


def test_on_one_machine_only_parts_of_the_contexts_are_on_their_way():
    same = {"pairs": 4000, "kept_tokens": 100, "copies_on_workers": False}
    apart, together = (
        {item.what: item.size for item in costs.worker_memory(sizes(), **same, on_one_machine=one)}
        for one in (False, True)
    )
    differ = {what for what in apart if apart[what] != together[what]}
    assert differ == {"rows on their way"}
    assert together["rows on their way"] == costs.PARTS_IN_USE * sizes().slots * ROW
