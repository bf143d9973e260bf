"""What the tests of the command line share: running commands, here and in a process of their own."""

import io
import subprocess
import sys

import pytest

import pairloom
from pairloom.cli.main import main


@pytest.fixture
def output(capsys):
    """A function that runs a command, which must succeed, and returns its output."""

    def run(*args):
        assert main([str(arg) for arg in args]) == 0
        return capsys.readouterr().out

    return run


@pytest.fixture(scope="session")
def run_process():
    """A function that runs a command in a process of its own and returns its exit code, output and errors."""

    def run(*args, stdin=None):
        command = [sys.executable, "-m", "pairloom", *map(str, args)]
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def set_stdin(monkeypatch):
    """A function that puts a text into stdin."""
    return lambda text: monkeypatch.setattr(sys, "stdin", io.StringIO(text))


@pytest.fixture
def vectors(model):
    """The words' vectors of the toy model."""
    return pairloom.load(model).words
