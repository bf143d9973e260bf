"""Where the rows are on a cluster: every row belongs to a part, and every part is with one worker.

In a round, worker n has the rows of blocks edges[n] .. edges[n+1]-1, and with them the words of these parts for the
whole round. The parts of the contexts go round: in step s, the block row i needs part (i + s) mod P. After the step it
gives this part to the block row i - 1, which needs it next. So a worker of several block rows gives one part away in a
step, and takes one in:

    step 0   worker 0 (rows 0, 1) has parts 0, 1      worker 1 (rows 2, 3) has parts 2, 3
    step 1   worker 0             has parts 1, 2      worker 1             has parts 3, 0

A part is in a *seat* of its worker, a piece of memory with room for one part. Rows of hubs are with every worker.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.cluster.rounds import RoundMaker, RoundTask
from pairloom.pairs.parts import Dealing, rows_of_parts
from pairloom.pairs.source import Dealings

Numbers = npt.NDArray[np.int64]
BothIds = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]  # `rows_of_parts` of the words and of the contexts


def block_rows(parts: int, workers: int) -> Numbers:
    """The edges of the block rows of each worker.

    >>> block_rows(16, 3).tolist()
    [0, 5, 10, 16]
    """
    return np.linspace(0, parts, workers + 1).astype(np.int64)


class SidePlaces(NamedTuple):
    """Where the rows of one matrix are."""

    dealing: Dealing
    owner: Numbers  # the worker that has each part
    seat: Numbers  # and the seat that it has there

    @property
    def _n_dealt(self) -> int:
        """Rows that are not hubs."""
        return len(self.dealing.labels) - len(self.dealing.hubs)

    def seats_of(self, worker: int) -> int:
        """How many parts a worker has."""
        return int(np.count_nonzero(self.owner == worker))

    def size(self, worker: int) -> int:
        """How many rows of memory a worker needs: for its parts, then for the hubs."""
        return self.seats_of(worker) * self.dealing.slots + len(self.dealing.hubs)

    def first_hub(self, worker: int) -> int:
        """The row of memory of the first hub."""
        return self.seats_of(worker) * self.dealing.slots

    def find(self, ids: npt.NDArray[np.integer]) -> tuple[Numbers, Numbers]:
        """The owner of each row, -1 if it is a hub, and the row of memory that it has there."""
        part, slot = self.dealing.labels[ids] % self.dealing.parts, self.dealing.labels[ids] // self.dealing.parts
        hub = slot >= self.dealing.slots
        place = self.seat[part] * self.dealing.slots + slot
        return np.where(hub, -1, self.owner[part]), np.where(hub, slot - self.dealing.slots, place)

    def rows_of(self, worker: int, ids: npt.NDArray[np.int32]) -> tuple[Numbers, Numbers]:
        """The rows of a worker that are not hubs, and the row of memory of each. ids: `rows_of_parts`."""
        parts = np.flatnonzero(self.owner == worker)
        slots = np.arange(self.dealing.slots)
        taken = slots * self.dealing.parts + parts[:, None] < self._n_dealt  # the last slot of a part may be empty
        places = self.seat[parts][:, None] * self.dealing.slots + slots
        return ids[parts][taken].astype(np.int64), places[taken]


class Places(NamedTuple):
    """Where the rows of both matrices are. Part j of the contexts is with block row j - turn."""

    dealings: Dealings
    words: SidePlaces
    contexts: SidePlaces

    @classmethod
    def of(cls, dealings: Dealings, workers: int, turn: int, turned: int) -> "Places":
        """In step `turn` of a round that began `turned` steps before."""
        rows = np.arange(dealings.parts)
        edges = block_rows(dealings.parts, workers)
        owner = np.searchsorted(edges, rows, side="right") - 1
        seat = rows - edges[owner]
        n_rows = np.diff(edges)[owner]
        at = (rows - turn) % dealings.parts  # the block row of each part of the contexts
        contexts = SidePlaces(dealings.contexts, owner[at], (seat[at] + turned) % n_rows[at])
        return cls(dealings, SidePlaces(dealings.words, owner, seat), contexts)


def first_places(maker: RoundMaker, parts: int, workers: int) -> Places:
    """Where rows are before the first round: dealt by an arbitrary key."""
    return Places.of(maker.dealt(parts, np.uint64(0)), workers, 0, 0)


def places_at_end(dealings: Dealings, task: RoundTask, workers: int) -> Places:
    """Where rows are after a round: the parts of the contexts stay where they were in its last step, P - 1."""
    return Places.of(dealings, workers, task.parts - 1, task.parts - 1 - task.first)


def moves(
    old: SidePlaces, new: SidePlaces, worker: int, ids: npt.NDArray[np.int32]
) -> Iterator[tuple[int, Numbers, Numbers]]:
    """For each worker that has rows which `worker` needs next: its number, where they are there, where they go here.

    ids: `rows_of_parts` of the new dealing. Sender and receiver compute the same, so no names of rows are sent.
    """
    needed, target = new.rows_of(worker, ids)
    owner, source = old.find(needed)
    for sender in np.unique(owner).tolist():
        theirs = owner == sender
        yield sender, source[theirs], target[theirs]


def ids_of(dealings: Dealings) -> BothIds:
    """The rows of each part."""
    words = rows_of_parts(dealings.words)
    return words, words if dealings.contexts is dealings.words else rows_of_parts(dealings.contexts)
