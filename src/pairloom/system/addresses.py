"""Addresses of files elsewhere: which strings are addresses, and how they are shown without their secrets.

An address may hold a password (https://name:password@host/) or a signature (https://host/file?X-Amz-Signature=...).
Messages, logs and files get `shown(address)`, which has neither.
"""

import os
import re
from typing import TYPE_CHECKING

from pairloom.errors import InputError
from pairloom.system.display import quoted

if TYPE_CHECKING:
    from pairloom.types import PathName  # which would load NumPy

SCHEMES = ("s3", "gs", "https", "http")

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)  # two letters at least: C:// is a drive
_PATH_OF_ADDRESS = re.compile(rf"({'|'.join(SCHEMES)}):[/\\](?![/\\])", re.IGNORECASE)


def is_address(source: object) -> bool:
    """Whether this is a string like https://host/file, of any scheme.

    >>> is_address("s3://bucket/a.txt"), is_address("C://a.txt"), is_address("a.txt")
    (True, False, False)
    """
    return isinstance(source, str) and _ADDRESS.match(source) is not None


def is_path_of_address(source: str) -> bool:
    """Whether this was an address before `Path` merged its two slashes."""
    return _PATH_OF_ADDRESS.match(source) is not None


def scheme_of(address: str) -> str:
    """The part before ://, in lower case."""
    return address.partition("://")[0].lower()


def user_of(address: str) -> str:
    """The name and password before the host; empty if there is none."""
    return _host_and_path(address)[0].rpartition("@")[0]


def shown(source: "PathName") -> str:
    """A path as it is; an address without password and, on the web, without what follows a question mark.

    >>> shown("https://me:secret@host/a.txt?signature=1"), shown("s3://bucket/what?.txt"), shown("a.txt")
    ('https://host/a.txt', 's3://bucket/what?.txt', 'a.txt')
    """
    name = os.fspath(source)
    if not is_address(name):
        return name
    host, path = _host_and_path(name)
    host = host.rpartition("@")[2]
    return f"{name.partition('://')[0]}://{host}{path if scheme_of(name) in ('s3', 'gs') else _without_query(path)}"


def has_secret(source: str) -> bool:
    """Whether `shown` leaves something out."""
    return shown(source) != source


def refuse_address(path: "PathName", what: str) -> None:
    """Refuse an address where only a local file will do. `what` names the file: "The model"."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{what} is {quoted(path)}, not a path. Give a string or a pathlib.Path.")
    name = os.fspath(path)
    if is_address(name) or is_path_of_address(name):
        raise InputError(
            f"{what} must be a file on this machine, and {shown(name)} is an address. Give the path of a local file."
        )


def _host_and_path(address: str) -> tuple[str, str]:
    """What is before and after the first slash, if one follows the host. (A question mark may follow it too.)"""
    rest = address.partition("://")[2]
    ends = "/" if scheme_of(address) in ("s3", "gs") else "/?#"
    end = next((i for i, character in enumerate(rest) if character in ends), len(rest))
    return rest[:end], rest[end:]


def _without_query(path: str) -> str:
    return re.split(r"[?#]", path, maxsplit=1)[0]
