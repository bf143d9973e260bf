"""One worker of a cluster: it has a share of the rows, and trains its blocks of every round.

The driver gives all workers the same tasks, and they send each other rows, parts and copies of hubs directly. A round
turns the share `base` into the share `number`. The old share is kept until the driver has seen that all workers have
the new one, so a round can be given up and trained again at any time:

    train(base=6, number=7) on all workers     each has share 6 and share 7
    a worker is lost before all are done       the others drop share 7 again, the lost one gets a copy of share 6
    train(base=6, number=7) once more          the same bytes
    train(base=7, number=8)                    now share 6 is dropped
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from pairloom import __version__
from pairloom.cluster.executor import Setting
from pairloom.cluster.rounds import RoundMaker, RoundTask, pairs_at_once
from pairloom.cluster.workers.blocks import WorkerBlocks
from pairloom.cluster.workers.copies import read_copy, write_copy
from pairloom.cluster.workers.mailbox import AbandonedError, Label, LostError, Mailbox
from pairloom.cluster.workers.places import BothIds, Places, ids_of, moves
from pairloom.cluster.workers.share import SIDES, Share, Side, memory_for
from pairloom.method.draws import Purpose, key
from pairloom.pairs.blocks import stride_of
from pairloom.pairs.source import CountedRound, Dealings
from pairloom.progress import WorkerProgress
from pairloom.system.memory import available, own_memory
from pairloom.system.threads import Workers, workers
from pairloom.types import Float64s, Ids, Matrix

BYTES_PER_MESSAGE = 1 << 21  # rows are copied and sent while they are in the cache
_ANSWERED = {"post", "keep_copy", "copied_rows", "rows_at"}  # calls of other workers


class Send(Protocol):
    """How a worker reaches the others."""

    def __call__(self, worker: int, method: str, content: tuple[Any, ...]) -> Callable[[], Any]:
        """Call a method of another worker, without waiting. Returns a function that waits for the result."""

    def close(self) -> None:
        """End all calls that wait."""


class Order(NamedTuple):
    """A round to train, for all workers."""

    attempt: int  # to train any round, counted over the whole training
    base: int  # the share to begin with
    number: int  # and the one to make
    task: RoundTask


class Report(NamedTuple):
    """What a worker says of a round."""

    n_pairs: int
    largest_square: float


CopyPlace = int | str | None  # the worker, or the folder, that keeps a copy of a share; None if there is neither


def places_at_end(dealings: Dealings, task: RoundTask, n_workers: int) -> Places:
    """Where rows are after a round: the parts of the contexts stay where they were in its last step, P - 1."""
    return Places.of(dealings, n_workers, task.parts - 1, task.parts - 1 - task.first)


def places_after(maker: RoundMaker, task: RoundTask, n_workers: int) -> Places:
    """`places_at_end` of a round that was trained by others."""
    return places_at_end(maker.dealings(task), task, n_workers)


class Worker:
    """One worker. All of its methods may be called at the same time, `train` once at a time."""

    def __init__(self, number: int, n_workers: int, threads: int) -> None:
        self._number, self._n_workers, self._threads = number, n_workers, threads
        self.mailbox = Mailbox()
        self._maker: RoundMaker | None = None
        self._shares: dict[int, Share] = {}
        self._copies: dict[tuple[int, int], dict[Side, Matrix]] = {}  # of other workers, by worker and number of share
        # Memory of dropped shares and copies, used again because fresh memory costs time.
        self._unused: list[Matrix] = []
        self._unused_copies: list[Matrix] = []
        self._lock = threading.Lock()
        self._sender = ThreadPoolExecutor(1)  # copies and sends rows while blocks are trained
        self._given: Future[None] = Future()  # the part that was sent last
        self._blocks_done = self._rows = self._bytes = self._memory = 0
        self._seconds_training = self._square = 0.0

    # --- Beginning

    def set_up(self, setting: Setting, send: Send) -> None:
        """What the training is, and how to reach the others."""
        self.setting, self._send = setting, send
        self._maker = RoundMaker(setting.source, setting.division)

    @property
    def maker(self) -> RoundMaker:
        """What rounds are made with."""
        if self._maker is None:
            raise LostError(f"worker {self._number} was started again")
        return self._maker

    @property
    def _stride(self) -> int:
        return stride_of(self.maker.config.dim)

    @cached_property
    def _at_once(self) -> int:
        """Pairs to have in memory. All CPUs of this machine may belong to workers like this one."""
        return pairs_at_once((available() or 0) // max(1, (os.cpu_count() or 1) // self._threads))

    def first_places(self) -> Places:
        """Where rows are before the first round: dealt by an arbitrary key."""
        return Places.of(self.maker.dealt(self.setting.division.parts, np.uint64(0)), self._n_workers, 0, 0)

    def begin(self) -> None:
        """Make share 0: W small and random, C zero."""
        from pairloom.kernel.rng import start_rows

        config, places = self.maker.config, self.first_places()
        share = Share.empty(0, self._number, places, self._stride, [])
        start_key = key(config.seed, Purpose.START)

        def fill(rows: Matrix, ids: np.ndarray) -> None:
            start_rows(rows.reshape(-1), self._stride, config.dim, start_key, self.setting.lengths, ids)

        share.each_row("W", ids_of(places.dealings)[0], fill)
        self._shares = {0: share}

    def _share(self, number: int) -> Share:
        """A share that must be here, unless this worker replaces a lost one."""
        try:
            return self._shares[number]
        except KeyError:
            raise LostError(f"worker {self._number} was started again") from None

    # --- A round

    def train(self, order: Order, copy_to: "CopyPlace") -> Report | None:
        """Train a round, and have a copy of the new share kept. None if this attempt was given up."""
        with suppress(AbandonedError):
            return self._train(order, copy_to)
        return None

    def _train(self, order: Order, copy_to: "CopyPlace") -> Report:
        self.mailbox.begin(order.attempt)
        self._go_back_to(order.base)
        with workers(self._threads) as pool, self._timed():
            share, blocks, counted = self._deal(order, pool)
            self._square = 0.0
            for group in blocks.groups:
                if group.start > order.task.first:
                    blocks.take(self.setting.source.write(counted, group, pool), group)
                for step in group:
                    self._train_step(order, blocks, step, pool)
        self._shares[order.number] = share
        self._memory = max(self._memory, own_memory())
        self.send_copy(order.number, copy_to)
        return Report(blocks.n_pairs, self._square)

    def _go_back_to(self, base: int) -> None:
        """Drop all shares but this one, and copies of others that are older."""
        with self._lock:
            for number in [*self._shares]:
                if number != base:
                    share = self._shares.pop(number)
                    self._unused = [share.W, share.C]
            for at in [at for at in self._copies if at[1] < base]:
                self._unused_copies += self._copies.pop(at).values()
        self._blocks_done = 0

    def _deal(self, order: Order, pool: Workers) -> tuple[Share, WorkerBlocks, CountedRound]:
        """Get the rows of the new dealing, and the pairs of the round's first group of steps."""
        task, old = order.task, self._share(order.base)
        dealings = self.maker.dealings(task)
        begin = Places.of(dealings, self._n_workers, task.first, 0)
        share = Share.empty(order.number, self._number, begin, self._stride, self._unused)
        ids = ids_of(dealings)
        sent = self._sender.submit(self._send_rows, order, old, begin, ids)
        blocks = WorkerBlocks(self.maker, task, share, ids[1], workers=self._n_workers, frozen=self.setting.frozen)
        source, rows = self.setting.source, range(blocks.first_row, blocks.last_row)
        counted = source.count(task.draws, task.a_round, dealings, pool, rows)
        blocks.expect(counted, self._at_once)
        blocks.take(source.write(counted, blocks.groups[0], pool), blocks.groups[0])
        self._take_rows(order, old, share, ids)
        sent.result()
        return share._replace(places=places_at_end(dealings, task, self._n_workers)), blocks, counted

    def _send_rows(self, order: Order, old: Share, new: Places, ids_of_parts: BothIds) -> None:
        """Send the rows that others need, as they are in the old share."""
        from pairloom.kernel.rows import copy_rows

        memory = np.empty((self._rows_per_message, self._stride), np.float32)
        numbers = np.arange(len(memory))
        for side, ids in zip(SIDES, ids_of_parts, strict=True):
            to = new.words if side == "W" else new.contexts
            for worker in self._others():
                for sender, source, _ in moves(old.side(side), to, worker, ids):
                    for number, some in enumerate(self._pieces(source) if sender == self._number else ()):
                        copy_rows(old.rows(side), some, memory, numbers)
                        label = "rows", side, self._number, number
                        self._post(order.attempt, worker, label, memory[: len(some)])

    def _take_rows(self, order: Order, old: Share, share: Share, ids_of_parts: BothIds) -> None:
        """Fill the new share: with rows that stay here, with those of others, and with the hubs."""
        from pairloom.kernel.rows import copy_rows

        numbers = np.arange(self._rows_per_message)
        for side, ids in zip(SIDES, ids_of_parts, strict=True):
            rows = share.rows(side)
            share.hubs(side)[...] = old.hubs(side)
            for sender, source, target in moves(old.side(side), share.side(side), self._number, ids):
                if sender == self._number:
                    copy_rows(old.rows(side), source, rows, target)
                    continue
                for number, some in enumerate(self._pieces(target)):
                    content = self._take(("rows", side, sender, number), len(some))
                    copy_rows(content, numbers[: len(some)], rows, some)
                    self.mailbox.give_back(content)

    @property
    def _rows_per_message(self) -> int:
        return max(1, BYTES_PER_MESSAGE // (4 * self._stride))

    def _pieces(self, rows: np.ndarray) -> Iterator[np.ndarray]:
        """Rows in pieces that fit into one message."""
        most = self._rows_per_message
        return (rows[first : first + most] for first in range(0, len(rows), most))

    # --- A step

    def _train_step(self, order: Order, blocks: WorkerBlocks, step: int, pool: Workers) -> None:
        """Train the blocks of a step. The first part is sent while the others are trained, the last may come late."""
        blocks.hubs.begin_step()
        trained = [] if blocks.n_rows == 0 else self._train_rows(order, blocks, step, pool)
        self._square = float(np.max([self._square, *trained]))  # NaN if one is
        self.mailbox.check()
        if blocks.hubs.exist:
            self._merge(order, blocks, step)

    def _train_rows(self, order: Order, blocks: WorkerBlocks, step: int, pool: Workers) -> list[float]:
        *others, last = blocks.spans(self._threads)
        rows = [pool.submit(self._train_blocks, order, blocks, some, step) for some in others]
        self._take_part(order, blocks, step)
        rows.append(pool.submit(self._train_blocks, order, blocks, last, step))
        return [some.result() for some in rows]

    def _train_blocks(self, order: Order, blocks: WorkerBlocks, rows: range, step: int) -> float:
        """Train some blocks. The part of the first row is then sent to the worker that needs it in the next step."""
        square = blocks.train(rows, step)
        self._blocks_done += len(rows)
        if rows.start == blocks.first_row and step + 1 < order.task.parts:
            worker = self._owner(blocks, rows.start - 1)
            if worker != self._number:
                part = blocks.share.seat("C", blocks.seat_at(rows.start, step))
                self._given = self._sender.submit(self._post, order.attempt, worker, ("part", step + 1), part)
        return square

    def _take_part(self, order: Order, blocks: WorkerBlocks, step: int) -> None:
        """Take in the part for the last row. It gets the seat of the part that was given away in the step before."""
        if step > order.task.first and self._owner(blocks, blocks.last_row) != self._number:
            self._given.result()
            seat = blocks.share.seat("C", blocks.seat_at(blocks.last_row - 1, step))
            content = self._take(("part", step), len(seat))
            seat[...] = content
            self.mailbox.give_back(content)

    def _owner(self, blocks: WorkerBlocks, row: int) -> int:
        return int(blocks.share.places.words.owner[row % blocks.task.parts])

    def _merge(self, order: Order, blocks: WorkerBlocks, step: int) -> None:
        """Merge the copies of the hubs."""
        hubs, has_blocks = blocks.hubs, set(blocks.share.places.words.owner.tolist())
        if self._number in has_blocks:
            hubs.add_up()
            for worker in filter(hubs.has_any, self._others()):
                self._post(order.attempt, worker, ("sums", step, self._number), *hubs.sums_for(worker))
        coming = iter(range(blocks.first_row, blocks.last_row) if step + 1 in blocks.group else ())
        if hubs.has_any(self._number):
            for worker in filter(has_blocks.__contains__, self._others()):
                hubs.take(worker, self._awaited(("sums", step, worker), blocks, step + 1, coming))
            merged = hubs.merge(step)
        if hubs.are_direct:
            return
        for worker in self._others() if hubs.has_any(self._number) else ():
            self._post(order.attempt, worker, ("merged", step, self._number), *merged)
        for worker in filter(hubs.has_any, self._others()):
            hubs.put(worker, self._awaited(("merged", step, worker), blocks, step + 1, coming))

    def _awaited(self, label: Label, blocks: WorkerBlocks, step: int, coming: Iterator[int]) -> Any:
        """The message with this label. Blocks of the next step are prepared until it is here."""
        while not self.mailbox.has(label) and (row := next(coming, None)) is not None:
            blocks.prepare(row, step)
        return self._take(label, 0)

    # --- Messages

    def post(self, attempt: int, label: Label, *arrays: Any) -> None:
        """A message of another worker: one array, or several."""
        self.mailbox.put(attempt, label, arrays if len(arrays) > 1 else arrays[0])

    def answer(self, method: str, content: Sequence[Any]) -> Any:
        """A call of another worker."""
        if method not in _ANSWERED:
            raise ValueError(f"{method} is nothing that workers ask")
        return getattr(self, method)(*content)

    def abandon(self, attempt: int) -> None:
        """Give up an attempt to train a round."""
        self.mailbox.abandon(attempt)
        if self._maker is not None:
            self._send.close()

    def _post(self, attempt: int, worker: int, label: Label, *arrays: Any) -> None:
        self.mailbox.check()
        self._send(worker, "post", (attempt, label, *arrays))

    def _take(self, label: Label, rows: int) -> Any:
        content = self.mailbox.take(label)
        self._count(rows, sum(array.nbytes for array in (content if isinstance(content, tuple) else (content,))))
        return content

    def _others(self) -> list[int]:
        """The other workers, the next one first, so that not all send to the same one."""
        return [(self._number + n) % self._n_workers for n in range(1, self._n_workers)]

    # --- Copies, for when a worker is lost

    def send_copy(self, number: int, to: "CopyPlace") -> None:
        """Give another worker, or a folder, a copy of a share. Returns when it is there."""
        if to is None:
            return
        share = self._share(number)
        if isinstance(to, str):
            write_copy(Path(to), share)
            return
        for side in SIDES:
            rows = share.rows(side)
            for piece in self._pieces(np.arange(len(rows))):
                self._send(to, "keep_copy", (self._number, number, side, int(piece[0]), len(rows), rows[piece]))()

    def keep_copy(self, worker: int, number: int, side: Side, first: int, n: int, rows: Matrix) -> None:
        """Keep some rows of another worker's share."""
        with self._lock:
            copy = self._copies.setdefault((worker, number), {})
            if side not in copy:
                copy[side] = memory_for(n * self._stride, self._unused_copies).reshape(n, self._stride)
        copy[side][first : first + len(rows)] = rows
        self._count(len(rows), rows.nbytes)

    def copied_rows(self, worker: int, number: int, side: Side, first: int, last: int) -> Matrix:
        """Some rows of the copy of a share."""
        try:
            return self._copies[worker, number][side][first:last]
        except KeyError:
            raise LostError(f"worker {self._number} was started again") from None

    def restore(self, number: int, task: RoundTask | None, at: "CopyPlace") -> None:
        """Get this worker's share back, which the round `task` has made, or `begin` if None."""
        places = self.first_places() if task is None else places_after(self.maker, task, self._n_workers)
        share = Share.empty(number, self._number, places, self._stride, [])
        if isinstance(at, str):
            read_copy(Path(at), share)
        elif at is not None:
            for side in SIDES:
                rows = share.rows(side)
                for piece in self._pieces(np.arange(len(rows))):
                    first, last = int(piece[0]), int(piece[-1]) + 1
                    rows[first:last] = self._send(at, "copied_rows", (self._number, number, side, first, last))()
        self._shares = {number: share}

    # --- What the driver asks for between rounds

    def state(self) -> tuple[list[int], str]:
        """The shares that are here, and the version of pairloom."""
        return sorted(self._shares), __version__

    def rows(self, number: int, side: Side, first: int, last: int) -> tuple[np.ndarray, Matrix]:
        """Those of rows first..last-1 of a matrix that are here: which, and the rows without padding."""
        share = self._share(number)
        here, at = share.find(side, np.arange(first, last))
        return here, share.rows(side)[at, : self.maker.config.dim]

    def put_rows(self, number: int, side: Side, ids: np.ndarray, rows: Matrix) -> None:
        """Replace those of these rows that are here."""
        share = self._share(number)
        places = share.side(side)
        owner, at = places.find(ids)
        at = np.where(owner < 0, at + places.first_hub(self._number), at)
        here = np.flatnonzero((owner == self._number) | (owner < 0))
        share.rows(side)[at[here], : self.maker.config.dim] = rows[here]

    def largest(self, number: int) -> float:
        """The largest absolute component of the rows here."""
        return self._share(number).largest()

    def products(self, number: int, w: Ids, contexts: Ids) -> tuple[np.ndarray, Float64s]:
        """v_w·v_c for the pairs whose word is here: which, and their products. Contexts come from the other workers."""
        from pairloom.kernel.loss import list_products

        share, dim = self._share(number), self.maker.config.dim
        here, at = share.find("W", w)
        pair = np.arange(contexts[here].size) // contexts.shape[1]
        wanted = contexts[here].ravel()
        products = np.empty(len(wanted))
        order = np.argsort(wanted, kind="stable")
        W = share.rows("W")[:, :dim]
        for ids in self._pieces(np.unique(wanted)):
            C = self._gathered(number, ids)
            first, last = np.searchsorted(wanted[order], [ids[0], ids[-1] + 1])
            some = order[first:last]
            list_products(W, C, at[pair[some]], np.searchsorted(ids, wanted[some]), some, products)
        return here, products.reshape(-1, contexts.shape[1])

    def _gathered(self, number: int, ids: np.ndarray) -> Matrix:
        """Rows of C from all workers, without padding."""
        share, dim = self._share(number), self.maker.config.dim
        owner, at = share.places.contexts.find(ids)
        rows = np.empty((len(ids), dim), np.float32)
        rows[owner < 0] = share.hubs("C")[at[owner < 0], :dim]
        waiting = []
        for worker in np.unique(owner[owner >= 0]).tolist():
            theirs = np.flatnonzero(owner == worker)
            if worker == self._number:
                rows[theirs] = share.rows("C")[at[theirs], :dim]
            else:
                waiting.append((theirs, self._send(worker, "rows_at", (number, at[theirs]))))
        for theirs, answer in waiting:
            rows[theirs] = answer()
            self._count(len(theirs), 4 * dim * len(theirs))
        return rows

    def rows_at(self, number: int, at: np.ndarray) -> Matrix:
        """Rows of C by their place in memory, without padding."""
        return self._share(number).rows("C")[at, : self.maker.config.dim]

    def progress(self) -> tuple[int, float, WorkerProgress]:
        """Blocks of the round that are done, the largest mean square in it, and what was done so far."""
        progress = WorkerProgress(
            rows_moved=self._rows,
            bytes_received=self._bytes,
            seconds_waiting=self.mailbox.seconds_waiting,
            seconds_training=self._seconds_training,
            memory=self._memory,
        )
        return self._blocks_done, self._square, progress

    def _count(self, rows: int, n_bytes: int) -> None:
        with self._lock:
            self._rows, self._bytes = self._rows + rows, self._bytes + n_bytes

    @contextmanager
    def _timed(self) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self._seconds_training += time.perf_counter() - began
