"""Answers to analogies "a is to b as c is to x", for all questions at once.

    3CosAdd   argmax over x of  cos(x, b) - cos(x, a) + cos(x, c)                      Mikolov et al. 2013
    3CosMul   argmax over x of  cos'(x, b) cos'(x, c) / (cos'(x, a) + ε)               Levy & Goldberg 2014
              cos' = (1 + cos) / 2, which is never negative, and ε = 1e-6

Both need nothing but cosines with the words of the questions, and of those there are few: 905 in the 19,544 questions
of Google. So a block of rows is multiplied by these words once, whatever the number of questions, and the scores of a
question are three rows of that table joined, of which those of a and b, that many questions share, are joined first.

The table is rounded to float32, since joining is bound by memory. What may still win after that is scored again in
float64, each sum in one fixed order. So an answer depends neither on the BLAS, nor on threads or the size of blocks.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from pairloom.config import checked_threads
from pairloom.errors import ConfigError
from pairloom.evaluation.lookup import cosines, unit_rows
from pairloom.types import Float64s, Matrix, Rows
from pairloom.vectors.search import COSMUL_EPSILON
from pairloom.vectors.vectors import Vectors

MethodName = Literal["add", "mul"]

_QUESTIONS = 128  # joined at once by a thread: with _ROWS, half a megabyte of scores
_ROWS = 1024  # of a block at most
_TABLE = 1 << 20  # entries of a block's table at most: 8 MB in float64
_AT_ONCE = 4096  # candidates scored in float64 together
_MOST_FOUND = 1 << 22  # candidates kept at a time, some 80 MB; of vectors that differ there are far fewer

# The rounding of the table and of two joins puts scores off by less than 5 * 2^-24 (3CosAdd, of at most 3; 3CosMul,
# relative). Where cos' to a is nearly 0, what the products are off by counts 1/ε times: up to dim 4096 at most
# 3 * 2^-22. Two scores are compared, so the margin is twice the sum of these, and a little more.
_MARGIN = 2.0**-18


class Method(NamedTuple):
    """A score as join(join(away(cos(x, a)), toward(cos(x, b))), toward(cos(x, c)))."""

    label: str
    toward: Callable[[Float64s], Float64s]
    away: Callable[[Float64s], Float64s]
    join: np.ufunc

    def score(self, a: Float64s, b: Float64s, c: Float64s) -> Float64s:
        """The score of cosines with a, b and c."""
        scores: Float64s = self.join(self.join(self.away(a), self.toward(b)), self.toward(c))
        return scores


def _shifted(cosine: Float64s) -> Float64s:
    return (1 + cosine) / 2


METHODS: dict[str, Method] = {
    "add": Method("3CosAdd", np.positive, np.negative, np.add),
    "mul": Method("3CosMul", _shifted, lambda cosine: 1 / (_shifted(cosine) + COSMUL_EPSILON), np.multiply),
}


def method_of(name: str) -> Method:
    """The method of this name."""
    if not isinstance(name, str) or name not in METHODS:
        raise ConfigError(f"method={name!r} is not known. Use {' or '.join(METHODS)}.")
    return METHODS[name]


class Answers(NamedTuple):
    """The row that answers each question, and its score; -1 and -inf where no row was left to choose."""

    rows: Rows
    scores: Float64s


def answers(
    vectors: Vectors, questions: Rows, barred: Rows, method: Method, among: int, threads: int | None = None
) -> Answers:
    """Answer every question among the first rows, the earlier row where scores are equal.

    questions  (n, 3), the rows of a, b and c
    barred     (m, 2), a question and a row that may not answer it
    """
    found = Answers(np.full(len(questions), -1), np.full(len(questions), -np.inf))
    if len(questions) == 0:
        return found
    question, row = _candidates(vectors, questions, barred, method, among, checked_threads(threads))
    score = _exact(vectors, questions[question], row, method)
    best = _best(question, row, score)
    found.rows[question[best]], found.scores[question[best]] = row[best], score[best]
    return found


def _best(question: Rows, row: Rows, score: Float64s) -> Rows:
    """Where the best score of each question stands, of equal ones that of the earliest row."""
    order = np.lexsort((row, -score, question))
    _, first = np.unique(question[order], return_index=True)
    return np.asarray(order[first])


def _exact(vectors: Vectors, asked: Rows, row: Rows, method: Method) -> Float64s:
    """The scores of rows for their questions, in float64."""
    scores = np.empty(len(row))
    for start in range(0, len(row), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        scores[some] = method.score(*(cosines(vectors, row[some], asked[some, i]) for i in range(3)))
    return scores


def _candidates(
    vectors: Vectors, questions: Rows, barred: Rows, method: Method, among: int, threads: int
) -> tuple[Rows, Rows]:
    """Pairs of a question and a row that may be its answer: those within the margin of its best rough score."""
    from pairloom.system.threads import workers  # brings logging and more: 5 ms that most calls can do without

    asked = _Asked.of(vectors, questions)
    size = max(16, min(_ROWS, _TABLE // max(len(asked.unit), len(asked.pairs))))
    scan = _Scan(asked, _Bars(barred, size, len(questions)))
    found: list[_Found] = []
    with workers(threads) as pool:
        for start in range(0, among, size):
            block = _block(start, asked, unit_rows(vectors, slice(start, min(start + size, among))), method)
            found += pool.map(partial(scan.chunk, block), range(0, len(questions), _QUESTIONS))
            if sum(len(some.row) for some in found) > _MOST_FOUND:
                found = [_decided(vectors, questions, method, found)]
    question, row, score = (np.concatenate(parts) for parts in zip(*found, strict=True))
    may_win = score >= _bar(scan.best)[question]
    return question[may_win], row[may_win]


def _decided(vectors: Vectors, questions: Rows, method: Method, found: "list[_Found]") -> "_Found":
    """The best so far of each question: where vectors coincide, nearly all rows are within the margin."""
    question, row, score = (np.concatenate(parts) for parts in zip(*found, strict=True))
    best = _best(question, row, _exact(vectors, questions[question], row, method))
    return _Found(question[best], row[best], score[best])


class _Asked(NamedTuple):
    """The questions, by the words and the pairs a : b that they share."""

    unit: Float64s  # the vectors of the words
    pairs: Rows  # (n_pairs, 2): the words a and b
    pair: Rows  # of each question
    c: Rows  # the word of each question

    @classmethod
    def of(cls, vectors: Vectors, questions: Rows) -> "_Asked":
        rows, words = np.unique(questions, return_inverse=True)
        words = words.reshape(questions.shape)
        pairs, pair = np.unique(words[:, :2], axis=0, return_inverse=True)
        return cls(unit_rows(vectors, rows), pairs, pair.ravel(), words[:, 2])


class _Block(NamedTuple):
    """What the rows from `start` on have of a score by the pair a : b, and by c."""

    start: int
    pair: Matrix  # (n_pairs, n_rows)
    c: Matrix  # (n_words, n_rows)
    join: np.ufunc


def _block(start: int, asked: _Asked, unit_block: Float64s, method: Method) -> _Block:
    cosine = asked.unit @ unit_block.T
    away, toward = method.away(cosine).astype(np.float32), method.toward(cosine).astype(np.float32)
    a, b = asked.pairs.T
    pair = away.take(a, axis=0)
    return _Block(start, method.join(pair, toward.take(b, axis=0), out=pair), toward, method.join)


class _Found(NamedTuple):
    """Rows that may answer a question, with their rough scores."""

    question: Rows
    row: Rows
    score: Matrix


class _Scan:
    """The best rough score of each question so far. Threads that work on different questions touch different parts."""

    def __init__(self, asked: _Asked, bars: "_Bars") -> None:
        self._asked, self._bars = asked, bars
        self.best: Matrix = np.full(len(asked.c), -np.inf, np.float32)

    def chunk(self, block: _Block, first: int) -> _Found:
        """Those of a block that may answer the questions from `first` on, by what is known so far.

        Equivalent to the scores of all these questions in all rows of the block, of which those stay that reach the
        bar of the best so far, the block's included.
        """
        some = slice(first, first + _QUESTIONS)
        scores = block.pair.take(self._asked.pair[some], axis=0)
        block.join(scores, block.c.take(self._asked.c[some], axis=0), out=scores)
        scores[self._bars.of(block.start, first)] = -np.inf
        highest = scores.max(axis=1)
        self.best[some] = np.maximum(self.best[some], highest)
        bar = _bar(self.best[some])
        hopeful = np.flatnonzero(highest >= bar)
        question, column = np.nonzero(scores[hopeful] >= bar[hopeful, None])
        question = hopeful[question]
        return _Found(question + first, column + block.start, scores[question, column])


def _bar(best: Matrix) -> Matrix:
    """The least rough score that may belong to the answer; above -inf, which stands for barred rows."""
    lowest = np.finfo(np.float32).min
    return np.maximum(best - np.float32(_MARGIN) * np.maximum(np.abs(best), 1), lowest, dtype=np.float32)


class _Bars:
    """The barred pairs, found by block of rows and chunk of questions."""

    def __init__(self, barred: Rows, size: int, n_questions: int) -> None:
        self._size, self._chunks = size, -(-n_questions // _QUESTIONS)
        question, row = barred.T
        keys = row // size * self._chunks + question // _QUESTIONS
        order = np.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._question, self._column = question[order] % _QUESTIONS, row[order] % size

    def of(self, start: int, first: int) -> tuple[Rows, Rows]:
        """What is barred in the block and the chunk that begin there, counted from their beginnings."""
        key = start // self._size * self._chunks + first // _QUESTIONS
        low, high = np.searchsorted(self._keys, (key, key + 1))
        return self._question[low:high], self._column[low:high]
