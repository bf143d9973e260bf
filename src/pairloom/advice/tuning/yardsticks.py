"""What a trial is scored by. Scores of different settings must be comparable, and higher is better.

**The held-out loss of training is not used.** It is the objective itself, so another number of negatives, another noise
or another window makes it another quantity, whose values cannot be compared. In place of it, `HeldOut` asks all models
the same: which word is near w in a line that was not trained on? Negative sampling has its optimum at
    v_w·v_c = log p'(c | w) - log(k noise(c)),    p'(c | w) ∝ p(c | w) keep(c)
where keep(c) is the probability that subsampling keeps c and noise(c) ∝ count(c)^power. So every model ranks c by
    log p(c | w) = v_w·v_c + power log count(c) - log keep(c) + a constant of w
whatever its own negatives, noise and subsampling are.

The questions are fixed: pairs (w, c) at a distance of at most WINDOW, thinned out as with THINNED, since a score of
function words would say little. log keep(c) of that thinning is added to the ranking. A fixed window favours models
whose window is about as long. To choose the window for another purpose, use questions about that purpose.
"""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from pairloom.advice.tuning.ranks import ranks
from pairloom.advice.tuning.sampling import CHECK, CHOOSE, LineSample
from pairloom.config import TrainConfig
from pairloom.corpus.vocabulary import keep_probability
from pairloom.errors import InputError
from pairloom.judging.evaluation import AnalogyScores, CategoryScores, QuestionFile, SimilarityScores, evaluate, kind_of
from pairloom.types import Float64s, Rows
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.record import recorded_config

WINDOW, THINNED = 5, 1e-4
CANDIDATES = 10_000  # the most frequent words, among which the right one is ranked
QUESTIONS = 3_000  # of each fold, at most
FEWEST_QUESTIONS = 20
GUESSES = 20
_DECAY, _LATEST = 0.5, 10  # the weight of an item is halved with each later one; earlier items hardly count
_MIN_COUNT = 5  # of a candidate


class Score(NamedTuple):
    """The score that settings are chosen by, that on the check fold if there is one, and further figures."""

    score: float
    check: float | None = None
    more: dict[str, float] = {}  # noqa: RUF012 (never changed)


class Yardstick(Protocol):
    """Scores a model."""

    @property
    def name(self) -> str: ...
    @property
    def held_out(self) -> bool:
        """Whether the two folds must not be trained on."""

    def score(self, model: Embedding, threads: int) -> Score: ...


def prior(model: Embedding, config: TrainConfig) -> Float64s:
    """power log count(c) - log keep(c): what is added to v_w·v_c for log p(c | w)."""
    counts = np.asarray(model.contexts.counts, np.float64)
    keep = keep_probability(counts, config.sample, config.subsampling)
    return np.asarray(config.noise_power * np.log(counts) - np.log(keep), np.float64)


class HeldOut:
    """Ranks held-out neighbours. The score is the mean of log2(candidates / rank), in bits.

    A word without a vector has the last rank, 0 bits.
    """

    name = "held-out neighbours, bits"
    held_out = True

    def __init__(self, sample: LineSample) -> None:
        counts = Counter(word for words in sample.training(1.0, True) for word in words)
        frequent = sorted((word for word in counts if counts[word] >= _MIN_COUNT), key=lambda w: (-counts[w], w))
        self.candidates = frequent[:CANDIDATES]
        kept = keep_probability([counts[word] for word in self.candidates] or [1], THINNED, "program")
        self.keep = dict(zip(self.candidates, kept.tolist(), strict=False))
        self.folds = [drawn_pairs(sample.fold(number), self.keep) for number in (CHOOSE, CHECK)]
        check_questions(min(map(len, self.folds)), "held-out neighbours")

    def score(self, model: Embedding, threads: int) -> Score:
        choose, check = (self._ranks(model, pairs) for pairs in self.folds)
        bits = [float(np.log2(len(self.candidates) / found).mean()) for found in (choose, check)]
        return Score(bits[0], bits[1], {"MRR": float((1 / choose).mean())})

    def _ranks(self, model: Embedding, pairs: Sequence[tuple[str, str]]) -> Rows:
        contexts = model.contexts
        known = [word for word in self.candidates if word in contexts.key_to_index]
        rows = [contexts.key_to_index[word] for word in known]
        place = {word: i for i, word in enumerate(known)}
        added = prior(model, recorded_config(model.record))[rows] + np.log([self.keep[word] for word in known])
        asked = [i for i, (w, c) in enumerate(pairs) if w in model.words.key_to_index and c in place]
        queries = model.words.vectors[[model.words.key_to_index[pairs[i][0]] for i in asked]]
        right = np.array([place[pairs[i][1]] for i in asked], np.intp)
        found = np.full(len(pairs), len(self.candidates), np.intp)
        found[asked] = ranks(queries, contexts.vectors[rows], added, right)
        return found


def drawn_pairs(lines: Sequence[Sequence[str]], keep: dict[str, float]) -> list[tuple[str, str]]:
    """Pairs of words at a distance of at most WINDOW: one for each token that the thinning keeps, then a part of them.

    The draws are the same for equal lines, whatever the seed of the trials.
    """
    draw = random.Random("pairs")
    pairs = []
    for words in lines:
        places = [i for i, word in enumerate(words) if draw.random() < keep.get(word, 0.0)]
        for i in places:
            near = [words[j] for j in places if 0 < abs(i - j) <= WINDOW]
            if near:
                pairs.append((words[i], draw.choice(near)))
    return draw.sample(pairs, min(QUESTIONS, len(pairs)))


class NextItem:
    """Guesses the last item of held-out sessions from the items before it: the hit rate at 20.

    The guesses are the 20 items with the largest
        log p(c) + Σ a_i (log p(c | w_i) - log p(c)),   a_i = 1, 1/2, 1/4, ...  from the last item w_1 backwards
    with log p(c | w) as at the top of this file. Items without a vector are missed.
    """

    name = f"hit rate at {GUESSES}"
    held_out = True

    def __init__(self, sample: LineSample) -> None:
        folds = [[words for words in sample.fold(number) if len(words) > 1] for number in (CHOOSE, CHECK)]
        self.folds = [random.Random("sessions").sample(fold, min(QUESTIONS, len(fold))) for fold in folds]
        check_questions(min(map(len, self.folds)), "held-out lines of two items or more")

    def score(self, model: Embedding, threads: int) -> Score:
        choose, check = (self._ranks(model, sessions) for sessions in self.folds)
        hits = [float((found <= GUESSES).mean()) for found in (choose, check)]
        reciprocal = np.where(choose <= GUESSES, 1 / choose, 0.0)
        return Score(hits[0], hits[1], {f"MRR at {GUESSES}": float(reciprocal.mean())})

    def _ranks(self, model: Embedding, sessions: Sequence[Sequence[str]]) -> Rows:
        row_of = model.contexts.key_to_index
        asked = [i for i, words in enumerate(sessions) if words[-1] in row_of]
        right = np.array([row_of[sessions[i][-1]] for i in asked], np.intp)
        queries = np.array([_query(model, sessions[i][:-1]) for i in asked]).reshape(-1, model.dim + 1)
        popularity = np.log(np.asarray(model.contexts.counts, np.float64))
        beyond = prior(model, recorded_config(model.record)) - popularity
        found = np.full(len(sessions), len(row_of) + GUESSES, np.intp)
        found[asked] = ranks(queries, np.column_stack([model.contexts.vectors, beyond]), popularity, right)
        return found


def _query(model: Embedding, items: Sequence[str]) -> Float64s:
    """Σ a_i v_i over the latest items that have vectors, followed by Σ a_i."""
    query = np.zeros(model.dim + 1)
    for item in items[-_LATEST:]:
        query *= _DECAY
        if item in model.words.key_to_index:
            query[:-1] += model.words.vectors[model.words.key_to_index[item]]
            query[-1] += 1.0
    return query


class Questions:
    """Scores by a file of similarities (Spearman), analogies (accuracy) or categories (purity), as `evaluate` does."""

    held_out = False

    def __init__(self, file: QuestionFile) -> None:
        self.file = file
        self.name: str = kind_of(file)  # until a score is known, which has a name of its own

    def score(self, model: Embedding, threads: int) -> Score:
        scores = evaluate(model, self.file, threads=threads)
        self.name, value, known = _value(scores)
        if value is None or known < FEWEST_QUESTIONS:
            raise InputError(
                f"Only {known:,} of the questions in {self.file.path} have all their words in the text of a trial, and "
                f"{FEWEST_QUESTIONS} are needed. Raise --tokens, or lower --min-count."
            )
        return Score(value, None, {"known": known})


def _value(scores: Any) -> tuple[str, float | None, int]:
    if isinstance(scores, SimilarityScores):
        return "Spearman", scores.spearman, scores.known
    if isinstance(scores, AnalogyScores):
        return "analogies answered", scores.total.accuracy, scores.total.known
    assert isinstance(scores, CategoryScores)
    return "purity", scores.purity, scores.known


def check_questions(n: int, what: str) -> None:
    """Refuse to choose settings by next to nothing."""
    if n < FEWEST_QUESTIONS:
        raise InputError(
            f"The text has {n:,} {what} for a fold, and {FEWEST_QUESTIONS} are needed to compare settings. Give a "
            "longer text, or --for a file of questions."
        )
