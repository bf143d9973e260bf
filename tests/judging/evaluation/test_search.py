"""Answers to analogies: each against the definition in plain Python."""

import math

import numpy as np
import pytest

from pairloom import Vectors
from pairloom.judging.evaluation import (
    search,
)
from pairloom.judging.evaluation.search import METHODS, answers
from tests.judging.evaluation.planted import plain_cosine, planted, questions_of


def plain_answer(vectors, a, b, c, method):
    """The definition, word by word."""
    best, answer = -math.inf, None
    for word in vectors:
        if word in (a, b, c):
            continue
        to_a, to_b, to_c = (plain_cosine(vectors[word], vectors[other]) for other in (a, b, c))
        products = ((1 + to_b) / 2) * ((1 + to_c) / 2) / ((1 + to_a) / 2 + 1e-6)
        score = to_b - to_a + to_c if method == "add" else products
        if score > best:
            best, answer = score, word
    return answer


def answered(vectors, questions, method="add", threads=1):
    """The answers of `search` to (a, b, c) questions, as words."""
    rows = np.array([[vectors.key_to_index[word] for word in question[:3]] for question in questions])
    excluded = np.column_stack([np.repeat(np.arange(len(rows)), 3), rows.ravel()])
    found = answers(vectors, rows, excluded, METHODS[method], len(vectors), threads)
    return [vectors.words[row] if row >= 0 else None for row in found.rows]


def test_the_scores_are_the_formulas():
    a, b, c = np.array([-1.0, 0.2]), np.array([0.5, 0.4]), np.array([0.0, -0.6])
    assert METHODS["add"].score(a, b, c).tolist() == pytest.approx([1.5, -0.4])
    assert METHODS["mul"].score(a, b, c).tolist() == pytest.approx([0.75 * 0.5 / 1e-6, 0.7 * 0.2 / (0.6 + 1e-6)])


@pytest.mark.parametrize("method", ["add", "mul"])
def test_every_question_is_answered_as_in_the_definition(vectors, method):
    questions = questions_of(step=13)
    rows = {word: vectors[word].tolist() for word in vectors}
    expected = [plain_answer(rows, a, b, c, method) for a, b, c, _ in questions]
    assert answered(vectors, questions, method) == expected
    right = np.mean([answer == d for answer, (_, _, _, d) in zip(expected, questions, strict=True)])
    assert 0.1 < right < 0.95  # neither is trivial


def test_the_two_methods_differ(vectors):
    assert answered(vectors, questions_of(), "add") != answered(vectors, questions_of(), "mul")


@pytest.mark.parametrize("method", ["add", "mul"])
@pytest.mark.parametrize(("rows", "questions", "threads"), [(16, 7, 1), (100, 50, 3), (1024, 1000, 2)])
def test_answers_depend_neither_on_blocks_nor_on_threads(vectors, monkeypatch, method, rows, questions, threads):
    expected = answered(vectors, questions_of(), method)
    monkeypatch.setattr(search, "_ROWS_PER_BLOCK", rows)
    monkeypatch.setattr(search, "_QUESTIONS_PER_CHUNK", questions)
    assert answered(vectors, questions_of(), method, threads) == expected


@pytest.mark.parametrize("method", ["add", "mul"])
def test_the_earliest_of_equal_rows_is_the_answer(method, monkeypatch):
    monkeypatch.setattr(search, "_ROWS_PER_BLOCK", 16)
    rows = np.random.default_rng(0).normal(size=(50, 8))
    words = [f"w{i}" for i in range(50)]
    [answer] = answered(Vectors(words, rows), [("w0", "w1", "w2")], method)
    rows[3] = rows[45] = rows[words.index(answer)]
    assert answered(Vectors(words, rows), [("w0", "w1", "w2")], method) == ["w3"] != [answer]


@pytest.mark.parametrize("method", ["add", "mul"])
@pytest.mark.parametrize("seed", range(20))
def test_scores_that_are_equal_in_float32_are_compared_in_float64(method, seed):
    """Any of the rows may win: their scores differ by less than the last digit of float32."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(30, 64)).astype(np.float32)
    near = (rows[1] - rows[0] + rows[2]).astype(np.float32)
    rows[3:] = near * (1 + 3e-8 * rng.normal(size=(27, 64)))
    vectors = Vectors([f"w{i}" for i in range(30)], rows)
    assert len({row.tobytes() for row in vectors.vectors[3:]}) > 5
    assert answered(vectors, [("w0", "w1", "w2")], method) == [plain_answer(vectors, "w0", "w1", "w2", method)]


def test_3cosmul_is_finite_for_a_row_opposite_to_a():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(40, 3))
    rows[5], rows[6] = -rows[0], -2 * rows[0]  # cos' to a is 0: the score is up to a million
    vectors = Vectors([f"w{i}" for i in range(40)], rows)
    assert answered(vectors, [("w0", "w1", "w2")], "mul") == ["w5"]


def test_a_row_of_zeros_has_cosine_zero():
    vectors = Vectors(["a", "b", "c", "zero", "bad"], [[0, 1], [1, 0], [1, 0.1], [0, 0], [-1, 0.5]])
    assert answered(vectors, [("a", "b", "c")]) == ["zero"]


@pytest.mark.parametrize("dim", [1, 12])  # of one dimension, half of all rows are as good as each other
@pytest.mark.parametrize("method", ["add", "mul"])
def test_answers_are_the_same_when_few_candidates_are_kept_at_a_time(dim, method, monkeypatch):
    vectors = planted(dim=dim)
    rows = np.array([[vectors.key_to_index[word] for word in question[:3]] for question in questions_of()])
    excluded = np.column_stack([np.repeat(np.arange(len(rows)), 3), rows.ravel()])
    monkeypatch.setattr("pairloom.judging.evaluation.search._ROWS_PER_BLOCK", 16)
    expected = answers(vectors, rows, excluded, METHODS[method], len(vectors))
    monkeypatch.setattr("pairloom.judging.evaluation.search._MOST_CANDIDATES", 10)
    found = answers(vectors, rows, excluded, METHODS[method], len(vectors))
    assert np.array_equal(found.rows, expected.rows)
    assert np.array_equal(found.scores, expected.scores)


def test_there_is_no_answer_if_every_row_is_excluded():
    assert answered(Vectors(["a", "b", "c"], np.eye(3)), [("a", "b", "c")]) == [None]
