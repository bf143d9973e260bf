"""What training learns from: two vocabularies, and rounds of pairs over them. Text is one such source.

A round is cut into chunks. Threads count the chunks' pairs by block; from the counts follows the place of every chunk's
share in every block; then threads write the pairs there. So a block's pairs are in the order of the corpus, whoever
wrote them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from pairloom.config import TrainConfig
from pairloom.method.draws import draw, heldout_key
from pairloom.system.threads import Workers
from pairloom.types import Counts, Float64s, Ids

Chunk = TypeVar("Chunk")
Found = TypeVar("Found")

FEWEST_HELDOUT, MOST_HELDOUT = 5_000, 100_000  # pairs: enough for two digits, few enough to cost nothing
LARGEST_SHARE = 0.05  # of the items, where FEWEST_HELDOUT asks for more than config.heldout
FEWEST_ITEMS = 20  # a source of fewer holds nothing out


class WeightedNames(NamedTuple):
    """One of the two vocabularies: what its rows are called, and how often each was seen, which may be fractions."""

    names: Sequence[str]
    mass: Float64s

    @property
    def counts(self) -> Counts:
        """Whole numbers, as files of vectors keep them; what was seen at all was seen once at least."""
        return np.where(self.mass > 0, np.maximum(1, np.rint(self.mass)), 0).astype(np.int64)


class Round(NamedTuple):
    """A piece of an epoch; first and last mean something to the source alone."""

    number: int
    first: int
    last: int
    begin: int  # in the positions of an epoch
    end: int
    sweeps: int = 1  # in which a source of weighted pairs is read


class Dealt(NamedTuple):
    """The pairs of one round as w * 2^32 + c: those of block b are pairs[starts[b] : starts[b + 1]]."""

    pairs: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]


class Source(ABC):
    """Deals round after round into the same memory: a `Dealt` is good until the next one.

    words, contexts   the two vocabularies
    same              whether they are one, so that word i is context i
    n_positions       of an epoch; the learning rate falls with them
    unit              what a position is
    n_pairs           about as many as an epoch has
    without_pairs     the error for an epoch that has none
    unused            options that mean nothing here, and are not written down
    record            what to write down of the corpus
    """

    words: WeightedNames
    contexts: WeightedNames
    same: bool
    n_positions: int
    unit: Literal["words", "pairs"]
    n_pairs: float
    without_pairs: str
    unused: frozenset[str]
    record: dict[str, Any]

    def __init__(self, config: TrainConfig) -> None:
        self.config = config
        self._pairs = np.empty(0, np.int64)

    @abstractmethod
    def rounds(self, pairs: int) -> Iterator[Round]:
        """The rounds of an epoch, of about so many pairs each."""

    @abstractmethod
    def deal(self, epoch: int, a_round: Round, parts: int, word_part: Ids, context_part: Ids, pool: Workers) -> Dealt:
        """The pairs of a round in this epoch, by the parts of their words and contexts."""

    @abstractmethod
    def heldout_pairs(self) -> Iterator[tuple[int, int]]:
        """The pairs (w, c) that are kept aside; the same whatever the seed."""

    def _deal_chunks(
        self,
        chunks: Sequence[Chunk],
        parts: int,
        count: Callable[[Chunk, npt.NDArray[np.int64]], Found],
        write: Callable[[Chunk, Found, npt.NDArray[np.int64], npt.NDArray[np.int64]], None],
        pool: Workers,
    ) -> Dealt:
        """count(chunk, counts by block) gives what write(chunk, that, its place in every block, pairs) goes on from."""
        if not chunks:
            return Dealt(self._pairs, np.zeros(parts**2 + 1, np.int64))
        counts = np.zeros((len(chunks), parts**2), np.int64)
        found = list(pool.map(count, chunks, counts))
        ends = counts.T.cumsum()
        places = (ends - counts.T.ravel()).reshape(-1, len(chunks))
        starts = np.append(places[:, 0], ends[-1])
        if len(self._pairs) < ends[-1]:
            self._pairs = np.empty(int(ends[-1] * 1.1), np.int64)
        list(pool.map(write, chunks, found, np.ascontiguousarray(places.T), repeat(self._pairs)))
        return Dealt(self._pairs, starts)


def heldout_limit(items: int, pairs: float, config: TrainConfig) -> int:
    """Item i (a sentence, or a pair) is held out if the upper 32 bits of its draw are below this."""
    if config.heldout == 0.0 or items < FEWEST_ITEMS:
        return 0
    share = min(max(config.heldout, min(FEWEST_HELDOUT / pairs, LARGEST_SHARE)), MOST_HELDOUT / pairs)
    limit = int(share * 2**32)
    if share * items < 100:  # at least one
        limit = max(limit, 1 + min(int(draws.min()) for _, draws in item_draws(items)))
    return limit


def item_draws(items: int) -> Iterator[tuple[int, npt.NDArray[np.uint64]]]:
    """The upper halves of all items' draws, a million at a time, each lot with its first item."""
    for first in range(0, items, 1_000_000):
        lot = np.arange(first, min(first + 1_000_000, items))
        yield first, draw(heldout_key(), lot) >> np.uint64(32)
