"""Threads that run tasks, pass on every failure, and leave nothing behind."""

import ctypes
import gc
import re
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import CancelledError

import pytest

from pairloom.system.threads import Task, in_order, on_spans, stop_if_cancelled, workers


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_items(threads):
    with workers(threads) as pool:
        assert list(pool.map(lambda a, b: a - b, range(20), range(0, 40, 2))) == [-i for i in range(20)]


def test_one_thread_is_the_calling_thread():
    with workers(1) as pool:
        assert list(pool.map(lambda _: threading.current_thread(), [0])) == [threading.current_thread()]


def test_after_an_exception_no_task_starts():
    started = []

    def work(i):
        started.append(i)
        time.sleep(0.02)
        if i == 0:
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"), workers(2) as pool:
        list(pool.map(work, range(100)))
    assert len(started) < 10


# --- Nothing waits for ever


def within_a_second(function, *args):
    """Returns the exception that a call raises. The test fails if there is none, or if it takes a second."""
    began = time.perf_counter()
    with pytest.raises(BaseException) as caught:
        function(*args)
    assert time.perf_counter() - began < 1
    return caught.value


def kill(thread):
    """End a thread from outside as soon as it runs Python code again. Its task is lost."""
    found = ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
    assert found == 1


def our_threads():
    """Those of `workers`. Other parts of the package have threads too, with longer names."""
    return [thread for thread in threading.enumerate() if re.fullmatch(r"pairloom-\d+", thread.name)]


@pytest.fixture
def no_collection():
    """What `kill` raises could be lost in a callback of the garbage collector: Hypothesis has one."""
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
    ],
    ids=["submit", "map"],
)
@pytest.mark.usefixtures("no_collection")
def test_a_thread_that_dies_is_noticed_by_the_waiting_caller(wait, threads):
    with workers(threads) as pool:
        for thread in our_threads():
            kill(thread)
        error = within_a_second(wait, pool)
    assert isinstance(error, RuntimeError)
    assert re.fullmatch(
        r"Thread pairloom-\d has ended unexpectedly, and its task may be lost. Run this again.", str(error)
    )


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_dies_while_others_go_on_is_noticed_too(monkeypatch):
    run = Task.run

    def lost(task):
        if threading.current_thread().name == "pairloom-1":
            sys.exit()  # ends the thread silently, and loses its task
        run(task)

    monkeypatch.setattr(Task, "run", lost)
    with workers(3) as pool:
        error = within_a_second(list, pool.map(lambda _: time.sleep(0.001), range(200)))
    assert str(error) == "Thread pairloom-1 has ended unexpectedly, and its task may be lost. Run this again."


@pytest.mark.parametrize("threads", [1, 2])
def test_in_order_passes_on_an_exception(threads):
    def work(item):
        if item == 5:
            raise MemoryError("no more")
        return item

    error = within_a_second(list, in_order(work, range(10), threads))
    assert isinstance(error, MemoryError)


@pytest.mark.parametrize("error", [RuntimeError("stop"), SystemExit(7), KeyboardInterrupt(), TimeoutError("slow")])
@pytest.mark.parametrize("threads", [1, 2])
def test_every_exception_of_a_task_reaches_the_caller_unchanged(error, threads):
    def work(*_):
        raise error

    def with_pool(use):
        with workers(threads) as pool:
            use(pool)

    assert within_a_second(with_pool, lambda pool: pool.submit(work).result()) is error
    assert within_a_second(with_pool, lambda pool: list(pool.map(work, [1, 2]))) is error
    assert within_a_second(list, in_order(work, [1, 2], threads)) is error


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_of_the_items_reaches_the_caller_while_tasks_run(threads):
    def items():
        yield from range(5)
        raise OSError("the disk is gone")

    error = within_a_second(list, in_order(lambda i: time.sleep(0.01), items(), threads))
    assert str(error) == "the disk is gone"


def test_a_failure_is_not_held_back_by_slow_items():
    def items():
        yield 0
        time.sleep(0.1)
        yield 1
        yield from iter(lambda: time.sleep(ENDLESS), None)

    def work(item):
        raise RuntimeError(f"failed at {item}")

    error = within_a_second(list, in_order(work, items(), 4))
    assert str(error) == "failed at 0"


def test_fewer_threads_than_requested_do_the_same_work(monkeypatch):
    start = threading.Thread.start

    def few(thread):
        if len(our_threads()) >= 3:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", few)
    with workers(50) as pool:
        assert len(our_threads()) == 3
        assert list(pool.map(abs, range(-20, 0))) == list(range(20, 0, -1))
    assert list(in_order(abs, [-1, -2], 50)) == [1, 2]


def test_without_any_thread_the_calling_thread_does_the_work(monkeypatch):
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
        pytest.fail("the body was entered")
    wait_until(lambda: not our_threads())


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
    assert our_threads() == []


def test_tasks_that_have_not_started_when_the_body_ends_are_cancelled():
    with workers(2) as pool:
        tasks = [pool.submit(time.sleep, 0.05) for _ in range(50)]
    assert sum(task.cancelled() for task in tasks) >= 46
    with pytest.raises(CancelledError):
        tasks[-1].result()


def test_a_long_task_ends_when_its_pool_closes():
    """After Ctrl-C it would go on for as long as it takes."""
    begun = threading.Event()

    def long_task():
        begun.set()
        end = time.monotonic() + 60
        while time.monotonic() < end:
            stop_if_cancelled()
            time.sleep(0.001)

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), workers(2) as pool:
        task = pool.submit(long_task)
        begun.wait()
        stop_if_cancelled()  # in the calling thread nothing is cancelled
        raise KeyboardInterrupt
    assert time.monotonic() - began < 30
    assert isinstance(task.exception(), CancelledError)


def test_a_pool_that_was_never_closed_does_not_keep_python_from_ending():
    script = "import pairloom.system.threads as c, os; pool = c.ThreadPool(3); pool.submit(print, 'done').result()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=10)
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)


def test_waiting_for_a_result_can_time_out():
    with workers(2) as pool, pytest.raises(TimeoutError):
        pool.submit(time.sleep, 0.1).result(timeout=0.01)


def test_a_finished_task_frees_its_arguments():
    class Large:
        pass

    large = Large()
    reference = weakref.ref(large)
    with workers(2) as pool:
        pool.submit(id, large).result()
        with pytest.raises(TypeError):
            pool.submit(len, large).result()
        del large
        wait_until(lambda: reference() is None)


def test_threads_work_for_a_thread_other_than_the_main_one(monkeypatch):
    """The main thread may have ended by then."""
    monkeypatch.setattr(threading.main_thread(), "is_alive", lambda: False)
    found = []

    def caller():
        with workers(2) as pool:
            time.sleep(0.6)  # longer than SECONDS_BETWEEN_CHECKS
            found.extend(pool.map(abs, [-1, -2]))

    thread = threading.Thread(target=caller)
    thread.start()
    thread.join()
    assert found == [1, 2]


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(
    ("n", "expected"), [(0, [(0, 0)]), (9, [(0, 9)]), (20, [(0, 10), (10, 20)]), (23, [(0, 10), (10, 23)])]
)
def test_spans_cover_everything_once_on_any_number_of_threads(threads, n, expected):
    done = []
    on_spans(lambda begin, end: done.append((begin, end)), n, 10, threads)
    assert sorted(done) == expected


def test_the_calling_thread_does_spans_too():
    both = threading.Barrier(2, timeout=30)  # broken if the caller only waited, and one other thread did all
    at_work = set()

    def meet(begin, end):
        both.wait()
        at_work.add(threading.current_thread())

    on_spans(meet, 20, 10, 2)
    assert threading.current_thread() in at_work and len(at_work) == 2


@pytest.mark.parametrize("failing", [0, 10, 20, 30])
def test_a_span_that_fails_fails_all(failing):
    def fail(begin, end):
        time.sleep(0.01)
        if begin == failing:
            raise ValueError(begin)

    with pytest.raises(ValueError, match=str(failing)):
        on_spans(fail, 40, 10, 2)
