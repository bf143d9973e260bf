"""Threads that compute answers, so that the event loop is free for other requests, and a cache of the answers."""

import asyncio
import threading
import weakref
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import Any

MOST_BYTES = 64 << 20  # of cached answers
LARGEST = 4 << 20  # larger answers are not kept
THREADS = 2


Calls = SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]  # None ends a thread


class DaemonThreads(Executor):
    """Threads that do not keep the process alive: Ctrl-C ends it, even in the middle of a long answer.

    They end when nothing refers to this object any more, so an application that is dropped leaves none behind.
    """

    def __init__(self, threads: int = THREADS) -> None:
        self._calls: Calls = SimpleQueue()
        for number in range(threads):
            name = f"pairloom-answers-{number}"
            threading.Thread(target=_work, args=(self._calls,), name=name, daemon=True).start()
        weakref.finalize(self, _end, self._calls, threads)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Schedule fn(*args, **kwargs)."""
        future: Future[Any] = Future()
        self._calls.put((future, lambda: fn(*args, **kwargs)))
        return future


def _work(calls: Calls) -> None:
    while (call := calls.get()) is not None:
        future, compute = call
        if not future.set_running_or_notify_cancel():
            continue
        try:
            result = compute()
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)
        del future, compute, call


def _end(calls: Calls, threads: int) -> None:
    for _ in range(threads):
        calls.put(None)


class KeptAnswers:
    """Answers by question: those kept, the oldest question leaving first, and those being computed.

    Equal questions at the same time are computed once. All of this happens in the thread of the event loop.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._executor = DaemonThreads()
        self._most_bytes, self._bytes = most_bytes, 0
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._running: dict[Hashable, asyncio.Future[bytes]] = {}
        self.hits = self.misses = 0

    def kept(self, question: Hashable) -> bytes | None:
        """The answer, if it is kept."""
        answer = self._kept.get(question)
        if answer is not None:
            self.hits += 1
            self._kept.move_to_end(question)
        return answer

    async def computed(self, question: Hashable, compute: Callable[[], bytes]) -> bytes:
        """The answer by `compute`, in another thread."""
        running = self._running.get(question)
        if running is None:
            self.misses += 1
            running = asyncio.get_running_loop().run_in_executor(self._executor, compute)
            self._running[question] = running
            running.add_done_callback(lambda done: self._ended(question, done))
        # Shielded: if one who asked goes away, the others still want to know.
        shielded: Awaitable[bytes] = asyncio.shield(running)
        return await shielded

    def _ended(self, question: Hashable, done: "asyncio.Future[bytes]") -> None:
        del self._running[question]
        if done.cancelled() or done.exception() is not None or len(done.result()) > LARGEST:
            return
        self._kept[question] = done.result()
        self._bytes += len(done.result())
        while self._bytes > self._most_bytes:
            self._bytes -= len(self._kept.popitem(last=False)[1])

    def start(self, work: Callable[[], object]) -> None:
        """Do some work before it is asked for."""
        self._executor.submit(work)
