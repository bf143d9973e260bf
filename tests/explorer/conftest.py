"""Two small models, one of them with hostile words, and ways to ask about them."""

import numpy as np
import pytest

from pairloom.explorer import app
from pairloom.explorer.models import ExploredModel
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors
from tests.explorer.asking import Client

HOSTILE = ["</script><script>alert(1)</script>", "<!--", "a\u2028b", "\u202egnp.exe", "\\u003c", "\"&'", "été", "nul\0"]
WORDS = ["the", "King", "kin", "queen", "king", "kind", "crown", *HOSTILE, "zero", *(f"w{i}" for i in range(84))]


def embedding(seed, words=WORDS, objective="negative", dim=8):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(2, len(words), dim)).astype(np.float32)
    rows[0][words.index("zero")] = 0
    contexts = len(words) - (objective == "hs")
    counts = np.arange(len(words), 0, -1) * 10
    return Embedding(
        words=Vectors(words, rows[0], counts),
        contexts=Vectors(words[:contexts], rows[1][:contexts], counts[:contexts]),
        record={"config": {"dim": dim, "objective": objective}},
    )


def explored(emb, name="one.loom", mapped=50):
    places = np.random.default_rng(0).uniform(-1, 1, (mapped, 2)).astype(np.float32)
    return ExploredModel(name=name, embedding=emb, coordinates=places)


@pytest.fixture(scope="session")
def emb():
    return embedding(1)


@pytest.fixture(scope="session")
def other():
    """Another model, which lacks some of the words."""
    return embedding(2, [*WORDS[10:], "new", *WORDS[:8]])


@pytest.fixture(scope="session")
def models(emb, other):
    return [explored(emb), explored(other, "two.loom")]


@pytest.fixture(scope="session")
def client(models):
    """A client of the application, without a token."""
    return Client(app(models))


@pytest.fixture(scope="session")
def ask(client):
    """A function that asks, must succeed, and returns the plain data or the bytes."""

    def ask(url, **parameters):
        response = client.get(f"/api/{url}", params=parameters)
        assert response.status_code == 200, response.text
        return response.json() if response.headers["content-type"] == "application/json" else response.content

    return ask
