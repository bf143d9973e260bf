"""What a worker has in all that it does: its shares, the way to the other workers, and counts of what it received."""

import os
import threading
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from pairloom.cluster.executor import Setting
from pairloom.cluster.rounds import RoundMaker, pairs_at_once
from pairloom.cluster.workers.copies import MappedCopies
from pairloom.cluster.workers.handing import Handing
from pairloom.cluster.workers.mailbox import LostError, Mailbox
from pairloom.cluster.workers.share import Share
from pairloom.pairs.blocks import stride_of
from pairloom.system.memory import available
from pairloom.types import Matrix

BYTES_PER_MESSAGE = 1 << 21  # rows are copied and sent while they are in the cache


class Send(Protocol):
    """How a worker reaches the others."""

    def __call__(self, worker: int, method: str, content: tuple[Any, ...]) -> Callable[[], Any]:
        """Call a method of another worker, without waiting. Returns a function that waits for the result."""

    def close(self) -> None:
        """End all calls that wait."""


class Member:
    """One of n workers."""

    send: Send
    setting: Setting

    def __init__(self, number: int, n_workers: int, threads: int) -> None:
        self.number, self.n_workers, self.threads = number, n_workers, threads
        self.mailbox = Mailbox()
        self.shares: dict[int, Share] = {}  # by how many rounds have made them
        self.unused: list[Matrix] = []  # memory of dropped shares, used again because fresh memory costs time
        self.mapped = MappedCopies()
        self.handing = Handing(number, n_workers, self.mapped)
        self.lock = threading.Lock()
        self.rows_received = self.bytes_received = 0
        self._maker: RoundMaker | None = None

    def set_up(self, setting: Setting, send: Send) -> None:
        """What the training is, and how to reach the others."""
        self.setting, self.send = setting, send
        self._maker = RoundMaker(setting.source, setting.division)

    @property
    def is_set_up(self) -> bool:
        """Whether this worker knows the training. One that replaces a lost worker does not at first."""
        return self._maker is not None

    @property
    def maker(self) -> RoundMaker:
        """What rounds are made with."""
        if self._maker is None:
            raise self.started_again()
        return self._maker

    def share(self, number: int) -> Share:
        """A share that must be here, unless this worker replaces a lost one."""
        try:
            return self.shares[number]
        except KeyError:
            raise self.started_again() from None

    def started_again(self) -> LostError:
        """The error of a worker that replaces a lost one."""
        return LostError(f"worker {self.number} was started again")

    @property
    def stride(self) -> int:
        """Floats from one row to the next."""
        return stride_of(self.maker.config.dim)

    @cached_property
    def at_once(self) -> int:
        """Pairs to have in memory. All CPUs of this machine may belong to workers like this one."""
        return pairs_at_once((available() or 0) // max(1, (os.cpu_count() or 1) // self.threads))

    @property
    def others(self) -> list[int]:
        """The other workers, the next one first, so that not all send to the same one."""
        return [(self.number + n) % self.n_workers for n in range(1, self.n_workers)]

    @property
    def rows_per_message(self) -> int:
        """How many rows are sent at a time."""
        return max(1, BYTES_PER_MESSAGE // (4 * self.stride))

    def pieces(self, rows: np.ndarray) -> Iterator[np.ndarray]:
        """Rows in pieces that fit into one message."""
        most = self.rows_per_message
        return (rows[first : first + most] for first in range(0, len(rows), most))

    def received(self, rows: int, n_bytes: int) -> None:
        """Count what came from another worker."""
        with self.lock:
            self.rows_received, self.bytes_received = self.rows_received + rows, self.bytes_received + n_bytes
