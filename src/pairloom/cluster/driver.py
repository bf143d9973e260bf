"""Training on a crew of workers: the driver gives the orders, and keeps no rows.

It brings back what is lost: when a worker dies, the others go back to the round before, the new one gets a copy of the
lost share, and the round is trained again. The vectors do not change by it.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from pairloom.cluster.executor import BeginAgainError, Setting, Trained, Watch
from pairloom.cluster.ledger import Ledger
from pairloom.cluster.remote import RemoteHolder
from pairloom.cluster.rounds import RoundTask
from pairloom.cluster.workers.copying import CopyPlace
from pairloom.cluster.workers.mailbox import LostError
from pairloom.cluster.workers.one_round import Order
from pairloom.cluster.workers.shipping import SourceFiles, stripped
from pairloom.cluster.workers.worker import Report
from pairloom.corpus.reading import Reading
from pairloom.errors import ClusterError
from pairloom.progress import WorkerProgress

SECONDS_BETWEEN_CHECKS = 0.25
MOST_ATTEMPTS = 100  # to train one round
POSITIONS_TO_REHEARSE = 1000  # words, or pairs


class Answer(Protocol):
    """The result of a call of a worker, which may not be there yet."""

    def result(self) -> Any:
        """The result. Raises a LostError if the worker was lost."""


class Crew(Protocol):
    """Some workers, and how to call them."""

    def __len__(self) -> int:
        """How many there are."""

    def call(self, worker: int, method: str, *args: Any) -> Answer:
        """Call a method of a worker, without waiting for it."""

    def done(self, answers: Sequence[Answer], seconds: float) -> list[bool]:
        """Which of the answers are there, after waiting for a change at most this long."""

    def set_up(self, worker: int, setting: Setting, files: SourceFiles) -> None:
        """Tell a worker what the training is."""

    def nodes(self) -> list[str]:
        """The machine of each worker, as soon as all can be reached."""


class Driver:
    """An `Executor` whose work is done by a crew."""

    def __init__(self, crew: Crew, copies: Path | None, ledger: Ledger) -> None:
        self.crew, self._ledger = crew, ledger
        self.reading: Reading | None = None
        self._folder = copies
        self.number = self._attempt = 0
        self._task: RoundTask | None = None  # that made the current shares
        self._copied_to: list[CopyPlace] = []
        self._progress = [WorkerProgress() for _ in range(len(crew))]

    def begin(self, setting: Setting) -> RemoteHolder:
        self.setting, self.dim = setting._replace(source=stripped(setting.source)), setting.source.config.dim
        self._files = SourceFiles.of(setting.source)
        self._nodes = self.crew.nodes()
        self._progress = [WorkerProgress(node=node) for node in self._nodes]
        self.number, self._task, self._copied_to = 0, None, []
        try:
            for worker in range(len(self.crew)):
                self.crew.set_up(worker, self.setting, self._files)
        except LostError as lost:
            self._recover(str(lost))
        self.ask_all("begin")
        self._rehearse(setting)
        self.sizes = len(setting.source.words.names), len(setting.source.contexts.names)
        return RemoteHolder(self)

    def _rehearse(self, setting: Setting) -> None:
        """Have the first words trained and forgotten, so that no round waits for kernels, connections and memory."""
        share = min(1.0, POSITIONS_TO_REHEARSE / setting.source.n_positions)
        parts = setting.division.fewest_parts
        first_words = next(iter(setting.source.rounds((0.0, share, 1.0))))
        task = RoundTask(0, first_words, parts, 0, np.zeros(parts + 1), share)
        self._attempt += 1
        order = Order(self._attempt, base=0, number=1, task=task, copies=None)
        answers = [self.crew.call(worker, "rehearse", order) for worker in range(len(self.crew))]
        try:
            for _ in self._waiting_for(answers):
                pass
            for answer in answers:
                answer.result()
        except LostError as lost:
            self._abandon(answers)
            self._recover(str(lost))

    def ask_all(self, method: str, *args: Any) -> list[Any]:
        """Call a method of all workers, between rounds. If one is lost, bring it back and ask again."""
        for _ in range(MOST_ATTEMPTS):
            try:
                answers = [self.crew.call(worker, method, *args) for worker in range(len(self.crew))]
                return [answer.result() for answer in answers]
            except LostError as lost:
                self._recover(str(lost))
        raise ClusterError("Workers are lost again and again. Look into the logs of Ray.")

    # --- A round

    def train(self, task: RoundTask, watch: Watch) -> Trained:
        if not self._copied_to:
            self._ledger.begun(task.draws, task.a_round.number, len(self.crew))
            self._make_first_copies()
        for _ in range(MOST_ATTEMPTS):
            self._attempt += 1
            places = self._copy_places()
            order = Order(self._attempt, self.number, self.number + 1, task, self._copies_to_read())
            answers = [self.crew.call(worker, "train", order, places[worker]) for worker in range(len(self.crew))]
            try:
                reports = self._reports(answers, task, watch)
            except LostError as lost:
                self._recover(str(lost))
                continue
            except BaseException:
                self._abandon()
                raise
            if reports is None:
                self._abandon(answers)
                return Trained(task.first, 0)
            self.number, self._task, self._copied_to = order.number, task, places
            n_pairs = sum(report.n_pairs for report in reports)
            self._ledger.applied(task, n_pairs, self._attempt)
            watch.seen(1.0, float(np.max([report.largest_square for report in reports])))
            return Trained(task.parts, n_pairs)
        raise ClusterError("Workers are lost again and again. Look into the logs of Ray.")

    def _reports(self, answers: list[Answer], task: RoundTask, watch: Watch) -> list[Report] | None:
        """What the workers say of a round when it is done. None if the training is to stop."""
        asked: dict[int, Answer] = {}
        blocks = [0] * len(answers)
        for _ in self._waiting_for(answers):
            square = self._look_at_progress(asked, blocks)
            watch.seen(sum(blocks) / task.parts**2, square)
            if watch.stop_asked():
                return None
        reports: list[Report] = [answer.result() for answer in answers]
        for worker, report in enumerate(reports):
            self._keep_progress(worker, report.progress)
        return reports

    def _waiting_for(self, answers: list[Answer]) -> Iterator[None]:
        """Yields now and then until all answers are there. Raises a LostError if a worker that has answered is lost."""
        while not all(done := self.crew.done(answers, SECONDS_BETWEEN_CHECKS)):
            for answer in compress(answers, done):
                answer.result()
            yield

    def _look_at_progress(self, asked: dict[int, Answer], blocks: list[int]) -> float:
        """Ask every worker that has answered before, and take the answers that are there. No worker is waited for."""
        square = 0.0
        for worker in range(len(self.crew)):
            if worker not in asked:
                asked[worker] = self.crew.call(worker, "progress")
        there = self.crew.done([*asked.values()], 0.0)
        for worker, is_there in zip([*asked], there, strict=True):
            if is_there:
                with suppress(LostError):
                    blocks[worker], of_worker, progress = asked.pop(worker).result()
                    self._keep_progress(worker, progress)
                    square = max(square, of_worker)
        return square

    def _keep_progress(self, worker: int, progress: WorkerProgress) -> None:
        restarts = self._progress[worker].restarts
        self._progress[worker] = replace(progress, node=self._nodes[worker], restarts=restarts)

    def progress(self) -> tuple[WorkerProgress, ...]:
        return tuple(self._progress)

    # --- When a worker is lost

    def _abandon(self, answers: Sequence[Answer] = ()) -> None:
        """Give up the attempt on all workers. Returns when those that train have stopped."""
        ending = [self.crew.call(worker, "abandon", self._attempt) for worker in range(len(self.crew))]
        for answer in [*ending, *answers]:
            with suppress(Exception):
                answer.result()

    def _recover(self, why: str) -> None:
        """Bring all workers back to the current shares. Before the first round there are no copies of them."""
        self._ledger.lost(why, self.number)
        if not self._copied_to:
            raise BeginAgainError
        for _ in range(MOST_ATTEMPTS):
            self._abandon()
            try:
                self._restore_lost()
                return
            except LostError:
                continue
        raise ClusterError("Workers are lost again and again. Look into the logs of Ray.")

    def _restore_lost(self) -> None:
        self._nodes = self.crew.nodes()
        crew = range(len(self.crew))
        lost = [n for n in crew if self.number not in self.crew.call(n, "state").result()[0]]
        for worker in lost:
            self._progress[worker] = replace(
                self._progress[worker], node=self._nodes[worker], restarts=self._progress[worker].restarts + 1
            )
            self.crew.set_up(worker, self.setting, self._files)
        held = [self._copied_to[worker] for worker in lost]
        if any(place is None or place in lost for place in held):
            raise ClusterError(
                "A worker was lost together with the copy of its rows. To go on from the last checkpoint, run this "
                "again with --resume."
            )
        self._copied_to = [None if place in lost else place for place in self._copied_to]  # until they are made again
        for answer in [
            self.crew.call(n, "restore", self.number, self._task, at) for n, at in zip(lost, held, strict=True)
        ]:
            answer.result()
        self._copy_shares([n for n in crew if self._copied_to[n] is None])
        self._ledger.restored(lost, self.number)

    def _copy_places(self) -> list[CopyPlace]:
        """Where the copy of each worker's share is kept: the folder, or a worker, on another machine if there is one.

        The first worker of a machine has its copy on the first worker of the others, the second on the second.
        """
        n = len(self.crew)
        if self._folder is not None:
            return [str(self._folder)] * n
        places: list[CopyPlace] = []
        for worker, node in enumerate(self._nodes):
            elsewhere = [other for other in range(n) if self._nodes[other] != node]
            others = [(worker + step) % n for step in range(1, n)]
            number = self._nodes[:worker].count(node)
            places.append(elsewhere[number % len(elsewhere)] if elsewhere else next(iter(others), None))
        return places

    def _copies_to_read(self) -> str | None:
        """The folder with copies of all current shares, if all workers are on one machine and can read rows there."""
        return str(self._folder) if self._folder is not None and len(set(self._nodes)) == 1 else None

    def _make_first_copies(self) -> None:
        self._copied_to = [None] * len(self.crew)
        try:
            self._copy_shares(range(len(self.crew)))
        except LostError as lost:
            self._copied_to = []
            self._recover(str(lost))

    def _copy_shares(self, which: Sequence[int]) -> None:
        """Make copies of the current shares of these workers."""
        places = self._copy_places()
        for answer in [self.crew.call(worker, "send_copy", self.number, places[worker]) for worker in which]:
            answer.result()
        for worker in which:
            self._copied_to[worker] = places[worker]
