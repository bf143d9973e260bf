"""`pairloom phrases`."""

import io
import json
import subprocess
import sys

import pytest

from pairloom import Phrases
from pairloom.cli.main import main
from tests.preparing.phrases.examples import TEXT, lists, random_text


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "c.txt").write_text(TEXT)
    return tmp_path / "c.txt"


def run(capsys, *args, code=0):
    try:
        given = main(["phrases", *map(str, args)])
    except SystemExit as exit:
        given = exit.code
    printed = capsys.readouterr()
    assert given == code, printed.err
    return printed.out if code == 0 else printed.err


def test_the_command_prints_phrases_best_first(corpus, capsys):
    lines = run(capsys, corpus, "--threshold", 0.1, "--quiet").splitlines()
    phrases = Phrases.learn(corpus, threshold=0.1).phrases
    assert [line.split("\t")[1] for line in lines] == list(phrases)
    assert [float(line.split("\t")[0]) for line in lines] == pytest.approx(list(phrases.values()), rel=1e-5)


def test_the_command_writes_the_text_and_keeps_the_phrases(corpus, tmp_path, capsys):
    out, kept, again = tmp_path / "out.txt", tmp_path / "p.jsonl", tmp_path / "again.txt"
    options = ["--threshold", "0.1,0.2", "--connectors", "english", "--passes", 2, "--delimiter", "+"]
    printed = run(capsys, corpus, "-o", out, "--save-phrases", kept, "--json", "--quiet", *options)
    phrases = Phrases.learn(corpus, threshold=[0.1, 0.2], connectors="english", delimiter="+")
    facts = json.loads(printed)
    assert (facts["phrases"], facts["best"], facts["output"]) == (len(phrases), phrases.phrases, str(out))
    assert lists(out.read_text()) == [phrases.apply(line) for line in lists(TEXT)]
    assert Phrases.load(kept) == phrases
    assert f"{again}: {len(phrases)} phrases" in run(capsys, corpus, "-o", again, "--phrases", kept)
    assert again.read_bytes() == out.read_bytes()


def test_the_command_reads_stdin_and_connectors_from_a_file(corpus, tmp_path, capsys, monkeypatch):
    (tmp_path / "connectors.txt").write_text("of\nfor\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    out = tmp_path / "out.txt"
    printed = run(capsys, "-", "-o", out, "--connectors", tmp_path / "connectors.txt", "--threshold", 0.1, "--quiet")
    assert printed == ""
    phrases = Phrases.learn(corpus, threshold=0.1, connectors=["of", "for"])
    assert lists(out.read_text()) == [phrases.apply(line) for line in lists(TEXT)]


def test_the_output_does_not_depend_on_threads(tmp_path, capsys):
    (tmp_path / "c.txt").write_text(random_text())
    outputs = set()
    for threads in (1, 2, 4):
        out, kept = tmp_path / "out.txt", tmp_path / "p.jsonl"
        options = ["--threads", threads, "--passes", 2, "--min-count", 2, "--threshold", 3, "--connectors", "english"]
        run(capsys, tmp_path / "c.txt", "-o", out, "--save-phrases", kept, "--quiet", *options)
        outputs.add((out.read_bytes(), kept.read_bytes()))
    assert len(outputs) == 1 and b"_" in outputs.pop()[0]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--min-count", "0"], "--min-count 0 is out of range."),
        (["--threshold", "nan"], "--threshold nan is out of range."),
        (["--threshold", "10,x"], "argument --threshold: '10,x' is not a number, nor numbers like 200,100."),
        (["--threshold", "1,2,3", "--passes", "2"], "--threshold [1.0, 2.0, 3.0] has 3 values for 2 passes."),
        (["--scoring", "default"], "--scoring 'default' is not a choice."),
        (["--delimiter", ""], "--delimiter is empty"),
        (["--delimiter", "\t"], "--delimiter '\\t' contains white space"),
        (["--connectors", "none.txt"], "none.txt cannot be read"),
        (["-o", "c.txt"], "c.txt is, or is among, the files to be read. Choose another name for the output."),
        (["--save-phrases", "c.txt"], "c.txt is, or is among, the files to be read."),
        (["-o", "p", "--save-phrases", "p"], "p cannot hold both the text and the phrases."),
        (["-o", "none/out.txt"], "Create it first."),
        (["-o", "."], ". is a folder."),
        (["--phrases", "p.jsonl"], "--phrases writes a text with joined phrases. Name the file to write: -o OUT"),
        (["--phrases", "p.jsonl", "-o", "x", "--passes", "2"], "so --passes has no effect. Leave out one."),
        (["--phrases", "p.jsonl", "-o", "x"], "p.jsonl cannot be read: No such file or directory."),
        (["--threads", "0"], "--threads 0 is out of range."),
    ],
)
def test_the_command_says_what_is_wrong_in_one_line(args, message, corpus, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    error = run(capsys, "c.txt", "--quiet", *args, code=2)
    assert error.startswith("pairloom phrases: ") and message in error and error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["c.txt"]
    assert corpus.read_text() == TEXT


def test_the_command_needs_words(tmp_path, capsys):
    (tmp_path / "empty.txt").write_text("")
    assert "empty.txt has no words." in run(capsys, tmp_path / "empty.txt", "--quiet", code=2)


def test_the_text_can_be_piped_and_its_reader_may_stop(tmp_path):
    (tmp_path / "c.txt").write_text(TEXT * 500)
    command = [sys.executable, "-m", "pairloom", "phrases", "c.txt", "-o", "/dev/stdout"]
    command += ["--scoring", "npmi", "--threshold", "0.95"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "i_love new_york\n"
        process.stdout.close()
        assert process.wait() == 0
        assert "Broken pipe" not in process.stderr.read()


def test_help_has_an_example(capsys):
    assert "example: pairloom phrases corpus.txt -o joined.txt" in run(capsys, "--help")
