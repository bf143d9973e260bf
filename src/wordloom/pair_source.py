"""Given pairs as a source: whatever made them, they are trained as those of text are.

Files of pairs are often sorted. So a round is not one piece of the file but takes short stretches from all over it, and
every part of the file sees the learning rate high and low.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wordloom.config import TrainConfig
from wordloom.contexts import keep_limit
from wordloom.draws import Purpose, draw, heldout_key, key
from wordloom.pair_encode import EncodedPairs
from wordloom.source import Dealt, Round, Source, heldout_limit
from wordloom.types import Ids
from wordloom.vocabulary import keep_probability
from wordloom.workers import Workers

STRETCH = 1024  # pairs: two pages of a file
_STRETCHES = 64  # what one thread deals at a time
_FIXED = 0  # stands where the seed and the epoch would, in what does not depend on them


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
        self.n_positions = len(encoded.pairs)
        self.limits, kept = _limits(encoded, config)
        total = float(encoded.weights.sum(dtype=np.float64)) if len(encoded.weights) else float(self.n_positions)
        self.n_pairs = max(1.0, kept * total)
        self.record = {"sha256": encoded.digest, "pairs": self.n_positions}
        self.heldout_limit = np.uint64(heldout_limit(self.n_positions, self.n_pairs, config))

    def rounds(self, pairs: int) -> Iterator[Round]:
        n = max(1, math.ceil(self.n_pairs / pairs))
        edges = np.linspace(0, self.n_positions, n + 1).astype(int).tolist()
        for number in range(n):
            yield Round(number, number, n, edges[number], edges[number + 1])

    def deal(self, epoch: int, a_round: Round, parts: int, word_part: Ids, context_part: Ids, pool: Workers) -> Dealt:
        from wordloom.kernel.given import count, deal

        where = parts, word_part, context_part

        def count_chunk(chunk: _Chunk, counts: npt.NDArray[np.int64]) -> Ids:
            copies = self._copies(chunk, self.config.seed, epoch, self.heldout_limit)
            count(self.encoded.pairs, *chunk, copies, *where, counts)
            return copies

        def write_chunk(
            chunk: _Chunk, copies: Ids, places: npt.NDArray[np.int64], dealt: npt.NDArray[np.int64]
        ) -> None:
            deal(self.encoded.pairs, *chunk, copies, *where, places, dealt)

        chunks = list(_chunks(self.n_positions, a_round.first, a_round.last))
        dealt = self._deal_chunks(chunks, parts, count_chunk, write_chunk, pool)
        self.encoded.release()
        return dealt

    def heldout_pairs(self) -> Iterator[tuple[int, int]]:
        """The held-out pairs, each as often as its weight says."""
        if not self.heldout_limit:
            return
        for chunk in _chunks(self.n_positions, 0, 1):
            end = min((chunk.first + chunk.n) * STRETCH, self.n_positions)
            positions = np.arange(chunk.first * STRETCH, end)
            held = (draw(heldout_key(), positions) >> np.uint64(32)) < self.heldout_limit
            copies = self._copies(chunk, _FIXED, _FIXED, np.uint64(0))[: len(positions)]
            pairs = self.encoded.pairs[positions[held]]
            for pair in np.repeat(pairs, copies[held] if len(copies) else 1).tolist():
                yield pair >> 32, pair & 0xFFFFFFFF

    def _copies(self, chunk: _Chunk, seed: int, epoch: int, heldout_limit: np.uint64) -> Ids:
        """How often each pair of a chunk comes; nothing if all come once."""
        from wordloom.kernel.given import draw_copies

        if not (len(self.encoded.weights) or len(self.limits[0]) or heldout_limit):
            return np.empty(0, np.int32)
        keys = np.array([key(seed, p, epoch) for p in (Purpose.KEEP, Purpose.WEIGHT)] + [heldout_key()])
        copies = np.empty(chunk.n * STRETCH, np.int32)
        pairs, weights, limits = self.encoded.pairs, self.encoded.weights, tuple(self.limits)
        draw_copies(pairs, weights, *chunk, limits, keys, heldout_limit, copies)
        return copies


def _chunks(n_pairs: int, first: int, step: int) -> Iterator[_Chunk]:
    stretches = range(first, -(-n_pairs // STRETCH), step)
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
