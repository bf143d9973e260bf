"""The rounds of hierarchical softmax: `rounds.py` for pairs of words and halves of paths."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pairloom.cluster.rounds import RoundTask
from pairloom.method.draws import Purpose, key
from pairloom.method.hierarchical import Tree
from pairloom.pairs.blocks import Division
from pairloom.pairs.halves import HalfDealings, Halves
from pairloom.pairs.hubs import CURVATURE, hubs_of, sampled_rows
from pairloom.pairs.parts import Dealing, deal
from pairloom.pairs.source import Source

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.steps.block import RoundTables, Steps
    from pairloom.kernel.steps.parts import Merging
    from pairloom.kernel.steps.path_block import HalfBuffers
    from pairloom.kernel.steps.sgns import Model


class PathHubs:
    """The frequent words, and the nodes of the top of the tree."""

    def __init__(self, source: Source, halves: Halves, parts: int) -> None:
        self.words, self.contexts = hubs_of(source.word_share, parts), np.arange(halves.n_top, dtype=np.int32)
        self._sampled = sampled_rows(source.word_share), sampled_rows(halves.node_share)
        self._word_steps = halves.mean_turns * source.word_share[self.words]
        self._node_steps = halves.node_share[: halves.n_top]

    def merging(self, pairs: float) -> "Merging":
        """For blocks of this many pairs."""
        from pairloom.kernel.steps.parts import Merging

        return Merging(*self._sampled, pairs * self._word_steps, pairs * self._node_steps, CURVATURE)


class PathRoundMaker:
    """What the rounds of one training are made with (see `rounds.RoundMaker`)."""

    def __init__(self, source: Source, division: Division, tree: Tree) -> None:
        from pairloom.kernel.steps.hierarchical import TreePaths
        from pairloom.kernel.steps.path_block import HalfPaths

        self.source, self.config = source, source.config
        self.halves = Halves.of(tree, source.context_share, division.parts)
        self.hubs = PathHubs(source, self.halves, division.parts)
        self.n_rows = len(self.halves.node_share)
        self.rows_of_a_pair = self.halves.mean_turns / 2  # of C, for a half
        nodes, labels = TreePaths.of(tree)[1:]
        self.paths: HalfPaths = HalfPaths(self.halves.begin, self.halves.turns, nodes, labels, self.halves.n_contexts)

    def dealings(self, task: RoundTask) -> HalfDealings:
        """Words and subtrees, dealt to parts."""
        deal_key = key(self.config.seed, Purpose.PARTS, task.draws, task.a_round.number)
        words = deal(len(self.source.words.names), self.hubs.words, task.parts, deal_key)
        return HalfDealings(words, self.halves.deal(task.parts, key(int(deal_key), Purpose.PARTS)), deal_key)

    def noise_of(self, contexts: Dealing, ids: npt.NDArray[np.int32]) -> None:
        """Nothing is drawn."""

    def make_buffers(self, longest_block: int, slots: int, width: int) -> "HalfBuffers":
        """Buffers for one thread. slots: lower halves of a part."""
        from pairloom.kernel.steps.path_block import make_half_buffers

        return make_half_buffers(longest_block, slots + self.halves.n_subtrees, self.halves.longest, width)

    def train(
        self,
        task: RoundTask,
        model: "Model",
        buffers: "HalfBuffers",
        tables: "RoundTables",
        steps: "Steps",
        merging: "Merging",
    ) -> float:
        """Train blocks in one thread. Returns the largest mean square of inner products."""
        from pairloom.kernel.steps.path_block import train_path_steps

        square: float = train_path_steps(model, buffers, tables, steps, merging, task.rates, self.paths)
        return square

    def merging(self, task: RoundTask) -> "Merging":
        """What the kernel needs to merge the hubs' copies after each step of a round."""
        return self.hubs.merging(task.share * self.source.n_pairs / task.parts**2)
