"""Signals that end a command: Ctrl-C, those of schedulers (SIGTERM) and of closed terminals (SIGHUP).

A handler raises an exception wherever the program happens to be. That may be a place that forgets exceptions: a
callback from compiled code, a finalizer, an import inside a bare `except`. So the interrupt is raised again, every
REPEAT seconds, until it is being handled. Such places also print the exceptions that they forget, which the hooks of
`sys` prevent.

One place must not be left by an exception at all: LLVM's wrapper in Python (`llvmlite.binding`), which compiles and
loads kernels. Left between a call of LLVM and the note that it was made, it frees memory twice, or hands out functions
that were never loaded, and the program ends by SIGSEGV. There, the interrupt waits until the wrapper is done.

This module is imported before all others, so it imports little.
"""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pairloom.training.checkpoint import Checkpoints

Handler = Callable[[int, FrameType | None], None]
REPEAT = 0.05
SOON = 0.0002  # seconds until a waiting interrupt is tried again: calls of LLVM follow each other closely
INTERRUPTED = "interrupted; no file is left half-written."
_received: list[int] = []  # the signals that interrupted the running command


class Interrupt(KeyboardInterrupt):
    """A signal, its argument, interrupts the command.

    A KeyboardInterrupt itself may make Python end by SIGINT whatever the exit code, even one that was caught: it
    happens if it came while a library executed a string. Only the class itself does so, not classes derived from it.
    """


@contextmanager
def interrupt_on_signals() -> Iterator[None]:
    """While the body runs, SIGINT, SIGTERM and SIGHUP raise `Interrupt`.

    Elsewhere than in the main thread, it does nothing.
    """
    try:
        before = set_handlers(interrupt)
    except ValueError:  # not the main thread
        yield
        return
    hooks = sys.excepthook, sys.unraisablehook
    try:
        yield
    finally:
        if interrupt not in before.values():  # the outermost: what was forgotten until now does not matter any more
            taken_interrupt()
        sys.excepthook, sys.unraisablehook = hooks
        _set_back(before)


def taken_interrupt() -> int | None:
    """The signal that interrupted the running command, if one did. It is not raised again."""
    if not _received:
        return None
    if hasattr(signal, "setitimer"):  # not on Windows
        signal.setitimer(signal.ITIMER_REAL, 0)
    number = _received[0]
    _received.clear()
    return number


@contextmanager
def stop_at_checkpoint(checkpoints: "Checkpoints | None") -> Iterator[None]:
    """On a signal, let the training in the body write a checkpoint and stop.

    A second signal, or one before training begins, interrupts at once.
    """
    import threading

    from pairloom.errors import StoppedError

    if checkpoints is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []

    def handler(number: int, frame: FrameType | None) -> None:
        if asked or not checkpoints.running:
            interrupt(number, frame)
        else:
            asked.append(number)
            checkpoints.stop()

    before = set_handlers(handler)
    try:
        yield
    except StoppedError as stopped:
        stopped.exit_code = 128 + asked[0]
        raise
    finally:
        _set_back(before)


def interrupt(number: int, frame: FrameType | None) -> None:
    """The handler: raise `Interrupt`, now or as soon as LLVM may be left, and until it is handled."""
    _received.append(number)
    sys.excepthook = sys.unraisablehook = _print_nothing
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _raise_again)
        signal.setitimer(signal.ITIMER_REAL, REPEAT, REPEAT)
        if _waits_for_llvm(frame):
            return
    raise Interrupt(number)


def _raise_again(_: int, frame: FrameType | None) -> None:
    """Raise the interrupt again, unless it is on its way: `finally` clauses, which are at work then, must end.

    It stays the handler of SIGALRM. A late one, after `taken_interrupt`, does nothing.
    """
    error = sys.exception()
    while error is not None and not isinstance(error, Interrupt):
        error = error.__context__
    if _received and error is None and not _waits_for_llvm(frame):
        raise Interrupt(_received[0])


def _waits_for_llvm(frame: FrameType | None) -> bool:
    """Whether LLVM's wrapper is at work in this frame or in a caller of it. If so, SIGALRM comes again soon."""
    while frame is not None and not frame.f_globals.get("__name__", "").startswith("llvmlite.binding"):
        frame = frame.f_back
    if frame is not None:
        signal.setitimer(signal.ITIMER_REAL, SOON, REPEAT)
    return frame is not None


def _print_nothing(*_: object) -> None:
    """A hook for exceptions that were forgotten after an interrupt."""


def set_handlers(handler: Handler | signal.Handlers) -> dict[int, Any]:
    """Set the handler of all signals that exist on this system, except those that `nohup` or a shell's `&` ignores.

    Returns the handlers from before.
    """
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    return {n: signal.signal(n, handler) for n in numbers if signal.getsignal(n) is not signal.SIG_IGN}


def _set_back(before: dict[int, Any]) -> None:
    for number, handler in before.items():
        signal.signal(number, handler)
