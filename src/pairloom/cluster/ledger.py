"""The log of a training on a cluster: which rounds were applied, what was lost, what was brought back. One JSON a line.

Every round is in it exactly once. If a training is resumed from a checkpoint, the rounds after the checkpoint come
again: their rows were lost with the workers, and `applied_rounds` counts only those that the vectors have.
"""

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from pairloom.cluster.rounds import RoundTask
from pairloom.system.files import output_errors
from pairloom.types import PathName


class Ledger:
    """Appends to the log, if there is one."""

    def __init__(self, path: PathName | None = None) -> None:
        self._path = None if path is None else Path(path)

    def begun(self, epoch: int, first_round: int, workers: int) -> None:
        """A training begins, or is resumed, with this round of this epoch."""
        self._write(event="begun", epoch=epoch, round=first_round, workers=workers)

    def applied(self, task: RoundTask, n_pairs: int, attempt: int) -> None:
        """All workers have trained a round."""
        place = {"epoch": task.draws, "round": task.a_round.number, "first_step": task.first}
        self._write(event="applied", **place, pairs=n_pairs, attempt=attempt)

    def lost(self, why: str, number: int) -> None:
        """A worker was lost in the round after share `number`."""
        self._write(event="lost", share=number, why=why)

    def restored(self, workers: Sequence[int], number: int) -> None:
        """These workers have got back share `number`."""
        self._write(event="restored", share=number, workers=list(workers))

    def _write(self, **entry: Any) -> None:
        if self._path is None:
            return
        line = json.dumps({"time": round(time.time(), 3), **entry}) + "\n"
        with output_errors(self._path), self._path.open("a+b") as file:
            if file.tell() and not _ends_a_line(file):
                file.write(b"\n")  # after the last line of a driver that was killed
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())


def _ends_a_line(file: BinaryIO) -> bool:
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def applied_rounds(path: PathName) -> list[tuple[int, int]]:
    """(epoch, number) of every round that is in the vectors, as often as it was applied, in order."""
    rounds: list[tuple[int, int]] = []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:  # the last line of a driver that was killed
            continue
        place = entry.get("epoch"), entry.get("round")
        if entry["event"] == "begun":
            rounds = [earlier for earlier in rounds if earlier < place]
        elif entry["event"] == "applied":
            rounds.append(place)
    return rounds
