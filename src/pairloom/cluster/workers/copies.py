"""Copies of workers' shares in a folder, for when a worker is lost. All machines must see the folder.

A copy is the rows of W and then those of C, as they are in memory. It has its name only when it is complete. Checksums
would take longer than writing it, and a copy is of no use for longer than a round.
"""

from contextlib import suppress
from pathlib import Path

import numpy as np

from pairloom.cluster.workers.share import SIDES, Share
from pairloom.errors import InputError
from pairloom.system.files import output_errors


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


def _path(folder: Path, worker: int, number: int) -> Path:
    return folder / f"worker-{worker:04d}-{number:08d}.share"
