"""`pairloom train --pairs` and `pairloom word2vecf`."""

import json

import pytest

import pairloom
from pairloom.cli import main as cli
from tests.pairs.examples import PAIRS, write


def pairloom_command(capsys, *argv):
    code = cli.main([str(arg) for arg in argv])
    out, err = capsys.readouterr()
    return code, out, err.strip().splitlines()


def test_the_command_trains_pairs_and_writes_both_sides(tmp_path, capsys):
    path = write(tmp_path / "p.txt", PAIRS * 20, " ")
    both = tmp_path / "words.loom", tmp_path / "contexts.vec"
    options = ["--min-count", 1, "--min-context-count", 0.5, "--dim", 8, "--json", "--quiet"]
    code, out, _ = pairloom_command(
        capsys, "train", "--pairs", path, "-o", both[0], "--contexts-output", both[1], *options
    )
    assert (code, json.loads(out)["words"]) == (0, 5)
    emb = pairloom.load(both[0])
    assert sorted(pairloom.load(both[1]).words) == sorted(emb.contexts) == ["eats", "fades", "is", "sleeps"]
    assert "window" not in emb.record["config"]


@pytest.mark.parametrize(
    ("content", "end"),
    [
        ("a b\nalone\n", "p.txt, line 2: 'alone' has no context."),
        ("a b\na \t\n", "p.txt, line 2: 'a \\t' has no context."),
        ("a b 1\na b -2\n", "p.txt, line 2: a pair cannot have the weight -2."),
        ("a b nan\n", "p.txt, line 1: a pair cannot have the weight nan."),
        ("a x\nb x\n", "has only one context of weight above 0, and training needs at least 2."),
        ("", "p.txt contains no pairs. Each line must read like: cat sleeps"),
    ],
)
def test_bad_pairs_exit_with_2_and_one_line_and_write_nothing(tmp_path, capsys, content, end):
    path, out = tmp_path / "p.txt", tmp_path / "p.loom"
    path.write_text(content)
    code, _, lines = pairloom_command(capsys, "train", "--pairs", path, "-o", out, "--min-count", 1, "--quiet")
    assert code == 2 and len(lines) == 1 and end in lines[0]
    assert not out.exists()


def test_options_that_only_pairs_or_only_text_have_are_refused(tmp_path, capsys):
    path = write(tmp_path / "p.txt", PAIRS * 20, " ")
    for argv in (["--columns", "a,b"], ["--read-contexts", path], ["--pairs", "--keep", path], ["--pairs", "--clean"]):
        code, _, lines = pairloom_command(capsys, "train", path, "-o", tmp_path / "p.loom", "--quiet", *argv)
        assert code == 2 and len(lines) == 1
    assert not (tmp_path / "p.loom").exists()


def test_words_and_contexts_do_not_go_into_one_file(tmp_path, capsys):
    path, out = write(tmp_path / "p.txt", PAIRS * 20, " "), tmp_path / "a.vec"
    commands = (
        ["train", "--pairs", path, "-o", out, "--contexts-output", out],
        ["word2vecf", "-train", path, "-output", out, "-dumpcv", out],
    )
    for argv in commands:
        code, _, lines = pairloom_command(capsys, *argv)
        assert code == 2 and "cannot hold both words and contexts" in lines[-1]
    assert not out.exists()


def test_word2vecf_takes_the_files_of_the_original(tmp_path, capsys):
    path = write(tmp_path / "p.txt", PAIRS * 20, " ")
    (tmp_path / "wv").write_text("cat 60\ndog 60\nred 40\n")
    (tmp_path / "cv").write_text("is 100\neats 60\nfades 40\n")
    words, contexts = tmp_path / "w.vec", tmp_path / "c.vec"
    vocabularies = ["-wvocab", tmp_path / "wv", "-cvocab", tmp_path / "cv"]
    code, out, _ = pairloom_command(
        capsys, "word2vecf", "-train", path, "-output", words, "-dumpcv", contexts, *vocabularies, "-size", 8
    )
    assert (code, out) == (0, "WVocab size: 3\nCVocab size: 3\n")
    assert pairloom.load(words).words.words == ["cat", "dog", "red"]
    assert pairloom.load(contexts).words.words == ["is", "eats", "fades"]
    assert words.read_text().startswith("3 8\ncat ")
