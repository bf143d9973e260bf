"""Messages between workers. Each has a label; who needs it waits for it, and an abandoned attempt ends the wait."""

import threading
import time
from collections.abc import Callable
from typing import Any

SECONDS_BETWEEN_CHECKS = 0.25

Label = tuple[Any, ...]


class AbandonedError(Exception):
    """This attempt to train a round was given up, because a worker was lost or the training is to stop."""


class Mailbox:
    """Messages that have arrived, by attempt and label. Messages of earlier attempts are thrown away."""

    def __init__(self) -> None:
        self._arrived: dict[tuple[int, Label], Any] = {}
        self._changed = threading.Condition()
        self._attempt = self._abandoned = -1
        self.seconds_waiting = 0.0
        self.check_sent: Callable[[int], None] = lambda attempt: None  # raises an error if a message did not arrive

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
                if not self._changed.wait(SECONDS_BETWEEN_CHECKS):
                    self.check_sent(self._attempt)
            self.seconds_waiting += time.perf_counter() - began
            return self._arrived.pop(key)

    def check(self) -> None:
        """Raise an AbandonedError if the attempt was given up."""
        if self._attempt <= self._abandoned:
            raise AbandonedError
