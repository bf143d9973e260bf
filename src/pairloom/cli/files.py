"""Files named on the command line: inputs, outputs, lists of words.

Modules of the corpus are imported inside functions: they load NumPy, which --help does not need.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pairloom.errors import InputError, OutputError
from pairloom.system.addresses import is_address


def input_paths(names: list[str]) -> str | list[str | Path]:
    """The files to read, as the library takes them. Several become paths: a list of strings could be a sentence."""
    if "" in names:
        raise InputError("The path of the corpus is empty. Give a file, a folder or - for standard input.")
    check_is_text(names)
    return names[0] if len(names) == 1 else [name if is_address(name) else Path(name) for name in names]


def check_is_text(names: list[str]) -> None:
    """Refuse a model where text is read. Its bytes would be reported as a wrong encoding."""
    for name in names:
        if name.endswith(".loom") and is_file(name):
            raise InputError(f"{name} is a model, not a text. If a model is needed, name it before all texts.")


def is_file(name: str) -> bool:
    """Whether there is a file of this name, which may be any string."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # too long for a path, or with a NUL
        return False


def check_not_read(output: str, *inputs: str | None) -> None:
    """Refuse to overwrite an input."""
    from pairloom.corpus.finding import check_not_read

    check_not_read(output, inputs)


def is_same_file(path: str, other: str) -> bool:
    """Whether two names, which may be links, stand for one file."""
    from pairloom.corpus.finding import would_overwrite

    return would_overwrite(path, [other])


@contextmanager
def closed_pipe_is_no_error() -> Iterator[None]:
    """For output to /dev/stdout, whose reader may close the pipe early."""
    try:
        yield
    except OutputError as error:
        if isinstance(error.__cause__, BrokenPipeError):
            raise error.__cause__ from None
        raise


def read_words(path: str | None) -> list[str]:
    """The words in a file, one per line. Without a file, none."""
    from pairloom.corpus.lists import numbered_lines, opened

    if path is None:
        return []
    with opened(path, "Give a UTF-8 file with one word per line.") as file:
        return [line.strip() for _, line in numbered_lines(file, path) if line.strip()]
