"""The purity of clusters."""

import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairloom import Vectors
from pairloom.errors import PairloomError
from pairloom.judging.evaluation import (
    Policy,
    categories,
)
from pairloom.judging.evaluation.categories import majority
from tests.judging.evaluation.planted import CASES, write


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


def test_words_that_form_clusters_are_pure(grouped, tmp_path):
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


def test_equal_vectors_make_fewer_clusters_without_a_warning(grouped, tmp_path):
    same = Vectors(["a", "b", "c"], np.ones((3, 2)))
    assert categories(same, write(tmp_path, "a\tx\nb\ty\nc\ty\n")).purity == pytest.approx(2 / 3)


def test_without_a_known_word_there_is_no_purity(tmp_path):
    scores = categories(CASES, write(tmp_path, "nowhere\ta\nnobody\tb\n"))
    assert (scores.purity, scores.known, scores.words) == (None, 0, 2)


def test_without_scikit_learn_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    with pytest.raises(PairloomError, match=r"pip install 'pairloom\[sklearn\]'$"):
        categories(CASES, write(tmp_path, "king\tman\nwoman\tman\n"))


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
