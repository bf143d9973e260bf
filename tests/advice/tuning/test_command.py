import json
import shlex
import signal
import subprocess
import sys

import pytest

from pairloom.cli.main import main


@pytest.fixture
def corpus(sessions, tmp_path):
    path = tmp_path / "clicks of today.txt"
    path.write_text("".join(" ".join(line) + "\n" for line in sessions))
    return str(path)


def test_it_shows_a_table_a_verdict_and_the_command_to_run(corpus, capsys, tmp_path):
    page, chart = tmp_path / "tune.html", tmp_path / "tune.svg"
    line = ["tune", corpus, "--for", "next-item", "--trials", "4", "--dim", "8", "--quiet"]
    assert main([*line, "--page", str(page), "--chart", str(chart)]) == 0
    out = capsys.readouterr().out
    assert "settings" in out and "defaults" in out
    command = next(line for line in out.splitlines() if line.startswith("pairloom train"))
    assert shlex.split(command)[2] == corpus
    assert "<svg" in page.read_text() and chart.read_text().startswith("<svg")


def test_the_command_it_prints_trains(corpus, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["tune", corpus, "--for", "next-item", "--trials", "4", "--dim", "8", "--json", "-q"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ended"] == "trials" and len(found["trials"]) == 4
    assert main([*shlex.split(found["command"])[1:], "--quiet"]) == 0
    assert (tmp_path / "vectors.loom").exists()


def test_a_page_over_the_corpus_is_refused(corpus, capsys):
    assert main(["tune", corpus, "--page", corpus]) == 2
    assert "to be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    "target, problem",
    [
        (
            "nextitem",
            "nextitem cannot be read: No such file or directory. Check the path. Without a file of questions, use "
            "heldout or next-item.",
        ),
        ("x" * 5000, f"{'x' * 5000} cannot be read: File name too long. Check the path."),
    ],
    ids=["close", "long"],
)
def test_a_target_that_is_neither_a_name_nor_a_file_is_refused(corpus, capsys, target, problem):
    assert main(["tune", corpus, "--for", target, "--quiet"]) == 2
    assert capsys.readouterr().err == f"pairloom tune: {problem}\n"


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_ends_it_with_the_best_so_far(corpus):
    line = [sys.executable, "-m", "pairloom", "tune", corpus, "--for", "next-item", "--trials", "1000", "--dim", "8"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for report in process.stderr:  # lines of progress, since it is no terminal
            if report.startswith("trying settings") and not report.startswith("trying settings 0%"):
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "defaults" in out and "Interrupted. The same trials again: --trials" in out
    assert "interrupted; what was found so far is shown." in err
