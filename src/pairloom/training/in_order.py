"""Training in the order of the text: hierarchical softmax, and CBOW.

Every pair of hierarchical softmax steps through the root of the tree, and CBOW averages each word with all words around
it, so there are no blocks that share no row. One thread takes the steps, strictly in the order of the text, while the
others draw the windows of the next segments. So the vectors are the same bytes for any number of threads.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from pairloom.corpus.vocabulary import noise
from pairloom.method.draws import Purpose, key
from pairloom.method.hierarchical import Tree, huffman, node_mass, node_names
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.in_order import Segment, segments
from pairloom.pairs.source import Source, WeightedNames
from pairloom.training.blockwise import noise_by_part
from pairloom.training.heldout import HeldoutMeasure, HeldoutPairs, HeldoutPaths, HeldoutWindows
from pairloom.training.loop import Runtime, TrainingLoop
from pairloom.training.start import Start
from pairloom.types import Float64s

if TYPE_CHECKING:  # the kernels bring Numba
    from pairloom.kernel.steps.hierarchical import Ways
    from pairloom.kernel.steps.sgns import Model

# Trains a segment, with the key of its draws and the learning rates at its two ends. Returns the number of examples and
# the mean square of their inner products.
SegmentTrainer = Callable[[Segment, np.uint64, float, float], tuple[int, float]]


class InOrderTraining(TrainingLoop):
    """One training in the order of the text: a step is a segment."""

    def __init__(self, source: Source, start: Start | None, runtime: Runtime) -> None:
        assert isinstance(source, TextSource)  # `Plan.of_pairs` refuses the others
        self.text = source
        self.tree = huffman(source.contexts.counts) if source.config.objective == "hs" else None
        super().__init__(source, start, runtime)
        self.heldout = _measure(source, self.tree)
        self.train_segment = self._segment_trainer()

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
        if self.tree and self.config.model == "skipgram":
            return _skipgram_hierarchical(self.model, self.tree)
        divide = self.config.cbow_gradient == "derivative"
        if self.tree:
            return _cbow_hierarchical(self.model, self.tree, divide)
        probability = noise(self.source.contexts.mass, self.config.noise_power)
        return _cbow_negative(self.model, probability, self.config.negatives, divide)

    def _contexts(self) -> WeightedNames:
        if not self.tree:
            return self.source.contexts
        return WeightedNames(node_names(self.tree), node_mass(self.tree, self.source.contexts.mass))


def _measure(source: TextSource, tree: Tree | None) -> HeldoutMeasure:
    if tree and source.config.model == "skipgram":
        return HeldoutPaths(HeldoutPairs(source), tree)
    return HeldoutWindows(source, tree)


def _skipgram_hierarchical(model: "Model", tree: Tree) -> SegmentTrainer:
    from pairloom.kernel.steps import hierarchical

    ways, longest = _ways(tree), _longest(tree)

    def train(segment: Segment, draws: np.uint64, *rates: float) -> tuple[int, float]:
        room = hierarchical.make_room(segment.reach, longest, model.width)
        done: tuple[int, float] = hierarchical.train_skipgram(model, ways, room, *segment[:3], segment.reach, *rates)
        return done

    return train


def _cbow_hierarchical(model: "Model", tree: Tree, divide: bool) -> SegmentTrainer:
    from pairloom.kernel.steps import cbow

    ways, longest = _ways(tree), _longest(tree)

    def train(segment: Segment, draws: np.uint64, *rates: float) -> tuple[int, float]:
        room = cbow.make_room(segment.reach, longest, model.width)
        done: tuple[int, float] = cbow.train_hierarchical(
            model, ways, room, segment.centres, *segment[:3], divide, *rates
        )
        return done

    return train


def _cbow_negative(model: "Model", probability: Float64s, negatives: int, divide: bool) -> SegmentTrainer:
    from pairloom.kernel.simd import LANES
    from pairloom.kernel.steps import cbow

    noise = noise_by_part(probability, np.zeros(len(probability), np.int32), 1)
    labels = np.zeros(1 + negatives + LANES, np.float32)
    labels[0] = 1

    def train(segment: Segment, draws: np.uint64, *rates: float) -> tuple[int, float]:
        room = cbow.make_room(segment.reach, 1 + negatives, model.width)
        done: tuple[int, float] = cbow.train_negative(
            model, noise, labels, room, segment.centres, *segment[:3], negatives, divide, draws, *rates
        )
        return done

    return train


def _longest(tree: Tree) -> int:
    return int(np.diff(tree.starts).max())


def _ways(tree: Tree) -> "Ways":
    from pairloom.kernel.simd import LANES
    from pairloom.kernel.steps.hierarchical import Ways

    labels = np.append(1 - tree.bits, np.zeros(LANES)).astype(np.float32)  # the last path is read in whole vectors too
    return Ways(tree.starts, tree.nodes, labels)
