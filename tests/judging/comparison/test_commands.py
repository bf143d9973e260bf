"""pairloom compare, trajectory and align."""

import json

import numpy as np
import pytest

import pairloom
from pairloom.cli.main import main
from tests.judging.comparison.conftest import SWAPPED

WORD = SWAPPED[0][0]


@pytest.fixture
def files(early, again, moved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, emb in (("a", early), ("a2", again), ("b", moved)):
        emb.save(f"{name}.loom")
    return tmp_path


def answer(capsys, *args):
    assert main([*args]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_compare_finds_the_words_that_moved(files, capsys):
    out = answer(capsys, "compare", "a.loom", "b.loom", "-n", "3")
    assert "a and b have 400 words in common. 16 words have moved beyond the noise line" in out
    assert "should be there by chance" in out and len(out.splitlines()) == 7


def test_compare_shows_the_neighbours_of_words(files, capsys):
    out = answer(capsys, "compare", "a.loom", "b.loom", WORD, "-n", "4")
    assert f"{WORD}: shift" in out and "beyond the noise line" in out
    assert out.count("\ngained") == out.count("\nlost") == 4


def test_json_and_page_are_the_same_for_any_number_of_threads(files, capsys):
    outputs = []
    for threads in ("1", "2", "5"):
        args = ["compare", "a.loom", "b.loom", "--json", "--page", "p.html", "--threads", threads]
        outputs.append((answer(capsys, *args), (files / "p.html").read_bytes()))
    assert len({*outputs}) == 1
    facts = json.loads(outputs[0][0])
    assert facts["words"] == 400 and facts["noise"] == "estimated" and facts["beyond"] == 16
    assert len(facts["shifts"]) == 10 and facts["shifts"][0]["beyond"] is True


def test_a_yardstick_is_named_in_the_answer(files, capsys):
    out = answer(capsys, "compare", "a.loom", "b.loom", "-n", "1", "--noise", "a2.loom")
    assert "Noise is how far words move between a and 1 other model of its text." in out


def test_texts_of_different_kinds_are_called_so(files, early, capsys):
    words = early.words.words
    mixed = early.words.vectors[np.random.default_rng(1).permutation(len(words))]  # all words have moved
    pairloom.Embedding.of_words(pairloom.Vectors(words, mixed, early.words.counts)).save("other.loom")
    assert "the texts are of different kinds, or too small" in answer(capsys, "compare", "a.loom", "other.loom")
    assert "different kinds" not in answer(capsys, "compare", "a.loom", "other.loom", "--noise", "a2.loom")
    assert "different kinds" not in answer(capsys, "compare", "a.loom", "b.loom")


def test_a_model_and_itself_have_no_noise(files, capsys):
    assert "most words have not moved at all" in answer(capsys, "compare", "a.loom", "a.loom")


def test_few_words_are_compared_without_a_line(files, capsys):
    text = [["cat", "sat"], ["dog", "ran"]] * 20
    pairloom.train(text, dim=4, min_count=1, sample=0).save("c.loom")
    pairloom.train(text, dim=4, min_count=1, sample=0, seed=2).save("d.loom")
    assert "too few to estimate" in answer(capsys, "compare", "c.loom", "d.loom", "cat", "--page", "p.html")
    answer(capsys, "trajectory", "c.loom", "d.loom", "--word", "cat", "--page", "t.html")


def test_trajectory_prints_a_table_and_writes_a_page(files, capsys):
    out = answer(capsys, "trajectory", "a.loom", "a2.loom", "b.loom", "--word", WORD, "--page", "t.html")
    assert f"{WORD} in 3 models" in out and " *" in out and "t.html: the same, with plots" in out
    page = (files / "t.html").read_text()
    assert page.count("<svg") == 2 and "<script" not in page
    facts = json.loads(answer(capsys, "trajectory", "a.loom", "b.loom", "--word", WORD, "--json"))
    assert [one["model"] for one in facts["models"]] == ["a", "b"] and facts["models"][1]["from_first"]["beyond"]


def test_align_writes_a_model_in_the_other_space(files, capsys):
    out = answer(capsys, "align", "a2.loom", "--to", "a.loom", "-o", "c.loom")
    assert "c.loom: rotated on 400 common words" in out
    a, c = pairloom.load("a.loom"), pairloom.load("c.loom")
    cosines = [float(a.words.get_vector(w, norm=True) @ c.words.get_vector(w, norm=True)) for w in a.words.words]
    assert np.mean(cosines) > 0.9
    assert json.loads(answer(capsys, "align", "a2.loom", "--to", "a.loom", "-o", "c.loom", "--json"))["words"] == 400


def test_words_are_escaped_on_pages(files, capsys):
    evil = '<script>alert("1")</script>'
    for name in ("a", "b"):
        emb = pairloom.load(f"{name}.loom")
        words = [evil if word == WORD else word for word in emb.words.words]
        pairloom.Embedding.of_words(pairloom.Vectors(words, emb.words.vectors, emb.words.counts)).save(f"{name}x.loom")
    answer(capsys, "compare", "ax.loom", "bx.loom", "--page", "p.html", "-n", "20")
    answer(capsys, "trajectory", "ax.loom", "bx.loom", "--word", evil, "--page", "t.html")
    for page in ("p.html", "t.html"):
        text = (files / page).read_text()
        assert "<script" not in text and "&lt;script&gt;" in text


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["compare", "a.loom", "b.loom", "kat"], "In the first model: 'kat' is not among the 400 words"),
        (["compare", "a.loom", "b.loom", "--rate", "2"], "--rate 2.0 is out of range"),
        (["compare", "a.loom", "b.loom", "--min-count", "0"], "--min-count 0 is out of range"),
        (["compare", "a.loom", "b.loom", "-n", "-1"], "-n -1 is not a number of words"),
        (["compare", "a.loom", "b.loom", "--page", "a.loom"], "to be read"),
        (["compare", "a.loom", "missing.loom"], "missing.loom"),
        (["trajectory", "a.loom", "--word", WORD], "at least 2 models"),
        (["align", "a2.loom", "--to", "a.loom", "-o", "a.loom"], "to be read"),
        (["align", "a2.loom", "--to", "a.loom", "-o", "c.doc"], "suffix"),
    ],
)
def test_wrong_input_is_one_line(files, capsys, args, message):
    assert main(args) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1
