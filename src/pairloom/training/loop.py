"""The loop of every training: start, epochs, held-out loss, reports, checkpoints, and the `Embedding` at the end.

Its subclasses train the epochs: in blocks (`blockwise.py`), in segments (`segmentwise.py`), or by dense products
(`softmax.py`).
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from pairloom import __version__
from pairloom.cluster.executor import Executor
from pairloom.cluster.holder import Holder, LocalHolder, new_model
from pairloom.errors import CorpusChangedError, Fault, InputError, NoPairsError, StoppedError
from pairloom.pairs.source import Source, WeightedNames
from pairloom.progress import OnProgress, ignore
from pairloom.system.threads import Workers
from pairloom.training.checkpoint import Checkpoints, State
from pairloom.training.heldout import HeldoutMeasure
from pairloom.training.monitoring import Epoch, Health, OnEpoch, Reports, pass_over
from pairloom.training.start import Start
from pairloom.types import Matrix
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.record import has_form_of
from pairloom.vectors.vectors import Vectors

_log = logging.getLogger(__name__)
WORSE = 1.02  # times the loss before training; less may be chance, in a text of which little was learnt


class Runtime(NamedTuple):
    """What a training runs with. None of it changes the vectors."""

    pool: Workers
    threads: int
    executor: Executor
    on_progress: OnProgress = ignore
    checkpoints: Checkpoints | None = None
    check_corpus: Callable[[], None] = lambda: None  # raises a CorpusChangedError; called at the end of each epoch
    on_epoch: OnEpoch = pass_over


class Best(NamedTuple):
    """The matrices at the end of the epoch that had the lowest held-out loss so far."""

    epoch: int
    W: Matrix
    C: Matrix


class TrainingLoop(ABC):
    """One training. Subclasses say what is held out, and how an epoch is trained.

    `epoch` and `step` say how far it has got; what a step is depends on the subclass.
    """

    heldout: HeldoutMeasure

    def __init__(self, source: Source, start: Start | None, runtime: Runtime) -> None:
        self.source, self.config, self.runtime, self.pool = source, source.config, runtime, runtime.pool
        words, contexts = source.words.names, self._contexts().names
        self.holder = self._hold()
        self.epochs_before = start.epochs if start else 0
        self.started: dict[str, Any] = {}
        if start:
            self.started = start.take_over(self.holder.W, self.holder.C, words, contexts)
            start.warn_of_left_out(source)
        self.losses: list[float | None] = []
        self.best: Best | None = None
        self.epoch = self.step = self.n_pairs = 0
        self.reports = Reports(source, runtime.on_progress)
        self.health = Health(source, runtime.checkpoints)
        self.checkpoint_writer = CheckpointWriter(self)

    def run(self) -> Embedding:
        """Train all epochs that are left, and return what was learnt."""
        self._begin()
        while self.epoch < self.config.epochs and not self._out_of_patience():
            for position in self._train_epoch(self.epoch):
                self.checkpoint_writer.write_if_due(position)
            if self.n_pairs == 0:
                raise NoPairsError("No pairs are left to learn from. Use more text, or options that leave out less.")
            self._end_epoch()
        self._check_outcome()
        self.checkpoint_writer.end(self.position)
        return self._embedding()

    def _hold(self) -> Holder:
        """Make the matrices as they are before training, in this process. `model` has them in the form of kernels."""
        lengths = np.ones(len(self.source.words.names))
        self.model = new_model(lengths, len(self._contexts().names), self.config.dim, self.config.seed, self.pool)
        return LocalHolder(self.model, self.config.dim, self.pool)

    @abstractmethod
    def _train_epoch(self, epoch: int) -> Iterator[int]:
        """Train the rest of an epoch, from `step` on. Yields the position wherever the training can be interrupted.

        `step`, and whatever else `place` holds, then says where to go on.
        """

    @property
    def position(self) -> int:
        """Where the epoch begins, counted over all epochs."""
        return self.epoch * self.source.n_positions

    def _begin(self) -> None:
        """Go on from the newest checkpoint if there is one."""
        began_at = self.checkpoint_writer.restore_newest()
        if began_at is None:
            self._measure()
            self._log("before training, %s", _spoken(self.losses[-1]))
        else:
            self._log("resumed in epoch %d, at position %d", self.epoch + 1, began_at)
        self.reports.begin(began_at or 0)
        self.checkpoint_writer.begin(began_at or 0)
        self.report(began_at or 0)

    def _end_epoch(self) -> None:
        """Check what the epoch has learnt, and whether the corpus is still the same."""
        self.epoch, self.step = self.epoch + 1, 0
        self.health.check_largest(self.holder.largest(), self.position - 1)
        self._measure()
        self._log("epoch %d of %d is done, %s", self.epoch, self.config.epochs, _spoken(self.losses[-1]))
        self.report(self.position)
        try:
            self.runtime.check_corpus()
        except CorpusChangedError:
            self.checkpoint_writer.write(self.position)
            raise
        self.checkpoint_writer.write_if_due(self.position, epoch_ended=True)
        self._tell_epoch()

    # --- The held-out loss

    def _measure(self) -> None:
        """Measure the held-out loss. With patience, keep a copy of the matrices if the loss is the lowest so far."""
        loss = self.heldout.loss(self.holder, self.pool)
        self.losses.append(loss)
        if self.config.patience is None:
            return
        if loss is None:
            raise InputError(
                "patience needs a held-out loss, but the corpus is too small to hold anything out. Leave out patience."
            )
        if self.epoch and (self.best is None or loss < self._loss_of(self.best)):
            self.best = Best(self.epoch, *self.holder.copied())

    @abstractmethod
    def _measure_of(self, source: Source) -> HeldoutMeasure:
        """What measures the loss of the pairs that a source holds out."""

    def _check_outcome(self) -> None:
        """Refuse vectors that predict worse than before training, also the pairs that they were trained on.

        If only held-out pairs are predicted worse, a small text was learnt by heart, and that is not refused. What
        vectors to start from were worth is not known if nothing is held out.
        """
        began, loss = self.losses[0], self._loss_of(self.best) if self.best else self.losses[-1]
        if began is None and self.started:
            return
        if began is not None and loss is not None and loss <= WORSE * max(began, self.heldout.untrained):
            return
        trained = self._measure_of(self.source.with_more_heldout())
        before = max(began or 0.0, trained.untrained)
        self.health.check_loss(self._trained_loss(trained), before, WORSE * before)

    def _trained_loss(self, both: HeldoutMeasure) -> float:
        """The mean loss of pairs that were trained on. both: they and the held-out ones. 0 if there are none at all."""
        of_both, of_heldout = (measure.loss(self.holder, self.pool) or 0.0 for measure in (both, self.heldout))
        n, n_heldout = len(both), len(self.heldout)
        return (n * of_both - n_heldout * of_heldout) / (n - n_heldout) if n > n_heldout else of_heldout

    def _loss_of(self, best: Best) -> float:
        loss = self.losses[best.epoch]
        assert loss is not None  # or it would not be the best
        return loss

    def _out_of_patience(self) -> bool:
        return self.best is not None and self.epoch - self.best.epoch >= (self.config.patience or 0)

    # --- The state, as checkpoints hold it

    def place(self) -> dict[str, Any]:
        """How far the training has got. Together with `arrays`, all that is needed to resume it."""
        place = {"epoch": self.epoch, "step": self.step, "n_pairs": self.n_pairs, "losses": self.losses}
        return place | ({"best": self.best.epoch} if self.best else {})

    def arrays(self) -> dict[str, Matrix]:
        """What steps change."""
        return {"W": self.holder.W, "C": self.holder.C}

    def restore(self, state: State) -> None:
        """Go to where a checkpoint was written."""
        place = state.place
        self.epoch, self.step, self.n_pairs = place["epoch"], place["step"], place["n_pairs"]
        self.losses = place["losses"]
        for name, array in self.arrays().items():
            array[...] = state.arrays[name]
        if "best" in place:
            self.best = Best(place["best"], state.arrays["best_W"], state.arrays["best_C"])

    def _log(self, message: str, *values: object) -> None:
        """Log something, unless nobody follows this training: those of `warm_up.py` only make kernels ready."""
        if self.runtime.on_progress is not ignore:
            _log.info(message, *values)

    # --- What all subclasses use

    def lr_at(self, position: float) -> float:
        """The learning rate. It falls linearly with the position, over all epochs."""
        done = position / (self.config.epochs * self.source.n_positions)
        return self.config.lr + (self.config.min_lr - self.config.lr) * done

    def report(self, done: int) -> None:
        """Report progress now."""
        self.reports.send(done, self.lr_at(done), self.losses[-1], self.runtime.executor.progress())

    def _contexts(self) -> WeightedNames:
        """The names of the rows of C."""
        return self.source.contexts

    def _tell_epoch(self) -> None:
        """Let the caller see the vectors of this epoch, which cannot change them."""
        epochs, heldout = self.config.epochs, self.losses[-1]
        epoch = Epoch(number=self.epoch, epochs=epochs, heldout=heldout, embedding=self._embedding_so_far)
        self.runtime.on_epoch(epoch)

    def _embedding_so_far(self) -> Embedding:
        """A copy of the vectors, with a record that has the epochs trained so far."""
        embedding = self._embedding_of(*self.holder.copied())
        embedding.record["config"]["epochs"] = self.epoch
        embedding.record["heldout"].pop("best", None)  # these are the latest vectors, not the best
        return embedding

    def _embedding(self) -> Embedding:
        """What was learnt. Ends the training: its matrices become those of the embedding."""
        return self._embedding_of(*(self.best[1:] if self.best else self.holder.handed_over()))

    def _embedding_of(self, *matrices: Matrix) -> Embedding:
        """W and C with their names and the record."""
        record = {
            "config": {
                name: value for name, value in asdict(self.config).items() if name not in self.source.unused_options
            },
            "corpus": self.source.record,
            "heldout": {"pairs": len(self.heldout), "loss": [*self.losses]},
        }
        if self.best:
            record["heldout"]["best"] = self.best.epoch
        if self.started:
            record["start"] = self.started
        sides = zip((self.source.words, self._contexts()), matrices, strict=True)
        words, contexts = (Vectors(side.names, matrix, side.counts) for side, matrix in sides)
        return Embedding(words=words, contexts=contexts, record=record)


def _spoken(loss: float | None) -> str:
    return "nothing is held out" if loss is None else f"held-out loss {loss:.4f}"


class CheckpointWriter:
    """The checkpoints of one training: when to write one, what is in it, and where to go on."""

    def __init__(self, training: TrainingLoop) -> None:
        self._training, self._checkpoints = training, training.runtime.checkpoints

    def restore_newest(self) -> int | None:
        """Take the training to its newest checkpoint. Returns the position, or None if there is none."""
        state = self._checkpoints.newest(self._identity(), self._check) if self._checkpoints else None
        if state is None:
            return None
        self._training.restore(state)
        return int(state.place["position"])

    def begin(self, position: int) -> None:
        """From now on `Checkpoints.stop` stops the training."""
        if self._checkpoints:
            self._checkpoints.begin(position)

    def write_if_due(self, position: int, epoch_ended: bool = False) -> None:
        """Between two steps: write a checkpoint if one is due, and stop if asked to."""
        checkpoints = self._checkpoints
        if checkpoints and (checkpoints.stop_asked or checkpoints.due(position, epoch_ended)):
            self.write(position)
            self._stop_if_asked(position)

    def end(self, position: int) -> None:
        """Keep the last state, since saving the vectors may fail."""
        if self._checkpoints:
            if self._checkpoints.position < position:
                self.write(position)
            self._checkpoints.running = False
            self._stop_if_asked(position)

    def write(self, position: int) -> None:
        """Write a checkpoint, if there is a folder for it."""
        training = self._training
        if self._checkpoints:
            training.health.check_largest(training.holder.largest(), position)
            place = training.place() | {"position": position}
            best = {"best_W": training.best.W, "best_C": training.best.C} if training.best else {}
            self._checkpoints.write(State({**training.arrays(), **best}, place, self._identity()), position)

    def _stop_if_asked(self, position: int) -> None:
        source = self._training.source
        if self._checkpoints and self._checkpoints.stop_asked:
            epoch = min(position // source.n_positions, source.config.epochs - 1)
            at = position - epoch * source.n_positions
            raise StoppedError(
                f"Stopped in epoch {epoch + 1}, at {source.unit[:-1]} {at:,}. "
                f"To resume: pairloom train --resume {self._checkpoints.folder} "
                "(in Python, Checkpoints(..., resume=True))"
            )

    def _identity(self) -> dict[str, Any]:
        """What a training must share with a checkpoint to resume from it. (As in JSON, where tuples are lists.)"""
        source, started = self._training.source, self._training.started
        return {"pairloom": __version__, "config": asdict(source.config), "corpus": source.record, "start": started}

    def _check(self, state: State) -> None:
        """Raise a Fault for a checkpoint with sound checksums that this training could not have written."""
        training = self._training
        place, expected = state.place, training.place() | {"position": 0}
        shapes = {name: array.shape for name, array in training.arrays().items()}
        shapes |= {"best_W": shapes["W"], "best_C": shapes["C"]} if "best" in place else {}
        sound = (
            place.keys() - {"best"} == expected.keys()
            and all(has_form_of(place[name], value) for name, value in expected.items())
            and place["epoch"] <= training.config.epochs
            and len(place["losses"]) == place["epoch"] + 1
            and ("best" not in place or place["best"] in range(1, place["epoch"] + 1))
            and {name: array.shape for name, array in state.arrays.items()} == shapes
        )
        if not sound:
            raise Fault("it does not hold what this training writes.")
