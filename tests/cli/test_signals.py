"""Signals: a command ends like after Ctrl-C, a training with checkpoints writes one first."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from pairloom.cli.main import main
from pairloom.cli.signals import interrupt_on_signals, stop_at_checkpoint
from pairloom.training.checkpoint import Checkpoints

TRAIN = ["--dim", "8", "--min-count", "2", "--sample", "0", "--threads", "2", "--quiet"]


@pytest.fixture(scope="module")
def text(zipf_corpus, tmp_path_factory):
    path = tmp_path_factory.mktemp("interrupted") / "zipf.txt"
    path.write_text("".join(" ".join(sentence) + "\n" for sentence in zipf_corpus))
    return path


def started(*typed, cwd=None):
    return subprocess.Popen(
        [sys.executable, "-m", "pairloom", "train", *map(str, typed)], stderr=subprocess.PIPE, text=True, cwd=cwd
    )


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture(scope="module")
def whole(text):
    """The model of 40 undisturbed epochs."""
    path = text.with_name("whole.loom")
    assert main(["train", str(text), "-o", str(path), "--epochs", "40", *TRAIN]) == 0
    return path


def test_sigterm_ends_a_command_like_ctrl_c(corpus, tmp_path):
    command = [sys.executable, "-m", "pairloom", "train", corpus, "-o", tmp_path / "m.loom", "--epochs", "1000000"]
    process = subprocess.Popen([*command, "--min-count", "1"], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while not process.stderr.readline().startswith("train"):
        pass
    process.terminate()
    process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGTERM


def test_ctrl_c_ends_training_within_a_second_with_130_and_writes_nothing(corpus, tmp_path):
    out = tmp_path / "m.loom"
    command = [sys.executable, "-m", "pairloom", "train", corpus, "-o", out, "--epochs", "1000000", "--min-count", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while not process.stderr.readline().startswith("train"):
        pass
    process.send_signal(signal.SIGINT)
    began = time.perf_counter()
    _, err = process.communicate(timeout=20)
    assert time.perf_counter() - began < 1
    assert process.returncode == 130
    assert err.splitlines()[-1] == "pairloom train: interrupted; no output was saved."
    assert not out.exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_writes_a_checkpoint_and_resume_goes_on(text, whole, tmp_path, number, code):
    output, run = tmp_path / "out.loom", tmp_path / "run"
    output.write_text("old")
    process = started(
        text, "-o", "out.loom", "--epochs", 40, "--checkpoint", "run", "--every", "0.1s", *TRAIN, cwd=tmp_path
    )
    until(lambda: list(run.glob("*.checkpoint")) or process.poll() is not None)
    sent = time.monotonic()
    process.send_signal(number)
    _, said = process.communicate(timeout=20)
    assert time.monotonic() - sent < 5
    assert process.returncode == code
    assert said.startswith("pairloom train: Stopped in epoch ")
    assert said.endswith(". To resume: pairloom train --resume run (in Python, Checkpoints(..., resume=True))\n")
    assert output.read_text() == "old"
    assert main(["train", "--resume", str(run)]) == 0  # from another folder, with nothing else typed
    assert output.read_bytes() == whole.read_bytes()
    assert main(["train", "--resume", str(run), "-o", str(tmp_path / "again.loom")]) == 0  # it is done, and stays done
    assert (tmp_path / "again.loom").read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(("signals", "said"), [(1, "Stopped in epoch "), (2, "interrupted; no output was saved.")])
def test_the_signal_is_answered_by_a_stop_and_a_second_one_by_an_end(
    text, tmp_path, monkeypatch, capsys, signals, said
):
    begin = Checkpoints.begin

    def disturbed(self, position):
        begin(self, position)
        for _ in range(signals):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.01)

    monkeypatch.setattr(Checkpoints, "begin", disturbed)
    before = signal.getsignal(signal.SIGINT)
    typed = ["train", str(text), "-o", str(tmp_path / "a.loom"), "--checkpoint", str(tmp_path / "run"), *TRAIN]
    assert main(typed) == 143
    assert capsys.readouterr().err.startswith(f"pairloom train: {said}")
    assert len(list((tmp_path / "run").glob("*.checkpoint"))) == 2 - signals
    assert signal.getsignal(signal.SIGINT) is before


def test_killed_before_the_first_checkpoint_it_begins_again(text, tmp_path):
    run = tmp_path / "run"
    process = started(text, "-o", tmp_path / "a.loom", "--epochs", 60, "--checkpoint", run, "--every", "1h", *TRAIN)
    until((run / "command.json").exists)
    process.kill()
    process.communicate()
    assert not list(run.glob("*.checkpoint"))
    assert main(["train", "--resume", str(run)]) == 0
    assert (tmp_path / "a.loom").exists()


def test_a_second_signal_ends_it_at_once(text, tmp_path):
    run = tmp_path / "run"
    process = started(text, "-o", tmp_path / "a.loom", "--epochs", 60, "--checkpoint", run, *TRAIN)
    until((run / "command.json").exists)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode in (130, 143)
    assert not (tmp_path / "a.loom").exists()


def test_ignored_signals_stay_ignored(text, tmp_path):
    """As under nohup."""
    before = {n: signal.signal(n, signal.SIG_IGN) for n in (signal.SIGHUP, signal.SIGINT)}
    try:
        with stop_at_checkpoint(Checkpoints(tmp_path / "run")):
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN
        assert main(["info", "missing.loom"]) == 2
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_signals_of_schedulers_and_terminals_interrupt_as_ctrl_c_does(number):
    before = {n: signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGHUP)}
    try:
        interrupt_on_signals()
        with pytest.raises(KeyboardInterrupt) as caught:
            os.kill(os.getpid(), number)
            time.sleep(5)
    finally:
        for n, handler in before.items():
            signal.signal(n, handler)
    assert caught.value.args == (number,)


def test_a_command_in_another_thread_leaves_signals_alone():
    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=interrupt_on_signals)
    thread.start()
    thread.join()
    assert signal.getsignal(signal.SIGTERM) is before
