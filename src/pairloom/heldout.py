"""The held-out objective: what the model makes of pairs that it never trained on.

A hashed share of the sentences, or of given pairs, is kept aside. What is kept, and the contexts drawn against it, are
fixed: they depend on the corpus, the windows, `sample` and the noise, not on the seed. So the number can be compared
between epochs and between runs on the same corpus. It is computed in float64, by the compiled twin of
`objective.corpus_loss`.
"""

from itertools import islice

import numpy as np

from pairloom.draws import Purpose, key, uniform
from pairloom.source import MOST_HELDOUT, Source
from pairloom.types import Float64s, Ids, Matrix
from pairloom.vocabulary import noise
from pairloom.workers import Workers

_SLICES = 16  # fixed, so that the sum is the same whatever the number of threads
_FIXED = 0  # stands where the seed would


class Heldout:
    """The pairs kept aside and their drawn contexts."""

    def __init__(self, source: Source) -> None:
        found = list(islice(source.heldout_pairs(), MOST_HELDOUT))
        self.w, self.c = np.array(found, np.int32).reshape(-1, 2).T
        self.drawn = drawn_contexts(
            noise(source.contexts.mass, source.config.noise_power), len(found), source.config.negatives
        )

    def __len__(self) -> int:
        return len(self.w)

    def loss(self, W: Matrix, C: Matrix, pool: Workers) -> float | None:
        """The mean loss per held-out pair, or None if nothing is held out. (k + 1) log 2 before training."""
        from pairloom.kernel.loss import pairs_loss

        if not len(self):
            return None
        slices = np.array_split(np.arange(len(self)), min(len(self), _SLICES))
        losses = list(pool.map(lambda s: pairs_loss(W, C, self.w[s], self.c[s], self.drawn[s], 0.0), slices))
        return float(f"{sum(losses) / len(self):.12g}")  # the last bits are the system's logarithm's


def drawn_contexts(probability: Float64s, n: int, negatives: int) -> Ids:
    """`negatives` contexts for each of n pairs, from the whole noise distribution by its inverse."""
    edges = np.cumsum(probability)
    u = uniform(key(_FIXED, Purpose.NOISE), np.arange(n * negatives)) * edges[-1]
    drawn: Ids = np.searchsorted(edges, u, side="right").astype(np.int32)
    return drawn.reshape(n, negatives)
