"""`pairloom evaluate`."""

import json
import re
import sys
from io import BytesIO, TextIOWrapper

import pytest

import pairloom
from pairloom import Embedding
from pairloom.cli.main import main
from pairloom.judging.evaluation import (
    evaluate,
)
from tests.judging.evaluation.planted import PAIRS, SECTIONS, planted


@pytest.fixture(scope="module")
def models(vectors, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name, (words, contexts) in {
        "one.loom": (vectors, planted(seed=9)),
        "two.loom": (planted(noise=0), vectors),
    }.items():
        Embedding(words=words, contexts=contexts).save(folder / name)
    return folder


@pytest.fixture
def folder(models, monkeypatch):
    """Work in the folder of the models, with a file of each kind that needs no extra package."""
    monkeypatch.chdir(models)
    (models / "analogies.txt").write_text(SECTIONS)
    (models / "pairs.tsv").write_text("".join("{}\t{}\t{}\n".format(*pair) for pair in PAIRS))
    return models


def printed(capsys, *args):
    assert main(["evaluate", *args]) == 0
    out = capsys.readouterr()
    assert out.err == ""
    return out.out


def test_the_command_prints_scores_with_their_coverage(folder, capsys):
    out = printed(capsys, "two.loom", "analogies.txt", "pairs.tsv").splitlines()
    assert [re.split("  +", line) for line in out[:6]] == [
        ["test", "score", "two.loom", "known"],
        ["analogies.txt", "3CosAdd", "100.00 %", "3 of 5"],
        ["", "semantic", "3CosAdd", "100.00 %", "2 of 3"],
        ["", "syntactic", "3CosAdd", "100.00 %", "1 of 2"],
        ["pairs.tsv", "Spearman", re.split("  +", out[4])[2], "6 of 6"],
        ["pairs.tsv", "Pearson", re.split("  +", out[5])[2], "6 of 6"],
    ]
    assert re.search(r"0\.\d{3} \[-?\d\.\d{3}, \d\.\d{3}\]", out[4])
    assert out[6] == (
        "known: questions whose words are among the first 300,000 words of a model (ignoring case); "
        "the others are skipped. In []: the 95 % interval, by bootstrap over pairs."
    )


def test_sections_of_unknown_kind_are_only_totalled(folder, capsys):
    (folder / "msr.txt").write_text("x0 y0 x1 y1\n")
    out = printed(capsys, "two.loom", "msr.txt").splitlines()
    assert [line.split()[0] for line in out] == ["test", "msr.txt", "known:"]


def test_models_are_printed_side_by_side(folder, capsys):
    out = printed(capsys, "one.loom", "analogies.txt", "--against", "two.loom", "one.loom").splitlines()
    assert re.split("  +", out[0]) == ["test", "score", "one.loom", "known", "two.loom", "known", "one.loom", "known"]
    cells = re.split("  +", out[1])
    assert cells[2:4] == cells[6:8] and cells[4:6] == ["100.00 %", "3 of 5"]


def test_each_section_and_method_has_its_own_line(folder, capsys):
    out = printed(capsys, "one.loom", "analogies.txt", "--sections", "--method", "both").splitlines()
    names = [line.split("  3Cos")[0].strip() for line in out[1:-1]]
    part = ["analogies.txt", "semantic", "syntactic", "capital-common", "gram1-plural", "empty"]
    assert names == part * 2
    assert [("3CosAdd" in line, "3CosMul" in line) for line in out[1:-1]] == [(True, False)] * 6 + [(False, True)] * 6
    assert re.search(r"empty +3CosAdd +- +0 of 0$", "\n".join(out), re.MULTILINE)


def test_json_holds_what_the_library_returns(folder, capsys):
    options = ("--method", "mul", "--restrict-vocab", "200", "--case", "keep", "--unknown", "wrong", "--contexts")
    found = json.loads(printed(capsys, "one.loom", "analogies.txt", "pairs.tsv", "--json", *options))
    contexts = pairloom.load("one.loom").contexts
    policy = {"restrict_vocab": 200, "case": "keep", "unknown": "wrong"}
    expected = [evaluate(contexts, file, method="mul", **policy).as_dict() for file in ("analogies.txt", "pairs.tsv")]
    assert found == [{"model": "one.loom", "results": json.loads(json.dumps(expected))}]
    assert expected[0]["total"]["coverage"] < 1


def test_categories_have_a_line_too(folder, capsys):
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    (folder / "kinds.tsv").write_text("x0\tx\nx1\tx\ny0\ty\nnowhere\ty\n")
    line = printed(capsys, "one.loom", "kinds.tsv").splitlines()[1]
    assert re.fullmatch(r"kinds.tsv +purity +(66.67|100.00) % +3 of 4", line)


def test_the_choices_are_named_below_the_table(folder, capsys):
    options = ("--restrict-vocab", "0", "--case", "keep", "--unknown", "wrong", "--contexts")
    assert printed(capsys, "one.loom", "analogies.txt", *options).splitlines()[-1] == (
        "known: questions whose words are among all contexts of a model (case counts); the others are counted as wrong."
    )


def test_questions_come_from_stdin_too_and_serve_every_model(folder, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(SECTIONS.encode())))
    out = printed(capsys, "two.loom", "-", "--against", "two.loom").splitlines()
    assert re.split("  +", out[1]) == ["-", "3CosAdd", "100.00 %", "3 of 5", "100.00 %", "3 of 5"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("one.loom", "none.txt"), "none.txt cannot be read: No such file or directory. Check the path."),
        (("one.loom", "two.loom"), "two.loom is a model, not a text. If a model is needed, name it before all texts."),
        (("none.loom", "pairs.tsv"), "none.loom "),
        (("one.loom", "pairs.tsv", "--restrict-vocab", "-1"), "--restrict-vocab -1 is out of range. Use 0 to "),
        (("one.loom", "pairs.tsv", "--threads", "0"), "--threads 0 is out of range. Use 1 to "),
        (("one.loom", "pairs.tsv", "--seed", "-1"), "--seed -1 is out of range. Use 0 to "),
        (("one.loom", "pairs.tsv", "--against", "none.loom"), "none.loom "),
    ],
)
def test_the_command_refuses_bad_input_with_one_line(folder, capsys, args, message):
    assert main(["evaluate", *args]) == 2
    out = capsys.readouterr()
    assert out.out == "" and out.err.count("\n") == 1
    assert out.err.startswith(f"pairloom evaluate: {message}")


def test_on_a_terminal_the_table_has_every_cell_in_full(folder, capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("NO_COLOR", "1")
    out = printed(capsys, "two.loom", "analogies.txt", "pairs.tsv")
    assert "3 of 5" in out and re.search(r"0\.\d{3} \[-?\d\.\d{3}, \d\.\d{3}\] +6 of 6", out)
