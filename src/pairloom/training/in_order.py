"""Training in the order of the text: hierarchical softmax, and CBOW.

Every pair of hierarchical softmax steps through the root of the tree, and CBOW averages each word with all words around
it, so there are no blocks that share no row. Instead, threads share out the columns of all rows. They train batches of
a few windows in lockstep, strictly in the order of the text. So the vectors are the same bytes for any number of
threads.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pairloom.cluster.columns import Crew, CrewHolder
from pairloom.cluster.holder import Holder
from pairloom.corpus.vocabulary import noise
from pairloom.method.draws import Purpose, key
from pairloom.method.hierarchical import Tree, huffman, node_mass, node_names
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.in_order import Segment, segments
from pairloom.pairs.source import Source, WeightedNames
from pairloom.training.heldout import HeldoutMeasure, HeldoutPairs, HeldoutPaths, HeldoutWindows
from pairloom.training.loop import Runtime, TrainingLoop
from pairloom.training.start import Start
from pairloom.types import Float64s

if TYPE_CHECKING:  # the kernels bring Numba
    from pairloom.cluster.columns import ColumnTrainer


class Planned(NamedTuple):
    """A segment with all that is drawn for it, ready to be trained."""

    begin: int  # tokens begin to end - 1 of the corpus
    end: int
    examples: int
    trainer: "Callable[[float, float], ColumnTrainer]"  # takes the learning rates at the two ends


Planner = Callable[[Segment, np.uint64], Planned]  # takes the key of the segment's draws


class InOrderTraining(TrainingLoop):
    """One training in the order of the text: a step is a segment."""

    def __init__(self, source: Source, start: Start | None, runtime: Runtime) -> None:
        assert isinstance(source, TextSource)  # `Plan.of_pairs` refuses the others
        self.text = source
        self.tree = huffman(source.contexts.counts) if source.config.objective == "hs" else None
        super().__init__(source, start, runtime)
        self.heldout = self._measure_of(source)
        products, self.plan = self._planner()
        self.crew = self.holder.crew = Crew(self.model, products, self.pool)

    def _measure_of(self, source: Source) -> HeldoutMeasure:
        assert isinstance(source, TextSource)
        if self.tree and self.config.model == "skipgram":
            return HeldoutPaths(HeldoutPairs(source), self.tree)
        return HeldoutWindows(source, self.tree)

    def _hold(self) -> Holder:
        super()._hold()
        self.holder: CrewHolder = CrewHolder(self.model, self.config.dim, self.pool)
        return self.holder

    def _train_epoch(self, epoch: int) -> Iterator[int]:
        """Train segment after segment."""
        before, draws = epoch * self.source.n_positions, self.epochs_before + epoch

        def plan(segment: Segment, number: int) -> Planned:
            return self.plan(segment, key(self.config.seed, Purpose.NOISE, draws, number))

        self.crew.take()
        for planned in segments(self.text, draws, self.pool, plan, 2 * len(self.crew), self.step):
            begin, end = before + planned.begin, before + planned.end
            square = self.crew.train(planned.trainer(self.lr_at(begin), self.lr_at(end)))
            self.n_pairs += planned.examples
            self.health.check_products(square, begin)
            if self.reports.are_due:
                self.report(end)
            self.step += 1
            yield end

    def _planner(self) -> tuple[int, Planner]:
        """What plans segments, and how many inner products a batch has at most."""
        if self.tree and self.config.model == "skipgram":
            return _skipgram_hierarchical(self.tree, self.config.lr)
        from pairloom.kernel.steps.lockstep import batch_size

        divide = self.config.cbow_gradient == "derivative"
        if self.tree:
            return _cbow_hierarchical(self.tree, self.config.lr, divide)
        probability = noise(self.source.contexts.mass, self.config.noise_power)
        steps = self.source.context_share.max() + self.config.negatives * probability.max()
        batch = batch_size(self.config.lr, float(steps))
        return _cbow_negative(probability, self.config.negatives, batch, divide)

    def _contexts(self) -> WeightedNames:
        if not self.tree:
            return self.source.contexts
        return WeightedNames(node_names(self.tree), node_mass(self.tree, self.source.contexts.mass))


def _skipgram_hierarchical(tree: Tree, lr: float) -> tuple[int, Planner]:
    from pairloom.kernel.simd import LANES
    from pairloom.kernel.steps import hierarchical
    from pairloom.kernel.steps.lockstep import batch_size
    from pairloom.kernel.steps.rates import Rates
    from pairloom.kernel.steps.six import SIX

    paths, longest = hierarchical.TreePaths.of(tree), _longest(tree)
    batch = batch_size(lr, SIX)  # each of six words moves the root

    def planned(segment: Segment, draws: np.uint64) -> Planned:
        most = int((segment.right - segment.left).sum()) // SIX + len(segment.kept) + 1
        plan = hierarchical.PathPlan(np.empty((most, SIX), np.int32), np.empty(most, np.int32))
        n, pairs = hierarchical.plan_sixes(segment, segment.reach, plan)
        plan = hierarchical.PathPlan(plan.words[:n], plan.contexts[:n])

        def trainer(*rates: float) -> "ColumnTrainer":
            def train(model: Any, lockstep: Any) -> float:
                buffers = hierarchical.make_buffers(batch, longest, model.width)
                return float(hierarchical.train_sixes(model, buffers, plan, paths, lockstep, Rates(*rates)))

            return train

        return Planned(segment.begin, segment.end, pairs, trainer)

    return batch * longest * LANES, planned


def _cbow_hierarchical(tree: Tree, lr: float, divide: bool) -> tuple[int, Planner]:
    from pairloom.kernel.steps import cbow
    from pairloom.kernel.steps.hierarchical import TreePaths
    from pairloom.kernel.steps.lockstep import batch_size

    batch = batch_size(lr, 1)  # every window moves the root
    paths, padded = TreePaths.of(tree), cbow.whole_vectors(np.diff(tree.starts))

    def planned(segment: Segment, draws: np.uint64) -> Planned:
        places = segment.centres
        plan = cbow.make_plan(segment, places, int(padded[segment.kept[places]].sum()))
        cbow.plan_paths(plan, paths)
        return _planned_windows(segment, plan, batch, _longest(tree), divide)

    return batch * int(padded.max()), planned


def _cbow_negative(probability: Float64s, negatives: int, batch: int, divide: bool) -> tuple[int, Planner]:
    from pairloom.kernel.alias import AliasTable
    from pairloom.kernel.steps import cbow

    noise, padded = AliasTable.of(probability), cbow.whole_vectors(1 + negatives)

    def planned(segment: Segment, draws: np.uint64) -> Planned:
        places = segment.centres
        plan = cbow.make_plan(segment, places, len(places) * padded)
        cbow.plan_drawn(plan, noise, negatives, draws)
        return _planned_windows(segment, plan, batch, 1 + negatives, divide)

    return batch * padded, planned


def _planned_windows(segment: Segment, plan: Any, batch: int, predicted: int, divide: bool) -> Planned:
    from pairloom.kernel.steps import cbow
    from pairloom.kernel.steps.rates import Rates

    reach = segment.reach

    def trainer(*rates: float) -> "ColumnTrainer":
        def train(model: Any, lockstep: Any) -> float:
            buffers = cbow.make_buffers(batch, reach, predicted, model.width)
            return float(cbow.train_windows(model, buffers, plan, lockstep, Rates(*rates), divide))

        return train

    return Planned(segment.begin, segment.end, len(plan.places), trainer)


def _longest(tree: Tree) -> int:
    return int(np.diff(tree.starts).max())
