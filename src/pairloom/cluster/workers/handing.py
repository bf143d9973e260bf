"""Parts of the contexts, handed from worker to worker on one machine: through a file that both have mapped.

Sent through a socket, a part would be copied into the system, out of it and to its seat. Here it is copied twice, and
the system has nothing to do. The file is in the folder of the copies (`copies.py`), which is memory unless the user
chose another one.
"""

from pathlib import Path

import numpy as np

from pairloom.cluster.workers.copies import MappedCopies
from pairloom.types import Matrix


class Handing:
    """How one of n workers hands over its parts.

    The part of step s is in slot s mod (n + 1). A worker is less than n steps ahead of the one that takes its parts:
    it would by then lack the part that has gone round all others. So a slot is written again only after it was read.
    """

    def __init__(self, worker: int, n_workers: int, mapped: MappedCopies) -> None:
        self._worker, self._slots, self._mapped = worker, n_workers + 1, mapped

    def put(self, folder: Path, step: int, part: Matrix) -> None:
        """Lay out a part. The other worker can take it when it is told so by a message."""
        path = _path(folder, self._worker)
        path.touch()
        if path.stat().st_size < self._slots * part.nbytes:
            with path.open("r+b") as file:
                file.truncate(self._slots * part.nbytes)
        self._slot(path, step, part)[...] = part

    def take(self, folder: Path, worker: int, step: int, seat: Matrix) -> None:
        """Fill a seat with the part that another worker has laid out."""
        seat[...] = self._slot(_path(folder, worker), step, seat)

    def _slot(self, path: Path, step: int, like: Matrix) -> Matrix:
        first = step % self._slots * like.size
        return np.asarray(self._mapped.content(path)[first : first + like.size].reshape(like.shape))


def _path(folder: Path, worker: int) -> Path:
    return folder / f"worker-{worker:04d}.parts"
