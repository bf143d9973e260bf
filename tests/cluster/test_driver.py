"""A crew trains the same bytes as one process, whatever is lost on the way."""

import hashlib

import numpy as np
import pytest

import pairloom
from pairloom.cluster.driver import Driver
from pairloom.cluster.ledger import Ledger
from tests.cluster.crew import ThreadCrew


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """Some thousand sentences in which a few words are hubs."""
    rng = np.random.default_rng(1)
    words = np.array([f"w{i}" for i in range(1500)])
    p = 1 / np.arange(1, 1501) ** 1.1
    lines = [" ".join(rng.choice(words, 12, p=p / p.sum())) for _ in range(4000)]
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("\n".join(lines))
    return path


OPTIONS = {"dim": 20, "min_count": 1, "epochs": 2, "sample": 0.0, "seed": 3}


@pytest.fixture(scope="module")
def alone(text):
    return digest(pairloom.train(text, threads=1, **OPTIONS))


def digest(embedding):
    return hashlib.sha256(embedding.words.vectors.tobytes() + embedding.contexts.vectors.tobytes()).hexdigest()


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_any_number_of_workers_trains_the_same_bytes(text, alone, n):
    assert digest(pairloom.train(text, executor=Driver(ThreadCrew(n), None, Ledger()), **OPTIONS)) == alone
