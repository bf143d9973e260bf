"""The command line: run one command, and turn whatever ends it into one line and an exit code.

Exit codes: 0 done, 2 bad input or option, 3 diverged, 4 corpus changed, 5 cannot write, 6 locked, 130 interrupted.
"""

import io
import os
import re
import sys
import warnings
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from pairloom.cli.commands import command
from pairloom.cli.console import print_message, shown_log
from pairloom.cli.parsing import parse
from pairloom.cli.signals import INTERRUPTED, interrupt_on_signals, taken_interrupt
from pairloom.config import TrainConfig
from pairloom.errors import (
    CheckpointWarning,
    ConfigError,
    CorpusWarning,
    IgnoredOptionWarning,
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
            with shown_log(getattr(args, "verbose", 0)):
                command(args.command).run(args)
            if sys.stdout is not None:
                sys.stdout.flush()
        except (Exception, KeyboardInterrupt) as error:
            failure = _failure(error, args)
            if failure is None:
                raise
            message, code = failure
            if message:
                print_message(f"pairloom {args.command}: {message}")
            return code
    return 0


def _failure(error: BaseException, args: Namespace) -> tuple[str, int] | None:
    """The message and the exit code of a command that failed. None if the error is a bug."""
    number = taken_interrupt()
    if number is not None and not isinstance(error, StoppedError):  # code that was interrupted may raise anything
        return INTERRUPTED, 128 + number
    if isinstance(error, PairloomError):
        return _with_option_names(error, args), error.exit_code
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


def _with_option_names(error: PairloomError, args: Namespace) -> str:
    """The message of an error, with `--min-count 5` in place of the library's `min_count=5`.

    Within a message, options of training are recognised if the command has them and the value is a plain one:
    `dim=5/a.txt` is a path. Without a value, names of several words are recognised: "leave out max_vocab". Not
    recognised are names in quotes or in paths, and those that have the option beside them: "as_text (--as-text)".
    """
    names = getattr(command(args.command), "OPTION_NAMES", {})
    known = {action.dest for action in args.parser._actions if action.option_strings} | names.keys()
    options = "|".join(field.name for field in fields(TrainConfig) if field.name in known) or "(?!)"
    setting = rf"(?<![\w'/.=-])({options})=(?=(?:\d[\d.e-]*|[a-z-]+)(?:[ ,;:)]|[.](?: |$)|$))"
    several_words = "|".join(sorted(name for name in known if "_" in name)) or "(?!)"
    bare = rf"(?<![\w'\"/.=-])({several_words})(?![\w'\"/=(-]|[.]\w| \(--)"
    pattern = rf"^(\w+)=|{setting}|{bare}" if isinstance(error, ConfigError) else rf"{setting}|{bare}"

    def option(match: re.Match[str]) -> str:
        found = next(filter(None, match.groups()))
        return f"{names.get(found, '--' + found.replace('_', '-'))}{' ' * match[0].endswith('=')}"

    return re.sub(pattern, option, str(error))


def _show_our_warnings() -> None:
    warnings.showwarning = _show_warning
    for category in (CheckpointWarning, CorpusWarning, IgnoredOptionWarning, VectorsWarning):
        warnings.simplefilter("always", category)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    if isinstance(message, IgnoredOptionWarning):  # --cbow-gradient undivided has no effect with --model skipgram
        message = re.sub(r"\b([a-z_]+)=", lambda name: f"--{name[1].replace('_', '-')} ", str(message))
    print_message(f"pairloom: warning: {message}")


def _accept_all_characters() -> None:
    """Print characters that the terminal's encoding lacks as escapes, and replace invalid bytes typed at it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
