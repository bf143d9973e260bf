"""One run per output: a second run that would write the same file is refused at once, not after hours of training.

The lock is a flock on a small file beside the output. The system releases it when the process ends, even if it is
killed; then the file stays, without a lock, until the next run. Normally the process removes the file before it
releases the lock. Another process may have opened the file in that moment. It then gets a lock on a file without a
name, notices that, and tries again.

(The package filelock never removes its files on Unix, and cannot say which process holds a lock.)
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

_LONGEST_NAME = 143  # bytes: the shortest limit in common use (eCryptfs); most filesystems allow 255
_HOLDER = re.compile(r"(\d{1,10}) ([\w.-]{1,255})")
_OPEN_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)

# Claims of this process. Some systems show locks to other processes only, and some have no locks.
_claimed: set[Path] = set()
_guard = threading.Lock()


@contextmanager
def claim(path: str | os.PathLike[str]) -> Iterator[None]:
    """Reserve `path`, a file or folder that will be written. A LockedError names the process that has reserved it.

    All links to a file share one claim. Pipes and devices need no claim. Without flock (on Windows and some
    filesystems) only claims of the same process are noticed.
    """
    with output_errors(path):
        target = target_of(path)
    if target is None:
        yield
        return
    with _claimed_in_process(target, path):
        lock = _lock_path(target)
        with output_errors(path):
            descriptor = _acquire(lock, path)
        try:
            yield
        finally:
            if descriptor is not None:
                _release(lock, descriptor)


@contextmanager
def _claimed_in_process(target: Path, path: str | os.PathLike[str]) -> Iterator[None]:
    with _guard:
        if target in _claimed:
            raise _refusal(path, f"this process ({os.getpid()})")
        _claimed.add(target)
    try:
        yield
    finally:
        with _guard:
            _claimed.discard(target)


def _lock_path(target: Path) -> Path:
    """A file beside the output, named after it. If the filesystem ignores case, it does so for both names."""
    name = f".pairloom-{target.name}.lock"
    if len(os.fsencode(name)) > _LONGEST_NAME:
        name = f".pairloom-{hashlib.sha256(os.fsencode(target.name)).hexdigest()}.lock"
    return target.with_name(name)


def _acquire(lock: Path, path: str | os.PathLike[str]) -> int | None:
    """Take the lock. Returns the descriptor that holds it, or None if the system has no locks."""
    if not temporary.HAS_LOCKS:
        return None
    while True:
        descriptor = _open(lock, path)
        try:
            locked = try_lock(descriptor)
            if locked is False:
                raise _refusal(path, _read_holder(descriptor))
            if locked is None or is_at(lock, descriptor):
                _write_holder(descriptor)
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # the previous holder has just removed the file: try again


def _open(lock: Path, path: str | os.PathLike[str]) -> int:
    try:
        return os.open(lock, _OPEN_FLAGS, 0o666)
    except PermissionError:
        if not lock.exists():
            raise
        raise LockedError(
            f"{os.fspath(path)} is already the output of another user's run, which has locked {lock}. Wait until "
            "it has ended, or choose another output. If no such run is left, have that file removed."
        ) from None


def _write_holder(descriptor: int) -> None:
    """Write process and host into the file. If the disk is full, the lock holds without them."""
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()} {platform.node()}".encode())


def _read_holder(descriptor: int) -> str:
    holder = _HOLDER.fullmatch(os.read(descriptor, 300).decode(errors="replace"))
    if holder is None:
        return "another process"
    return f"process {holder[1]}" + ("" if holder[2] == platform.node() else f" on {holder[2]}")


def _refusal(path: str | os.PathLike[str], holder: str) -> LockedError:
    return LockedError(
        f"{os.fspath(path)} is already the output of {holder}. Wait until it has ended, stop it, "
        "or choose another output."
    )


def _release(lock: Path, descriptor: int) -> None:
    """Remove the file first: as soon as it is closed, another process may lock it."""
    with suppress(OSError):
        if is_at(lock, descriptor):
            lock.unlink()
    os.close(descriptor)
