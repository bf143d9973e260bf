"""The columns of a model, shared out among threads that train in lockstep (`kernel/steps/lockstep.py`)."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from pairloom.cluster.holder import LocalHolder, aligned_zeros
from pairloom.pairs.blocks import stride_of
from pairloom.system.threads import ThreadPool, Workers
from pairloom.types import Matrix

if TYPE_CHECKING:  # the kernels bring Numba
    from pairloom.kernel.steps.lockstep import Lockstep
    from pairloom.kernel.steps.sgns import Model

    ColumnTrainer = Callable[[Model, Lockstep], float]  # trains some columns, and returns a mean square


class Crew:
    """Threads of a pool that train a model together, each with its own columns.

    Each has its columns in matrices of its own, unless there is only one. `take` copies the model to these matrices,
    `give` copies them back.
    """

    def __init__(self, model: "Model", products: int, pool: Workers) -> None:
        """products: inner products of a batch, at most."""
        from pairloom.kernel.steps.lockstep import locksteps, slice_edges

        self._model, self._pool = model, pool
        edges = slice_edges(model.width)
        # Each of them waits for the others, so every one needs a thread that exists.
        threads = min(len(pool), len(edges) - 1) if isinstance(pool, ThreadPool) else 1
        self._steps = locksteps(edges, products, threads)
        begins = [int(edges[step.first]) for step in self._steps]
        self._columns = list(zip(begins, [*begins[1:], model.width], strict=True))
        self._models = [model] if threads == 1 else [self._empty(end - begin) for begin, end in self._columns]
        self._ahead = False  # whether the threads' matrices are newer than the model

    def __len__(self) -> int:
        return len(self._steps)

    def _empty(self, width: int) -> "Model":
        stride = stride_of(width)
        rows = (len(matrix) // self._model.stride for matrix in (self._model.W, self._model.C))
        W, C = (aligned_zeros(n * stride) for n in rows)
        return self._model._replace(W=W, C=C, width=width, stride=stride)

    def take(self) -> None:
        """Begin with the model as it is."""
        self._copy(give=False)

    def give(self) -> None:
        """Bring the model up to date."""
        if self._ahead:
            self._copy(give=True)
            self._ahead = False

    def _copy(self, give: bool) -> None:
        def copy(number: int) -> None:
            own, (begin, end) = self._models[number], self._columns[number]
            for name in "WC":
                theirs = _rows(getattr(own, name), own.stride)[:, : end - begin]
                ours = _rows(getattr(self._model, name), self._model.stride)[:, begin:end]
                (ours if give else theirs)[...] = theirs if give else ours

        if len(self) > 1:
            list(self._pool.map(copy, range(len(self))))

    def train(self, trainer: "ColumnTrainer") -> float:
        """Call the trainer once for each thread, all at the same time. Returns the result, the same of each."""
        from pairloom.kernel.steps import lockstep

        lockstep.begin(self._steps)
        self._ahead = True
        try:
            return max(self._pool.map(trainer, self._models, self._steps))
        finally:
            lockstep.stop(self._steps)  # after an interrupt, or if a thread has died, the others must not wait for it


def _rows(matrix: Matrix, stride: int) -> Matrix:
    return matrix.reshape(-1, stride)


class CrewHolder(LocalHolder):
    """Holds a model that a crew trains. Whoever asks for the model gets it up to date."""

    crew: Crew | None = None

    @property
    def model(self) -> "Model":
        if self.crew:
            self.crew.give()
        return self._model

    @model.setter
    def model(self, model: "Model") -> None:
        self._model = model
