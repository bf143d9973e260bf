"""The short form of `reliability.soak`, and what it judges to be growth."""

import subprocess
import sys
from pathlib import Path

import pytest

from reliability import soak
from reliability.soak import Sample, growth, judge


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_nothing_grows_and_nothing_is_left_behind() -> None:
    (figure,) = soak.measure(short=True, seed=0)
    assert figure.met, (figure.found, figure.misses)


def samples(**leaks: float) -> list[Sample]:
    """Samples of a process with these leaks per cycle and the noise of an allocator."""
    level = {"resident": 2e8, "blocks": 4e5, "files": 6, "threads": 1, "left": 7}
    noise = {"resident": 400_000, "blocks": 40}
    return [
        Sample(*(int(at + leaks.get(name, 0) * i + noise.get(name, 0) * (i * 7 % 5)) for name, at in level.items()))
        for i in range(soak.SHORT_CYCLES)
    ]


def test_noise_is_not_growth() -> None:
    assert judge(samples())[1] == []


@pytest.mark.parametrize(
    ("leak", "what"),
    [
        ({"resident": 100_000}, "resident memory grew by 6.8 MB"),  # the size of a small model
        ({"resident": 8_000}, "resident memory grew by 0.5 MB"),
        ({"blocks": 30}, "Python's objects grew by"),
        ({"files": 1}, "files: 24 became 95"),
        ({"threads": 0.1}, "threads: 2 became 9"),
        ({"left": 1}, "left: 25 became 96"),
    ],
)
def test_a_leak_is_growth(leak: dict[str, float], what: str) -> None:
    (miss,) = judge(samples(**leak))[1]
    assert what in miss


def test_growth_is_that_of_the_minima_of_ten_intervals() -> None:
    assert growth([100 + 50 * (i % 2) for i in range(40)]) == 0
    assert growth([10 * i for i in range(100)]) == 900


@pytest.mark.parametrize("at", range(0, 72, 8))
def test_one_step_is_not_growth(at: int) -> None:
    assert growth([2_000_000 * (i >= at) for i in range(72)]) == 0


@pytest.mark.parametrize(("short", "again"), [(True, 2), (False, 1)])
def test_what_the_short_form_finds_must_come_again(monkeypatch: pytest.MonkeyPatch, short: bool, again: int) -> None:
    leak, none = ("memory grew" * grown for grown in (1, 0))
    for found, met in (([none], True), ([leak, none], short), ([leak, leak], False)):
        left = iter([soak.Figure("soak", "", "", not miss, [miss] * bool(miss)) for miss in found])
        monkeypatch.setattr(soak, "_soaked", lambda *_, left=left: next(left))
        assert soak.measure(short, seed=0)[0].met == met
        assert len(list(left)) == max(0, len(found) - again)


def test_a_cycle_that_fails_is_a_miss_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = subprocess.CompletedProcess([], 1, "", "Traceback\nAssertionError: KeyError was expected\n")
    monkeypatch.setattr(soak.subprocess, "run", lambda *_, **__: failed)
    (figure,) = soak.measure(short=True, seed=0)
    assert not figure.met
    assert figure.found == "a cycle failed: AssertionError: KeyError was expected"


def test_every_mutant_changes_one_place_of_the_package() -> None:
    package = Path(soak.__file__).parents[1] / "src" / "pairloom"
    for mutant in soak.MUTANTS:
        assert (package / mutant.file).read_text().count(mutant.old) == 1, mutant.fault
