"""Skip-gram with negative sampling, trained in blocks that share no row.

    for every round of a few million pairs:
        draw the round's pairs and deal them into P*P blocks        (any number of threads, chunk by chunk)
        for s in 0 .. P-1: train the blocks (i, (i+s) mod P)         (any number of threads, span by span of i)

A span is a range of i. In step s it uses the context parts i + s. In the next step it needs one part that the span
after it used, so it waits until that span has finished step s, and for nothing else.
Which thread trains a span is left to chance. What is trained, and in which order inside a block, is not: the vectors
are the same bytes every time.
"""

from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pairloom.corpus.vocabulary import noise
from pairloom.method.draws import Purpose, key
from pairloom.pairs.blocks import deal_parts, number_of_parts, pairs_per_round
from pairloom.pairs.source import DealtPairs, Round, Source
from pairloom.system.threads import relay, spans
from pairloom.training.checkpoint import State
from pairloom.training.heldout import HeldoutPairs
from pairloom.training.loop import Runtime, TrainingLoop
from pairloom.training.start import Start
from pairloom.types import Float64s, Ids

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.steps.block import BlockBuffers, PartNoise

FROZEN = {None: None, "words": 1, "contexts": 2}  # as the kernel numbers the sides


class BlockTraining(TrainingLoop):
    """One training in blocks."""

    def __init__(self, source: Source, start: Start | None, runtime: Runtime) -> None:
        super().__init__(source, start, runtime)
        config, n_words, n_contexts = self.config, len(source.words.names), len(source.contexts.names)
        self.frozen = FROZEN[start.freeze if start else None]
        self.parts = number_of_parts(n_words, n_contexts, config.dim, source.n_pairs)
        self.pairs_per_round = pairs_per_round(self.parts, config.dim, config.negatives)
        # Long enough that the calls cost nothing, short enough that an interrupt waits less than a second for one.
        self.spans = spans(
            self.parts, max(4 * runtime.threads, self.parts * config.dim * (config.negatives + 1) // 2**16)
        )
        self.heldout = HeldoutPairs(source)
        self.noise = noise(source.contexts.mass, config.noise_power)
        self.shift = 0  # where the next round begins, unless it was interrupted

    def _train_epoch(self, epoch: int) -> Iterator[int]:
        """A step is a round. To stop inside a round, all spans stop at the same shift."""
        before = epoch * self.source.n_positions
        for a_round in islice(self.source.rounds(self.pairs_per_round), self.step, None):
            while self.shift < self.parts:
                self.shift = self._train_round(epoch, a_round)
                if self.shift < self.parts:
                    yield before + a_round.begin
            self.step, self.shift = self.step + 1, 0
            yield before + a_round.end

    def place(self) -> dict[str, Any]:
        return super().place() | {"shift": self.shift}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.shift = state.place["shift"]

    def _train_round(self, epoch: int, a_round: Round) -> int:
        """Train a round starting at `shift`. Returns the next shift."""
        draws = self.epochs_before + epoch
        word_part, context_part = self._parts_of(draws, a_round.number)
        noise = self.pool.submit(noise_by_part, self.noise, context_part, self.parts)
        dealt = self.source.deal(draws, a_round, self.parts, word_part, context_part, self.pool)
        self.n_pairs += int(dealt.starts[-1]) if self.shift == 0 else 0
        round_key = key(self.config.seed, Purpose.NOISE, draws, a_round.number)
        begin, end = (epoch * self.source.n_positions + at for at in (a_round.begin, a_round.end))
        edges = np.linspace(begin, end, self.parts + 1).tolist()
        train_span = self._span_trainer(dealt, noise.result(), round_key, [self.lr_at(position) for position in edges])
        done = len(self.spans) * self.shift
        squares = relay(self.pool, len(self.spans), range(self.shift, self.parts), train_span, self._to_stop)
        while True:
            try:
                square = next(squares)
            except StopIteration as ended:
                return int(ended.value)
            here = begin + (end - begin) * done / (len(self.spans) * self.parts)
            done += 1
            self.health.check_products(square, here)
            if self.reports.are_due:
                self.report(int(here))

    def _to_stop(self) -> bool:
        return self.runtime.checkpoints is not None and self.runtime.checkpoints.stop_asked

    def _parts_of(self, epoch: int, number: int) -> tuple[Ids, Ids]:
        """The parts of words and of contexts in a round; the same parts where words are contexts."""
        deal_key = key(self.config.seed, Purpose.PARTS, epoch, number)
        word_part = deal_parts(len(self.source.words.names), self.parts, deal_key)
        if self.source.one_vocabulary:
            return word_part, word_part
        return word_part, deal_parts(len(self.noise), self.parts, key(int(deal_key), Purpose.PARTS))

    def _span_trainer(
        self, dealt: DealtPairs, noise: "PartNoise", key: np.uint64, rates: list[float]
    ) -> Callable[[int, int], float]:
        """A function that trains the blocks (i, (i + shift) mod P) of a span and returns their largest mean square."""
        from pairloom.kernel.steps.block import Descent, Diagonal, make_buffers, train_diagonal
        from pairloom.kernel.steps.rates import Rates

        longest, contexts = (int(np.diff(starts).max()) for starts in (dealt.starts, noise.starts))
        unused: list[BlockBuffers] = []  # at most one per thread, used again because fresh memory costs time

        def train_span(shift: int, span: int) -> float:
            try:
                buffers = unused.pop()
            except IndexError:
                buffers = make_buffers(self.config.negatives, longest, contexts, self.model.width)
            diagonal = Diagonal(self.parts, shift, *self.spans[span])
            descent = Descent(self.config.negatives, key, Rates(rates[shift], rates[shift + 1]))
            square: float = train_diagonal(self.model, buffers, dealt, noise, diagonal, descent, self.frozen)
            unused.append(buffers)
            return square

        return train_span


def noise_by_part(probability: Float64s, part_of: Ids, parts: int) -> "PartNoise":
    """An alias table for the contexts of each part."""
    from pairloom.kernel.alias import alias_table
    from pairloom.kernel.steps.block import PartNoise

    ids = np.argsort(part_of.astype(np.uint16), kind="stable").astype(np.int32)  # 16 bits are sorted in linear time
    starts = np.searchsorted(part_of[ids], np.arange(parts + 1)).astype(np.int64)
    cut, other = np.empty(len(ids), np.uint64), np.empty(len(ids), np.int64)
    for begin, end in pairwise(starts.tolist()):
        mine = probability[ids[begin:end]]
        alias_table(mine / mine.sum(), cut[begin:end], other[begin:end])
        other[begin:end] = ids[begin:end][other[begin:end]]
    return PartNoise(ids, cut, other.astype(np.int32), starts)
