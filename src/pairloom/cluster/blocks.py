"""The blocks of one worker in a round: trained step by step, on the threads of the worker."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.cluster.holder import aligned_zeros
from pairloom.cluster.places import block_rows, ids_of
from pairloom.cluster.rounds import RoundMaker, RoundTask
from pairloom.cluster.share import SIDES, Share
from pairloom.pairs.source import DealtPairs

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.steps.block import BlockBuffers, RoundTables
    from pairloom.kernel.steps.parts import PartNoise


class Sampled(NamedTuple):
    """Rows whose v·v is needed to merge hubs: their numbers in the sample, and where they are in a seat or in W."""

    number: npt.NDArray[np.int64]
    row: npt.NDArray[np.int64]


class WorkerBlocks:
    """The blocks of a worker's rows of blocks, first_row .. last_row - 1."""

    def __init__(
        self, maker: RoundMaker, task: RoundTask, share: Share, workers: int, frozen: int | None, threads: int
    ) -> None:
        self.maker, self.task, self.share, self._frozen = maker, task, share, frozen
        edges = block_rows(task.parts, workers)
        self.first_row, self.last_row = int(edges[share.worker]), int(edges[share.worker + 1])
        self.n_rows = self.last_row - self.first_row
        hubs, stride = maker.hubs, share.stride
        self.word_copies, self.context_copies = (
            aligned_zeros(self.n_rows * len(ids) * stride).reshape(self.n_rows, len(ids), stride)
            for ids in (hubs.words, hubs.contexts)
        )
        self.word_ids, self.context_ids = ids_of(share.places.dealings)
        self._noise: PartNoise = maker.noise_of(share.places.dealings.contexts, self.context_ids)
        self._noise_key = maker.noise_key(task)
        # For kernels: the rows of memory of each seat, and those of the hubs.
        seats = np.arange(self.n_rows, dtype=np.int32)[:, None, None]
        sides = {side: share.side(side) for side in SIDES}
        self._ids = {
            side: seats * places.dealing.slots + np.arange(places.dealing.slots, dtype=np.int32)
            for side, places in sides.items()
        }
        self._hubs = {
            side: places.first_hub(share.worker) + np.arange(len(places.dealing.hubs), dtype=np.int32)
            for side, places in sides.items()
        }
        self._dealt = DealtPairs(np.empty(0, np.int64), np.zeros(task.parts**2 + 1, np.int64))
        self._unused: list[BlockBuffers] = []
        self._threads = threads
        self._sampled_words = self._sampled_in_words()
        self._sampled_contexts = self._sampled_by_part()
        self.squares = np.zeros((2, len(hubs.sampled_words)))  # v·v of the sampled rows that are here in this step

    @property
    def width(self) -> int:
        """The floats of a row that kernels compute with."""
        from pairloom.kernel.simd import LANES

        lanes: int = LANES
        return -(-self.maker.config.dim // lanes) * lanes

    @property
    def has_hubs(self) -> bool:
        """Whether copies of hubs are merged after each step."""
        return len(self.maker.hubs.words) + len(self.maker.hubs.contexts) > 0

    def take(self, dealt: DealtPairs) -> None:
        """The pairs to train."""
        self._dealt = dealt
        longest = int(np.diff(dealt.starts).max())
        self._unused = [self._new_buffers(longest) for _ in range(self._threads if self.n_rows else 0)]

    @property
    def n_pairs(self) -> int:
        """Of this worker."""
        return int(self._dealt.starts[-1])

    def part_at(self, row: int, step: int) -> int:
        """The part of the contexts that a block row trains in a step."""
        return (row + step) % self.task.parts

    def seat_at(self, row: int, step: int) -> int:
        """The seat of that part."""
        return (row - self.first_row + step - self.task.first) % self.n_rows

    def train(self, row: int, step: int) -> float:
        """Train a block. Returns the mean square of its pairs' inner products."""
        from pairloom.kernel.rng import derive
        from pairloom.kernel.steps.block import Block, train_block
        from pairloom.kernel.steps.rates import Rates
        from pairloom.kernel.steps.sgns import Model

        task, share = self.task, self.share
        part = self.part_at(row, step)
        at = row * task.parts + part
        begin, end = self._dealt.starts[at : at + 2].tolist()
        block = Block(0, 0, begin, end, task.parts.bit_length() - 1, np.uint64(derive(self._noise_key, at)))
        model = Model(share.W, share.C, self.width, share.stride)
        buffers = self._unused.pop()
        tables = self._tables(row, step, part)
        rates = Rates(float(task.rates[step]), float(task.rates[step + 1]))
        square: float = train_block(model, buffers, tables, block, self.maker.config.negatives, rates, self._frozen)
        self._unused.append(buffers)
        self._measure_contexts(part, self.seat_at(row, step))
        return square

    def _tables(self, row: int, step: int, part: int) -> "RoundTables":
        """The tables of one block: all of them have one part only."""
        from pairloom.kernel.steps.block import RoundTables
        from pairloom.kernel.steps.parts import PartRows

        here, seat = row - self.first_row, self.seat_at(row, step)
        words = PartRows(self._ids["W"][here], self._hubs["W"], self.word_copies[here].reshape(-1))
        contexts = PartRows(self._ids["C"][seat], self._hubs["C"], self.context_copies[here].reshape(-1))
        return RoundTables(self._dealt.pairs, self._dealt.starts, words, contexts, self._noise_of(part))

    def _noise_of(self, part: int) -> "PartNoise":
        one, noise = slice(part, part + 1), self._noise
        return noise._replace(cut=noise.cut[one], other=noise.other[one], drawn=noise.drawn[one])

    def _new_buffers(self, longest: int) -> "BlockBuffers":
        from pairloom.kernel.steps.block import make_buffers

        return make_buffers(self.maker.config.negatives, longest, self._noise.cut.shape[1], self.width)

    # --- The v·v of sampled rows, for merging

    def measure_words(self) -> None:
        """At the end of a step."""
        from pairloom.kernel.steps.parts import square_lengths

        square_lengths(self.share.W, *self._sampled_words, self.share.stride, self.width, self.squares[0])

    def squares_of_hubs(self) -> npt.NDArray[np.float64]:
        """v·v of the sampled hubs, which every worker has."""
        from pairloom.kernel.steps.parts import square_lengths

        share, hubs, squares = self.share, self.maker.hubs, np.zeros_like(self.squares)
        for n, (side, ids) in enumerate(zip(SIDES, (hubs.sampled_words, hubs.sampled_contexts), strict=True)):
            owner, at = share.side(side).find(ids)
            number = np.flatnonzero(owner < 0)
            square_lengths(share.hubs(side).reshape(-1), number, at[number], share.stride, self.width, squares[n])
        return squares

    def _measure_contexts(self, part: int, seat: int) -> None:
        """When a block is trained, before its part goes to the next worker."""
        from pairloom.kernel.steps.parts import square_lengths

        share = self.share
        if self.has_hubs and part in self._sampled_contexts:
            number, slot = self._sampled_contexts[part]
            row = slot + seat * share.places.contexts.dealing.slots
            square_lengths(share.C, number, row, share.stride, self.width, self.squares[1])

    def _sampled_in_words(self) -> Sampled:
        owner, row = self.share.places.words.find(self.maker.hubs.sampled_words)
        here = np.flatnonzero(owner == self.share.worker)
        return Sampled(here, row[here])

    def _sampled_by_part(self) -> dict[int, Sampled]:
        dealing = self.share.places.dealings.contexts
        labels = dealing.labels[self.maker.hubs.sampled_contexts].astype(np.int64)
        part, slot = labels % dealing.parts, labels // dealing.parts
        dealt = labels < dealing.first_hub
        found = {}
        for number in np.unique(part[dealt]).tolist():
            those = np.flatnonzero(dealt & (part == number))
            found[number] = Sampled(those, slot[those])
        return found
