"""The scores, which say how much two words belong together, and the other options.

A pair is a phrase if it occurs at least min_count times and its score is above the threshold. Scores are computed from
counts: of the word a, of the word b, of the pair, of different words and pairs (len_vocab), and of all words.
"""

import inspect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from pairloom.config import check_min_count, check_number, check_whole
from pairloom.errors import ConfigError
from pairloom.system.display import number_of

Score = Callable[..., float]

# The list of gensim: articles, some prepositions, some conjunctions.
ENGLISH_CONNECTORS = frozenset(
    ["a", "an", "the", "for", "of", "with", "without", "at", "from", "to", "in", "on", "by", "and", "or"]
)
MOST_PASSES = 10


def word2vec(
    worda_count: int, wordb_count: int, bigram_count: int, len_vocab: int, min_count: int, corpus_word_count: int
) -> float:
    """(n_ab - min_count) / (n_a * n_b) * tokens: how many times as often as by chance, with a discount.

    The discount, min_count, keeps out pairs of rare words, whose few counts are mostly noise.
    """
    return (bigram_count - min_count) / float(worda_count * wordb_count) * corpus_word_count


def gensim(
    worda_count: int, wordb_count: int, bigram_count: int, len_vocab: int, min_count: int, corpus_word_count: int
) -> float:
    """(n_ab - min_count) / (n_a * n_b) * len_vocab: gensim's default, so you can keep its thresholds."""
    return (bigram_count - min_count) / float(worda_count * wordb_count) * len_vocab


def npmi(
    worda_count: int, wordb_count: int, bigram_count: int, len_vocab: int, min_count: int, corpus_word_count: int
) -> float:
    """ln(p_ab / (p_a p_b)) / -ln p_ab, from -1 to 1: 0 is chance, 1 is always together (Bouma 2009)."""
    p_a, p_b, p_ab = (n / corpus_word_count for n in (worda_count, wordb_count, bigram_count))
    return math.log(p_ab / (p_a * p_b)) / -math.log(p_ab)


ScoreName = Literal["gensim", "word2vec", "npmi"]

SCORES: dict[str, Score] = {"gensim": gensim, "word2vec": word2vec, "npmi": npmi}
THRESHOLDS = {
    "gensim": 10.0,
    "word2vec": 100.0,
    "npmi": 0.5,
}  # defaults of gensim and word2phrase; neither has one for npmi
_PARAMETERS = tuple(inspect.signature(word2vec).parameters)


@dataclass(frozen=True, kw_only=True, slots=True)
class PhraseOptions:
    """The options of `Phrases.learn`, checked, with one threshold for each pass."""

    min_count: int
    score: Score
    scoring: str  # the name of the score
    thresholds: tuple[float, ...]
    connectors: frozenset[str]
    delimiter: str

    @classmethod
    def checked(
        cls,
        *,
        min_count: int = 5,
        threshold: float | Iterable[float] | None = None,
        scoring: str | Score = "gensim",
        connectors: str | Iterable[str] = (),
        passes: int | None = None,
        delimiter: str = "_",
    ) -> "PhraseOptions":
        """Check options as `Phrases.learn` takes them."""
        check_min_count(min_count)
        name, score = _checked_scoring(scoring)
        thresholds = _checked_thresholds(threshold, passes, name if name in SCORES else None)
        return cls(
            min_count=int(min_count),
            score=score,
            scoring=name,
            thresholds=thresholds,
            connectors=checked_connectors(connectors),
            delimiter=checked_delimiter(delimiter),
        )


def _checked_scoring(scoring: str | Score) -> tuple[str, Score]:
    """The name and the function of a score."""
    if isinstance(scoring, str) and scoring in SCORES:
        return scoring, SCORES[scoring]
    if not callable(scoring):
        raise ConfigError(f"scoring={scoring!r} is not a choice. Use {', '.join(SCORES)} or a function.")
    try:
        inspect.signature(scoring).bind(**dict.fromkeys(_PARAMETERS))
    except (TypeError, ValueError):
        raise ConfigError(
            f"scoring={scoring!r} cannot be called as a score. Use a function of {', '.join(_PARAMETERS)}."
        ) from None
    return f"function {getattr(scoring, '__name__', type(scoring).__name__)}", scoring


def _checked_thresholds(threshold: Any, passes: int | None, scoring: str | None) -> tuple[float, ...]:
    """One threshold for each pass."""
    if passes is not None:
        check_whole("passes", passes, 1, MOST_PASSES, "1 joins two words, 2 up to four")
    if threshold is None:
        if scoring is None:
            raise ConfigError("threshold=None is for the scores with a name. Give a threshold for your function.")
        threshold = THRESHOLDS[scoring]
    several = isinstance(threshold, Iterable) and not isinstance(threshold, str)
    thresholds = tuple(threshold) if several else (threshold,) * (passes or 1)
    if not 1 <= len(thresholds) <= MOST_PASSES or len(thresholds) != (passes or len(thresholds)):
        raise ConfigError(
            f"threshold={list(thresholds)!r} has {number_of(len(thresholds), 'value')} for {passes or 'no'} passes. "
            "Give one threshold, or one for each pass."
        )
    for value in thresholds:
        _check_threshold(value, scoring)
    return tuple(map(float, thresholds))


def _check_threshold(threshold: Any, scoring: str | None) -> None:
    if scoring == "npmi":
        check_number("threshold", threshold, -1.0, 1.0, "0.5 is usual for npmi")
        return
    check_number("threshold", threshold, -1e30, 1e30, "10 is usual for gensim's score, 100 for word2vec's")
    if scoring is not None and threshold <= 0:
        raise ConfigError(
            f"threshold={threshold!r} is out of range. "
            "Use a number above 0; 10 is usual for gensim's score, 100 for word2vec's."
        )


def checked_connectors(connectors: str | Iterable[str]) -> frozenset[str]:
    """The set of connectors, given by name or as words."""
    if isinstance(connectors, str):
        if connectors != "english":
            raise ConfigError(f"connectors={connectors!r} is not a choice. Use 'english' or a list of words.")
        return ENGLISH_CONNECTORS
    if not isinstance(connectors, Iterable):
        raise ConfigError(f"connectors={connectors!r} is not a choice. Use 'english' or a list of words.")
    words = frozenset(connectors)
    bad = next((word for word in words if not isinstance(word, str) or not word or not _is_text(word)), None)
    if bad is not None:
        raise ConfigError(f"connectors={bad!r} is not a word. Use 'english' or a list of words.")
    return words


def checked_delimiter(delimiter: object) -> str:
    """Check the delimiter, which stands between the words of a phrase."""
    if not isinstance(delimiter, str) or not delimiter or not _is_text(delimiter):
        raise ConfigError(f"delimiter={delimiter!r} is not a delimiter. Use one or a few characters, for example _.")
    if len(delimiter) > 100:
        raise ConfigError(
            f"delimiter={delimiter[:20] + '...'!r} is too long. Use one or a few characters, for example _."
        )
    if delimiter.split() != [delimiter]:
        raise ConfigError(
            f"delimiter={delimiter!r} contains white space, which separates words. Use another, for example _."
        )
    return delimiter


def _is_text(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True
