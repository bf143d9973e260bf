"""Pairs that can be read again, and a file of them."""

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from pairloom.errors import CorpusTypeError, InputError
from pairloom.system.files import check_folder, output_errors, packed_write

Pair = tuple[str, str] | tuple[str, str, float]  # w, c, and the weight if there is one

_AT_ONCE = 1 << 13  # lines


class Pairs:
    """Pairs (w, c) or (w, c, weight), made anew each time they are iterated."""

    def __init__(self, name: str, make: Callable[[], Iterator[Pair]]) -> None:
        self.name = name  # of what they are made of, for messages
        self._make = make

    def __iter__(self) -> Iterator[Pair]:
        return self._make()

    def save(self, path: str | os.PathLike[str]) -> int:
        """Write them, a line each; the file appears whole or not at all, packed if its name ends in .gz.

        Gives their number.
        """
        check_folder(path)
        n = 0
        with packed_write(path) as file:
            for lines in self.lines():
                n += len(lines)
                with output_errors(path):
                    file.write("".join(lines).encode())
        return n

    def lines(self) -> Iterator[list[str]]:
        """Many lines at a time. None at all is an error."""
        pairs = iter(self)
        n = 0
        while lines := [_line(pair) for pair in islice(pairs, _AT_ONCE)]:
            n += len(lines)
            yield lines
        if n == 0:
            raise InputError(f"{self.name} gives no pairs. Check that this is the file that was meant.")


def _line(pair: Pair) -> str:
    w, c, *weight = pair
    line = f"{w} {c} {repr(weight[0]).removesuffix('.0')}\n" if weight else f"{w} {c}\n"
    if len(line.split()) != len(pair):
        raise InputError(
            f"The pair {w!r}, {c!r} has white space in it, which parts columns in a file. Use other names."
        )
    return line


def check_readable_again(source: Any) -> None:
    """Refuse what can be iterated only once."""
    if isinstance(source, Iterable) and iter(source) is iter(source):
        raise CorpusTypeError(
            f"A {type(source).__name__} can be read only once, and these pairs can be read again. "
            "Give a path, a list, or an object whose __iter__ starts anew each time."
        )
