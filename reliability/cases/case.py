"""What a case is: what is asked, in what folder, and how it has to end."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pairloom.errors import InputError

Make = bytes | str | Callable[[Path], None]  # the content of a file, or what makes it


class Case(NamedTuple):
    """One thing to try in a folder that has the files of `folder.py`, and some of its own.

    A case that must fail ends, on the command line, with its exit code, one line on stderr that holds `says`, nothing
    on stdout, and every file as it was; in the library, with its exception, and every file as it was.
    A case that must succeed (code 0) hands what was made to `right`: what `call` gives, or what OUTPUT holds.
    """

    name: str
    argv: Sequence[str] | None = None  # what is typed after `pairloom`
    call: Callable[[], Any] | None = None  # the same, asked of the library
    says: str | tuple[str, str] = ""  # a piece of the message; two, if the library speaks of it otherwise
    code: int = 2
    error: type[BaseException] = InputError
    fault: int | None = None  # the number of the case in faults.md
    make: Mapping[str, Make] = {}
    right: Callable[[Any], object] | None = None  # raises or gives False if what was made is wrong
    stdin: str = ""
    changes: tuple[str, ...] = ()  # files that the case itself changes
    long: bool = False  # too slow for the short form


OUTPUT = "new.loom"  # what a case that must succeed may write
