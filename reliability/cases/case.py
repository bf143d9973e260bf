"""A case: what to run, in which folder, and how it must end."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pairloom.errors import InputError

Make = bytes | str | Callable[[Path], None]  # the content of a file, or a function that makes the file


class Case(NamedTuple):
    """One thing to try in a folder with the files of `folder.py` and those of `make`.

    A case that must fail leaves every file unchanged. On the command line it ends with `code`, one line on stderr that
    contains `says`, and nothing on stdout; in the library with `error`, whose message contains `says`.
    A case that must succeed (code 0) passes its result to `right`: what `call` returns, or the model in OUTPUT.
    """

    name: str
    argv: Sequence[str] | None = None  # the arguments of `pairloom`
    call: Callable[[], Any] | None = None  # the same through the library
    says: str | tuple[str, str] = ""  # part of the message; two, if the library's message differs
    code: int = 2
    error: type[BaseException] = InputError
    fault: int | None = None  # the number of the case in faults.md
    make: Mapping[str, Make] = {}
    right: Callable[[Any], object] | None = None  # raises or returns False if the result is wrong
    stdin: str = ""
    changes: tuple[str, ...] = ()  # files that the case itself changes
    long: bool = False  # too slow for the short form


OUTPUT = "new.loom"  # the file that a case with code 0 may write
