"""The rows that one worker has: of W the words of its parts, of C the parts in its seats, and all hubs of both."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from pairloom.cluster.holder import aligned_zeros, largest_of
from pairloom.cluster.workers.places import Places, SidePlaces
from pairloom.types import Matrix

Side = Literal["W", "C"]
SIDES: tuple[Side, Side] = ("W", "C")
SPARE = 64  # a 64th more: a dealing to more parts has more empty slots. It takes no memory until it is used


class Share(NamedTuple):
    """The rows of one worker after `number` rounds. W and C are flat, with padded rows, as kernels take them."""

    number: int
    worker: int
    places: Places
    W: Matrix
    C: Matrix
    stride: int
    memory: tuple[Matrix, Matrix]  # of W and C, in which there is a little more room

    @classmethod
    def empty(cls, number: int, worker: int, places: Places, stride: int, unused: "list[Matrix]") -> "Share":
        """With room for its rows. unused: memory of an earlier share, taken if it is large enough."""
        of_words, of_contexts = (stride * side.size(worker) for side in (places.words, places.contexts))
        W, C = memory_for(of_words, unused), memory_for(of_contexts, unused)
        return cls(number, worker, places, W[:of_words], C[:of_contexts], stride, (W, C))

    def side(self, side: Side) -> SidePlaces:
        """Where the rows of a matrix are."""
        return self.places.words if side == "W" else self.places.contexts

    def rows(self, side: Side) -> Matrix:
        """The rows of memory of a matrix, with their padding."""
        return (self.W if side == "W" else self.C).reshape(-1, self.stride)

    def hubs(self, side: Side) -> Matrix:
        """The rows of memory of the hubs."""
        return self.rows(side)[self.side(side).first_hub(self.worker) :]

    def seat(self, side: Side, seat: int) -> Matrix:
        """The rows of memory of a part."""
        slots = self.side(side).dealing.slots
        return self.rows(side)[seat * slots : (seat + 1) * slots]

    def find(self, side: Side, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which of these rows are here, and where. Hubs are everywhere; worker 0 has them here."""
        places = self.side(side)
        owner, at = places.find(ids)
        hub = owner < 0
        here = np.flatnonzero((owner == self.worker) | (hub & (self.worker == 0)))
        return here, np.where(hub, at + places.first_hub(self.worker), at)[here]

    def each_row(self, side: Side, ids: np.ndarray, fill: Callable[[Matrix, np.ndarray], None]) -> None:
        """Have all rows of memory filled: fill(rows, which), for the parts of `side` and then for the hubs."""
        places = self.side(side)
        numbers, at = places.rows_of(self.worker, ids)
        rows = np.zeros((len(numbers), self.stride), np.float32)
        fill(rows, numbers)
        self.rows(side)[at] = rows
        if len(places.dealing.hubs):
            fill(self.hubs(side), places.dealing.hubs.astype(np.int64))

    def largest(self) -> float:
        """The largest absolute component; NaN if there is one."""
        return float(np.maximum(largest_of(self.W), largest_of(self.C)))


def memory_for(size: int, unused: "list[Matrix]") -> Matrix:
    """Room for `size` floats or a few more. Rows of empty slots stay as they were, and are never used."""
    for number, memory in enumerate(unused):
        if memory.size >= size:
            return unused.pop(number)
    return aligned_zeros(size + size // SPARE)
