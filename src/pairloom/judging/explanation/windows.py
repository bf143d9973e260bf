"""How far apart in the original text the trained pairs are.

Rare words, and some tokens of frequent ones, leave the text before windows are taken. "The effective window size grows,
including context-words which are both content-full and linearly far away" (word2vec Explained, section 3). This module
measures by how much.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.corpus.vocabulary import Vocabulary
from pairloom.method.contexts import Windows, keep_limit
from pairloom.method.draws import Purpose, key
from pairloom.types import Float64s, Ids

MOST_TOKENS = 2_000_000  # from the start of the text; enough for three digits


class PairDistances(NamedTuple):
    """The distances between the two words of a pair, in the original text."""

    pruned: bool  # whether rare words were removed first
    subsampled: bool  # whether frequent words were subsampled first
    shares: Float64s  # shares[d]: the share of the pairs that are d words apart
    mean: float
    beyond: float  # the share of the pairs that are further apart than the window reaches


class TextWithGaps(NamedTuple):
    """Consecutive sentences as ids, with -1 for words that are not in the vocabulary."""

    ids: Ids
    lengths: npt.NDArray[np.int64]


def with_gaps(sentences: Iterable[list[str]], vocabulary: Vocabulary, most: int = MOST_TOKENS) -> TextWithGaps:
    """The first sentences of a text, until they have at least `most` words.

    >>> with_gaps([["the", "odd", "cat"]], Vocabulary(("the", "cat"), [1, 1])).ids.tolist()
    [0, -1, 1]
    """
    index = vocabulary.index
    ids: list[int] = []
    lengths: list[int] = []
    for sentence in sentences:
        ids += [index.get(word, -1) for word in sentence]
        lengths.append(len(sentence))
        if len(ids) >= most:
            break
    return TextWithGaps(np.array(ids, np.int32), np.array(lengths, np.int64))


def effective_windows(
    text: TextWithGaps, keep_probability: Float64s, seed: int, windows: Windows
) -> list[PairDistances]:
    """The distances of pairs without and with pruning, each without and with subsampling."""
    return [
        _distances(text, keep_probability, seed, windows, prune, thin)
        for prune in (False, True)
        for thin in (False, True)
    ]


def _distances(
    text: TextWithGaps, keep: Float64s, seed: int, windows: Windows, prune: bool, thin: bool
) -> PairDistances:
    from pairloom.kernel.counts.explain import distances

    longest = int(text.lengths.max())
    sides = windows.weights(windows.left)[:longest], windows.weights(windows.right)[:longest]
    counts = np.zeros(longest + 1)
    draws = keep_limit(keep), key(seed, Purpose.KEEP, 0)
    distances(text.ids, text.lengths, *draws, *sides, prune, thin, windows.clean, counts)
    shares = counts / max(counts.sum(), 1e-300)  # a text of single words has no pairs
    mean = float(np.arange(len(shares)) @ shares)
    return PairDistances(prune, thin, shares, mean, float(shares[max(windows.left, windows.right) + 1 :].sum()))
