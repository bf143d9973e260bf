"""The prompts of `near`, `similarity` and `analogy` at a terminal, tried at a real one; and colours there."""

import os
import pty
import select
import signal
import subprocess
import sys
import time

import pytest


@pytest.fixture
def terminal():
    """A function that starts a command at a terminal of its own and returns how to type and what it shows."""
    started = []

    def start(*args, **environment):
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "pairloom", *map(str, args)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=os.environ | {"TERM": "xterm"} | environment,
            start_new_session=True,
        )
        os.close(theirs)
        started.append((process, ours))
        return process, ours

    yield start
    for process, ours in started:
        process.kill()
        process.wait()
        os.close(ours)


def shown_until(ours, text, seconds=60):
    """What the terminal shows until `text` appears, or the end."""
    shown, end = "", time.monotonic() + seconds
    while text not in shown and time.monotonic() < end:
        if select.select([ours], [], [], 0.2)[0]:
            try:
                shown += os.read(ours, 4096).decode()
            except OSError:  # the process has closed its side
                break
    return shown


def test_near_asks_for_words_suggests_others_and_goes_on(model, terminal):
    process, ours = terminal("near", model, "-n", "1")
    assert "word> " in shown_until(ours, "word> ")
    os.write(ours, b"caat\n")
    assert "Did you mean 'cat'?" in shown_until(ours, "word> ")
    os.write(ours, b"cat\n")
    answer = shown_until(ours, "word> ")
    assert "\ncat\r\n  0." in answer or "cat\r\n   0." in answer
    os.write(ours, b"\x04")
    shown_until(ours, "\0", 10)
    assert process.wait(60) == 0  # a misspelt word was answered; it is no failure of the command


def test_similarity_asks_for_two_words(model, terminal):
    process, ours = terminal("similarity", model)
    assert "two words> " in shown_until(ours, "two words> ")
    os.write(ours, b"cat\n")
    assert "is not a pair. Give two words" in shown_until(ours, "two words> ")
    os.write(ours, b"cat dog\n")
    assert "  cat dog\r\n" in shown_until(ours, "two words> ")
    os.write(ours, b"\x04")
    shown_until(ours, "\0", 10)
    assert process.wait(60) == 0


def test_analogy_has_a_prompt_of_its_own_and_ctrl_c_ends_it(model, terminal):
    process, ours = terminal("analogy", model)
    assert "three words> " in shown_until(ours, "three words> ")
    os.write(ours, b"cat\n")
    assert "is not a question. Give three words" in shown_until(ours, "three words> ")
    shown = ""
    while "half-written" not in shown:  # one that comes between the prompt and the waiting takes effect with the next
        process.send_signal(signal.SIGINT)
        shown += shown_until(ours, "half-written", 1)
    assert "pairloom analogy: interrupted" in shown
    assert process.wait(60) == 130


def test_answers_that_go_to_a_file_come_without_a_prompt(model, tmp_path):
    """stdin is a terminal, stdout is not."""
    ours, theirs = pty.openpty()
    with (tmp_path / "out.txt").open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "pairloom", "near", str(model), "-n", "1"], stdin=theirs, stdout=out
        )
        os.close(theirs)
        os.write(ours, b"cat\n\x04")
        assert process.wait(60) == 0
    os.close(ours)
    assert (tmp_path / "out.txt").read_text().startswith("cat\n")


@pytest.mark.parametrize(
    ("environment", "has_bar", "has_colour"),
    [({}, True, True), ({"NO_COLOR": "1"}, True, False), ({"TERM": "dumb"}, False, False)],
)
def test_the_bar_has_colours_unless_they_are_unwanted(environment, has_bar, has_colour, corpus, tmp_path, terminal):
    command = ("train", corpus, "-o", tmp_path / "m.loom", "--dim", "4", "--epochs", "1")
    process, ours = terminal(*command, **{"COLORTERM": ""} | environment)
    shown = shown_until(ours, "m.loom: 20 words")
    assert process.wait(60) == 0
    assert ("━" in shown) == has_bar
    assert ("\x1b[3" in shown) == has_colour  # 3x is a colour of letters
    assert "training" in shown or "epoch 1/1" in shown
