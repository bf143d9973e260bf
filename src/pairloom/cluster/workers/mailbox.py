"""Messages between workers. Each has a label; who needs it waits for it, and an abandoned attempt ends the wait."""

import threading
import time
from typing import Any

import numpy as np
import numpy.typing as npt

MOST_UNUSED = 8  # arrays that are kept

Label = tuple[Any, ...]


class AbandonedError(Exception):
    """This attempt to train a round was given up, because a worker was lost or the training is to stop."""


class LostError(Exception):
    """A worker was lost, or could not be reached, or has none of its rows because it replaces a lost one."""


class Mailbox:
    """Messages that have arrived, by attempt and label. Messages of earlier attempts are thrown away."""

    def __init__(self) -> None:
        self._arrived: dict[tuple[int, Label], Any] = {}
        self._changed = threading.Condition()
        self._attempt = self._abandoned = -1
        self.seconds_waiting = 0.0
        self._ended: tuple[int, str] = -1, ""  # an attempt to which a connection belonged, and why it has ended
        self._unused: list[npt.NDArray[np.uint8]] = []  # memory of messages, used again because fresh one costs time

    def begin(self, attempt: int) -> None:
        """From now on, messages of earlier attempts are not wanted."""
        with self._changed:
            self._attempt = attempt
            self._arrived = {key: value for key, value in self._arrived.items() if key[0] >= attempt}

    def abandon(self, attempt: int) -> None:
        """End all waits of this attempt and of earlier ones."""
        with self._changed:
            self._abandoned = max(self._abandoned, attempt)
            self._changed.notify_all()

    def end(self, attempt: int, why: str) -> None:
        """A connection has ended through which messages of this attempt came: more may have been on their way."""
        with self._changed:
            self._ended = max(self._ended, (attempt, why))
            self._changed.notify_all()

    def put(self, attempt: int, label: Label, content: Any) -> None:
        """Deliver a message."""
        with self._changed:
            if attempt >= self._attempt:
                self._arrived[attempt, label] = content
                self._changed.notify_all()

    def has(self, label: Label) -> bool:
        """Whether the message with this label is here."""
        with self._changed:
            return (self._attempt, label) in self._arrived

    def take(self, label: Label) -> Any:
        """The message with this label, as soon as it is here."""
        began = time.perf_counter()
        with self._changed:
            while (key := (self._attempt, label)) not in self._arrived:
                self.check()
                if self._ended[0] == self._attempt:
                    raise LostError(self._ended[1])
                self._changed.wait()
            self.seconds_waiting += time.perf_counter() - began
            return self._arrived.pop(key)

    def check(self) -> None:
        """Raise an AbandonedError if the attempt was given up."""
        if self._attempt <= self._abandoned:
            raise AbandonedError

    # --- Memory for messages

    def room(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """An array for a message that comes in."""
        size = int(np.prod(shape)) * dtype.itemsize
        with self._changed:
            enough = [number for number, memory in enumerate(self._unused) if memory.nbytes >= size]
            memory = self._unused.pop(enough[0]) if enough else np.empty(size, np.uint8)
        return memory[:size].view(dtype).reshape(shape)

    def give_back(self, content: npt.NDArray[Any]) -> None:
        """Take back the content of a message that is no longer used."""
        memory = content.base
        if isinstance(memory, np.ndarray) and memory.dtype == np.uint8:
            with self._changed:
                self._unused = [memory, *self._unused][:MOST_UNUSED]
