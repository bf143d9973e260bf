"""How long a call takes."""

import statistics
import time
from collections.abc import Callable

SECONDS = 0.5
FEWEST_TIMES = 3


def seconds_of(work: Callable[[], object]) -> float:
    """The median time of a call, which is made again for SECONDS in all, and FEWEST_TIMES at least."""
    times: list[float] = []
    while sum(times) < SECONDS or len(times) < FEWEST_TIMES:
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)
