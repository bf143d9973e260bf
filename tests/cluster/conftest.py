"""A Ray cluster on this machine, for the tests of one module; and a text and pairs to train on."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="module")
def machines() -> Iterator[Callable[[int], None]]:
    """A function that makes sure that the cluster has n machines or more, each with one CPU."""
    ray = pytest.importorskip("ray", reason="the extra ray is not installed")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        ray.init(address=cluster.address, log_to_driver=False, include_dashboard=False)

        def grow_to(n: int) -> None:
            while len(cluster.list_all_nodes()) < n:
                cluster.add_node(num_cpus=1)
            cluster.wait_for_nodes()

        yield grow_to
    finally:
        ray.shutdown()
        cluster.shutdown()


@pytest.fixture(scope="session")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some thousand sentences in which a few words are hubs."""
    rng = np.random.default_rng(1)
    words = np.array([f"w{i}" for i in range(1500)])
    p = 1 / np.arange(1, 1501) ** 1.1
    lines = [" ".join(rng.choice(words, 12, p=p / p.sum())) for _ in range(4000)]
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="session")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weighted pairs of 600 words and 300 contexts."""
    rng = np.random.default_rng(2)
    drawn = zip(rng.zipf(1.3, 60_000) % 600, rng.zipf(1.4, 60_000) % 300, rng.integers(1, 4, 60_000), strict=True)
    path = tmp_path_factory.mktemp("pairs") / "pairs.tsv"
    path.write_text("".join(f"w{w}\tc{c}\t{weight}\n" for w, c, weight in drawn))
    return path
