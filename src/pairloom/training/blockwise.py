"""Skip-gram with negative sampling, or by hierarchical softmax, trained in blocks that share no row.

    for every round, from a hundred thousand to many million pairs:
        deal words and contexts to P parts, and the round's pairs into P*P blocks     (any number of threads)
        for s in 0 .. P-1:
            train the blocks (i, (i+s) mod P), i = 0 .. P-1                           (any number of threads)
            merge the copies of the hubs

This module says what the rounds are. An `Executor` trains them: the threads of this process, or workers on Ray. Any of
them may train any block. What is trained, and in which order inside a block, is fixed: the vectors are the same bytes
every time.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from pairloom.cluster.executor import Setting, Watch
from pairloom.cluster.holder import Holder
from pairloom.cluster.rounds import RoundTask
from pairloom.method.hierarchical import Tree, huffman
from pairloom.pairs.blocks import Division
from pairloom.pairs.source import Round, Source, WeightedNames, nodes_of
from pairloom.training.checkpoint import State
from pairloom.training.heldout import HeldoutMeasure, HeldoutPairs, HeldoutPaths
from pairloom.training.loop import Runtime, TrainingLoop
from pairloom.training.start import Start
from pairloom.types import Float64s

FROZEN = {None: None, "words": 1, "contexts": 2}  # as the kernel numbers the sides
PAIRS_OF_A_FULL_START = 200  # trained pairs from which on a word starts at full length


class BlockTraining(TrainingLoop):
    """One training in blocks."""

    dealt_per_pair = 1  # pairs that blocks have for each pair of the source
    tree: Tree | None = None

    def __init__(self, source: Source, start: Start | None, runtime: Runtime) -> None:
        self.division = self._division_of(source)
        self.frozen = FROZEN[start.freeze if start else None]
        super().__init__(source, start, runtime)
        self.heldout = self._measure_of(source)
        self.shift = 0  # where the next round begins, unless it was interrupted

    def _hold(self) -> Holder:
        lengths = self._start_lengths()
        return self.runtime.executor.begin(Setting(self.source, self.division, lengths, self.frozen, self.tree))

    def _division_of(self, source: Source) -> Division:
        sizes, config = (len(source.words.names), len(source.contexts.names)), source.config
        return Division.of(*sizes, config.dim, config.negatives, self._dealt_of(source))

    def _dealt_of(self, source: Source) -> float:
        """The pairs that the blocks of the whole training have."""
        return self.dealt_per_pair * source.n_pairs * source.config.epochs

    def _measure_of(self, source: Source) -> HeldoutMeasure:
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
        before, pairs = epoch * self.source.n_positions, self.dealt_per_pair * self.source.n_pairs
        edges = self.division.round_edges(pairs, epoch, self.config.epochs)
        for a_round in islice(self.source.rounds(edges), self.step, None):
            share = (a_round.end - a_round.begin) / self.source.n_positions
            parts = self.division.parts_of(share * pairs)
            while self.shift < parts:
                self._train_round(epoch, a_round, parts)
                if self.shift < parts:
                    yield before + a_round.begin
            self.step, self.shift = self.step + 1, 0
            yield before + a_round.end

    def place(self) -> dict[str, Any]:
        return super().place() | {"shift": self.shift}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.shift = state.place["shift"]

    def _train_round(self, epoch: int, a_round: Round, parts: int) -> None:
        """Train a round starting at `shift`, which becomes the next step: P, or less if the training is to stop."""
        begin, end = (epoch * self.source.n_positions + at for at in (a_round.begin, a_round.end))
        rates = np.array([self.lr_at(at) for at in np.linspace(begin, end, parts + 1).tolist()])
        share = (end - begin) / self.source.n_positions
        task = RoundTask(self.epochs_before + epoch, a_round, parts, self.shift, rates, share)

        def seen(done: float, square: float) -> None:
            here = begin + (end - begin) * done
            self.health.check_products(square, here)
            if self.reports.are_due:
                self.report(int(here))

        trained = self.runtime.executor.train(task, Watch(seen, self._stop_asked))
        if self.shift == 0 < trained.next_step:
            self.n_pairs += trained.n_pairs
        self.shift = trained.next_step

    def _stop_asked(self) -> bool:
        return self.runtime.checkpoints is not None and self.runtime.checkpoints.stop_asked


class HierarchicalTraining(BlockTraining):
    """One training by hierarchical softmax. Blocks have the halves of paths: two for each pair (`pairs/halves.py`)."""

    dealt_per_pair = 2
    tree: Tree

    def __init__(self, source: Source, start: Start | None, runtime: Runtime) -> None:
        self.tree = huffman(source.contexts.counts)
        super().__init__(source, start, runtime)

    def _division_of(self, source: Source) -> Division:
        return super()._division_of(source).of_halves(self._dealt_of(source))

    def _measure_of(self, source: Source) -> HeldoutPaths:
        return HeldoutPaths(HeldoutPairs(source), self.tree)

    def _contexts(self) -> WeightedNames:
        return nodes_of(self.tree, self.source.contexts)
