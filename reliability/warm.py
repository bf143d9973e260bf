"""Processes that start at once: a server that has loaded everything forks one on request.

A fresh process computes for a second before it trains: it imports NumPy and Numba, and loads compiled kernels. A forked
one inherits all that from its parent. Otherwise it is a process like any other, with its own folder, environment and
exit code. The server runs one at a time, and reports its pid and, after its end, its exit code.
"""

import gc
import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType


class Server:
    """The client side of the server."""

    def __init__(self, *beforehand: Sequence[str]) -> None:
        """Start the server. It first runs these commands itself, to load what they need."""
        command = [sys.executable, "-m", "reliability.warm", json.dumps(beforehand)]
        root = Path(__file__).parents[1]
        self._process = subprocess.Popen(
            command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.reported()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._process.communicate()  # the server ends when its input does

    def start(self, argv: Sequence[str], folder: Path, environment: Mapping[str, str], output: Path) -> "Forked":
        """Run `pairloom argv...` in a folder, with its output in a file."""
        assert self._process.stdin is not None
        request = {"argv": argv, "folder": str(folder), "environment": dict(environment), "output": str(output)}
        self._process.stdin.write(json.dumps(request) + "\n")
        return Forked(self, self.reported())

    def reported(self, within: float | None = None) -> int:
        """The next number that the server reports."""
        assert self._process.stdout is not None
        if within is not None and not select.select([self._process.stdout], [], [], max(0.0, within))[0]:
            raise subprocess.TimeoutExpired("pairloom", within)
        line = self._process.stdout.readline()
        if not line:
            self._process.communicate()
            raise RuntimeError(f"the server ended with {self._process.returncode}")
        return int(line)


class Forked:
    """A process that the server forked, with the methods of subprocess.Popen that are used here."""

    def __init__(self, server: Server, pid: int) -> None:
        self.pid, self.returncode, self._server = pid, None, server
        self.returncode: int | None

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            self.returncode = self._server.reported(timeout)
        return self.returncode

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        with suppress(ProcessLookupError):  # it has just ended
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


# --- In the process of the server


def serve(beforehand: Sequence[Sequence[str]]) -> None:
    """Run these commands, then fork a process for each line of the input."""
    from pairloom.cli.main import main

    for argv in beforehand:
        if main(argv) != 0:
            sys.exit(f"{argv} does not run")
    assert threading.active_count() == 1, "threads are not forked"
    gc.freeze()  # children share these objects and do not scan them again
    print(0, flush=True)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            sys.exit(_become(**json.loads(line)))
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _become(argv: Sequence[str], folder: str, environment: Mapping[str, str], output: str) -> int:
    """Run `pairloom argv...` in the folder, as in a fresh process with an empty stdin."""
    from pairloom.cli.main import main

    nothing, file = os.open(os.devnull, os.O_RDONLY), os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for number, opened in enumerate((nothing, file, file)):
        os.dup2(opened, number)
    sys.stdin = os.fdopen(0)  # the parent has read from the other one
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    return main(argv)


if __name__ == "__main__":
    serve(json.loads(sys.argv[1]))
