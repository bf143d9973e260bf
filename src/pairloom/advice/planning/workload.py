"""The work of a training, from its options and the counts of its words: pairs, rounds, parts and hubs."""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pairloom.advice.planning.counts import CountBins
from pairloom.config import TrainConfig
from pairloom.method.contexts import Windows
from pairloom.pairs.blocks import Division, stride_of
from pairloom.pairs.hubs import hubs_of, most_hubs
from pairloom.training.memory_need import WORDS_AROUND
from pairloom.types import Float64s


class RoundKind(NamedTuple):
    """Rounds of about the same length."""

    pairs: float
    parts: int
    tokens: float  # of the text, before subsampling
    times: int  # how many such rounds there are in all epochs


class Side(NamedTuple):
    """The words, or the contexts, of a training."""

    bins: CountBins
    share: Float64s  # of all pairs, for a row of each bin
    hubs: int

    @property
    def rows(self) -> int:
        """Rows of the matrix."""
        return self.bins.n_words

    def unevenness(self, parts: int) -> float:
        """How much the parts' shares of the pairs vary: standard deviation / mean.

        A row with the share s falls into a part with probability 1/P, so the share of a part has the variance
        Σ s² (1/P)(1 - 1/P) and the mean 1/P. Hubs are in all parts and do not count.
        """
        left = self.bins.words.copy()
        hubs = self.hubs
        for i in range(len(left)):
            taken = min(hubs, left[i])
            left[i], hubs = left[i] - taken, hubs - taken
            if hubs <= 0:
                break
        return math.sqrt(float(self.share**2 @ left) * (parts - 1))


class Workload(NamedTuple):
    """What a training has to do, on one machine or on several."""

    config: TrainConfig
    words: Side
    contexts: Side
    kept: float  # the share of the tokens that subsampling keeps
    pairs: float  # in an epoch
    division: Division
    rounds: tuple[RoundKind, ...]

    @property
    def row_bytes(self) -> int:
        """R, the bytes of a row."""
        return 4 * stride_of(self.config.dim)

    @property
    def tokens(self) -> float:
        """In an epoch."""
        return self.words.bins.n_tokens

    @property
    def longest(self) -> RoundKind:
        """The longest rounds."""
        return max(self.rounds)

    @property
    def usual(self) -> RoundKind:
        """The kind of round in which most pairs are trained."""
        return max(self.rounds, key=lambda kind: kind.pairs * kind.times)


def workload_of(config: TrainConfig, bins: CountBins) -> Workload:
    """The work of training these words."""
    windows, keep = Windows.of(config), bins.kept(config.sample, config.subsampling)
    kept = float(bins.counts * keep @ bins.words) / bins.n_tokens
    around = WORDS_AROUND if config.window == "sentence" else windows.contexts_per_word
    pairs = bins.n_tokens * kept * around * (kept if config.clean else 1.0)
    context_bins = _positional(bins, windows) if config.positional else bins
    context_keep = np.repeat(keep, windows.n_offsets) if config.positional else keep
    division = Division.of(bins.n_words, context_bins.n_words, config.dim, config.negatives, pairs * config.epochs)
    words, contexts = (_side(*side, division.parts) for side in ((bins, keep), (context_bins, context_keep)))
    rounds = tuple(_rounds(division, pairs, bins.n_tokens, config.epochs))
    return Workload(config, words, contexts, kept, pairs, division, rounds)


def _side(bins: CountBins, keep: Float64s, parts: int) -> Side:
    mass = bins.counts * keep
    order = np.argsort(-mass, kind="stable")
    share = mass[order] / float(mass @ bins.words)
    ordered = CountBins(bins.counts[order], bins.words[order], bins.name_bytes)
    return Side(ordered, share, len(hubs_of(ordered.first(share, most_hubs(parts)), parts)))


def _positional(bins: CountBins, windows: Windows) -> CountBins:
    """The contexts word_offset: each word, once for each place around it."""
    weights = np.concatenate([windows.weights(windows.left)[::-1], windows.weights(windows.right)])
    counts = (bins.counts[:, None] * weights).ravel()
    names = windows.n_offsets * (bins.name_bytes + 4 * bins.n_words)
    return CountBins(counts, np.repeat(bins.words, windows.n_offsets), names)


def _rounds(division: Division, pairs: float, tokens: float, epochs: int) -> Iterator[RoundKind]:
    """The rounds of all epochs. When two epochs in a row are divided alike, so are all after them."""
    before: Float64s = np.empty(0)
    for epoch in range(epochs):
        lengths = np.diff(division.round_edges(pairs, epoch, epochs))
        alike = len(lengths) == len(before) and np.allclose(lengths, before)
        times = epochs - epoch if alike else 1
        changes = np.flatnonzero(np.abs(np.diff(lengths)) > 1e-3 * lengths[1:]) + 1
        for begin, end in pairwise([0, *changes.tolist(), len(lengths)]):
            share = float(lengths[begin:end].mean())
            yield RoundKind(share * pairs, division.parts_of(share * pairs), share * tokens, times * (end - begin))
        if alike:
            break
        before = lengths
