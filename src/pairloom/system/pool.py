"""Threads that take tasks from one queue, and futures that notice when the threads are gone.

An exception in a task reaches whoever asks for its result. A thread that ends for any other reason takes the result
with it: so every wait looks now and then whether all threads still live, and none waits for ever.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from pairloom.system.threads import SECONDS_BETWEEN_LOOKS

Result = TypeVar("Result")


class Task(Future[Result]):
    """A call of function(*args) that a thread of a crew makes some time."""

    def __init__(self, crew: "Crew", function: Callable[..., Result], args: tuple[Any, ...]) -> None:
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


class Crew:
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
