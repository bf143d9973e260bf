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
        results = list(relay(pool, runners, 4, run))
    assert sorted(results) == [(lap, runner) for lap in range(4) for runner in range(runners)]


def test_a_slow_runner_holds_up_only_those_before_it():
    laps = []

    def run(lap, runner):
        time.sleep(0.05 * (runner == 0 and lap == 0))
        laps.append((lap, runner))

    with workers(2) as pool:
        list(relay(pool, 8, 6, run))
    assert laps.index((3, 1)) < laps.index((0, 0)) < laps.index((1, 7))


@pytest.mark.parametrize("threads", [1, 2])
def test_what_goes_wrong_in_a_lap_reaches_whoever_asked(threads):
    def run(lap, runner):
        if (lap, runner) == (1, 1):
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"), workers(threads) as pool:
        list(relay(pool, 3, 100, run))
