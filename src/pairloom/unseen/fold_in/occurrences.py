"""How often each new word occurs with each known context, in a text or in pairs.

For a text, this is the number of pairs that training would take from it *in expectation*, so nothing is drawn:

    n(w, c) = Σ over tokens of w and c in the same sentence of p(both stay) * p(the window of w reaches c)

with the subsampling and windows of `method/contexts.py`. Words that are neither known nor new leave the text before
windows are taken, as rare words do in training. All sums are exact, so the order of the text does not matter.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import TrainConfig
from pairloom.corpus.counting import count
from pairloom.corpus.encoding import Encoded
from pairloom.corpus.kinds.corpus import Corpus
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import InputError
from pairloom.pairs.pair_reading import PairCorpus
from pairloom.progress import OnProgress
from pairloom.system.threads import Workers, stop_if_cancelled
from pairloom.types import Counts, Float64s, Ids
from pairloom.vectors.vectors import Vectors

_TOKENS_AT_ONCE = 1 << 22
_WORDS_AT_ONCE = 16
_TOKENS_OF_A_CALL = 1 << 16  # of one word: a call cannot be interrupted


class Occurrences(NamedTuple):
    """New words with their known contexts.

    Word j occurs with rows[starts[j] : starts[j + 1]] of the fixed side, and times[starts[j] : starts[j + 1]] are its
    n(w, c).
    """

    words: list[str]
    counts: Counts  # occurrences in the text, or the sum of the weights of pairs
    model_counts: Float64s  # the same, scaled to the size of the corpus that the model was trained on
    share: Float64s  # of each word among the tokens that subsampling keeps
    rows: Ids
    times: Float64s
    starts: npt.NDArray[np.int64]


# --- From a text


def unknown_words(corpus: Corpus, known: Vectors, min_count: float, threads: int, on_progress: OnProgress) -> list[str]:
    """The unknown words of a corpus that occur at least min_count times, the most frequent first."""
    counts = count(corpus, threads=threads, on_progress=on_progress)
    if counts.n_tokens == 0:
        raise InputError(f"{counts.name} has no words to fold in. Give text that contains the new words.")
    rows = counts.ordered(np.arange(len(counts.counts)))
    new = [
        (word, n) for word, n in zip(counts.words(rows), counts.counts[rows].tolist(), strict=True) if word not in known
    ]
    if not new:
        raise InputError(f"All words of {counts.name} are already in the model. Give text that contains new words.")
    if new[0][1] < min_count:
        raise InputError(
            f"min_count={min_count} leaves out all new words of {counts.name}. Use min_count={new[0][1]}, or more text."
        )
    return [word for word, n in new if n >= min_count]


def text_vocabulary(fixed: Vectors, others: Vectors, new: list[str]) -> Vocabulary:
    """The vocabulary to encode a text with: the fixed side's rows, the model's other words, then words new to both."""
    rest = [word for word in others if word not in fixed] if others.words != fixed.words else []
    unknown = [word for word in new if word not in fixed]
    counts = [fixed.counts, others.counts[[others.get_index(word) for word in rest]], np.ones(len(unknown))]
    return Vocabulary((*fixed.words, *rest, *unknown), np.maximum(np.concatenate(counts), 1))


def occurrences_in_text(
    encoded: Encoded,
    new: list[str],
    n_fixed: int,
    n_known: int,
    config: TrainConfig,
    left: Float64s,
    right: Float64s,
    pool: Workers,
) -> Occurrences:
    """Count the contexts of the new words, in expectation, among the first n_fixed words of the vocabulary.

    n_known: how many words of the vocabulary are the model's. left[s], right[s]: the probability that a window reaches
    the (s + 1)-th remaining token on that side.
    """
    ids = np.array([encoded.vocabulary.index[word] for word in new], np.int32)
    tokens, ends = _tokens_of(encoded, ids)
    counts = np.diff(ends)
    vocabulary = _with_model_counts(encoded, ids, counts, n_known)
    keep = vocabulary.keep_probability(config.sample, config.subsampling)
    count_contexts = _context_counter(encoded.ids, tokens, ends, keep, keep[ids], left, right, n_fixed)
    spans = [range(at, min(at + _WORDS_AT_ONCE, len(new))) for at in range(0, len(new), _WORDS_AT_ONCE)]
    found = [one for some in pool.map(count_contexts, spans) for one in some]
    starts = np.append(0, np.cumsum([len(rows) for rows, _ in found], dtype=np.int64))
    rows, times = (np.concatenate(parts) for parts in zip(*found, strict=True))
    stay = keep * vocabulary.counts
    model_counts = vocabulary.counts[ids].astype(np.float64)
    return Occurrences(new, counts, model_counts, (stay / stay.sum())[ids], rows, times, starts)


def _tokens_of(encoded: Encoded, new: Ids) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The tokens of the new words, grouped by word: those of word j are tokens[ends[j] : ends[j + 1]].

    A row of `tokens` holds three positions: the start of the sentence, the token itself, the end of the sentence.
    """
    ids, starts = encoded.ids, encoded.starts
    number = np.full(len(encoded.vocabulary), -1, np.int32)
    number[new] = np.arange(len(new))
    spans = [slice(begin, begin + _TOKENS_AT_ONCE) for begin in range(0, len(ids), _TOKENS_AT_ONCE)]
    at = np.concatenate([span.start + np.flatnonzero((number >= 0)[ids[span]]) for span in spans])
    sentence = np.searchsorted(starts, at, side="right")
    tokens = np.stack([starts[sentence - 1], at, starts[sentence]], axis=1)
    words = number[ids[at]]
    return tokens[np.argsort(words, kind="stable")], np.append(0, np.cumsum(np.bincount(words, minlength=len(new))))


def _with_model_counts(encoded: Encoded, new: Ids, counts: Counts, n_known: int) -> Vocabulary:
    """The vocabulary with counts for new words, scaled so that each has the same share of it as of this text."""
    vocabulary = encoded.vocabulary
    known = vocabulary.counts.copy()
    scale = int(known[:n_known].sum()) / encoded.n_tokens
    unknown = new >= n_known
    known[new[unknown]] = np.maximum(1, np.rint(counts[unknown] * scale))
    return Vocabulary(vocabulary.words, known)


def _context_counter(
    ids: Ids,
    tokens: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    keep: Float64s,
    stays: Float64s,
    left: Float64s,
    right: Float64s,
    n_fixed: int,
) -> Callable[[range], list[tuple[Ids, Float64s]]]:
    """Return a function from a range of new words to their contexts: rows of the fixed side with their counts.

    stays: the keep probability of each new word.
    """
    from pairloom.kernel.counts.expected import UNIT, add_contexts, take_contexts

    free_buffers: list[tuple[npt.NDArray[np.int64], Ids]] = []  # not in use by any thread

    def count_contexts(some: range) -> list[tuple[Ids, Float64s]]:
        try:
            buffers = free_buffers.pop()
        except IndexError:
            buffers = np.zeros(n_fixed, np.int64), np.empty(n_fixed + 1, np.int32)
        found = []
        for word in some:
            n = 0
            for begin in range(ends[word], ends[word + 1], _TOKENS_OF_A_CALL):
                stop_if_cancelled()
                mine = tokens[begin : min(begin + _TOKENS_OF_A_CALL, ends[word + 1])]
                n = add_contexts(ids, mine, keep, left, right, *buffers, n)
            rows, units = take_contexts(*buffers, n)
            found.append((rows, units * (stays[word] / UNIT)))
        free_buffers.append(buffers)
        return found

    return count_contexts


# --- From pairs


def occurrences_in_pairs(
    pairs: PairCorpus, wanted: list[str] | None, fixed: Vectors, known: Vectors, new_first: bool
) -> Occurrences:
    """Add up the weights of the new words' pairs, ignoring pairs of other words.

    wanted: the new words, or None for all unknown words. new_first: whether the new word comes first in a pair.
    """
    number = {word: j for j, word in enumerate(wanted or ())}
    found = [np.empty((3, 0))]
    for lot in pairs.chunks():
        new, others = (lot.words, lot.contexts) if new_first else (lot.contexts, lot.words)
        of_new, of_others = (lot.w, lot.c) if new_first else (lot.c, lot.w)
        numbers = [-1 if word in known else _number(word, number, wanted is None) for word in new.texts]
        rows = [fixed.key_to_index.get(word, -1) for word in others.texts]
        weights = np.ones(len(lot.w)) if lot.weights is None else lot.weights.astype(np.float64)
        columns = np.stack([np.array(numbers)[of_new], np.array(rows)[of_others], weights])
        found.append(columns[:, (columns[0] >= 0) & (weights > 0)])
    new_of, row_of, weights = np.concatenate(found, axis=1)
    words = sorted(number)  # the order of the pairs must not change the result
    place = np.array([0] * len(number), np.int64)
    place[[number[word] for word in words]] = np.arange(len(words))
    return _summed(words, place[new_of.astype(np.int64)], row_of.astype(np.int64), weights, int(fixed.counts.sum()))


def _number(word: str, number: dict[str, int], any_word: bool) -> int:
    return number.setdefault(word, len(number)) if any_word else number.get(word, -1)


def _summed(
    words: list[str], word_of: npt.NDArray[np.int64], row_of: npt.NDArray[np.int64], weights: Float64s, tokens: int
) -> Occurrences:
    """Merge equal pairs. Weights are added from the smallest up, so the order of the pairs does not matter."""
    order = np.lexsort((weights, row_of, word_of))
    word_of, row_of, weights = word_of[order], row_of[order], weights[order].astype(np.float64)
    totals = np.array([math.fsum(some) for some in _by_word(word_of, weights, len(words))])
    usable = row_of >= 0
    word_of, row_of, weights = word_of[usable], row_of[usable], weights[usable]
    first = np.flatnonzero(np.diff(word_of, prepend=-1) | np.diff(row_of, prepend=-1))
    times = np.add.reduceat(weights, first) if len(first) else np.empty(0)
    starts = np.searchsorted(word_of[first], np.arange(len(words) + 1))
    counts = np.maximum(1, np.rint(np.minimum(totals, 2.0**53))).astype(np.int64)
    share = totals / (tokens + totals.sum())
    return Occurrences(words, counts, totals, share, row_of[first].astype(np.int32), times, starts)


def _by_word(word_of: npt.NDArray[np.int64], weights: Float64s, n: int) -> list[npt.NDArray[np.float64]]:
    return np.split(weights, np.searchsorted(word_of, np.arange(1, n))) if n else []
