"""Scores of vectors: each against a twin in plain Python, and against what one can see by eye."""

import json
import math
import re
import sys
from io import BytesIO, TextIOWrapper

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import pairloom
from pairloom import Embedding, Vectors
from pairloom.cli.main import main
from pairloom.errors import ConfigError, InputError, PairloomError
from pairloom.evaluation import (
    Policy,
    analogies,
    categories,
    compute_accuracy,
    evaluate,
    kind_of,
    read,
    search,
    similarities,
)
from pairloom.evaluation.categories import majority
from pairloom.evaluation.correlation import pearson, ranks, spearman, spearman_interval
from pairloom.evaluation.search import METHODS, answers

# --- Vectors with analogies in them


def planted(n_pairs=40, others=200, dim=12, noise=0.5, seed=0):
    """Pairs x0 y0, x1 y1 ... that differ by nearly the same offset, hidden among other words."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_pairs, dim))
    y = x + rng.normal(size=dim) + noise * rng.normal(size=(n_pairs, dim))
    words = [f"x{i}" for i in range(n_pairs)] + [f"y{i}" for i in range(n_pairs)] + [f"w{i}" for i in range(others)]
    rows = np.vstack([x, y, rng.normal(size=(others, dim))])
    order = rng.permutation(len(words))
    return Vectors([words[i] for i in order], rows[order])


def questions_of(n_pairs=40, step=3):
    return [(f"x{i}", f"y{i}", f"x{j}", f"y{j}") for i in range(0, n_pairs, step) for j in range(n_pairs) if i != j]


def write(tmp_path, text, name="q.txt"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def lines(questions):
    return "".join(" ".join(question) + "\n" for question in questions)


@pytest.fixture(scope="module")
def vectors():
    return planted()


def plain_cosine(u, v):
    u, v = [float(x) for x in u], [float(x) for x in v]
    lengths = math.sqrt(sum(x * x for x in u)) * math.sqrt(sum(x * x for x in v))
    return sum(x * y for x, y in zip(u, v, strict=True)) / lengths if lengths else 0.0


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
    """The answers to (a, b, c) questions as words, by the fast way."""
    rows = np.array([[vectors.key_to_index[word] for word in question[:3]] for question in questions])
    barred = np.column_stack([np.repeat(np.arange(len(rows)), 3), rows.ravel()])
    found = answers(vectors, rows, barred, METHODS[method], len(vectors), threads)
    return [vectors.words[row] if row >= 0 else None for row in found.rows]


# --- Analogies: the answers


def test_the_scores_are_the_formulas():
    a, b, c = np.array([-1.0, 0.2]), np.array([0.5, 0.4]), np.array([0.0, -0.6])
    assert METHODS["add"].score(a, b, c).tolist() == pytest.approx([1.5, -0.4])
    assert METHODS["mul"].score(a, b, c).tolist() == pytest.approx([0.75 * 0.5 / 1e-6, 0.7 * 0.2 / (0.6 + 1e-6)])


@pytest.mark.parametrize("method", ["add", "mul"])
def test_every_question_is_answered_as_the_definition_has_it(vectors, method):
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
    monkeypatch.setattr(search, "_ROWS", rows)
    monkeypatch.setattr(search, "_QUESTIONS", questions)
    assert answered(vectors, questions_of(), method, threads) == expected


@pytest.mark.parametrize("method", ["add", "mul"])
def test_of_equal_rows_the_earlier_is_the_answer(method, monkeypatch):
    monkeypatch.setattr(search, "_ROWS", 16)
    rows = np.random.default_rng(0).normal(size=(50, 8))
    words = [f"w{i}" for i in range(50)]
    [answer] = answered(Vectors(words, rows), [("w0", "w1", "w2")], method)
    rows[3] = rows[45] = rows[words.index(answer)]
    assert answered(Vectors(words, rows), [("w0", "w1", "w2")], method) == ["w3"] != [answer]


@pytest.mark.parametrize("method", ["add", "mul"])
@pytest.mark.parametrize("seed", range(20))
def test_what_float32_cannot_tell_apart_is_decided_in_float64(method, seed):
    """Rows so near to each other that their scores differ by less than float32's last digit; any of them may win."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(30, 64)).astype(np.float32)
    near = (rows[1] - rows[0] + rows[2]).astype(np.float32)
    rows[3:] = near * (1 + 3e-8 * rng.normal(size=(27, 64)))
    vectors = Vectors([f"w{i}" for i in range(30)], rows)
    assert len({row.tobytes() for row in vectors.vectors[3:]}) > 5
    assert answered(vectors, [("w0", "w1", "w2")], method) == [plain_answer(vectors, "w0", "w1", "w2", method)]


def test_a_row_opposite_to_a_is_the_limit_of_3cosmul_and_no_trouble():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(40, 3))
    rows[5], rows[6] = -rows[0], -2 * rows[0]  # cos' to a is 0: the score is up to a million
    vectors = Vectors([f"w{i}" for i in range(40)], rows)
    assert answered(vectors, [("w0", "w1", "w2")], "mul") == ["w5"]


def test_a_row_of_zeros_has_cosine_zero():
    vectors = Vectors(["a", "b", "c", "zero", "bad"], [[0, 1], [1, 0], [1, 0.1], [0, 0], [-1, 0.5]])
    assert answered(vectors, [("a", "b", "c")]) == ["zero"]


def test_where_no_row_is_left_there_is_no_answer(tmp_path):
    vectors = Vectors(["a", "b", "c"], np.eye(3))
    assert answered(vectors, [("a", "b", "c")]) == [None]
    total = analogies(vectors, write(tmp_path, ": s\na b c a\n")).total
    assert (total.correct, total.asked) == (0, 1)


def test_vectors_that_are_not_finite_are_refused_by_name(tmp_path):
    vectors = Vectors(["a", "b", "c", "d"], [[1, 0], [0, 1], [1, 1], [np.nan, 1]])
    with pytest.raises(InputError, match=r"^Row 3 \('d'\) of the vectors holds NaN"):
        analogies(vectors, write(tmp_path, ": s\na b c d\n"))


# --- Analogies: the tallies


SECTIONS = """: capital-common
x0 y0 x1 y1
x0 y0 x2 y2
x0 nowhere x3 y3
: gram1-plural
x4 y4 x5 y5
x4 y4 x6 nowhere
: empty
"""


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


CASES = Vectors(
    ["king", "King", "man", "woman", "QUEEN", "queen", "far"],
    [[2, 0.1, 1], [2, 0.0, 1.1], [1, 0, 0], [1, 1, 0], [-1, 0.5, -1], [2, 1.1, 1], [-1, 0, 0]],
)


def test_folded_case_takes_the_first_row_and_accepts_the_answer_in_any_case(tmp_path):
    path = write(tmp_path, ": s\nMan KING Woman Queen\n")
    assert tally(analogies(CASES, path).total) == (1, 1, 0, 1)
    assert tally(analogies(CASES, path, policy=Policy(case="keep")).total) == (0, 0, 1, 0)


def test_folded_case_bars_a_question_word_in_every_case(tmp_path):
    rows = CASES.vectors.copy()
    rows[1] = rows[0] - rows[2] + rows[3]  # King is now the best answer but for being king
    vectors = Vectors(CASES.words, rows)
    path = write(tmp_path, ": s\nman king woman queen\n")
    assert analogies(vectors, path).total.correct == 1
    assert analogies(vectors, path, policy=Policy(case="keep")).total.correct == 0


def test_questions_before_any_section_have_one_without_a_name(tmp_path):
    scores = analogies(planted(noise=0), write(tmp_path, "x0 y0 x1 y1\nx1 y1 x0 y0\n"))
    assert [(section.name, section.asked) for section in scores.sections] == [("", 2)]


# --- compute-accuracy's lines


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


def test_compute_accuracy_takes_the_first_rows_alone_when_told():
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


def test_compute_accuracy_of_nothing():
    assert compute_accuracy(CASES, "") == ["Questions seen / total: 0 0   -nan % "]


# --- Correlations


numbers = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=30)


@given(numbers)
def test_ranks_are_scipys(x):
    assert ranks(np.array(x)).tolist() == stats.rankdata(x).tolist()


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, max_size=30))
def test_correlations_are_scipys_where_there_are_any(pairs):
    x, y = np.array(pairs, float).T
    if len(pairs) < 2 or len(set(x)) == 1 or len(set(y)) == 1:
        assert pearson(x, y) is None and spearman(x, y) is None
    else:
        assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y)[0], abs=1e-12)
        assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y)[0], abs=1e-12)


def test_the_interval_is_that_of_pairs_drawn_one_by_one():
    rng = np.random.default_rng(5)
    x = rng.integers(0, 10, 40).astype(float)
    y = x + rng.normal(size=40).round(1) * 4
    drawn = np.random.default_rng(7).integers(40, size=(1000, 40))
    values = [stats.spearmanr(x[draw], y[draw])[0] for draw in drawn]
    low, high = spearman_interval(x, y, seed=7)
    assert (low, high) == pytest.approx(tuple(np.percentile(values, [2.5, 97.5])), abs=1e-12)
    assert low < spearman(x, y) < high
    assert (low, high) == spearman_interval(x, y, seed=7) != spearman_interval(x, y, seed=8)


def test_the_interval_does_not_depend_on_how_many_draws_are_held_at_once(monkeypatch):
    from pairloom.evaluation import correlation

    x, y = np.random.default_rng(0).normal(size=(2, 31))
    expected = spearman_interval(x, y)
    monkeypatch.setattr(correlation, "_AT_ONCE", 100)
    assert spearman_interval(x, y) == expected


def test_there_is_no_interval_of_what_is_all_alike():
    assert spearman_interval(np.ones(5), np.arange(5.0)) is None


# --- Similarities


PAIRS = [
    ("x0", "y0", 9.5),
    ("x1", "w1", 3.0),
    ("x2", "y2", 9.5),
    ("w3", "w4", 1.25),
    ("x5", "y6", 4.0),
    ("w7", "w7", 10),
]


def test_spearman_and_pearson_are_those_of_the_cosines(vectors, tmp_path):
    path = write(tmp_path, "".join(f"{a}\t{b}\t{n}\n" for a, b, n in PAIRS))
    scores = similarities(vectors, path)
    cosine = [plain_cosine(vectors[a], vectors[b]) for a, b, _ in PAIRS]
    judged = [n for _, _, n in PAIRS]
    assert scores.spearman == pytest.approx(stats.spearmanr(judged, cosine)[0], abs=1e-12)
    assert scores.pearson == pytest.approx(stats.pearsonr(judged, cosine)[0], abs=1e-9)
    assert (scores.pairs, scores.used, scores.known, scores.coverage) == (6, 6, 6, 1.0)
    assert scores.interval[0] <= scores.spearman <= scores.interval[1]


LAYOUTS = {
    "tabs": ("{}\t{}\t{}\n", ""),
    "commas": ("{},{},{}\n", "Word 1,Word 2,Human (mean)\n"),
    "quoted": ('"{}","{}","{}"\n', ""),
    "semicolons": ("{};{};{}\n", "word1;word2;score\n"),
    "spaces": ("{}  {} {}\n", "one two three\n"),
    "more columns": ("{}\t{}\t{}\t0.5\tnoun\n", "word1\tword2\tmean\tsd\tclass\n"),
    "comments and empty lines": ("\n#x\n{}\t{}\t{}\n", "# made by hand\n\n"),
    "byte order mark": ("{}\t{}\t{}\n", "\ufeff"),
    "CRLF": ("{}\t{}\t{}\r\n", "a\tb\tmean\r\n"),
    "no end of line": ("{}\t{}\t{}\n", ""),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_pairs_are_read_in_every_layout(vectors, tmp_path, layout):
    line, head = LAYOUTS[layout]
    expected = similarities(vectors, write(tmp_path, "".join("{}\t{}\t{}\n".format(*pair) for pair in PAIRS)))
    text = head + "".join(line.format(*pair) for pair in PAIRS)
    scores = evaluate(vectors, write(tmp_path, text.rstrip("\n") if layout == "no end of line" else text, "other.txt"))
    assert scores.as_dict() | {"file": ""} == expected.as_dict() | {"file": ""}


def test_pairs_with_unknown_words_are_left_out_or_have_cosine_zero(vectors, tmp_path):
    path = write(tmp_path, "".join(f"{a}\t{b}\t{n}\n" for a, b, n in [*PAIRS, ("x0", "nowhere", 8.0)]))
    skipped = similarities(vectors, path)
    assert (skipped.pairs, skipped.used, skipped.known) == (7, 6, 6)
    counted = similarities(vectors, path, policy=Policy(unknown="wrong"))
    assert (counted.pairs, counted.used, counted.known) == (7, 7, 6)
    cosine = [plain_cosine(vectors[a], vectors[b]) for a, b, _ in PAIRS] + [0.0]
    assert counted.spearman == pytest.approx(stats.spearmanr([n for _, _, n in PAIRS] + [8.0], cosine)[0], abs=1e-12)
    assert skipped.coverage == counted.coverage == 6 / 7


def test_similarities_fold_case_and_honour_restrict_vocab(tmp_path):
    path = write(tmp_path, "KING\tMan\t1\nwoman\tqueen\t2\nfar\tking\t3\n")
    assert [
        similarities(CASES, path, policy=policy).known
        for policy in (Policy(), Policy(case="keep"), Policy(restrict_vocab=5), Policy(restrict_vocab=6))
    ] == [3, 2, 2, 2]


def test_a_word_is_as_like_itself_as_any_other(tmp_path):
    """Rounding puts some cosines of a word with itself just below 1, which must not make ranks of them."""
    rng = np.random.default_rng(3)
    vectors = Vectors([f"w{i}" for i in range(50)], rng.normal(size=(50, 37)))
    path = write(tmp_path, "".join(f"w{i}\tw{i}\t{i}\n" for i in range(49)) + "w0\tw1\t-1\n")
    assert similarities(vectors, path).spearman == pytest.approx(stats.spearmanr([*range(49), -1], [1] * 49 + [0])[0])


def test_scores_that_do_not_exist_are_none(vectors, tmp_path):
    scores = similarities(vectors, write(tmp_path, "nowhere\tnothing\t1\nnobody\tnever\t2\n"))
    assert (scores.spearman, scores.pearson, scores.interval, scores.coverage) == (None, None, None, 0)
    one = similarities(vectors, write(tmp_path, "x0\ty0\t1\n"))
    assert (one.spearman, one.pearson, one.interval, one.used) == (None, None, None, 1)


# --- Categories


def plain_purity(clusters, labels):
    right = 0
    for cluster in set(clusters):
        inside = [label for c, label in zip(clusters, labels, strict=True) if c == cluster]
        right += max(inside.count(label) for label in inside)
    return right


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc")), max_size=20))
def test_purity_counts_the_largest_category_of_each_cluster(pairs):
    clusters, labels = [c for c, _ in pairs], [label for _, label in pairs]
    assert majority(clusters, labels) == plain_purity(clusters, labels)


@pytest.fixture(scope="module")
def grouped():
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    rng = np.random.default_rng(4)
    centres = 5 * rng.normal(size=(3, 10))
    return Vectors([f"{g}{i}" for g in "abc" for i in range(8)], np.repeat(centres, 8, 0) + rng.normal(size=(24, 10)))


def test_words_that_lie_together_are_pure(grouped, tmp_path):
    path = write(tmp_path, "".join(f"{word}\tcategory {word[0]}\n" for word in grouped))
    scores = categories(grouped, path)
    assert (scores.purity, scores.clusters, scores.words, scores.known) == (1.0, 3, 24, 24)
    assert scores == categories(grouped, path)


def test_a_word_in_the_wrong_category_costs_its_share(grouped, tmp_path):
    path = write(tmp_path, "".join(f"{word}\t{'a' if word == 'c7' else word[0]}\n" for word in grouped))
    assert categories(grouped, path).purity == pytest.approx(23 / 24)


def test_unknown_words_are_left_out_of_the_purity_or_count_as_wrong(grouped, tmp_path):
    path = write(tmp_path, "".join(f"{word}\t{word[0]}\n" for word in grouped) + "nowhere\ta\n" * 6)
    skipped, counted = (categories(grouped, path, policy=Policy(unknown=unknown)) for unknown in ("skip", "wrong"))
    assert (skipped.purity, skipped.coverage) == (1.0, 0.8)
    assert (counted.purity, counted.coverage) == (0.8, 0.8)


def test_equal_vectors_make_fewer_clusters_without_a_word(grouped, tmp_path):
    same = Vectors(["a", "b", "c"], np.ones((3, 2)))
    assert categories(same, write(tmp_path, "a\tx\nb\ty\nc\ty\n")).purity == pytest.approx(2 / 3)


def test_no_known_word_has_no_purity(tmp_path):
    scores = categories(CASES, write(tmp_path, "nowhere\ta\nnobody\tb\n"))
    assert (scores.purity, scores.known, scores.words) == (None, 0, 2)


def test_without_scikit_learn_one_is_told_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    with pytest.raises(PairloomError, match=r"pip install 'pairloom\[sklearn\]'$"):
        categories(CASES, write(tmp_path, "king\tman\nwoman\tman\n"))


# --- Files


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (": s\na b c d\n", "analogies"),
        ("a b c d\n", "analogies"),
        ("a\tb\tc\td\n", "analogies"),
        ("# made by hand\n\n: s\n", "analogies"),
        ("a b 3.5\n", "similarities"),
        ("a b 3 4\n", "similarities"),
        ("first,second,score\na,b,-1e-3\n", "similarities"),
        ("a\tb\t.5\n", "similarities"),
        ("cat\tanimal\n", "categories"),
        ("New York\tbig city\n", "categories"),
        ("cat animal\n", "categories"),
    ],
)
def test_a_file_shows_what_it_asks(tmp_path, text, kind):
    assert kind_of(read(write(tmp_path, text))) == kind


BAD = {
    b"": "has no questions",
    b"# only a comment\n\n": "has no questions",
    b": section\n": "has sections but no questions",
    b": s\na b c\n": "line 2: 'a b c' is not a question of four words",
    b": s\na b c d\na b c d e\n": "line 3: 'a b c d e' is not a question",
    b"a\tb\tx\na\tb\ty\n": r"line 1: 'a\\tb\\tx' is no question that is known",
    b"a\tb\t1\na\tb\tnan\n": "line 2: 'a b nan' is not two words and a number",
    b"a\tb\tinf\na\tb\tinf\n": "line 1: .* is no question that is known",
    b"a\tb\t1\na\tb\t1e999\n": "line 2: 'a b 1e999' is not two words and a number",
    b"a\tb\t1\na\tb\n": "line 2: 'a b' is not two words and a number",
    b"a\tb\tscore\na\tb\t1\nc\td\tscore\n": "line 3: 'c d score' is not two words",
    b"a\tx\nb\n": "line 2: 'b' is not a word and its category",
    b"a\tx\nb\ty\nc\t\n": "line 3: 'c ' is not a word and its category",
    b"one\n": "line 1: 'one' is no question that is known",
    b"a\tb\t1\n\xff\tb\t2\n": "line 2: not valid UTF-8 \\(byte 0 of the line\\)\\. Save the file as UTF-8",
    b"a\tb\t1\0\n": "line 1: NUL bytes, so it is no text",
    b"a b c d e\na b c d e\n": "line 1: 'a b c d e' is no question that is known",
}


@pytest.mark.parametrize("text", BAD, ids=repr)
def test_a_file_that_cannot_be_used_is_refused_by_line(vectors, tmp_path, text):
    with pytest.raises(InputError, match=f"^{re.escape(str(tmp_path / 'q.txt'))},? {BAD[text]}") as error:
        evaluate(vectors, write(tmp_path, text))
    assert "\n" not in str(error.value)


def test_a_path_that_cannot_be_read_is_refused(vectors, tmp_path):
    for path, reason in (
        (tmp_path / "none.txt", "No such file or directory. Check the path"),
        (tmp_path, "Is a directory. Check the path"),
        ("/dev/zero", "is a device"),
        ("a\0b", "a path cannot hold a NUL"),
    ):
        with pytest.raises(InputError, match=reason):
            evaluate(vectors, path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"case": "lower"}, "case='lower' is not known. Use fold or keep."),
        ({"unknown": "keep"}, "unknown='keep' is not known. Use skip or wrong."),
        ({"restrict_vocab": -1}, "restrict_vocab=-1 is out of range. Use 0 to 4611686018427387904; 0 lets all"),
        ({"restrict_vocab": 1.5}, "restrict_vocab=1.5 is not a whole number"),
        ({"method": "both"}, "method='both' is not known. Use add or mul."),
        ({"threads": 0}, "threads=0 is out of range"),
    ],
)
def test_an_option_out_of_range_is_refused(vectors, tmp_path, options, message):
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}"):
        evaluate(vectors, write(tmp_path, ": s\nx0 y0 x1 y1\n"), **options)


def test_an_embedding_is_judged_by_its_words(vectors, tmp_path):
    path = write(tmp_path, lines(questions_of()))
    embedding = Embedding(words=vectors, contexts=planted(seed=9))
    assert pairloom.evaluate(embedding, path) == evaluate(vectors, path) != evaluate(embedding.contexts, path)


# --- The command


@pytest.fixture(scope="module")
def models(vectors, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name, (words, contexts) in {
        "one.loom": (vectors, planted(seed=9)),
        "two.loom": (planted(noise=0), vectors),
    }.items():
        Embedding(words=words, contexts=contexts).save(folder / name)
    return folder


@pytest.fixture
def here(models, monkeypatch):
    """In the folder of the models, with a file of each kind that needs no extra."""
    monkeypatch.chdir(models)
    (models / "analogies.txt").write_text(SECTIONS)
    (models / "pairs.tsv").write_text("".join("{}\t{}\t{}\n".format(*pair) for pair in PAIRS))
    return models


def printed(capsys, *args):
    assert main(["evaluate", *args]) == 0
    out = capsys.readouterr()
    assert out.err == ""
    return out.out


def test_the_command_prints_scores_with_their_coverage(here, capsys):
    out = printed(capsys, "two.loom", "analogies.txt", "pairs.tsv").splitlines()
    assert [re.split("  +", line) for line in out[:6]] == [
        ["test", "score", "two.loom", "known"],
        ["analogies.txt", "3CosAdd", "100.00 %", "3 of 5"],
        ["", "semantic", "3CosAdd", "100.00 %", "2 of 3"],
        ["", "syntactic", "3CosAdd", "100.00 %", "1 of 2"],
        ["pairs.tsv", "Spearman", re.split("  +", out[4])[2], "6 of 6"],
        ["pairs.tsv", "Pearson", re.split("  +", out[5])[2], "6 of 6"],
    ]
    assert re.search(r"0\.\d{3} \[-?\d\.\d{3}, \d\.\d{3}\]", out[4])
    assert out[6] == (
        "known: questions whose words are among the first 300,000 words of a model (ignoring case); "
        "the others are skipped. In []: the 95 % interval, by bootstrap over pairs."
    )


def test_models_stand_side_by_side(here, capsys):
    out = printed(capsys, "one.loom", "analogies.txt", "--against", "two.loom", "one.loom").splitlines()
    assert re.split("  +", out[0]) == ["test", "score", "one.loom", "known", "two.loom", "known", "one.loom", "known"]
    cells = re.split("  +", out[1])
    assert cells[2:4] == cells[6:8] and cells[4:6] == ["100.00 %", "3 of 5"]


def test_sections_and_both_methods_have_lines_of_their_own(here, capsys):
    out = printed(capsys, "one.loom", "analogies.txt", "--sections", "--method", "both").splitlines()
    names = [line.split("  3Cos")[0].strip() for line in out[1:-1]]
    part = ["analogies.txt", "semantic", "syntactic", "capital-common", "gram1-plural", "empty"]
    assert names == part * 2
    assert [("3CosAdd" in line, "3CosMul" in line) for line in out[1:-1]] == [(True, False)] * 6 + [(False, True)] * 6
    assert re.search(r"empty +3CosAdd +- +0 of 0$", "\n".join(out), re.MULTILINE)


def test_json_holds_what_the_library_returns(here, capsys):
    options = ("--method", "mul", "--restrict-vocab", "200", "--case", "keep", "--unknown", "wrong", "--contexts")
    found = json.loads(printed(capsys, "one.loom", "analogies.txt", "pairs.tsv", "--json", *options))
    contexts = pairloom.load("one.loom").contexts
    policy = {"restrict_vocab": 200, "case": "keep", "unknown": "wrong"}
    expected = [evaluate(contexts, file, method="mul", **policy).as_dict() for file in ("analogies.txt", "pairs.tsv")]
    assert found == [{"model": "one.loom", "results": json.loads(json.dumps(expected))}]
    assert expected[0]["total"]["coverage"] < 1


def test_categories_have_a_line_too(here, capsys):
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    (here / "kinds.tsv").write_text("x0\tx\nx1\tx\ny0\ty\nnowhere\ty\n")
    line = printed(capsys, "one.loom", "kinds.tsv").splitlines()[1]
    assert re.fullmatch(r"kinds.tsv +purity +(66.67|100.00) % +3 of 4", line)


def test_the_choices_are_named_below_the_table(here, capsys):
    options = ("--restrict-vocab", "0", "--case", "keep", "--unknown", "wrong", "--contexts")
    assert printed(capsys, "one.loom", "analogies.txt", *options).splitlines()[-1] == (
        "known: questions whose words are among all contexts of a model (case counts); the others are counted as wrong."
    )


def test_questions_come_from_stdin_too_and_serve_every_model(here, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(SECTIONS.encode())))
    out = printed(capsys, "two.loom", "-", "--against", "two.loom").splitlines()
    assert re.split("  +", out[1]) == ["-", "3CosAdd", "100.00 %", "3 of 5", "100.00 %", "3 of 5"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("one.loom", "none.txt"), "none.txt cannot be read: No such file or directory. Check the path."),
        (
            ("one.loom", "two.loom"),
            "two.loom, line 1: NUL bytes, so it is no text to evaluate with. A file of analogies",
        ),
        (("none.loom", "pairs.tsv"), "none.loom "),
        (("one.loom", "pairs.tsv", "--restrict-vocab", "-1"), "--restrict-vocab -1 is out of range. Use 0 to "),
        (("one.loom", "pairs.tsv", "--threads", "0"), "--threads 0 is out of range. Use 1 to "),
        (("one.loom", "pairs.tsv", "--seed", "-1"), "--seed -1 is out of range. Use 0 to "),
        (("one.loom", "pairs.tsv", "--against", "none.loom"), "none.loom "),
    ],
)
def test_the_command_ends_with_one_line_where_something_is_wrong(here, capsys, args, message):
    assert main(["evaluate", *args]) == 2
    out = capsys.readouterr()
    assert out.out == "" and out.err.count("\n") == 1
    assert out.err.startswith(f"pairloom evaluate: {message}")


def test_on_a_terminal_the_table_has_every_cell_as_it_is(here, capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("NO_COLOR", "1")
    out = printed(capsys, "two.loom", "analogies.txt", "pairs.tsv")
    assert "3 of 5" in out and re.search(r"0\.\d{3} \[-?\d\.\d{3}, \d\.\d{3}\] +6 of 6", out)


@pytest.mark.parametrize("dim", [1, 12])  # of one dimension, half of all rows are as good as each other
@pytest.mark.parametrize("method", ["add", "mul"])
def test_answers_are_the_same_when_few_candidates_are_kept_at_a_time(dim, method, monkeypatch):
    vectors = planted(dim=dim)
    rows = np.array([[vectors.key_to_index[word] for word in question[:3]] for question in questions_of()])
    barred = np.column_stack([np.repeat(np.arange(len(rows)), 3), rows.ravel()])
    monkeypatch.setattr("pairloom.evaluation.search._ROWS", 16)
    expected = answers(vectors, rows, barred, METHODS[method], len(vectors))
    monkeypatch.setattr("pairloom.evaluation.search._MOST_FOUND", 10)
    found = answers(vectors, rows, barred, METHODS[method], len(vectors))
    assert np.array_equal(found.rows, expected.rows)
    assert np.array_equal(found.scores, expected.scores)


def test_categories_are_plain_data_for_json(grouped, tmp_path):
    words = grouped.words[::4]
    path = write(tmp_path, "".join(f"{word}\t{word[0]}\n" for word in words))
    facts = json.loads(json.dumps(categories(grouped, path, seed=7).as_dict()))
    assert (facts["kind"], facts["words"], facts["known"], facts["coverage"], facts["seed"]) == (
        "categories",
        6,
        6,
        1,
        7,
    )
    assert facts["file"] == str(path)


def test_a_closed_standard_input_is_no_file_of_questions(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match=r"^Standard input is closed\. Give a file, or something to read from\.$"):
        pairloom.evaluate(CASES, "-")


def test_a_heading_alone_is_no_file_of_similarities(tmp_path):
    path = write(tmp_path, "word 1\tword 2\tjudged\n")
    with pytest.raises(InputError, match=r"has no pairs of words\. Lines must read like: tiger<TAB>cat<TAB>7\.35$"):
        similarities(CASES, path)
