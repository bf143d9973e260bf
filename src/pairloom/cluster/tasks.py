"""Read the files of a corpus on the machines of a Ray cluster.

Some pieces of files are one task, which takes one CPU and sends its results while it reads. Reading a piece twice does
no harm, so Ray may run a task again, on another machine, when its process or its machine dies.
"""

import unicodedata
import warnings
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from typing import Any, NamedTuple

from pairloom import __version__
from pairloom.corpus.finding import SourceFile
from pairloom.corpus.reading import PieceFunction, Pieces, Result, WorkerError
from pairloom.errors import ConfigError, CorpusWarning
from pairloom.system.extras import need

_RETRIES = 3  # of a task whose process or machine died


class RayReading:
    """A `Reading` on the Ray cluster that this process is connected to (`ray.init`)."""

    def __init__(self) -> None:
        self._ray = need("ray", "ray", "Reading on a cluster")
        if not self._ray.is_initialized():
            raise ConfigError("This process is not connected to a Ray cluster. Call ray.init first.")
        self._readable: dict[tuple[SourceFile, ...], bool] = {}

    def can_read(self, files: Sequence[SourceFile]) -> bool:
        """Whether every machine sees the files. If one does not, a warning names it, once for the same files."""
        key = tuple(files)
        if key not in self._readable:
            unseen = next((found for found in self._on_every_machine(files) if found.unseen), None)
            if unseen is not None:
                warnings.warn(
                    f"{unseen.unseen} is read by this machine alone, since worker {unseen.host} cannot see it. "
                    "Put it on storage that all share.",
                    CorpusWarning,
                    stacklevel=5,
                )
            self._readable[key] = unseen is None
        return self._readable[key]

    def map(self, function: PieceFunction[Result], groups: Sequence[Pieces]) -> Generator[Iterator[Result], None, None]:
        """The results of function(pieces) for each group, in order. Two tasks for each CPU are under way."""
        task = self._ray.remote(num_cpus=1, num_returns="streaming", max_retries=_RETRIES)(_run)
        shared = self._ray.put(function)  # a vocabulary is sent once to each machine, not once for each task
        most = 2 * max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        under_way: deque[Any] = deque()
        try:
            for pieces in groups:
                under_way.append(task.remote(shared, pieces))
                if len(under_way) >= most:
                    yield self._results(under_way.popleft())
            while under_way:
                yield self._results(under_way.popleft())
        finally:
            if self._ray.is_initialized():  # an interrupted run may have closed the connection before
                for stream in under_way:
                    self._ray.cancel(stream)

    def _results(self, stream: Any) -> Iterator[Any]:
        try:
            for result in stream:
                yield self._ray.get(result)
        except self._ray.exceptions.RayError as error:
            raise WorkerError(str(error)) from error

    def _on_every_machine(self, files: Sequence[SourceFile]) -> Iterator["_Found"]:
        """What each machine of the cluster finds. Machines without CPUs run no tasks."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        task, shared = self._ray.remote(num_cpus=0)(_look), self._ray.put(files)  # waits for no other work
        machines = [node for node in self._ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
        places = [NodeAffinitySchedulingStrategy(node["NodeID"], soft=False) for node in machines]
        looks = [task.options(scheduling_strategy=place).remote(shared) for place in places]
        for node, look in zip(machines, looks, strict=True):
            try:
                found: _Found = self._ray.get(look)
            except self._ray.exceptions.RayError as error:
                reason = str(error).strip().splitlines()[-1]
                raise ConfigError(
                    f"Worker {node['NodeManagerHostname']} cannot run pairloom ({reason}). Install it there."
                ) from None
            _check_versions(found)
            yield found


class _Found(NamedTuple):
    """What a machine finds."""

    host: str
    version: str
    unicode: str  # decides on white space and case
    unseen: str | None  # the first file that is not there, or another one


def _look(files: Sequence[SourceFile]) -> _Found:
    import platform

    unseen = next((file.name for file in files if not file.is_here()), None)
    return _Found(platform.node(), __version__, unicodedata.unidata_version, unseen)


def _check_versions(found: _Found) -> None:
    """Refuse machines whose words could be other words."""
    here = ("pairloom", __version__), ("Unicode", unicodedata.unidata_version)
    for (what, version), there in zip(here, (found.version, found.unicode), strict=True):
        if there != version:
            raise ConfigError(
                f"Worker {found.host} has {what} {there}, and this machine has {version}. "
                "Install the same pairloom on the same Python everywhere."
            )


def _run(function: PieceFunction[Result], pieces: Pieces) -> Iterator[Result]:
    yield from function(pieces)
