"""What a user sees on stderr: messages, and progress as a bar on a terminal or as a few lines elsewhere."""

import sys
from contextlib import suppress

from pairloom.system.progress_bar import shown_progress as progress

__all__ = ["print_message", "progress"]


def print_message(line: str) -> None:
    """Print a line for the user on stderr, apart from the output."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(line + "\n")
