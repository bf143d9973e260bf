"""Vectors that the tests of several modules score."""

import pytest

from tests.judging.evaluation.planted import planted


@pytest.fixture(scope="session")
def vectors():
    return planted()
