"""pairloom map, and pairloom near --chart."""

import csv
import json
from pathlib import Path

import pytest

from pairloom.cli.main import main


def test_a_map_is_drawn_and_kept_beside_the_model(model, vectors, tmp_path, output):
    out = tmp_path / "map.svg"
    assert output("map", model, "-o", out) == f"{out}: {len(vectors)} words\n"
    first, kept = out.read_text(), Path(f"{model}.map").read_bytes()
    assert output("map", model, "-o", out, "--quiet", "--threads", "1") == ""
    assert out.read_text() == first and Path(f"{model}.map").read_bytes() == kept
    Path(f"{model}.map").unlink()


@pytest.mark.parametrize("suffix", ["tsv", "csv"])
def test_a_table_of_places(suffix, model, vectors, tmp_path, output):
    out = tmp_path / f"map.{suffix}"
    words = vectors.words[:3]
    output("map", model, *words, "-o", out)
    with out.open(newline="") as file:
        rows = list(csv.reader(file, delimiter="\t" if suffix == "tsv" else ","))
    assert rows[0] == ["word", "x", "y"] and [row[0] for row in rows[1:]] == words
    places = json.loads(output("map", model, *words, "--json"))["words"]
    assert [(p["word"], f"{p['x']:.6f}", f"{p['y']:.6f}") for p in places] == [tuple(row) for row in rows[1:]]


@pytest.mark.parametrize("options", [["--contexts"], ["--combined"], ["--classes", "2"], ["--colour", "class"]])
def test_options_of_a_map(options, model, vectors, tmp_path, output):
    if options == ["--colour", "class"]:
        output("classes", model, "-k", "2", "-o", tmp_path / "c.txt")
        options = [*options, "--classes", str(tmp_path / "c.txt")]
    output("map", model, "-o", tmp_path / "m.html", "--method", "pca", "-n", "9", *options)
    assert (tmp_path / "m.html").read_text().count("<circle ") >= 9
    Path(f"{model}.map").unlink(missing_ok=True)


def test_similarity_and_neighbours(model, vectors, tmp_path, output):
    word = vectors.words[0]
    output("map", model, "--neighbours-of", word, "-n", "4", "--to", word, "-o", tmp_path / "m.svg", "--title", "T")
    svg = (tmp_path / "m.svg").read_text()
    assert "<title>T</title>" in svg and f"cosine to {word}" in svg


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "-o is missing. Name the picture to write, for example -o map.svg, or use --json."),
        (["-o", "m.gif"], "m.gif does not say what to write. End its name in .svg, .png, .html, .tsv or .csv."),
        (["WORD", "-o", "m.svg"], "A map needs at least 2 words. Name more words, or draw its neighbours with "),
        (["kng", "WORD", "-o", "m.svg"], "'kng' is not among"),
        (["-o", "m.svg", "-n", "0"], "-n 0 is out of range."),
        (["-o", "m.svg", "-n", "1"], "-n 1 is out of range. Use 2 to"),
        (["-o", "m.svg", "--colour", "similarity"], "go together. Give both, or leave out both."),
        (["-o", "m.svg", "--to", "WORD", "--classes", "3"], "--classes and --colour similarity do not go together."),
        (["-o", "m.svg", "--classes", "0"], "--classes 0 is not a number of classes. Use 1 or more; 12 is usual."),
        (["-o", "m.svg", "--classes", "no.txt"], "no.txt cannot be read"),
        (["-o", "m.svg", "--seed", "-1"], "--seed -1 is out of range."),
        (["-o", "no/m.svg"], "does not exist. Create it first."),
    ],
)
def test_wrong_arguments_get_one_line(arguments, message, model, vectors, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    typed = [vectors.words[0] if argument == "WORD" else argument for argument in arguments]
    assert main(["map", str(model), *typed, "--quiet"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("pairloom map: ") and message in error and error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_near_draws_a_chart(model, vectors, tmp_path, output, capsys):
    first, second = vectors.words[:2]
    out = tmp_path / "near.svg"
    printed = output("near", model, first, second, "-n", "3", "--chart", out)
    assert printed == output("near", model, first, second, "-n", "3")
    assert out.read_text().count('class="bar"') + out.read_text().count('class="minus"') == 6
    out.unlink()
    with pytest.raises(SystemExit):
        main(["near", str(model), first, "nosuchword", "--chart", str(out)])
    assert f"Nearest to {first}<" in out.read_text()  # the words that are known
    assert main(["near", str(model), first, "--chart", str(tmp_path / "near.txt")]) == 2
    assert "near.txt does not say what to write" in capsys.readouterr().err
