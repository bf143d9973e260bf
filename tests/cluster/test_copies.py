"""Copies in a folder, and rows that are read from them."""

import numpy as np
import pytest

import pairloom
from pairloom.cluster.driver import Driver
from pairloom.cluster.ledger import Ledger
from pairloom.cluster.workers.copies import MappedCopies, read_copy, write_copy
from pairloom.cluster.workers.places import Places
from pairloom.cluster.workers.share import SIDES, Share
from pairloom.pairs.parts import deal
from pairloom.pairs.source import Dealings
from tests.cluster.crew import ThreadCrew
from tests.cluster.helpers import OPTIONS, digest

STRIDE = 16


@pytest.fixture
def shares():
    """Makes the shares of two workers after some rounds, with other rows in each."""

    def made(number, parts=4):
        places = Places.of(dealings(parts), 2, 0, 0)
        both = [Share.empty(number, worker, places, STRIDE, []) for worker in range(2)]
        for share in both:
            for rows in (share.W, share.C):
                rows[...] = np.arange(len(rows)) + 1000 * number + 100_000 * share.worker
        return both

    return made


def dealings(parts):
    words = deal(50, np.array([0, 1], np.int32), parts, np.uint64(1))
    return Dealings(words, words, np.uint64(1))


def same_rows(rows, share):
    return all(np.array_equal(rows[side], share.rows(side)) for side in SIDES)


def test_a_copy_is_read_as_it_was_written(shares, tmp_path):
    mine, _ = shares(3)
    write_copy(tmp_path, mine)
    again = Share.empty(3, 0, mine.places, STRIDE, [])
    read_copy(tmp_path, again)
    assert np.array_equal(again.W, mine.W) and np.array_equal(again.C, mine.C)


def test_a_mapping_is_used_again_and_has_the_rows_of_now(shares, tmp_path):
    """A file is written again after two rounds, by a share of another size if the number of parts changes."""
    mapped = MappedCopies()
    for number, parts in enumerate([4, 4, 4, 8, 8, 4]):
        mine, other = shares(number, parts)
        write_copy(tmp_path, other)
        assert same_rows(mapped.rows_of(1, tmp_path, mine), other)
    assert len(mapped._mapped) == 2


def test_mappings_of_files_that_are_gone_are_dropped(shares, tmp_path, monkeypatch):
    monkeypatch.setattr("pairloom.cluster.workers.copies.MOST_MAPPED", 2)
    mapped = MappedCopies()
    for number in range(5):
        mine, other = shares(number)
        folder = tmp_path / str(number)
        folder.mkdir()
        write_copy(folder, other)
        assert same_rows(mapped.rows_of(1, folder, mine), other)
    assert len(mapped._mapped) <= 2


@pytest.mark.parametrize(("nodes", "rows_are_sent"), [("aaa", False), ("aab", True)])
def test_workers_on_one_machine_read_rows_from_the_copies(text, tmp_path, nodes, rows_are_sent):
    sent = set()

    def before(crew, worker, method, args):
        if method == "post" and args[0] > 1:  # after the rehearsal
            sent.add(args[1][0])

    crew = ThreadCrew(3, before=before)
    crew.nodes = lambda: [*nodes]
    executor = Driver(crew, tmp_path, Ledger())
    assert digest(pairloom.train(text, executor=executor, **OPTIONS)) == digest(pairloom.train(text, **OPTIONS))
    assert ("rows" in sent) == rows_are_sent
    assert all(worker.bytes_received > 0 for worker in executor.progress())
