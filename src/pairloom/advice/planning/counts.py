"""The counts of a vocabulary in bins of words with about the same count: a few thousand numbers for a billion words."""

import os
from collections import Counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import Subsampling
from pairloom.corpus.lists import opened
from pairloom.corpus.vocabulary import Vocabulary, counted_lines, keep_probability
from pairloom.errors import InputError
from pairloom.types import Float64s, PathName

SINGLE_RANKS = 1000  # the most frequent words of a Zipf vocabulary, which have bins of their own: hubs are among them
WIDTH = 1.02  # of the other bins: the last rank divided by the first
BYTES_OF_A_NAME = 9  # if no names are known


class CountBins(NamedTuple):
    """Bins of words with about the same count, most frequent first."""

    counts: Float64s  # the mean count of a word of each bin
    words: Float64s  # the number of words in each bin
    name_bytes: int  # the characters of all names

    @property
    def n_words(self) -> int:
        """Words in all bins."""
        return round(float(self.words.sum()))

    @property
    def n_tokens(self) -> float:
        """Occurrences of all words."""
        return float(self.counts @ self.words)

    def kept(self, sample: float, formula: Subsampling) -> Float64s:
        """The probability that subsampling keeps a token, for the words of each bin."""
        return keep_probability(self.counts, sample, formula, self.n_tokens)

    def first(self, values: Float64s, n: int) -> Float64s:
        """The values of the n most frequent words, from the values of bins."""
        repeats = np.minimum(self.words, n).astype(np.int64)
        some = int(np.searchsorted(np.cumsum(repeats), n)) + 1
        return np.repeat(values[:some], repeats[:some])[:n]


def of_vocabulary(vocabulary: Vocabulary) -> CountBins:
    """The bins of a vocabulary, one for each count."""
    counts, words = np.unique(vocabulary.counts, return_counts=True)
    return _descending(counts, words, sum(map(len, vocabulary.words)))


def of_file(path: PathName) -> CountBins:
    """The bins of a file of `word count` lines. Words are not kept, so that the file may have a billion of them."""
    name = os.fspath(path)
    times: Counter[int] = Counter()
    name_bytes = 0
    with opened(name, "Give a file of `word count` lines.") as file:
        for _, word, n in counted_lines(file, name):
            times[n] += 1
            name_bytes += len(word)
    if times.total() < 2:
        raise InputError(f"{name} has fewer than 2 words, and 2 are needed. Write one `word count` per line.")
    return _descending(np.array(list(times)), np.array(list(times.values())), name_bytes)


def zipf(tokens: int, words: int) -> CountBins:
    """The counts that Zipf's law gives this many words: count(r) = tokens / (r H), H = Σ 1/r over all ranks r.

    A bin of ranks a .. b-1 has Σ 1/r = log((b - 1/2) / (a - 1/2)), nearly.

    >>> zipf(1000, 3).counts.round()
    array([545., 273., 182.])
    """
    single = np.arange(1, min(words, SINGLE_RANKS) + 1)
    steps = int(np.ceil(np.log(max(1.0, words / SINGLE_RANKS)) / np.log(WIDTH)))
    edges = np.unique(np.append(single, np.geomspace(len(single), words, steps + 1).astype(np.int64))) + 1.0
    edges = np.append(1.0, edges)
    size, low, high = np.diff(edges), edges[:-1], edges[1:]
    mass = np.where(size == 1, 1 / low, np.log((high - 0.5) / (low - 0.5)))
    return CountBins(np.maximum(1.0, tokens * mass / mass.sum() / size), size, BYTES_OF_A_NAME * words)


def _descending(counts: npt.NDArray[np.int64], words: npt.NDArray[np.int64], name_bytes: int) -> CountBins:
    order = np.argsort(-counts)
    return CountBins(counts[order].astype(np.float64), words[order].astype(np.float64), name_bytes)
