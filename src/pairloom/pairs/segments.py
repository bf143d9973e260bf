"""Text in segments, one after the other, for CBOW.

Any two of its windows may share rows, so there are no blocks that share nothing, and one thread trains segment after
segment. Meanwhile other threads thin the next ones. Like a round of skip-gram, a segment has slices from all over the
text: what is read last would otherwise count more than the rest.
"""

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pairloom.method.draws import Purpose, UInt64s, heldout_key, key
from pairloom.pairs.blocks import TOKENS_PER_CHUNK
from pairloom.pairs.from_text import MOST_SLICES, TextSlices, TextSource
from pairloom.pairs.source import heldout_draws
from pairloom.pairs.window_order import Order, in_order
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
    places: Ids  # the tokens whose windows are not empty, in sixes, as they are trained (`window_order.py`)
    n_windows: int  # that are not empty
    most_words: int  # in a window
    begin: int  # in the positions of an epoch
    end: int


def tokens_per_segment(n_positions: int) -> int:
    """How many tokens a segment has, about. In a text of more than 4 billion tokens, it is a slice."""
    return max(TOKENS_PER_CHUNK, -(-n_positions // MOST_SLICES))


def segments(
    source: TextSource, epoch: int, pool: Workers, begin: int = 0, order: Order = in_order
) -> Iterator[Segment]:
    """The segments of an epoch, starting at number `begin`, without held-out sentences."""
    keys = np.array([key(source.config.seed, p, epoch) for p in (Purpose.KEEP, Purpose.WINDOW)] + [heldout_key()])
    n = -(-source.n_positions // tokens_per_segment(source.n_positions))
    waiting: deque[Future[Segment]] = deque()
    for a_round in islice(source.rounds(np.linspace(0.0, 1.0, n + 1).tolist()), begin, None):
        slices = source.slices(a_round)
        waiting.append(pool.submit(_thin, source, slices, a_round.begin, keys, source.heldout_limit, order))
        if len(waiting) > _AHEAD:
            yield waiting.popleft().result()
    for segment in waiting:
        yield segment.result()


def heldout_segments(source: TextSource) -> Iterator[Segment]:
    """The held-out sentences, each as a segment of its own."""
    keys = np.array([key(_NO_SEED, p) for p in (Purpose.KEEP, Purpose.WINDOW)] + [heldout_key()])
    for first, draws in heldout_draws(source.encoded.n_sentences if source.heldout_limit else 0):
        for sentence in (first + np.flatnonzero(draws < source.heldout_limit)).tolist():
            alone = TextSlices(np.array([sentence]), np.array([sentence + 1]))
            yield _thin(source, alone, int(source.encoded.starts[sentence]), keys, np.uint64(0))


def _thin(
    source: TextSource,
    slices: TextSlices,
    begin: int,
    keys: UInt64s,
    heldout_limit: np.uint64,
    order: Order = in_order,
) -> Segment:
    """Slices, without the sentences whose draw is below the limit, thinned by the draws of these keys."""
    from pairloom.kernel.steps.deal_text import Slices, Survivors, TextDraws, thin

    ids, starts = source.encoded.ids, source.encoded.starts
    tokens = int((starts[slices.last] - starts[slices.first]).sum())
    buffers = np.empty((4, tokens), np.int32)
    draws = TextDraws(source.limit, source.reach, keys, heldout_limit)
    n = thin(Slices(ids, starts, slices.first, slices.last), draws, Survivors(*buffers))
    source.encoded.release(int(slices.first[0]), int(slices.last[-1]))
    kept, left, right, _ = buffers[:, :n]
    sizes = right - left - 1
    places = np.flatnonzero(sizes).astype(np.int32)
    most_words = int(sizes.max(initial=1))
    return Segment(kept, left, right, order(places), len(places), most_words, begin, begin + tokens)
