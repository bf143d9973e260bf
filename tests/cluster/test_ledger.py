"""The log has every round that is in the vectors, once."""

import json

import numpy as np
import pytest

from pairloom.cluster.ledger import Ledger, applied_rounds
from pairloom.cluster.rounds import RoundTask
from pairloom.errors import OutputError
from pairloom.pairs.source import Round


def task(epoch, number, first=0):
    return RoundTask(epoch, Round(number, 0, 1, 0, 10), 4, first, np.zeros(5), 0.5)


@pytest.fixture
def log(tmp_path):
    return tmp_path / "rounds.log"


def test_without_a_path_nothing_is_written():
    Ledger().applied(task(0, 0), 5, 1)


def test_rounds_are_logged_in_order_with_what_happened_between_them(log):
    ledger = Ledger(log)
    ledger.begun(0, 0, 3)
    ledger.applied(task(0, 0), 5, 1)
    ledger.lost("worker 1 (ActorDiedError)", 1)
    ledger.restored([1], 1)
    ledger.applied(task(0, 1), 6, 3)
    assert applied_rounds(log) == [(0, 0), (0, 1)]
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    assert [entry["event"] for entry in entries] == ["begun", "applied", "lost", "restored", "applied"]
    assert entries[-1].items() >= {"epoch": 0, "round": 1, "first_step": 0, "pairs": 6, "attempt": 3}.items()


def test_rounds_after_the_checkpoint_of_a_killed_training_do_not_count(log):
    first = Ledger(log)
    first.begun(0, 0, 2)
    for number in range(3):
        first.applied(task(0, number), 5, number)
    resumed = Ledger(log)
    resumed.begun(0, 1, 4)
    for epoch, number in [(0, 1), (0, 2), (1, 0)]:
        resumed.applied(task(epoch, number), 5, number)
    assert applied_rounds(log) == [(0, 0), (0, 1), (0, 2), (1, 0)]


def test_a_line_that_a_killed_training_left_unfinished_spoils_no_other_line(log):
    first = Ledger(log)
    first.begun(0, 0, 2)
    for number in range(2):
        first.applied(task(0, number), 5, number)
    with log.open("a") as file:
        file.write('{"time": 1794942000.1, "event": "appl')
    resumed = Ledger(log)
    resumed.begun(0, 1, 2)
    resumed.applied(task(0, 1), 5, 1)
    assert applied_rounds(log) == [(0, 0), (0, 1)]


def test_a_round_that_was_applied_twice_is_seen(log):
    ledger = Ledger(log)
    ledger.begun(0, 0, 2)
    for _ in range(2):
        ledger.applied(task(0, 0), 5, 1)
    assert applied_rounds(log) == [(0, 0), (0, 0)]


def test_a_log_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(OutputError, match=str(tmp_path)):
        Ledger(tmp_path / "missing" / "log").begun(0, 0, 1)
