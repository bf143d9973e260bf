"""Copies of workers' shares in a folder, for when a worker is lost. All machines must see the folder.

A copy is the rows of W and then those of C, as they are in memory. It has its name only when it is complete. Checksums
would take longer than writing it, and a copy is of no use for longer than a round.

If all workers are on one machine, they also read each other's rows from the copies when a round begins. A copy does not
change while the round after it is trained.
"""

from contextlib import suppress
from mmap import mmap
from pathlib import Path

import numpy as np

from pairloom.cluster.workers.share import SIDES, Share, Side
from pairloom.errors import InputError
from pairloom.system.files import output_errors
from pairloom.types import Matrix

MOST_MAPPED = 1024  # files: each worker writes to two in turn


def write_copy(folder: Path, share: Share) -> None:
    """Write a copy. The one before the last is overwritten: a file that has its pages already is written faster."""
    path, before = _path(folder, share.worker, share.number), _path(folder, share.worker, share.number - 2)
    unfinished = path.with_suffix(".part")
    with output_errors(path):
        with suppress(FileNotFoundError):
            before.rename(unfinished)
        with unfinished.open("r+b" if unfinished.exists() else "w+b") as file:
            for side in SIDES:
                file.write(share.rows(side).data)
            file.truncate()
        unfinished.rename(path)


def read_copy(folder: Path, share: Share) -> None:
    """Fill a share with the rows of its copy."""
    path, sizes = _path(folder, share.worker, share.number), [share.W.size, share.C.size]
    try:
        content = np.fromfile(path, np.float32)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}. Let all machines see its folder.") from None
    if content.size != sum(sizes):
        raise InputError(f"{path} does not have the rows of worker {share.worker}. Let no one else write there.")
    share.W[...], share.C[...] = content[: sizes[0]], content[sizes[0] :]


class MappedCopies:
    """Files in the folder of copies, mapped. A mapping is used again with its file: a new one takes half of a read."""

    def __init__(self) -> None:
        self._mapped: dict[int, Matrix] = {}  # by the number that the system gives to the file

    def rows_of(self, worker: int, folder: Path, like: Share) -> dict[Side, Matrix]:
        """The rows of another worker. like: the share of this worker after the same round."""
        path, places = _path(folder, worker, like.number), like.places
        sizes = places.words.size(worker), places.contexts.size(worker)
        content = self.content(path).reshape(-1, like.stride)
        return {"W": content[: sizes[0]], "C": content[sizes[0] : sum(sizes)]}

    def content(self, path: Path) -> Matrix:
        """All numbers of a file, as they are now."""
        found = path.stat()
        content = self._mapped.get(found.st_ino)
        if content is None or content.nbytes < found.st_size:
            if len(self._mapped) == MOST_MAPPED:
                self._mapped.clear()
            # Writable, though nothing is written: a kernel would be compiled once more for an array that is not.
            with path.open("r+b") as file:
                content = self._mapped[found.st_ino] = np.frombuffer(mmap(file.fileno(), 0), np.float32)
        return content


def _path(folder: Path, worker: int, number: int) -> Path:
    return folder / f"worker-{worker:04d}-{number:08d}.share"
