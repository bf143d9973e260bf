"""The short form of `reliability.concurrency`."""

import pytest

from pairloom.system.temporary import HAS_LOCKS
from reliability.concurrency import measure


@pytest.mark.skipif(not HAS_LOCKS, reason="this system has no flock")
def test_two_trainings_on_one_output_and_eight_readers_during_saves_never_see_a_mixed_file() -> None:
    for figure in measure(short=True):
        assert figure.met, figure
