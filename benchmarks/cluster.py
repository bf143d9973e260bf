"""Training on Ray beside the prediction of `pairloom plan`: bytes received, memory of a worker, and speed.

    python -m benchmarks.cluster corpus.txt --dims 100,300 --workers 2,4

Speed is that of workers with one thread on this machine, as a share of local training with as many threads; the two
are trained in turn. Only rounds are timed, not the start of Ray. There are three figures: a long round, all rounds of
three epochs, and those of the first epoch, half of which are short.

Bytes on the wire are those of the loopback interface between two raylets of this machine, with everything that Ray
itself sends. (On one address, workers would use Unix sockets, which are not in it.)
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pairloom
from pairloom.cluster.driver import Driver
from pairloom.cluster.executor import ThreadExecutor, Trained, Watch
from pairloom.cluster.ray_executor import protect
from pairloom.cluster.rounds import RoundTask
from pairloom.progress import Progress

EPOCHS_FOR_SPEED = 3  # at least: the short rounds of the first then weigh as little as in a usual training


class Seen:
    """The last report of a training, and what has passed the loopback interface since the first one."""

    def __init__(self) -> None:
        self.last: Progress | None = None
        self.first_bytes = self.bytes = 0

    def __call__(self, progress: Progress) -> None:
        if progress.stage == "train":
            self.first_bytes = self.first_bytes or loopback()
            self.last, self.bytes = progress, loopback() - self.first_bytes


def trained(corpus: Path, executor: Any, threads: int, options: dict[str, Any]) -> Progress:
    """Train, and return the last report."""
    return watched(corpus, executor, threads, options)[0]


def watched(corpus: Path, executor: Any, threads: int, options: dict[str, Any]) -> tuple[Progress, int]:
    """Train, and return the last report and the bytes of the loopback interface up to it."""
    seen = Seen()
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "vectors.loom"
        pairloom.train(corpus, executor=executor, threads=threads, output=output, on_progress=seen, **options)
    assert seen.last is not None
    return seen.last, seen.bytes


def beside_the_plan(corpus: Path, workers: int, options: dict[str, Any]) -> dict[str, Any]:
    """One training on a local Ray: bytes received and memory, predicted and measured."""
    predicted = pairloom.plan(
        corpus, workers=workers, threads=1, pairs_per_second=1e6, spare_copies="machine", **options
    ).asked
    last = trained(corpus, pairloom.RayExecutor("local", workers=workers), 1, options)
    return {
        "workers": workers,
        "dim": options["dim"],
        "received, predicted MB": round(predicted.traffic.total / 1e6, 1),
        "received, measured MB": [round(worker.bytes_received / 1e6, 1) for worker in last.workers],
        "memory, predicted MB": round(predicted.memory_total / 1e6),
        "memory, measured MB": [round(worker.memory / 1e6) for worker in last.workers],
        "waiting": [round(worker.seconds_waiting / worker.seconds_training, 3) for worker in last.workers],
    }


class RoundTime(NamedTuple):
    """A round that was trained."""

    epoch: int
    positions: int
    seconds: float


def speed(corpus: Path, workers: int, runs: int, options: dict[str, Any]) -> dict[str, Any]:
    """How fast rounds are trained on Ray, as a share of the local speed. Each figure is a median over the runs.

    The first rounds of a training are shorter than the others (`pairs/blocks.py`). A long one has at least 0.9 of the
    words of the longest.
    """
    local, on_ray = [], []
    for _ in range(runs):
        local.append(timed(ThreadExecutor, corpus, None, workers, options))
        on_ray.append(timed(Driver, corpus, pairloom.RayExecutor("local", workers=workers), 1, options))
    every = [*zip(on_ray, local, strict=True)]
    return {
        "workers": workers,
        "dim": options["dim"],
        "a long round": _median(_long(here) / _long(there) for there, here in every),
        f"{options['epochs']} epochs": _median(_total(here) / _total(there) for there, here in every),
        "the first epoch": _median(_total(here, 1) / _total(there, 1) for there, here in every),
        "a long round on Ray, s": [round(_long(there), 3) for there in on_ray],
        "a long round locally, s": [round(_long(here), 3) for here in local],
        "the short rounds on Ray, s": [_short(there) for there in on_ray],
        "the short rounds locally, s": [_short(here) for here in local],
    }


def timed(
    trains: type[ThreadExecutor] | type[Driver], corpus: Path, executor: Any, threads: int, options: dict[str, Any]
) -> list[RoundTime]:
    """Train, and return how long each round took."""
    rounds, train = [], trains.train

    def measured(self: Any, task: RoundTask, watch: Watch) -> Trained:
        began = time.perf_counter()
        done = train(self, task, watch)
        positions = task.a_round.end - task.a_round.begin
        if positions > 1000:  # kernels are made ready on a few words
            rounds.append(RoundTime(task.draws, positions, time.perf_counter() - began))
        return done

    with mock.patch.object(trains, "train", measured):
        trained(corpus, executor, threads, options)
    return rounds


def _is_long(one: RoundTime, rounds: list[RoundTime]) -> bool:
    return one.positions >= 0.9 * max(other.positions for other in rounds)


def _long(rounds: list[RoundTime]) -> float:
    """The seconds of a long round."""
    return statistics.median(one.seconds for one in rounds if _is_long(one, rounds))


def _short(rounds: list[RoundTime]) -> list[float]:
    """The seconds of each round that is not long."""
    return [round(one.seconds, 2) for one in rounds if not _is_long(one, rounds)]


def _total(rounds: list[RoundTime], epochs: int | None = None) -> float:
    """The seconds of all rounds, or of those of the first epochs."""
    return sum(one.seconds for one in rounds if epochs is None or one.epoch < epochs)


def _median(ratios: Iterable[float]) -> float:
    return round(statistics.median(ratios), 3)


def on_the_wire(corpus: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Two workers on two raylets, with copies on workers: what passes the loopback interface, and the prediction."""
    predicted = pairloom.plan(corpus, workers=2, threads=1, pairs_per_second=1e6, **options).asked
    with two_raylets() as address:
        executor = pairloom.RayExecutor(address, workers=2)
        trained(corpus, executor, 1, options | {"epochs": 1})  # compiles, and sends the text
        last, on_wire = watched(corpus, executor, 1, options)
    return {
        "dim": options["dim"],
        "predicted MB": round(2 * predicted.traffic.total / 1e6, 1),
        "received by workers MB": round(sum(worker.bytes_received for worker in last.workers) / 1e6, 1),
        "on the wire MB": round(on_wire / 1e6, 1),
    }


@contextmanager
def two_raylets() -> Iterator[str]:
    """Two raylets on this machine, with a CPU for one worker each."""
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 1, "include_dashboard": False, "node_ip_address": "127.0.0.2"}
    cluster: Any = Cluster(initialize_head=True, head_node_args=head)
    try:
        cluster.add_node(num_cpus=1, node_ip_address="127.0.0.3")
        yield cluster.address
    finally:
        cluster.shutdown()


def loopback() -> int:
    """Bytes that the loopback interface has received so far."""
    lines = Path("/proc/net/dev").read_text().splitlines()
    return next(int(line.split(":")[1].split()[0]) for line in lines if line.strip().startswith("lo:"))


def main() -> None:
    """Print one JSON a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--dims", default="100,300")
    parser.add_argument("--workers", default="2,4")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3, help="of each, for the speed; 0 leaves it out")
    args = parser.parse_args()
    protect("local")
    for dim in map(int, args.dims.split(",")):
        options = {"dim": dim, "epochs": args.epochs}
        for workers in map(int, args.workers.split(",")):
            print(json.dumps(beside_the_plan(args.corpus, workers, options)), flush=True)
        if args.runs:
            epochs = max(args.epochs, EPOCHS_FOR_SPEED)
            print(json.dumps(speed(args.corpus, 2, args.runs, options | {"epochs": epochs})), flush=True)
        print(json.dumps(on_the_wire(args.corpus, options)), flush=True)


if __name__ == "__main__":
    main()
