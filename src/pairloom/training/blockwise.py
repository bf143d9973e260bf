"""Skip-gram with negative sampling, trained in blocks that share no row.

    for every round, from a hundred thousand to some million pairs:
        deal words and contexts to P parts, and the round's pairs into P*P blocks     (any number of threads)
        for s in 0 .. P-1:
            train the blocks (i, (i+s) mod P), i = 0 .. P-1                           (any number of threads)
            merge the copies of the hubs

Any thread may train any block. What is trained, and in which order inside a block, is fixed: the vectors are the same
bytes every time.
"""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from pairloom.corpus.vocabulary import noise
from pairloom.method.draws import Purpose, key
from pairloom.pairs.blocks import Division
from pairloom.pairs.hubs import CURVATURE, hubs_of, sampled_rows
from pairloom.pairs.parts import Dealing, deal, noise_of_parts, rows_of_parts
from pairloom.pairs.source import Dealings, Round, Source
from pairloom.training.checkpoint import State
from pairloom.training.heldout import HeldoutPairs
from pairloom.training.loop import Runtime, TrainingLoop
from pairloom.training.start import Start, aligned_zeros
from pairloom.types import Float64s

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.steps.block import BlockBuffers, RoundTables
    from pairloom.kernel.steps.parts import Merging, PartNoise, PartRows

FROZEN = {None: None, "words": 1, "contexts": 2}  # as the kernel numbers the sides
WORK_OF_A_CALL = 2 * 10**9  # pairs * dim * (negatives + 1): a sixth of a second, since an interrupt waits for a call
PAIRS_OF_A_FULL_START = 200  # trained pairs from which on a word starts at full length


class BlockTraining(TrainingLoop):
    """One training in blocks."""

    def __init__(self, source: Source, start: Start | None, runtime: Runtime) -> None:
        super().__init__(source, start, runtime)
        config, n_words, n_contexts = self.config, len(source.words.names), len(source.contexts.names)
        self.frozen = FROZEN[start.freeze if start else None]
        self.division = Division.of(n_words, n_contexts, config.dim, config.negatives)
        self.heldout = self._measure_of(source)
        self.noise = noise(source.contexts.mass, config.noise_power)
        self.hubs = Hubs(self)
        self.shift = 0  # where the next round begins, unless it was interrupted

    def _measure_of(self, source: Source) -> HeldoutPairs:
        return HeldoutPairs(source)

    def _start_lengths(self) -> Float64s:
        """Rare words start shorter: a few pairs could not turn a long random vector.

        On 5 M words of Wikipedia, 1 epoch, means of three seeds, SimLex rose from 16.3 to 18.0, with the same held-out
        loss and analogies.
        """
        pairs = self.source.word_share * self.source.n_pairs * self.config.epochs
        return np.minimum(1.0, np.sqrt(pairs / PAIRS_OF_A_FULL_START))

    def _train_epoch(self, epoch: int) -> Iterator[int]:
        """A step is a round. It can also be stopped after any of its own steps, the shifts."""
        before, pairs = epoch * self.source.n_positions, self.source.n_pairs
        edges = self.division.round_edges(pairs, epoch)
        for a_round in islice(self.source.rounds(edges), self.step, None):
            share = (a_round.end - a_round.begin) / self.source.n_positions
            parts = self.division.parts_of(share * pairs)
            while self.shift < parts:
                self.shift = self._train_round(epoch, a_round, parts)
                if self.shift < parts:
                    yield before + a_round.begin
            self.step, self.shift = self.step + 1, 0
            yield before + a_round.end

    def place(self) -> dict[str, Any]:
        return super().place() | {"shift": self.shift}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.shift = state.place["shift"]

    def _train_round(self, epoch: int, a_round: Round, parts: int) -> int:
        """Train a round starting at `shift`. Returns the next shift."""
        draws = self.epochs_before + epoch
        tables = self._tables(draws, a_round, parts)
        self.n_pairs += int(tables.starts[-1]) if self.shift == 0 else 0
        begin, end = (epoch * self.source.n_positions + at for at in (a_round.begin, a_round.end))
        rates = [self.lr_at(at) for at in np.linspace(begin, end, parts + 1).tolist()]
        share = (end - begin) / self.source.n_positions
        noise_key = key(self.config.seed, Purpose.NOISE, draws, a_round.number)
        steps = RoundSteps(self, tables, self.hubs.merging(parts, share), noise_key, np.array(rates))
        last = parts
        while steps.done < last * parts:
            here = begin + (end - begin) * steps.done / parts**2
            for square in steps.train(last):
                self.health.check_products(square, here)
                if self.reports.are_due:
                    self.report(int(here))
            if self.runtime.checkpoints is not None and self.runtime.checkpoints.stop_asked:
                last = -(-steps.done // parts)
        return last

    def _tables(self, draws: int, a_round: Round, parts: int) -> "RoundTables":
        """The pairs of a round, dealt into blocks, and the rows and the noise of its parts."""
        from pairloom.kernel.steps.block import RoundTables

        dealings = self._dealings(parts, key(self.config.seed, Purpose.PARTS, draws, a_round.number))
        rows = self.pool.submit(self._rows_and_noise, dealings)
        dealt = self.source.deal(draws, a_round, dealings, self.pool)
        return RoundTables(dealt.pairs, dealt.starts, *rows.result())

    def _dealings(self, parts: int, deal_key: np.uint64) -> Dealings:
        """Words and contexts, dealt to parts. If words are contexts, they have the same parts."""
        words = deal(len(self.source.words.names), self.hubs.words, parts, deal_key)
        if self.source.one_vocabulary:
            return Dealings(words, words, deal_key)
        contexts = deal(len(self.noise), self.hubs.contexts, parts, key(int(deal_key), Purpose.PARTS))
        return Dealings(words, contexts, deal_key)

    def _rows_and_noise(self, dealings: Dealings) -> "tuple[PartRows, PartRows, PartNoise]":
        words, contexts = self.hubs.rows(dealings.words, dealings.contexts)
        return words, contexts, noise_of_parts(self.noise, dealings.contexts, contexts.ids)


class RoundSteps:
    """The steps of one round, trained on all threads."""

    def __init__(
        self,
        training: BlockTraining,
        tables: "RoundTables",
        merging: "Merging",
        noise_key: np.uint64,
        rates: Float64s,
    ) -> None:
        from pairloom.kernel.steps.block import begin_steps

        self._training, self._tables, self._merging = training, tables, merging
        self._noise_key, self._rates, self._parts = noise_key, rates, len(rates) - 1
        self._longest = int(np.diff(tables.starts).max())
        self._unused: list[BlockBuffers] = []  # at most one per thread, used again because fresh memory costs time
        self._progress = begin_steps(self._parts, training.shift)
        config = training.config
        work = int(tables.starts[-1]) * config.dim * (config.negatives + 1) // self._parts**2
        self._blocks_of_a_call = max(1, WORK_OF_A_CALL // (1 + work))

    @property
    def done(self) -> int:
        """Blocks of the round that are done."""
        return int(self._progress[8])

    def train(self, last: int) -> Iterator[float]:
        """Train for a while, at most up to step `last` - 1. Yields the mean squares of inner products, by thread."""
        runtime = self._training.runtime
        return runtime.pool.map(self._call, [last] * runtime.threads)

    def _call(self, last: int) -> float:
        from pairloom.kernel.steps.block import Descent, Steps, make_buffers, train_steps

        model, config, tables = self._training.model, self._training.config, self._tables
        try:
            buffers = self._unused.pop()
        except IndexError:
            buffers = make_buffers(config.negatives, self._longest, tables.noise.cut.shape[1], model.width)
        steps = Steps(self._parts, last, self._progress, self._blocks_of_a_call)
        descent = Descent(config.negatives, self._noise_key, self._rates)
        square: float = train_steps(model, buffers, tables, steps, self._merging, descent, self._training.frozen)
        self._unused.append(buffers)
        return square


class Hubs:
    """The hubs of one training, with a copy of their rows for every block of a step."""

    def __init__(self, training: BlockTraining) -> None:
        source, parts, self._n_pairs = training.source, training.division.parts, training.source.n_pairs
        self.words, self.contexts = (hubs_of(share, parts) for share in (source.word_share, source.context_share))
        copies = (aligned_zeros(parts * len(hubs) * training.model.stride) for hubs in (self.words, self.contexts))
        self._word_copies, self._context_copies = copies
        self._sampled = sampled_rows(source.word_share), sampled_rows(source.context_share)
        # The steps that a hub takes for each pair: with its own pairs, and with what is drawn.
        k = training.config.negatives
        self._word_steps = (1 + k) * source.word_share[self.words]
        self._context_steps = source.context_share[self.contexts] + k * training.noise[self.contexts]

    def rows(self, words: Dealing, contexts: Dealing) -> "tuple[PartRows, PartRows]":
        """The rows of both matrices in a round."""
        from pairloom.kernel.steps.parts import PartRows

        word_rows = PartRows(rows_of_parts(words), self.words, self._word_copies)
        ids = word_rows.ids if contexts is words else rows_of_parts(contexts)
        return word_rows, PartRows(ids, self.contexts, self._context_copies)

    def merging(self, parts: int, share_of_epoch: float) -> "Merging":
        """What the kernel needs to merge copies in a round of this length."""
        from pairloom.kernel.steps.parts import Merging

        pairs = share_of_epoch * self._n_pairs / parts**2  # of a block
        return Merging(*self._sampled, pairs * self._word_steps, pairs * self._context_steps, CURVATURE)
