"""The published test vectors of the method: every kind of training saves the bytes whose digests are published."""

import json

import pytest

from scripts import bits

EXPECTED = json.loads(bits.EXPECTED.read_text())


def test_every_case_has_a_digest():
    assert EXPECTED.keys() == bits.CASES.keys() - bits.MACHINE_BOUND


@pytest.mark.parametrize("threads", bits.THREADS)
@pytest.mark.parametrize("name", EXPECTED)
def test_the_bytes_are_those_that_were_published(name, threads):
    assert bits.digest(name, threads) == EXPECTED[name]
