"""Answers are computed in other threads, once each, and kept within bounds."""

import asyncio
import gc
import threading
import time

import pytest

from pairloom.explorer.workers import DaemonThreads, KeptAnswers


def test_an_answer_is_computed_in_another_thread_and_kept():
    async def run():
        answers, threads = KeptAnswers(), []

        def compute():
            threads.append(threading.current_thread())
            return b"answer"

        assert answers.kept("q") is None
        assert await answers.computed("q", compute) == b"answer"
        assert answers.kept("q") == b"answer" and threads[0] is not threading.current_thread() and threads[0].daemon
        assert (answers.hits, answers.misses) == (1, 1)

    asyncio.run(run())


def test_equal_questions_at_the_same_time_are_computed_once():
    async def run():
        answers, go, calls = KeptAnswers(), threading.Event(), []

        def compute():
            calls.append(1)
            go.wait(5)
            return b"x"

        asked = [asyncio.create_task(answers.computed("q", compute)) for _ in range(5)]
        await asyncio.sleep(0.05)
        asked[0].cancel()  # one goes away: the others still get their answer
        go.set()
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert found[1:] == [b"x"] * 4 and calls == [1]

    asyncio.run(run())


def test_errors_are_raised_and_not_kept():
    async def run():
        answers = KeptAnswers()
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                await answers.computed("q", lambda: 1 / 0)
        assert answers.kept("q") is None and answers.misses == 2

    asyncio.run(run())


def test_the_oldest_answers_leave_when_there_are_too_many():
    async def run():
        answers = KeptAnswers(most_bytes=30)
        for name in "abc":
            await answers.computed(name, lambda: b"0123456789")
        assert answers.kept("a") is not None  # asked for again, so b is now the oldest
        await answers.computed("d", lambda: b"0123456789")
        assert [name for name in "abcd" if answers.kept(name)] == ["a", "c", "d"]

    asyncio.run(run())


def test_large_answers_are_not_kept():
    async def run():
        answers = KeptAnswers()
        assert len(await answers.computed("q", lambda: bytes(5 << 20))) == 5 << 20
        assert answers.kept("q") is None

    asyncio.run(run())


def test_a_call_that_was_cancelled_is_not_made():
    executor, go, calls = DaemonThreads(1), threading.Event(), []
    executor.submit(go.wait, 5)
    cancelled = executor.submit(calls.append, 1)
    assert cancelled.cancel()
    go.set()
    executor.submit(calls.append, 2).result(5)
    assert calls == [2]


def test_threads_end_when_nobody_can_ask_them_any_more():
    executor = DaemonThreads(2)
    threads = [thread for thread in threading.enumerate() if thread.name.startswith("pairloom-answers")]
    assert executor.submit(int, "5").result() == 5
    before = len(threads)
    del executor
    gc.collect()
    deadline = time.monotonic() + 5
    while sum(thread.is_alive() for thread in threads) > before - 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sum(thread.is_alive() for thread in threads) <= before - 2
