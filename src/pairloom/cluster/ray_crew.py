"""A crew of workers that are actors on Ray.

Ray starts a lost worker again, on another machine if it must (`max_restarts`). It does not repeat calls: what is
trained again is up to the driver. Calls come in three groups, so that messages and questions are answered while a round
is trained.
"""

import secrets
import shutil
import time
from collections.abc import Sequence
from typing import Any

from pairloom import __version__
from pairloom.cluster.executor import Setting
from pairloom.cluster.workers.links import Address, Links
from pairloom.cluster.workers.mailbox import LostError
from pairloom.cluster.workers.shipping import SourceFiles, attached, new_folder, write_chunk
from pairloom.cluster.workers.worker import Worker
from pairloom.errors import ClusterError

MAIL, CONTROL = "mail", "control"  # the groups of calls beside that of training
_TRAINING = {"rehearse", "train"}  # one at a time
_CONTROL = {"abandon", "meet", "progress", "reach", "state"}
SECONDS_FOR_A_WORKER = 600.0  # until Ray has found a place for it, or has restarted it
SECONDS_BETWEEN_TRIES = 0.2
TRIES_TO_MEET = 5  # a worker may be lost while others connect to it


class WorkerOnRay(Worker):
    """A worker that finds the files of the source, and reaches the others by sockets."""

    _received: str | None = None  # the folder of files that were sent

    def __init__(self, number: int, n_workers: int, threads: int) -> None:
        import ray

        super().__init__(number, n_workers, threads)
        here: Any = ray.util.get_node_ip_address  # which has no types
        self._links = Links(self, number, here())

    def node(self) -> tuple[str, str, Address]:
        """The machine it runs on, by Ray's name, its version of pairloom, and where it listens."""
        import ray

        return ray.get_runtime_context().get_node_id(), __version__, self._links.address

    def meet(self, secret: bytes, peers: Sequence[Address]) -> None:
        """How to reach the others."""
        self._links.meet(secret, peers)

    def reach(self) -> None:
        """Connect to all others."""
        self._links.reach()

    def sees(self, files: SourceFiles) -> bool:
        """Whether the files of the source can be read here."""
        return files.are_seen()

    def receive(self, folder: str | None, name: str, position: int, content: bytes) -> str:
        """Write a piece of a file of the source. Returns the folder that it is in, a new one for None."""
        self._received = folder = folder or new_folder()
        write_chunk(folder, name, position, content)
        return folder

    def join(self, setting: Setting, folder: str) -> None:
        """`set_up`, on Ray. Files that were sent are removed: they are mapped, which keeps what is in them."""
        self.set_up(setting._replace(source=attached(setting.source, folder)), self._links)
        if folder == self._received:
            shutil.rmtree(folder, ignore_errors=True)


class WorkerActor:
    """What Ray runs. The worker is inside, since Ray makes every call of an actor's own methods slower."""

    def __init__(self, number: int, n_workers: int, threads: int) -> None:
        self._worker = WorkerOnRay(number, n_workers, threads)

    def call(self, method: str, *args: Any) -> Any:
        """Call a method of the worker."""
        return getattr(self._worker, method)(*args)


class RayAnswer:
    """The result of a call on Ray."""

    def __init__(self, worker: int, ref: Any) -> None:
        self._worker, self.ref = worker, ref

    def result(self) -> Any:
        """The result. Raises a LostError if this worker, or another one that it waited for, was lost."""
        import ray
        from ray.exceptions import GetTimeoutError, RayError, RayTaskError

        try:
            return ray.get(self.ref)
        except GetTimeoutError:
            raise
        except RayTaskError as error:
            if isinstance(error.cause, RayError):
                raise LostError(f"worker {self._worker} lost another one ({type(error.cause).__name__})") from None
            raise error.cause from None
        except RayError as error:
            if "in its creation task" in str(error):
                what = str(error).strip().splitlines()[-1].rstrip(".")
                raise ClusterError(
                    f"Worker {self._worker} cannot run pairloom: {what}. Install the same version on all machines."
                ) from None
            raise LostError(f"worker {self._worker} ({type(error).__name__})") from None


class RayCrew:
    """The workers of one training on Ray."""

    def __init__(self, n: int, threads: int) -> None:
        import ray

        groups: Any = {"concurrency_groups": {MAIL: 8, CONTROL: 4}}
        actor: Any = ray.remote(**groups)(WorkerActor)
        options = {"num_cpus": threads, "max_restarts": -1, "max_task_retries": 0, "scheduling_strategy": "SPREAD"}
        self.handles = [actor.options(**options).remote(number, n, threads) for number in range(n)]
        self._setting: tuple[Setting, Any] | None = None
        self._secret = secrets.token_bytes(32)  # with which workers know each other

    def __len__(self) -> int:
        return len(self.handles)

    def call(self, worker: int, method: str, *args: Any) -> RayAnswer:
        call = self.handles[worker].call
        if method not in _TRAINING:
            call = call.options(concurrency_group=CONTROL if method in _CONTROL else MAIL)
        return RayAnswer(worker, call.remote(method, *args))

    def done(self, answers: Sequence[Any], seconds: float) -> list[bool]:
        import ray

        refs = [answer.ref for answer in answers]
        there, waiting = ray.wait(refs, num_returns=len(refs), timeout=0)
        if waiting and seconds:
            more, _ = ray.wait(waiting, num_returns=1, timeout=seconds)
            there += more
        ready = set(there)
        return [ref in ready for ref in refs]

    def nodes(self) -> list[str]:
        """The machine of each worker. Waits until Ray has started, or restarted, all of them, and has them meet."""
        for left in reversed(range(TRIES_TO_MEET)):
            nodes, peers = self._found()
            try:
                for method, args in (("meet", (self._secret, peers)), ("reach", ())):
                    for answer in [self.call(worker, method, *args) for worker in range(len(self))]:
                        answer.result()
                return nodes
            except LostError as lost:
                if not left:
                    raise ClusterError(f"Workers do not find each other: {lost}") from None
            time.sleep(SECONDS_BETWEEN_TRIES)
        raise AssertionError

    def _found(self) -> tuple[list[str], list[Address]]:
        """The machine of each worker, and where it listens."""
        nodes, peers = [], []
        for worker in range(len(self)):
            node, version, address = self._when_there(worker, "node")
            if version != __version__:
                raise ClusterError(
                    f"Worker {worker} has pairloom {version}, and this machine has {__version__}. Install the same "
                    "version on all machines."
                )
            nodes.append(node)
            peers.append(address)
        return nodes, peers

    def _when_there(self, worker: int, method: str) -> Any:
        """Call a method as soon as the worker can be reached."""
        import ray

        until = time.monotonic() + SECONDS_FOR_A_WORKER
        while True:
            answer = self.call(worker, method)
            left = until - time.monotonic()
            try:
                there, _ = ray.wait([answer.ref], timeout=max(0.0, left))
                if there:
                    return answer.result()
            except LostError:
                pass
            if left <= 0:
                raise ClusterError(
                    f"Ray has had no place for worker {worker} for {SECONDS_FOR_A_WORKER:.0f} seconds. Add a machine, "
                    "or use fewer --workers or --threads."
                )
            time.sleep(SECONDS_BETWEEN_TRIES)

    def set_up(self, worker: int, setting: Setting, files: SourceFiles) -> None:
        import ray

        if self._setting is None or self._setting[0] is not setting:
            self._setting = setting, ray.put(setting)
        folder = files.folder if self.call(worker, "sees", files).result() else self._send_files(worker, files)
        self.call(worker, "join", self._setting[1], folder).result()

    def _send_files(self, worker: int, files: SourceFiles) -> str:
        folder = None
        for chunk in files.chunks():
            folder = self.call(worker, "receive", folder, *chunk).result()
        assert folder is not None
        return str(folder)

    def close(self) -> None:
        """End all workers."""
        import ray

        for handle in self.handles:
            ray.kill(handle, no_restart=True)
