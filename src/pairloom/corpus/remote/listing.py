"""Which files a folder or a glob on an object store stands for, by the same rules as on a local disk."""

import glob
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from pairloom.corpus.remote.stores import Location, failure
from pairloom.errors import InputError


class RemoteFile(NamedTuple):
    """A file on a store."""

    location: Location
    size: int | None  # None if not known before it is read


async def files_at(location: Location, suffixes: tuple[str, ...]) -> list[RemoteFile]:
    """The files that an address stands for, sorted by the parts of their paths. Of a folder, those with a suffix."""
    if not location.has_listing:
        _check_not_glob(location)
        return [RemoteFile(location, None)]
    if glob.has_magic(location.path):
        return await _matches(location)
    try:
        return await _file(location) or await _files_below(location, suffixes)
    except InputError:
        raise
    except Exception as error:
        raise failure(error, location) from None


def _check_not_glob(location: Location) -> None:
    if glob.has_magic(location.name):  # without the question mark, which begins the query of an address
        raise InputError(f"{location.name}: web servers do not list their files. Give the address of each file.")


async def _file(location: Location) -> list[RemoteFile]:
    """The file of exactly this name, if there is one."""
    import obstore

    if not location.path or location.path.endswith("/"):
        return []
    try:
        meta = await obstore.head_async(location.store, location.path)
    except FileNotFoundError:
        return []
    return [RemoteFile(location, meta["size"])]


async def _files_below(location: Location, suffixes: tuple[str, ...]) -> list[RemoteFile]:
    """The files with these suffixes in a folder and its subfolders, without hidden ones."""
    prefix = [part for part in location.path.split("/") if part]
    below = await _listed(location, "/".join(prefix))
    if not below:
        raise InputError(f"{location.name} does not exist. Check the address of the corpus.")
    found = [
        file
        for file in below
        if file.location.path.lower().endswith(suffixes) and not any(map(_is_hidden, _parts(file)[len(prefix) :]))
    ]
    if not found:
        raise InputError(
            f"The folder {location.name} has no files that end in {', '.join(suffixes)}, and only these are read from "
            "a folder. Give other files by name or by a glob."
        )
    return found


async def _matches(location: Location) -> list[RemoteFile]:
    pattern = location.path.split("/")
    plain = next(i for i, part in enumerate(pattern) if glob.has_magic(part))
    try:
        listed = await _listed(location, "/".join(pattern[:plain]))
    except Exception as error:
        raise failure(error, location) from None
    exact = [file for file in listed if file.location.path == location.path]  # names may have brackets
    found = exact or [file for file in listed if matches(_parts(file), pattern)]
    if not found:
        raise InputError(f"No file matches {location.name}. Check the pattern.")
    return found


async def _listed(location: Location, prefix: str) -> list[RemoteFile]:
    """All files below a prefix, in order. Entries of no bytes that end in a slash are folders of web consoles."""
    import obstore

    root = location.address.partition("://")[0] + "://" + location.address.partition("://")[2].partition("/")[0]
    entries = await obstore.list(location.store, prefix or None).collect_async()
    files = [
        RemoteFile(location._replace(address=f"{root}/{entry['path']}", path=entry["path"]), entry["size"])
        for entry in entries
    ]
    return sorted(files, key=_parts)


def _parts(file: RemoteFile) -> list[str]:
    return file.location.path.split("/")


def _is_hidden(part: str) -> bool:
    return part.startswith(".")


def matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether a path matches a pattern, part by part. `**` is any number of parts; hidden names need a dot.

    >>> matches(["a", "b", "c.txt"], ["a", "*", "*.txt"]), matches(["a", "c.txt"], ["**", "*.txt"])
    (True, True)
    >>> matches(["a", "b", "c.txt"], ["a", "*.txt"]), matches([".c.txt"], ["*.txt"])
    (False, False)
    """
    if not pattern:
        return not parts
    if pattern[0] == "**":
        here = matches(parts, pattern[1:])
        return here or (bool(parts) and not _is_hidden(parts[0]) and matches(parts[1:], pattern))
    if not parts or (_is_hidden(parts[0]) and not _is_hidden(pattern[0])):
        return False
    return fnmatchcase(parts[0], pattern[0]) and matches(parts[1:], pattern[1:])
