"""The short forms of `reliability.kills` and `reliability.mutants`, and the list of figures."""

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
