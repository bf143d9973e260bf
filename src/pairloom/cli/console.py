"""What a user sees on stderr: messages, and progress as a bar on a terminal or as a few lines elsewhere."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from pairloom.system.progress_bar import shown_progress as progress

__all__ = ["is_conversation", "print_message", "progress", "shown_log", "typed_lines"]


def print_message(line: str) -> None:
    """Print a line for the user on stderr, apart from the output."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(line + "\n")


def is_conversation() -> bool:
    """Whether a person types at a terminal and reads the answers there."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def typed_lines(prompt: str) -> Iterator[str]:
    """The lines that a person types, until Ctrl-D. Arrow keys edit them and bring earlier ones back."""
    with suppress(ImportError):  # Windows has no readline, but a console that does the same
        import readline  # noqa: F401  (input() uses it once it is imported)
    while True:
        try:
            yield input(prompt)
        except EOFError:
            print()  # the shell's own prompt begins on a new line
            return


class _ToStderr(logging.Handler):
    """Prints the log by `print_message`, which finds the stderr of the moment: a bar puts lines above itself."""

    def emit(self, record: logging.LogRecord) -> None:
        print_message(self.format(record))


@contextmanager
def shown_log(verbosity: int) -> Iterator[None]:
    """Print the log of the library while the body runs: 1 for what is done, 2 for every detail and where it is from."""
    if not verbosity:
        yield
        return
    log, handler = logging.getLogger("pairloom"), _ToStderr()
    handler.setFormatter(logging.Formatter("%(message)s" if verbosity == 1 else "%(name)s: %(message)s"))
    before = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO if verbosity == 1 else logging.DEBUG)
    try:
        yield
    finally:
        log.setLevel(before)
        log.removeHandler(handler)
