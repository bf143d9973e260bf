"""Parts, blocks and rounds: how training is divided so that any number of threads trains the same bytes.

A *round* is about 8 million pairs, or fewer. For each round, words are dealt into P *parts* and contexts into P parts.
The pair (w, c) belongs to the *block* (part of w, part of c), so a round has P * P blocks. They are trained in P steps:

    step s = 0, 1, ..., P - 1 trains the P blocks (0, s mod P), (1, (1 + s) mod P), ..., (P - 1, (P - 1 + s) mod P)

For example, with P = 3, this table has the step in which the block (row, column) is trained:

                         contexts of part 0   part 1   part 2
    words of part 0              0              1        2
    words of part 1              2              0        1
    words of part 2              1              2        0

Why two threads give the same bytes as one:

1. A block changes only the rows of its own two parts: its noise, too, is drawn from its own part of the contexts. No
   two blocks of a step have a part in common, so they share no row of W and no row of C. It makes no difference which
   thread trains which block, or in what order.
2. Within a block, one thread trains one batch of six pairs after another. The batches depend only on the order of the
   pairs (`kernel.steps.block.gather`), which `Source.deal` fixes.
3. A block waits for those blocks of the step before that use one of its parts (`training.blockwise`). So every row is
   changed by the same blocks in the same order.
4. Nothing in this module knows the number of threads: parts and rounds depend only on the corpus and the options.
"""

from collections.abc import Iterator

import numpy as np

from pairloom.method.draws import draw
from pairloom.types import Ids, Starts

ROW_BYTES_PER_PART = 2**22  # a part's rows of one matrix: a few blocks then fit the cache that the cores share
WORDS_PER_PART = 32  # with fewer, the noise of a part would be drawn from too few contexts
USUAL_PARTS, MOST_PARTS = 32, 64
PAIRS_PER_ROUND = 8_000_000  # 64 MB of pairs in memory
PAIRS_PER_BLOCK = 500_000  # reached only with one or two parts; each thread has buffers for a whole block
TOKENS_PER_CHUNK = 1 << 16  # the text that one thread thins and deals at a time


def number_of_parts(n_words: int, n_contexts: int, dim: int, pairs: float) -> int:
    """P, a power of two, from the size of the model and the expected number of pairs in an epoch.

    P is at least 32 if there are enough words. With one part, the pairs of a word come one after another. When batches
    were six consecutive pairs, that cost 5 points of the analogies on Wikipedia (20 instead of 25 %). If the epoch is
    shorter than half a round, 16 parts are enough: in smaller blocks, fewer pairs would find others of the same context
    to share a batch with (`kernel.steps.block.gather`).
    """
    fewest = USUAL_PARTS if pairs >= PAIRS_PER_ROUND / 2 else USUAL_PARTS // 2
    by_cache = max(fewest, max(n_words, n_contexts) * dim * 4 / ROW_BYTES_PER_PART)
    by_words = min(MOST_PARTS, min(n_words, n_contexts) // WORDS_PER_PART)
    parts = 1
    while parts < by_cache and parts * 2 <= by_words:
        parts *= 2
    return parts


def pairs_per_round(parts: int, dim: int, negatives: int) -> int:
    """PAIRS_PER_ROUND, or fewer if a block would need too much memory or take longer than a third of a second.

    The time matters because Ctrl-C takes effect only when the blocks being trained are done.
    """
    return min(PAIRS_PER_ROUND, parts**2 * min(PAIRS_PER_BLOCK, 10**9 // (dim * (negatives + 1))))


def deal_parts(n_words: int, parts: int, key: np.uint64) -> Ids:
    """The part of each word or context. In order of frequency, each group of P is dealt at random, one to each part.

    So all parts have nearly the same total frequency, and w // P is different for all words of a part, which
    `kernel.steps.block` relies on. Words are dealt again in every round: with fixed parts, the noise of a word
    would only ever come from the parts of its own contexts, and on 17 M words of Wikipedia WS-353 fell by a point.

    >>> deal_parts(7, 4, np.uint64(0)).tolist()
    [2, 1, 0, 3, 0, 2, 1]
    """
    groups = -(-n_words // parts)
    order = np.argsort(draw(key, np.arange(groups * parts)).reshape(groups, parts), axis=1)
    return order.ravel()[:n_words].astype(np.int32)


def stride_of(dim: int) -> int:
    """Floats from one row to the next: an odd number of whole cache lines.

    With an even number, and above all with a power of two, the rows of a batch would compete for a few sets of the
    cache: at dim 4096, training was three times slower.
    """
    return ((dim + 15) // 16 | 1) * 16


def ranges(starts: Starts, tokens: int) -> Iterator[tuple[int, int]]:
    """Ranges (first, last) of whole sentences, each of at least `tokens` tokens; the final range may be shorter.

    >>> list(ranges(np.array([0, 4, 8, 12, 13]), 5))
    [(0, 2), (2, 4)]
    """
    at, last = 0, len(starts) - 1
    while at < last:
        end = min(int(starts[at]) + tokens, int(starts[-1]))
        near = starts[at : at + tokens + 1]  # no sentence is empty, so the end is in here; starts may be a mapped file
        begin, at = at, at + int(np.searchsorted(near, end))
        yield begin, at
