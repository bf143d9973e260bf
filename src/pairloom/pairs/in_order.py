"""Text in its own order, segment by segment, for CBOW.

Any two of its examples may share rows, so there are no blocks that share nothing, and one thread trains the text from
beginning to end. Meanwhile other threads thin the next segments.
"""

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pairloom.method.draws import Purpose, UInt64s, heldout_key, key
from pairloom.pairs.blocks import TOKENS_PER_CHUNK, ranges
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.source import heldout_draws
from pairloom.system.threads import Workers
from pairloom.types import Ids

if TYPE_CHECKING:
    from concurrent.futures import Future

_AHEAD = 4  # segments thinned before they are needed
_NO_SEED = 0  # held-out sentences do not depend on the seed


class Segment(NamedTuple):
    """Some sentences after subsampling. The window of token i is kept[left[i] : right[i]] without token i itself."""

    kept: Ids
    left: Ids
    right: Ids
    begin: int  # the sentences are tokens begin to end - 1 of the corpus
    end: int

    @property
    def centres(self) -> Ids:
        """The tokens whose windows are not empty."""
        return np.flatnonzero(self.right - self.left > 1).astype(np.int32)

    @property
    def reach(self) -> int:
        """The largest number of contexts on one side of a token, at least 1."""
        i = np.arange(len(self.kept))
        return int(np.maximum(i - self.left, self.right - i - 1).max(initial=1))


def segments(source: TextSource, epoch: int, pool: Workers, begin: int = 0) -> Iterator[Segment]:
    """The segments of an epoch in order, starting at number `begin`, without held-out sentences."""
    keys = np.array([key(source.config.seed, p, epoch) for p in (Purpose.KEEP, Purpose.WINDOW)] + [heldout_key()])
    waiting: deque[Future[Segment]] = deque()
    for first, last in islice(ranges(source.encoded.starts, TOKENS_PER_CHUNK), begin, None):
        waiting.append(pool.submit(_thin, source, first, last, keys, source.heldout_limit))
        if len(waiting) > _AHEAD:
            yield waiting.popleft().result()
    for segment in waiting:
        yield segment.result()


def heldout_segments(source: TextSource) -> Iterator[Segment]:
    """The held-out sentences, each as a segment of its own."""
    keys = np.array([key(_NO_SEED, p) for p in (Purpose.KEEP, Purpose.WINDOW)] + [heldout_key()])
    for first, draws in heldout_draws(source.encoded.n_sentences if source.heldout_limit else 0):
        for sentence in (first + np.flatnonzero(draws < source.heldout_limit)).tolist():
            yield _thin(source, sentence, sentence + 1, keys, np.uint64(0))


def _thin(source: TextSource, first: int, last: int, keys: UInt64s, heldout_limit: np.uint64) -> Segment:
    """Sentences first to last - 1, except those whose draw is below the limit, thinned by the draws of these keys."""
    from pairloom.kernel.steps.deal_text import Slices, Survivors, TextDraws, thin

    ids, starts = source.encoded.ids, source.encoded.starts
    begin, end = starts[[first, last]].tolist()
    buffers = np.empty((4, end - begin), np.int32)
    draws = TextDraws(source.limit, source.reach, keys, heldout_limit)
    n = thin(Slices(ids, starts, np.array([first]), np.array([last])), draws, Survivors(*buffers))
    source.encoded.release(first, last)
    kept, left, right, _ = buffers[:, :n]
    return Segment(kept, left, right, begin, end)
