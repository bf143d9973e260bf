"""Answers to analogies "a is to b as c is to x", found for all questions at once.

    3CosAdd   argmax over x of  cos(x, b) - cos(x, a) + cos(x, c)                      Mikolov et al. 2013
    3CosMul   argmax over x of  cos'(x, b) cos'(x, c) / (cos'(x, a) + ε)               Levy & Goldberg 2014
              cos' = (1 + cos) / 2, which is never negative, and ε = 1e-6

Both need only cosines with the words of the questions, and these words are few: 905 in Google's 19,544 questions. So
each block of rows is multiplied once by these words, whatever the number of questions. The scores of a question combine
three rows of the resulting table. The rows of a and b are combined first, because many questions share them.

The table is rounded to float32, because memory bandwidth limits this step. Rows that may still win are scored again in
float64, every sum in one fixed order. So an answer depends neither on the BLAS, nor on threads or the size of blocks.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from pairloom.config import check_choice, checked_threads
from pairloom.judging.evaluation.lookup import cosines, unit_rows
from pairloom.types import Float64s, Matrix, Rows
from pairloom.vectors.search import COSMUL_EPSILON
from pairloom.vectors.vectors import Vectors

MethodName = Literal["add", "mul"]

_QUESTIONS_PER_CHUNK = 128  # a thread's work at a time: with _ROWS_PER_BLOCK, half a megabyte of scores
_ROWS_PER_BLOCK = 1024  # at most
_TABLE_ENTRIES = 1 << 20  # of a block, at most: 8 MB in float64
_SCORED_AT_ONCE = 4096  # candidates scored in float64 at a time
_MOST_CANDIDATES = 1 << 22  # kept at a time, some 80 MB; there are far fewer unless vectors coincide

# Rounding the table and combining it twice changes a score by less than 5 * 2^-24 (absolute for 3CosAdd, whose scores
# are at most 3; relative for 3CosMul). Where cos' to a is nearly 0, 1/ε multiplies the error of the products, which is
# at most 3 * 2^-22 up to dim 4096. Two scores are compared, so the margin is twice the sum of these, and a little more.
_MARGIN = 2.0**-18


class Method(NamedTuple):
    """How a score is computed: join(join(away(cos(x, a)), toward(cos(x, b))), toward(cos(x, c)))."""

    label: str
    toward: Callable[[Float64s], Float64s]
    away: Callable[[Float64s], Float64s]
    join: np.ufunc

    def score(self, a: Float64s, b: Float64s, c: Float64s) -> Float64s:
        """The score, from the cosines with a, b and c."""
        scores: Float64s = self.join(self.join(self.away(a), self.toward(b)), self.toward(c))
        return scores


def _shifted(cosine: Float64s) -> Float64s:
    return (1 + cosine) / 2


METHODS: dict[str, Method] = {
    "add": Method("3CosAdd", np.positive, np.negative, np.add),
    "mul": Method("3CosMul", _shifted, lambda cosine: 1 / (_shifted(cosine) + COSMUL_EPSILON), np.multiply),
}


def method_of(name: str) -> Method:
    """The method with this name, or a ConfigError."""
    check_choice("method", name, MethodName)
    return METHODS[name]


class Answers(NamedTuple):
    """The row that answers each question, and its score; -1 and -inf if every row was excluded."""

    rows: Rows
    scores: Float64s


def answers(
    vectors: Vectors, questions: Rows, excluded: Rows, method: Method, n_rows: int, threads: int | None = None
) -> Answers:
    """Find the best row for every question among the first n_rows rows. The earliest of equal rows wins.

    questions  (n, 3): the rows of a, b and c
    excluded   (m, 2): a question and a row that must not answer it
    """
    found = Answers(np.full(len(questions), -1), np.full(len(questions), -np.inf))
    if len(questions) == 0:
        return found
    question, row = _find_candidates(vectors, questions, excluded, method, n_rows, checked_threads(threads))
    score = _exact_scores(vectors, questions[question], row, method)
    best = _best(question, row, score)
    found.rows[question[best]], found.scores[question[best]] = row[best], score[best]
    return found


def _best(question: Rows, row: Rows, score: Float64s) -> Rows:
    """The index of the best score of each question. The earliest of equal rows wins."""
    order = np.lexsort((row, -score, question))
    _, first = np.unique(question[order], return_index=True)
    return np.asarray(order[first])


def _exact_scores(vectors: Vectors, questions: Rows, row: Rows, method: Method) -> Float64s:
    """The float64 score of each row for the question at the same index."""
    scores = np.empty(len(row))
    for start in range(0, len(row), _SCORED_AT_ONCE):
        some = slice(start, start + _SCORED_AT_ONCE)
        scores[some] = method.score(*(cosines(vectors, row[some], questions[some, i]) for i in range(3)))
    return scores


def _find_candidates(
    vectors: Vectors, questions: Rows, excluded: Rows, method: Method, n_rows: int, threads: int
) -> tuple[Rows, Rows]:
    """Return questions and rows that may answer them: rows whose float32 score is within the margin of the best."""
    from pairloom.system.threads import workers  # imports logging and more, which takes 5 ms

    shared = _SharedQuestions.of(vectors, questions)
    size = max(16, min(_ROWS_PER_BLOCK, _TABLE_ENTRIES // max(len(shared.unit), len(shared.pairs))))
    scanner = _Scanner(shared, _Exclusions(excluded, size, len(questions)))
    found: list[_Candidates] = []
    with workers(threads) as pool:
        for start in range(0, n_rows, size):
            block = _block(start, shared, unit_rows(vectors, slice(start, min(start + size, n_rows))), method)
            found += pool.map(partial(scanner.scan, block), range(0, len(questions), _QUESTIONS_PER_CHUNK))
            if sum(len(some.row) for some in found) > _MOST_CANDIDATES:
                found = [_only_best(vectors, questions, method, found)]
    question, row, score = (np.concatenate(parts) for parts in zip(*found, strict=True))
    may_win = score >= _threshold(scanner.best)[question]
    return question[may_win], row[may_win]


def _only_best(vectors: Vectors, questions: Rows, method: Method, found: "list[_Candidates]") -> "_Candidates":
    """Keep the best candidate of each question: if vectors coincide, nearly all rows are within the margin."""
    question, row, score = (np.concatenate(parts) for parts in zip(*found, strict=True))
    best = _best(question, row, _exact_scores(vectors, questions[question], row, method))
    return _Candidates(question[best], row[best], score[best])


class _SharedQuestions(NamedTuple):
    """The questions, stored by the words and the pairs a : b that they share."""

    unit: Float64s  # the unit vectors of the different words
    pairs: Rows  # (n_pairs, 2): the words a and b of each different pair
    pair: Rows  # the pair of each question
    c: Rows  # the word c of each question

    @classmethod
    def of(cls, vectors: Vectors, questions: Rows) -> "_SharedQuestions":
        rows, words = np.unique(questions, return_inverse=True)
        words = words.reshape(questions.shape)
        pairs, pair = np.unique(words[:, :2], axis=0, return_inverse=True)
        return cls(unit_rows(vectors, rows), pairs, pair.ravel(), words[:, 2])


class _Block(NamedTuple):
    """The parts of the scores of a block of rows, from row `start` on: by the pair a : b, and by c."""

    start: int
    pair: Matrix  # (n_pairs, n_rows)
    c: Matrix  # (n_words, n_rows)
    join: np.ufunc


def _block(start: int, questions: _SharedQuestions, unit_block: Float64s, method: Method) -> _Block:
    cosine = questions.unit @ unit_block.T
    away, toward = method.away(cosine).astype(np.float32), method.toward(cosine).astype(np.float32)
    a, b = questions.pairs.T
    pair = away.take(a, axis=0)
    return _Block(start, method.join(pair, toward.take(b, axis=0), out=pair), toward, method.join)


class _Candidates(NamedTuple):
    """Rows that may answer a question, with their float32 scores."""

    question: Rows
    row: Rows
    score: Matrix


class _Scanner:
    """Scans blocks, and keeps the best float32 score of each question. Each thread writes to its own questions."""

    def __init__(self, questions: _SharedQuestions, exclusions: "_Exclusions") -> None:
        self._questions, self._exclusions = questions, exclusions
        self.best: Matrix = np.full(len(questions.c), -np.inf, np.float32)

    def scan(self, block: _Block, first: int) -> _Candidates:
        """Return the rows of a block that may answer the chunk of questions from `first` on.

        Equivalent to scoring every row of the block for each question, and keeping the rows that reach the threshold of
        the best score so far, including this block's.
        """
        some = slice(first, first + _QUESTIONS_PER_CHUNK)
        scores = block.pair.take(self._questions.pair[some], axis=0)
        block.join(scores, block.c.take(self._questions.c[some], axis=0), out=scores)
        scores[self._exclusions.of(block.start, first)] = -np.inf
        highest = scores.max(axis=1)
        self.best[some] = np.maximum(self.best[some], highest)
        threshold = _threshold(self.best[some])
        promising = np.flatnonzero(highest >= threshold)
        question, column = np.nonzero(scores[promising] >= threshold[promising, None])
        question = promising[question]
        return _Candidates(question + first, column + block.start, scores[question, column])


def _threshold(best: Matrix) -> Matrix:
    """The lowest float32 score that may belong to the answer. It is above -inf, the score of excluded rows."""
    lowest = np.finfo(np.float32).min
    return np.maximum(best - np.float32(_MARGIN) * np.maximum(np.abs(best), 1), lowest, dtype=np.float32)


class _Exclusions:
    """The excluded pairs, sorted by block of rows and chunk of questions."""

    def __init__(self, excluded: Rows, size: int, n_questions: int) -> None:
        self._size, self._chunks = size, -(-n_questions // _QUESTIONS_PER_CHUNK)
        question, row = excluded.T
        keys = row // size * self._chunks + question // _QUESTIONS_PER_CHUNK
        order = np.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._question, self._column = question[order] % _QUESTIONS_PER_CHUNK, row[order] % size

    def of(self, start: int, first: int) -> tuple[Rows, Rows]:
        """The excluded pairs of a block and a chunk, counted from their first row and first question."""
        key = start // self._size * self._chunks + first // _QUESTIONS_PER_CHUNK
        low, high = np.searchsorted(self._keys, (key, key + 1))
        return self._question[low:high], self._column[low:high]
