"""`pairloom fold-in`."""

import json

import numpy as np
import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.unseen.fold_in.fold_in import L2, MOST_CONTEXTS


@pytest.fixture
def loom(without, tmp_path):
    without.save(tmp_path / "m.loom")
    return tmp_path / "m.loom"


def ran(capsys, *args):
    code = main(["fold-in", *map(str, args)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_the_command_writes_the_model_with_the_new_words(loom, corpus, tmp_path, capsys, without, two_topics):
    out = tmp_path / "more.loom"
    code, printed, said = ran(capsys, loom, corpus, "-o", out)
    assert (
        code == 0 and printed.startswith(f"{out}: 2 new words, ") and "computing the vectors of new words 100%" in said
    )
    whole = pairloom.load(out)
    expected = without.with_words(without.fold_in(two_topics))
    assert len(whole) == 20
    np.testing.assert_array_equal(whole.words.vectors, expected.words.vectors)


def test_the_command_takes_words_and_writes_json_and_only_the_new_words(loom, corpus, tmp_path, capsys):
    (tmp_path / "words.txt").write_text("duck\nzebra\n")
    options = ["--words", tmp_path / "words.txt", "--only-new", "--json", "--quiet"]
    code, printed, said = ran(capsys, loom, corpus, "-o", tmp_path / "new.vec", *options)
    facts = json.loads(printed)
    assert (code, facts["new"], facts["left_out"], said) == (0, 1, ["zebra"], "")
    assert pairloom.load(tmp_path / "new.vec").words.words == ["duck"]
    code, printed, _ = ran(capsys, loom, corpus, "-o", tmp_path / "new.loom", *options[:2])
    assert "1 new words (1 left out for lack of a known context: zebra)" in printed


def test_the_command_reads_pairs(loom, tmp_path, capsys, without):
    (tmp_path / "pairs.txt").write_text("new cat 2\nnew\tdog\n\nother red 0.5\n")
    assert ran(capsys, loom, tmp_path / "pairs.txt", "--pairs", "-o", tmp_path / "o.loom")[0] == 0
    expected = without.fold_in(pairs=[("new", "cat", 2), ("new", "dog"), ("other", "red", 0.5)]).vectors
    np.testing.assert_array_equal(pairloom.load(tmp_path / "o.loom").words.vectors[-2:], expected.vectors)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("new\n", ["--pairs"], ", line 1: 'new' has no context."),
        ("new cat\nnew cat 1 2\n", ["--pairs"], ", line 2: 'new cat 1 2' has 4 fields."),
        ("new cat nan\n", ["--pairs"], ", line 1: a pair cannot have the weight nan."),
        ("new cat -2\n", ["--pairs"], ", line 1: a pair cannot have the weight -2."),
        ("new cat x\n", ["--pairs"], ", line 1: the weight 'x' is not a number."),
        ("", ["--pairs"], "None of the new words occurs with a context"),
        ("", [], "has no words"),
        ("cat dog\n", [], "are already in the model. Give text that contains new words."),
        ("new cat\n", ["--l2", "0"], "--l2 0.0 is out of range"),
        ("new cat\n", ["--min-count", "0"], "--min-count 0 is out of range"),
        ("new cat\n", ["--threads", "0"], "--threads 0 is out of range"),
    ],
)
def test_the_command_says_what_is_wrong_and_writes_nothing(content, options, message, loom, tmp_path, capsys):
    (tmp_path / "c.txt").write_text(content)
    code, printed, said = ran(capsys, loom, tmp_path / "c.txt", "-o", tmp_path / "o.loom", "--quiet", *options)
    assert (code, printed, said.count("\n")) == (2, "", 1)
    assert said.startswith("pairloom fold-in: ") and message in said
    assert not (tmp_path / "o.loom").exists()


def test_the_command_does_not_write_over_what_it_reads_nor_from_a_file_without_contexts(loom, corpus, tmp_path, capsys):
    assert "among, the files to be read" in ran(capsys, loom, corpus, "-o", loom)[2]
    pairloom.load(loom).save(tmp_path / "m.vec")
    code, _, said = ran(capsys, tmp_path / "m.vec", corpus, "-o", tmp_path / "o.loom")
    assert code == 2 and "these vectors hold no contexts" in said


def test_help_has_the_defaults_of_the_library(capsys):
    with pytest.raises(SystemExit):
        main(["fold-in", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert f"use N that represent them all (default: {MOST_CONTEXTS})" in said
    assert f"penalty on the length of a vector (default: {L2:g})" in said
