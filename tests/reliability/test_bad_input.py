"""The short form of `reliability.bad_input`, and tests that its bench notices faults."""

import time
from pathlib import Path

import pytest

from reliability import bad_input
from reliability.cases import options, parameters
from reliability.cases.bench import Bench, Hung, limited, run
from reliability.cases.case import Case


def test_the_short_form_meets_its_bars():
    for figure in bad_input.measure(short=True, seed=0):
        assert figure.met, figure.misses


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Bench(tmp_path_factory.mktemp("bench"))


def overwrite(path="old.loom"):
    Path(path).write_bytes(b"")
    raise ValueError("too late")


NO_FILES = {"cache", "compile", "completion", "demo", "doctor"}  # commands that read none
LINE = ["info", "missing.loom"]
UNREADABLE = [case for case in options.CASES if case.name.endswith((" latin.txt", " cut.vec"))]


def test_every_command_that_reads_a_file_has_the_options_that_messages_about_its_bytes_advise(bench):
    assert {str(case.argv[0]) for case in UNREADABLE} == options.parsers().keys() - NO_FILES
    assert [problem for case in UNREADABLE for problem in bench.problems(case)] == []


def test_the_bench_notices_advice_that_the_command_cannot_follow(bench, monkeypatch):
    monkeypatch.setattr("pairloom.formats.detect.GET_AGAIN", "Use --binary 1 or pairloom train --dimm 3, not --json.")
    assert bench.problems(Case("", ["info", "empty.vec"], says="it is empty", make={"empty.vec": b""})) == [
        " (command): advises --binary, which does not exist",
        " (command): advises train --dimm, which does not exist",
    ]


WRONG = {
    "another exit code": (Case("", LINE, code=3, says="missing.loom"), "exit code 2, not 3"),
    "a message that says something else": (Case("", LINE, says="empty"), "is not in"),
    "no error": (Case("", ["info", "model.loom"]), "exit code 0, not 2"),
    "no exception": (Case("", None, lambda: None), "nothing was raised"),
    "another exception": (Case("", None, lambda: 1 / 0), "ZeroDivisionError, not InputError"),
    "an old file that was overwritten": (Case("", None, overwrite, error=ValueError), "old.loom was changed"),
    "a file that was left": (Case("", None, lambda: overwrite("left"), error=ValueError), "left was written"),
    "a wrong result": (Case("", None, lambda: 5, code=0, right=lambda found: found == 6), "the result is wrong"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_the_bench_notices(fault, bench):
    case, says = WRONG[fault]
    assert any(says in problem for problem in bench.problems(case))
    assert bench.problems(Case("", LINE, says="missing.loom")) == []  # the folder is restored for the next case


def test_the_bench_notices_what_is_left_in_the_folder_for_temporary_files(bench):
    case = Case("", None, lambda: overwrite(bench.temporary / "pairloom-x.spool"), error=ValueError)
    assert bench.problems(case) == [" (library): pairloom-x.spool was left in temporary"]
    assert list(bench.temporary.iterdir()) == []


def test_a_traceback_is_more_than_one_line(bench, monkeypatch):
    monkeypatch.setattr("pairloom.cli.commands.info.run", lambda args: 1 / 0)
    assert "exit code 1, not 2" in bench.problems(Case("", LINE))[0]
    assert "Traceback" in run(LINE).err


def test_what_hangs_is_stopped():
    with pytest.raises(Hung), limited(0.05):
        time.sleep(60)


def test_an_option_without_cases_is_a_miss(monkeypatch):
    monkeypatch.delitem(options.OUTSIDE["train"], "--dim")
    monkeypatch.setitem(options.OUTSIDE["walk"], "--jumps", "0")
    assert options.missing_cases() == ["train --dim is an option without cases", "walk --jumps is gone"]
    assert not bad_input._covered().met


def test_a_parameter_without_cases_is_a_miss(monkeypatch):
    monkeypatch.delitem(parameters.FUNCTIONS["load"].bad, "limit")
    monkeypatch.delitem(parameters.FUNCTIONS, "rank")
    assert parameters.missing_cases() == [
        "load(limit) is a parameter without cases",
        "Vectors.rank is a function without cases",
    ]
