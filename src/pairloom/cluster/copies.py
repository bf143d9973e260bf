"""Copies of workers' shares in a folder, for when a worker is lost. The folder must be seen by all machines."""

from contextlib import suppress
from pathlib import Path

from pairloom.cluster.share import Side
from pairloom.errors import Fault
from pairloom.system.tensors import Layout, mapped, read, write
from pairloom.types import Matrix

_KIND = Layout(
    "pairloom-share",
    1,
    {"W": ("F32",), "C": ("F32",)},
    matrices=frozenset({"W", "C"}),
)


def write_copy(folder: Path, worker: int, number: int, rows: dict[Side, Matrix]) -> None:
    """Write a copy, whole or not at all, and remove those that are older than the one before it."""
    write(_path(folder, worker, number), _KIND, {"W": rows["W"], "C": rows["C"]}, {})
    with suppress(OSError):  # one too many does no harm
        _path(folder, worker, number - 2).unlink(missing_ok=True)


def read_copy(folder: Path, worker: int, number: int) -> dict[Side, Matrix]:
    """Read a copy, memory-mapped."""
    path = _path(folder, worker, number)
    try:
        tensors, _ = read(mapped(path), _KIND)
    except Fault as fault:
        raise Fault(f"{path} cannot be read: {fault}") from None
    return {"W": tensors["W"], "C": tensors["C"]}


def _path(folder: Path, worker: int, number: int) -> Path:
    return folder / f"worker-{worker:04d}-{number:08d}.share"
