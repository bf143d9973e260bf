"""Parts of the contexts go from worker to worker through mapped files if all workers are on one machine."""

import numpy as np
import pytest

import pairloom
from pairloom.cluster.driver import Driver
from pairloom.cluster.ledger import Ledger
from pairloom.cluster.workers.copies import MappedCopies
from pairloom.cluster.workers.handing import Handing
from tests.cluster.crew import ThreadCrew
from tests.cluster.helpers import OPTIONS, digest


def part_of(step, slots):
    return np.arange(slots * 16, dtype=np.float32).reshape(slots, 16) + 1000 * step


def test_a_part_is_taken_as_it_was_laid_out_also_after_rounds_with_larger_parts(tmp_path):
    giver, taker = Handing(0, 2, MappedCopies()), Handing(1, 2, MappedCopies())
    for slots in (3, 5, 2):
        for step in range(8):
            giver.put(tmp_path, step, part_of(step, slots))
            seat = np.empty((slots, 16), np.float32)
            taker.take(tmp_path, 0, step, seat)
            assert np.array_equal(seat, part_of(step, slots))


@pytest.mark.parametrize("n", [2, 3, 8])
def test_a_part_is_not_overwritten_before_the_slowest_worker_can_have_taken_it(tmp_path, n):
    """Its giver can lay out n parts more until it waits for one that has gone round all workers."""
    giver, taker, seat = Handing(0, n, MappedCopies()), Handing(1, n, MappedCopies()), np.empty((4, 16), np.float32)
    for step in range(5, 5 + n + 1):
        giver.put(tmp_path, step, part_of(step, 4))
    taker.take(tmp_path, 0, 5, seat)
    assert np.array_equal(seat, part_of(5, 4))


@pytest.mark.parametrize(("nodes", "are_sent"), [("aaa", False), ("aab", True)])
def test_on_one_machine_messages_say_only_that_a_part_is_there(text, tmp_path, nodes, are_sent):
    sent = []

    def before(crew, worker, method, args):
        if method == "post" and args[0] > 1 and args[1][0] == "part":  # after the rehearsal
            sent.append(args[2].nbytes)

    crew = ThreadCrew(3, before=before)
    crew.nodes = lambda: [*nodes]
    executor = Driver(crew, tmp_path, Ledger())
    assert digest(pairloom.train(text, executor=executor, **OPTIONS)) == digest(pairloom.train(text, **OPTIONS))
    assert sent and (sum(sent) > 0) == are_sent
