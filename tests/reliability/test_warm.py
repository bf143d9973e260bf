"""Forked processes: they end like fresh ones, each in its own folder and environment."""

import os
import signal
import subprocess
import sys

import pytest

from reliability.warm import Server

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture(scope="module")
def server():
    with Server() as started:
        yield started


def test_a_forked_command_ends_as_a_fresh_one(server, tmp_path):
    fresh = subprocess.run([sys.executable, "-m", "pairloom", "info", "no.loom"], cwd=tmp_path, capture_output=True)
    forked = server.start(["info", "no.loom"], tmp_path, os.environ, tmp_path / "said")
    assert forked.wait() == fresh.returncode == 2
    assert (tmp_path / "said").read_bytes() == fresh.stderr


def test_it_has_its_own_folder_and_environment(server, tmp_path):
    for name in ("one", "two"):
        folder, said = tmp_path / name, tmp_path / "said"
        folder.mkdir()
        (folder / "text.txt").write_text(f"{name} or {name}\n")
        environment = {**os.environ, "PAIRLOOM_CACHE": str(folder / "cache")}
        assert server.start(["vocab", "text.txt", "--min-count", "1", "--quiet"], folder, environment, said).wait() == 0
        assert f"{name} 2" in said.read_text()
        assert server.start(["cache", "--json"], folder, environment, said).wait() == 0
        assert str(folder / "cache") in said.read_text()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, -9), (signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_it_can_be_waited_for_and_signalled(server, tmp_path, number, code):
    os.mkfifo(tmp_path / "pipe_without_writer")
    process = server.start(["vocab", "pipe_without_writer"], tmp_path, os.environ, tmp_path / "said")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    assert process.poll() is None
    process.send_signal(number)
    assert process.wait(10) == process.poll() == process.returncode == code
    process.kill()  # too late, but not an error


def test_a_command_that_fails_while_the_server_starts_is_an_error(capfd):
    with pytest.raises(RuntimeError, match="the server ended with 1"):
        Server(["info", "no.loom"])
    assert "does not run" in capfd.readouterr().err
