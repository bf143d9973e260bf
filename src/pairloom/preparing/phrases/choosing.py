"""Chooses the phrases: the pairs whose score is above the threshold."""

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from pairloom.config import MAX_WORD_BYTES
from pairloom.errors import ConfigError
from pairloom.preparing.phrases.joining import Words
from pairloom.preparing.phrases.pair_counts import PairCounts
from pairloom.preparing.phrases.scores import PhraseOptions

_AT_ONCE = 1 << 16  # pairs scored at a time, since their counts become Python numbers


def choose(
    pairs: PairCounts, options: PhraseOptions, threshold: float, check: Callable[[int], object] = lambda n: None
) -> dict[Words, float]:
    """The pairs whose score is above the threshold, best first, ties by text. check(n) may raise if n are too many."""
    rows: list[int] = []
    scores: list[float] = []
    for begin in range(0, len(pairs.counts), _AT_ONCE):
        for row, score in enumerate(_scores(pairs, options, slice(begin, begin + _AT_ONCE)), begin):
            if score > threshold:
                rows.append(row)
                scores.append(score)
        check(len(rows))
    phrases = dict(zip(_words_of(pairs, np.array(rows, np.intp)), scores, strict=True))
    storable = {
        words: score for words, score in phrases.items() if _n_bytes(words, options.delimiter) <= MAX_WORD_BYTES
    }
    return dict(sorted(storable.items(), key=lambda item: (-item[1], options.delimiter.join(item[0]), item[0])))


def _scores(pairs: PairCounts, options: PhraseOptions, rows: slice) -> Iterator[float]:
    counts = pairs.words.counts
    columns = (counts[pairs.first[rows]], counts[pairs.second[rows]], pairs.counts[rows])
    for n_a, n_b, n_ab in zip(*(column.tolist() for column in columns), strict=True):
        score = options.score(
            worda_count=n_a,
            wordb_count=n_b,
            bigram_count=n_ab,
            len_vocab=pairs.n_types,
            min_count=options.min_count,
            corpus_word_count=pairs.words.n_tokens,
        )
        try:
            yield float(score)
        except (TypeError, ValueError):
            raise ConfigError(
                f"scoring={options.scoring} returned {score!r}, which is not a number. Return a float."
            ) from None


def _words_of(pairs: PairCounts, rows: npt.NDArray[np.intp]) -> Iterator[Words]:
    """The words of these pairs, with the connectors between them."""
    words_of = pairs.words.words
    gaps = pairs.gap[rows].tolist()
    between = {gap: words_of(np.array(pairs.gaps[gap], np.intp)) for gap in set(gaps)}
    for first, gap, second in zip(words_of(pairs.first[rows]), gaps, words_of(pairs.second[rows]), strict=True):
        yield first, *between[gap], second


def _n_bytes(words: Words, delimiter: str) -> int:
    """The length of a joined phrase. If it is longer than a word may be, no reader would accept it."""
    return len(delimiter.join(words).encode())
