"""A small text, the model of it with its counts, and tables of all its pairs."""

import numpy as np
import pytest

import pairloom
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.judging.explanation import explain
from pairloom.judging.explanation.counted_model import CountedModel, vocabulary_of
from pairloom.pairs.cooccurrence import cooccurrences
from pairloom.vectors.record import recorded_config


@pytest.fixture(scope="session")
def small():
    """A text over 30 words with the frequencies of real text."""
    rng = np.random.default_rng(5)
    p = 1 / np.arange(1, 31)
    words = np.array([f"w{i}" for i in range(30)])
    return [rng.choice(words, 9, p=p / p.sum()).tolist() for _ in range(400)]


@pytest.fixture(scope="session")
def trained(small):
    emb = pairloom.train(small, dim=6, window=3, epochs=4, min_count=1, sample=0, heldout=0, lr=0.05)
    with open_corpus(small) as corpus, prepare(corpus, vocabulary=vocabulary_of(emb)) as encoded:
        counts = cooccurrences(encoded, *[np.arange(3, 0, -1) / 3] * 2)
    return CountedModel(embedding=emb, config=recorded_config(emb.record), counts=counts)


@pytest.fixture(scope="session")
def dense(trained):
    """x, n and m of all pairs, as dense tables."""
    x = trained.W.astype(float) @ trained.C.astype(float).T
    n = np.zeros_like(x)
    for w in range(len(n)):
        contexts, weights = trained.counts.row(w)
        n[w, contexts] = weights
    return x, n, trained.k * n.sum(axis=1)[:, None] * trained.noise


@pytest.fixture(scope="session")
def report(model, corpus):
    return explain(pairloom.load(model), corpus)
