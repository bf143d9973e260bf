"""A round as a task that any worker can do: what is dealt and drawn in it follows from the task and the source.

`RoundMaker` makes what is the same for all workers of a round: how rows are dealt to parts, the noise of the parts, and
how the hubs' copies are merged.
"""

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.corpus.vocabulary import noise
from pairloom.method.draws import Purpose, key
from pairloom.pairs.blocks import LONGEST_ROUND, Division
from pairloom.pairs.hubs import CURVATURE, hubs_of, sampled_rows
from pairloom.pairs.parts import Dealing, deal, noise_of_parts
from pairloom.pairs.source import Dealings, Round, Source
from pairloom.types import Float64s

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.steps.block import BlockBuffers, RoundTables, Steps
    from pairloom.kernel.steps.parts import Merging, PartNoise
    from pairloom.kernel.steps.sgns import Model


PAIRS_AT_ONCE = LONGEST_ROUND * 5 // 4  # of a round in memory, 9 bytes each; rounds differ from what is expected
SHARE_OF_SPARE_MEMORY = 4  # more of a long round may take a fourth of what is free


def pairs_at_once(spare: int | None) -> int:
    """How many pairs of a long round to have in memory, if this many bytes are to spare. The bytes stay the same.

    Dealing a group of steps takes a pass over all text of the round, so few groups are faster.
    """
    return max(PAIRS_AT_ONCE, (spare or 0) // SHARE_OF_SPARE_MEMORY // 9)


def steps_at_once(pairs: float, steps: int, at_once: int) -> int:
    """How many of these steps, which have this many pairs together, are dealt at once. One at least.

    >>> steps_at_once(8_000_000, 32, at_once=10_000_000), steps_at_once(64_000_000, 32, at_once=10_000_000)
    (32, 5)
    """
    return min(steps, max(1, int(at_once * steps / max(1.0, pairs))))


def step_groups(pairs: npt.NDArray[np.int64], first: int, at_once: int) -> list[range]:
    """The steps of a round from `first` on, in groups whose pairs are dealt at once. pairs: of each step.

    >>> step_groups(np.full(8, 4_000_000), first=3, at_once=10_000_000)
    [range(3, 5), range(5, 7), range(7, 8)]
    """
    steps = len(pairs) - first
    groups = -(-steps // steps_at_once(float(pairs[first:].sum()), steps, at_once))
    edges = [first - (-steps * group // groups) for group in range(groups + 1)]  # largest first, for the memory
    return [range(*edge) for edge in pairwise(edges)]


class RoundTask(NamedTuple):
    """A round to train, from step `first` on."""

    draws: int  # the epoch, counted with those of the vectors that the training started from
    a_round: Round
    parts: int
    first: int
    rates: Float64s  # (P + 1,): the learning rate at the begin of each step and at the end of the last
    share: float  # of the positions of an epoch


class RoundMaker:
    """What the rounds of one training are made with."""

    def __init__(self, source: Source, division: Division, frozen: int | None = None) -> None:
        self.source, self.config, self.frozen = source, source.config, frozen
        self.noise = noise(source.contexts.mass, source.config.noise_power)
        self.hubs = Hubs(source, division.parts, self.noise)
        self.n_rows = len(source.contexts.names)  # of C
        self.rows_of_a_pair: float = 1 + source.config.negatives  # of C

    def dealings(self, task: RoundTask) -> Dealings:
        """Words and contexts, dealt to parts. If words are contexts, they have the same parts."""
        return self.dealt(task.parts, key(self.config.seed, Purpose.PARTS, task.draws, task.a_round.number))

    def dealt(self, parts: int, deal_key: np.uint64) -> Dealings:
        """`dealings` by this key."""
        words = deal(len(self.source.words.names), self.hubs.words, parts, deal_key)
        if self.source.one_vocabulary:
            return Dealings(words, words, deal_key)
        contexts = deal(len(self.noise), self.hubs.contexts, parts, key(int(deal_key), Purpose.PARTS))
        return Dealings(words, contexts, deal_key)

    def noise_key(self, task: RoundTask) -> np.uint64:
        """Of the draws of a round's negatives."""
        return key(self.config.seed, Purpose.NOISE, task.draws, task.a_round.number)

    def noise_of(self, contexts: Dealing, ids: npt.NDArray[np.int32]) -> "PartNoise":
        """The noise of each part. ids: `rows_of_parts` of the contexts."""
        return noise_of_parts(self.noise, contexts, ids)

    def make_buffers(self, longest_block: int, slots: int, width: int) -> "BlockBuffers":
        """Buffers for one thread. slots: of a part of the contexts."""
        from pairloom.kernel.steps.block import make_buffers

        return make_buffers(self.config.negatives, longest_block, slots + len(self.hubs.contexts), width)

    def train(
        self,
        task: RoundTask,
        model: "Model",
        buffers: "BlockBuffers",
        tables: "RoundTables",
        steps: "Steps",
        merging: "Merging",
    ) -> float:
        """Train blocks in one thread. Returns the largest mean square of inner products."""
        from pairloom.kernel.steps.block import Descent, train_steps

        descent = Descent(self.config.negatives, self.noise_key(task), task.rates)
        square: float = train_steps(model, buffers, tables, steps, merging, descent, self.frozen)
        return square

    def merging(self, task: RoundTask) -> "Merging":
        """What the kernel needs to merge the hubs' copies after each step of a round."""
        return self.hubs.merging(task.share * self.source.n_pairs / task.parts**2)


class Hubs:
    """The hubs of one training, and how far they go in a block."""

    def __init__(self, source: Source, parts: int, noise: Float64s) -> None:
        self.words, self.contexts = (hubs_of(share, parts) for share in (source.word_share, source.context_share))
        self.sampled_words, self.sampled_contexts = map(sampled_rows, (source.word_share, source.context_share))
        # The steps that a hub takes for each pair: with its own pairs, and with what is drawn.
        k = source.config.negatives
        self._word_steps = (1 + k) * source.word_share[self.words]
        self._context_steps = source.context_share[self.contexts] + k * noise[self.contexts]

    def merging(self, pairs: float) -> "Merging":
        """For blocks of this many pairs."""
        from pairloom.kernel.steps.parts import Merging

        sampled = self.sampled_words, self.sampled_contexts
        return Merging(*sampled, pairs * self._word_steps, pairs * self._context_steps, CURVATURE)
