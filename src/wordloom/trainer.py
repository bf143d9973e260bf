"""What every training has: vectors to begin with, a schedule, epochs, reports, and what is handed over in the end.

How an epoch is trained is told elsewhere: in blocks (`blockwise.py`), in the order of the text (`sequential.py`), or by
dense products (`softmax.py`).
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import asdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from wordloom.blocks import stride_of
from wordloom.draws import Purpose, key
from wordloom.errors import DivergedError, InputError
from wordloom.likelihood import Measure
from wordloom.progress import OnProgress, Progress
from wordloom.source import Names, Round, Source
from wordloom.start import Start
from wordloom.types import Matrix
from wordloom.vectors import Embedding, Vectors
from wordloom.workers import Workers

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from wordloom.kernel.sgns import Model

LARGEST_SQUARE = 1e6  # mean square of v_w·v_c in a block; healthy training stays below 100
LARGEST_COMPONENT = 1e3  # of a vector; healthy ones stay below 20
SECONDS_BETWEEN_REPORTS = 0.25


class Training(ABC):
    """One training; those who derive from it say what is held out, and how a round is trained."""

    heldout: Measure

    def __init__(self, source: Source, start: Start | None, pool: Workers, on_progress: OnProgress) -> None:
        self.source, self.config, self.pool, self.on_progress = source, source.config, pool, on_progress
        words, contexts = source.words.names, self._contexts().names
        self.model = start_model(len(words), len(contexts), self.config.dim, self.config.seed, pool)
        self.epochs_before = start.epochs if start else 0
        self.started: dict[str, Any] = start.take_over(*self._matrices(), words, contexts) if start else {}
        self.losses: list[float | None] = []
        self.n_pairs = 0
        self.report_due = self.began = 0.0

    def run(self) -> Embedding:
        """Train all epochs and hand over what was learnt."""
        positions = self.source.n_positions
        self.began = time.perf_counter()
        self._measure()
        self._report(0)
        for epoch in range(self.config.epochs):
            for a_round in self._rounds():
                self._train_round(epoch, a_round)
            if self.n_pairs == 0:
                raise InputError(self.source.without_pairs)
            self._measure()
            self._report((epoch + 1) * positions)
        largest = np.abs([[m.min(), m.max()] for m in self._matrices()]).max()  # NaN if one is
        self._check(bool(largest <= LARGEST_COMPONENT), self.config.epochs * positions - 1)
        return self._embedding()

    @abstractmethod
    def _rounds(self) -> Iterable[Round]:
        """The rounds of an epoch."""

    @abstractmethod
    def _train_round(self, epoch: int, a_round: Round) -> None:
        """Train one of them, and add its pairs to n_pairs."""

    def _check(self, healthy: bool, position: float) -> None:
        if not healthy:
            epoch, at = divmod(int(position), self.source.n_positions)
            raise DivergedError(
                f"The vectors diverged in epoch {epoch + 1}, near {self.source.unit[:-1]} {at:,}. "
                f"The learning rate {self.config.lr:g} is likely too high; {self.config.usual_lr} is usual."
            )

    def _lr(self, position: float) -> float:
        """The rate falls linearly with the position in all that there is to read, epochs end to end."""
        done = position / (self.config.epochs * self.source.n_positions)
        return self.config.lr + (self.config.min_lr - self.config.lr) * done

    def _measure(self) -> None:
        self.losses.append(self.heldout.loss(*self._matrices(), self.pool))

    def _matrices(self) -> tuple[Matrix, Matrix]:
        """W and C as users know them: views of the model without its padding."""
        W, C = (m.reshape(-1, self.model.stride)[:, : self.config.dim] for m in (self.model.W, self.model.C))
        return W, C

    def _contexts(self) -> Names:
        """What the rows of C are called."""
        return self.source.contexts

    def _report(self, done: int) -> None:
        self.report_due = time.perf_counter() + SECONDS_BETWEEN_REPORTS
        positions = self.source.n_positions
        self.on_progress(
            Progress(
                stage="train",
                done=done,
                total=self.config.epochs * positions,
                epoch=max(1, -(-done // positions)),  # the end of an epoch still belongs to it
                epochs=self.config.epochs,
                lr=self._lr(done),
                unit=self.source.unit,
                words_per_second=done / (time.perf_counter() - self.began),
                heldout=self.losses[-1],
            )
        )

    def _embedding(self) -> Embedding:
        record = {
            "config": {name: value for name, value in asdict(self.config).items() if name not in self.source.unused},
            "corpus": self.source.record,
            "heldout": {"pairs": len(self.heldout), "loss": self.losses},
        }
        if self.started:
            record["start"] = self.started
        sides = zip((self.source.words, self._contexts()), self._matrices(), strict=True)
        words, contexts = (Vectors(side.names, matrix, side.counts) for side, matrix in sides)
        return Embedding(words=words, contexts=contexts, record=record)


def start_model(n_words: int, n_contexts: int, dim: int, seed: int, pool: Workers) -> "Model":
    """W small and random, C zero: every pair begins with p(D=1|w,c) = 1/2."""
    from wordloom.kernel.rng import start_rows
    from wordloom.kernel.sgns import Model
    from wordloom.kernel.simd import LANES

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
