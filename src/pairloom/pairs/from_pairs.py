"""Given pairs as a source: whatever made them, they are trained as those of text are.

Files of pairs are often sorted. So a round is not one piece of the file but takes short stretches from all over it, and
every part of the file sees the learning rate high and low.
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
from pairloom.pairs.source import Dealt, Round, Source, heldout_limit
from pairloom.system.threads import Workers
from pairloom.types import Ids

_STRETCHES = 64  # what one thread deals at a time
_AT_ONCE = 1 << 20  # pairs


class _Chunk(NamedTuple):
    """`n` stretches, every step-th from `first` on."""

    first: int
    step: int
    n: int


class PairSource(Source):
    """Pairs of two vocabularies, each as often as its weight says."""

    same = False
    unit = "pairs"
    unused = frozenset({"window", "left", "right", "window_shape", "positional", "clean"})
    without_pairs = "All pairs have weight 0 or were thinned out, so there is nothing to learn from. Use sample=0."

    def __init__(self, encoded: EncodedPairs, config: TrainConfig) -> None:
        super().__init__(config)
        self.encoded, self.words, self.contexts = encoded, encoded.words, encoded.contexts
        self.n_positions, self.weighted = len(encoded.pairs), len(encoded.weights) > 0
        self.limits, kept = _limits(encoded, config)
        total = _total(encoded.weights) if self.weighted else float(self.n_positions)
        self.mean_weight = total / self.n_positions
        self.n_pairs = max(1.0, kept * total)
        self.record = {"sha256": encoded.digest, "pairs": self.n_positions}
        self.heldout_limit = np.uint64(heldout_limit(int(total), self.n_pairs, config))

    def rounds(self, pairs: int) -> Iterator[Round]:
        """A round is a number of a sweep and one of its parts; `last` is how many of these a sweep has.

        Heavy pairs come in several sweeps over the file, about two for each unit of weight, so that no round has all
        copies of one and reading costs less than training.
        """
        n = max(1, math.ceil(self.n_pairs / pairs))
        sweeps = min(n, max(1, int(2 * self.mean_weight))) if self.weighted else 1
        parts = -(-n // sweeps)
        edges = np.linspace(0, self.n_positions, sweeps * parts + 1).astype(int).tolist()
        for number in range(sweeps * parts):
            yield Round(number, number, parts, edges[number], edges[number + 1], sweeps)

    def deal(self, epoch: int, a_round: Round, parts: int, word_part: Ids, context_part: Ids, pool: Workers) -> Dealt:
        from pairloom.kernel.steps.deal_pairs import count, deal
        from pairloom.kernel.steps.deal_text import Parts

        where = Parts(parts, word_part, context_part)
        sweep, first = divmod(a_round.first, a_round.last)

        def count_chunk(chunk: _Chunk, counts: npt.NDArray[np.int64]) -> Ids:
            copies = self._copies(chunk, self.config.seed, epoch, sweep, a_round.sweeps)
            count(self.encoded.pairs, chunk, copies, where, counts)
            return copies

        def write_chunk(
            chunk: _Chunk, copies: Ids, places: npt.NDArray[np.int64], dealt: npt.NDArray[np.int64]
        ) -> None:
            deal(self.encoded.pairs, chunk, copies, _passes(copies), where, places, dealt)

        chunks = list(_chunks(self.n_positions, first, a_round.last))
        dealt = self._deal_chunks(chunks, parts, count_chunk, write_chunk, pool)
        self.encoded.release()
        return dealt

    def heldout_pairs(self) -> Iterator[tuple[int, int]]:
        """Some of the pairs; of weighted ones a share of each weight."""
        share = float(self.heldout_limit) / 2.0**32
        for first in range(0, self.n_positions if self.heldout_limit else 0, _AT_ONCE):
            u = uniform(heldout_key(), np.arange(first, min(first + _AT_ONCE, self.n_positions)))
            if self.weighted:
                times = np.floor(self.encoded.weights[first : first + _AT_ONCE] * share + u).astype(np.int64)
            else:
                times = (u < share).astype(np.int64)
            for pair in np.repeat(self.encoded.pairs[first : first + _AT_ONCE], times).tolist():
                yield pair >> 32, pair & 0xFFFFFFFF

    def _copies(self, chunk: _Chunk, seed: int, epoch: int, sweep: int, sweeps: int) -> Ids:
        """How often each pair of a chunk comes; nothing if all come once."""
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
        """What of the weights is not held out."""
        if not self.weighted or not self.heldout_limit:
            return self.encoded.weights
        return np.asarray(self.encoded.weights * np.float32(1 - float(self.heldout_limit) / 2.0**32))


def _passes(copies: Ids) -> int:
    """In how many passes the copies of a chunk are dealt: few enough that reading costs less than training."""
    most = int(copies.max(initial=1))
    return max(1, min(most, 4 * int(copies.sum(dtype=np.int64)) // max(1, len(copies))))


def _total(weights: npt.NDArray[np.float32]) -> float:
    """The sum, of parts that are exact: NumPy's order is another on another CPU."""
    lots = (weights[at : at + _AT_ONCE] for at in range(0, len(weights), _AT_ONCE))
    return math.fsum(math.fsum(lot.tolist()) for lot in lots)


def _chunks(n_pairs: int, first: int, step: int) -> Iterator[_Chunk]:
    stretches = range(first, -(-n_pairs // PAIRS_PER_SLICE), step)
    for at in range(0, len(stretches), _STRETCHES):
        some = stretches[at : at + _STRETCHES]
        yield _Chunk(some[0], step, len(some))


def _limits(encoded: EncodedPairs, config: TrainConfig) -> tuple[list[npt.NDArray[np.uint64]], float]:
    """What thins out frequent words and contexts, each side by itself as word2vecf does; and the share that stays."""
    if config.sample == 0:
        return [np.empty(0, np.uint64)] * 2, 1.0
    kept, limits = 1.0, []
    for side in (encoded.words, encoded.contexts):
        keep = keep_probability(side.mass, config.sample, config.subsampling)
        limits.append(keep_limit(keep))
        kept *= math.fsum(side.mass * keep) / math.fsum(side.mass)
    return limits, kept
