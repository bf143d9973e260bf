"""Skip-gram with negative sampling, trained in blocks that share no row.

    for every round, from a hundred thousand to some million pairs:
        deal words and contexts to P parts, and the round's pairs into P*P blocks     (any number of threads)
        for s in 0 .. P-1:
            train the blocks (i, (i+s) mod P), i = 0 .. P-1                           (any number of threads)
            merge the copies of the hubs

Which thread trains a block is left to chance. What is trained, and in which order inside a block, is not: the vectors
are the same bytes every time.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from pairloom.corpus.vocabulary import noise
from pairloom.method.draws import Purpose, key
from pairloom.pairs.blocks import Division
from pairloom.pairs.hubs import hubs_of, merge_shares, sampled_rows
from pairloom.pairs.parts import Dealing, deal, noise_of_parts, rows_of_parts
from pairloom.pairs.source import Dealings, Round, Source
from pairloom.training.checkpoint import State
from pairloom.training.heldout import HeldoutPairs
from pairloom.training.loop import Runtime, TrainingLoop
from pairloom.training.start import Start, aligned_zeros
from pairloom.types import Float64s

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.steps.block import BlockBuffers, RoundTables
    from pairloom.kernel.steps.parts import PartNoise, PartRows

FROZEN = {None: None, "words": 1, "contexts": 2}  # as the kernel numbers the sides
PAIRS_OF_A_FULL_START = 200  # trained pairs from which on a word starts at full length


class BlockTraining(TrainingLoop):
    """One training in blocks."""

    def __init__(self, source: Source, start: Start | None, runtime: Runtime) -> None:
        super().__init__(source, start, runtime)
        config, n_words, n_contexts = self.config, len(source.words.names), len(source.contexts.names)
        self.frozen = FROZEN[start.freeze if start else None]
        self.division = Division.of(n_words, n_contexts, config.dim, config.negatives)
        self.heldout = HeldoutPairs(source)
        self.noise = noise(source.contexts.mass, config.noise_power)
        self.hubs = Hubs(self)
        self.shift = 0  # where the next round begins, unless it was interrupted

    def _start_lengths(self) -> Float64s:
        """Rare words start shorter: a few pairs could not turn a long random vector.

        On 5 M words of Wikipedia, 1 epoch, means of three seeds, SimLex rose from 16.3 to 18.0, with the same held-out
        loss and analogies.
        """
        pairs = self.source.word_share * self.source.n_pairs * self.config.epochs
        return np.minimum(1.0, np.sqrt(pairs / PAIRS_OF_A_FULL_START))

    def _train_epoch(self, epoch: int) -> Iterator[int]:
        """A step is a round. To stop inside a round, it ends after a shift."""
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
        edges = np.linspace(begin, end, parts + 1).tolist()
        train = self._step_trainer(tables, parts, key(self.config.seed, Purpose.NOISE, draws, a_round.number))
        for shift in range(self.shift, parts):
            rates = self.lr_at(edges[shift]), self.lr_at(edges[shift + 1])
            for square in train(shift, *rates):
                self.health.check_products(square, edges[shift])
                if self.reports.are_due:
                    self.report(int(edges[shift]))
            self.hubs.merge(tables, parts, rates[0], (end - begin) / self.source.n_positions)
            if self.runtime.checkpoints is not None and self.runtime.checkpoints.stop_asked:
                return shift + 1
        return parts

    def _tables(self, draws: int, a_round: Round, parts: int) -> "RoundTables":
        """The pairs of a round, dealt into blocks, and the rows and the noise of its parts."""
        from pairloom.kernel.steps.block import RoundTables

        dealings = self._dealings(parts, key(self.config.seed, Purpose.PARTS, draws, a_round.number))
        rows = self.pool.submit(self._rows_and_noise, dealings)
        dealt = self.source.deal(draws, a_round, dealings, self.pool)
        return RoundTables(dealt.pairs, dealt.starts, *rows.result())

    def _dealings(self, parts: int, deal_key: np.uint64) -> Dealings:
        """Words and contexts, dealt to parts; the same parts where words are contexts."""
        words = deal(len(self.source.words.names), self.hubs.words, parts, deal_key)
        if self.source.one_vocabulary:
            return Dealings(words, words, deal_key)
        contexts = deal(len(self.noise), self.hubs.contexts, parts, key(int(deal_key), Purpose.PARTS))
        return Dealings(words, contexts, deal_key)

    def _rows_and_noise(self, dealings: Dealings) -> "tuple[PartRows, PartRows, PartNoise]":
        words, contexts = self.hubs.rows(dealings.words, dealings.contexts)
        return words, contexts, noise_of_parts(self.noise, dealings.contexts, contexts.ids)

    def _step_trainer(self, tables: "RoundTables", parts: int, noise_key: np.uint64) -> Callable[..., Iterator[float]]:
        """A function that trains the blocks (i, (i + shift) mod P) and yields the mean squares of its calls."""
        from pairloom.kernel.steps.block import Descent, Diagonal, make_buffers, train_diagonal
        from pairloom.kernel.steps.rates import Rates

        longest, contexts = int(np.diff(tables.starts).max()), tables.noise.cut.shape[1]
        unused: list[BlockBuffers] = []  # at most one per thread, used again because fresh memory costs time
        # One call for each thread, or more of them, so that an interrupt waits less than a second for one.
        calls = min(parts, max(self.runtime.threads, parts * self.config.dim * (self.config.negatives + 1) // 2**16))
        most = parts if calls <= self.runtime.threads else -(-parts // calls)

        def train(shift: int, *rates: float) -> Iterator[float]:
            diagonal = Diagonal(parts, shift, np.zeros(1, np.int64), most)
            descent = Descent(self.config.negatives, noise_key, Rates(*rates))

            def call(_: int) -> float:
                try:
                    buffers = unused.pop()
                except IndexError:
                    buffers = make_buffers(self.config.negatives, longest, contexts, self.model.width)
                square: float = train_diagonal(self.model, buffers, tables, diagonal, descent, self.frozen)
                unused.append(buffers)
                return square

            return self.pool.map(call, range(calls))

        return train


class Hubs:
    """The hubs of one training, with a copy of their rows for every block of a step."""

    def __init__(self, training: BlockTraining) -> None:
        self._training, source, parts = training, training.source, training.division.parts
        self.words, self.contexts = (hubs_of(share, parts) for share in (source.word_share, source.context_share))
        copies = (aligned_zeros(parts * len(hubs) * training.model.stride) for hubs in (self.words, self.contexts))
        self._word_copies, self._context_copies = copies
        self._sampled_words, self._sampled_contexts = (
            sampled_rows(share) for share in (source.word_share, source.context_share)
        )
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

    def merge(self, tables: "RoundTables", parts: int, lr: float, share_of_epoch: float) -> None:
        """Merge the copies after a step of a round."""
        from pairloom.kernel.steps.parts import mean_square_length, merge_hubs

        W, C, width, stride = self._training.model
        pairs = share_of_epoch * self._training.source.n_pairs / parts**2  # of a block
        w_square = mean_square_length(W, self._sampled_words, stride, width)
        c_square = mean_square_length(C, self._sampled_contexts, stride, width)
        word_shares = merge_shares(pairs * self._word_steps, lr, c_square, parts)
        context_shares = merge_shares(pairs * self._context_steps, lr, w_square, parts)
        merge_hubs(W, tables.words, parts, stride, width, word_shares)
        merge_hubs(C, tables.contexts, parts, stride, width, context_shares)
