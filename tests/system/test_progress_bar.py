"""Progress, as a person sees it: a bar on a terminal, lines in a file, nothing when asked for quiet."""

import io
import sys

import pytest

import pairloom
from pairloom.errors import ConfigError
from pairloom.progress import Progress
from pairloom.system import progress_bar
from pairloom.system.progress_bar import describe, reported_progress
from pairloom.system.progress_bar import shown_progress as progress


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
    monkeypatch.setattr(progress_bar.time, "monotonic", lambda: now)
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


# --- In a notebook, and together with a callback


class Kernel:
    """What a kernel puts into sys.modules, reduced to what is asked of it."""

    def __init__(self):
        self.shown, self.kernel = [], self

    def get_ipython(self):
        return self

    def display(self, thing, display_id):
        assert display_id is True
        self.update(thing)
        return self

    def update(self, thing):
        self.shown.append((repr(thing), thing._repr_html_()))


@pytest.fixture
def kernel(monkeypatch):
    kernel = Kernel()
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    monkeypatch.setitem(sys.modules, "IPython.display", kernel)
    return kernel


def test_in_a_notebook_one_line_is_replaced_by_the_next(kernel, capsys):
    with progress() as on_progress:
        on_progress(Progress(stage="count", done=1))
        on_progress(Progress(stage="train", done=50, total=200, epoch=1, epochs=4, lr=0.025))
        on_progress(Progress(stage="train", done=60, total=200, epoch=1, epochs=4, lr=0.025))
    texts, pages = zip(*kernel.shown, strict=True)
    assert texts[1] == "counting words" and "<progress ></progress> counting words" in pages[1]
    assert texts[2] == "epoch 1/4, 0k words/s, lr 0.025 25%" and 'value="50" max="200"' in pages[2]
    assert texts[3:] == ("epoch 1/4, 0k words/s, lr 0.025 30%",)  # too soon after the one before; so at the end
    assert capsys.readouterr() == ("", "")


def test_a_shell_without_a_page_is_no_notebook(kernel, capsys):
    kernel.kernel = None
    with progress() as on_progress:
        on_progress(Progress(stage="count"))
    assert capsys.readouterr().err == "counting words\n" and kernel.shown == []


def test_a_bar_and_a_callback_see_the_same_reports(capsys):
    seen = []
    with reported_progress(True, seen.append) as report:
        report(Progress(stage="count"))
    assert [one.stage for one in seen] == ["count"] and capsys.readouterr().err == "counting words\n"
    with reported_progress(False, seen.append) as report:
        report(Progress(stage="encode"))
    assert len(seen) == 2 and capsys.readouterr().err == ""


@pytest.mark.parametrize("value", [1, "yes", print])
def test_a_function_as_progress_is_refused(value):
    with pytest.raises(ConfigError, match="is not True or False"):
        pairloom.train([["a", "b"]], progress=value)


@pytest.mark.parametrize("train", [pairloom.train, pairloom.train_pairs])
def test_training_shows_its_progress_if_asked_to(train, capsys):
    seen = []
    train([["a", "b"], ["b", "a"]] * 50, dim=2, epochs=1, sample=0, min_count=1, progress=True, on_progress=seen.append)
    assert "training 100%: epoch 1/1" in capsys.readouterr().err
    assert seen[-1].stage == "train" and seen[-1].done == seen[-1].total
