"""Threads that work through lists. The kernels let go of Python's lock, so threads are all that it takes."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:  # 7 ms that only training needs
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")

SECONDS_BETWEEN_LOOKS = 0.25  # of whoever waits, at whether those who work still live


class Workers(Protocol):
    """What training asks of whoever does the work."""

    def map(self, function: Callable[..., Result], /, *iterables: Iterable[Any]) -> Iterator[Result]:
        """Like Python's map, in any order of working; results and exceptions come in the order of the items."""

    def submit(self, function: Callable[..., Result], /, *args: Any) -> "Future[Result]":
        """Have function(*args) called some time; the future has its result or its exception."""

    def check(self) -> None:
        """Raise an error if somebody who should do the work no longer can."""


class _Here:
    """One thread is the one that asks, so that an interrupt finds it, also while Numba compiles.

    What goes wrong in `submit` is raised there, at once.
    """

    def map(self, function: Callable[..., Result], /, *iterables: Iterable[Any]) -> Iterator[Result]:
        return map(function, *iterables)

    def submit(self, function: Callable[..., Result], /, *args: Any) -> "Future[Result]":
        from concurrent.futures import Future

        future: Future[Result] = Future()
        future.set_result(function(*args))
        return future

    def check(self) -> None:
        """Whoever asks lives."""


@contextmanager
def workers(threads: int) -> Iterator[Workers]:
    """So many threads, which begin nothing new once the body has ended, be it by an error or an interrupt."""
    if threads == 1:
        yield _Here()
        return
    from pairloom.system.pool import Crew

    crew = Crew(threads)
    try:
        yield crew if len(crew) else _Here()
    finally:
        crew.close()


def relay(
    pool: Workers,
    runners: int,
    laps: range,
    run: Callable[[int, int], Result],
    enough: Callable[[], bool] = lambda: False,
) -> Generator[Result, None, int]:
    """run(lap, runner) for every lap of every runner; the results as they come; in the end the lap that would be next.

    A runner begins a lap when itself and the runner after it (after the last, the first) have ended the lap before. So
    the fast wait for a neighbour at times, but never for everybody. Once it is enough, all end at the same lap.
    """
    begun, ended, end = [laps.start] * runners, [laps.start] * runners, laps.stop
    arrivals: SimpleQueue[tuple[int, Future[Result]]] = SimpleQueue()

    def begin(runner: int) -> None:
        lap = ended[runner]
        if begun[runner] == lap < end and ended[(runner + 1) % runners] >= lap:
            begun[runner] += 1
            pool.submit(run, lap, runner).add_done_callback(lambda future: arrivals.put((runner, future)))

    for runner in range(runners):
        begin(runner)
    while min(ended) < end:
        runner, future = _next(arrivals, pool)
        ended[runner] += 1
        if enough():
            end = min(end, max(begun))
        begin(runner)
        begin((runner - 1) % runners)
        yield future.result()
    return end


def _next(arrivals: SimpleQueue[Result], pool: Workers) -> Result:
    """What arrives next; an error if there is nobody left whom one could wait for."""
    while True:
        try:
            return arrivals.get(timeout=SECONDS_BETWEEN_LOOKS)
        except Empty:
            pool.check()


def in_order(function: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """map(function, items) on several threads, with few items in flight. An exception ends it at once."""
    if threads == 1:
        yield from map(function, items)
        return
    in_flight: deque[Future[Result]] = deque()
    with workers(threads) as pool:
        for item in items:
            in_flight.append(pool.submit(function, item))
            while in_flight and (len(in_flight) > 2 * threads or in_flight[0].done()):  # so that errors show at once
                yield in_flight.popleft().result()
        while in_flight:
            yield in_flight.popleft().result()


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold OpenMP and BLAS to one thread: several would add up a centre in the order in which they happen to end."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield
