"""The lines of word2vec's compute-accuracy."""

from pairloom import Vectors
from pairloom.judging.evaluation import (
    compute_accuracy,
)
from tests.judging.evaluation.planted import CASES, planted


def test_compute_accuracy_prints_as_word2vec_does():
    text = ": capital\nx0 y0 x1 y1\nx0 nowhere x1 y1\n: a\n: b\n: c\n: d\nX4 Y4 X5 Y5\n: sixth\nx6 y6 x7 x8\n"
    assert compute_accuracy(planted(noise=0), text) == [
        "capital:",
        "ACCURACY TOP1: 100.00 %  (1 / 1)",
        "Total accuracy: 100.00 %   Semantic accuracy: 100.00 %   Syntactic accuracy: -nan % ",
        *(
            line
            for name in "abc"
            for line in (
                f"{name}:",
                "ACCURACY TOP1: 0.00 %  (0 / 1)",
                "Total accuracy: 100.00 %   Semantic accuracy: 100.00 %   Syntactic accuracy: -nan % ",
            )
        ),
        "d:",
        "ACCURACY TOP1: 100.00 %  (1 / 1)",
        "Total accuracy: 100.00 %   Semantic accuracy: 100.00 %   Syntactic accuracy: -nan % ",
        "sixth:",
        "ACCURACY TOP1: 0.00 %  (0 / 1)",
        "Total accuracy: 66.67 %   Semantic accuracy: 100.00 %   Syntactic accuracy: 0.00 % ",
        "Questions seen / total: 3 4   75.00 % ",
    ]


def test_compute_accuracy_uses_only_the_rows_below_the_threshold():
    vectors = planted(noise=0)
    last = max(vectors.key_to_index[word] for word in ("x0", "y0", "x1", "y1"))
    seen = [compute_accuracy(vectors, ": s\nx0 y0 x1 y1\n", n)[-1] for n in (last, last + 1)]
    assert [line.split()[4:6] for line in seen] == [["0", "1"], ["1", "1"]]


def test_compute_accuracy_lets_another_case_of_a_question_word_win_but_no_score_below_zero():
    rows = CASES.vectors.copy()
    rows[1] = rows[0] - rows[2] + rows[3]
    question = ": s\nman king woman queen\n"
    assert compute_accuracy(Vectors(CASES.words, rows), question)[1] == "ACCURACY TOP1: 0.00 %  (0 / 1)"
    opposite = Vectors(["man", "king", "woman", "queen"], [[-1, 0], [1, 0], [1, 0], [-1, 0.1]])
    assert compute_accuracy(opposite, question)[1] == "ACCURACY TOP1: 0.00 %  (0 / 1)"


def test_compute_accuracy_without_questions():
    assert compute_accuracy(CASES, "") == ["Questions seen / total: 0 0   -nan % "]
