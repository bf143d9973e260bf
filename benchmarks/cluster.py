"""Training on Ray beside the prediction of `pairloom plan`: bytes received, memory of a worker, and speed.

    python -m benchmarks.cluster corpus.txt --dims 100,300 --workers 2,4

Speed is that of workers with one thread on this machine, as a share of local training with as many threads; the two
are trained in turn. Bytes on the wire are those of the loopback interface between two raylets of this machine, with
everything that Ray itself sends.
"""

import argparse
import json
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pairloom
from pairloom.cluster.ray_executor import protect
from pairloom.progress import Progress


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
        corpus, workers=workers, threads=1, pairs_per_second=1e6, spare_copies="disk", **options
    ).asked
    last = trained(corpus, pairloom.RayExecutor("local", workers=workers), 1, options)
    own = predicted.memory_total - next(item.size for item in predicted.memory if "object store" in item.what)
    return {
        "workers": workers,
        "dim": options["dim"],
        "received, predicted MB": round(predicted.traffic.total / 1e6, 1),
        "received, measured MB": [round(worker.bytes_received / 1e6, 1) for worker in last.workers],
        "memory, predicted MB": round(own / 1e6),
        "memory, measured MB": [round(worker.memory / 1e6) for worker in last.workers],
        "waiting": [round(worker.seconds_waiting / worker.seconds_training, 3) for worker in last.workers],
    }


def speed(corpus: Path, workers: int, runs: int, options: dict[str, Any]) -> dict[str, Any]:
    """Words per second on Ray and locally, in turn, and the median of the ratios."""
    local, on_ray = [], []
    for _ in range(runs):
        local.append(trained(corpus, None, workers, options).words_per_second)
        executor = pairloom.RayExecutor("local", workers=workers)
        on_ray.append(trained(corpus, executor, 1, options).words_per_second)
    ratios = [there / here for there, here in zip(on_ray, local, strict=True)]
    return {
        "workers": workers,
        "dim": options["dim"],
        "local, words/s": [round(value) for value in local],
        "Ray, words/s": [round(value) for value in on_ray],
        "ratio, median": round(statistics.median(ratios), 3),
    }


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
        cluster.add_node(num_cpus=1, node_ip_address="127.0.0.2")
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
            print(json.dumps(speed(args.corpus, 2, args.runs, options)), flush=True)
        print(json.dumps(on_the_wire(args.corpus, options)), flush=True)


if __name__ == "__main__":
    main()
