"""A worker gives away copies of its shares, keeps those of others, and gets its own back if it replaces a lost one."""

from pathlib import Path

import numpy as np

from pairloom.cluster.rounds import RoundTask
from pairloom.cluster.workers.copies import read_copy, write_copy
from pairloom.cluster.workers.member import Member
from pairloom.cluster.workers.places import Places, first_places, places_at_end
from pairloom.cluster.workers.share import SIDES, Share, Side, memory_for
from pairloom.types import Matrix

CopyPlace = int | str | None  # the worker, or the folder, that keeps a copy of a share; None if there is neither


class CopyingMember(Member):
    """The part of a worker that has to do with copies."""

    def __init__(self, number: int, n_workers: int, threads: int) -> None:
        super().__init__(number, n_workers, threads)
        self._copies: dict[tuple[int, int], dict[Side, Matrix]] = {}  # of other workers, by worker and number of share
        self._unused_copies: list[Matrix] = []

    def send_copy(self, number: int, to: CopyPlace) -> None:
        """Give another worker, or a folder, a copy of a share. Returns when it is there."""
        if to is None:
            return
        share = self.share(number)
        if isinstance(to, str):
            write_copy(Path(to), share)
            return
        for side in SIDES:
            rows = share.rows(side)
            for piece in self.pieces(np.arange(len(rows))):
                self.send(to, "keep_copy", (self.number, number, side, int(piece[0]), len(rows), rows[piece]))()

    def keep_copy(self, worker: int, number: int, side: Side, first: int, n: int, rows: Matrix) -> None:
        """Keep some rows of another worker's share."""
        with self.lock:
            copy = self._copies.setdefault((worker, number), {})
            if side not in copy:
                memory = memory_for(n * self.stride, self._unused_copies)
                copy[side] = memory.reshape(-1)[: n * self.stride].reshape(n, self.stride)
        copy[side][first : first + len(rows)] = rows
        self.received(len(rows), rows.nbytes)

    def copied_rows(self, worker: int, number: int, side: Side, first: int, last: int) -> Matrix:
        """Some rows of the copy of a share."""
        try:
            return self._copies[worker, number][side][first:last]
        except KeyError:
            raise self.started_again() from None

    def restore(self, number: int, task: RoundTask | None, at: CopyPlace) -> None:
        """Get this worker's share back, which the round `task` has made, or `begin` if None."""
        share = Share.empty(number, self.number, self._places_after(task), self.stride, [])
        if isinstance(at, str):
            read_copy(Path(at), share)
        elif at is not None:
            for side in SIDES:
                rows = share.rows(side)
                for piece in self.pieces(np.arange(len(rows))):
                    first, last = int(piece[0]), int(piece[-1]) + 1
                    rows[first:last] = self.send(at, "copied_rows", (self.number, number, side, first, last))()
        self.shares = {number: share}

    def _places_after(self, task: RoundTask | None) -> Places:
        if task is None:
            return first_places(self.maker, self.setting.division.parts, self.n_workers)
        return places_at_end(self.maker.dealings(task), task, self.n_workers)

    def go_back_to(self, base: int) -> None:
        """Drop all shares but this one, and copies of others that are older."""
        with self.lock:
            for number in [*self.shares]:
                if number != base:
                    self.unused = [*self.shares.pop(number).memory]
            for at in [at for at in self._copies if at[1] < base]:
                self._unused_copies += self._copies.pop(at).values()
