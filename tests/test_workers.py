"""Threads that work through lists, and stop when told."""

import threading
import time

import pytest

from wordloom.workers import workers


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_items(threads):
    with workers(threads) as pool:
        assert list(pool.map(lambda a, b: a - b, range(20), range(0, 40, 2))) == [-i for i in range(20)]


def test_one_thread_is_the_one_that_asks():
    with workers(1) as pool:
        assert list(pool.map(lambda _: threading.current_thread(), [0])) == [threading.current_thread()]


def test_after_an_exception_nothing_new_is_begun():
    begun = []

    def work(i):
        begun.append(i)
        time.sleep(0.02)
        if i == 0:
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"), workers(2) as pool:
        list(pool.map(work, range(100)))
    assert len(begun) < 10
