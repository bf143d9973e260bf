"""The short form of `reliability.fuzz`, and tests that it finds faulty readers."""

import time

import pytest

from pairloom.errors import InputError
from reliability import fuzz
from reliability.fuzz_targets import Target


def test_some_thousand_changed_files_of_each_kind_are_refused_or_read_correctly():
    figures = fuzz.measure(short=True, seed=0)
    assert [figure.misses for figure in figures if not figure.met] == []
    assert len(figures) == 8


def refuse(message):
    raise InputError(message)


def crash(data):
    raise KeyError("a bug")


def hang(data):
    while True:
        time.thread_time()


def fill(data):
    return bytes(1 << 30)


FAULTS = {
    "KeyError: 'a bug'": crash,
    "a message of several lines": lambda data: refuse("one\ntwo"),
    "MemoryError": fill,
    "the process ended by -9": lambda data: __import__("os").kill(__import__("os").getpid(), 9),
}


@pytest.mark.parametrize("finding", FAULTS)
def test_a_reader_that_fails_is_a_finding(finding):
    target = Target("broken", [b"right"], lambda data: data == b"right" or FAULTS[finding](data))
    figure = fuzz._figure(target, 40, 0)
    assert not figure.met
    assert figure.misses[0].startswith(finding)


def test_a_reader_that_computes_forever_is_a_finding(monkeypatch):
    monkeypatch.setattr(fuzz, "SECONDS", 0.2)
    monkeypatch.setattr(fuzz, "_MOST_FINDINGS", 1)
    target = Target("slow", [b"right"], lambda data: data == b"right" or hang(data))
    assert fuzz._figure(target, 40, 0).misses[0].startswith("more than 0.2 s")


def test_a_reader_that_accepts_nothing_misses_the_bar():
    calls = iter([None])
    target = Target("never", [b"right"], lambda data: next(calls, 1) and refuse("no"))
    assert not fuzz._figure(target, 40, 0).met
