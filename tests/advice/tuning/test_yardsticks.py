"""All settings are measured alike: a model at its optimum has the same score, whatever its noise and subsampling."""

from collections import Counter
from dataclasses import asdict
from itertools import pairwise

import numpy as np
import pytest

import pairloom
from pairloom.advice.tuning.sampling import sample_lines
from pairloom.advice.tuning.yardsticks import HeldOut, NextItem, drawn_pairs
from pairloom.config import TrainConfig
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import keep_probability
from pairloom.errors import InputError


def at_its_optimum(lines, **options):
    """A model whose v_w·v_c are what negative sampling would end with, from the pairs (word, next word) of lines."""
    config = TrainConfig(**options)
    counts = Counter(word for words in lines for word in words)
    words = sorted(counts, key=lambda word: (-counts[word], word))
    row = {word: i for i, word in enumerate(words)}
    pairs = np.full((len(words), len(words)), 1e-3)
    for line in lines:
        for w, c in pairwise(line):
            pairs[row[w], row[c]] += 1
            pairs[row[c], row[w]] += 0.5
    n = np.array([counts[word] for word in words])
    kept = keep_probability(n, config.sample, "program")
    seen = pairs * np.outer(kept, kept)
    noise = n**config.noise_power / (n**config.noise_power).sum()
    optimum = np.log(seen / seen.sum(axis=1, keepdims=True)) - np.log(config.negatives * noise)
    W, C = (pairloom.Vectors(words, some.astype(np.float32), n) for some in (np.eye(len(words)), optimum.T))
    return pairloom.Embedding(words=W, contexts=C, record={"config": asdict(config)})


@pytest.fixture(scope="module")
def zipfian():
    """Not by `Generator.zipf`, which draws other numbers in other versions of NumPy."""
    p = 1 / np.arange(1, 61) ** 1.4
    draws = np.searchsorted(np.cumsum(p / p.sum()), np.random.default_rng(5).random((10_000, 8)))
    return [[f"w{n}" for n in line] for line in draws.tolist()]


@pytest.mark.parametrize("yardstick", [HeldOut, NextItem])
@pytest.mark.parametrize("other", [{"noise_power": 0.0}, {"negatives": 20}, {"sample": 1e-2}, {"sample": 0}])
def test_a_model_at_its_optimum_scores_the_same_whatever_its_settings(zipfian, yardstick, other):
    asked = yardstick(sample_lines(open_corpus(zipfian), 10**6))
    usual, changed = (asked.score(at_its_optimum(zipfian, **options), 1) for options in ({}, other))
    assert changed.score == pytest.approx(usual.score, abs=0.01)  # words of equal probability change places by rounding


def test_without_what_is_added_to_the_products_other_settings_would_have_other_scores(zipfian, monkeypatch):
    asked = HeldOut(sample_lines(open_corpus(zipfian), 10**6))
    monkeypatch.setattr("pairloom.advice.tuning.yardsticks.prior", lambda model, config: np.zeros(len(model)))
    usual, changed = (asked.score(at_its_optimum(zipfian, noise_power=power), 1) for power in (0.75, 0.0))
    assert abs(changed.score - usual.score) > 0.1


def test_a_model_that_has_learnt_the_text_scores_higher_than_one_that_has_not(topics):
    asked = HeldOut(sample_lines(open_corpus(topics), 10**6))
    learnt = pairloom.train(topics, dim=16, epochs=20, sample=0, heldout=0)
    begun = pairloom.train(topics, dim=16, epochs=1, sample=0, heldout=0, lr=1e-6, min_lr=0)
    good, bad = asked.score(learnt, 1), asked.score(begun, 1)
    assert good.score > np.log2(100 / 5)  # at worst, the five words of the topic come first
    assert good.check == pytest.approx(good.score, abs=0.3)
    assert bad.score < 2.0  # ranks by chance have log2(e) = 1.44 bits


def test_a_word_without_a_vector_has_the_last_rank(topics):
    asked = HeldOut(sample_lines(open_corpus(topics), 10**6))
    learnt = pairloom.train(topics[:60], dim=8, epochs=1, sample=0, heldout=0)  # of the first topic only
    share = sum(w.startswith("t0w") for w, _ in asked.folds[0]) / len(asked.folds[0])
    assert 0 < asked.score(learnt, 1).score <= share * np.log2(100) + 1e-9


def test_the_next_item_is_guessed_by_a_model_that_knows_the_ring(sessions):
    asked = NextItem(sample_lines(open_corpus(sessions), 10**6))
    learnt = pairloom.train(sessions, dim=32, epochs=30, window=2, sample=0, heldout=0)
    assert asked.score(learnt, 1).more["MRR at 20"] > 0.3  # before or after: one of two, or three
    assert asked.score(learnt, 1).score == 1.0


def test_pairs_are_near_each_other_and_of_known_words():
    lines = [[f"w{i}" for i in range(20)]] * 50
    pairs = drawn_pairs(lines, {f"w{i}": 1.0 for i in range(0, 20, 2)})
    places = [(int(w[1:]), int(c[1:])) for w, c in pairs]
    assert len(pairs) == 500  # one for each known token
    assert {abs(i - j) for i, j in places} == {2, 4}


@pytest.mark.parametrize(("yardstick", "what"), [(HeldOut, "held-out neighbours"), (NextItem, "held-out lines")])
def test_too_few_questions_are_refused(yardstick, what):
    lines = [[f"w{i}", "the", "end"] for i in range(34)] * 11
    sample = sample_lines(open_corpus(lines), 10**6)
    sample.lines = [line for line in sample.lines if line.fold > 1]
    with pytest.raises(InputError, match=f"0 {what}.* for a fold, and 20 are needed"):
        yardstick(sample)
