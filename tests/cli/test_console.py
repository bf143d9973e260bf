"""Progress, as a person sees it: a bar on a terminal, lines in a file, nothing when asked for quiet."""

import io
import sys

import pytest

from pairloom.cli import console
from pairloom.cli.console import describe, progress
from pairloom.progress import Progress


class Terminal(io.StringIO):
    """A stream that rich takes for a terminal."""

    def isatty(self):
        return True


def on_terminal(monkeypatch):
    """From here on stderr is one. (Not a fixture: pytest puts its own stderr back before the test begins.)"""
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    return sys.stderr


def test_a_stage_is_described_in_words_and_training_by_its_figures():
    assert describe(Progress(stage="count", done=1, total=2)) == "counting words"
    report = Progress(stage="train", epoch=2, epochs=5, words_per_second=1.5e6, lr=0.0125)
    assert describe(report) == "epoch 2/5, 1,500k words/s, lr 0.013"
    report = Progress(stage="train", epoch=1, epochs=1, unit="pairs", lr=0.1, heldout=2.34567)
    assert describe(report) == "epoch 1/1, 0k pairs/s, lr 0.1, held-out loss 2.3457"


def test_in_a_file_there_is_a_line_when_something_begins_or_ends(capsys):
    with progress() as on_progress:
        for done in (0, 10, 20, 100):
            on_progress(Progress(stage="count", done=done, total=100))
        for done in (0, 50):
            on_progress(Progress(stage="encode", done=done))
    assert capsys.readouterr().err == ("counting words 0%\ncounting words 100%\nencoding the text\n")


def test_in_a_file_there_is_a_line_every_ten_seconds(capsys, monkeypatch):
    now = 0.0
    monkeypatch.setattr(console.time, "monotonic", lambda: now)
    with progress() as on_progress:
        for now in (0.0, 5.0, 9.9, 10.0, 19.9, 20.1):
            on_progress(Progress(stage="train", done=int(now), total=100, epoch=1, epochs=1))
    assert [line.split(":")[0] for line in capsys.readouterr().err.splitlines()] == [
        "training 0%",
        "training 10%",
        "training 20%",
    ]


def test_a_new_epoch_and_a_new_loss_are_worth_a_line(capsys):
    with progress() as on_progress:
        for epoch, loss in ((1, 4.0), (1, 4.0), (1, 3.0), (2, 3.0)):
            on_progress(Progress(stage="train", done=1, total=9, epoch=epoch, epochs=2, heldout=loss))
    assert [line[-6:] for line in capsys.readouterr().err.splitlines()] == ["4.0000", "3.0000", "3.0000"]


def test_progress_on_a_closed_pipe_does_not_stop_the_work(monkeypatch):
    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Closed())
    with progress() as on_progress:
        on_progress(Progress(stage="count"))


@pytest.mark.parametrize("stream", [None, Terminal()])
def test_quiet_is_quiet(stream, monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream)
    with progress(quiet=stream is not None) as on_progress:
        on_progress(Progress(stage="count"))
    assert stream is None or stream.getvalue() == ""


def test_on_a_terminal_there_is_a_bar_for_each_stage(monkeypatch):
    terminal = on_terminal(monkeypatch)
    with progress() as on_progress:
        on_progress(Progress(stage="count", done=0))  # of an unknown total
        on_progress(Progress(stage="count", done=7))
        on_progress(Progress(stage="train", done=50, total=200, epoch=1, epochs=4, lr=0.025))
        on_progress(Progress(stage="train", done=150, total=200, epoch=3, epochs=4, lr=0.01))
    last = terminal.getvalue().split("counting words")[-1]
    assert "100%" in last.split("epoch")[0]  # the earlier stage is done
    assert "epoch 3/4, 0k words/s, lr 0.01" in last
    assert "75%" in last
    assert "\x1b[?25h" in terminal.getvalue()  # the cursor is there again


def test_the_bar_is_removed_after_an_error(monkeypatch):
    terminal = on_terminal(monkeypatch)
    with pytest.raises(KeyboardInterrupt), progress() as on_progress:
        on_progress(Progress(stage="train", done=1, total=2, epoch=1, epochs=1))
        raise KeyboardInterrupt
    assert "\x1b[?25h" in terminal.getvalue()


def test_every_stage_has_words(capsys):
    stages = Progress.__annotations__["stage"].__args__
    with progress() as on_progress:
        for stage in stages:
            on_progress(Progress(stage=stage))
    assert len(capsys.readouterr().err.splitlines()) == len(stages)
