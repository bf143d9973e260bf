"""The held-out loss: the objective on pairs that the model never trains on.

A share of the sentences, or of given pairs, is held out. A hash chooses which, so these and the contexts drawn for them
depend on the corpus, the windows, `sample` and the noise, but not on the seed: the loss can be compared between epochs
and between runs on the same corpus. It is computed in float64, by the compiled twin of `objective.corpus_loss`.

Losses of different objectives cannot be compared, except those of hierarchical and of full softmax: both are the mean
of -log p(c | w).
"""

import math
from collections.abc import Callable
from itertools import islice
from typing import Protocol

import numpy as np

from pairloom.cluster.holder import Holder
from pairloom.corpus.vocabulary import noise
from pairloom.method.draws import Purpose, key, uniform
from pairloom.method.hierarchical import Tree
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.segments import heldout_segments
from pairloom.pairs.source import MOST_HELDOUT, Source
from pairloom.system.spool import row_ranges
from pairloom.system.threads import Workers
from pairloom.types import Float64s, Ids, Matrix, Rows, Starts

_SLICES = 16  # fixed, so that the sum is the same whatever the number of threads
_FIXED = 0  # in place of the seed


class HeldoutPairs:
    """Held-out pairs and the contexts drawn for them."""

    def __init__(self, source: Source) -> None:
        found = list(islice(source.heldout_pairs(), MOST_HELDOUT))
        self.w, self.c = np.array(found, np.int32).reshape(-1, 2).T
        probability = noise(source.contexts.mass, source.config.noise_power)
        drawn = drawn_contexts(probability, len(found), source.config.negatives)
        self.contexts = np.concatenate([self.c[:, None], drawn], axis=1)  # of each pair: its own, then the drawn ones

    def __len__(self) -> int:
        return len(self.w)

    @property
    def untrained(self) -> float:
        return int(self.contexts.shape[1]) * math.log(2)

    def loss(self, holder: Holder, pool: Workers) -> float | None:
        """The mean loss per held-out pair, or None if nothing is held out."""
        from pairloom.kernel.loss import products_loss

        products = holder.products(self.w, self.contexts) if len(self) else np.empty((0, 1))
        return mean_loss(len(self), lambda rows: float(products_loss(products[rows])), pool)


def drawn_contexts(probability: Float64s, n: int, negatives: int) -> Ids:
    """`negatives` contexts for each of n pairs, drawn from the noise by inverting its distribution function."""
    edges = np.cumsum(probability)
    u = uniform(key(_FIXED, Purpose.NOISE), np.arange(n * negatives)) * edges[-1]
    drawn: Ids = np.searchsorted(edges, u, side="right").astype(np.int32)
    return drawn.reshape(n, negatives)


WORDS_AT_ONCE = 1 << 9  # whose vectors are copied at a time, unless one window has more


class HeldoutMeasure(Protocol):
    """Held-out examples of any kind."""

    def __len__(self) -> int:
        """How many there are."""

    @property
    def untrained(self) -> float:
        """The loss while all v_c are zero, so that nothing is predicted."""

    def loss(self, holder: Holder, pool: Workers) -> float | None:
        """The mean loss, or None if nothing is held out."""


def mean_loss(n: int, loss_of: Callable[[Rows], float], pool: Workers) -> float | None:
    """The mean over n examples, summed slice by slice. None if there are none."""
    if n == 0:
        return None
    losses = pool.map(loss_of, np.array_split(np.arange(n), min(n, _SLICES)))
    return float(f"{sum(losses) / n:.12g}")  # the last bits depend on the system's logarithm


class HeldoutPaths:
    """The mean of -log p(c | w) over the held-out pairs, by hierarchical softmax."""

    def __init__(self, pairs: HeldoutPairs, tree: Tree) -> None:
        self._pairs, self._tree = pairs, tree

    def __len__(self) -> int:
        return len(self._pairs)

    @property
    def untrained(self) -> float:
        return math.log(2) * _mean_turns(self._tree, self._pairs.c)

    def loss(self, holder: Holder, pool: Workers) -> float | None:
        from pairloom.kernel.loss import paths_loss

        W, N, w, c = holder.W, holder.C, self._pairs.w, self._pairs.c
        return mean_loss(len(self), lambda s: paths_loss(W, N, w[s], c[s], self._tree, 0.0), pool)


class HeldoutWindows:
    """The mean loss of the held-out windows, the examples of CBOW."""

    def __init__(self, source: TextSource, tree: Tree | None) -> None:
        kept, left, places, right = _windows(source)
        self._text, self._left, self._places, self._right = kept, left, places, right
        self._sizes, self._tree = right - left - 1, tree
        probability = noise(source.contexts.mass, source.config.noise_power)
        self._drawn = drawn_contexts(probability, len(places), source.config.negatives)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def untrained(self) -> float:
        if self._tree is not None:
            return math.log(2) * _mean_turns(self._tree, self._text[self._places])
        return (int(self._drawn.shape[1]) + 1) * math.log(2)

    def loss(self, holder: Holder, pool: Workers) -> float | None:
        """The mean of `cbow.negative_loss`, or with a tree (C then has its nodes) of `cbow.hierarchical_loss`."""
        return mean_loss(len(self), lambda rows: self._loss(holder.W, holder.C, rows), pool)

    def _loss(self, W: Matrix, C: Matrix, rows: Rows) -> float:
        """The loss of some windows, a few at a time: their means are copies of the words' vectors."""
        from pairloom.kernel.loss import pairs_loss, paths_loss

        total = 0.0
        for first, last in row_ranges(self._sizes[rows], WORDS_AT_ONCE):
            some = rows[first:last]
            h, c = self._means(W, some), self._text[self._places[some]]
            if self._tree is not None:
                total = paths_loss(h, C, np.arange(len(some)), c, self._tree, total)
            else:
                total = pairs_loss(h, C, np.arange(len(some)), c, self._drawn[some], total)
        return total

    def _means(self, W: Matrix, rows: Rows) -> Float64s:
        """`cbow.mean_of` for each of these windows."""
        edges = zip(self._left[rows].tolist(), self._places[rows].tolist(), self._right[rows].tolist(), strict=True)
        around = [side for a, i, b in edges for side in (self._text[a:i], self._text[i + 1 : b])]
        sizes = self._sizes[rows]
        sums = np.add.reduceat(W[np.concatenate(around)].astype(np.float64), np.cumsum(sizes) - sizes)
        means: Float64s = sums / sizes[:, None]
        return means


def _mean_turns(tree: Tree, contexts: Ids) -> float:
    """The mean length of the paths to these contexts. One turn costs log 2 before training."""
    return float(np.diff(tree.starts)[contexts].mean()) if len(contexts) else 0.0


def _windows(source: TextSource) -> tuple[Ids, Starts, Starts, Starts]:
    """The held-out text, and for each place that has a window: its begin, the place, its end."""
    texts, windows, at, n_words = [], [np.empty((3, 0), np.int64)], 0, 0
    for kept, left, right, *_ in heldout_segments(source):
        places = np.flatnonzero(right - left > 1)
        if not len(places):
            continue
        texts.append(kept.copy())  # the segment reuses its memory
        windows.append(np.array([left[places], places, right[places]], np.int64) + at)
        at += len(kept)
        n_words += int((right - left - 1)[places].sum())
        if n_words > MOST_HELDOUT:
            break
    text = np.concatenate([*texts, np.empty(0, np.int32)])
    return text, *np.concatenate(windows, axis=1)
