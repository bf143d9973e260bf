"""How fast rows come from memory, and go back, in the order of training: what binds a large vocabulary.

    python -m benchmarks.random_rows --rows 2000000 --dim 300

Rows are picked at random, in batches, and every number of a row is read, multiplied by 1 and written back. The rows of
a later batch are prefetched first, as in training, but there is no other arithmetic. So training with rows that are in
no cache cannot move more rows a second than this. Rows of a small matrix show what the moving itself takes.
"""

import argparse
import re
import statistics
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.setting import markdown
from pairloom.cluster.holder import aligned_zeros
from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, prefetch
from pairloom.kernel.simd import LANES, broadcast, load, multiply, store
from pairloom.system.threads import on_spans

LINE = 16  # floats
BATCH = 12  # rows of a batch of six pairs of one context, with 5 negatives
BATCHES = 40_000
SMALL = 256  # rows that fit the core's own cache


@njit(nogil=True, cache=True)
def _move(rows, picked, begin, end, ahead, one):
    """Read and write back the rows picked[begin:end], a batch of BATCH rows after the other."""
    p, stride, factor = address(rows), rows.shape[1], broadcast(one)
    for batch in range(begin, end, BATCH):
        for i in range(batch + ahead * BATCH, min(batch + (ahead + 1) * BATCH, end) if ahead else 0):
            for line in range(0, stride, LINE):
                prefetch(p, picked[i] * stride + line)
        for i in range(batch, batch + BATCH):
            for column in range(picked[i] * stride, (picked[i] + 1) * stride, LANES):
                store(p, column, multiply(factor, load(p, column)))


def _seconds(rows: npt.NDArray[np.float32], n: int, ahead: int, threads: int, turn: int) -> float:
    """Seconds to move BATCHES batches of rows among the first n. No two threads move the same row."""
    picked = np.random.default_rng(turn).integers(0, n // threads, BATCHES * BATCH)
    share = BATCHES * BATCH // threads
    for thread in range(1, threads):
        picked[thread * share :] += n // threads
    began = time.perf_counter()
    on_spans(lambda b, e: _move(rows, picked, b, e, ahead, np.float32(1)), len(picked), share, threads)
    return time.perf_counter() - began


def _in_huge_pages() -> float:
    """The share of this process's anonymous memory that is in huge pages (Linux)."""
    sizes = dict(re.findall(r"(\w+): +(\d+) kB", Path("/proc/self/smaps_rollup").read_text()))
    return int(sizes["AnonHugePages"]) / int(sizes["Anonymous"])


def main() -> None:
    """Measure all cases in turn and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--repeat", type=int, default=9)
    args = parser.parse_args()
    stride = -(-args.dim // LINE) * LINE
    rows = aligned_zeros(args.rows * stride).reshape(args.rows, stride)
    rows[:] = 1
    cases = [(n, ahead, threads) for n in (SMALL, args.rows) for ahead in (0, 1, 2, 4) for threads in (1, 2)]
    seconds: dict[tuple[int, int, int], list[float]] = {case: [] for case in cases}
    for turn in range(args.repeat + 1):
        for case in cases:
            took = _seconds(rows, *case, turn)
            seconds[case] += [took] if turn else []
    cells = []
    for (n, ahead, threads), some in seconds.items():
        rate = BATCHES * BATCH / statistics.median(some)
        moved = f"{2 * 4 * stride * rate / 1e9:.1f} GB/s"
        cells.append([f"{n:,}", str(ahead), str(threads), f"{rate / 1e6:.1f} M", f"{1e9 / rate:.0f} ns", moved])
    print(markdown(["rows", "batches ahead", "threads", "rows/s", "a row", "read and written"], cells))
    print(f"\n{4 * stride} bytes a row, {_in_huge_pages():.0%} of the memory in huge pages.")


if __name__ == "__main__":
    main()
