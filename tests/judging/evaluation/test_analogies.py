"""Tallies of analogies, by section and kind."""

import numpy as np
import pytest

from pairloom import Vectors
from pairloom.errors import InputError
from pairloom.judging.evaluation import (
    Policy,
    analogies,
)
from tests.judging.evaluation.planted import CASES, SECTIONS, planted, write


def test_a_question_without_an_answer_counts_as_wrong(tmp_path):
    vectors = Vectors(["a", "b", "c"], np.eye(3))
    total = analogies(vectors, write(tmp_path, ": s\na b c a\n")).total
    assert (total.correct, total.asked) == (0, 1)


def test_vectors_that_are_not_finite_are_refused_by_name(tmp_path):
    vectors = Vectors(["a", "b", "c", "d"], [[1, 0], [0, 1], [1, 1], [np.nan, 1]])
    with pytest.raises(InputError, match=r"^Row 3 \('d'\) of the vectors holds NaN"):
        analogies(vectors, write(tmp_path, ": s\na b c d\n"))


def tally(part):
    return part.correct, part.asked, part.skipped, part.known


def test_questions_are_counted_by_section_and_by_kind(tmp_path):
    vectors = planted(noise=0)
    scores = analogies(vectors, write(tmp_path, SECTIONS))
    assert [section.name for section in scores.sections] == ["capital-common", "gram1-plural", "empty"]
    assert [tally(section) for section in scores.sections] == [(2, 2, 1, 2), (1, 1, 1, 1), (0, 0, 0, 0)]
    assert tally(scores.semantic) == (2, 2, 1, 2)
    assert tally(scores.syntactic) == (1, 1, 1, 1)
    assert tally(scores.total) == (3, 3, 2, 3)
    assert (scores.total.accuracy, scores.total.coverage, scores.total.questions) == (1.0, 0.6, 5)
    assert (scores.sections[2].accuracy, scores.sections[2].coverage) == (None, None)


def test_questions_with_unknown_words_may_count_as_wrong(tmp_path):
    total = analogies(planted(noise=0), write(tmp_path, SECTIONS), policy=Policy(unknown="wrong")).total
    assert tally(total) == (3, 5, 0, 3)
    assert (total.accuracy, total.coverage) == (0.6, 0.6)


@pytest.mark.parametrize("method", ["add", "mul"])
def test_restrict_vocab_limits_both_the_questions_and_the_answers(tmp_path, method):
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(8, 6))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows[3] = rows[1] - rows[0] + rows[2] + 0.3 * rng.normal(size=6)
    rows[6] = rows[1] - rows[0] + rows[2]
    vectors = Vectors(list("abcdefgh"), rows)
    path = write(tmp_path, ": s\na b c d\na b c h\n")
    scores = {n: analogies(vectors, path, method=method, policy=Policy(restrict_vocab=n)).total for n in (0, 6, 3)}
    assert tally(scores[0]) == (0, 2, 0, 2)  # g is nearer than d
    assert tally(scores[6]) == (1, 1, 1, 1)  # g cannot answer, h cannot be asked for
    assert tally(scores[3]) == (0, 0, 2, 0)


def test_folded_case_takes_the_first_row_and_accepts_the_answer_in_any_case(tmp_path):
    path = write(tmp_path, ": s\nMan KING Woman Queen\n")
    assert tally(analogies(CASES, path).total) == (1, 1, 0, 1)
    assert tally(analogies(CASES, path, policy=Policy(case="keep")).total) == (0, 0, 1, 0)


def test_folded_case_excludes_a_question_word_in_every_case(tmp_path):
    rows = CASES.vectors.copy()
    rows[1] = rows[0] - rows[2] + rows[3]  # King is now the best answer but for being king
    vectors = Vectors(CASES.words, rows)
    path = write(tmp_path, ": s\nman king woman queen\n")
    assert analogies(vectors, path).total.correct == 1
    assert analogies(vectors, path, policy=Policy(case="keep")).total.correct == 0


def test_questions_before_any_section_form_one_without_a_name(tmp_path):
    scores = analogies(planted(noise=0), write(tmp_path, "x0 y0 x1 y1\nx1 y1 x0 y0\n"))
    assert [(section.name, section.asked) for section in scores.sections] == [("", 2)]


@pytest.mark.parametrize(
    ("sections", "semantic", "syntactic"),
    [
        ([""], None, None),  # MSR's word relationship test as one list: all syntactic, but the file does not say so
        (["JJ_JJR", "NN_NNPOS", "VB_VBD"], 0, 3),
        (["jj_jjr", "nns_nn"], 0, 2),
        (["I01 [noun - plural_reg]", "D03 [adj+ly_reg]", "E01 [country - capital]", "L10 [antonyms - binary]"], 2, 2),
        (["capital-world", "family"], 2, 0),
        (["family", "my-own"], None, None),
        (["Hauptstadt", "gram3-Komparativ"], 1, 1),
        (["Ideas", "Emotions", "nn_"], None, None),
    ],
)
def test_questions_are_only_split_by_kind_if_the_names_of_all_sections_tell_it(sections, semantic, syntactic, tmp_path):
    text = "".join((f": {name}\n" if name else "") + "x0 y0 x1 y1\n" for name in sections)
    scores = analogies(planted(noise=0), write(tmp_path, text))
    found = [part if part is None else part.asked for part in (scores.semantic, scores.syntactic)]
    assert found == [semantic, syntactic]
    assert [scores.as_dict()[kind] is None for kind in ("semantic", "syntactic")] == [semantic is None] * 2
    assert scores.total.asked == len(sections)
