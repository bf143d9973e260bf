"""The held-out objective: what the model makes of pairs that it never trained on.

A hashed share of the sentences is kept aside. Their pairs, and the contexts drawn against them, are fixed: they depend
on the corpus, the window, `sample` and the noise, not on the seed. So the number can be compared between epochs and
between runs on the same corpus. It is computed in float64, by the compiled twin of `objective.corpus_loss`.
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from wordloom.blocks import pairs_per_token
from wordloom.config import TrainConfig
from wordloom.contexts import keep_limit, sentence_pairs
from wordloom.draws import Purpose, draw, heldout_key, key, uniform
from wordloom.encode import Encoded
from wordloom.types import Ids, Matrix
from wordloom.workers import Workers

FEWEST_PAIRS, MOST_PAIRS = 5_000, 100_000  # enough for two digits, few enough to cost nothing beside an epoch
LARGEST_SHARE = 0.05  # of the sentences, where FEWEST_PAIRS asks for more than config.heldout
FEWEST_SENTENCES = 20  # a smaller corpus holds nothing out
_SLICES = 16  # fixed, so that the sum is the same whatever the number of threads
_FIXED = 0  # stands where the seed and the epoch would


class Heldout:
    """The sentences kept aside, their pairs and their drawn contexts; `limit` tells the kernel which to skip."""

    def __init__(self, encoded: Encoded, config: TrainConfig) -> None:
        self.limit = _limit(encoded, config)
        found = list(islice(_pairs(encoded, config, self.limit), MOST_PAIRS)) if self.limit else []
        self.w, self.c = np.array(found, np.int32).reshape(-1, 2).T
        self.drawn = _drawn(encoded, config, len(found))

    def __len__(self) -> int:
        return len(self.w)

    def loss(self, W: Matrix, C: Matrix, pool: Workers) -> float | None:
        """The mean loss per held-out pair, or None if nothing is held out. (k + 1) log 2 before training."""
        from wordloom.kernel.loss import pairs_loss

        if not len(self):
            return None
        slices = np.array_split(np.arange(len(self)), min(len(self), _SLICES))
        losses = list(pool.map(lambda s: pairs_loss(W, C, self.w[s], self.c[s], self.drawn[s]), slices))
        return float(f"{sum(losses) / len(self):.12g}")  # the last bits are the system's logarithm's


def _limit(encoded: Encoded, config: TrainConfig) -> int:
    """Sentence i is held out if the upper 32 bits of its draw are below this."""
    sentences = len(encoded.starts) - 1
    if config.heldout == 0.0 or sentences < FEWEST_SENTENCES:
        return 0
    pairs = encoded.n_tokens * pairs_per_token(encoded.vocabulary, config.sample, config.window)
    share = min(max(config.heldout, min(FEWEST_PAIRS / pairs, LARGEST_SHARE)), MOST_PAIRS / pairs)
    smallest = min(int(draws.min()) for _, draws in _sentence_draws(sentences))
    return max(int(share * 2**32), smallest + 1)  # at least one sentence


def _sentence_draws(sentences: int) -> Iterator[tuple[int, np.ndarray]]:
    """The upper halves of all sentences' draws, a million at a time, each lot with its first sentence."""
    for first in range(0, sentences, 1_000_000):
        lot = np.arange(first, min(first + 1_000_000, sentences))
        yield first, draw(heldout_key(), lot) >> np.uint64(32)


def _pairs(encoded: Encoded, config: TrainConfig, limit: int) -> Iterator[tuple[int, int]]:
    """The pairs of the held-out sentences, by the definition in `contexts.py`."""
    keep = keep_limit(encoded.vocabulary.keep_probability(config.sample))
    keep_key, window_key = key(_FIXED, Purpose.KEEP), key(_FIXED, Purpose.WINDOW)
    for first, draws in _sentence_draws(len(encoded.starts) - 1):
        for sentence in (first + np.flatnonzero(draws < limit)).tolist():
            begin, end = encoded.starts[sentence : sentence + 2].tolist()
            ids = encoded.ids[begin:end]
            yield from sentence_pairs(
                ids, begin, window=config.window, limit=keep, keep_key=keep_key, window_key=window_key
            )
        encoded.release(first, first + len(draws))


def _drawn(encoded: Encoded, config: TrainConfig, n: int) -> Ids:
    """`negatives` contexts for each of n pairs, from the whole noise distribution by its inverse."""
    edges = np.cumsum(encoded.vocabulary.noise(config.noise_power))
    u = uniform(key(_FIXED, Purpose.NOISE), np.arange(n * config.negatives)) * edges[-1]
    drawn: Ids = np.searchsorted(edges, u, side="right").astype(np.int32)
    return drawn.reshape(n, config.negatives)
