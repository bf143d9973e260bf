"""Correlations of cosines with judgements."""

import numpy as np
import pytest
from scipy import stats

from pairloom import Vectors
from pairloom.errors import InputError
from pairloom.judging.evaluation import (
    Policy,
    evaluate,
    similarities,
)
from tests.judging.evaluation.planted import CASES, PAIRS, plain_cosine, write


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


def test_cosines_of_words_with_themselves_share_a_rank(tmp_path):
    """Rounding puts some cosines of a word with itself just below 1, and they must still share a rank."""
    rng = np.random.default_rng(3)
    vectors = Vectors([f"w{i}" for i in range(50)], rng.normal(size=(50, 37)))
    path = write(tmp_path, "".join(f"w{i}\tw{i}\t{i}\n" for i in range(49)) + "w0\tw1\t-1\n")
    assert similarities(vectors, path).spearman == pytest.approx(stats.spearmanr([*range(49), -1], [1] * 49 + [0])[0])


def test_undefined_scores_are_none(vectors, tmp_path):
    scores = similarities(vectors, write(tmp_path, "nowhere\tnothing\t1\nnobody\tnever\t2\n"))
    assert (scores.spearman, scores.pearson, scores.interval, scores.coverage) == (None, None, None, 0)
    one = similarities(vectors, write(tmp_path, "x0\ty0\t1\n"))
    assert (one.spearman, one.pearson, one.interval, one.used) == (None, None, None, 1)


def test_a_file_with_only_a_header_is_refused(tmp_path):
    path = write(tmp_path, "word 1\tword 2\tjudged\n")
    with pytest.raises(InputError, match=r"has no pairs of words\. Lines must read like: tiger<TAB>cat<TAB>7\.35$"):
        similarities(CASES, path)
