"""Threads that work through lists, and stop when told."""

import ctypes
import gc
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import CancelledError

import pytest

from pairloom.system.threads import Task, in_order, relay, workers


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


# --- Nobody waits for ever


def within_a_second(function, *args):
    """What a call raises; a call that takes longer than a second, or raises nothing, is a failure."""
    began = time.perf_counter()
    with pytest.raises(BaseException) as caught:
        function(*args)
    assert time.perf_counter() - began < 1
    return caught.value


def kill(thread):
    """End a thread from outside, as soon as it runs Python again: what it has in hand is lost."""
    found = ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
    assert found == 1


def threads_of_ours():
    return [thread for thread in threading.enumerate() if thread.name.startswith("pairloom")]


@pytest.fixture
def no_collection():
    """What `kill` raises could come up in a callback of the garbage collector, as Hypothesis has one, and be lost."""
    gc.disable()
    yield
    gc.enable()


ENDLESS = 60  # seconds that no test may take


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("threads", [2, 5])
@pytest.mark.parametrize(
    "wait",
    [
        lambda pool: pool.submit(int, "1").result(),
        lambda pool: list(pool.map(int, ["1"] * 20)),
        lambda pool: list(relay(pool, 3, range(3), lambda lap, runner: lap)),
    ],
    ids=["submit", "map", "relay"],
)
@pytest.mark.usefixtures("no_collection")
def test_a_thread_that_ends_by_itself_is_noticed_by_whoever_waits(wait, threads):
    with workers(threads) as pool:
        for thread in threads_of_ours():
            kill(thread)
        error = within_a_second(wait, pool)
    assert isinstance(error, RuntimeError) and "has ended" in str(error)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_ends_while_others_go_on_is_noticed_too(monkeypatch):
    run = Task.run

    def lost(task):
        if threading.current_thread().name == "pairloom-1":
            sys.exit()  # which ends a thread without a word, and with it what it has in hand
        run(task)

    monkeypatch.setattr(Task, "run", lost)
    with workers(3) as pool:
        error = within_a_second(list, pool.map(lambda _: time.sleep(0.001), range(200)))
    assert "pairloom-1 has ended" in str(error)


@pytest.mark.parametrize("threads", [1, 2])
def test_counting_in_order_notices_it_as_well(threads):
    def work(item):
        if item == 5:
            raise MemoryError("no more")
        return item

    error = within_a_second(list, in_order(work, range(10), threads))
    assert isinstance(error, MemoryError)


@pytest.mark.parametrize("error", [RuntimeError("stop"), SystemExit(7), KeyboardInterrupt(), TimeoutError("slow")])
@pytest.mark.parametrize("threads", [1, 2])
def test_whatever_a_task_raises_reaches_the_caller_as_it_is(error, threads):
    def work(*_):
        raise error

    def ask(by):
        with workers(threads) as pool:
            by(pool)

    assert within_a_second(ask, lambda pool: pool.submit(work).result()) is error
    assert within_a_second(ask, lambda pool: list(pool.map(work, [1, 2]))) is error
    assert within_a_second(ask, lambda pool: list(relay(pool, 2, range(2), work))) is error
    assert within_a_second(list, in_order(work, [1, 2], threads)) is error


@pytest.mark.parametrize("threads", [1, 2])
def test_what_the_items_raise_reaches_the_caller_while_tasks_are_under_way(threads):
    def items():
        yield from range(5)
        raise OSError("the disk is gone")

    error = within_a_second(list, in_order(lambda i: time.sleep(0.01), items(), threads))
    assert str(error) == "the disk is gone"


def test_a_failure_is_not_held_back_by_items_that_come_slowly():
    def items():
        yield 0
        time.sleep(0.1)
        yield 1
        yield from iter(lambda: time.sleep(ENDLESS), None)

    def work(item):
        raise RuntimeError(f"failed at {item}")

    error = within_a_second(list, in_order(work, items(), 4))
    assert str(error) == "failed at 0"


def test_fewer_threads_than_asked_for_do_the_same_work(monkeypatch):
    start = threading.Thread.start

    def few(thread):
        if len(threads_of_ours()) >= 3:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", few)
    with workers(50) as pool:
        assert len(threads_of_ours()) == 3
        assert list(pool.map(abs, range(-20, 0))) == list(range(20, 0, -1))
        assert len(list(relay(pool, 7, range(3), lambda lap, runner: None))) == 21
    assert list(in_order(abs, [-1, -2], 50)) == [1, 2]


def test_without_any_thread_the_asking_one_does_it(monkeypatch):
    def none(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none)
    with workers(4) as pool:
        assert list(pool.map(lambda _: threading.current_thread(), [0])) == [threading.current_thread()]
        pool.check()


def test_an_interrupt_while_threads_are_started_leaves_none_behind(monkeypatch):
    start = threading.Thread.start

    def interrupted(thread):
        start(thread)
        if thread.name == "pairloom-2":
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt), workers(5):
        pytest.fail("it began")
    wait_until(lambda: not threads_of_ours())


def wait_until(condition):
    ends = time.perf_counter() + 1
    while not condition():
        assert time.perf_counter() < ends
        time.sleep(0.005)


def test_no_thread_is_left_when_the_body_ends_or_fails():
    with workers(3) as pool:
        list(pool.map(abs, range(10)))
    with pytest.raises(ZeroDivisionError), workers(3) as pool:
        pool.submit(time.sleep, 0.05)
        1 / 0  # noqa: B018
    assert threads_of_ours() == []


def test_what_was_not_begun_when_the_body_ends_is_called_off():
    with workers(2) as pool:
        tasks = [pool.submit(time.sleep, 0.05) for _ in range(50)]
    assert sum(task.cancelled() for task in tasks) >= 46
    with pytest.raises(CancelledError):
        tasks[-1].result()


def test_threads_that_nobody_dismissed_do_not_keep_python_from_ending():
    script = "import pairloom.system.threads as c, os; pool = c.ThreadPool(3); pool.submit(print, 'done').result()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=10)
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)


def test_a_result_can_be_waited_for_so_and_so_long():
    with workers(2) as pool, pytest.raises(TimeoutError):
        pool.submit(time.sleep, 0.1).result(timeout=0.01)


def test_what_a_task_held_is_let_go_when_it_is_done():
    class Large:
        pass

    large = Large()
    there = weakref.ref(large)
    with workers(2) as pool:
        pool.submit(id, large).result()
        with pytest.raises(TypeError):
            pool.submit(len, large).result()
        del large
        wait_until(lambda: there() is None)


def test_threads_work_for_a_thread_that_is_not_the_main_one(monkeypatch):
    """Whose program may have come to its end otherwise."""
    monkeypatch.setattr(threading.main_thread(), "is_alive", lambda: False)
    found = []

    def ask():
        with workers(2) as pool:
            time.sleep(0.6)  # longer than idle threads look about for whom they work
            found.extend(pool.map(abs, [-1, -2]))

    asking = threading.Thread(target=ask)
    asking.start()
    asking.join()
    assert found == [1, 2]
