"""The command line: run one command, and turn whatever ends it into one line and an exit code.

Exit codes: 0 done, 2 bad input or option, 3 diverged, 4 corpus changed, 5 cannot write, 6 locked, 130 interrupted.
"""

import io
import os
import re
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from pairloom.cli.arguments import parse
from pairloom.cli.commands import command
from pairloom.cli.console import print_message
from pairloom.cli.signals import INTERRUPTED, interrupt_on_signals, taken_interrupt
from pairloom.errors import (
    CheckpointWarning,
    ConfigError,
    CorpusWarning,
    PairloomError,
    StoppedError,
    VectorsWarning,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code."""
    _show_our_warnings()
    _accept_all_characters()
    with interrupt_on_signals():
        args = parse(sys.argv[1:] if argv is None else argv)
        try:
            command(args.command).run(args)
            if sys.stdout is not None:
                sys.stdout.flush()
        except (Exception, KeyboardInterrupt) as error:
            failure = _failure(error, args.command)
            if failure is None:
                raise
            message, code = failure
            if message:
                print_message(f"pairloom {args.command}: {message}")
            return code
    return 0


def _failure(error: BaseException, name: str) -> tuple[str, int] | None:
    """The message and the exit code of a command that failed. None if the error is a bug."""
    number = taken_interrupt()
    if number is not None and not isinstance(error, StoppedError):  # code that was interrupted may raise anything
        return INTERRUPTED, 128 + number
    if isinstance(error, PairloomError):
        return _with_option_names(error, name), error.exit_code
    if isinstance(error, MemoryError):
        return "there is not enough memory. Close other programs, or choose smaller options.", 2
    if not isinstance(error, OSError):
        return None
    _discard_output()
    if isinstance(error, BrokenPipeError):  # the reader has seen enough, for example `head`
        return "", 0
    return f"the output could not be printed: {error.strerror}. Redirect it to another place.", 5


def _discard_output() -> None:
    """Send the rest of stdout nowhere: Python would try to write it again at exit, and fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _with_option_names(error: PairloomError, name: str) -> str:
    """The message of an error, with `--min-count 0` in place of the library's `min_count=0`."""
    if not isinstance(error, ConfigError):
        return str(error)
    names = getattr(command(name), "OPTION_NAMES", {})
    return re.sub(r"^(\w+)=", lambda m: f"{names.get(m[1], '--' + m[1].replace('_', '-'))} ", str(error))


def _show_our_warnings() -> None:
    warnings.showwarning = _show_warning
    for category in (CheckpointWarning, CorpusWarning, VectorsWarning):
        warnings.simplefilter("always", category)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print_message(f"pairloom: warning: {message}")


def _accept_all_characters() -> None:
    """Print characters that the terminal's encoding lacks as escapes, and replace invalid bytes typed at it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
