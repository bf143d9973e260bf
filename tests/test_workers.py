"""Threads that work through lists, and stop when told."""

import threading
import time

import pytest

from wordloom.workers import relay, workers


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


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("runners", [1, 2, 7])
def test_a_runner_waits_for_itself_and_for_the_one_after_it_and_for_nobody_else(threads, runners):
    ended = [0] * runners

    def run(lap, runner):
        assert ended[runner] == lap
        assert ended[(runner + 1) % runners] >= lap
        time.sleep(0.001 * (runner == 0))
        ended[runner] += 1
        return lap, runner

    with workers(threads) as pool:
        results = list(relay(pool, runners, range(4), run))
    assert sorted(results) == [(lap, runner) for lap in range(4) for runner in range(runners)]


def test_a_slow_runner_holds_up_only_those_before_it():
    far_ahead = threading.Event()

    def run(lap, runner):
        if (lap, runner) == (0, 0):
            assert far_ahead.wait(10)
        elif (lap, runner) == (3, 1):
            far_ahead.set()

    with workers(2) as pool:
        list(relay(pool, 8, range(6), run))


@pytest.mark.parametrize("spans", [[(0, 2), (2, 3), (3, 7)], [(i, i + 1) for i in range(7)]])
def test_spans_that_run_at_the_same_time_hold_different_parts(spans):
    """What `relay` is for: in lap s the span (a, b) trains with the context parts a + s .. b - 1 + s, mod P."""
    held, lock = set(), threading.Lock()

    def run(lap, span):
        mine = {(i + lap) % 7 for i in range(*spans[span])}
        with lock:
            assert held.isdisjoint(mine)
            held.update(mine)
        time.sleep(0.0005 * (lap % 3))
        with lock:
            held.difference_update(mine)

    with workers(4) as pool:
        list(relay(pool, len(spans), range(7), run))


@pytest.mark.parametrize("threads", [1, 2])
def test_what_goes_wrong_in_a_lap_reaches_whoever_asked(threads):
    def run(lap, runner):
        if (lap, runner) == (1, 1):
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"), workers(threads) as pool:
        list(relay(pool, 3, range(100), run))
