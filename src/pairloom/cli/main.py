"""The command line: what is the same for every command, above all how it ends.

Exit codes: 0 done, 2 bad input or option, 3 diverged, 4 corpus changed, 5 cannot write, 6 locked, 130 interrupted.
"""

import io
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Sequence
from typing import Any

from pairloom.cli.arguments import parse, say
from pairloom.cli.commands import command
from pairloom.errors import CheckpointWarning, ConfigError, CorpusWarning, PairloomError, VectorsWarning


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; gives the exit code."""
    warnings.showwarning = _show_warning
    for category in (CheckpointWarning, CorpusWarning, VectorsWarning):
        warnings.simplefilter("always", category)
    for name in ("SIGTERM", "SIGHUP"):  # by which schedulers and closed terminals end programs: clean up as for Ctrl-C
        number = getattr(signal, name, None)
        if number and threading.current_thread() is threading.main_thread() and not is_ignored(number):
            signal.signal(number, _interrupt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that knows fewer letters than the vocabulary
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    args = parse(sys.argv[1:] if argv is None else argv)
    try:
        command(args.command).run(args)
        if sys.stdout is not None:
            sys.stdout.flush()
    except PairloomError as error:
        say(f"pairloom {args.command}: {_as_typed(error, args.command)}")
        return error.exit_code
    except KeyboardInterrupt as interrupt:
        say(f"pairloom {args.command}: interrupted; no output was saved.")
        return 128 + (interrupt.args[0] if interrupt.args else signal.SIGINT)
    except MemoryError:
        say(f"pairloom {args.command}: there is not enough memory for this. Free some, or ask for less at once.")
        return 2
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python would try again on its way out
        if isinstance(error, BrokenPipeError):  # the reader of our output has seen enough, as `head` does
            return 0
        say(f"pairloom {args.command}: the output could not be written: {error.strerror}. Send it elsewhere.")
        return 5
    return 0


def is_ignored(number: int) -> bool:
    """As `nohup` has it for SIGHUP, and a shell for the SIGINT of what runs in the background."""
    return signal.getsignal(number) is signal.SIG_IGN


def _interrupt(number: int, _: object) -> None:
    raise KeyboardInterrupt(number)


def _as_typed(error: PairloomError, name: str) -> str:
    """The library speaks of min_count=0, the command line of --min-count 0, or of what the command calls it."""
    if not isinstance(error, ConfigError):
        return str(error)
    typed = getattr(command(name), "TYPED", {})
    return re.sub(r"^(\w+)=", lambda m: f"{typed.get(m[1], '--' + m[1].replace('_', '-'))} ", str(error))


def _show_warning(message: Warning | str, *details: Any, **_: Any) -> None:
    say(f"pairloom: warning: {message}")
