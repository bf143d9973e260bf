"""Who trains rounds: the interface, and its local form, the threads of this process.

`BlockTraining` decides what is trained. An `Executor` holds the matrices and trains the rounds it is given. All
executors train the same bytes.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from pairloom.cluster.holder import Holder, LocalHolder, aligned_zeros, new_model
from pairloom.cluster.path_rounds import PathRoundMaker
from pairloom.cluster.rounds import RoundMaker, RoundTask, pairs_at_once, step_groups
from pairloom.corpus.reading import Reading
from pairloom.method.hierarchical import Tree
from pairloom.pairs.blocks import Division
from pairloom.pairs.parts import rows_of_parts
from pairloom.pairs.source import AnyDealings, DealtPairs, Source
from pairloom.progress import WorkerProgress
from pairloom.system.threads import Workers
from pairloom.types import Float64s

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.steps.parts import Merging, PartNoise, PartRows

WORK_OF_A_CALL = 2 * 10**9  # pairs * dim * (negatives + 1): a sixth of a second, since an interrupt waits for a call


class Setting(NamedTuple):
    """What workers must know of a training in blocks."""

    source: Source
    division: Division
    lengths: Float64s  # of each v_w before training, relative to the usual length
    frozen: int | None  # the side that does not move, as the kernel numbers them
    tree: Tree | None = None  # of hierarchical softmax


def maker_of(setting: Setting) -> RoundMaker | PathRoundMaker:
    """What makes the rounds of a training."""
    if setting.tree is None:
        return RoundMaker(setting.source, setting.division, setting.frozen)
    return PathRoundMaker(setting.source, setting.division, setting.tree)


class Watch(NamedTuple):
    """What a training wants to know while a round is trained, and whether it should end early."""

    seen: Callable[[float, float], None]  # the share of the round that is done, and a mean square of inner products
    stop_asked: Callable[[], bool]


class Trained(NamedTuple):
    """How far a round has got: the step to go on with, P if it is done. And the pairs of the round."""

    next_step: int
    n_pairs: int


class BeginAgainError(Exception):
    """A worker was lost before the first round, and with it rows that were set before: the training begins again."""


@runtime_checkable
class Executor(Protocol):
    """Holds the matrices of a training, and trains its rounds.

    reading: the workers that read the files of a text. None if this process reads them
    """

    reading: Reading | None

    def begin(self, setting: Setting) -> Holder:
        """Make the matrices as they are before training."""

    def train(self, task: RoundTask, watch: Watch) -> Trained:
        """Train a round, or its first steps if `watch.stop_asked`."""

    def progress(self) -> tuple[WorkerProgress, ...]:
        """What each worker has done so far. Empty if the work is done in this process."""


class ThreadExecutor:
    """This process, on some threads. spare: bytes of memory that the training leaves free."""

    def __init__(self, pool: Workers, threads: int, spare: int | None = None) -> None:
        self.pool, self.threads, self._at_once = pool, threads, pairs_at_once(spare)
        self.reading: Reading | None = None

    def begin(self, setting: Setting) -> LocalHolder:
        config = setting.source.config
        self.setting, self.maker = setting, maker_of(setting)
        self.model = new_model(setting.lengths, self.maker.n_rows, config.dim, config.seed, self.pool)
        hubs, parts = self.maker.hubs, setting.division.parts
        rows = (aligned_zeros(parts * len(ids) * self.model.stride) for ids in (hubs.words, hubs.contexts))
        self._word_copies, self._context_copies = rows
        return LocalHolder(self.model, config.dim, self.pool)

    def train(self, task: RoundTask, watch: Watch) -> Trained:
        source, dealings = self.setting.source, self.maker.dealings(task)
        rows = self.pool.submit(self._rows_and_noise, dealings)
        counted = source.count(task.draws, task.a_round, dealings, self.pool)
        pairs = counted.pairs_of_steps
        steps = RoundSteps(self, task, int(pairs.sum()), counted.longest_block)
        last = task.first
        for group in step_groups(pairs, task.first, self._at_once):
            steps.take(source.write(counted, group, self.pool), *rows.result(), first=group.start)
            last = self._train_group(steps, group, watch)
            if watch.stop_asked():
                break
        return Trained(last, int(pairs.sum()))

    def _train_group(self, steps: "RoundSteps", group: range, watch: Watch) -> int:
        """Train some steps, or the first of them if `watch.stop_asked`. Returns the step to go on with."""
        last, parts = group.stop, steps.task.parts
        while steps.done < last * parts:
            done = steps.done / parts**2
            for square in steps.train(last):
                watch.seen(done, square)
            if watch.stop_asked():
                last = -(-steps.done // parts)
        return last

    def progress(self) -> tuple[WorkerProgress, ...]:
        return ()

    def _rows_and_noise(self, dealings: AnyDealings) -> "tuple[PartRows, PartRows, PartNoise | None]":
        from pairloom.kernel.steps.parts import PartRows

        hubs = self.maker.hubs
        words = PartRows(rows_of_parts(dealings.words), hubs.words, self._word_copies)
        ids = words.ids if dealings.contexts is dealings.words else rows_of_parts(dealings.contexts)
        contexts = PartRows(ids, hubs.contexts, self._context_copies)
        return words, contexts, self.maker.noise_of(dealings.contexts, contexts.ids)


class RoundSteps:
    """The steps of one round, trained on all threads."""

    def __init__(self, executor: ThreadExecutor, task: RoundTask, n_pairs: int, longest_block: int) -> None:
        self._executor, self.task, self._longest = executor, task, longest_block
        self._merging: Merging = executor.maker.merging(task)
        self._unused: list[Any] = []  # buffers, at most one per thread: used again because fresh memory costs time
        work = n_pairs * executor.setting.source.config.dim * executor.maker.rows_of_a_pair / task.parts**2
        self._blocks_of_a_call = max(1, int(WORK_OF_A_CALL / (1 + work)))

    def take(
        self, dealt: DealtPairs, words: "PartRows", contexts: "PartRows", noise: "PartNoise | None", *, first: int
    ) -> None:
        """The pairs to train, from step `first` on."""
        from pairloom.kernel.steps.block import RoundTables, begin_steps

        self._tables = RoundTables(dealt.pairs, dealt.starts, words, contexts, noise)
        self._progress = begin_steps(self.task.parts, first)

    @property
    def done(self) -> int:
        """Blocks of the round that are done."""
        return int(self._progress[8])

    def train(self, last: int) -> Iterator[float]:
        """Train for a while, at most up to step `last` - 1. Yields the mean squares of inner products, by thread."""
        return self._executor.pool.map(self._call, [last] * self._executor.threads)

    def _call(self, last: int) -> float:
        from pairloom.kernel.steps.block import Steps

        model, maker, tables = self._executor.model, self._executor.maker, self._tables
        try:
            buffers = self._unused.pop()
        except IndexError:
            buffers = maker.make_buffers(self._longest, tables.contexts.ids.shape[1], model.width)
        steps = Steps(self.task.parts, last, self._progress, self._blocks_of_a_call)
        square = maker.train(self.task, model, buffers, tables, steps, self._merging)
        self._unused.append(buffers)
        return square
