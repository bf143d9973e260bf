"""What is watched while a training runs: its progress, and the health of its vectors."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from pairloom.errors import DivergedError
from pairloom.pairs.source import Source
from pairloom.progress import OnProgress, Progress, WorkerProgress
from pairloom.training.checkpoint import Checkpoints
from pairloom.vectors.embedding import Embedding

LARGEST_SQUARE = 1e6  # mean square of v_w·v_c in a block; below 100 in a healthy training
LARGEST_COMPONENT = 1e3  # of a vector; below 20 in a healthy training
SECONDS_BETWEEN_REPORTS = 0.25


@dataclass(frozen=True, kw_only=True, slots=True)
class Epoch:
    """The end of an epoch, as `on_epoch` of `train` receives it.

    `embedding()` copies the vectors as they are now, which takes as much memory as the model. It can be called only
    before `on_epoch` returns.
    """

    number: int  # 1..epochs
    epochs: int
    heldout: float | None  # the held-out loss; None if the text is too small to hold anything out
    embedding: Callable[[], Embedding]


OnEpoch = Callable[[Epoch], object]


def pass_over(epoch: Epoch) -> None:
    """The default `on_epoch`: do nothing."""


class Reports:
    """Progress reports, a few times a second."""

    def __init__(self, source: Source, on_progress: OnProgress) -> None:
        self._source, self._on_progress = source, on_progress
        self._due = self._began = 0.0
        self._began_at = 0

    def begin(self, position: int) -> None:
        """Speed is measured from here on."""
        self._began, self._began_at = time.perf_counter(), position

    @property
    def are_due(self) -> bool:
        """Whether it is time for one."""
        return time.perf_counter() >= self._due

    def send(self, done: int, lr: float, heldout: float | None, workers: tuple[WorkerProgress, ...] = ()) -> None:
        """Report that the training has come to position `done`."""
        self._due = time.perf_counter() + SECONDS_BETWEEN_REPORTS
        positions, epochs = self._source.n_positions, self._source.config.epochs
        self._on_progress(
            Progress(
                stage="train",
                done=done,
                total=epochs * positions,
                epoch=max(1, -(-done // positions)),  # the end of an epoch still belongs to it
                epochs=epochs,
                lr=lr,
                unit=self._source.unit,
                words_per_second=(done - self._began_at) / (time.perf_counter() - self._began),
                heldout=heldout,
                workers=workers,
            )
        )


class Health:
    """Stops a training as soon as its vectors are seen to explode."""

    def __init__(self, source: Source, checkpoints: Checkpoints | None) -> None:
        self._source, self._checkpoints = source, checkpoints

    def check_products(self, mean_square: float, position: float) -> None:
        """Refuse inner products v_w·v_c that are too large on average, or NaN."""
        self.check(mean_square <= LARGEST_SQUARE, position)

    def check_largest(self, largest: float, position: float) -> None:
        """Refuse vectors whose largest component is too large, or NaN."""
        self.check(largest <= LARGEST_COMPONENT, position)

    def check(self, healthy: bool, position: float) -> None:
        """Raise a DivergedError unless healthy."""
        if healthy:
            return
        epoch, at = divmod(int(position), self._source.n_positions)
        raise self._diverged(f"The vectors diverged in epoch {epoch + 1}, near {self._source.unit[:-1]} {at:,}.")

    def check_loss(self, loss: float, before: float, limit: float) -> None:
        """Raise a DivergedError if the loss of trained pairs at the end is above the limit, or NaN."""
        if not loss <= limit:
            raise self._diverged(
                f"The vectors are worse than before training: their loss on the training data is {loss:.4g}, and was "
                f"{before:.4g}."
            )

    def _diverged(self, what: str) -> DivergedError:
        """The error, with advice that never names the rate that was used."""
        config = self._source.config
        usual = f"{config.usual_lr} is usual" if config.lr > config.usual_lr else f"try {config.lr / 10:g}"
        kept = f" Earlier checkpoints are in {self._checkpoints.folder}." if self._checkpoints else ""
        return DivergedError(f"{what} The learning rate {config.lr:g} is likely too high; {usual}.{kept}")
