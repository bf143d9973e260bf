"""--resume: the saved command line, and what may differ from it."""

import json

import pytest

from pairloom.cli.main import main

TRAIN = ["--dim", "8", "--min-count", "2", "--sample", "0", "--threads", "2", "--quiet"]


@pytest.fixture(scope="module")
def text(zipf_corpus, tmp_path_factory):
    path = tmp_path_factory.mktemp("interrupted") / "zipf.txt"
    path.write_text("".join(" ".join(sentence) + "\n" for sentence in zipf_corpus))
    return path


@pytest.fixture
def finished(text, tmp_path):
    typed = ["train", str(text), "-o", str(tmp_path / "a.loom"), "--checkpoint", str(tmp_path / "run"), "--epochs", "1"]
    assert main([*typed, *TRAIN]) == 0
    return tmp_path / "run"


def test_pairs_are_resumed_as_pairs(tmp_path):
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("".join(f"w{i % 50} c{i % 70}\n" for i in range(5000)))
    typed = ["train", "--pairs", str(pairs), "-o", str(tmp_path / "a.loom"), "--dim", "4"]
    assert main([*typed, "--checkpoint", str(tmp_path / "run"), "--every", "epoch", "--quiet"]) == 0
    (tmp_path / "a.loom").rename(tmp_path / "b.loom")
    assert main(["train", "--resume", str(tmp_path / "run"), "--quiet", "--threads", "1"]) == 0
    assert (tmp_path / "a.loom").read_bytes() == (tmp_path / "b.loom").read_bytes()


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (
            ["--dim", "9"],
            "--dim 9 differs from --dim 8, with which the training in {run} was begun. Leave it out, or begin another",
        ),
        (["--sample", "0.5"], "--sample 0.5 differs from --sample 0.0, with which the training in {run} was begun."),
        (["--seed", "0"], "The checkpoint in {run} is of another training: seed is 1 there and 0 here."),
        (
            ["--checkpoint", "other"],
            "--resume {run} writes checkpoints to that folder again. Leave out --checkpoint other.",
        ),
        (["--negatives", "9"], "The checkpoint in {run} is of another training: negatives is 5 there and 9 here."),
        (["--every", "soon"], "--every 'soon' is not an interval. Use a time like 90s, 5m or 1h"),
    ],
)
def test_other_options_are_refused(finished, capsys, typed, message):
    assert main(["train", "--resume", str(finished), *typed]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("pairloom train: " + message.format(run=finished))


def test_a_folder_in_use_is_not_taken_for_another_training(finished, text, tmp_path, capsys):
    kept = (finished / "command.json").read_bytes()
    assert main(["train", str(text), "-o", str(tmp_path / "b.loom"), "--checkpoint", str(finished), *TRAIN]) == 2
    assert f"pairloom train: {finished} holds checkpoints. Resume from them (--resume" in capsys.readouterr().err
    assert (finished / "command.json").read_bytes() == kept
    assert not (tmp_path / "b.loom").exists()


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ([], "No corpus is named. Give a file, a folder or - for standard input; see: pairloom train --help"),
        (["a.txt"], "No output is named. Name the file to write, for example: -o king.loom"),
        (
            ["a.txt", "-o", "a.loom", "--every", "5m"],
            "--every sets how often checkpoints are written, but there is no folder. Add --checkpoint DIR.",
        ),
        (["--resume", "nowhere"], "nowhere holds no training to resume. Give the folder that was named by --check"),
    ],
)
def test_what_is_missing_is_named(capsys, typed, message):
    assert main(["train", *typed]) == 2
    assert capsys.readouterr().err.startswith("pairloom train: " + message)


@pytest.mark.parametrize("name", ["nowhere", "text.txt", "empty", "x" * 300])
def test_a_whole_command_does_not_begin_again_where_nothing_was_begun(name, text, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.txt").write_text("a b\n")
    (tmp_path / "old.loom").write_bytes(b"old")
    run = tmp_path / name
    assert main(["train", str(text), "-o", str(tmp_path / "old.loom"), "--resume", str(run), *TRAIN]) == 2
    assert f"pairloom train: {run} holds no training to resume." in capsys.readouterr().err
    assert (tmp_path / "old.loom").read_bytes() == b"old" and not (tmp_path / "nowhere").exists()


def test_a_whole_command_goes_on_too_and_needs_no_other(finished, text, tmp_path):
    (finished / "command.json").write_bytes(b"damaged")
    typed = ["train", str(text), "-o", str(tmp_path / "b.loom"), "--epochs", "1", "--resume", str(finished), *TRAIN]
    assert main(typed) == 0
    assert (tmp_path / "b.loom").read_bytes() == (tmp_path / "a.loom").read_bytes()


BAD = [{"corpus": 7}, {"corpus": []}, {"corpus": [5]}, {"corpus": ["a"], "output": 5}, {"corpus": ["a"], "keep": []}]


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b"\xff", b"[" * 100_000, *(json.dumps(b).encode() for b in BAD)]
)
def test_a_damaged_command_is_an_error(tmp_path, capsys, content):
    (tmp_path / "command.json").write_bytes(content)
    assert main(["train", "--resume", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(
        f"pairloom train: {tmp_path / 'command.json'} is damaged or missing. Type"
    )
