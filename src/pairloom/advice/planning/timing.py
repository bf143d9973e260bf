"""How long a call takes, on a machine that does nothing else."""

import statistics
import time
from collections.abc import Callable

SECONDS = 0.3
FEWEST_TIMES = 4


def cpu_seconds(work: Callable[[], object]) -> float:
    """The lower quartile of the CPU time of a call, all threads together. The call is made for SECONDS.

    CPU time hardly depends on other programs, which may use the machine now and not later. What depends on them,
    for example how long a thread waits for another one that has lost its core, only adds to it.
    """
    times: list[float] = []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(times) < FEWEST_TIMES:
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return statistics.quantiles(times, n=4)[0]
