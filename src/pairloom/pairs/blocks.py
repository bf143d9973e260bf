"""Parts, blocks and rounds: how training is divided so that any number of threads trains the same bytes.

A training is divided into *rounds*, short ones at first. For each round, words are dealt into P *parts* and contexts
into P parts (`parts.py`). The pair (w, c) belongs to the *block* (part of w, part of c), so a round has P * P blocks.
They are trained in P steps:

    step s = 0, 1, ..., P - 1 trains the P blocks (0, s mod P), (1, (1 + s) mod P), ..., (P - 1, (P - 1 + s) mod P)

For example, with P = 3, this table has the step in which the block (row, column) is trained:

                         contexts of part 0   part 1   part 2
    words of part 0              0              1        2
    words of part 1              2              0        1
    words of part 2              1              2        0

Why two threads give the same bytes as one:

1. A block changes only the rows of its own two parts: its noise, too, is drawn from its own part of the contexts. No
   two blocks of a step have a part in common, so they share no row of W and no row of C. It makes no difference which
   thread trains which block, or in what order. Hubs are in all parts, and every block changes its own copy of them.
2. Within a block, one thread trains one batch of six pairs after another. The batches depend only on the order of the
   pairs (`kernel.steps.block.gather`), which `Source.deal` fixes.
3. A step begins when the step before has ended and the copies of the hubs are merged, in a fixed order.
4. Nothing in this module knows the number of threads: parts and rounds depend only on the corpus and the options.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.method.draws import GAMMA
from pairloom.types import Starts

ROW_BYTES_PER_PART = 2**22  # a part's rows of one matrix: a few blocks then fit the cache that the cores share
MOST_ROW_BYTES = 2**30  # also of a part in short rounds, as far as MOST_PARTS_OF_LONG_ROUNDS allows
WORDS_PER_PART = 32  # with fewer, the noise of a part would be drawn from too few contexts
FEWEST_PARTS, USUAL_PARTS, MOST_PARTS = 16, 32, 64
SHORTEST_ROUND = 100_000  # pairs
LONGEST_ROUND = 8_000_000  # pairs: 64 MB of memory. Only a training of more than ROUNDS such rounds has longer ones
# Long rounds are cheaper on a cluster, where every worker receives all of C in every round. With fewer than about 20
# rounds in all, vectors are worse: trained on 42 M words x 2, 250 M pairs, dim 100, the analogies were 33.3, 33.2, 31.1
# and 29.1 % with rounds of 8, 16, 32 and 64 M pairs, that is 32, 16, 8 and 4 rounds. This is six times as many.
ROUNDS = 128
# No round is longer than this part of the whole training. Without that limit, 5 M words x 1 had only 9 rounds, and a
# held-out loss higher by 0.2 %.
FEWEST_LONG_ROUNDS = 16
FEWEST_FULL_ROUNDS_OF_HALVES = 32  # fewer rounds than these are shorter (`Division.of_halves`)
MOST_PARTS_OF_LONG_ROUNDS = 1024
FEWEST_PAIRS_PER_BLOCK = LONGEST_ROUND // USUAL_PARTS**2  # on average, in rounds longer than this
PAIRS_PER_BLOCK = 500_000  # reached only with one or two parts; each thread has buffers for a whole block
TOKENS_PER_CHUNK = 1 << 16  # the text that one thread thins and deals at a time


class Division(NamedTuple):
    """How a training is divided: the parts of short, usual and the longest rounds, and the pairs of the longest."""

    fewest_parts: int
    usual_parts: int
    parts: int
    longest_round: int

    @classmethod
    def of(cls, n_words: int, n_contexts: int, dim: int, negatives: int, pairs: float) -> "Division":
        """By the size of the model, and the pairs of the whole training. All numbers of parts are powers of two.

        A usual round has at least USUAL_PARTS if there are enough words, and more if the rows of a part would not fit
        the cache. With one part, the pairs of a word come one after another. When batches were six consecutive pairs,
        that cost 5 points of the analogies on Wikipedia (20 instead of 25 %).

        Short rounds have FEWEST_PARTS, and more if a matrix is so large that a part would not fit a worker: with fewer
        parts than workers, some hold nothing and the others more.

        A long training has rounds of more than LONGEST_ROUND pairs. These have more parts, so that more workers can
        train them, and fewer rows to a part.

        No round is so long that a block would need too much memory or take longer than a third of a second. The time
        matters because Ctrl-C takes effect only when the blocks being trained are done. Nor has a step more pairs than
        LONGEST_ROUND: they are in memory at the same time.
        """
        by_words = max(1, min(n_words, n_contexts) // WORDS_PER_PART)
        matrix = max(n_words, n_contexts) * dim * 4
        by_memory = min(matrix // MOST_ROW_BYTES, MOST_PARTS_OF_LONG_ROUNDS)
        by_cache = min(matrix // ROW_BYTES_PER_PART, MOST_PARTS)
        fewest = _power_of_two(min(by_words, max(FEWEST_PARTS, by_memory)))
        usual = parts = max(fewest, _power_of_two(min(by_words, max(USUAL_PARTS, by_cache))))
        longest = max(LONGEST_ROUND, int(pairs / ROUNDS))
        while longest > LONGEST_ROUND and 2 * parts <= min(by_words, _most_parts(longest)):
            parts *= 2
        longest_block = min(PAIRS_PER_BLOCK, 10**9 // (dim * (negatives + 1)))
        return cls(fewest, usual, parts, min(longest, parts**2 * longest_block, parts * LONGEST_ROUND))

    def of_halves(self, pairs: float) -> "Division":
        """The same for halves of paths (`halves.py`): half as many parts. pairs: of the whole training, in halves.

        In fewer parts, more pairs find others of the same half to share a batch with. (With 32 parts instead of 16,
        63 instead of 76 % of the lower halves did, and 84 instead of 98 % of the upper ones.) In shorter rounds, copies
        of the top's nodes are merged as often as they would be with more parts. Only a training of many rounds affords
        rounds of full length: with 19 of them instead of 37, 17 M words x 1 solved 18.3 % of the analogies, not 18.9.

        >>> Division(16, 32, 64, 8_000_000).of_halves(1e8)
        Division(fewest_parts=16, usual_parts=16, parts=32, longest_round=4000000)
        >>> Division(16, 32, 64, 8_000_000).of_halves(1e9).longest_round
        8000000
        """
        usual, parts = (max(self.fewest_parts, n // 2) for n in (self.usual_parts, self.parts))
        longest = min(self.longest_round, max(self.longest_round // 2, int(pairs / FEWEST_FULL_ROUNDS_OF_HALVES)))
        return Division(self.fewest_parts, usual, parts, longest)

    def parts_of(self, pairs: float) -> int:
        """P of a round with this number of pairs.

        In the many small blocks of a short round, few pairs would find others of the same context to share a batch with
        (`kernel.steps.block.gather`).
        """
        if 2 * pairs <= min(self.longest_round, LONGEST_ROUND):
            return self.fewest_parts
        return max(self.usual_parts, min(self.parts, _most_parts(pairs)))

    def most_pairs(self, pairs: float, epochs: int) -> float:
        """The length of the longest round. pairs: of an epoch."""
        return min(self.longest_round, max(SHORTEST_ROUND, pairs * epochs / FEWEST_LONG_ROUNDS))

    def round_edges(self, pairs: float, epoch: int, epochs: int) -> list[float]:
        """Where the rounds of an epoch begin and end, as shares of the epoch. pairs: their number in an epoch.

        A round is as long as all before it together, but at most `most_pairs` and at least SHORTEST_ROUND. Or it is a
        little shorter, so that no short rest is left at the end. At first each block would learn directions of its own
        if it did not soon meet the others. Later, a block can do no such harm. (benchmarks/README.md compares other
        lengths.)

        >>> division = Division(16, 32, 32, 8_000_000)
        >>> division.round_edges(1_000_000, epoch=0, epochs=5)
        [0.0, 0.1, 0.2, 0.4, 0.7, 1.0]
        >>> division.round_edges(1_000_000, epoch=1, epochs=5)
        [0.0, 0.25, 0.5, 0.75, 1.0]
        """
        edges, longest = [0.0], self.most_pairs(pairs, epochs)
        while edges[-1] < 1.0:
            length = min(max(SHORTEST_ROUND, pairs * (epoch + edges[-1])), longest)
            left = math.ceil(pairs * (1.0 - edges[-1]) / length - 1e-6)  # rounds if all of them were of this length
            edges.append(1.0 if left <= 1 else edges[-1] + (1.0 - edges[-1]) / left)
        return edges


def _most_parts(pairs: float) -> int:
    """How many parts a round with this number of pairs may have if it is a long one.

    >>> [_most_parts(pairs) for pairs in (8e6, 3.2e7, 1e9, 1e12)]
    [32, 64, 256, 1024]
    """
    return min(MOST_PARTS_OF_LONG_ROUNDS, _power_of_two(max(1, math.isqrt(int(pairs) // FEWEST_PAIRS_PER_BLOCK))))


def _power_of_two(n: int) -> int:
    """The largest one that is at most n.

    >>> _power_of_two(33)
    32
    """
    return 1 << (n.bit_length() - 1)


def width_of(dim: int) -> int:
    """The floats of a row that kernels compute with: dim rounded up to whole vectors of 8.

    >>> width_of(100)
    104
    """
    return -(-dim // 8) * 8


def stride_of(dim: int) -> int:
    """Floats from one row to the next: an odd number of whole cache lines.

    With an even number, and above all with a power of two, the rows of a batch would compete for a few sets of the
    cache: at dim 4096, training was three times slower.
    """
    return ((dim + 15) // 16 | 1) * 16


def spread_order(n: int) -> npt.NDArray[np.int64]:
    """The numbers 0..n-1 in an order of which any stretch is spread evenly over them: steps of the golden ratio.

    A round takes slices of the corpus in this order. So none has a topic of its own, and at the end of the training,
    all of the corpus is about equally old.

    >>> spread_order(8).tolist()
    [0, 5, 2, 7, 4, 1, 6, 3]
    """
    at = np.arange(n).astype(np.uint64) * GAMMA  # k times the golden ratio, modulo 1, in units of 2^-64
    order = np.empty(n, np.int64)
    order[np.argsort(at)] = np.arange(n)
    return order


def ranges(starts: Starts, tokens: int) -> Iterator[tuple[int, int]]:
    """Ranges (first, last) of whole sentences, or slices, each of at least `tokens` tokens; the last may be shorter.

    >>> list(ranges(np.array([0, 4, 8, 12, 13]), 5))
    [(0, 2), (2, 4)]
    """
    at, last = 0, len(starts) - 1
    while at < last:
        end = min(int(starts[at]) + tokens, int(starts[-1]))
        near = starts[at : at + tokens + 1]  # no sentence is empty, so the end is in here; starts may be a mapped file
        begin, at = at, at + int(np.searchsorted(near, end))
        yield begin, at
