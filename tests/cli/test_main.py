"""How commands end: exit codes, closed pipes and streams; and what the whole package promises."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import pairloom
from pairloom.cli.main import main


def test_a_closed_pipe_ends_quietly(model):
    command = f"{sys.executable} -m pairloom near {model} cat -n 20 | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("cat\n", "")


@pytest.mark.parametrize("stderr", ["2>/dev/full", "2>&-", "2>&1 | head -n 1"])
def test_training_continues_when_its_progress_cannot_be_written(stderr, corpus, tmp_path):
    out = tmp_path / "m.loom"
    options = "--dim 8 --min-count 1 --epochs 3"
    command = f"{sys.executable} -m pairloom train {corpus} -o {out} {options} {stderr}"
    subprocess.run(command, shell=True, timeout=60, capture_output=True)
    assert len(pairloom.load(out)) == 20


@pytest.mark.parametrize("stdout", [">/dev/full", ">&-"])
def test_output_that_cannot_be_printed_ends_without_a_traceback(stdout, model):
    done = subprocess.run(
        f"{sys.executable} -m pairloom info {model} {stdout}", shell=True, capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == (5 if "full" in stdout else 0)


@pytest.mark.parametrize("command", ["near {model} <&-", "train - -o {out} <&-"])
def test_a_closed_stdin_ends_without_a_traceback(command, model, tmp_path):
    line = command.format(model=model, out=tmp_path / "m.loom")
    done = subprocess.run(f"{sys.executable} -m pairloom {line}", shell=True, capture_output=True, text=True)
    assert "Traceback" not in done.stderr


def test_words_are_printed_on_a_terminal_that_lacks_their_letters(tmp_path):
    corpus = tmp_path / "c.txt"
    corpus.write_text("한국어 텍스트\n" * 20, encoding="utf-8")
    command = [sys.executable, "-m", "pairloom", "vocab", str(corpus), "--quiet"]
    done = subprocess.run(command, capture_output=True, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(rb"\u")


def best_seconds(*command):
    """The fastest of five runs: what the machine can do when nothing else is in the way."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(5):
        began = _processor_seconds()
        subprocess.run([sys.executable, *command], check=True, capture_output=True, env=environment)
        times.append(_processor_seconds() - began)
    return min(times)


def _processor_seconds():
    """Of all processes that ended: other than the clock, it does not run on while others have the processor."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_importing_the_package_and_asking_for_help_are_quick_and_leave_numpy_and_numba_alone():
    bare = best_seconds("-c", "pass")
    assert best_seconds("-c", "import pairloom") - bare < 0.15
    assert best_seconds("-m", "pairloom", "--help") < 0.25
    heavy = "{'numpy', 'numba', 'rich'}"
    help_text = "from pairloom.cli.parsing import build_parser; build_parser().format_help()"
    loaded = f"import sys, pairloom, pairloom.cli.main; {help_text}; sys.exit(not {heavy}.isdisjoint(sys.modules))"
    assert subprocess.run([sys.executable, "-c", loaded]).returncode == 0


def test_the_public_names_are_those_of_all():
    assert sorted(pairloom.__all__) == pairloom.__all__ == dir(pairloom)
    assert set(pairloom._HOME) | {"__version__"} == set(pairloom.__all__)
    for name, home in pairloom._HOME.items():
        assert getattr(pairloom, name).__module__.startswith(f"pairloom.{home}")
    with pytest.raises(AttributeError, match="module 'pairloom' has no attribute 'tarin'"):
        pairloom.tarin  # noqa: B018  (that it raises is the point)


def test_nothing_in_the_package_can_run_code_from_a_file():
    sources = Path(pairloom.__file__).parent.rglob("*.py")
    forbidden = ("import pickle", "from pickle", "marshal", "shelve", "allow_pickle", "eval(", "exec(")
    pipes = Path("system/processes.py")  # it pickles what goes to processes of our own, and reads no file
    for source in sources:
        text = source.read_text().replace("import pickle", "" if source.match(str(pipes)) else "import pickle")
        assert not [word for word in forbidden if word in text], source


def test_the_package_runs_as_a_module():
    """In a process of its own, since it ignores signals at its end."""
    done = subprocess.run([sys.executable, "-m", "pairloom", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"pairloom {pairloom.__version__}\n")


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (
            "With sample=0.001, no pair is left. Use sample=0, or more text.",
            "With --sample 0.001, no pair is left. Use ",
        ),
        ("Use min_count=1.", "Use --min-count 1."),
        ("(objective=hs)", "(--objective hs)"),
        ("dim=5/a.txt has no words. runs/dim=5 has none, nor has 'dim=5'.", "dim=5/a.txt has no words. runs/dim=5 has"),
        ("dim=100.txt has no words.", "dim=100.txt has no words."),
        ("topn=5 is not an option of training.", "topn=5 is not"),
        ("Leave out max_vocab.", "Leave out --max-vocab."),
        (
            "Lower dim or raise min_count, or allow more (max_memory).",
            "Lower dim or raise --min-count, or allow more (--max",
        ),
        (
            "min_count.txt, a/min_count and 'min_count' have no words.",
            "min_count.txt, a/min_count and 'min_count' have",
        ),
        ("To read it as it is, use as_text (--as-text).", "To read it as it is, use as_text (--as-text)."),
    ],
)
def test_the_library_s_names_of_options_become_those_of_the_command(message, shown, capsys, monkeypatch, tmp_path):
    def train(*_, **__):
        raise pairloom.InputError(message)

    monkeypatch.setattr("pairloom.training.train.train_text", train)
    assert main(["train", "text.txt", "-o", str(tmp_path / "m.loom")]) == 2
    assert capsys.readouterr().err.startswith(f"pairloom train: {shown}")
