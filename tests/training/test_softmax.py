"""Equation (3): its gradient, the kernel that descends on it, and what is learnt by it."""

import numpy as np
import pytest
from numba import njit

import pairloom
from pairloom.config import TrainConfig
from pairloom.errors import DivergedError, InputError
from pairloom.kernel import memory, simd
from pairloom.kernel.exponential import exponential
from pairloom.method.objective import adagrad, softmax_gradient, softmax_loss
from pairloom.system.threads import workers
from pairloom.training import softmax
from pairloom.training.softmax import WORDS_PER_BATCH, EpochCounts, _merged, _Products
from tests.conftest import TOPICS
from tests.models import matrices, random_model

RNG = np.random.default_rng(0)
TOY = {"dim": 16, "epochs": 5, "min_count": 1, "sample": 0, "objective": "softmax"}


def test_the_loss_is_that_of_equation_3():
    v_w, C, counts = RNG.normal(size=4), RNG.normal(size=(7, 4)), RNG.integers(0, 5, 7).astype(float)
    p = np.exp(C @ v_w) / np.exp(C @ v_w).sum()
    assert softmax_loss(v_w, C, counts) == pytest.approx(-(counts * np.log(p)).sum())
    assert np.isfinite(softmax_loss(1000 * v_w, C, counts))


def test_the_gradient_is_that_of_finite_differences():
    v_w, C, counts, h = RNG.normal(size=4), RNG.normal(size=(7, 4)), RNG.integers(0, 5, 7).astype(float), 1e-6
    by_w, by_C = softmax_gradient(v_w, C, counts)
    for i, step in enumerate(np.eye(4) * h):
        slope = (softmax_loss(v_w + step, C, counts) - softmax_loss(v_w - step, C, counts)) / (2 * h)
        assert by_w[i] == pytest.approx(slope, abs=1e-6)
    for index in np.ndindex(C.shape):
        step = np.zeros_like(C)
        step[index] = h
        slope = (softmax_loss(v_w, C + step, counts) - softmax_loss(v_w, C - step, counts)) / (2 * h)
        assert by_C[index] == pytest.approx(slope, abs=1e-6)


def test_the_first_step_of_adagrad_is_the_rate_whatever_the_gradient():
    x, squares = np.zeros(3), np.zeros(3)
    adagrad(x, np.array([1e6, -5.0, 0.0]), squares, 0.1)
    np.testing.assert_allclose(x, [-0.1, 0.1, 0.0], rtol=1e-8)


@njit
def _apply(x, out):
    for i in range(0, len(x), 8):
        simd.store(memory.address(out), i, exponential(simd.load(memory.address(x), i)))


def test_the_polynomial_exponential_is_the_exponential():
    x = np.linspace(-86, 0, 80_000).astype(np.float32)
    out = np.empty_like(x)
    _apply(x, out)
    np.testing.assert_allclose(out, np.exp(x.astype(np.float64)), rtol=5e-6)


def test_pairs_of_several_rounds_are_counted_once():
    rounds = [([1, 2 << 32 | 5], [3, 1]), ([2 << 32 | 5, 2 << 32 | 6], [4, 1])]
    counted = _merged([(np.array(pairs), np.array(counts)) for pairs, counts in rounds], 4)
    assert counted.starts.tolist() == [0, 1, 1, 3, 3]
    assert counted.contexts.tolist() == [1, 5, 6]
    assert counted.counts.tolist() == [3, 5, 1]


def random_counted(rng, n_words, n_contexts):
    table = rng.integers(0, 4, (n_words, n_contexts)) * rng.integers(0, 2, (n_words, n_contexts))
    starts = np.append(0, np.cumsum((table > 0).sum(axis=1)))
    return table.astype(np.float64), EpochCounts(
        starts, np.nonzero(table)[1].astype(np.int32), table[table > 0].astype("f4")
    )


@pytest.mark.parametrize("dim", [1, 9, 100])
@pytest.mark.parametrize(("n_words", "n_contexts"), [(96, 33), (17, 100), (1, 2)])
def test_the_kernel_has_the_likelihood_and_takes_the_step_of_the_definition(monkeypatch, dim, n_words, n_contexts):
    monkeypatch.setattr(softmax, "CONTEXTS_PER_SLICE", 40)
    rng = np.random.default_rng(dim)
    model = random_model(rng, max(n_words, n_contexts), dim, scale=1 / dim**0.25)
    W, C = (m[:n] for m, n in zip(matrices(model, dim), (n_words, n_contexts), strict=True))
    table, counted = random_counted(rng, n_words, n_contexts)
    gradients = [softmax_gradient(v_w, C, counts) for v_w, counts in zip(W, table, strict=True)]
    expected = C.copy()
    adagrad(expected, sum(by_C for _, by_C in gradients), np.zeros_like(C), 0.1)
    words = rng.permutation(n_words)
    squares = np.zeros_like(model.C)
    with workers(2) as pool:
        products = _Products(model, n_contexts, pool)
        batch = products.batch(words, counted)
        seen, logs, scale = products.expect(batch)
        n = np.append(table.sum(axis=1)[words], np.zeros(WORDS_PER_BATCH - n_words))
        gradient = products.descend(batch, scale * n, squares, 0.1)
    loss = sum(softmax_loss(v_w, C, counts) for v_w, counts in zip(W, table, strict=True))
    assert n @ logs - seen == pytest.approx(loss, rel=1e-5)
    by_W = np.array([by_w for by_w, _ in gradients])[words]
    assert np.abs(gradient[:n_words, :dim] - by_W).max() <= 1e-5 * max(np.abs(by_W).max(), 1)
    np.testing.assert_allclose(matrices(model, dim)[1][:n_contexts], expected, atol=1e-4)


def test_words_of_a_topic_are_neighbours_and_probabilities_add_up_to_one(two_topics):
    emb = pairloom.train(two_topics, **TOY)
    for topic in TOPICS:
        for word in topic:
            assert {other for other, _ in emb.most_similar(word, topn=9)} == set(topic) - {word}
    p = {c: emb.probability("cat", c) for c in emb}
    assert sum(p.values()) == pytest.approx(1.0)
    assert sum(p[c] for c in TOPICS[0]) > 0.95


def test_the_likelihoods_approach_the_best_there_is(two_topics):
    emb = pairloom.train(two_topics, heldout=0.1, **TOY)
    losses = emb.record["heldout"]["loss"]
    assert losses[0] == pytest.approx(np.log(20))
    assert losses[-1] == pytest.approx(np.log(10), abs=0.05)  # words of a topic are drawn by chance
    likelihoods = np.array(emb.record["likelihood"]["log"])
    assert len(likelihoods) == TOY["epochs"]
    per_pair = -likelihoods * len(likelihoods) / emb.record["likelihood"]["pairs"]
    assert per_pair[-1] == pytest.approx(np.log(10), abs=0.05)


def test_the_bytes_are_the_same_for_any_number_of_threads(zipf_text, monkeypatch, tmp_path):
    monkeypatch.setattr(softmax, "CONTEXTS_PER_SLICE", 500)
    files = []
    for threads in (1, 2, 5):
        emb = pairloom.train(zipf_text, threads=threads, dim=20, epochs=2, min_count=2, objective="softmax")
        emb.save(tmp_path / "same.loom")
        files.append((tmp_path / "same.loom").read_bytes())
    assert files == [files[0]] * 3


def test_pairs_of_two_vocabularies_are_learnt_too():
    pairs = [("cat", "purrs"), ("dog", "barks"), ("cat", "eats"), ("dog", "eats")] * 30
    emb = pairloom.train_pairs(pairs, objective="softmax", min_count=1, dim=8, epochs=6, heldout=0)
    assert emb.probability("cat", "purrs") == pytest.approx(0.5, abs=0.05)
    assert emb.probability("cat", "barks") < 0.05


def test_a_large_vocabulary_is_refused_before_the_work(monkeypatch, two_topics):
    monkeypatch.setattr(softmax, "MOST_CONTEXTS", 10)
    with pytest.raises(InputError) as error:
        pairloom.train(two_topics, **TOY)
    assert str(error.value) == (
        "objective=softmax multiplies every word by every context, and is limited to 10 of each. "
        "There are 20 and 20. Use max_vocab=10, or objective=hs."
    )


def test_a_rate_that_is_too_high_is_noticed(two_topics):
    with pytest.raises(DivergedError, match=r"is likely too high; 0\.1 is usual"):
        pairloom.train(two_topics, **TOY, lr=1e5)


def test_its_usual_rate_is_adagrads():
    assert TrainConfig(objective="softmax").lr == 0.1
