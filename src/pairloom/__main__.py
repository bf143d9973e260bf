"""The commands `pairloom` and `python -m pairloom`."""

import sys

from pairloom.cli.signals import INTERRUPTED, interrupt_on_signals, taken_interrupt


def main() -> int:
    """Run the command that was typed. Returns the exit code.

    Signals have their handler before the rest is imported, which takes most of the time of a short command.
    """
    with interrupt_on_signals(then_ignore=True):
        try:
            from pairloom.cli.main import main

            return main()
        except BaseException:
            number = taken_interrupt()
            if number is None:
                raise
            from pairloom.cli.console import print_message

            print_message(f"pairloom: {INTERRUPTED}")
            return 128 + number


if __name__ == "__main__":
    sys.exit(main())
