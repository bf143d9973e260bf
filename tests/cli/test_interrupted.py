"""Trainings on the command line that are stopped by signals, and go on."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from pairloom.cli.commands.interrupted import stopping
from pairloom.cli.main import main
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
    """What 40 epochs come to when nobody stops them."""
    path = text.with_name("whole.loom")
    assert main(["train", str(text), "-o", str(path), "--epochs", "40", *TRAIN]) == 0
    return path


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
    assert said.endswith(". To go on: pairloom train --resume run (in Python, resume=True)\n")
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


def test_pairs_are_resumed_as_pairs(tmp_path):
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("".join(f"w{i % 50} c{i % 70}\n" for i in range(5000)))
    typed = ["train", "--pairs", str(pairs), "-o", str(tmp_path / "a.loom"), "--dim", "4"]
    assert main([*typed, "--checkpoint", str(tmp_path / "run"), "--every", "epoch", "--quiet"]) == 0
    (tmp_path / "a.loom").rename(tmp_path / "b.loom")
    assert main(["train", "--resume", str(tmp_path / "run"), "--quiet", "--threads", "1"]) == 0
    assert (tmp_path / "a.loom").read_bytes() == (tmp_path / "b.loom").read_bytes()


@pytest.fixture
def finished(text, tmp_path):
    typed = ["train", str(text), "-o", str(tmp_path / "a.loom"), "--checkpoint", str(tmp_path / "run"), "--epochs", "1"]
    assert main([*typed, *TRAIN]) == 0
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (
            ["--dim", "9"],
            "--dim 9 is not what the training in {run} was begun with, which is 8. Leave it out, or begin",
        ),
        (["--sample", "0.5"], "--sample 0.5 is not what the training in {run} was begun with, which is 0.0."),
        (["--seed", "0"], "The checkpoint in {run} is of another training: seed is 1 there and 0 here."),
        (["--checkpoint", "other"], "--resume {run} goes on in that folder. Leave out --checkpoint other."),
        (["--negatives", "9"], "The checkpoint in {run} is of another training: negatives is 5 there and 9 here."),
        (["--every", "soon"], "--every 'soon' is not an interval. Use a time like 90s, 5m or 1h"),
    ],
)
def test_other_options_are_refused(finished, capsys, typed, message):
    assert main(["train", "--resume", str(finished), *typed]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("pairloom train: " + message.format(run=finished))


def test_a_folder_in_use_is_not_taken_for_another_training(finished, text, tmp_path, capsys):
    kept = (finished / "command.json").read_bytes()
    assert main(["train", str(text), "-o", str(tmp_path / "b.loom"), "--checkpoint", str(finished), *TRAIN]) == 2
    assert f"pairloom train: {finished} holds a checkpoint. Go on from it with resume" in capsys.readouterr().err
    assert (finished / "command.json").read_bytes() == kept
    assert not (tmp_path / "b.loom").exists()


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ([], "There is no corpus. Name a file, a folder or - for standard input; see: pairloom train --help"),
        (["a.txt"], "There is no file to write. Name one by -o, such as -o king.loom"),
        (["a.txt", "-o", "a.loom", "--every", "5m"], "--every says how often a checkpoint is written, and there is no"),
        (["--resume", "nowhere"], "nowhere holds no training to go on with. Give the folder that was named by --check"),
    ],
)
def test_what_is_missing_is_named(capsys, typed, message):
    assert main(["train", *typed]) == 2
    assert capsys.readouterr().err.startswith("pairloom train: " + message)


@pytest.mark.parametrize("name", ["nowhere", "text.txt", "empty", "x" * 300])
def test_a_whole_command_does_not_begin_again_where_nothing_was_begun(name, text, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.txt").write_text("a b\n")
    (tmp_path / "old.loom").write_bytes(b"old")
    run = tmp_path / name
    assert main(["train", str(text), "-o", str(tmp_path / "old.loom"), "--resume", str(run), *TRAIN]) == 2
    assert f"pairloom train: {run} holds no training to go on with." in capsys.readouterr().err
    assert (tmp_path / "old.loom").read_bytes() == b"old" and not (tmp_path / "nowhere").exists()


def test_a_whole_command_goes_on_too_and_needs_no_other(finished, text, tmp_path):
    (finished / "command.json").write_bytes(b"damaged")
    typed = ["train", str(text), "-o", str(tmp_path / "b.loom"), "--epochs", "1", "--resume", str(finished), *TRAIN]
    assert main(typed) == 0
    assert (tmp_path / "b.loom").read_bytes() == (tmp_path / "a.loom").read_bytes()


def test_signals_that_somebody_wants_ignored_stay_ignored(text, tmp_path):
    """As by nohup."""
    before = {n: signal.signal(n, signal.SIG_IGN) for n in (signal.SIGHUP, signal.SIGINT)}
    try:
        with stopping(Checkpoints(tmp_path / "run")):
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN
        assert main(["info", "missing.loom"]) == 2
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        for number, old in before.items():
            signal.signal(number, old)


BAD = [{"corpus": 7}, {"corpus": []}, {"corpus": [5]}, {"corpus": ["a"], "output": 5}, {"corpus": ["a"], "keep": []}]


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b"\xff", b"[" * 100_000, *(json.dumps(b).encode() for b in BAD)]
)
def test_a_damaged_command_is_an_error(tmp_path, capsys, content):
    (tmp_path / "command.json").write_bytes(content)
    assert main(["train", "--resume", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(
        f"pairloom train: {tmp_path / 'command.json'} is damaged or missing. Type"
    )
