"""What a `RayExecutor` does without Ray."""

import subprocess
import sys

import pytest

from pairloom.cluster.ray_executor import new_folder
from pairloom.errors import OutputError

KILLED = """
import os, signal, sys
from pathlib import Path
from pairloom.cluster.ray_executor import new_folder

folder = new_folder(Path(sys.argv[1]))
(folder.path / "copy").write_bytes(b"rows")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_folder_of_copies_is_for_this_user_and_is_removed(tmp_path):
    folder = new_folder(tmp_path)
    assert folder.path.parent == tmp_path and folder.path.stat().st_mode & 0o777 == 0o700
    folder.remove()
    assert list(tmp_path.iterdir()) == []


def test_copies_of_a_killed_training_are_removed_by_the_next_one(tmp_path):
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)])
    assert len(list(tmp_path.iterdir())) == 1
    folder = new_folder(tmp_path)
    assert list(tmp_path.iterdir()) == [folder.path]
    folder.remove()


def test_copies_need_a_folder_that_can_be_written(tmp_path):
    with pytest.raises(OutputError, match="No such file or directory"):
        new_folder(tmp_path / "missing")
