"""Sentences and vectors that the tests of the bridge share."""

import numpy as np
import pytest

from pairloom.gensim_compat import KeyedVectors
from pairloom.gensim_compat.options import warn_once

TITLES = [
    ["human", "interface", "computer"],
    ["survey", "user", "computer", "system", "response", "time"],
    ["eps", "user", "interface", "system"],
    ["system", "human", "system", "eps"],
    ["user", "response", "time"],
    ["trees"],
    ["graph", "trees"],
    ["graph", "minors", "trees"],
    ["graph", "minors", "survey"],
]


@pytest.fixture(autouse=True)
def warns_again():
    """Each test hears the warnings that a process hears once."""
    warn_once.cache_clear()


@pytest.fixture
def kv():
    """Vectors in the plane whose neighbours one can see."""
    made = KeyedVectors(2)
    words = ["cat", "dog", "car", "bus", "sun"]
    made.add_vectors(words, [[2, 1], [1, 1], [-1, 2], [-2, 3], [0, -1]], extras={"count": [9, 7, 5, 3, 1]})
    return made


@pytest.fixture(scope="session")
def many():
    """A file of 300 words in word2vec's binary format."""
    rng = np.random.default_rng(3)
    made = KeyedVectors(10)
    made.add_vectors([f"w{i}" for i in range(300)], rng.normal(size=(300, 10)) * rng.lognormal(size=(300, 1)))
    return made
