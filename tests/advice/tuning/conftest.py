"""Texts with a structure that settings can find or miss."""

import random

import pytest

N_ITEMS, N_SESSIONS = 40, 700


@pytest.fixture(scope="session")
def sessions():
    return ring_sessions()


def ring_sessions():
    """Walks along a ring of items, always to the next one: who knows an item knows the one that follows."""
    draw = random.Random(1)
    starts = [(draw.randrange(N_ITEMS), draw.randrange(3, 7)) for _ in range(N_SESSIONS)]
    lines = [[f"i{(start + step) % N_ITEMS}" for step in range(length)] for start, length in starts]
    return [[f"u{number}", *line] for number, line in enumerate(lines)]  # a name of its own, so that no line is twice


@pytest.fixture(scope="session")
def topics():
    """Lines about one of twenty topics of five words each: neighbours are of the same topic."""
    draw = random.Random(2)
    return [[f"t{topic}w{draw.randrange(5)}" for _ in range(8)] for topic in range(20) for _ in range(60)]
