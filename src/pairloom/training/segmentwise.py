"""CBOW, trained segment by segment of the text (`pairs/segments.py`).

CBOW averages each word with all words around it, so there are no blocks that share no row. One thread takes the steps,
in the order of the segments, while the others draw the windows of the next ones. So the vectors are the same bytes for
any number of threads.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from pairloom.corpus.vocabulary import noise
from pairloom.method.draws import Purpose, key
from pairloom.method.hierarchical import Tree, huffman
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.segments import Segment, segments
from pairloom.pairs.source import Source, WeightedNames, nodes_of
from pairloom.training.heldout import HeldoutWindows
from pairloom.training.loop import Runtime, TrainingLoop
from pairloom.training.start import Start
from pairloom.types import Float64s

if TYPE_CHECKING:  # the kernels bring Numba
    from pairloom.kernel.steps.sgns import Model

# Trains a segment, with the key of its draws and the learning rates at its two ends. Returns the number of examples and
# the mean square of their inner products.
SegmentTrainer = Callable[[Segment, np.uint64, float, float], tuple[int, float]]


class SegmentTraining(TrainingLoop):
    """One training segment by segment: a step is a segment."""

    def __init__(self, source: Source, start: Start | None, runtime: Runtime) -> None:
        assert isinstance(source, TextSource)  # `Plan.of_pairs` refuses the others
        self.text = source
        self.tree = huffman(source.contexts.counts) if source.config.objective == "hs" else None
        super().__init__(source, start, runtime)
        self.heldout = self._measure_of(source)
        self.train_segment = self._segment_trainer()

    def _measure_of(self, source: Source) -> HeldoutWindows:
        assert isinstance(source, TextSource)
        return HeldoutWindows(source, self.tree)

    def _train_epoch(self, epoch: int) -> Iterator[int]:
        """Train segment after segment."""
        before, draws = epoch * self.source.n_positions, self.epochs_before + epoch
        for segment in segments(self.text, draws, self.pool, self.step):
            begin, end = before + segment.begin, before + segment.end
            noise_key = key(self.config.seed, Purpose.NOISE, draws, self.step)
            n, square = self.train_segment(segment, noise_key, self.lr_at(begin), self.lr_at(end))
            self.n_pairs += n
            self.health.check_products(square, begin)
            if self.reports.are_due:
                self.report(end)
            self.step += 1
            yield end

    def _segment_trainer(self) -> SegmentTrainer:
        divide = self.config.cbow_gradient == "derivative"
        if self.tree:
            return _cbow_hierarchical(self.model, self.tree, divide)
        probability = noise(self.source.contexts.mass, self.config.noise_power)
        return _cbow_negative(self.model, probability, self.config.negatives, divide)

    def _contexts(self) -> WeightedNames:
        return nodes_of(self.tree, self.source.contexts) if self.tree else self.source.contexts


def _cbow_hierarchical(model: "Model", tree: Tree, divide: bool) -> SegmentTrainer:
    from pairloom.kernel.steps import cbow
    from pairloom.kernel.steps.hierarchical import TreePaths
    from pairloom.kernel.steps.rates import Rates

    paths, longest = TreePaths.of(tree), _longest(tree)

    def train(segment: Segment, draws: np.uint64, *rates: float) -> tuple[int, float]:
        buffers = cbow.make_buffers(segment.reach, longest, model.width)
        done: tuple[int, float] = cbow.train_hierarchical(
            model, buffers, segment, segment.centres, paths, Rates(*rates), divide
        )
        return done

    return train


def _cbow_negative(model: "Model", probability: Float64s, negatives: int, divide: bool) -> SegmentTrainer:
    from pairloom.kernel.alias import AliasTable
    from pairloom.kernel.steps import cbow
    from pairloom.kernel.steps.rates import Rates

    noise = AliasTable.of(probability)

    def train(segment: Segment, draws: np.uint64, *rates: float) -> tuple[int, float]:
        buffers = cbow.make_six_buffers(segment.reach, negatives, model.width)
        descent, places = cbow.WindowDescent(negatives, draws, Rates(*rates)), cbow.in_sixes(segment.centres)
        done: tuple[int, float] = cbow.train_negative(model, buffers, segment, places, noise, descent, divide)
        return done

    return train


def _longest(tree: Tree) -> int:
    return int(np.diff(tree.starts).max())
