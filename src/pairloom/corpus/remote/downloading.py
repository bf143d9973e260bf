"""Copy files of object stores and web servers to temporary files.

obstore repeats requests that fail, and resumes a download that breaks off if the server's ETag shows that the file is
still the same. If it cannot, because there is no ETag or because it changed, the file is fetched again from the start.
A copy is used only if it has all bytes that the server promised.
"""

import asyncio
import hashlib
import logging
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pairloom.corpus.remote.listing import RemoteFile, files_at
from pairloom.corpus.remote.stores import Location, failure, located
from pairloom.errors import CorpusChangedError, OutputError
from pairloom.system.display import format_bytes
from pairloom.system.files import output_errors

_log = logging.getLogger(__name__)
Item = TypeVar("Item")
Result = TypeVar("Result")

AT_ONCE = 4  # downloads at the same time: enough for many small files
FROM_THE_START = 3  # downloads of one file before giving up
BLOCK_BYTES = 1 << 20


class Copy(NamedTuple):
    """A file that was copied to this machine."""

    path: Path
    name: str  # its address, without secrets
    digest: str  # SHA-256 of its bytes


def find_remote(addresses: Sequence[str], suffixes: tuple[str, ...]) -> list[list[RemoteFile]]:
    """The files that each address stands for. Of a folder, those that end in one of the suffixes."""
    locations = [located(address) for address in addresses]
    return _for_each(locations, lambda location: files_at(location, suffixes))


def download(files: Sequence[RemoteFile]) -> list[Copy]:
    """Copy files to temporary files, which the caller removes. If one cannot be read, none is left."""
    _check_space(sum(file.size or 0 for file in files), ", ".join(file.location.name for file in files[:3]))
    copies: list[Copy] = []

    async def copied(file: RemoteFile) -> Copy:
        copies.append(copy := await _copied(file.location))
        return copy

    try:
        return _for_each(files, copied)
    except BaseException:
        for copy in copies:
            copy.path.unlink(missing_ok=True)
        raise


def _for_each(items: Sequence[Item], work: Callable[[Item], Coroutine[Any, Any, Result]]) -> list[Result]:
    """The results for all items, AT_ONCE at a time. The first error ends the others.

    Another thread runs the loop, so that Ctrl-C is heard at once and notebooks, which run a loop too, can call this.
    """
    if not items:
        return []
    loop = asyncio.new_event_loop()
    task = loop.create_task(_all_of(items, work))

    over = threading.Event()  # Thread.join() of Python 3.11 takes a thread for ended when a signal interrupts it

    def run() -> None:
        with suppress(BaseException):  # the task keeps it
            loop.run_until_complete(task)
        loop.close()
        over.set()

    threading.Thread(target=run, name="pairloom-download", daemon=True).start()
    try:
        over.wait()
    except BaseException:
        with suppress(RuntimeError):  # the loop is closed already
            loop.call_soon_threadsafe(task.cancel)
        over.wait()
        raise
    return task.result()


async def _all_of(items: Sequence[Item], work: Callable[[Item], Coroutine[Any, Any, Result]]) -> list[Result]:
    turns = asyncio.Semaphore(AT_ONCE)

    async def in_turn(item: Item) -> Result:
        async with turns:
            return await work(item)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(in_turn(item)) for item in items]
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return [task.result() for task in tasks]


async def _copied(location: Location) -> Copy:
    """Download one file, from the start again if it breaks off and cannot be resumed."""
    with output_errors(tempfile.gettempdir()):
        descriptor, name = tempfile.mkstemp(prefix="pairloom-", suffix=".spool")
    path = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            digest = await _download(location, file)
    except BaseException:
        path.unlink()
        raise
    return Copy(path, location.name, digest)


async def _download(location: Location, file: Any) -> str:
    """Write the bytes of a file. Returns their SHA-256."""
    tags: list[object] = []
    for attempt in range(FROM_THE_START):
        try:
            return await _one_attempt(location, file, tags)
        except _Broken as broken:
            _log.info("%s: the download broke off (attempt %d)", location.name, attempt + 1)
            error = broken
    if len({*tags}) == len(tags) and tags[0] is not None:
        raise CorpusChangedError(
            f"{location.name} changed while it was downloaded, {len(tags)} times. "
            "Start again when nothing writes to it."
        )
    raise failure(error.cause, location)


class _Broken(Exception):
    """A download ended too early."""

    def __init__(self, cause: Exception) -> None:
        self.cause = cause


async def _one_attempt(location: Location, file: Any, tags: list[object]) -> str:
    import obstore

    try:
        answer = await obstore.get_async(location.store, location.path)
    except Exception as error:
        raise failure(error, location) from None
    size: int = answer.meta["size"]
    tags.append(answer.meta["e_tag"])
    _check_space(size, location.name)
    _log.info("downloading %s, %s", location.name, format_bytes(size))
    digest, n_bytes = hashlib.sha256(), 0
    file.seek(0)
    file.truncate()
    stream = answer.stream(min_chunk_size=BLOCK_BYTES)
    while True:
        try:
            data = await anext(stream, b"")
        except Exception as error:
            raise _Broken(error) from None
        if not data:
            break
        digest.update(data)
        n_bytes += len(data)
        with output_errors(tempfile.gettempdir()):
            file.write(data)
    with output_errors(tempfile.gettempdir()):
        file.flush()
    if n_bytes != size:
        raise _Broken(ValueError(f"kind: Interrupted, {n_bytes} of {size} bytes"))
    return digest.hexdigest()


def _check_space(n_bytes: int, name: str) -> None:
    """Refuse a download that the disk has no room for, before it begins."""
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    if n_bytes > free:
        raise OutputError(
            f"{name}: a copy takes {format_bytes(n_bytes)}, and {folder} has {format_bytes(free)} of free space. "
            "Set TMPDIR to a folder with more."
        )
