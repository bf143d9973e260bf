"""Given pairs as a source. Whatever made them, they are trained like the pairs of a text.

Files of pairs are often sorted. If a round were one piece of the file, the pairs at its beginning would be learnt at a
high learning rate and those at its end at a low one. So the file is cut into short *slices*, and a round takes slices
from all over it.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import TrainConfig
from pairloom.corpus.vocabulary import keep_probability
from pairloom.method.contexts import keep_limit
from pairloom.method.draws import PAIRS_PER_SLICE, Purpose, heldout_key, key, uniform
from pairloom.pairs.blocks import LONGEST_ROUND, spread_order
from pairloom.pairs.hubs import shares
from pairloom.pairs.pair_encoding import EncodedPairs
from pairloom.pairs.source import AnyDealings, CountedRound, DealtPairs, Round, Source, heldout_limit
from pairloom.system.threads import Workers
from pairloom.types import Float64s, Ids

if TYPE_CHECKING:  # the kernel brings Numba
    from pairloom.kernel.steps.deal_pairs import Pass
    from pairloom.kernel.steps.deal_text import Wanted

SLICES_PER_CHUNK = 64  # dealt by one thread at a time
MOST_PASSES = 64  # over the slices of a round
MOST_COPIES = 2 * LONGEST_ROUND  # whose number is kept while a round is dealt: 4 bytes each
_AT_ONCE = 1 << 20  # pairs


class _Slices(NamedTuple):
    """A chunk of a round: slices of the file, by their numbers, in one of an epoch's sweeps."""

    sweep: int
    numbers: npt.NDArray[np.int64]


class PairSource(Source):
    """Pairs over two vocabularies, as often as their weights say: 2.3 is twice, and a third time in 3 of 10 epochs."""

    one_vocabulary = False
    unit = "pairs"
    unused_options = frozenset({"window", "left", "right", "window_shape", "positional", "clean"})

    def __init__(self, encoded: EncodedPairs, config: TrainConfig) -> None:
        super().__init__(config)
        self.encoded, self.words, self.contexts = encoded, encoded.words, encoded.contexts
        self.n_positions, self.weighted = len(encoded.pairs), len(encoded.weights) > 0
        self.limits, (self.word_share, self.context_share), kept = _keep_limits(encoded, config)
        total = _total(encoded.weights) if self.weighted else float(self.n_positions)
        self.mean_weight = total / self.n_positions
        self.n_pairs = max(1.0, kept * total)
        self.record = {"sha256": encoded.digest, "pairs": self.n_positions}
        self.heldout_limit = np.uint64(heldout_limit(int(total), self.n_pairs, config))

    @cached_property
    def order(self) -> npt.NDArray[np.int64]:
        """The slices of the file, in the order in which rounds take them."""
        return spread_order(-(-self.n_positions // PAIRS_PER_SLICE))

    def rounds(self, edges: Sequence[float]) -> Iterator[Round]:
        """The rounds of an epoch. `first` and `last` count slices, through all sweeps.

        Heavy pairs come in several sweeps over the file, about two for each unit of mean weight. So the copies of a
        pair are not all in one round, and reading still takes less time than training.
        """
        sweeps = min(len(edges) - 1, max(1, int(2 * self.mean_weight))) if self.weighted else 1
        slices = sorted({round(edge * sweeps * len(self.order)) for edge in edges})
        positions = [round(self.n_positions * at / slices[-1]) for at in slices]
        for number, (first, last) in enumerate(pairwise(slices)):
            yield Round(number, first, last, positions[number], positions[number + 1], sweeps)

    def count(
        self, epoch: int, a_round: Round, dealings: AnyDealings, pool: Workers, rows: range | None = None
    ) -> CountedRound:
        """Deal in passes: all slices of the round, then all again, each time with a part of every pair's copies."""
        chunks, n = list(_chunks(self.order, a_round.first, a_round.last)), self._number_of_passes(a_round.sweeps)
        of_round = _PairChunks(self, epoch, a_round.sweeps, n, dealings)
        if PAIRS_PER_SLICE * (a_round.last - a_round.first) <= MOST_COPIES:
            of_round.keep_copies(chunks, pool)
        return self._counted([(i, chunk) for i in range(n) for chunk in chunks], dealings, rows, of_round, pool)

    def write(self, counted: CountedRound, steps: range, pool: Workers) -> DealtPairs:
        dealt = super().write(counted, steps, pool)
        self.encoded.release()
        return dealt

    def _number_of_passes(self, sweeps: int) -> int:
        """Enough that equal pairs do not follow each other, and so few that reading takes less time than training."""
        return max(1, min(MOST_PASSES, int(4 * self.mean_weight / sweeps))) if self.weighted else 1

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

    def copies_of(self, chunk: _Slices, seed: int, epoch: int, sweeps: int) -> Ids:
        """How often each pair of a chunk comes in its sweep. Empty if every pair comes once."""
        from pairloom.kernel.steps.deal_pairs import PairDraws, draw_copies

        if not (self.weighted or len(self.limits[0]) or self.heldout_limit):
            return np.empty(0, np.int32)
        keys = np.array([key(seed, p, epoch) for p in (Purpose.KEEP, Purpose.WEIGHT)] + [heldout_key()])
        copies = np.zeros(len(chunk.numbers) * PAIRS_PER_SLICE, np.int32)
        draws = PairDraws(keys, self.limits[0], self.limits[1], self.heldout_limit)
        draw_copies(self.encoded.pairs, self.trained_weights, chunk.numbers, chunk.sweep, sweeps, draws, copies)
        return copies

    @cached_property
    def trained_weights(self) -> npt.NDArray[np.float32]:
        """The weights without the share that is held out."""
        if not self.weighted or not self.heldout_limit:
            return self.encoded.weights
        return np.asarray(self.encoded.weights * np.float32(1 - float(self.heldout_limit) / 2.0**32))


class _PairChunks:
    """The chunks of a round and the passes in which they come (`source.RoundChunks`).

    How often each pair comes is drawn once and kept, or drawn again whenever a chunk is dealt.
    """

    def __init__(self, source: PairSource, epoch: int, sweeps: int, passes: int, dealings: AnyDealings) -> None:
        self._source, self._epoch, self._sweeps, self._passes = source, epoch, sweeps, passes
        self._labels = dealings.labels()
        self._kept: dict[tuple[int, int], Ids] = {}  # copies, by the sweep and the first slice of a chunk

    def keep_copies(self, chunks: Sequence[_Slices], pool: Workers) -> None:
        """Draw the copies of all pairs once and keep them."""
        for chunk, copies in zip(chunks, pool.map(self._copies, chunks), strict=True):
            self._kept[_name(chunk)] = copies

    def count(self, chunks: Sequence[tuple[int, _Slices]], counts: npt.NDArray[np.int64]) -> None:
        from pairloom.kernel.steps import deal_pairs as kernel

        for number, chunk in chunks:
            kernel.count(self._source.encoded.pairs, self._pass(number, chunk), self._labels, counts)
        self._release()

    def write(
        self,
        chunks: Sequence[tuple[int, _Slices]],
        begins: npt.NDArray[np.int64],
        pairs: npt.NDArray[np.int64],
        wanted: "Wanted | None",
    ) -> None:
        from pairloom.kernel.steps import deal_pairs as kernel

        for number, chunk in chunks:
            a_pass = self._pass(number, chunk)
            kernel.deal(self._source.encoded.pairs, a_pass, self._labels, begins, pairs, wanted)
        self._release()

    def _release(self) -> None:
        """In a long round, let the system take back what has been read. `PairSource.write` does so at the end."""
        if not self._kept:
            self._source.encoded.release()

    def _pass(self, number: int, chunk: _Slices) -> "Pass":
        from pairloom.kernel.steps.deal_pairs import Pass

        kept = self._kept.get(_name(chunk))
        return Pass(chunk.numbers, self._copies(chunk) if kept is None else kept, number, self._passes)

    def _copies(self, chunk: _Slices) -> Ids:
        return self._source.copies_of(chunk, self._source.config.seed, self._epoch, self._sweeps)


def _name(chunk: _Slices) -> tuple[int, int]:
    return chunk.sweep, int(chunk.numbers[0])


def _total(weights: npt.NDArray[np.float32]) -> float:
    """The sum of all weights, by exact sums: the order in which NumPy adds depends on the CPU."""
    pieces = (weights[at : at + _AT_ONCE] for at in range(0, len(weights), _AT_ONCE))
    return math.fsum(math.fsum(piece.tolist()) for piece in pieces)


def _chunks(order: npt.NDArray[np.int64], first: int, last: int) -> Iterator[_Slices]:
    """The slices first to last - 1 of an epoch, in chunks. Each sweep takes all slices in this order.

    Within a round, a sweep reads its slices in the order of the file.
    """
    for sweep in range(first // len(order), -(-last // len(order))):
        begin = sweep * len(order)
        numbers = np.sort(order[max(first - begin, 0) : last - begin])
        for at in range(0, len(numbers), SLICES_PER_CHUNK):
            yield _Slices(sweep, numbers[at : at + SLICES_PER_CHUNK])


def _keep_limits(
    encoded: EncodedPairs, config: TrainConfig
) -> tuple[list[npt.NDArray[np.uint64]], list[Float64s], float]:
    """The subsampling limits of words and of contexts, each on its own as in word2vecf.

    Also the share of the kept pairs that each word, and each context, has, and the share of pairs that is kept.
    """
    limits, kept_shares, kept = [], [], 1.0
    for names in (encoded.words, encoded.contexts):
        keep = keep_probability(names.mass, config.sample, config.subsampling)
        limits.append(keep_limit(keep) if config.sample else np.empty(0, np.uint64))
        kept_shares.append(shares(names.mass * keep))
        kept *= math.fsum(names.mass * keep) / math.fsum(names.mass) if config.sample else 1.0
    return limits, kept_shares, kept
