"""Contexts ranked for words, and the way between two words."""

import numpy as np
import pytest

from pairloom.errors import InputError
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.path import path_between
from pairloom.vectors.search import best_by_product, largest_products
from pairloom.vectors.vectors import Vectors

NAMES = [f"w{i}" for i in range(40)]


def model(objective, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    W, C = (scale * rng.normal(size=(2, 40, 6))).astype(np.float32)
    n = 39 if objective == "hs" else 40
    words = Vectors(NAMES, W, np.arange(40, 0, -1))
    return Embedding(words=words, contexts=Vectors(NAMES[:n], C[:n]), record={"config": {"objective": objective}})


@pytest.mark.parametrize("objective", ["negative", "softmax", "hs"])
def test_contexts_are_ranked_by_their_probability(objective):
    emb = model(objective)
    expected = sorted(((c, emb.probability("w3", c)) for c in NAMES), key=lambda pair: -pair[1])
    found = emb.predict("w3", topn=40)
    assert [c for c, _ in found] == [c for c, _ in expected]
    assert [p for _, p in found] == pytest.approx([p for _, p in expected], rel=1e-12)
    assert emb.predict("w3", topn=5) == found[:5] and emb.predict("w3", topn=0) == []
    if objective != "negative":
        assert sum(p for _, p in found) == pytest.approx(1)


@pytest.mark.parametrize("objective", ["negative", "softmax", "hs"])
def test_several_words_predict_with_their_mean(objective):
    emb = model(objective)
    mean = Vectors(NAMES, np.tile(emb[["w1", "w2"]].astype(np.float64).mean(axis=0), (40, 1)), emb.words.counts)
    one = Embedding(words=mean, contexts=emb.contexts, record=emb.record)
    for (c, p), (d, q) in zip(emb.predict(["w1", "w2"]), one.predict("w0"), strict=True):
        assert c == d and p == pytest.approx(q, rel=1e-6)


def test_unknown_words_can_be_ignored():
    emb = model("negative")
    assert emb.predict(["x", "w1", "w2"], ignore_missing=True) == emb.predict(["w1", "w2"])
    with pytest.raises(InputError, match="None of these words has a vector"):
        emb.predict("x", ignore_missing=True)


def test_probabilities_near_one_are_still_ranked():
    emb = model("negative", scale=30)
    products = emb.contexts.vectors.astype(np.float64) @ emb["w3"].astype(np.float64)
    order = np.argsort(-products)[:10]
    assert [c for c, _ in emb.predict("w3")] == [NAMES[row] for row in order]
    assert emb.predict("w3")[0][1] == 1.0


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda emb: emb.predict([]), "There is no word to predict contexts from"),
        (lambda emb: emb.predict("x"), "'x' is not among"),
        (lambda emb: emb.predict("w1", topn=-1), "topn=-1 is not a number of words"),
        (lambda emb: Embedding.of_words(emb.words).predict("w1"), "these vectors hold no contexts"),
    ],
)
def test_what_cannot_be_predicted_is_refused(ask, message):
    with pytest.raises(InputError, match=message):
        ask(model("negative"))


def test_a_part_of_a_tree_predicts_nothing():
    whole = model("hs")
    part = Embedding(words=whole.words, contexts=Vectors(NAMES[:9], whole.contexts.vectors[:9]), record=whole.record)
    with pytest.raises(InputError, match="needs the whole tree"):
        part.predict("w1")


@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e25])
def test_the_largest_products_are_found_among_rows_of_any_length(scale):
    rng = np.random.default_rng(3)
    rows = (rng.normal(size=(500, 7)) * rng.lognormal(sigma=3, size=(500, 1)) * scale).astype(np.float32)
    vectors = Vectors([f"{i}" for i in range(500)], rows)
    v = rng.normal(size=7) * scale
    expected = (rows.astype(np.float64) * v).sum(axis=1)
    found = largest_products(vectors.vectors, vectors.norms, v, 9)
    assert found.rows.tolist() == np.argsort(-expected, kind="stable")[:9].tolist()
    assert found.scores.tolist() == np.sort(expected)[::-1][:9].tolist()


def test_products_of_cosines_are_searched_as_if_every_row_was_compared():
    rng = np.random.default_rng(4)
    rows = np.repeat(rng.normal(size=(300, 5)), 2, axis=0).astype(np.float32)  # equal rows: the earlier comes first
    rows[7] = 0
    vectors = Vectors([f"{i}" for i in range(600)], rows)
    units = vectors.get_normed_vectors().astype(np.float64)
    for seed in range(20):
        a, b, c = np.random.default_rng(seed).integers(0, 600, 3)
        found = vectors.most_similar_cosmul([f"{b}", f"{c}"], [f"{a}"], 10)
        shifted = [(1 + units @ units[row]) / 2 for row in (a, b, c)]
        scores = shifted[1] * shifted[2] / (shifted[0] + 1e-6)
        scores[[a, b, c]] = -1
        assert [score for _, score in found] == pytest.approx(np.sort(scores)[::-1][:10], rel=1e-4)
        everything = best_by_product(
            vectors.vectors, vectors.norms, [units[b], units[c]], [units[a]], 600 - len({a, b, c}), sorted({a, b, c})
        )
        assert [word for word, _ in found] == [str(row) for row in everything.rows[:10]]


def test_rows_that_float32_cannot_tell_apart_are_still_ranked():
    rng = np.random.default_rng(6)
    rows = (rng.normal(size=64) + 1e-6 * rng.normal(size=(500, 64))).astype(np.float32)
    vectors = Vectors([f"{i}" for i in range(500)], rows)
    for seed in range(10):
        v = np.random.default_rng(seed).normal(size=64)
        exact = (rows.astype(np.float64) * v).sum(axis=1)
        found = largest_products(vectors.vectors, vectors.norms, v, 3)
        assert found.rows.tolist() == np.argsort(-exact, kind="stable")[:3].tolist()
        plus, minus = ([one / np.linalg.norm(one)] for one in (v, np.random.default_rng(seed + 99).normal(size=64)))
        best3 = best_by_product(vectors.vectors, vectors.norms, plus, minus, 3, [])
        everything = best_by_product(vectors.vectors, vectors.norms, plus, minus, 500, [])
        assert best3.rows.tolist() == everything.rows[:3].tolist()


def test_words_outside_the_searched_rows_may_be_in_the_query():
    vectors = Vectors(NAMES, np.random.default_rng(0).normal(size=(40, 6)))
    found = vectors.most_similar_cosmul(["w39", "w1"], ["w38"], 3, restrict_vocab=10)
    assert len(found) == 3 and all(NAMES.index(word) < 10 and word != "w1" for word, _ in found)


def test_the_path_passes_words_between_and_names_each_once():
    angles = np.radians([0, 90, 30, 60, 31, 200])
    vectors = Vectors(["a", "b", "third", "two-thirds", "near third", "far"], np.c_[np.cos(angles), np.sin(angles)])
    steps = path_between(vectors, "a", "b", 2)
    assert [step.word for step in steps] == ["a", "third", "two-thirds", "b"]
    assert [step.cosine_from for step in steps] == pytest.approx(np.cos(np.radians([0, 30, 60, 90])), abs=1e-6)
    assert [step.cosine_to for step in steps] == pytest.approx(np.cos(np.radians([90, 60, 30, 0])), abs=1e-6)
    words = [step.word for step in path_between(vectors, "a", "b", 50)]
    assert len(words) == len(set(words)) == 6 and path_between(vectors, "a", "b", 0)[1].word == "b"


@pytest.mark.parametrize(
    ("start", "end", "n", "message"),
    [
        ("a", "opposite", 2, "point the same way or opposite ways"),
        ("a", "a", 2, "point the same way or opposite ways"),
        ("a", "zero", 2, "The vector of 'zero' is zero"),
        ("a", "x", 2, "'x' is not among"),
        ("a", "b", 101, "n=101"),
    ],
)
def test_there_is_not_always_a_way(start, end, n, message):
    vectors = Vectors(["a", "b", "opposite", "zero"], [[1, 0], [0, 1], [-2, 0], [0, 0]])
    with pytest.raises(InputError, match=message):
        path_between(vectors, start, end, n)
