"""`pairloom explain`."""

import json
import re

import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.errors import UnknownWordError
from pairloom.judging.explanation import explain_similarity


def test_the_command_prints_tables_writes_the_page_and_json(model, corpus, tmp_path, capsys):
    target = tmp_path / "p.html"
    assert main(["explain", str(model), str(corpus), "--page", str(target), "--quiet"]) == 0
    printed = capsys.readouterr().out
    for title in ("against PMI - log k", "its optimum", "The objective", "p(D=1 | w, c)", "effective window", "Length"):
        assert title in printed
    assert target.read_text().startswith("<!DOCTYPE html>")
    assert main(["explain", str(model), str(corpus), "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(name))
    assert found["facts"]["same_corpus"] and found["optimum"]["all"]["pairs"] == found["facts"]["different_pairs"]


def test_the_command_explains_two_words(model, corpus, capsys):
    assert main(["explain", str(model), "cat", "dog", "-n", "3", "--corpus", str(corpus), "--quiet"]) == 0
    printed = capsys.readouterr().out
    assert re.match(r"cat and dog: cosine 0\.\d+ = -?0\.\d+ shared by all words \+ 0\.\d+ from contexts", printed)
    assert "#(cat, c)" in printed
    assert main(["explain", str(model), "cat", "dog", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["words"] == ["cat", "dog"] and found["sought"][0]["counts"] is None


def test_the_command_writes_a_page_for_two_words(model, corpus, tmp_path, capsys):
    target = tmp_path / "p.html"
    assert main(["explain", str(model), "cat", "dog", "--page", str(target), "--quiet"]) == 0
    assert capsys.readouterr().out.endswith(f"{target}: the same, with plots\n")
    assert "<h1>cat and dog, in topics.loom</h1>" in target.read_text()
    assert main(["explain", str(model), "cat", "dog", "--page", str(target), "--json", "--corpus", str(corpus)]) == 0
    json.loads(capsys.readouterr().out)
    assert "#(cat, c)" in target.read_text()


def refused(capsys, *args):
    assert main(["explain", *map(str, args), "--quiet"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1
    return printed.err.removeprefix("pairloom explain: ").rstrip("\n")


def test_a_model_without_contexts_is_refused(model, corpus, tmp_path, capsys):
    pairloom.load(model).save(tmp_path / "v.bin")
    message = "Explaining a model needs the vectors of its contexts, and this model has none. "
    message += "Use the .loom file that pairloom trained."
    assert refused(capsys, tmp_path / "v.bin", corpus) == message
    assert refused(capsys, tmp_path / "v.bin", "cat", "dog") == message


def test_a_corpus_of_other_words_is_refused(model, tmp_path, capsys):
    other = tmp_path / "other.txt"
    other.write_text("alpha beta gamma\n" * 10)
    assert refused(capsys, model, other).startswith(f"None of the words of {other} are in the vocabulary.")


def test_an_empty_corpus_and_one_of_single_words_are_refused(model, tmp_path, capsys):
    other = tmp_path / "other.txt"
    other.write_text("")
    assert str(other) in refused(capsys, model, other)
    other.write_text("cat\ndog\n")
    assert "Give the text that it was trained on." in refused(capsys, model, other)


def test_unknown_words_are_refused_with_a_suggestion(model, capsys):
    assert (
        refused(capsys, model, "caat", "dog")
        == "'caat' is not among the 20 words of these vectors. Did you mean 'cat'?"
    )
    with pytest.raises(UnknownWordError):
        explain_similarity(pairloom.load(model), "cat", "nothing")


def test_a_missing_corpus_is_named(model, tmp_path, capsys):
    assert "none.txt" in refused(capsys, model, tmp_path / "none.txt")


def test_bad_options_are_refused_before_the_work(model, corpus, tmp_path, capsys):
    assert "does not exist" in refused(capsys, model, corpus, "--page", tmp_path / "none" / "p.html")
    assert "among, the files to be read" in refused(capsys, model, corpus, "--page", corpus)
    assert "does not exist" in refused(capsys, model, "cat", "dog", "--page", tmp_path / "none" / "p.html")
    assert "among, the files to be read" in refused(capsys, model, "cat", "dog", "--page", model)
    of_words = ["--corpus", corpus, "--page", corpus]
    assert "among, the files to be read" in refused(capsys, model, "cat", "dog", *of_words)
    assert "--corpus is only for two words" in refused(capsys, model, corpus, "--corpus", corpus)
    assert refused(capsys, model, "cat", "dog", "-n", "0").startswith("-n 0 is out of range.")
    assert refused(capsys, model, corpus, "--most-products", "0").startswith("--most-products 0 is out of range.")
