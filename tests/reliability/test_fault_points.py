"""The short form of `reliability.fault_points`, and what a power cut leaves."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reliability.traps import Call, after_power_cut

WRITE, FLUSH, RENAME, FLUSH_FOLDER = Call("write", 1), Call("fsync", 1), Call("rename", 1, 7), Call("fsync", 7)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_after_every_fault_of_a_save_the_path_holds_the_old_file_or_the_new_one() -> None:
    command = [
        sys.executable,
        "-m",
        "reliability.fault_points",
        "--short",
        "--json",
    ]  # in a process without threads, since it forks
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    (figure,) = json.loads(done.stdout)
    assert figure["met"] and figure["misses"] == [] and done.returncode == 0


def test_a_power_cut_leaves_what_was_flushed_before_it_was_renamed() -> None:
    assert after_power_cut([WRITE, FLUSH]) == {"old"}
    assert after_power_cut([WRITE, FLUSH, RENAME]) == {"old", "new"}
    assert after_power_cut([WRITE, FLUSH, RENAME, FLUSH_FOLDER]) == {"new"}


def test_a_power_cut_leaves_a_mixture_of_what_was_renamed_before_it_was_flushed() -> None:
    assert after_power_cut([WRITE, RENAME, FLUSH, FLUSH_FOLDER]) == {"mixture"}
    assert after_power_cut([WRITE, FLUSH, WRITE, RENAME]) == {"old", "mixture"}
    assert after_power_cut([Call("write", 2), FLUSH, RENAME]) == {"old", "mixture"}
