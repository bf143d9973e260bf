"""How far apart, in the text as it was written, the pairs are that training sees.

Rare words leave the text before windows are taken, and some of the frequent ones. "The effective window size grows,
including context-words which are both content-full and linearly far away" (word2vec Explained, section 3): here is by
how much.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.corpus.vocabulary import Vocabulary
from pairloom.method.contexts import Windows, keep_limit
from pairloom.method.draws import Purpose, key
from pairloom.types import Float64s, Ids

MOST_TOKENS = 2_000_000  # from the beginning of the text: enough for three digits


class Window(NamedTuple):
    """The distances of pairs."""

    pruned: bool  # rare words have left
    subsampled: bool  # frequent ones have been thinned out
    shares: Float64s  # [d]: share of the pairs that are d words apart
    mean: float
    beyond: float  # share of the pairs that are further apart than the window is wide


class Text(NamedTuple):
    """Sentences one after the other, -1 for words that the vocabulary does not have."""

    ids: Ids
    lengths: npt.NDArray[np.int64]


def with_gaps(sentences: Iterable[list[str]], vocabulary: Vocabulary, most: int = MOST_TOKENS) -> Text:
    """The first sentences of a text, some `most` words of them.

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
    return Text(np.array(ids, np.int32), np.array(lengths, np.int64))


def effective_windows(text: Text, keep_probability: Float64s, seed: int, windows: Windows) -> list[Window]:
    """The distances without and with pruning, without and with subsampling."""
    return [
        _window(text, keep_probability, seed, windows, prune, thin) for prune in (False, True) for thin in (False, True)
    ]


def _window(text: Text, keep: Float64s, seed: int, windows: Windows, prune: bool, thin: bool) -> Window:
    from pairloom.kernel.counts.explain import distances

    longest = int(text.lengths.max())
    sides = windows.weights(windows.left)[:longest], windows.weights(windows.right)[:longest]
    counts = np.zeros(longest + 1)
    draws = keep_limit(keep), key(seed, Purpose.KEEP, 0)
    distances(text.ids, text.lengths, *draws, *sides, prune, thin, windows.clean, counts)
    shares = counts / max(counts.sum(), 1e-300)  # a text of single words has no pairs
    mean = float(np.arange(len(shares)) @ shares)
    return Window(prune, thin, shares, mean, float(shares[max(windows.left, windows.right) + 1 :].sum()))
