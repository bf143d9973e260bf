"""Checkpoints: all that an interrupted training needs to go on, in a folder that keeps the last two.

    <folder>/command.json         the command, if the training was begun on the command line
             000007.checkpoint    the matrices and how far they are, with checksums, in the layout of `system.tensors`
             000008.checkpoint

Each is written whole or not at all. If the newest is damaged, training goes on from the one before. Draws depend on
positions alone, so there is no generator state to keep, and the final file has the same bytes however often the
training was interrupted.
"""

import logging
import os
import re
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from pairloom.drawing.notebook import card
from pairloom.errors import CheckpointWarning, ConfigError, Fault, InputError, OutputError
from pairloom.system.display import of_type
from pairloom.system.files import atomic_write, check_space, output_errors
from pairloom.system.locks import claim
from pairloom.system.tensors import Layout, Tensors, mapped, read, write
from pairloom.types import PathName

_log = logging.getLogger(__name__)
KEPT = 2
COMMAND = "command.json"
_SIDES = ("W", "C", "squares_W", "squares_C", "best_W", "best_C")
_KIND = Layout(
    "pairloom-checkpoint",
    1,
    dict.fromkeys(_SIDES, ("F32",)),
    optional=frozenset(_SIDES[2:]),
    matrices=frozenset(_SIDES),
)
_SECONDS = {"s": 1, "m": 60, "h": 3600}


class State(NamedTuple):
    """The content of a checkpoint: arrays, how far the training is, and which training it is."""

    arrays: Tensors
    place: dict[str, Any]
    identity: dict[str, Any]


class Checkpoints:
    """The checkpoints of one training.

    folder   where they are; made if it does not exist
    every    how often one is written: a time like "90s", "5m" or "1h", a number of words (or pairs) like 20_000_000,
             or "epoch"
    resume   go on from the newest one in the folder. Without it, a folder that has checkpoints is refused
    command  how the training was begun, kept for `pairloom train --resume`
    """

    def __init__(
        self, folder: PathName, every: str | int = "5m", resume: bool = False, command: bytes | None = None
    ) -> None:
        self.folder, self.resume, self._command = Path(folder), resume, command
        self._interval, self._every = every, Every.of(every)
        self._damaged: list[Path] = []
        self._since, self.position = time.monotonic(), 0  # when the last one was written
        self.running = self.stop_asked = False

    def __repr__(self) -> str:
        return f"Checkpoints({str(self.folder)!r}, every={self._interval!r}, resume={self.resume})"

    def _repr_html_(self) -> str:
        rows = [["folder", str(self.folder)], ["one is written every", str(self._interval)]]
        return card("Checkpoints", [*rows, ["go on from the newest", "yes" if self.resume else "no"]])

    def stop(self) -> None:
        """Make the training write a checkpoint soon and end with a StoppedError. Any thread may call this."""
        self.stop_asked = True

    @contextmanager
    def held(self) -> Iterator[None]:
        """Claim the folder until the body ends. If bad input ends the training, the folder is left as it was."""
        if self._found() and not self.resume:
            raise ConfigError(
                f"{self.folder} holds checkpoints. Resume from them (--resume; in Python, "
                "Checkpoints(..., resume=True)), or choose another folder for a new training."
            )
        new = not self.folder.exists()
        with output_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        try:
            with claim(self.folder / "training"):
                if self._command is not None:
                    with atomic_write(self.folder / COMMAND) as file:
                        file.write(self._command)
                yield
        except (InputError, OutputError):
            self._forget(new)
            raise

    def _forget(self, new: bool) -> None:
        if not self._found() and not self.resume:
            (self.folder / COMMAND).unlink(missing_ok=True)
            if new:
                with suppress(OSError):  # not empty any more
                    self.folder.rmdir()

    def check_space(self, size: int) -> None:
        """Raise an OutputError if the disk is too full for the checkpoints to come, of `size` bytes each."""
        check_space(self.folder / "next", (KEPT + 1 - min(KEPT, len(self._found()))) * size)

    def newest(self, identity: Mapping[str, Any], check: Callable[[State], None]) -> State | None:
        """The newest state that is intact, or None if there is none. One of another training is refused by name.

        check raises a Fault for a state that this training could not have written.
        """
        found = self._found()
        if not found:
            return None
        for path in reversed(found):
            try:
                state = _read(path)
                _check_same(state.identity, identity, self.folder)
                check(state)
            except ConfigError:
                raise
            except (Fault, InputError) as fault:
                self._damaged.append(path)
                warnings.warn(
                    f"{path} is damaged, so training goes on from the one before it: {fault}",
                    CheckpointWarning,
                    stacklevel=2,
                )
                continue
            return state
        raise InputError(f"All checkpoints in {self.folder} are damaged. Remove the folder and train again.")

    def begin(self, position: int) -> None:
        """The training begins at this position, and `stop` stops it from now on."""
        self._since, self.position = time.monotonic(), position
        self.running = True

    def due(self, position: int, epoch_ended: bool) -> bool:
        """Whether it is time to write one."""
        seconds, positions = self._every
        if positions is not None:
            return position - self.position >= positions
        if seconds is not None:
            return time.monotonic() - self._since >= seconds
        return epoch_ended

    def write(self, state: State, position: int) -> None:
        """Write one, and keep only the last two."""
        found = self._found()
        number = int(found[-1].stem) + 1 if found else 1
        record = {"place": state.place, "identity": state.identity}
        write(self.folder / f"{number:06d}.checkpoint", _KIND, state.arrays, record)
        _log.info("checkpoint %06d is written to %s", number, self.folder)
        for old in [*self._damaged, *[path for path in found if path not in self._damaged][: 1 - KEPT]]:
            with suppress(OSError):  # one too many does no harm
                old.unlink()
        self._since, self.position = time.monotonic(), position

    def _found(self) -> list[Path]:
        """The checkpoints in the folder, the newest last."""
        try:
            names = [path.name for path in self.folder.iterdir()] if self.folder.exists() else []
        except OSError as error:
            raise InputError(
                f"{self.folder} cannot hold checkpoints: {error.strerror}. Choose another folder."
            ) from None
        found = [self.folder / name for name in names if re.fullmatch(r"\d{6,}\.checkpoint", name)]
        return sorted(found, key=lambda path: int(path.stem))


def opened_checkpoints(checkpoint: Checkpoints | PathName | None) -> Checkpoints | None:
    """The `checkpoint` of `train`: a path stands for a folder with the usual interval."""
    if checkpoint is None or isinstance(checkpoint, Checkpoints):
        return checkpoint
    if not isinstance(checkpoint, str | os.PathLike):
        raise ConfigError(f"checkpoint is {of_type(checkpoint)}. Give the path of a folder, or Checkpoints.")
    return Checkpoints(checkpoint)


class Every(NamedTuple):
    """How often to write: after `seconds`, after `positions`, or (if neither is set) after every epoch."""

    seconds: float | None = None
    positions: int | None = None

    @classmethod
    def of(cls, text: object) -> "Every":
        """
        >>> Every.of("5m"), Every.of(1000), Every.of("epoch")
        (Every(seconds=300.0, positions=None), Every(seconds=None, positions=1000), Every(seconds=None, positions=None))
        """
        if text == "epoch":
            return cls()
        parts = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)([smh]?)", str(text).replace("_", ""))
        if isinstance(text, bool) or not parts or float(parts[1]) <= 0 or (not parts[2] and "." in parts[1]):
            raise ConfigError(
                f"every={text!r} is not an interval. Use a time like 90s, 5m or 1h, a number of words like 20000000, "
                "or epoch."
            )
        return cls(float(parts[1]) * _SECONDS[parts[2]]) if parts[2] else cls(positions=int(parts[1]))


def _read(path: Path) -> State:
    arrays, record = read(mapped(path), _KIND)
    place, identity = record.get("place"), record.get("identity")
    if not isinstance(place, dict) or not isinstance(identity, dict):
        raise Fault("its record does not say how far the training was.")
    return State(arrays, place, identity)


def _check_same(there: Mapping[str, Any], here: Mapping[str, Any], folder: Path) -> None:
    """Refuse to go on with a different training than the one that wrote the checkpoint."""
    for name in sorted({*there, *here}, key=lambda name: (name != "pairloom", name)):  # a version may bring new options
        old, new = there.get(name), here.get(name)
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            pairs = {key: (old.get(key, "nothing"), new.get(key, "nothing")) for key in sorted({*old, *new})}
            name, (old, new) = next((key, pair) for key, pair in pairs.items() if pair[0] != pair[1])
        what = "the corpus differs" if name == "sha256" else f"{name} is {old} there and {new} here"
        raise ConfigError(
            f"The checkpoint in {folder} is of another training: {what}. Use the same corpus and options, or another "
            "folder."
        )
