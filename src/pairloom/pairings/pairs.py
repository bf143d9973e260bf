"""`Pairs`: what the functions of this folder return. They can be read again, and saved to a file."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypedDict

from pairloom.config import Errors
from pairloom.errors import CorpusTypeError, InputError
from pairloom.system.display import of_type
from pairloom.system.files import check_folder, output_errors, packed_write
from pairloom.types import PathName

Pair = tuple[str, str] | tuple[str, str, float]  # w, c, and the weight if there is one

_AT_ONCE = 1 << 13  # lines


class ReadingKeywords(TypedDict, total=False):
    """How to read files of baskets, edges or parses: fields of `TextOptions`, as keyword arguments."""

    lowercase: bool
    encoding: str
    errors: Errors


class Pairs:
    """Pairs (w, c) or (w, c, weight). Each iteration reads the source again, so they take no memory."""

    def __init__(self, name: str, make: Callable[[], Iterator[Pair]]) -> None:
        self.name = name  # of the source, for messages
        self._make = make

    def __iter__(self) -> Iterator[Pair]:
        return self._make()

    def save(self, path: PathName) -> int:
        """Write one line for each pair, compressed if the name ends in .gz. Returns the number of pairs.

        If writing fails, no file is left behind, and a file of this name stays as it was.
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
        """The lines of the file, many at a time. No pairs at all is an error."""
        pairs = iter(self)
        n = 0
        while lines := [_line(pair) for pair in islice(pairs, _AT_ONCE)]:
            n += len(lines)
            yield lines
        if n == 0:
            raise InputError(f"{self.name} has no pairs. Check that this is the right file.")


def _line(pair: Pair) -> str:
    w, c, *weight = pair
    line = f"{w} {c} {repr(weight[0]).removesuffix('.0')}\n" if weight else f"{w} {c}\n"
    if len(line.split()) != len(pair):
        raise InputError(
            f"The pair {w!r}, {c!r} has white space in a name, and white space separates the columns of a file. "
            "Replace it, for example by _."
        )
    return line


def check_readable_again(source: object) -> None:
    """Refuse iterators, which can be read only once."""
    if isinstance(source, Iterable) and iter(source) is iter(source):
        raise CorpusTypeError(
            f"{of_type(source, 'A')} can be read only once, and pairs are read again for every use. "
            "Give a path, a list, or an object whose __iter__ starts from the beginning each time."
        )
