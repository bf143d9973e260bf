"""Every row is with one worker, and comes to the next one that needs it."""

import numpy as np
import pytest

from pairloom.cluster.workers.places import Places, block_rows, ids_of, moves
from pairloom.pairs.parts import deal
from pairloom.pairs.source import Dealings

HUBS = np.array([0, 3], np.int32)


def dealings(parts, key, n_words=53, n_contexts=31):
    words = deal(n_words, HUBS, parts, np.uint64(key))
    contexts = deal(n_contexts, HUBS[:1], parts, np.uint64(key + 1))
    return Dealings(words, contexts, np.uint64(key))


@pytest.mark.parametrize("workers", [1, 2, 3, 5, 8, 11])
def test_block_rows_are_shared_out_evenly(workers):
    edges = block_rows(8, workers)
    assert (edges[0], edges[-1]) == (0, 8)
    assert np.ptp(np.diff(edges)) <= 1


def held(side, workers):
    """By brute force: {(worker, row of memory): row} of all rows that are not hubs."""
    found = {}
    for row, label in enumerate(side.dealing.labels.tolist()):
        slot, part = divmod(label, side.dealing.parts)
        if slot < side.dealing.slots:
            at = int(side.owner[part]), int(side.seat[part]) * side.dealing.slots + slot
            assert at not in found and 0 <= at[0] < workers and at[1] < side.first_hub(at[0])
            found[at] = row
    return found


@pytest.mark.parametrize("workers", [1, 2, 3, 5, 11])
def test_every_row_has_one_place(workers):
    for turn in range(8):
        places = Places.of(dealings(8, 5), workers, turn, turn)
        for side, ids in zip((places.words, places.contexts), ids_of(places.dealings), strict=True):
            here = held(side, workers)
            assert sorted(here.values()) == sorted({*range(len(side.dealing.labels))} - {*side.dealing.hubs.tolist()})
            for worker in range(workers):
                rows, at = side.rows_of(worker, ids)
                assert {(worker, place): row for row, place in zip(rows.tolist(), at.tolist(), strict=True)} == {
                    place: row for place, row in here.items() if place[0] == worker
                }
            owner, at = side.find(np.arange(len(side.dealing.labels)))
            hubs = np.flatnonzero(owner < 0)
            assert hubs.tolist() == side.dealing.hubs.tolist() and at[hubs].tolist() == [*range(len(hubs))]
            assert {(int(owner[row]), int(at[row])): row for row in range(len(owner)) if owner[row] >= 0} == here


@pytest.mark.parametrize("workers", [1, 2, 3, 5, 11])
def test_a_part_of_the_contexts_is_where_the_block_of_the_step_needs_it(workers):
    """Block row i needs part (i + s) mod P in step s. It stays in its seat, unless it comes from another worker."""
    edges = block_rows(8, workers)
    for first in (0, 3):
        for step in range(first, 8):
            places = Places.of(dealings(8, 5), workers, step, step - first)
            for row in range(8):
                part = (row + step) % 8
                worker = int(places.words.owner[row])
                assert edges[worker] <= row < edges[worker + 1] and places.contexts.owner[part] == worker
                seat = (row - edges[worker] + step - first) % (edges[worker + 1] - edges[worker])
                assert places.contexts.seat[part] == seat


@pytest.mark.parametrize("workers", [1, 2, 3, 5, 11])
def test_moves_bring_every_row_to_its_next_place(workers):
    old, new = Places.of(dealings(8, 5), workers, 7, 7), Places.of(dealings(16, 9), workers, 2, 0)
    for before, after, ids in zip(
        (old.words, old.contexts), (new.words, new.contexts), ids_of(new.dealings), strict=True
    ):
        from_, to = held(before, workers), held(after, workers)
        came = {}
        for worker in range(workers):
            for sender, source, target in moves(before, after, worker, ids):
                assert len(source) == len(target) > 0
                for place, at in zip(source.tolist(), target.tolist(), strict=True):
                    assert (worker, at) not in came
                    came[worker, at] = from_[sender, place]
        assert came == to
