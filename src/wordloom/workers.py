"""Threads that work through lists. The kernels let go of Python's lock, so threads are all that it takes."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

Result = TypeVar("Result")


class Workers(Protocol):
    """What training asks of whoever does the work."""

    def map(self, function: Callable[..., Result], /, *iterables: Iterable[Any]) -> Iterator[Result]:
        """Like Python's map, in any order of working; results and exceptions come in the order of the items."""


class _Here:
    """One thread is the one that asks, so that an interrupt finds it, also while Numba compiles."""

    def map(self, function: Callable[..., Result], /, *iterables: Iterable[Any]) -> Iterator[Result]:
        return map(function, *iterables)


@contextmanager
def workers(threads: int) -> Iterator[Workers]:
    """So many threads, which begin nothing new once the body has ended, be it by an error or an interrupt."""
    if threads == 1:
        yield _Here()
        return
    from concurrent.futures import ThreadPoolExecutor  # 7 ms that only training needs

    pool = ThreadPoolExecutor(threads)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
