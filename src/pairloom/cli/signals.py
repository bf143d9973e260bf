"""Signals that end a command: Ctrl-C, those of schedulers (SIGTERM) and of closed terminals (SIGHUP)."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pairloom.errors import StoppedError

if TYPE_CHECKING:
    from pairloom.training.checkpoint import Checkpoints


def interrupt_on_signals() -> None:
    """Treat SIGTERM and SIGHUP like Ctrl-C: clean up, then end."""
    if threading.current_thread() is threading.main_thread():
        for number in _not_ignored("SIGTERM", "SIGHUP"):
            signal.signal(number, _interrupt)


@contextmanager
def stop_at_checkpoint(checkpoints: "Checkpoints | None") -> Iterator[None]:
    """On a signal, let the training in the body write a checkpoint and stop.

    A second signal, or one before training begins, interrupts at once.
    """
    if checkpoints is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []

    def handler(number: int, _: object) -> None:
        if received or not checkpoints.running:
            raise KeyboardInterrupt(number)
        received.append(number)
        checkpoints.stop()

    before = {number: signal.signal(number, handler) for number in _not_ignored("SIGINT", "SIGTERM", "SIGHUP")}
    try:
        yield
    except StoppedError as stopped:
        stopped.exit_code = 128 + received[0]
        raise
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _not_ignored(*names: str) -> list[signal.Signals]:
    """The signals that exist on this system, without those that `nohup` or a shell's `&` ignores."""
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    return [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]


def _interrupt(number: int, _: object) -> None:
    raise KeyboardInterrupt(number)
