"""Processes that call one function, for Python code that threads cannot run at the same time.

A process is a new interpreter that imports what the function needs. It never copies this one (a copy of a process with
threads may hang), and never runs the user's script, so a script needs no `if __name__ == "__main__"`. A function that
the script itself defines is therefore not found there, and neither are functions within functions and lambdas. Then,
and when a process ends for any reason, the caller calls the function itself: the result or the error is the same.

A process gets its arguments by a pipe, and ends when the pipe is closed. So it does not outlive its parent.
"""

import json
import logging
import os
import pickle  # for what goes through the pipes. No file is read by it
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from queue import SimpleQueue
from types import TracebackType
from typing import Any, BinaryIO, Generic, Self, TypeVar

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_log = logging.getLogger(__name__)
_START = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from pairloom.system.processes import serve; serve()"
)


class Processes(Generic[Argument, Result]):
    """`n` processes for calls of a function, which must depend on nothing but its argument."""

    def __init__(self, function: Callable[[Argument], Result], n: int) -> None:
        self._function, self._idle = function, SimpleQueue[subprocess.Popen[bytes] | None]()
        self._all: list[subprocess.Popen[bytes]] = []
        self._stopped = False
        try:
            self._pickled = pickle.dumps(function)
        except Exception as error:  # what a class raises when it cannot be pickled is up to its author
            _log.info("one process runs %r, since it cannot be pickled: %s", function, error)
            n = 0
        for _ in range(n if _can_begin() else 0):
            self._start()
        _log.debug("%d processes run %r", len(self._all), function)

    def _start(self) -> None:
        with suppress(OSError):  # for example too many processes: the others do the work
            command = [
                sys.executable,
                "-P",
                "-c",
                _START,
            ]  # -P: pickle is Python's, not the current folder's
            self._all.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **_apart()))
            self._idle.put(self._all[-1])
            with suppress(OSError):  # if it has ended, `call` will notice
                _send(self._all[-1].stdin, sys.path)
                _send(self._all[-1].stdin, self._pickled)

    def call(self, argument: Argument) -> Result:
        """function(argument), by a process that has nothing to do. Call it from at most `n` threads at a time."""
        process = None if self._idle.empty() else self._idle.get()
        if process is not None:
            try:
                _send(process.stdin, argument)
                done, result = _receive(process.stdout)
            except (OSError, EOFError, pickle.PickleError):
                _log.info("a process for %r has ended: it may not find it by its name", self._function)
            else:
                self._idle.put(process)
                if done:
                    return result  # type: ignore[no-any-return]
        if self._stopped:
            raise CancelledError
        return self._function(argument)  # raises its error here, as if there were no processes

    def stop(self) -> None:
        """End all processes, also those that are at work. Their calls raise a CancelledError."""
        self._stopped = True
        for process in self._all:
            process.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.stop()
        for process in self._all:
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]
            process.wait()


def begin(module: str, function: str, environment: Mapping[str, str]) -> subprocess.Popen[bytes] | None:
    """A process that calls one function without arguments and prints nothing. None if there can be none.

    It has no pipe: if this process is killed, it goes on until the function returns.
    """
    code = f"import json, sys; sys.path[:] = json.loads(sys.argv[1]); from {module} import {function}; {function}()"
    command: list[str] = [sys.executable, "-P", "-c", code, json.dumps(sys.path)]
    nowhere: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    with suppress(OSError):
        return subprocess.Popen(command, env=environment, **nowhere, **_apart()) if _can_begin() else None
    return None


def _can_begin() -> bool:
    """Whether this is an interpreter that can be begun again."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def _apart() -> dict[str, Any]:
    """Options of a process that an interrupt of this one (Ctrl-C) does not reach."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def _send(pipe: Any, value: object) -> None:
    pickle.dump(value, pipe)
    pipe.flush()


def _receive(pipe: Any) -> tuple[bool, Any]:
    done, result = pickle.load(pipe)
    return bool(done), result


def serve() -> None:
    """What a process does: receive arguments, and send (True, result), or (False, None) if the function failed."""
    replies: BinaryIO = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the function prints must not get between the replies
    with suppress(EOFError, OSError):
        pickled = pickle.load(sys.stdin.buffer)
        try:
            function: Callable[[Any], Any] = pickle.loads(pickled)
        except Exception:  # for example a function of the user's script. The parent calls it itself
            return
        while True:
            argument, reply = pickle.load(sys.stdin.buffer), (False, None)
            with suppress(Exception):
                reply = (True, function(argument))
            _send(replies, reply)
