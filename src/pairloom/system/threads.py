"""Threads that work through lists. The kernels let go of Python's lock, so threads are all that it takes.

An exception in a task reaches whoever asks for its result. A thread that ends for any other reason takes the result
with it: so every wait looks now and then whether all threads still live, and none waits for ever.
"""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

SECONDS_BETWEEN_LOOKS = 0.25  # of whoever waits, at whether those who work still live


class Workers(Protocol):
    """What training asks of whoever does the work."""

    def map(self, function: Callable[..., Result], /, *iterables: Iterable[Any]) -> Iterator[Result]:
        """Like Python's map, in any order of working; results and exceptions come in the order of the items."""

    def submit(self, function: Callable[..., Result], /, *args: Any) -> Future[Result]:
        """Have function(*args) called some time; the future has its result or its exception."""

    def check(self) -> None:
        """Raise an error if somebody who should do the work no longer can."""


class _Here:
    """One thread is the one that asks, so that an interrupt finds it, also while Numba compiles.

    What goes wrong in `submit` is raised there, at once.
    """

    def map(self, function: Callable[..., Result], /, *iterables: Iterable[Any]) -> Iterator[Result]:
        return map(function, *iterables)

    def submit(self, function: Callable[..., Result], /, *args: Any) -> Future[Result]:
        future: Future[Result] = Future()
        future.set_result(function(*args))
        return future

    def check(self) -> None:
        """Whoever asks lives."""


class Task(Future[Result]):
    """A call of function(*args) that a thread of a crew makes some time."""

    def __init__(self, crew: "ThreadPool", function: Callable[..., Result], args: tuple[Any, ...]) -> None:
        super().__init__()
        self._crew, self._call = crew, (function, args)

    def run(self) -> None:
        """Make the call, unless it was called off."""
        function, args = self._call
        del self._call  # what it holds is the caller's again
        if not self.set_running_or_notify_cancel():
            return
        try:
            result = function(*args)
        except BaseException as error:
            self.set_exception(error)
            del self  # or the exception, whose traceback holds this frame, would hold itself
        else:
            self.set_result(result)

    def result(self, timeout: float | None = None) -> Result:
        """As of any future; and an error if nobody is left to make the call."""
        while timeout is None and not self.done():
            try:
                self.exception(SECONDS_BETWEEN_LOOKS)
            except TimeoutError:
                self._crew.check()
        try:
            return super().result(timeout)
        finally:
            del self  # as above


class ThreadPool:
    """So many threads, or fewer where the system gives no more: the results are the same for any number."""

    def __init__(self, threads: int) -> None:
        self._tasks: SimpleQueue[Task[Any] | None] = SimpleQueue()
        self._maker = threading.current_thread()
        self._threads: list[threading.Thread] = []
        try:
            while len(self._threads) < threads and self._start_thread(len(self._threads)):
                pass
        except BaseException:  # an interrupt, say
            self._dismiss()
            raise

    def _start_thread(self, number: int) -> bool:
        self._threads.append(threading.Thread(target=self._work, name=f"pairloom-{number}"))
        try:
            self._threads[-1].start()
        except RuntimeError:  # can't start new thread
            self._threads.pop()
            return False
        return True

    def __len__(self) -> int:
        return len(self._threads)

    def submit(self, function: Callable[..., Result], /, *args: Any) -> Task[Result]:
        """Have function(*args) called some time."""
        task = Task(self, function, args)
        self._tasks.put(task)
        return task

    def map(self, function: Callable[..., Result], /, *iterables: Iterable[Any]) -> Iterator[Result]:
        """All calls are begun in their order, and results come in that order; after an exception no more is begun."""
        tasks = [self.submit(function, *args) for args in zip(*iterables, strict=False)]
        return self._results(tasks[::-1])

    def _results(self, tasks: list[Task[Result]]) -> Iterator[Result]:
        try:
            while tasks:
                yield tasks.pop().result()
        finally:
            for task in tasks:
                task.cancel()

    def check(self) -> None:
        """Raise a RuntimeError if a thread has ended, and with it perhaps a task."""
        dead = [thread.name for thread in self._threads if not thread.is_alive()]
        if dead:
            raise RuntimeError(f"the thread {dead[0]} has ended without being told to")

    def close(self) -> None:
        """Call off what was not begun, and wait for what was."""
        self._dismiss()
        for thread in self._threads:
            thread.join()

    def _dismiss(self) -> None:
        try:
            with suppress(Empty):
                while task := self._tasks.get_nowait():
                    task.cancel()
        finally:
            for _ in self._threads:
                self._tasks.put(None)

    def _work(self) -> None:
        while (task := self._next_task()) is not None:
            task.run()
            del task  # not to be held while waiting for the next

    def _next_task(self) -> Task[Any] | None:
        """None if there is nothing more to do, or nobody whom to do it for."""
        while True:
            try:
                return self._tasks.get(timeout=SECONDS_BETWEEN_LOOKS)
            except Empty:
                if not self._maker.is_alive():
                    return None


@contextmanager
def workers(threads: int) -> Iterator[Workers]:
    """So many threads, which begin nothing new once the body has ended, be it by an error or an interrupt."""
    if threads == 1:
        yield _Here()
        return
    crew = ThreadPool(threads)
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
