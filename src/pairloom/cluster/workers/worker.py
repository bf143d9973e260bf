"""One worker of a cluster: it has a share of the rows, and trains its blocks of every round.

The driver gives all workers the same tasks, and they send each other rows, parts and copies of hubs directly. A round
turns the share `base` into the share `number`. The old share is kept until the driver has seen that all workers have
the new one, so a round can be given up and trained again at any time:

    train(base=6, number=7) on all workers     each has share 6 and share 7
    a worker is lost before all are done       the others drop share 7 again, the lost one gets a copy of share 6
    train(base=6, number=7) once more          the same bytes
    train(base=7, number=8)                    now share 6 is dropped
"""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import numpy as np

from pairloom.cluster.workers.answers import AnsweringMember
from pairloom.cluster.workers.copying import CopyingMember, CopyPlace
from pairloom.cluster.workers.mailbox import AbandonedError, Label
from pairloom.cluster.workers.one_round import OneRound, Order
from pairloom.cluster.workers.places import first_places, ids_of
from pairloom.cluster.workers.share import Share
from pairloom.method.draws import Purpose, key
from pairloom.progress import WorkerProgress
from pairloom.system.memory import own_memory
from pairloom.system.threads import workers
from pairloom.types import Matrix

_ANSWERED = {"post", "keep_copy", "copied_rows", "rows_at"}  # calls of other workers


class Report(NamedTuple):
    """What a worker says of a round."""

    n_pairs: int
    largest_square: float
    progress: WorkerProgress


class Worker(CopyingMember, AnsweringMember):
    """One worker. All of its methods may be called at the same time, `train` once at a time."""

    def __init__(self, number: int, n_workers: int, threads: int) -> None:
        super().__init__(number, n_workers, threads)
        self._sender = ThreadPoolExecutor(1)
        self._round: OneRound | None = None  # that is, or was, trained last
        self._seconds_training, self._memory = 0.0, 0

    def begin(self) -> None:
        """Make share 0: W small and random, C zero."""
        from pairloom.kernel.rng import start_rows

        config, places = self.maker.config, first_places(self.maker, self.setting.division.parts, self.n_workers)
        share = Share.empty(0, self.number, places, self.stride, [])
        start_key = key(config.seed, Purpose.START)

        def fill(rows: Matrix, ids: np.ndarray) -> None:
            start_rows(rows.reshape(-1), self.stride, config.dim, start_key, self.setting.lengths, ids)

        share.each_row("W", ids_of(places.dealings)[0], fill)
        share.C.fill(0.0)  # it is zero, but only now takes memory: the first rounds need not wait for it
        self.shares = {0: share}

    def rehearse(self, order: Order) -> None:
        """Train a round and forget it, so that kernels are loaded, and memory and connections are there."""
        self.train(order, None)
        self.go_back_to(order.base)
        self.rows_received = self.bytes_received = self._memory = 0
        self._seconds_training = self.mailbox.seconds_waiting = 0.0

    def train(self, order: Order, copy_to: CopyPlace) -> Report | None:
        """Train a round, and have a copy of the new share kept. None if this attempt was given up."""
        with suppress(AbandonedError):
            return self._train(order, copy_to)
        return None

    def _train(self, order: Order, copy_to: CopyPlace) -> Report:
        self.mailbox.begin(order.attempt)
        self.go_back_to(order.base)
        with workers(self.threads) as pool, self._timed():
            self._round = OneRound(self, order, self._sender, pool)
            self.shares[order.number] = self._round.train()
        self._memory = max(self._memory, own_memory())
        self.send_copy(order.number, copy_to)
        return Report(self._round.n_pairs, self._round.square, self._progress())

    def abandon(self, attempt: int) -> None:
        """Give up an attempt to train a round."""
        self.mailbox.abandon(attempt)
        if self.is_set_up:
            self.send.close()

    def post(self, attempt: int, label: Label, *arrays: Any) -> None:
        """A message of another worker: one array, or several."""
        self.mailbox.put(attempt, label, arrays if len(arrays) > 1 else arrays[0])

    def answer(self, method: str, content: Sequence[Any]) -> Any:
        """A call of another worker."""
        if method not in _ANSWERED:
            raise ValueError(f"{method} is nothing that workers ask")
        return getattr(self, method)(*content)

    def progress(self) -> tuple[int, float, WorkerProgress]:
        """Blocks of the round that are done, the largest mean square in it, and what was done so far."""
        done, square = (self._round.blocks_done, self._round.square) if self._round else (0, 0.0)
        return done, square, self._progress()

    def _progress(self) -> WorkerProgress:
        return WorkerProgress(
            rows_moved=self.rows_received,
            bytes_received=self.bytes_received,
            seconds_waiting=self.mailbox.seconds_waiting,
            seconds_training=self._seconds_training,
            memory=self._memory,
        )

    @contextmanager
    def _timed(self) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self._seconds_training += time.perf_counter() - began
