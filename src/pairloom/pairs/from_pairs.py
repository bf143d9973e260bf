"""Given pairs as a source. Whatever made them, they are trained like the pairs of a text.

Files of pairs are often sorted. If a round were one piece of the file, the pairs at its beginning would be learnt at a
high learning rate and those at its end at a low one. So the file is cut into short *slices*, and a round takes every
n-th of them.
"""

import math
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import TrainConfig
from pairloom.corpus.vocabulary import keep_probability
from pairloom.method.contexts import keep_limit
from pairloom.method.draws import PAIRS_PER_SLICE, Purpose, heldout_key, key, uniform
from pairloom.pairs.pair_encoding import EncodedPairs
from pairloom.pairs.source import DealtPairs, Round, Source, heldout_limit
from pairloom.system.threads import Workers
from pairloom.types import Ids

SLICES_PER_CHUNK = 64  # dealt by one thread at a time
_AT_ONCE = 1 << 20  # pairs


class _Slices(NamedTuple):
    """A chunk of a round: the n slices first, first + step, first + 2 * step, ..."""

    first: int
    step: int
    n: int


class PairSource(Source):
    """Pairs over two vocabularies, as often as their weights say: 2.3 is twice, and a third time in 3 of 10 epochs."""

    one_vocabulary = False
    unit = "pairs"
    unused_options = frozenset({"window", "left", "right", "window_shape", "positional", "clean"})
    no_pairs_message = (
        "Every pair has weight 0 or was left out by subsampling, so there is nothing to learn from. Use sample=0."
    )

    def __init__(self, encoded: EncodedPairs, config: TrainConfig) -> None:
        super().__init__(config)
        self.encoded, self.words, self.contexts = encoded, encoded.words, encoded.contexts
        self.n_positions, self.weighted = len(encoded.pairs), len(encoded.weights) > 0
        self.limits, kept = _keep_limits(encoded, config)
        total = _total(encoded.weights) if self.weighted else float(self.n_positions)
        self.mean_weight = total / self.n_positions
        self.n_pairs = max(1.0, kept * total)
        self.record = {"sha256": encoded.digest, "pairs": self.n_positions}
        self.heldout_limit = np.uint64(heldout_limit(int(total), self.n_pairs, config))

    def rounds(self, pairs: int) -> Iterator[Round]:
        """The rounds of an epoch. A sweep over the file has `last` rounds, and `first` counts them through all sweeps.

        Heavy pairs come in several sweeps, about two for each unit of mean weight. So the copies of a pair are not all
        in one round, and reading still takes less time than training.
        """
        n = max(1, math.ceil(self.n_pairs / pairs))
        sweeps = min(n, max(1, int(2 * self.mean_weight))) if self.weighted else 1
        per_sweep = -(-n // sweeps)
        edges = np.linspace(0, self.n_positions, sweeps * per_sweep + 1).astype(int).tolist()
        for number in range(sweeps * per_sweep):
            yield Round(number, number, per_sweep, edges[number], edges[number + 1], sweeps)

    def deal(
        self, epoch: int, a_round: Round, parts: int, word_part: Ids, context_part: Ids, pool: Workers
    ) -> DealtPairs:
        from pairloom.kernel.steps.deal_pairs import count, deal
        from pairloom.kernel.steps.deal_text import Parts

        by_part = Parts(parts, word_part, context_part)
        sweep, first = divmod(a_round.first, a_round.last)

        def count_chunk(chunk: _Slices, counts: npt.NDArray[np.int64]) -> Ids:
            copies = self._copies(chunk, self.config.seed, epoch, sweep, a_round.sweeps)
            count(self.encoded.pairs, chunk, copies, by_part, counts)
            return copies

        def write_chunk(
            chunk: _Slices, copies: Ids, begins: npt.NDArray[np.int64], pairs: npt.NDArray[np.int64]
        ) -> None:
            deal(self.encoded.pairs, chunk, copies, _number_of_passes(copies), by_part, begins, pairs)

        chunks = list(_chunks(self.n_positions, first, a_round.last))
        dealt = self._deal_chunks(chunks, parts, count_chunk, write_chunk, pool)
        self.encoded.release()
        return dealt

    def heldout_pairs(self) -> Iterator[tuple[int, int]]:
        """The held-out pairs. If pairs have weights, a share of each weight is held out rather than whole pairs."""
        share = float(self.heldout_limit) / 2.0**32
        for first in range(0, self.n_positions if self.heldout_limit else 0, _AT_ONCE):
            u = uniform(heldout_key(), np.arange(first, min(first + _AT_ONCE, self.n_positions)))
            if self.weighted:
                times = np.floor(self.encoded.weights[first : first + _AT_ONCE] * share + u).astype(np.int64)
            else:
                times = (u < share).astype(np.int64)
            for pair in np.repeat(self.encoded.pairs[first : first + _AT_ONCE], times).tolist():
                yield pair >> 32, pair & 0xFFFFFFFF

    def _copies(self, chunk: _Slices, seed: int, epoch: int, sweep: int, sweeps: int) -> Ids:
        """How often each pair of a chunk comes in this sweep. Empty if every pair comes once."""
        from pairloom.kernel.steps.deal_pairs import PairDraws, draw_copies

        if not (self.weighted or len(self.limits[0]) or self.heldout_limit):
            return np.empty(0, np.int32)
        keys = np.array([key(seed, p, epoch) for p in (Purpose.KEEP, Purpose.WEIGHT)] + [heldout_key()])
        copies = np.zeros(chunk.n * PAIRS_PER_SLICE, np.int32)
        draws = PairDraws(keys, self.limits[0], self.limits[1], self.heldout_limit)
        draw_copies(self.encoded.pairs, self.trained_weights, chunk, sweep, sweeps, draws, copies)
        return copies

    @cached_property
    def trained_weights(self) -> npt.NDArray[np.float32]:
        """The weights without the share that is held out."""
        if not self.weighted or not self.heldout_limit:
            return self.encoded.weights
        return np.asarray(self.encoded.weights * np.float32(1 - float(self.heldout_limit) / 2.0**32))


def _number_of_passes(copies: Ids) -> int:
    """The passes over a chunk that deal the copies of its pairs, so that equal pairs do not follow each other.

    They are few enough that reading takes less time than training.
    """
    most = int(copies.max(initial=1))
    return max(1, min(most, 4 * int(copies.sum(dtype=np.int64)) // max(1, len(copies))))


def _total(weights: npt.NDArray[np.float32]) -> float:
    """The sum of all weights, by exact sums: the order in which NumPy adds depends on the CPU."""
    pieces = (weights[at : at + _AT_ONCE] for at in range(0, len(weights), _AT_ONCE))
    return math.fsum(math.fsum(piece.tolist()) for piece in pieces)


def _chunks(n_pairs: int, first: int, step: int) -> Iterator[_Slices]:
    """Every step-th slice of the file, starting at slice `first`, in chunks."""
    slices = range(first, -(-n_pairs // PAIRS_PER_SLICE), step)
    for at in range(0, len(slices), SLICES_PER_CHUNK):
        some = slices[at : at + SLICES_PER_CHUNK]
        yield _Slices(some[0], step, len(some))


def _keep_limits(encoded: EncodedPairs, config: TrainConfig) -> tuple[list[npt.NDArray[np.uint64]], float]:
    """The subsampling limits of words and of contexts, each on its own as in word2vecf, and the share of pairs kept."""
    if config.sample == 0:
        return [np.empty(0, np.uint64)] * 2, 1.0
    kept, limits = 1.0, []
    for names in (encoded.words, encoded.contexts):
        keep = keep_probability(names.mass, config.sample, config.subsampling)
        limits.append(keep_limit(keep))
        kept *= math.fsum(names.mass * keep) / math.fsum(names.mass)
    return limits, kept
