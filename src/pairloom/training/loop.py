"""What every training has: vectors to begin with, a schedule, epochs, reports, and what is handed over in the end.

How an epoch is trained is told elsewhere: in blocks (`blockwise.py`), in the order of the text (`sequential.py`), or by
dense products (`softmax.py`).
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom import __version__
from pairloom.errors import CorpusChangedError, DivergedError, Fault, InputError, StoppedError
from pairloom.method.draws import Purpose, key
from pairloom.pairs.blocks import stride_of
from pairloom.pairs.source import Source, WeightedNames
from pairloom.progress import OnProgress, Progress, ignore
from pairloom.system.threads import Workers
from pairloom.training.checkpoint import Checkpoints, State
from pairloom.training.heldout import Measure
from pairloom.training.start import Start
from pairloom.types import Matrix
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.record import has_form_of
from pairloom.vectors.vectors import Vectors

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.steps.sgns import Model

LARGEST_SQUARE = 1e6  # mean square of v_w·v_c in a block; healthy training stays below 100
LARGEST_COMPONENT = 1e3  # of a vector; healthy ones stay below 20
SECONDS_BETWEEN_REPORTS = 0.25


class Running(NamedTuple):
    """What a training runs with, none of which changes the vectors."""

    pool: Workers
    threads: int
    on_progress: OnProgress = ignore
    checkpoints: Checkpoints | None = None
    check_corpus: Callable[[], None] = lambda: None  # raises a CorpusChangedError; asked at the end of each epoch


class Best(NamedTuple):
    """The matrices at the end of the epoch whose held-out loss was the lowest so far."""

    epoch: int
    W: Matrix
    C: Matrix


class Training(ABC):
    """One training; those who derive from it say what is held out, and how an epoch is trained.

    It is at `step` steps of `epoch`; what a step is, the kind of training knows.
    """

    heldout: Measure

    def __init__(self, source: Source, start: Start | None, running: Running) -> None:
        self.source, self.config, self.running, self.pool = source, source.config, running, running.pool
        words, contexts = source.words.names, self._contexts().names
        self.model = start_model(len(words), len(contexts), self.config.dim, self.config.seed, self.pool)
        self.epochs_before = start.epochs if start else 0
        self.started: dict[str, Any] = start.take_over(*self._matrices(), words, contexts) if start else {}
        self.losses: list[float | None] = []
        self.best: Best | None = None
        self.epoch = self.step = self.n_pairs = 0
        self.report_due = self.began = 0.0
        self.began_at = 0  # the position of the checkpoint that it goes on from

    def run(self) -> Embedding:
        """Train all epochs that are left and hand over what was learnt."""
        self._begin()
        while self.epoch < self.config.epochs and not self._out_of_patience():
            for position in self._train_epoch(self.epoch):
                self._pause(position)
            if self.n_pairs == 0:
                raise InputError(self.source.no_pairs_message)
            self._end_epoch()
        self._end()
        return self._embedding()

    @abstractmethod
    def _train_epoch(self, epoch: int) -> Iterator[int]:
        """Train what is left of an epoch from `step` on; gives the position wherever the training can be interrupted.

        `step`, and whatever else `_place` has, is then that from which to go on.
        """

    @property
    def position(self) -> int:
        """Where the epoch begins, in all that there is to read, epochs end to end."""
        return self.epoch * self.source.n_positions

    def _begin(self) -> None:
        """At the newest checkpoint, if there is one."""
        checkpoints = self.running.checkpoints
        state = checkpoints.newest(self._identity(), self._check_state) if checkpoints else None
        if state:
            self._restore(state)
        else:
            self._measure()
        self.began = time.perf_counter()
        if checkpoints:
            checkpoints.begin(self.began_at)
        self._report(self.began_at)

    def _end_epoch(self) -> None:
        """Look at what the epoch has brought, and whether the corpus is still what it was."""
        self.epoch, self.step = self.epoch + 1, 0
        self._check_matrices(self.position - 1)
        self._measure()
        self._report(self.position)
        try:
            self.running.check_corpus()
        except CorpusChangedError:
            self._checkpoint(self.position)
            raise
        self._pause(self.position, epoch_ended=True)

    def _end(self) -> None:
        """The last state is worth a checkpoint: saving it may fail."""
        checkpoints = self.running.checkpoints
        if checkpoints:
            if checkpoints.position < self.position:
                self._checkpoint(self.position)
            checkpoints.running = False
            self._stop_if_asked(self.position)

    # --- Health

    def _check(self, healthy: bool, position: float) -> None:
        if not healthy:
            epoch, at = divmod(int(position), self.source.n_positions)
            checkpoints = self.running.checkpoints
            kept = f" Checkpoints from before are in {checkpoints.folder}." if checkpoints else ""
            raise DivergedError(
                f"The vectors diverged in epoch {epoch + 1}, near {self.source.unit[:-1]} {at:,}. "
                f"The learning rate {self.config.lr:g} is likely too high; {self.config.usual_lr} is usual.{kept}"
            )

    def _check_matrices(self, position: float) -> None:
        pieces = [m[first:last] for m in (self.model.W, self.model.C) for first, last in spans(len(m), 8)]
        largest = np.max(list(self.pool.map(_largest, pieces)))  # NaN if one is
        self._check(bool(largest <= LARGEST_COMPONENT), position)

    def _measure(self) -> None:
        """Ask the held-out examples; with patience, keep the matrices if they were never better."""
        loss = self.heldout.loss(*self._matrices(), self.pool)
        self.losses.append(loss)
        if self.config.patience is None:
            return
        if loss is None:
            raise InputError(
                "patience waits for the held-out loss, and so small a corpus holds nothing out. Leave out patience."
            )
        if self.epoch and (self.best is None or loss < self._loss_of(self.best)):
            W, C = (matrix.copy() for matrix in self._matrices())
            self.best = Best(self.epoch, W, C)

    def _loss_of(self, best: Best) -> float:
        loss = self.losses[best.epoch]
        assert loss is not None  # or it would not be the best
        return loss

    def _out_of_patience(self) -> bool:
        return self.best is not None and self.epoch - self.best.epoch >= (self.config.patience or 0)

    # --- Checkpoints

    def _pause(self, position: int, epoch_ended: bool = False) -> None:
        """Between two steps: write a checkpoint if it is time for one, and end here if that was asked."""
        checkpoints = self.running.checkpoints
        if checkpoints and (checkpoints.stop_asked or checkpoints.due(position, epoch_ended)):
            self._checkpoint(position)
            self._stop_if_asked(position)

    def _stop_if_asked(self, position: int) -> None:
        checkpoints = self.running.checkpoints
        if checkpoints and checkpoints.stop_asked:
            epoch = min(position // self.source.n_positions, self.config.epochs - 1)
            at = position - epoch * self.source.n_positions
            raise StoppedError(
                f"Stopped in epoch {epoch + 1}, at {self.source.unit[:-1]} {at:,}. "
                f"To go on: pairloom train --resume {checkpoints.folder} (in Python, resume=True)"
            )

    def _checkpoint(self, position: int) -> None:
        if self.running.checkpoints:
            self._check_matrices(position)
            place = self._place() | {"position": position}
            state = State({**self._arrays(), **self._best_arrays()}, place, self._identity())
            self.running.checkpoints.write(state, position)

    def _identity(self) -> dict[str, Any]:
        """What must be the same for two trainings to be one. (As JSON has it, in which tuples are lists.)"""
        config = asdict(self.config)
        return {"pairloom": __version__, "config": config, "corpus": self.source.record, "start": self.started}

    def _place(self) -> dict[str, Any]:
        """How far it is; with `_arrays` all that a training has to know to go on."""
        place = {"epoch": self.epoch, "step": self.step, "n_pairs": self.n_pairs, "losses": self.losses}
        return place | ({"best": self.best.epoch} if self.best else {})

    def _arrays(self) -> dict[str, Matrix]:
        """What steps change."""
        W, C = self._matrices()
        return {"W": W, "C": C}

    def _best_arrays(self) -> dict[str, Matrix]:
        return {"best_W": self.best.W, "best_C": self.best.C} if self.best else {}

    def _check_state(self, state: State) -> None:
        """Raise a Fault for a checkpoint that has sound checksums, and yet is none that such a training writes."""
        place, wanted = state.place, self._place() | {"position": 0}
        W, C = self._matrices()
        shapes = {name: array.shape for name, array in self._arrays().items()}
        shapes |= {"best_W": W.shape, "best_C": C.shape} if "best" in place else {}
        sound = (
            place.keys() - {"best"} == wanted.keys()
            and all(has_form_of(place[name], value) for name, value in wanted.items())
            and place["epoch"] <= self.config.epochs
            and len(place["losses"]) == place["epoch"] + 1
            and ("best" not in place or place["best"] in range(1, place["epoch"] + 1))
            and {name: array.shape for name, array in state.arrays.items()} == shapes
        )
        if not sound:
            raise Fault("what it holds is not what this training writes.")

    def _restore(self, state: State) -> None:
        """Be where a checkpoint was written."""
        place = state.place
        self.began_at = place["position"]
        self.epoch, self.step, self.n_pairs = place["epoch"], place["step"], place["n_pairs"]
        self.losses = place["losses"]
        for name, array in self._arrays().items():
            array[...] = state.arrays[name]
        if "best" in place:
            self.best = Best(place["best"], state.arrays["best_W"], state.arrays["best_C"])

    # --- What all of them need

    def _lr(self, position: float) -> float:
        """The rate falls linearly with the position in all that there is to read, epochs end to end."""
        done = position / (self.config.epochs * self.source.n_positions)
        return self.config.lr + (self.config.min_lr - self.config.lr) * done

    def _matrices(self) -> tuple[Matrix, Matrix]:
        """W and C as users know them: views of the model without its padding."""
        W, C = (m.reshape(-1, self.model.stride)[:, : self.config.dim] for m in (self.model.W, self.model.C))
        return W, C

    def _contexts(self) -> WeightedNames:
        """What the rows of C are called."""
        return self.source.contexts

    def _report(self, done: int) -> None:
        self.report_due = time.perf_counter() + SECONDS_BETWEEN_REPORTS
        positions = self.source.n_positions
        self.running.on_progress(
            Progress(
                stage="train",
                done=done,
                total=self.config.epochs * positions,
                epoch=max(1, -(-done // positions)),  # the end of an epoch still belongs to it
                epochs=self.config.epochs,
                lr=self._lr(done),
                unit=self.source.unit,
                words_per_second=(done - self.began_at) / (time.perf_counter() - self.began),
                heldout=self.losses[-1],
            )
        )

    def _embedding(self) -> Embedding:
        record = {
            "config": {
                name: value for name, value in asdict(self.config).items() if name not in self.source.unused_options
            },
            "corpus": self.source.record,
            "heldout": {"pairs": len(self.heldout), "loss": self.losses},
        }
        if self.best:
            record["heldout"]["best"] = self.best.epoch
        if self.started:
            record["start"] = self.started
        matrices = self.best[1:] if self.best else self._matrices()
        sides = zip((self.source.words, self._contexts()), matrices, strict=True)
        words, contexts = (Vectors(side.names, matrix, side.counts) for side, matrix in sides)
        return Embedding(words=words, contexts=contexts, record=record)


def _largest(values: npt.NDArray[np.float32]) -> float:
    """The largest of their sizes; NaN if one is."""
    return float(np.maximum(-values.min(), values.max()))


def start_model(n_words: int, n_contexts: int, dim: int, seed: int, pool: Workers) -> "Model":
    """W small and random, C zero: every pair begins with p(D=1|w,c) = 1/2."""
    from pairloom.kernel.rng import start_rows
    from pairloom.kernel.simd import LANES
    from pairloom.kernel.steps.sgns import Model

    stride = stride_of(dim)
    try:
        W, C = _aligned(n_words * stride), _aligned(n_contexts * stride)
    except MemoryError:
        size = 4 * (n_words + n_contexts) * stride / 1e9
        raise InputError(
            f"{n_words:,} words and {n_contexts:,} contexts of dim {dim} take {size:,.1f} GB, more than there is. "
            "Lower dim or raise min_count."
        ) from None
    model = Model(W, C, -(-dim // LANES) * LANES, stride)
    start_key = key(seed, Purpose.START)
    list(pool.map(lambda span: start_rows(model.W, stride, dim, start_key, *span), spans(n_words, 64)))
    return model


def _aligned(n: int) -> np.ndarray:
    """n zeros that begin at a cache line."""
    room = np.zeros(n + 16, np.float32)
    skip = (-room.ctypes.data // 4) % 16
    return room[skip : skip + n]


def spans(n: int, pieces: int) -> list[tuple[int, int]]:
    """0..n cut into at most `pieces` ranges of nearly equal length.

    >>> spans(5, 2)
    [(0, 2), (2, 5)]
    """
    edges = np.linspace(0, n, min(n, pieces) + 1).astype(int).tolist()
    return list(pairwise(edges))
