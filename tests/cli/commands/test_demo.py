"""pairloom demo."""

import json
import re
from itertools import pairwise

import pytest

import pairloom
from pairloom.cli.demo_text import PROBES
from pairloom.cli.main import main


@pytest.fixture
def small_library(monkeypatch):
    """A text of the probes, in the place of Python's."""

    def write(path):
        path.write_text("".join(f"{a} {b} {a} {b}\n" for a, b in pairwise([*PROBES, *PROBES])) * 400)
        return 4 * 400 * (2 * len(PROBES) - 1)

    monkeypatch.setattr("pairloom.cli.demo_text.write_corpus", write)


def test_the_demo_trains_saves_and_shows_neighbours(small_library, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Training on 36,800 words: the code and docstrings of Python's standard library."
    assert re.fullmatch(r"Learnt vectors for 12 words\. Held-out loss: \d\.\d{3} before, \d\.\d{3} after\.", lines[1])
    shown = {line.split()[0]: line.split(maxsplit=1)[1].split(", ") for line in lines[5:17]}
    assert list(shown) == list(PROBES)
    assert all(len(near) == 6 and word not in near for word, near in shown.items())
    assert lines[18] == "The model is in demo.loom, and a map of its words in demo.svg. Try next:"
    assert (tmp_path / "demo.svg").read_text().startswith("<svg ")
    assert len(pairloom.load("demo.loom")) == 12


def test_the_demo_prints_json_for_programs(small_library, tmp_path, capsys):
    out = tmp_path / "m.loom"
    assert main(["demo", "--json", "-o", str(out), "--threads", "1"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["output"], facts["tokens"], facts["words"], list(facts["near"])) == (
        str(out),
        36_800,
        12,
        list(PROBES),
    )


def test_the_demo_refuses_before_it_works(tmp_path, capsys):
    assert main(["demo", "-o", str(tmp_path / "no" / "m.loom")]) == 2
    assert "does not exist" in capsys.readouterr().err
    assert main(["demo", "--threads", "0"]) == 2
    assert "--threads 0" in capsys.readouterr().err


def test_the_demo_writes_its_text(small_library, tmp_path, capsys):
    path = tmp_path / "python.txt"
    assert main(["demo", "--text", str(path)]) == 0
    assert capsys.readouterr().out.startswith(f"{path} has 36,800 words: ")
    assert main(["demo", "--text", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"text": str(path), "tokens": 36_800}
    assert path.read_text().startswith("two month two month\n") and not (tmp_path / "demo.loom").exists()
    assert main(["demo", "--text", str(tmp_path / "no" / "python.txt")]) == 2
    assert "does not exist" in capsys.readouterr().err
