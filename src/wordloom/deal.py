"""From ids to blocks: draw the pairs of a round of text and deal them into the blocks that train them.

A round is cut into chunks. Threads thin the chunks and count their pairs by block; from the counts follows the place
of every chunk's share in every block; then threads write the pairs there. So a block's pairs are in corpus order,
whoever wrote them.
"""

import math
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wordloom.blocks import TOKENS_PER_CHUNK, pairs_per_round, pairs_per_token, ranges
from wordloom.config import TrainConfig
from wordloom.contexts import keep_limit
from wordloom.draws import Purpose, heldout_key, key
from wordloom.encode import Encoded
from wordloom.types import Ids
from wordloom.workers import Workers


class Dealt(NamedTuple):
    """The pairs of one round as w * 2^32 + c: those of block b are pairs[starts[b] : starts[b + 1]]."""

    pairs: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]


class Dealer:
    """Deals round after round into the same memory: a `Dealt` is good until the next one."""

    def __init__(self, encoded: Encoded, config: TrainConfig, *, parts: int, heldout_limit: int, pool: Workers) -> None:
        per_epoch = encoded.n_tokens * pairs_per_token(encoded.vocabulary, config.sample, config.window)
        rounds = math.ceil(per_epoch / pairs_per_round(parts, config.dim, config.negatives))
        self._tokens_per_round = -(-encoded.n_tokens // max(1, rounds))  # no short one is left over
        self._encoded = encoded
        self._limit = keep_limit(encoded.vocabulary.keep_probability(config.sample))
        self._config = config
        self._parts = parts
        self._heldout_limit = np.uint64(heldout_limit)
        self._pool = pool
        self._kept, self._left, self._right, self._part = np.empty((4, 0), np.int32)
        self._pairs = np.empty(0, np.int64)

    def rounds(self) -> Iterator[tuple[int, int]]:
        """The rounds of an epoch: their first sentence, and the one after their last."""
        return ranges(self._encoded.starts, self._tokens_per_round)

    def deal(self, epoch: int, first: int, last: int, part_of: Ids) -> Dealt:
        """The pairs of sentences first..last-1 in this epoch, by the parts of their words."""
        n = int(self._encoded.starts[last] - self._encoded.starts[first])
        if len(self._kept) < n:
            self._kept, self._left, self._right, self._part = np.empty((4, n), np.int32)
        chunks = [(first + a, first + b) for a, b in ranges(self._encoded.starts[first : last + 1], TOKENS_PER_CHUNK)]
        offsets = [int(self._encoded.starts[a] - self._encoded.starts[first]) for a, _ in chunks]
        counts = np.zeros((len(chunks), self._parts**2), np.int64)
        keys = np.array([key(self._config.seed, p, epoch) for p in (Purpose.KEEP, Purpose.WINDOW)] + [heldout_key()])
        thin = partial(self._thin, keys=keys, part_of=part_of)
        survivors = list(self._pool.map(thin, chunks, offsets, counts))
        ends = counts.T.cumsum()
        places = (ends - counts.T.ravel()).reshape(-1, len(chunks))
        starts = np.append(places[:, 0], ends[-1])
        if len(self._pairs) < ends[-1]:
            self._pairs = np.empty(int(ends[-1] * 1.1), np.int64)
        places = np.ascontiguousarray(places.T)
        self._encoded.release(first, last)
        list(self._pool.map(self._write, offsets, survivors, places))
        return Dealt(self._pairs, starts)

    def _thin(
        self,
        chunk: tuple[int, int],
        at: int,
        counts: npt.NDArray[np.int64],
        keys: npt.NDArray[np.uint64],
        part_of: Ids,
    ) -> int:
        """Thin a chunk into the memory from `at` on, and count its pairs; gives the number of its survivors."""
        from wordloom.kernel import pairs

        kept, left, right, part = self._room(at)
        window, limit = self._config.window, self._limit
        n: int = pairs.thin(
            self._encoded.ids, self._encoded.starts, *chunk, limit, window, keys, self._heldout_limit, kept, left, right
        )
        pairs.count(kept, left, right, n, self._parts, part_of, part, counts)
        return n

    def _write(self, at: int, n: int, places: npt.NDArray[np.int64]) -> None:
        from wordloom.kernel import pairs

        kept, left, right, part = self._room(at)
        pairs.deal(kept, left, right, n, self._parts, part, places, self._pairs)

    def _room(self, at: int) -> tuple[Ids, Ids, Ids, Ids]:
        return self._kept[at:], self._left[at:], self._right[at:], self._part[at:]
