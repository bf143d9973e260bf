"""Tables on stdout: with rules on a terminal, plain columns elsewhere."""

import sys
from collections.abc import Sequence


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns, each as wide as its widest cell."""
    if sys.stdout is not None and sys.stdout.isatty():
        _print_rich(heads, rows)
    else:
        _print_plain([heads, *rows])


def _print_plain(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _print_rich(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for head in heads:
        table.add_column(Text(head), overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))  # as Text: rich would read [0.6, 0.7] as markup
    Console().print(table)
