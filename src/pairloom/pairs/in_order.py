"""Text in the order in which it was written, for what cannot be trained in blocks because all examples share rows.

A stretch of text is thinned on other threads while the one before it is trained, so that training waits for nothing.
"""

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pairloom.method.draws import Purpose, UInt64s, heldout_key, key
from pairloom.pairs.blocks import TOKENS_PER_CHUNK, ranges
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.source import item_draws
from pairloom.system.threads import Workers
from pairloom.types import Ids

if TYPE_CHECKING:
    from concurrent.futures import Future

_AHEAD = 4  # stretches that wait to be trained
_FIXED = 0  # stands where the seed and the epoch would


class Segment(NamedTuple):
    """Some sentences, thinned: the window at place i is kept[left[i] : right[i]] without place i itself."""

    kept: Ids
    left: Ids
    right: Ids
    begin: int  # the sentences' first token in the corpus, and the one after their last
    end: int

    @property
    def places(self) -> Ids:
        """Where there is a window with a word in it."""
        return np.flatnonzero(self.right - self.left > 1).astype(np.int32)

    @property
    def reach(self) -> int:
        """No window is wider than this to either side."""
        here = np.arange(len(self.kept))
        return int(np.maximum(here - self.left, self.right - here - 1).max(initial=1))


def segments(source: TextSource, epoch: int, pool: Workers, begin: int = 0) -> Iterator[Segment]:
    """Those of an epoch from number `begin` on, in order, without what is held out; the pool draws some ahead."""
    keys = np.array([key(source.config.seed, p, epoch) for p in (Purpose.KEEP, Purpose.WINDOW)] + [heldout_key()])
    waiting: deque[Future[Segment]] = deque()
    for first, last in islice(ranges(source.encoded.starts, TOKENS_PER_CHUNK), begin, None):
        waiting.append(pool.submit(_thin, source, first, last, keys, source.heldout_limit))
        if len(waiting) > _AHEAD:
            yield waiting.popleft().result()
    for drawn in waiting:
        yield drawn.result()


def heldout_segments(source: TextSource) -> Iterator[Segment]:
    """The sentences that are held out, each by itself."""
    keys = np.array([key(_FIXED, p) for p in (Purpose.KEEP, Purpose.WINDOW)] + [heldout_key()])
    for first, draws in item_draws(source.encoded.n_sentences if source.heldout_limit else 0):
        for sentence in (first + np.flatnonzero(draws < source.heldout_limit)).tolist():
            yield _thin(source, sentence, sentence + 1, keys, np.uint64(0))


def _thin(source: TextSource, first: int, last: int, keys: UInt64s, heldout_limit: np.uint64) -> Segment:
    """Sentences first..last-1, drawn under these keys, without those whose draw is below the limit."""
    from pairloom.kernel.steps import deal_text as pairs

    ids, starts = source.encoded.ids, source.encoded.starts
    begin, end = starts[[first, last]].tolist()
    room = np.empty((4, end - begin), np.int32)
    draws = pairs.TextDraws(source.limit, source.reach, keys, heldout_limit)
    n = pairs.thin(pairs.SentenceSpan(ids, starts, first, last), draws, pairs.Survivors(*room))
    source.encoded.release(first, last)
    kept, left, right, _ = room[:, :n]
    return Segment(kept, left, right, begin, end)
