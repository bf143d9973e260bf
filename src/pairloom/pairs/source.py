"""What training learns from: two vocabularies, and rounds of pairs over them. `Source` is the protocol.

There are two sources: text (`from_text.TextSource`) and given pairs (`from_pairs.PairSource`). Training asks a source
for its rounds, and has each round *dealt*: its pairs sorted into blocks (see `blocks.py`). The round is cut into
chunks, and threads pass over the chunks twice:

1. They draw the pairs of each chunk and count them by block (`Source.count`).
2. The counts tell where the pairs of each chunk begin in each block.
3. They write the pairs of each chunk there (`Source.write`).

The pairs of a long round do not fit into memory. So those of a few steps are written, trained and overwritten by those
of the next: the second pass is made once for each such group of steps, and draws the same pairs again.

So the order of a block's pairs follows from the corpus, no matter which thread wrote them, or when. (Within a round it
is the order of the text, and copies of weighted pairs are spread out.) All random draws are hashes of positions in the
corpus, so threads share no state. This is half of the reason why any number of threads gives the same bytes.
`blocks.py` has the other.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from pairloom.config import TrainConfig
from pairloom.method.draws import draw, heldout_key
from pairloom.method.hierarchical import Tree, node_mass, node_names
from pairloom.pairs.halves import HalfDealings
from pairloom.pairs.parts import Dealing
from pairloom.system.threads import Workers
from pairloom.types import Counts, Float64s

if TYPE_CHECKING:  # the kernel brings Numba
    from pairloom.kernel.steps.deal_text import Labels, Wanted

ChunkT = TypeVar("ChunkT", contravariant=True)
Places = npt.NDArray[np.int64]

FEWEST_HELDOUT, MOST_HELDOUT = 5_000, 100_000  # pairs: enough for two digits of the loss, and cheap to evaluate
LARGEST_SHARE = 0.05  # of the items, where FEWEST_HELDOUT asks for more than config.heldout
FEWEST_ITEMS = 20  # a source with fewer holds nothing out
MOST_COUNTS = 1 << 22  # of pairs, by stretch and block: 32 MB
FEWEST_STRETCHES = 64  # of a long round: work for as many threads
_CACHE_LINE = 8  # pairs: threads that write to the same line slow each other down
_DRAWS_AT_ONCE = 1_000_000


class WeightedNames(NamedTuple):
    """One of the two vocabularies: the name of each row and how often it occurs, which may be a fraction."""

    names: Sequence[str]
    mass: Float64s

    @property
    def counts(self) -> Counts:
        """The mass as whole numbers, for files of vectors. A mass above 0 counts as 1 or more."""
        return np.where(self.mass > 0, np.maximum(1, np.rint(self.mass)), 0).astype(np.int64)


def nodes_of(tree: Tree, contexts: WeightedNames) -> WeightedNames:
    """The nodes of a tree over these contexts, which take their place in hierarchical softmax."""
    return WeightedNames(node_names(tree), node_mass(tree, contexts.mass))


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

    pairs: Places
    starts: Places


class CountedRound(NamedTuple):
    """A round whose pairs are drawn and counted: `Source.write` can deal those of some steps at a time."""

    parts: int
    rows: range  # of blocks, which are dealt
    counts: Places  # (stretches, P * P): how many pairs each stretch of the round has for each block
    write: "Callable[[int, Places, Places, Wanted | None], None]"  # by its number: `RoundChunks.write` of a stretch

    @property
    def pairs_of_steps(self) -> Places:
        """(P,): how many pairs are trained in each step."""
        i, j = np.divmod(np.arange(self.parts**2), self.parts)
        pairs = np.zeros(self.parts, np.int64)
        np.add.at(pairs, (j - i) % self.parts, self.counts.sum(axis=0))
        return pairs

    @property
    def longest_block(self) -> int:
        """The pairs of the largest block."""
        return int(self.counts.sum(axis=0).max())


class RoundChunks(Protocol[ChunkT]):
    """The chunks of a round, which are drawn once or again and again, always with the same pairs."""

    def count(self, chunks: Sequence[ChunkT], counts: Places) -> None:
        """Add the pairs of these chunks to counts[block]."""

    def write(self, chunks: Sequence[ChunkT], begins: Places, pairs: Places, wanted: "Wanted | None") -> None:
        """Write the pairs of these chunks, those of block b to pairs[begins[b]] and after."""


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


AnyDealings = Dealings | HalfDealings


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
    def count(
        self, epoch: int, a_round: Round, dealings: AnyDealings, pool: Workers, rows: range | None = None
    ) -> CountedRound:
        """Draw the pairs of a round in this epoch and count them by block. rows: only in these rows of blocks."""

    def write(self, counted: CountedRound, steps: range, pool: Workers) -> DealtPairs:
        """The pairs of some steps of a round, sorted into blocks. All other blocks are empty."""
        from pairloom.kernel.steps.deal_text import Wanted

        parts, rows = counted.parts, counted.rows
        blocks, counts, wanted = np.arange(parts**2), counted.counts, None
        if len(rows) * len(steps) < parts**2:
            blocks = _blocks_of(rows, steps, parts)
            counts, wanted = counts[:, blocks], Wanted(rows.start, rows.stop, steps.start, steps.stop)
        ends = counts.T.cumsum()  # block by block, and within a block stretch by stretch
        begins = (ends - counts.T.ravel()).reshape(len(blocks), len(counts))
        starts = np.zeros(parts**2 + 1, np.int64)
        starts[blocks + 1] = counts.sum(axis=0)
        np.cumsum(starts, out=starts)
        unused = int(starts[-1]) + _CACHE_LINE  # where each stretch may write pairs that are not wanted
        if len(self._pairs) < unused + _CACHE_LINE * len(counts):
            self._pairs = np.empty(int(starts[-1] * 1.1) + _CACHE_LINE * (len(counts) + 1), np.int64)

        def write_stretch(number: int) -> None:
            here = np.full(parts**2, unused + _CACHE_LINE * number)
            here[blocks] = begins[:, number]
            counted.write(number, here, self._pairs, wanted)

        list(pool.map(write_stretch, range(len(counts))))
        return DealtPairs(self._pairs, starts)

    def deal(self, epoch: int, a_round: Round, dealings: AnyDealings, pool: Workers) -> DealtPairs:
        """All pairs of a round in this epoch, sorted into blocks."""
        return self.write(self.count(epoch, a_round, dealings, pool), range(dealings.parts), pool)

    @abstractmethod
    def heldout_pairs(self) -> Iterator[tuple[int, int]]:
        """The held-out pairs (w, c). They do not depend on the seed."""

    def with_more_heldout(self) -> Self:
        """A copy that holds out the same pairs, and about as many of those that were trained on."""
        share = 2 * float(self.heldout_limit) / 2**32 + FEWEST_HELDOUT / self.n_pairs
        more = copy(self)
        more.heldout_limit = np.uint64(min(1.0, share) * 2**32)
        return more

    def _counted(
        self,
        chunks: Sequence[ChunkT],
        dealings: AnyDealings,
        rows: range | None,
        of_round: "RoundChunks[ChunkT]",
        pool: Workers,
    ) -> CountedRound:
        """The first pass. The chunks of a long round are counted in stretches, so that all counts fit into memory."""
        parts = dealings.parts
        length = -(-len(chunks) // max(FEWEST_STRETCHES, MOST_COUNTS // parts**2))
        stretches = [chunks[at : at + length] for at in range(0, len(chunks), max(1, length))]
        counts = np.zeros((len(stretches), parts**2), np.int64)
        list(pool.map(of_round.count, stretches, counts))
        if rows is not None:
            counts[:, : rows.start * parts] = counts[:, rows.stop * parts :] = 0

        def write(number: int, begins: Places, pairs: Places, wanted: "Wanted | None") -> None:
            of_round.write(stretches[number], begins, pairs, wanted)

        return CountedRound(parts, range(parts) if rows is None else rows, counts, write)


def _blocks_of(rows: range, steps: range, parts: int) -> npt.NDArray[np.int64]:
    """The numbers of the blocks in these rows that are trained in these steps."""
    i, j = np.divmod(np.arange(rows.start * parts, rows.stop * parts), parts)
    step = (j - i) % parts
    here = (steps.start <= step) & (step < steps.stop)
    return np.asarray((i * parts + j)[here])


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
