"""The hubs on a cluster: each worker trains copies for its rows of blocks, and after every step all copies are merged.

A merge adds up P copies in pairs, the sums in pairs again, and so on (`kernel.steps.parts.add_up`). A worker adds up
its own as far as the pairs are its own, and sends these few sums to all others, who add up the rest. Every worker then
has the same merged rows.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from pairloom.cluster.holder import aligned_zeros
from pairloom.cluster.rounds import RoundMaker, RoundTask
from pairloom.cluster.workers.share import SIDES, Share, Side
from pairloom.types import Matrix

Sums = tuple[Matrix, Matrix, npt.NDArray[np.float64]]  # of words, of contexts, and v·v of sampled rows


def nodes_of(first: int, last: int) -> Iterator[tuple[int, int]]:
    """The range first..last-1 cut into (begin, size): sizes are powers of two, and begins are multiples of them.

    >>> list(nodes_of(5, 16))
    [(5, 1), (6, 2), (8, 8)]
    """
    while first < last:
        size = 1 << ((last - first).bit_length() - 1)
        while first % size:
            size //= 2
        yield first, size
        first += size


def add_up_nodes(nodes: dict[tuple[int, int], Matrix], parts: int) -> Matrix:
    """The sum of all nodes, which together are 0..parts-1, added in pairs of equal size."""
    size = 1
    while size < parts:
        for first in range(0, parts, 2 * size):
            if (first, size) in nodes:
                both = nodes.pop((first, size)) + nodes.pop((first + size, size))
                nodes[first, 2 * size] = both
        size *= 2
    return nodes[0, parts]


class HubSums:
    """The copies of the hubs for a worker's rows of blocks, and their merging."""

    def __init__(self, maker: RoundMaker, task: RoundTask, share: Share, edges: npt.NDArray[np.int64]) -> None:
        self._task, self._share, self._edges = task, share, edges.tolist()
        self.exist = len(maker.hubs.words) + len(maker.hubs.contexts) > 0
        self._merging = maker.merging(task)
        n_rows, self._width = int(np.diff(edges)[share.worker]), maker.config.width
        self._n_hubs = {side: len(share.side(side).dealing.hubs) for side in SIDES}
        self.copies = {
            side: aligned_zeros(n_rows * n * share.stride).reshape(n_rows, n, share.stride)
            for side, n in self._n_hubs.items()
        }
        self._sampled_words = self._find_sampled_words()
        self._sampled_contexts = self._find_sampled_contexts()
        self._squares_of_hubs = self._find_sampled_hubs()
        self.begin_step()

    def begin_step(self) -> None:
        """Forget the sums of the step before."""
        self._nodes: dict[Side, dict[tuple[int, int], Matrix]] = {side: {} for side in SIDES}
        self._squares = np.zeros((2, len(self._merging.sampled_words)))

    def add_up(self) -> Sums:
        """At the end of a step: the sums of this worker, to be sent to all others."""
        from pairloom.kernel.steps.parts import PartRows, add_up, square_lengths

        share, first = self._share, self._edges[self._share.worker]
        square_lengths(share.W, *self._sampled_words, share.stride, self._width, self._squares[0])
        nodes = list(nodes_of(first, self._edges[share.worker + 1]))
        sums = []
        for side in SIDES:
            copies, hubs = self.copies[side], np.arange(self._n_hubs[side], dtype=np.int32)
            rows = PartRows(np.empty((1, 0), np.int32), hubs, copies.reshape(-1))
            for begin, size in nodes:
                add_up(share.hubs(side).reshape(-1), rows, begin - first, size, share.stride, self._width)
            sums.append(np.ascontiguousarray(copies[[begin - first for begin, _ in nodes], :, : self._width]))
        own = sums[0], sums[1], self._squares.copy()
        self.take(share.worker, own, add_squares=False)
        return own

    def take(self, worker: int, sums: Sums, add_squares: bool = True) -> None:
        """Take the sums of a worker."""
        nodes = list(nodes_of(self._edges[worker], self._edges[worker + 1]))
        for side, of_side in zip(SIDES, sums[:2], strict=True):
            self._nodes[side].update(zip(nodes, of_side, strict=True))
        if add_squares:
            self._squares += sums[2]

    def merge(self, step: int) -> None:
        """Move the hubs, when the sums of all workers are here."""
        from pairloom.kernel.steps.parts import PartRows, move_hubs

        merging, task, share = self._merging, self._task, self._share
        self._measure_hubs()
        w_square, c_square = (np.cumsum(self._squares, axis=1)[:, -1] / self._squares.shape[1]).tolist()
        lr = float(task.rates[step])
        for side, steps, square in zip(
            SIDES, (merging.word_steps, merging.context_steps), (c_square, w_square), strict=True
        ):
            total = np.zeros((self._n_hubs[side], share.stride), np.float32)
            total[:, : self._width] = add_up_nodes(self._nodes[side], task.parts)
            hubs = np.arange(self._n_hubs[side], dtype=np.int32)
            rows = PartRows(np.empty((1, 0), np.int32), hubs, total.reshape(-1))
            pull = lr * merging.curvature * square
            move_hubs(share.hubs(side).reshape(-1), rows, task.parts, share.stride, self._width, steps, pull)

    # --- v·v of the sampled rows: each worker measures those that it has

    def measure_contexts(self, part: int, seat: int) -> None:
        """When a block is trained, before its part goes to the next worker."""
        from pairloom.kernel.steps.parts import square_lengths

        if self.exist and part in self._sampled_contexts:
            share, (number, slot) = self._share, self._sampled_contexts[part]
            row = slot + seat * share.places.contexts.dealing.slots
            square_lengths(share.C, number, row, share.stride, self._width, self._squares[1])

    def _measure_hubs(self) -> None:
        from pairloom.kernel.steps.parts import square_lengths

        for side, (number, row), squares in zip(SIDES, self._squares_of_hubs, self._squares, strict=True):
            square_lengths(self._share.hubs(side).reshape(-1), number, row, self._share.stride, self._width, squares)

    def _find_sampled_words(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The sampled words that are here: their numbers in the sample, and their rows of memory."""
        owner, row = self._share.places.words.find(self._merging.sampled_words)
        here = np.flatnonzero(owner == self._share.worker)
        return here, row[here]

    def _find_sampled_contexts(self) -> dict[int, tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """For each part of the contexts that has sampled ones: their numbers in the sample, and their slots."""
        dealing = self._share.places.dealings.contexts
        labels = dealing.labels[self._merging.sampled_contexts].astype(np.int64)
        part, slot = labels % dealing.parts, labels // dealing.parts
        dealt = labels < dealing.first_hub
        found = {}
        for number in np.unique(part[dealt]).tolist():
            those = np.flatnonzero(dealt & (part == number))
            found[number] = those, slot[those]
        return found

    def _find_sampled_hubs(self) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """The sampled hubs of both sides: their numbers in the sample, and their rows among the hubs."""
        found = []
        for side, ids in zip(SIDES, (self._merging.sampled_words, self._merging.sampled_contexts), strict=True):
            owner, row = self._share.side(side).find(ids)
            number = np.flatnonzero(owner < 0)
            found.append((number, row[number]))
        return found
