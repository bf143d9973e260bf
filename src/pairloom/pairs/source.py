"""What training learns from: two vocabularies, and rounds of pairs over them. `Source` is the protocol.

There are two sources: text (`from_text.TextSource`) and given pairs (`from_pairs.PairSource`). Training asks a source
for its rounds, and has each round *dealt*: its pairs sorted into blocks (see `blocks.py`). The round is cut into
chunks, and threads pass over the chunks twice:

1. They draw the pairs of each chunk and count them by block.
2. The counts tell where the pairs of each chunk begin in each block.
3. They write the pairs of each chunk there.

So the order of a block's pairs follows from the corpus, no matter which thread wrote them, or when. (It is the order of
the text; copies of weighted pairs are spread out.) All random draws are hashes of positions in the corpus, so threads
share no state. This is half of the reason why any number of threads gives the same bytes. `blocks.py` has the other.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt

from pairloom.config import TrainConfig
from pairloom.method.draws import draw, heldout_key
from pairloom.pairs.parts import Dealing
from pairloom.system.threads import Workers
from pairloom.types import Counts, Float64s

if TYPE_CHECKING:  # the kernel brings Numba
    from pairloom.kernel.steps.deal_text import Labels, Wanted

ChunkT = TypeVar("ChunkT")
DrawnT = TypeVar("DrawnT")  # what the first pass has drawn for a chunk, kept for the second

FEWEST_HELDOUT, MOST_HELDOUT = 5_000, 100_000  # pairs: enough for two digits of the loss, and cheap to evaluate
LARGEST_SHARE = 0.05  # of the items, where FEWEST_HELDOUT asks for more than config.heldout
FEWEST_ITEMS = 20  # a source with fewer holds nothing out
_DRAWS_AT_ONCE = 1_000_000


class WeightedNames(NamedTuple):
    """One of the two vocabularies: the name of each row and how often it occurs, which may be a fraction."""

    names: Sequence[str]
    mass: Float64s

    @property
    def counts(self) -> Counts:
        """The mass as whole numbers, for files of vectors. A mass above 0 counts as 1 or more."""
        return np.where(self.mass > 0, np.maximum(1, np.rint(self.mass)), 0).astype(np.int64)


class Round(NamedTuple):
    """A round of an epoch: positions begin..end-1 of it. What `first` and `last` mean depends on the source."""

    number: int
    first: int
    last: int
    begin: int  # in the positions of an epoch
    end: int
    sweeps: int = 1  # how often weighted pairs are read in an epoch


class DealtPairs(NamedTuple):
    """The pairs of a round as label of w * 2^32 + label of c. Those of block b are pairs[starts[b] : starts[b + 1]]."""

    pairs: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]


class Dealings(NamedTuple):
    """How the words and the contexts of a round are dealt, and the key of the draws that deal the hubs' pairs."""

    words: Dealing
    contexts: Dealing
    key: np.uint64

    @property
    def parts(self) -> int:
        """P"""
        return self.words.parts

    def labels(self) -> "Labels":
        """The form that kernels take."""
        from pairloom.kernel.steps.deal_text import Labels

        words, contexts, key = self
        return Labels(words.parts, words.labels, contexts.labels, words.first_hub, contexts.first_hub, key)


class Source(ABC):
    """Pairs to learn from, round by round. All rounds are dealt into the same memory: dealing one overwrites the last.

    words, contexts    the two vocabularies
    one_vocabulary     whether they are the same, so that word i is context i
    n_positions        positions in an epoch; the learning rate falls with the position
    unit               what a position is
    n_pairs            expected number of pairs in an epoch
    word_share         the expected share of these pairs that each word has
    context_share      and each context
    unused_options     options that have no meaning for this source, and are left out of the record
    record             what the record says about the corpus
    heldout_limit      an item (a sentence or a pair) is held out if the upper 32 bits of its draw are below this
    """

    words: WeightedNames
    contexts: WeightedNames
    one_vocabulary: bool
    n_positions: int
    unit: Literal["words", "pairs"]
    n_pairs: float
    word_share: Float64s
    context_share: Float64s
    unused_options: frozenset[str]
    record: dict[str, Any]
    heldout_limit: np.uint64

    def __init__(self, config: TrainConfig) -> None:
        self.config = config
        self._pairs = np.empty(0, np.int64)

    @abstractmethod
    def rounds(self, edges: Sequence[float]) -> Iterator[Round]:
        """The rounds of an epoch, which begin and end at these shares of it."""

    @abstractmethod
    def deal(
        self, epoch: int, a_round: Round, dealings: Dealings, pool: Workers, wanted: "Wanted | None" = None
    ) -> DealtPairs:
        """The pairs of a round in this epoch, sorted into blocks. wanted: leave all other blocks empty."""

    @abstractmethod
    def heldout_pairs(self) -> Iterator[tuple[int, int]]:
        """The held-out pairs (w, c). They do not depend on the seed."""

    def with_more_heldout(self) -> Self:
        """A copy that holds out the same pairs, and about as many of those that were trained on."""
        share = 2 * float(self.heldout_limit) / 2**32 + FEWEST_HELDOUT / self.n_pairs
        more = copy(self)
        more.heldout_limit = np.uint64(min(1.0, share) * 2**32)
        return more

    def _deal_chunks(
        self,
        chunks: Sequence[ChunkT],
        parts: int,
        count: Callable[[ChunkT, npt.NDArray[np.int64]], DrawnT],
        write: Callable[[ChunkT, DrawnT, npt.NDArray[np.int64], npt.NDArray[np.int64]], None],
        pool: Workers,
        wanted: "Wanted | None",
    ) -> DealtPairs:
        """Deal a round in the two passes described above.

        count(chunk, counts) adds the chunk's pairs to counts[block], and returns what `write` needs to make the same
        pairs again. write(chunk, drawn, begins, pairs) writes those of block b to pairs[begins[b]] and after.
        """
        if not chunks:
            return DealtPairs(self._pairs, np.zeros(parts**2 + 1, np.int64))
        counts = np.zeros((len(chunks), parts**2), np.int64)
        drawn = list(pool.map(count, chunks, counts))
        if wanted is not None:
            counts[:, ~_blocks_of(wanted, parts)] = 0
        ends = counts.T.cumsum()  # block by block, and within a block chunk by chunk
        begins = (ends - counts.T.ravel()).reshape(-1, len(chunks))
        starts = np.append(begins[:, 0], ends[-1])
        if len(self._pairs) < ends[-1]:
            self._pairs = np.empty(int(ends[-1] * 1.1), np.int64)
        list(pool.map(write, chunks, drawn, np.ascontiguousarray(begins.T), repeat(self._pairs)))
        return DealtPairs(self._pairs, starts)


def _blocks_of(wanted: "Wanted", parts: int) -> npt.NDArray[np.bool_]:
    """Which of the P * P blocks are wanted."""
    i, j = np.divmod(np.arange(parts**2), parts)
    step = (j - i) % parts
    rows = (wanted.first_part <= i) & (i < wanted.last_part)
    return np.asarray(rows & (wanted.first_step <= step) & (step < wanted.last_step))


def heldout_limit(items: int, pairs: float, config: TrainConfig) -> int:
    """`Source.heldout_limit` for this many items and pairs."""
    if config.heldout == 0.0 or items < FEWEST_ITEMS:
        return 0
    share = min(max(config.heldout, min(FEWEST_HELDOUT / pairs, LARGEST_SHARE)), MOST_HELDOUT / pairs)
    limit = int(share * 2**32)
    if share * items < 100:  # by chance none might be held out: make sure that one is
        limit = max(limit, 1 + min(int(draws.min()) for _, draws in heldout_draws(items)))
    return limit


def heldout_draws(items: int) -> Iterator[tuple[int, npt.NDArray[np.uint64]]]:
    """The upper 32 bits of every item's draw, a million at a time, each time with the number of the first item."""
    for first in range(0, items, _DRAWS_AT_ONCE):
        numbers = np.arange(first, min(first + _DRAWS_AT_ONCE, items))
        yield first, draw(heldout_key(), numbers) >> np.uint64(32)
