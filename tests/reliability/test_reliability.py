"""The short forms of `reliability.kills` and `reliability.mutants`, and the list of figures."""

import signal
import subprocess
import sys

import pytest

from reliability import kills, mutants
from reliability.__main__ import _measures
from reliability.mutants import MODULES


@pytest.mark.parametrize("module", [kills, mutants], ids=["kills", "mutants"])
def test_the_short_form_meets_its_bars(module):
    for figure in module.measure(short=True, seed=0):
        assert figure.met, figure.misses


def test_make_reliability_runs_every_figure():
    wanted = "bad_input bombs concurrency damage fault_points fuzz kills mutants signals soak".split()
    assert [name for name in MODULES if _measures(name)] == wanted


def test_a_fault_that_cannot_be_sown_is_a_miss():
    gone = mutants.Mutant("nothing is different", "system/files.py", "a line that is not there", "")
    assert mutants._cannot(gone) == "nothing is different: 'a line that is not there' occurs 0 times in system/files.py"


@pytest.mark.skipif(sys.platform == "win32", reason="nohup is Unix'")
def test_programs_that_a_figure_begins_are_ended_by_a_signal_that_it_ignored_itself():
    inner = "import os, signal; os.kill(os.getpid(), signal.SIGHUP); print('still here')"
    outer = f"""
import subprocess, sys
from reliability.figures import main
def measure(short, seed):
    print(subprocess.run([sys.executable, "-c", {inner!r}]).returncode)
    return []
main(measure)
"""
    ignoring = ["sh", "-c", "trap '' HUP; exec \"$@\"", "sh", sys.executable, "-c", outer]
    assert subprocess.run(ignoring, capture_output=True, text=True).stdout.startswith(f"{-signal.SIGHUP}\n")
