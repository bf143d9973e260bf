"""`pairloom report` and `pairloom train --report`."""

import json

import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.errors import OutputError

TRAIN = ["--dim", "8", "--min-count", "1", "--sample", "0", "--epochs", "2"]


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "q.tsv"
    path.write_text("cat\tdog\t9\ncat\tred\t1\nred\tgreen\t8\n")
    return path


def test_the_report_of_a_model(model, questions, tmp_path, capsys):
    target = tmp_path / "r.html"
    assert main(["report", str(model), "-o", str(target)]) == 0
    first, *remarks = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{target}: The model learnt, but the corpus is very small: ")
    assert [remark[:26] for remark in remarks] == ["- The corpus is very small"]
    assert "topics.loom: report of the training" in target.read_text()
    assert main(["report", str(model), "-o", str(target), "--evaluate", str(questions), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["output"] == str(target) and found["answer"] in first and len(found["remarks"]) == 1
    assert "Spearman" in target.read_text()
    assert main(["report", str(model), "-o", str(target), "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_training_writes_a_report_of_what_it_saw(corpus, questions, tmp_path, capsys):
    model, target = tmp_path / "m.loom", tmp_path / "r.html"
    typed = ["train", str(corpus), "-o", str(model), *TRAIN, "--report", str(target), "--evaluate", str(questions)]
    assert main([*typed, "--threads", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith(f"{target}: The model learnt, ")
    text = target.read_text()
    assert "from topics.txt (4,800 words)" in text and "Time by epoch" in text and "Spearman" in text
    assert "<td>threads</td><td>1</td>" in text
    bytes_with_report = model.read_bytes()
    assert main([*typed, "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["report"]["output"] == str(target)
    assert main(["train", str(corpus), "-o", str(model), *TRAIN, "--quiet"]) == 0
    assert model.read_bytes() == bytes_with_report


def refused(capsys, *typed):
    assert main([*map(str, typed)]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1
    return printed.err


def test_a_report_that_could_not_be_written_is_refused_before_the_training(corpus, model, questions, tmp_path, capsys):
    output = tmp_path / "m.loom"
    train = ["train", corpus, "-o", output, "--quiet"]
    assert "does not exist" in refused(capsys, *train, "--report", tmp_path / "none" / "r.html")
    assert "files to be read" in refused(capsys, *train, "--report", corpus)
    assert "both the model and its report" in refused(capsys, *train, "--report", output)
    assert "files to be read" in refused(capsys, *train, "--report", questions, "--evaluate", questions)
    assert "Add --report OUT.html" in refused(capsys, *train, "--evaluate", questions)
    assert "is a model, not a text" in refused(capsys, *train, "--report", tmp_path / "r", "--evaluate", model)
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("one two three four five\n")
    assert "not a question" in refused(capsys, *train, "--report", tmp_path / "r.html", "--evaluate", wrong)
    assert not output.exists()


def test_bad_arguments_of_the_command_are_refused(model, questions, tmp_path, capsys):
    assert "does not exist" in refused(capsys, "report", model, "-o", tmp_path / "none" / "r.html")
    assert "files to be read" in refused(capsys, "report", model, "-o", model)
    assert "none.loom" in refused(capsys, "report", tmp_path / "none.loom", "-o", tmp_path / "r.html")
    assert "--threads 0" in refused(capsys, "report", model, "-o", tmp_path / "r.html", "--threads", "0")
    assert "is a model" in refused(capsys, "report", model, "-o", tmp_path / "r.html", "--evaluate", model)
    with pytest.raises(SystemExit) as end:
        main(["report", str(model)])
    assert end.value.code == 2 and "-o" in capsys.readouterr().err
    assert not (tmp_path / "r.html").exists()


def test_a_report_that_fails_does_not_cost_the_model(corpus, tmp_path, capsys, monkeypatch):
    def fail(*_, **__):
        raise OutputError("r.html cannot be written: the disk is full.")

    monkeypatch.setattr("pairloom.judging.reports.writing.report", fail)
    model, target = tmp_path / "m.loom", tmp_path / "r.html"
    assert main(["train", str(corpus), "-o", str(model), *TRAIN, "--report", str(target), "--quiet"]) == 5
    assert capsys.readouterr().err == (
        "pairloom train: r.html cannot be written: the disk is full. The model is saved. For its report: "
        f"pairloom report {model} -o OUT.html\n"
    )
    assert len(pairloom.load(model)) == 20 and not target.exists()


def test_a_resumed_training_writes_the_report_that_was_asked_for(corpus, questions, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    typed = ["train", str(corpus), "-o", "m.loom", *TRAIN, "--report", "r.html", "--evaluate", questions.name]
    assert main([*typed, "--checkpoint", "run", "--every", "epoch", "--quiet"]) == 0
    saved = json.loads((tmp_path / "run" / "command.json").read_text())
    assert saved["report"] == str(tmp_path / "r.html") and saved["evaluate"] == [str(questions)]
    (tmp_path / "r.html").unlink()
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert main(["train", "--resume", str(tmp_path / "run"), "--quiet"]) == 0
    assert "The training was resumed after 9," in (tmp_path / "r.html").read_text()
    saved["evaluate"] = "q.tsv"
    (tmp_path / "run" / "command.json").write_text(json.dumps(saved))
    assert "is damaged or missing" in refused(capsys, "train", "--resume", tmp_path / "run", "--quiet")
