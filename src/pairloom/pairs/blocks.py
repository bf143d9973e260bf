"""How training is cut up: parts, the blocks of their pairs, and rounds.

Words are dealt into P parts and contexts into P parts; a pair (w, c) falls into the block (part of w, part of c).
The P blocks (i, (i + s) mod P) of one s share no row of W and no row of C, so that any number of threads or machines
trains them in any order with the same result; a row meets the blocks of s = 0, 1, ... in this order. Nothing here knows
how many threads there are.
"""

from collections.abc import Iterator

import numpy as np

from pairloom.method.draws import draw
from pairloom.types import Ids, Starts

ROW_BYTES_PER_PART = 2**22  # a part's rows of one matrix, so that a few blocks fit the cache that cores share
WORDS_PER_PART = 32  # fewer, and the noise of a part would be drawn from too few contexts
FEWEST_PARTS, MOST_PARTS = 32, 64
PAIRS_PER_ROUND = 8_000_000  # 64 MB of pairs in memory
PAIRS_PER_BLOCK = 500_000  # reached with one or two parts only; a thread has room for a whole block's batches
TOKENS_PER_CHUNK = 1 << 16  # what one thread thins and deals at a time


def number_of_parts(n_words: int, n_contexts: int, dim: int, pairs: float) -> int:
    """P, a power of two, from the size of the model and how many pairs an epoch is expected to have.

    At least 32 where there are words enough: with one part the pairs of a word come together, and when a batch was six
    pairs in corpus order the analogies solved on Wikipedia fell from 25 to 20 %. A text too short for half a round has
    16 at least: in smaller blocks fewer pairs would find others of their context (`kernel.block.gather`).
    """
    fewest = FEWEST_PARTS if pairs >= PAIRS_PER_ROUND / 2 else FEWEST_PARTS // 2
    by_cache = max(fewest, max(n_words, n_contexts) * dim * 4 / ROW_BYTES_PER_PART)
    by_words = min(MOST_PARTS, min(n_words, n_contexts) // WORDS_PER_PART)
    parts = 1
    while parts < by_cache and parts * 2 <= by_words:
        parts *= 2
    return parts


def pairs_per_round(parts: int, dim: int, negatives: int) -> int:
    """PAIRS_PER_ROUND, or fewer where one block would be too long for memory, or take longer than a third of a second.

    An interrupt waits for the blocks that are being trained.
    """
    return min(PAIRS_PER_ROUND, parts**2 * min(PAIRS_PER_BLOCK, 10**9 // (dim * (negatives + 1))))


def deal_parts(n_words: int, parts: int, key: np.uint64) -> Ids:
    """The part of each word or context: every P in order of frequency go one to each part, which to which by draws.

    So parts weigh the same, and w // P numbers the words of a part, on which `kernel.block` relies. They are dealt anew
    in every round: with parts that stay, a word would meet as noise only the contexts that share a part with its own,
    and on 17 M words of Wikipedia WS-353 fell by a point.

    >>> deal_parts(7, 4, np.uint64(0)).tolist()
    [2, 1, 0, 3, 0, 2, 1]
    """
    groups = -(-n_words // parts)
    order = np.argsort(draw(key, np.arange(groups * parts)).reshape(groups, parts), axis=1)
    return order.ravel()[:n_words].astype(np.int32)


def stride_of(dim: int) -> int:
    """Floats from row to row: whole cache lines, an odd number of them.

    With an even number, and worst with a power of two, the rows of a batch would crowd into a few sets of the cache:
    dim 4096 ran at a third of its speed.
    """
    return ((dim + 15) // 16 | 1) * 16


def ranges(starts: Starts, tokens: int) -> Iterator[tuple[int, int]]:
    """Ranges of whole sentences of at least so many tokens each (the last may have fewer).

    >>> list(ranges(np.array([0, 4, 8, 12, 13]), 5))
    [(0, 2), (2, 4)]
    """
    at, last = 0, len(starts) - 1
    while at < last:
        end = min(int(starts[at]) + tokens, int(starts[-1]))
        near = starts[at : at + tokens + 1]  # sentences have tokens; starts are mapped, so touch few
        begin, at = at, at + int(np.searchsorted(near, end))
        yield begin, at
