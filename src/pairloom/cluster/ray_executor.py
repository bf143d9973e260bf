"""`RayExecutor`: training on the workers of a Ray cluster, or of a Ray that it starts on this machine."""

import os
import secrets
import signal
import socket
import sys
import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pairloom.cluster.driver import Driver
from pairloom.cluster.executor import Setting, Trained, Watch
from pairloom.cluster.ledger import Ledger
from pairloom.cluster.ray_crew import RayCrew
from pairloom.cluster.remote import RemoteHolder
from pairloom.cluster.rounds import RoundTask
from pairloom.cluster.tasks import RayReading
from pairloom.config import is_whole
from pairloom.errors import ClusterError, ConfigError
from pairloom.progress import WorkerProgress
from pairloom.system.extras import need
from pairloom.system.files import check_folder, output_errors
from pairloom.system.temporary import IN_CACHE, Temporary
from pairloom.types import PathName

LOCAL = "local"
_LOOPBACK = "127.0.0.2"  # Ray replaces 127.0.0.1 by an address that other machines can reach
_MOST_WORKERS = 1024
SECONDS_TO_CONNECT = 10


class RayExecutor:
    """Trains on workers of Ray. The vectors have the same bytes as without it.

    address   "local" starts a Ray on this machine, which ends with the training. Otherwise the address of a cluster,
              for example "10.0.0.1:6379", or "auto" for the one that runs on this machine
    workers   how many; each has its share of the vectors
    threads   of each worker
    copies    a folder that all machines see, for copies of the workers' rows. Without one, each worker keeps a copy of
              another's rows, or on one machine its memory does (/dev/shm)
    log       a file for the log of rounds
    """

    def __init__(
        self,
        address: str = LOCAL,
        *,
        workers: int = 2,
        threads: int = 1,
        copies: PathName | None = None,
        log: PathName | None = None,
    ) -> None:
        for name, value in (("workers", workers), ("threads", threads)):
            if not is_whole(value) or not 1 <= value <= _MOST_WORKERS:
                raise ConfigError(f"{name}={value!r} is out of range. Use a whole number from 1 to {_MOST_WORKERS}.")
        if not isinstance(address, str) or not address:
            raise ConfigError(f"address={address!r} is not an address. Use local, auto, or for example 10.0.0.1:6379.")
        for name, path in (("copies", copies), ("log", log)):
            if path is not None and (not isinstance(path, str | os.PathLike) or not os.fspath(path)):
                raise ConfigError(
                    f"{name}={path!r} is not a path. Give the path of a {'file' if path is log else 'folder'}."
                )
        if log is not None:
            check_folder(log)
        self.address, self.workers, self.threads = address, workers, threads
        self._copies = None if copies is None else Path(copies)
        self._ledger = Ledger(log)
        self._own_folder: Temporary | None = None
        self.reading: RayReading | None = None
        self._crew: RayCrew | None = None
        self._driver: Driver | None = None
        self._progress: tuple[WorkerProgress, ...] = ()

    def __enter__(self) -> Self:
        protect(self.address)
        need("ray", "ray", "Training on a cluster")
        self._started = connect(self.address, self.workers * self.threads)
        if self.address != LOCAL:  # there, other processes would read no faster than this one
            self.reading = RayReading()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        import ray

        self._progress, self._driver = self.progress(), None
        if self._crew:
            self._crew.close()
        if self._own_folder:
            self._own_folder.remove()
        self._crew = self._own_folder = None
        if self._started:
            ray.shutdown()

    def begin(self, setting: Setting) -> RemoteHolder:
        if self._crew is None:  # otherwise the training begins again
            if self._copies is not None or self.address == LOCAL or self.workers == 1:
                self._own_folder = new_folder(self._copies)
            self._crew = RayCrew(self.workers, self.threads)  # not before: reading the text needs the CPUs
        if self._driver is None:
            folder = None if self._own_folder is None else self._own_folder.path
            self._driver = Driver(self._crew, folder, self._ledger)
        return self._driver.begin(setting)

    def train(self, task: RoundTask, watch: Watch) -> Trained:
        assert self._driver is not None  # `begin` was called
        return self._driver.train(task, watch)

    def progress(self) -> tuple[WorkerProgress, ...]:
        return self._driver.progress() if self._driver else self._progress


def new_folder(parent: Path | None) -> Temporary:
    """A new folder for copies, in `parent`. Without one it is in the memory of this machine, or on its disk.

    If this process is killed, the next training removes it.
    """
    memory = Path("/dev/shm")
    if parent is None:
        parent = memory if os.access(memory, os.W_OK) else Path(tempfile.gettempdir())
    with output_errors(parent):
        folder = Temporary.folder(parent, IN_CACHE)
    folder.path.chmod(0o700)  # the memory of a machine is open to all its users
    return folder


def protect(address: str) -> None:
    """Have Ray ask for a token, report nothing to its makers, and print no tracebacks of what is brought back.

    Ray reads these when it is imported. If it was imported before, its own choice of a token stands.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")
    if "ray" in sys.modules:
        return
    if os.environ.setdefault("RAY_AUTH_MODE", "token") == "token" and address == LOCAL:
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))


def connect(address: str, n_cpus: int) -> bool:
    """Start a Ray, or connect to one. Returns whether it should be shut down in the end.

    A Ray that this process is connected to already is used as it is.
    """
    import ray

    if ray.is_initialized():
        return False
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    handler = signal.getsignal(signal.SIGTERM)
    try:
        if address == LOCAL:
            ray.init(address=LOCAL, num_cpus=n_cpus, include_dashboard=False, _node_ip_address=_LOOPBACK, **quiet)
        else:
            _check_listens(address)
            ray.init(address=address, **quiet)
    except Exception as error:
        what = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise ClusterError(
            f"Ray cannot be reached at {address}: {what}. Check that it runs there and that RAY_AUTH_MODE and its "
            "token are the same on all machines; see docs/cluster.md."
        ) from None
    if callable(handler) and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, handler)  # Ray's own would end the training without a checkpoint
    return True


def _check_listens(address: str) -> None:
    """Raise an OSError if nothing listens at host:port. Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_CONNECT).close()
