"""The held-out objective where it is not that of pairs by negative sampling: of ways down a tree, of CBOW's windows.

Sentences, windows and draws are fixed, as `heldout.py` says. Different objectives have losses that cannot be compared,
but those of hierarchical and of full softmax can: both are the mean of -log p(c | w).
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from wordloom.heldout import Heldout, drawn_contexts
from wordloom.hierarchical import Tree
from wordloom.source import MOST_HELDOUT
from wordloom.stretches import heldout_stretches
from wordloom.text_source import TextSource
from wordloom.types import Matrix, Rows
from wordloom.vocabulary import noise
from wordloom.workers import Workers

_SLICES = 16  # fixed, so that the sum is the same whatever the number of threads


class Measure(Protocol):
    """What is asked of examples that are held out, whatever they are."""

    def __len__(self) -> int:
        """How many there are."""

    def loss(self, W: Matrix, C: Matrix, pool: Workers) -> float | None:
        """Their mean loss, or None if there are none."""


def mean_loss(n: int, loss_of: Callable[[Rows], float], pool: Workers) -> float | None:
    """The mean over n examples, summed up slice by slice; None if there are none."""
    if n == 0:
        return None
    losses = pool.map(loss_of, np.array_split(np.arange(n), min(n, _SLICES)))
    return float(f"{sum(losses) / n:.12g}")  # the last bits are the system's logarithm's


class HeldoutWays:
    """The mean of -log p(c | w) over the held-out pairs, by hierarchical softmax."""

    def __init__(self, pairs: Heldout, tree: Tree) -> None:
        self._pairs, self._tree = pairs, tree

    def __len__(self) -> int:
        return len(self._pairs)

    def loss(self, W: Matrix, N: Matrix, pool: Workers) -> float | None:
        """log 2 for every turn before training."""
        from wordloom.kernel.loss import ways_loss

        w, c = self._pairs.w, self._pairs.c
        return mean_loss(len(self), lambda s: ways_loss(W, N, w[s], c[s], *self._tree), pool)


class HeldoutWindows:
    """The mean loss of the held-out windows, which are CBOW's examples."""

    def __init__(self, source: TextSource, tree: Tree | None) -> None:
        self.c: list[int] = []  # the word at each place ...
        self.words: list[int] = []  # ... and those around it, one window after the other
        self.sizes: list[int] = []
        for kept, left, right, *_ in heldout_stretches(source):
            self._add(kept.tolist(), left.tolist(), right.tolist())
            if len(self.words) > MOST_HELDOUT:
                break
        self._tree = tree
        probability = noise(source.contexts.mass, source.config.noise_power)
        self._drawn = drawn_contexts(probability, len(self.c), source.config.negatives)

    def _add(self, kept: list[int], left: list[int], right: list[int]) -> None:
        for place, c in enumerate(kept):
            window = kept[left[place] : place] + kept[place + 1 : right[place]]
            if window:
                self.c.append(c)
                self.words += window
                self.sizes.append(len(window))

    def __len__(self) -> int:
        return len(self.c)

    def loss(self, W: Matrix, C: Matrix, pool: Workers) -> float | None:
        """That of `cbow.negative_loss`, or with a tree, whose nodes C has then, of `cbow.hierarchical_loss`."""
        from wordloom.kernel.loss import pairs_loss, ways_loss

        if not len(self):
            return None
        sizes, c, drawn, tree = np.array(self.sizes), np.array(self.c, np.int32), self._drawn, self._tree
        starts = np.append(0, np.cumsum(sizes)[:-1])
        means = np.add.reduceat(W[self.words].astype(np.float64), starts) / sizes[:, None]
        if tree is not None:
            return mean_loss(len(c), lambda s: ways_loss(means, C, s, c[s], *tree), pool)
        return mean_loss(len(c), lambda s: pairs_loss(means, C, s, c[s], drawn[s]), pool)
