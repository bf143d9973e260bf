"""Two models to fold words into."""

import pytest

import pairloom


@pytest.fixture(scope="session")
def without(two_topics):
    """A model that has never seen `duck` and `pink`."""
    return pairloom.train(two_topics, dim=16, epochs=20, min_count=1, sample=0, drop=["duck", "pink"])


@pytest.fixture(scope="session")
def large(zipf_corpus):
    """A model with more contexts than the noise takes below, and more words than one thread takes at a time."""
    return pairloom.train(zipf_corpus, dim=12, epochs=2, min_count=40, sample=1e-3)
