"""Texts of topics, of which one can say which words have moved."""

import numpy as np
import pytest

import pairloom

TOPICS, WORDS = 16, 25
OPTIONS = {"dim": 16, "epochs": 8, "min_count": 1, "sample": 0, "lr": 0.05, "threads": 2}


def sentences(seed, n=9000, swapped=()):
    """Sentences of words from two topics that are side by side on a ring. Pairs of words are swapped."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, WORDS + 1)
    exchange = {a: b for pair in swapped for a, b in (pair, pair[::-1])}
    text = []
    for topic in rng.integers(0, TOPICS, n):
        drawn = rng.choice(WORDS, 9, p=share / share.sum())
        words = [f"t{(topic + rng.integers(0, 2)) % TOPICS}w{i}" for i in drawn]
        text.append([exchange.get(word, word) for word in words])
    return text


SWAPPED = [(f"t{topic}w{2 * topic}", f"t{topic + 8}w{2 * topic + 1}") for topic in range(8)]


@pytest.fixture(scope="session")
def early():
    return pairloom.train(sentences(1), seed=1, **OPTIONS)


@pytest.fixture(scope="session")
def again():
    """The same text with another seed."""
    return pairloom.train(sentences(1), seed=2, **OPTIONS)


@pytest.fixture(scope="session")
def late():
    """Another text of the same kind."""
    return pairloom.train(sentences(2), seed=3, **OPTIONS)


@pytest.fixture(scope="session")
def moved():
    """That text with words swapped."""
    return pairloom.train(sentences(2, swapped=SWAPPED), seed=3, **OPTIONS)
