"""One run for each output: a second one that would write the same is refused before it has trained for hours.

The lock is flock's on a small file beside the output, so it goes with its process, also if that is killed; then only
the file stays, which nobody holds, until the next run. It is removed while it is still locked, and whoever has opened
it in that moment finds out, since the lock that he then gets is on a file without that name.

(The package filelock has no such last step, so on Unix its files stay for good, and it does not know the holder.)
"""

import hashlib
import os
import platform
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pairloom.errors import LockedError
from pairloom.system import temporary
from pairloom.system.files import output_errors, target_of
from pairloom.system.temporary import is_at, try_lock

_LONGEST_NAME = 143  # bytes, in the least filesystem that people have (eCryptfs); most have 255
_HOLDER = re.compile(r"(\d{1,10}) ([\w.-]{1,255})")
_OPEN = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)

_claimed: set[Path] = set()  # by this process, for systems whose locks are only seen by others, or that have none
_guard = threading.Lock()


@contextmanager
def claim(path: str | os.PathLike[str]) -> Iterator[None]:
    """Have `path`, a file or a folder to be written, for oneself; a LockedError says at once who else has it.

    Links to one file are one claim. Pipes and devices need none. Where the system (Windows) or the filesystem has no
    flock, other processes are not seen, only claims of this one.
    """
    with output_errors(path):
        target = target_of(path)
    if target is None:
        yield
        return
    with _claimed_here(target, path):
        lock = _lock_path(target)
        with output_errors(path):
            descriptor = _acquired(lock, path)
        try:
            yield
        finally:
            if descriptor is not None:
                _release(lock, descriptor)


@contextmanager
def _claimed_here(target: Path, path: str | os.PathLike[str]) -> Iterator[None]:
    with _guard:
        if target in _claimed:
            raise _refusal(path, f"this very process ({os.getpid()})")
        _claimed.add(target)
    try:
        yield
    finally:
        with _guard:
            _claimed.discard(target)


def _lock_path(target: Path) -> Path:
    """Beside the output and named after it, so that a filesystem for which names are equal thinks so of these too."""
    name = f".pairloom-{target.name}.lock"
    if len(os.fsencode(name)) > _LONGEST_NAME:
        name = f".pairloom-{hashlib.sha256(os.fsencode(target.name)).hexdigest()}.lock"
    return target.with_name(name)


def _acquired(lock: Path, path: str | os.PathLike[str]) -> int | None:
    """A descriptor that holds the lock; None where there are no locks."""
    if not temporary.HAS_LOCKS:
        return None
    while True:
        descriptor = _opened(lock, path)
        try:
            locked = try_lock(descriptor)
            if locked is False:
                raise _refusal(path, _holder(descriptor))
            if locked is None or is_at(lock, descriptor):
                _sign(descriptor)
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # its holder ended just now, and removed it


def _opened(lock: Path, path: str | os.PathLike[str]) -> int:
    try:
        return os.open(lock, _OPEN, 0o666)
    except PermissionError:
        if not lock.exists():
            raise
        raise LockedError(
            f"{os.fspath(path)} is about to be written by somebody else, who has locked {lock}. Wait until that has "
            "ended, or choose another output; if no such run is left, have that file removed."
        ) from None


def _sign(descriptor: int) -> None:
    """Say who has it. A full disk does not matter here: the lock is held without a name, too."""
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()} {platform.node()}".encode())


def _holder(descriptor: int) -> str:
    signed = _HOLDER.fullmatch(os.read(descriptor, 300).decode(errors="replace"))
    if signed is None:
        return "another process"
    return f"process {signed[1]}" + ("" if signed[2] == platform.node() else f" on {signed[2]}")


def _refusal(path: str | os.PathLike[str], holder: str) -> LockedError:
    return LockedError(
        f"{os.fspath(path)} is about to be written by {holder}. Wait until that has ended, stop it, or choose another "
        "output."
    )


def _release(lock: Path, descriptor: int) -> None:
    """Remove the file first: once it is closed, it may be another's."""
    with suppress(OSError):
        if is_at(lock, descriptor):
            lock.unlink()
    os.close(descriptor)
