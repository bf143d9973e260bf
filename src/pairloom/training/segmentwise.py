"""CBOW, trained segment by segment of the text (`pairs/segments.py`).

CBOW averages each word with all words around it, so there are no blocks that share no row. One thread keeps the words
and one keeps the contexts (`kernel/steps/cbow.py`), or one keeps both, while others draw the windows of the next
segments. What is computed is the same, so the vectors are the same bytes for any number of threads.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from pairloom.corpus.vocabulary import noise
from pairloom.method.draws import Purpose, key
from pairloom.method.hierarchical import Tree, huffman
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.segments import Segment, segments
from pairloom.pairs.source import Source, WeightedNames, nodes_of
from pairloom.pairs.window_order import NO_PLACE, far_apart, in_order
from pairloom.system.threads import Workers, helpers
from pairloom.training.heldout import HeldoutWindows
from pairloom.training.loop import Runtime, TrainingLoop
from pairloom.training.start import Start
from pairloom.types import Float64s
from pairloom.vectors.embedding import Embedding

if TYPE_CHECKING:  # the kernels bring Numba
    from pairloom.kernel.steps.cbow import Pace
    from pairloom.kernel.steps.sgns import Model

MOST_ALIKE = 1 / 80  # how often two tokens may be the same word if words move late; Wikipedia unthinned has 1/89
_LATELY = 5  # times that are remembered of each way to train a segment
_SEGMENTS_PER_TRIAL = 64  # so often the slower of the two ways is tried again

# Trains a segment, with the key of its draws and the learning rates at its two ends. Returns the number of examples and
# the mean square of their inner products.
SegmentTrainer = Callable[[Callable[..., None], Segment, np.uint64, float, float], tuple[int, float]]


class SegmentTraining(TrainingLoop):
    """One training segment by segment: a step is a segment."""

    def __init__(self, source: Source, start: Start | None, runtime: Runtime) -> None:
        assert isinstance(source, TextSource)  # `Plan.of_pairs` refuses the others
        self.text = source
        self.tree = huffman(source.contexts.counts) if source.config.objective == "hs" else None
        super().__init__(source, start, runtime)
        self.heldout = self._measure_of(source)
        # If words of which there are few, or very frequent ones, moved late at a high rate, they would move too far.
        haste = source.config.lr / source.config.usual_lr
        self.overlapping = bool((source.word_share**2).sum() * haste**2 <= MOST_ALIKE)
        self.order = in_order if self.tree else far_apart
        self.train_segment = self._segment_trainer()
        self.sides = TwoSides(runtime.threads if self.overlapping else 1)

    def run(self) -> Embedding:
        """Train, with the other threads beside this one."""
        with helpers(self.runtime.threads) as self.helpers:
            return super().run()

    def _measure_of(self, source: Source) -> HeldoutWindows:
        assert isinstance(source, TextSource)
        return HeldoutWindows(source, self.tree)

    def _train_epoch(self, epoch: int) -> Iterator[int]:
        """Train segment after segment."""
        before, draws = epoch * self.source.n_positions, self.epochs_before + epoch
        train = partial(self.sides.run, self.helpers)
        for segment in segments(self.text, draws, self.helpers, self.step, self.order):
            begin, end = before + segment.begin, before + segment.end
            noise_key = key(self.config.seed, Purpose.NOISE, draws, self.step)
            n, square = self.train_segment(train, segment, noise_key, self.lr_at(begin), self.lr_at(end))
            self.n_pairs += n
            self.health.check_products(square, begin)
            if self.reports.are_due:
                self.report(end)
            self.step += 1
            yield end

    def _segment_trainer(self) -> SegmentTrainer:
        from pairloom.kernel.steps.cbow import IN_TURN, OVERLAPPING

        divide, pace = self.config.cbow_gradient == "derivative", OVERLAPPING if self.overlapping else IN_TURN
        if self.tree:
            return _cbow_hierarchical(self.model, self.tree, divide, pace)
        probability = noise(self.source.contexts.mass, self.config.noise_power)
        return _cbow_negative(self.model, probability, self.config.negatives, divide, pace)

    def _contexts(self) -> WeightedNames:
        return nodes_of(self.tree, self.source.contexts) if self.tree else self.source.contexts


def _cbow_hierarchical(model: "Model", tree: Tree, divide: bool, pace: "Pace") -> SegmentTrainer:
    from pairloom.kernel.steps import cbow
    from pairloom.kernel.steps.hierarchical import TreePaths
    from pairloom.kernel.steps.rates import Rates

    paths, turns = TreePaths.of(tree), np.diff(tree.starts)

    def train(run: Callable[..., None], segment: Segment, draws: np.uint64, *rates: float) -> tuple[int, float]:
        buffers = cbow.buffers_for_paths(segment.most_words, int(turns.max()), model.width)
        descent = cbow.WindowDescent(0, draws, Rates(*rates), divide, pace)
        run(cbow.train_hierarchical, model, buffers, segment, paths, descent)
        predicted = segment.kept[segment.places[segment.places != NO_PLACE]]
        return segment.n_windows, float(buffers.sums.sum()) / max(1, int(turns[predicted].sum()))

    return train


def _cbow_negative(model: "Model", probability: Float64s, negatives: int, divide: bool, pace: "Pace") -> SegmentTrainer:
    from pairloom.kernel.alias import AliasTable
    from pairloom.kernel.steps import cbow
    from pairloom.kernel.steps.rates import Rates
    from pairloom.kernel.steps.six import SIX

    noise = AliasTable.of(probability)

    def train(run: Callable[..., None], segment: Segment, draws: np.uint64, *rates: float) -> tuple[int, float]:
        buffers = cbow.buffers_for_sixes(segment.most_words, negatives, model.width)
        descent = cbow.WindowDescent(negatives, draws, Rates(*rates), divide, pace)
        run(cbow.train_negative, model, buffers, segment, noise, descent)
        return segment.n_windows, float(buffers.sums[:SIX].sum()) / max(1, segment.n_windows)

    return train


class TwoSides:
    """Trains segments by one thread or by two, whichever was faster of late.

    Two cores that share a cache are up to 1.8 times as fast as one. Between cores that do not, means and steps take so
    long on their way that two are slower. Which it is depends on the machine, and in a virtual one on the moment.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.costs = {n: deque([0.0] * _LATELY, _LATELY) for n in (1, 2)}  # seconds, by the number of threads
        self.n_trained = 0

    def run(self, pool: Workers, kernel: Callable[..., None], *arguments: Any) -> None:
        """Call a kernel in this thread, and at the same time in one of the pool if two are faster."""
        from pairloom.kernel.steps import cbow

        threads, began = self._threads(), time.perf_counter()
        other = pool.submit(kernel, *arguments, cbow.WORDS) if threads == 2 else None
        kernel(*arguments, cbow.CONTEXTS)
        if other and not other.cancel():
            other.result()
        self.costs[threads].append(time.perf_counter() - began)
        self.n_trained += 1

    def _threads(self) -> int:
        """The number that was faster, by its last times. Now and then, the other one."""
        if self.threads == 1:
            return 1
        faster, slower = sorted((2, 1), key=lambda n: median(self.costs[n]))
        return slower if self.n_trained % _SEGMENTS_PER_TRIAL == 0 else faster
