"""The hubs on a cluster: each worker trains copies for its rows of blocks, and after every step all copies are merged.

A merge adds up P copies in pairs, the sums in pairs again, and so on (`kernel.steps.parts.add_up`). A worker adds up
its own as far as the pairs are its own, and sends these few sums to all others, who add up the rest. Every worker then
has the same merged rows. Where there are many workers, each merges only the hubs that it *cares for* and sends them to
all others: that takes a second message, and 2 instead of N - 1 times the bytes of all hubs.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from pairloom.cluster.holder import aligned_zeros
from pairloom.cluster.rounds import RoundMaker, RoundTask
from pairloom.cluster.workers.share import SIDES, Share, Side
from pairloom.pairs.blocks import width_of
from pairloom.types import Matrix

MOST_DIRECT = 4  # workers up to which one message is better than two smaller ones: with 4, 3 and 2 times the bytes

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
        self.are_direct = len(edges) - 1 <= MOST_DIRECT  # every worker merges all hubs
        self.exist = len(maker.hubs.words) + len(maker.hubs.contexts) > 0
        self._merging = maker.merging(task)
        n_rows, self._width = int(np.diff(edges)[share.worker]), width_of(maker.config.dim)
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
        self._own_squares = self._squares

    def cared_by(self, worker: int) -> slice:
        """The hubs that a worker merges."""
        return slice(None) if self.are_direct else slice(worker, None, len(self._edges) - 1)

    def has_any(self, worker: int) -> bool:
        """Whether a worker merges any."""
        return self.are_direct or worker < max(self._n_hubs.values())

    def add_up(self) -> None:
        """At the end of a step: add up the copies of this worker."""
        from pairloom.kernel.steps.parts import PartRows, add_up, square_lengths

        share, first = self._share, self._edges[self._share.worker]
        square_lengths(share.W, *self._sampled_words, share.stride, self._width, self._squares[0])
        for side in SIDES:
            hubs = np.arange(self._n_hubs[side], dtype=np.int32)
            rows = PartRows(np.empty((1, 0), np.int32), hubs, self.copies[side].reshape(-1))
            for begin, size in nodes_of(first, self._edges[share.worker + 1]):
                add_up(share.hubs(side).reshape(-1), rows, begin - first, size, share.stride, self._width)
        self._own_squares = self._squares.copy()
        self._take_nodes(share.worker, self.sums_for(share.worker))

    def sums_for(self, worker: int) -> Sums:
        """What another worker needs of the sums of this one."""
        first, last = self._edges[self._share.worker : self._share.worker + 2]
        rows, cared = [begin - first for begin, _ in nodes_of(first, last)], self.cared_by(worker)
        words, contexts = (np.ascontiguousarray(self.copies[side][rows][:, cared, : self._width]) for side in SIDES)
        return words, contexts, self._own_squares

    def take(self, worker: int, sums: Sums) -> None:
        """Take the sums of another worker."""
        self._take_nodes(worker, sums)
        self._squares += sums[2]

    def _take_nodes(self, worker: int, sums: Sums) -> None:
        nodes = list(nodes_of(self._edges[worker], self._edges[worker + 1]))
        for side, of_side in zip(SIDES, sums[:2], strict=True):
            self._nodes[side].update(zip(nodes, of_side, strict=True))

    def merge(self, step: int) -> tuple[Matrix, Matrix]:
        """Move the hubs that this worker cares for, when the sums of all workers are here. Returns their rows."""
        from pairloom.kernel.steps.parts import PartRows, move_hubs

        merging, task, share, cared = self._merging, self._task, self._share, self.cared_by(self._share.worker)
        self._measure_hubs()
        w_square, c_square = (np.cumsum(self._squares, axis=1)[:, -1] / self._squares.shape[1]).tolist()
        pulls = (float(task.rates[step]) * merging.curvature * square for square in (c_square, w_square))
        steps = merging.word_steps, merging.context_steps
        for side, steps_of_side, pull in zip(SIDES, steps, pulls, strict=True):
            hubs = np.arange(self._n_hubs[side], dtype=np.int32)[cared]
            total = np.zeros((len(hubs), share.stride), np.float32)
            total[:, : self._width] = add_up_nodes(self._nodes[side], task.parts)
            rows = PartRows(np.empty((1, 0), np.int32), np.ascontiguousarray(hubs), total.reshape(-1))
            by = np.ascontiguousarray(steps_of_side[cared])
            move_hubs(share.hubs(side).reshape(-1), rows, task.parts, share.stride, self._width, by, pull)
        words, contexts = (share.hubs(side)[cared, : self._width] for side in SIDES)
        return words, contexts

    def put(self, worker: int, merged: tuple[Matrix, Matrix]) -> None:
        """Take the rows that another worker has merged."""
        for side, rows in zip(SIDES, merged, strict=True):
            self._share.hubs(side)[self.cared_by(worker), : self._width] = rows

    # --- v·v of the sampled rows: each worker measures those that it has

    def measure_contexts(self, trained: Iterable[tuple[int, int]]) -> None:
        """When blocks are trained, before a part goes to the next worker. trained: their parts and seats."""
        from pairloom.kernel.steps.parts import square_lengths

        share, slots = self._share, self._share.places.contexts.dealing.slots
        here = [(*self._sampled_contexts[part], seat) for part, seat in trained if part in self._sampled_contexts]
        if self.exist and here:
            numbers = np.concatenate([number for number, _, _ in here])
            rows = np.concatenate([slot + seat * slots for _, slot, seat in here])
            square_lengths(share.C, numbers, rows, share.stride, self._width, self._squares[1])

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
