"""The commands `pairloom` and `python -m pairloom`."""

import atexit
import os
import signal
import sys
from contextlib import suppress
from typing import NoReturn

from pairloom.cli.signals import INTERRUPTED, interrupt, set_handlers, taken_interrupt


def main() -> int:
    """Run the command that was typed. Returns the exit code.

    Signals have their handler before the rest is imported, which takes most of the time of a short command. After the
    command they are ignored, so that Python ends undisturbed, with the exit code of a command that is over.
    """
    try:
        set_handlers(interrupt)
        from pairloom.cli.main import main

        code = main()
        _end()
    except BaseException:
        number = _end()
        if number is None:
            raise
        _print_interrupted()
        code = 128 + number
    if code > 128:
        _leave(code)
    return code


def _leave(code: int) -> NoReturn:
    """End an interrupted program without Python's own end.

    That takes modules apart, also those whose import the signal cut short: 1 of 200 then ended by SIGSEGV.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # closed, or without an encoder
            stream.flush()
    os._exit(code)


def _end() -> int | None:
    """Ignore signals from now on. Returns the one that interrupted the command, if one did."""
    set_handlers(signal.SIG_IGN)
    return taken_interrupt()


def _print_interrupted() -> None:
    """Print the line without `sys.stderr`: a signal that comes while its encoder is replaced leaves it without one."""
    if sys.stderr is not None:  # else file 2 may be any file that was opened since
        with suppress(OSError):
            os.write(2, f"pairloom: {INTERRUPTED}\n".encode("ascii"))


if __name__ == "__main__":
    sys.exit(main())
