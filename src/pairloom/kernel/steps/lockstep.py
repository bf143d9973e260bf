"""Threads in lockstep: each trains some columns of all rows, and together they add up the inner products.

The columns are cut into slices of about two cache lines. An inner product is the sum of its parts, one for each slice:

    u·v = Σ_s Σ_{i in slice s} u_i v_i

Examples are trained in small batches. For each batch, a thread

    1. waits until all threads have written their parts of its inner products;
    2. computes its slices' parts of the products of the next batch, from rows as they are, and writes them for all;
    3. adds up the parts of this batch, slice by slice, and moves its own columns, one example after the other.

So the rows of a batch have not yet moved with the batch before it when its products are taken. Without this delay,
threads would wait each time until what others wrote has come from their caches.

What is in a slice and in a batch is fixed, so it does not matter which thread has which slices. Each thread keeps its
columns in matrices of its own. Where two threads train different lines of one row, the CPU prefetches lines next to
those it was asked for, and they move back and forth: two threads took three times as long as one.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.memory import give_way, number_now, prefetch, take_number
from pairloom.kernel.simd import add, load
from pairloom.kernel.steps.six import LINE

LINES_OF_A_SLICE = 2  # at least. Shorter slices could go to more threads, but there would be more parts to add up
LARGEST_BATCH = 16  # larger ones are no faster, and their rows leave the first-level cache
_STEPS_AT_ONCE = 1.0
BATCHES = 3  # whose parts are kept: one thread may be at the next but one while another still reads
_SPINS = 1000  # looks at the counter before a waiting thread lets others run
_ARRIVED, _STOPPED = 0, 64  # bytes from the begin of `Lockstep.progress`, in cache lines of their own


class Lockstep(NamedTuple):
    """What one thread needs to know to train in lockstep with others."""

    edges: npt.NDArray[np.int64]  # where its slices begin among its own columns, and where the last one ends
    first: int  # the number of its first slice among all slices
    threads: int
    progress: npt.NDArray[np.int64]  # of all threads: how often one has arrived, and whether they are to stop
    parts: npt.NDArray[np.float32]  # of all threads, (BATCHES, slices, n): parts of inner products


def batch_size(lr: float, steps: float) -> int:
    """How many examples are in a batch, if each of them moves the most frequent row `steps` times on average.

    Up to two batches of steps are taken from the same place. If they came to more than a row needs to get where it is
    pulled, it would overshoot, farther each time. (Hierarchical softmax on Wikipedia: lr * steps of 1.6 was as good as
    one step after the other, 4.6 diverged.)

    >>> batch_size(0.05, 0.06), batch_size(0.05, 1), batch_size(0.15, 3)
    (16, 10, 1)
    """
    return max(1, min(LARGEST_BATCH, int(_STEPS_AT_ONCE / max(2 * lr * steps, 1e-9))))


def slice_edges(width: int) -> npt.NDArray[np.int64]:
    """The columns at which slices of rows begin, and the width. The number of slices is a power of two.

    >>> slice_edges(104).tolist()
    [0, 16, 48, 80, 104]
    """
    lines, slices = -(-width // LINE), 1
    while 2 * slices * LINES_OF_A_SLICE <= lines + 1:
        slices *= 2
    return np.minimum(np.arange(slices + 1) * lines // slices * LINE, width)


def locksteps(edges: npt.NDArray[np.int64], products: int, threads: int) -> list[Lockstep]:
    """A `Lockstep` for each of `threads` threads, of which there are at most as many as slices.

    products: inner products of a batch, at most.
    """
    slices = len(edges) - 1
    progress, parts = np.zeros(16, np.int64), np.zeros((BATCHES, slices, -(-products // LINE) * LINE), np.float32)
    firsts = [slices * thread // threads for thread in range(threads + 1)]
    return [
        Lockstep(edges[first : last + 1] - edges[first], first, threads, progress, parts)
        for first, last in pairwise(firsts)
    ]


def begin(steps: list[Lockstep]) -> None:
    """Set the counters back. No thread may be at work."""
    steps[0].progress[:] = 0


def stop(steps: list[Lockstep]) -> None:
    """Let threads return that wait for others."""
    steps[0].progress[_STOPPED // 8] = 1


@njit(nogil=True, cache=True)
def arrive(progress):
    """Say that this thread's parts of a batch are written. progress: the address of `Lockstep.progress`."""
    take_number(progress + _ARRIVED)


@njit(nogil=True, cache=True)
def all_arrived(progress, times):
    """Wait until threads have arrived this often. Returns whether they have, and not been stopped before."""
    spins = 0
    while number_now(progress + _ARRIVED) < times:
        spins += 1
        if spins > _SPINS:
            if number_now(progress + _STOPPED) != 0:
                return False
            give_way()
    return True


@njit(nogil=True, cache=True)
def ask_for_parts(parts, apart, slices, n):
    """Prefetch the parts of n inner products, which come from the caches of other cores. apart: from slice to slice."""
    for i in range(0, n, LINE):
        for s in range(slices):
            prefetch(parts, apart * s + i)


@njit(nogil=True, cache=True)
def add_parts(parts, apart, slices, i):
    """The eight inner products from number i on."""
    x = load(parts, i)
    for s in range(1, slices):
        x = add(x, load(parts, apart * s + i))
    return x
