"""--column, --session, --item and --order: the same result as for a plain file, from every command that reads text."""

import io
import json
import sys
from pathlib import Path

import pytest

from pairloom.cli.main import main

LINES = ["the king is a man and the queen is a woman", "new york is a city", "she left new york"] * 30


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("plain.txt").write_text("".join(f"{line}\n" for line in LINES))
    Path("rows.jsonl").write_text("".join(json.dumps({"id": 1, "r": {"text": line}}) + "\n" for line in LINES))
    rows = [(i, word) for i, line in enumerate(LINES) for word in line.split()]
    Path("rows.csv").write_text("s,i\n" + "".join(f"{i},{word}\n" for i, word in rows))


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0, capsys.readouterr().err
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "columns", [["rows.jsonl", "--column", "r.text"], ["rows.csv", "--session", "s", "--item", "i"]], ids=str
)
def test_every_command_reads_columns_as_it_reads_text(capsys, columns):
    train = ["--dim", "4", "--epochs", "1", "-q"]
    assert main(["train", "plain.txt", "-o", "plain.loom", *train]) == 0
    assert main(["train", *columns, "-o", "columns.loom", *train]) == 0
    assert Path("plain.loom").read_bytes() == Path("columns.loom").read_bytes()
    assert printed(capsys, "vocab", *columns, "-q") == printed(capsys, "vocab", "plain.txt", "-q")
    options = ["--min-count", "5", "--threshold", "0.5", "-q"]
    assert printed(capsys, "phrases", *columns, *options) == printed(capsys, "phrases", "plain.txt", *options) != ""
    Path("new.txt").write_text("left\n")
    for name, source in (("a", ["plain.txt"]), ("b", columns)):
        assert main(["train", "plain.txt", "-o", "m.loom", "--drop", "new.txt", *train]) == 0
        assert main(["fold-in", "m.loom", *source, "-o", f"{name}.loom", "--words", "new.txt", "-q"]) == 0
    assert Path("a.loom").read_bytes() == Path("b.loom").read_bytes()
    assert json.loads(printed(capsys, "inspect", *columns, "--json"))["tokens"] == sum(map(len, map(str.split, LINES)))


def test_explain_counts_a_column(capsys):
    assert main(["train", "plain.txt", "-o", "m.loom", "--dim", "4", "--epochs", "1", "--min-count", "1", "-q"]) == 0
    plain = json.loads(printed(capsys, "explain", "m.loom", "plain.txt", "--json", "-q"))
    column = json.loads(printed(capsys, "explain", "m.loom", "rows.jsonl", "--column", "r.text", "--json", "-q"))
    assert (plain["facts"].pop("corpus"), column["facts"].pop("corpus")) == ("plain.txt", "rows.jsonl")
    assert plain == column


def test_standard_input_has_columns_too(capsys, monkeypatch):
    expected = printed(capsys, "vocab", "plain.txt", "-q")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path("rows.jsonl").read_bytes())))
    assert printed(capsys, "vocab", "-", "--column", "r.text", "-q") == expected


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--column", "text"], "rows.jsonl has no column 'text'. It has 'id', 'r.text'. Did you mean 'r.text'?"),
        (
            ["--session", "id"],
            "session (--session) and item (--item) belong together: a row has one of each. Give both.",
        ),
        ([], "rows.jsonl is JSON, an object on each line, not plain text."),
    ],
    ids=str,
)
def test_wrong_columns_are_one_line_and_exit_2(capsys, typed, said):
    assert main(["vocab", "rows.jsonl", *typed]) == 2
    assert f"pairloom vocab: {said}" in capsys.readouterr().err


def test_pairs_have_their_own_option(capsys):
    assert main(["train", "plain.txt", "--pairs", "--column", "x", "-o", "x.loom"]) == 2
    assert "Name the columns of pairs by columns=" in capsys.readouterr().err
