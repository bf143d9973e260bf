"""The blocks of one worker in a round, trained step by step.

What a block is trained with does not depend on the vectors: its batches and its draws can be prepared while a message
is awaited.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.cluster.rounds import RoundMaker, RoundTask, step_groups
from pairloom.cluster.workers.hub_sums import HubSums
from pairloom.cluster.workers.places import block_rows
from pairloom.cluster.workers.share import SIDES, Share
from pairloom.pairs.blocks import width_of
from pairloom.pairs.source import CountedRound, DealtPairs
from pairloom.system.threads import spans

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.steps.block import Block, BlockBuffers, RoundTables
    from pairloom.kernel.steps.parts import PartNoise
    from pairloom.kernel.steps.rates import Rates


class Prepared(NamedTuple):
    """A block whose batches are made."""

    block: "Block"
    tables: "RoundTables"
    buffers: "BlockBuffers"
    sixes: int


class WorkerBlocks:
    """The blocks of a worker's rows of blocks, first_row .. last_row - 1."""

    def __init__(
        self,
        maker: RoundMaker,
        task: RoundTask,
        share: Share,
        context_ids: npt.NDArray[np.int32],
        *,
        workers: int,
        frozen: int | None,
    ) -> None:
        from pairloom.kernel.steps.sgns import Model

        self.task, self.share, self._negatives, self._frozen = task, share, maker.config.negatives, frozen
        edges = block_rows(task.parts, workers)
        self.first_row, self.last_row = int(edges[share.worker]), int(edges[share.worker + 1])
        self.n_rows = self.last_row - self.first_row
        self.hubs = HubSums(maker, task, share, edges)
        self._model = Model(share.W, share.C, width_of(maker.config.dim), share.stride)
        self._noise: PartNoise = maker.noise_of(share.places.dealings.contexts, context_ids)
        self._noise_key = maker.noise_key(task)
        self._ids = {side: self._rows_of_seats(share.side(side).dealing.slots) for side in SIDES}
        self._hub_rows = {
            side: share.side(side).first_hub(share.worker)
            + np.arange(len(share.side(side).dealing.hubs), dtype=np.int32)
            for side in SIDES
        }
        self._unused: list[BlockBuffers] = []
        self._prepared: dict[tuple[int, int], Prepared] = {}

    def _rows_of_seats(self, slots: int) -> npt.NDArray[np.int32]:
        """(seats, slots): the rows of memory of each seat."""
        return np.arange(self.n_rows * slots, dtype=np.int32).reshape(self.n_rows, slots)

    def expect(self, counted: CountedRound, at_once: int) -> None:
        """What this worker will train. at_once: how many pairs to have in memory."""
        pairs = counted.pairs_of_steps
        self.n_pairs, self._longest = int(pairs.sum()), counted.longest_block
        self.groups = step_groups(pairs, self.task.first, at_once)

    def take(self, dealt: DealtPairs, group: range) -> None:
        """The pairs of a group of steps, to be trained next."""
        self._dealt, self.group = dealt, group

    def seat_at(self, row: int, step: int) -> int:
        """The seat of the part of the contexts that a block row trains in a step."""
        return (row - self.first_row + step - self.task.first) % self.n_rows

    def prepare(self, row: int, step: int) -> None:
        """Make the batches of a block, and draw its negatives."""
        from pairloom.kernel.steps.block import prepare_block

        if (row, step) not in self._prepared:
            block, tables = self._block(row, step), self._tables(row, step)
            buffers = self._buffers()
            sixes = prepare_block(self._model, buffers, tables, block, self._negatives)
            self._prepared[row, step] = Prepared(block, tables, buffers, sixes)

    def spans(self, threads: int) -> list[range]:
        """The block rows, cut into what is trained at once. The first and the last are alone: their parts move.

        Several threads have several pieces each, so that none waits long for the last of another.
        """
        first, last = self.first_row, self.last_row - 1
        pieces = 1 if threads == 1 else 4 * threads
        between = [range(first + 1 + a, first + 1 + b) for a, b in spans(last - first - 1, pieces)]
        return [range(first, first + 1), *between, range(last, last + 1)] if first < last else [range(last, last + 1)]

    def train(self, rows: range, step: int) -> float:
        """Train the blocks of some rows, of which the first may be prepared.

        Returns the largest mean square of their pairs' inner products.
        """
        squares, row = [], rows.start
        while row < rows.stop and (row, step) in self._prepared:
            squares.append(self._descend(row, step))
            row += 1
        if row < rows.stop:
            squares.append(self._train_unprepared(range(row, rows.stop), step))
        self.hubs.measure_contexts((self._part(row, step), self.seat_at(row, step)) for row in rows)
        return float(np.max(squares))  # NaN if one is

    def _descend(self, row: int, step: int) -> float:
        """Train a prepared block."""
        from pairloom.kernel.steps.block import descend_block

        block, tables, buffers, sixes = self._prepared.pop((row, step))
        rates = self._rates(step)
        square: float = descend_block(self._model, buffers, tables, block, self._negatives, sixes, rates, self._frozen)
        self._unused.append(buffers)
        return square

    def _train_unprepared(self, rows: range, step: int) -> float:
        """In one call: calling a kernel from Python takes a tenth of the time of a block."""
        from pairloom.kernel.steps.block import RoundTables
        from pairloom.kernel.steps.block_rows import BlockRows, train_rows
        from pairloom.kernel.steps.parts import PartRows

        words, contexts = (
            PartRows(self._ids[side], self._hub_rows[side], self.hubs.copies[side].reshape(-1)) for side in SIDES
        )
        tables = RoundTables(self._dealt.pairs, self._dealt.starts, words, contexts, self._noise)
        those = BlockRows(rows.start, rows.stop, self.first_row, step, step - self.task.first)
        buffers, rates = self._buffers(), self._rates(step)
        square: float = train_rows(
            self._model, buffers, tables, those, self._noise_key, self._negatives, rates, self._frozen
        )
        self._unused.append(buffers)
        return square

    def _rates(self, step: int) -> "Rates":
        from pairloom.kernel.steps.rates import Rates

        return Rates(float(self.task.rates[step]), float(self.task.rates[step + 1]))

    def _part(self, row: int, step: int) -> int:
        """The part of the contexts that a block row trains in a step."""
        return (row + step) % self.task.parts

    def _block(self, row: int, step: int) -> "Block":
        from pairloom.kernel.rng import derive
        from pairloom.kernel.steps.block import Block

        at = row * self.task.parts + self._part(row, step)
        begin, end = self._dealt.starts[at : at + 2].tolist()
        return Block(0, 0, begin, end, self.task.parts.bit_length() - 1, np.uint64(derive(self._noise_key, at)))

    def _tables(self, row: int, step: int) -> "RoundTables":
        """The tables of one block: all of them have one part only."""
        from pairloom.kernel.steps.block import RoundTables
        from pairloom.kernel.steps.parts import PartRows

        here, part = row - self.first_row, self._part(row, step)
        words, contexts = (
            PartRows(self._ids[side][seat : seat + 1], self._hub_rows[side], self.hubs.copies[side][here].reshape(-1))
            for side, seat in zip(SIDES, (here, self.seat_at(row, step)), strict=True)
        )
        one, noise = slice(part, part + 1), self._noise
        noise = noise._replace(cut=noise.cut[one], other=noise.other[one], drawn=noise.drawn[one])
        return RoundTables(self._dealt.pairs, self._dealt.starts, words, contexts, noise)

    def _buffers(self) -> "BlockBuffers":
        from pairloom.kernel.steps.block import make_buffers

        try:
            return self._unused.pop()
        except IndexError:
            pass
        return make_buffers(self._negatives, self._longest, self._noise.cut.shape[1], self._model.width)
