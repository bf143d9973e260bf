"""One round on one worker: get the rows of the new dealing, then train step after step.

In a step, the worker trains its blocks, gives a part of the contexts to the worker before it, takes one from the worker
after it, and merges the copies of the hubs with all others.
"""

from collections.abc import Iterator
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pairloom.cluster.rounds import RoundTask
from pairloom.cluster.workers.blocks import WorkerBlocks
from pairloom.cluster.workers.mailbox import Label
from pairloom.cluster.workers.member import Member
from pairloom.cluster.workers.places import BothIds, Places, ids_of, moves, places_at_end
from pairloom.cluster.workers.share import SIDES, Share
from pairloom.system.threads import Workers
from pairloom.types import Matrix


class Order(NamedTuple):
    """A round to train, for all workers."""

    attempt: int  # to train any round, counted over the whole training
    base: int  # the share to begin with
    number: int  # and the one to make
    task: RoundTask
    copies: str | None  # the folder with the copies of all shares `base`, if all workers are on one machine


class OneRound:
    """One attempt to train a round. sender: copies and sends rows while blocks are trained."""

    def __init__(self, worker: Member, order: Order, sender: Executor, pool: Workers) -> None:
        self._worker, self._order, self._sender, self._pool = worker, order, sender, pool
        self._mailbox = worker.mailbox
        self._given: Future[None] = Future()  # the part that was sent last
        self.blocks_done, self.square, self.n_pairs = 0, 0.0, 0

    def train(self) -> Share:
        """Train all steps. Returns the new share."""
        task, worker = self._order.task, self._worker
        dealings = worker.maker.dealings(task)
        begin = Places.of(dealings, worker.n_workers, task.first, 0)
        share = Share.empty(self._order.number, worker.number, begin, worker.stride, worker.unused)
        ids, old = ids_of(dealings), worker.share(self._order.base)
        sent = self._sender.submit(self._send_rows, old, begin, ids)
        frozen = worker.setting.frozen
        blocks = WorkerBlocks(worker.maker, task, share, ids[1], workers=worker.n_workers, frozen=frozen)
        source, rows = worker.setting.source, range(blocks.first_row, blocks.last_row)
        counted = source.count(task.draws, task.a_round, dealings, self._pool, rows)
        blocks.expect(counted, worker.at_once)
        self.n_pairs = blocks.n_pairs
        for number, group in enumerate(blocks.groups):
            blocks.take(source.write(counted, group, self._pool), group)
            if number == 0:
                self._take_rows(old, share, ids)
                sent.result()
            for step in group:
                self._train_step(blocks, step)
        return share._replace(places=places_at_end(dealings, task, worker.n_workers))

    # --- Rows of the new dealing

    def _send_rows(self, old: Share, new: Places, ids_of_parts: BothIds) -> None:
        """Send the rows that others need, as they are in the old share, unless they read them from its copy."""
        from pairloom.kernel.rows import copy_rows

        if self._order.copies is not None:
            return
        worker = self._worker
        memory = np.empty((worker.rows_per_message, worker.stride), np.float32)
        numbers = np.arange(len(memory))
        for side, ids in zip(SIDES, ids_of_parts, strict=True):
            to = new.words if side == "W" else new.contexts
            for other in worker.others:
                for owner, source, _ in moves(old.side(side), to, other, ids):
                    for number, some in enumerate(worker.pieces(source) if owner == worker.number else ()):
                        copy_rows(old.rows(side), some, memory, numbers)
                        self._post(other, ("rows", side, worker.number, number), memory[: len(some)])

    def _take_rows(self, old: Share, share: Share, ids_of_parts: BothIds) -> None:
        """Fill the new share: with rows that stay here, with those of others, and with the hubs."""
        from pairloom.kernel.rows import copy_rows

        worker, folder = self._worker, self._order.copies
        numbers = np.arange(worker.rows_per_message)

        for side, ids in zip(SIDES, ids_of_parts, strict=True):
            rows = share.rows(side)
            share.hubs(side)[...] = old.hubs(side)
            for owner, source, target in moves(old.side(side), share.side(side), worker.number, ids):
                if owner == worker.number:
                    copy_rows(old.rows(side), source, rows, target)
                elif folder is not None:
                    copy_rows(worker.mapped.rows_of(owner, Path(folder), old)[side], source, rows, target)
                    worker.received(len(target), 4 * worker.stride * len(target))
                else:
                    for number, some in enumerate(worker.pieces(target)):
                        content = self._take(("rows", side, owner, number), len(some))
                        copy_rows(content, numbers[: len(some)], rows, some)
                        self._mailbox.give_back(content)

    # --- A step

    def _train_step(self, blocks: WorkerBlocks, step: int) -> None:
        """Train the blocks of a step. The first part is sent while the others are trained, the last may come late."""
        blocks.hubs.begin_step()
        trained = [] if blocks.n_rows == 0 else self._train_rows(blocks, step)
        self.square = float(np.max([self.square, *trained]))  # NaN if one is
        self._mailbox.check()
        if blocks.hubs.exist:
            self._merge(blocks, step)

    def _train_rows(self, blocks: WorkerBlocks, step: int) -> list[float]:
        *others, last = blocks.spans(self._worker.threads)
        rows = [self._pool.submit(self._train_blocks, blocks, some, step) for some in others]
        self._take_part(blocks, step)
        rows.append(self._pool.submit(self._train_blocks, blocks, last, step))
        return [some.result() for some in rows]

    def _train_blocks(self, blocks: WorkerBlocks, rows: range, step: int) -> float:
        """Train some blocks. The part of the first row is then sent to the worker that needs it in the next step."""
        square = blocks.train(rows, step)
        self.blocks_done += len(rows)
        if rows.start == blocks.first_row and step + 1 < self._order.task.parts:
            worker = self._owner(blocks, rows.start - 1)
            if worker != self._worker.number:
                part = blocks.share.seat("C", blocks.seat_at(rows.start, step))
                self._given = self._sender.submit(self._give_part, worker, step + 1, part)
        return square

    def _give_part(self, worker: int, step: int, part: Matrix) -> None:
        """Send a part to the worker that trains it in this step, or lay it out if that is on the same machine."""
        if (folder := self._order.copies) is not None:
            self._worker.handing.put(Path(folder), step, part)
        self._post(worker, ("part", step), part if folder is None else part[:0])

    def _take_part(self, blocks: WorkerBlocks, step: int) -> None:
        """Take in the part for the last row. It gets the seat of the part that was given away in the step before."""
        if step > self._order.task.first and self._owner(blocks, blocks.last_row) != self._worker.number:
            self._given.result()
            seat = blocks.share.seat("C", blocks.seat_at(blocks.last_row - 1, step))
            content = self._take(("part", step), len(seat))
            if (folder := self._order.copies) is None:
                seat[...] = content
                self._mailbox.give_back(content)
            else:
                self._worker.handing.take(Path(folder), self._owner(blocks, blocks.last_row), step, seat)
                self._worker.received(0, seat.nbytes)

    def _owner(self, blocks: WorkerBlocks, row: int) -> int:
        return int(blocks.share.places.words.owner[row % blocks.task.parts])

    def _merge(self, blocks: WorkerBlocks, step: int) -> None:
        """Merge the copies of the hubs."""
        hubs, has_blocks, me = blocks.hubs, set(blocks.share.places.words.owner.tolist()), self._worker
        if me.number in has_blocks:
            hubs.add_up()
            for worker in filter(hubs.has_any, me.others):
                self._post(worker, ("sums", step, me.number), *hubs.sums_for(worker))
        coming = iter(range(blocks.first_row, blocks.last_row) if step + 1 in blocks.group else ())
        if hubs.has_any(me.number):
            for worker in filter(has_blocks.__contains__, me.others):
                hubs.take(worker, self._awaited(("sums", step, worker), blocks, step + 1, coming))
            merged = hubs.merge(step)
        if hubs.are_direct:
            return
        for worker in me.others if hubs.has_any(me.number) else ():
            self._post(worker, ("merged", step, me.number), *merged)
        for worker in filter(hubs.has_any, me.others):
            hubs.put(worker, self._awaited(("merged", step, worker), blocks, step + 1, coming))

    def _awaited(self, label: Label, blocks: WorkerBlocks, step: int, coming: Iterator[int]) -> Any:
        """The message with this label. Blocks of the next step are prepared until it is here."""
        while not self._mailbox.has(label) and (row := next(coming, None)) is not None:
            blocks.prepare(row, step)
        return self._take(label, 0)

    # --- Messages

    def _post(self, worker: int, label: Label, *arrays: Any) -> None:
        self._mailbox.check()
        self._worker.send(worker, "post", (self._order.attempt, label, *arrays))

    def _take(self, label: Label, rows: int) -> Any:
        content = self._mailbox.take(label)
        arrays = content if isinstance(content, tuple) else (content,)
        self._worker.received(rows, sum(array.nbytes for array in arrays))
        return content
