"""A Ray cluster on this machine, for the tests of one module."""

from collections.abc import Callable, Iterator

import pytest

SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": "0123456789abcdef0123456789abcdef",  # or else Ray writes one into the home folder
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}


@pytest.fixture(scope="module")
def machines() -> Iterator[Callable[[int], None]]:
    """A function that makes sure that the cluster has n machines or more, each with one CPU."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in SETTINGS.items():  # Ray reads them when it is imported
            patch.setenv(name, value)
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
