"""A vocabulary whose spelling tells its meaning: a stem and an ending, each with a direction."""

import numpy as np
import pytest

from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors

STEMS = "sing talk walk paint build teach drive dance write climb jump learn swim print sort load mark fold".split()
ENDINGS = ["", "s", "ing", "er", "ers"]


def made_of_parts(left_out=()):
    """Each vector is the sum of its stem's and its ending's, and a little noise."""
    rng = np.random.default_rng(0)
    stems, endings = rng.normal(size=(len(STEMS), 24)), 0.7 * rng.normal(size=(len(ENDINGS), 24))
    parts = [(s, e) for s in range(len(STEMS)) for e in range(len(ENDINGS))]
    parts = [(s, e) for s, e in parts if STEMS[s] + ENDINGS[e] not in left_out]
    rows = [stems[s] + endings[e] + 0.05 * rng.normal(size=24) for s, e in parts]
    words = [STEMS[s] + ENDINGS[e] for s, e in parts]
    vectors = Vectors(words, np.array(rows, np.float32), range(len(words) + 4, 4, -1))
    contexts = Vectors(words[:3], rng.normal(size=(3, 24)).astype(np.float32), [3, 2, 1])
    return Embedding(words=vectors, contexts=contexts, record={"seed": 1})


@pytest.fixture(scope="session")
def plain():
    return made_of_parts(left_out=["teaching", "painter"])


@pytest.fixture(scope="session")
def spelled(plain):
    return plain.with_spelling(threads=1)
