"""Which words a Word2Vec learns: counted, then chosen by min_count, max_final_vocab and a trim rule."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from pairloom.corpus.counting import count
from pairloom.corpus.spilling import WordFilter
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import InputError
from pairloom.gensim_compat.sentences import GivenText, n_sentences
from pairloom.gensim_compat.utils import RULE_DEFAULT, RULE_DISCARD
from pairloom.system.display import number_of

TrimRule = Callable[[str, int, int], int]  # (word, count, min_count) -> RULE_DEFAULT, RULE_DISCARD or RULE_KEEP


class NoVocabularyError(InputError, RuntimeError):
    """There are no words to learn. gensim raises a RuntimeError then."""


class Counted(NamedTuple):
    """The words of some sentences."""

    counts: dict[str, int]  # perhaps without words that are rarer than was asked for
    n_tokens: int
    n_sentences: int


def count_words(text: GivenText, least: int, threads: int | None) -> Counted:
    """Count the words that occur at least `least` times."""
    with text.open() as corpus:
        counts = count(corpus, word_filter=WordFilter(least, None, (), ()), threads=threads)
    rows = np.flatnonzero(counts.counts >= least)
    words = dict(zip(counts.words(rows), counts.counts[rows].tolist(), strict=True))
    return Counted(words, counts.n_tokens, n_sentences(text))


def chosen(
    counts: Mapping[str, int], min_count: int, max_final_vocab: int | None, rule: TrimRule | None
) -> dict[str, int]:
    """The words to learn.

    max_final_vocab raises min_count until at most that many words are left: words of equal count stay or go together.
    The rule has the last word about each, as in gensim.
    """
    if max_final_vocab is not None and len(counts) > max_final_vocab:
        first_left_out = sorted(counts.values(), reverse=True)[max_final_vocab]
        min_count = max(min_count, first_left_out + 1)
    return {word: n for word, n in counts.items() if _is_kept(word, n, min_count, rule)}


def _is_kept(word: str, n: int, min_count: int, rule: TrimRule | None) -> bool:
    said = RULE_DEFAULT if rule is None else rule(word, n, min_count)
    return n >= min_count if said == RULE_DEFAULT else said != RULE_DISCARD


def vocabulary_of(counts: Mapping[str, int], min_count: int) -> Vocabulary:
    """The words to learn, sorted by frequency. There must be two at least."""
    if len(counts) < 2:
        raise NoVocabularyError(
            f"{number_of(len(counts), 'word')} left after min_count={min_count}, and at least 2 are needed. "
            "Use min_count=1, or more sentences."
        )
    return Vocabulary.of(counts.items())
