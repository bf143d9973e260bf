"""Why two words are similar."""

import numpy as np
import pytest
from scipy import linalg

import pairloom
from pairloom.errors import InputError
from pairloom.judging.explanation import context_space, count_corpus, explain_similarity
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors


def test_contributions_add_up_to_the_cosine(trained):
    emb = trained.embedding
    found = explain_similarity(emb, "w3", "w7")
    assert found.cosine == pytest.approx(emb.similarity("w3", "w7"), abs=1e-6)
    assert found.unexplained == pytest.approx(0, abs=1e-9)
    assert found.common + found.contributions.sum() == pytest.approx(found.cosine, abs=1e-9)
    assert len(found.contributions) == 30


def test_contributions_are_those_of_the_formula(trained):
    W, C = trained.W.astype(float), trained.C.astype(float)
    u = W - W.mean(axis=0)
    G = (C * trained.noise[:, None]).T @ C
    a = np.sqrt(trained.noise) * (u @ np.linalg.inv(linalg.sqrtm(G).real) @ C.T)
    found = explain_similarity(trained.embedding, "w3", "w7")
    w, other = (trained.embedding.words.get_index(word) for word in ("w3", "w7"))
    expected = a[w] * a[other] / np.linalg.norm(W[w]) / np.linalg.norm(W[other])
    np.testing.assert_allclose(found.contributions, expected, atol=1e-9)
    ordered = np.sort(expected)[::-1]
    assert ordered[: found.half].sum() >= expected[expected > 0].sum() / 2 > ordered[: found.half - 1].sum()


def test_with_few_contexts_a_part_is_unexplained(two_topics):
    emb = pairloom.train(two_topics, dim=50, min_count=1, sample=0)
    found = explain_similarity(emb, "cat", "dog")
    assert found.unexplained != 0
    assert found.common + found.contributions.sum() + found.unexplained == pytest.approx(found.cosine)


def test_words_of_a_topic_share_its_contexts_and_avoid_the_others(model):
    emb = pairloom.load(model)
    found = explain_similarity(emb, "cat", "dog", topn=5)
    animals = set("cat dog horse cow sheep goat hen duck pig goose".split())
    assert {s.context for s in found.sought} <= animals
    assert not {s.context for s in found.avoided} & animals
    assert all(s.contribution > 0 and min(s.products) > 0 for s in found.sought)
    apart = explain_similarity(emb, "cat", "red")
    assert len(apart.apart) > len(apart.sought) and apart.contributions.sum() < 0


def test_counts_are_shown_beside_the_contexts_if_given(trained):
    found = explain_similarity(trained.embedding, "w0", "w1", topn=3, counts=trained.counts)
    for s in found.sought + found.avoided + found.apart:
        c = int(s.context[1:])
        rows = [trained.embedding.words.get_index(w) for w in ("w0", "w1")]
        context = trained.embedding.contexts.get_index(f"w{c}")
        assert s.counts == (trained.counts.count(rows[0], context), trained.counts.count(rows[1], context))


def test_a_zero_vector_has_no_cosine_to_explain():
    vectors = Vectors(["a", "b"], np.array([[0.0, 0], [1, 0]]), [1, 1])
    with pytest.raises(InputError, match="The vector of 'a' is zero"):
        explain_similarity(Embedding(words=vectors, contexts=vectors), "a", "b")


def test_the_counts_of_a_corpus_are_those_of_the_models_settings(trained, small):
    counts = count_corpus(trained.embedding, small)
    assert [counts.count(w, c) for w in range(5) for c in range(5)] == [
        trained.counts.count(w, c) for w in range(5) for c in range(5)
    ]


def test_many_pairs_share_what_takes_long(trained):
    space = context_space(trained.embedding)
    for a, b in (("w3", "w7"), ("w0", "w29")):
        alone = explain_similarity(trained.embedding, a, b)
        shared = explain_similarity(trained.embedding, a, b, space=space)
        np.testing.assert_array_equal(shared.contributions, alone.contributions)
        assert shared.sought == alone.sought
