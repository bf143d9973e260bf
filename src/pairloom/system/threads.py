"""Threads that run tasks. The kernels release Python's global lock, so threads are enough to use all cores.

An exception in a task is raised again where its result is read. A thread that dies in any other way loses its task, so
everything that waits for a result checks regularly that all threads are alive. Nothing waits for ever.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from itertools import pairwise
from queue import Empty, SimpleQueue
from typing import Any, Protocol, TypeVar

import numpy as np

Item = TypeVar("Item")
Result = TypeVar("Result")

SECONDS_BETWEEN_CHECKS = 0.25  # how often a waiting thread checks that the threads it depends on are alive


class Workers(Protocol):
    """What training needs from the threads that do its work."""

    def map(self, function: Callable[..., Result], /, *iterables: Iterable[Any]) -> Iterator[Result]:
        """Like Python's map. Calls may run in any order; results and exceptions come in the order of the items."""

    def submit(self, function: Callable[..., Result], /, *args: Any) -> Future[Result]:
        """Schedule function(*args). The future holds its result or its exception."""

    def check(self) -> None:
        """Raise an error if a thread has died."""


# --- The pool


class Task(Future[Result]):
    """A call function(*args) that waits for a thread of a pool."""

    def __init__(self, pool: "ThreadPool", function: Callable[..., Result], args: tuple[Any, ...]) -> None:
        super().__init__()
        self._pool, self._call = pool, (function, args)

    def run(self) -> None:
        """Make the call, unless it was cancelled."""
        function, args = self._call
        del self._call  # frees the arguments as soon as the call is done
        if not self.set_running_or_notify_cancel():
            return
        try:
            result = function(*args)
        except BaseException as error:
            self.set_exception(error)
            del self  # breaks a cycle: the exception's traceback holds this frame, which holds the task
        else:
            self.set_result(result)

    def result(self, timeout: float | None = None) -> Result:
        """Like `Future.result`, but raises an error if a thread of the pool has died."""
        while timeout is None and not self.done():
            try:
                self.exception(SECONDS_BETWEEN_CHECKS)
            except TimeoutError:
                self._pool.check()
        try:
            return super().result(timeout)
        finally:
            del self  # breaks the same cycle as in `run`


class ThreadPool:
    """`threads` threads, or as many as the system allows. Results do not depend on their number."""

    def __init__(self, threads: int) -> None:
        self._tasks: SimpleQueue[Task[Any] | None] = SimpleQueue()
        self._creator = threading.current_thread()
        self._closing = False
        self._threads: list[threading.Thread] = []
        try:
            while len(self._threads) < threads and self._start_thread(len(self._threads)):
                pass
        except BaseException:  # for example an interrupt
            self._stop_threads()
            raise

    def _start_thread(self, number: int) -> bool:
        self._threads.append(threading.Thread(target=self._work, name=f"pairloom-{number}"))
        try:
            self._threads[-1].start()
        except RuntimeError:  # "can't start new thread"
            self._threads.pop()
            return False
        return True

    def __len__(self) -> int:
        return len(self._threads)

    def submit(self, function: Callable[..., Result], /, *args: Any) -> Task[Result]:
        """Schedule function(*args)."""
        task = Task(self, function, args)
        self._tasks.put(task)
        return task

    def map(self, function: Callable[..., Result], /, *iterables: Iterable[Any]) -> Iterator[Result]:
        """Start all calls in order and yield their results in order. After an exception no further call starts."""
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
        """Raise a RuntimeError if a thread has died: its task may be lost."""
        dead = [thread.name for thread in self._threads if not thread.is_alive()]
        if dead:
            raise RuntimeError(f"Thread {dead[0]} has ended unexpectedly, and its task may be lost. Run this again.")

    def close(self) -> None:
        """Cancel the tasks that have not started and wait for the others, which `stop_if_cancelled` may end sooner."""
        self._closing = True
        self._stop_threads()
        for thread in self._threads:
            thread.join()

    def _stop_threads(self) -> None:
        try:
            with suppress(Empty):
                while task := self._tasks.get_nowait():
                    task.cancel()
        finally:
            for _ in self._threads:
                self._tasks.put(None)

    def _work(self) -> None:
        _here.pool = self
        while (task := self._next_task()) is not None:
            task.run()
            del task  # frees it before the wait for the next one

    def _next_task(self) -> Task[Any] | None:
        """The next task; None when the pool is closed or the thread that made the pool has ended."""
        while True:
            try:
                return self._tasks.get(timeout=SECONDS_BETWEEN_CHECKS)
            except Empty:
                if not self._creator.is_alive():
                    return None


_here = threading.local()  # its `pool` is that of the current thread


def stop_if_cancelled() -> None:
    """For tasks that may take longer than a second: end this one if its pool is being closed, for example by Ctrl-C."""
    pool: ThreadPool | None = getattr(_here, "pool", None)
    if pool is not None and pool._closing:
        raise CancelledError


class _CallingThread:
    """Workers without threads: each task runs at once in the caller's thread.

    An interrupt (Ctrl-C) reaches the task directly, even while Numba compiles. Exceptions are raised by `submit`.
    """

    def map(self, function: Callable[..., Result], /, *iterables: Iterable[Any]) -> Iterator[Result]:
        return map(function, *iterables)

    def submit(self, function: Callable[..., Result], /, *args: Any) -> Future[Result]:
        future: Future[Result] = Future()
        future.set_result(function(*args))
        return future

    def check(self) -> None:
        """Nothing to check: the caller runs the tasks itself."""


@contextmanager
def workers(threads: int) -> Iterator[Workers]:
    """`threads` threads for the duration of the body. When it ends, also by an error, no further task starts."""
    if threads == 1:
        yield _CallingThread()
        return
    pool = ThreadPool(threads)
    try:
        yield pool if len(pool) else _CallingThread()
    finally:
        pool.close()


@contextmanager
def helpers(threads: int) -> Iterator[Workers]:
    """`workers` for a caller that works as one of the `threads` threads itself."""
    pool = ThreadPool(threads - 1)
    try:
        yield pool if len(pool) else _CallingThread()
    finally:
        pool.close()


# --- Ways to spread work over threads


def in_order(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    threads: int,
    stop: Callable[[], object] = lambda: None,
) -> Iterator[Result]:
    """map(function, items) on `threads` threads, reading only a few items ahead. Stops at the first exception.

    stop: called at an exception, before waiting for the calls that still run. It may make them end sooner.
    """
    if threads == 1:
        yield from map(function, items)
        return
    in_flight: deque[Future[Result]] = deque()
    with workers(threads) as pool:
        try:
            for item in items:
                in_flight.append(pool.submit(function, item))
                # Results that are ready go out at once, so that an error is not held back by slow items.
                while in_flight and (len(in_flight) > 2 * threads or in_flight[0].done()):
                    yield in_flight.popleft().result()
            while in_flight:
                yield in_flight.popleft().result()
        except BaseException:
            stop()
            raise


def on_spans(function: Callable[[int, int], object], n: int, size: int, threads: int) -> None:
    """function(begin, end) for 0..n cut into spans of `size`, the last up to twice as long, on `threads` threads.

    The calling thread is one of them. If it only waited, two new threads on two cores could be placed on the same core
    and stay there for some milliseconds, which is longer than a search takes.
    """
    edges = [*range(0, max(n - size, 0) + 1, size)]
    left = iter([*pairwise([*edges, n])])

    def work() -> None:
        for begin, end in left:
            function(begin, end)

    pool = ThreadPool(min(threads, len(edges)) - 1)
    try:
        others = [pool.submit(work) for _ in range(len(pool))]
        work()
        for other in others:
            other.result()
    finally:
        pool.close()


# --- Other libraries' threads


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit OpenMP and BLAS to one thread. With several, sums depend on the order in which their threads end."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def spans(n: int, pieces: int) -> list[tuple[int, int]]:
    """0..n cut into at most `pieces` ranges of nearly equal length.

    >>> spans(5, 2)
    [(0, 2), (2, 5)]
    """
    edges = np.linspace(0, n, min(n, pieces) + 1).astype(int).tolist()
    return list(pairwise(edges))
