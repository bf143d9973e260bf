"""The scripts in examples/ run, and find the structure of small data."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pairloom
from tests.judging.comparison.conftest import SWAPPED, sentences

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared/data"


def output(script, *args):
    """The output of a script."""
    command = [sys.executable, str(ROOT / "examples" / script), *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def micro_f1(*args):
    return float(re.search(r"^micro-F1 (0\.\d+)", output("blogcatalog.py", *args), re.MULTILINE)[1])


def times_popularity(*args):
    """The hit rate divided by that of popularity: for all items, and for those new to their session."""
    lines = re.findall(r": \d+, hit rate ([\d.]+), ([\d.]+) times popularity's ([\d.]+)", output("sessions.py", *args))
    for rate, times, popularity in lines:
        assert float(times) == pytest.approx(float(rate) / float(popularity), abs=0.1)
    return [float(times) for _, times, _ in lines]


def test_labels_of_a_graph_of_two_groups_are_predicted(tmp_path):
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(0)
    group = [i % 2 for i in range(60)]
    close = [(a, b) for a in range(60) for b in range(a) if rng.random() < (0.3 if group[a] == group[b] else 0.02)]
    (tmp_path / "e.txt").write_text("".join(f"n{a} n{b}\n" for a, b in close))
    (tmp_path / "l.txt").write_text("".join(f"n{i} {'even' if g == 0 else 'odd all'}\n" for i, g in enumerate(group)))
    sizes = ["--walks", 20, "--length", 20, "--dim", 16, "--window", 5, "--splits", 3, "--lr", 0.1]
    assert micro_f1(tmp_path / "e.txt", tmp_path / "l.txt", *sizes) > 0.9


def test_the_next_item_of_a_session_is_predicted_better_than_by_popularity(tmp_path):
    rng = np.random.default_rng(0)
    starts = zip(rng.geometric(0.3, 600), rng.integers(0, 30, 600), strict=True)
    lines = [" ".join(f"i{topic}.{(first + step) % 30}" for step in range(5)) for topic, first in starts]
    (tmp_path / "s.txt").write_text("\n".join(lines))
    for inner in ([], ["--inner"]):
        times = times_popularity(tmp_path / "s.txt", "--dim", 16, "--epochs", 50, *inner)
        assert len(times) == 2 and min(times) > 3


def test_words_swapped_between_two_decades_are_found(tmp_path):
    for name, text in (("early", sentences(1)), ("late", sentences(2, swapped=SWAPPED))):
        (tmp_path / f"{name}.txt").write_text("".join(" ".join(words) + "\n" for words in text))
    sizes = ["--dim", 16, "--epochs", 8, "--sample", 0, "-n", 5]
    first, *lines = output("two_decades.py", tmp_path / "early.txt", tmp_path / "late.txt", *sizes).splitlines()
    assert re.fullmatch(r"400 common words, (\d+) beyond the noise", first)
    moved = {word for pair in SWAPPED for word in pair}
    assert len(lines) == 5 and {line.split()[0] for line in lines} <= moved


def test_a_text_gives_neighbours_a_picture_and_a_model(tmp_path):
    (tmp_path / "t.txt").write_text("The cat sleeps in the barn.\nThe dog sleeps in the barn!\nA king reigns.\n" * 100)
    model = tmp_path / "m.loom"
    printed = output(
        "text.py", tmp_path / "t.txt", "cat", "--dim", 16, "--epochs", 20, "--sample", 0, "--output", model
    )
    assert re.search(r"^9 words, held-out loss \d\.\d\d before and \d\.\d\d after training$", printed, re.MULTILINE)
    assert re.search(r"^cat: dog, ", printed, re.MULTILINE)
    assert model.exists() and (tmp_path / "m.svg").read_text().startswith("<svg ")


def test_dependency_contexts_find_words_of_one_function():
    near = dict(line.split(": ") for line in output("dependencies.py", "--sentences", 1500).splitlines())
    people = set("cook baker gardener farmer florist clerk secretary lawyer".split())
    assert set(near["chef, by dependencies"].split(", ")) <= people
    assert len(set(near["chef, by windows"].split(", ")) - people) >= 2


def test_texts_of_two_kinds_are_classified(tmp_path):
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(0)
    words = {"sea": "ship wave sail port fish".split(), "land": "barn cow field plough farm".split()}
    lines = [f"{kind}\t{' '.join(rng.choice(words[kind], 6))} the and" for kind in words for _ in range(60)]
    (tmp_path / "l.tsv").write_text("\n".join(lines))
    first, *scores = output("pipeline.py", tmp_path / "l.tsv", "--dim", 8).splitlines()
    assert first == "120 texts, 2 labels; always sea: 50.0%"
    assert len(scores) == 3 and all(float(re.search(r"([\d.]+)% right", line)[1]) > 95 for line in scores)


def test_the_index_of_a_small_model_misses_nothing(tmp_path):
    pytest.importorskip("faiss")
    text = [
        [f"{topic}{word}" for word in rng]
        for topic in "abc"
        for rng in np.random.default_rng(1).integers(0, 9, (80, 6))
    ]
    pairloom.train(text, dim=8, epochs=10, sample=0).save(tmp_path / "m.loom")
    first, *lines, last = output("search_index.py", tmp_path / "m.loom", "a1", "b2").splitlines()
    assert first == "27 words of dim 8; of the ten nearest, the index finds 100.0%"
    assert [line.endswith("(0 missed)") for line in lines] == [True, True]
    assert re.fullmatch(r"A question takes [\d.]+ ms exactly and [\d.]+ ms by the index", last)


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_an_example_says_how_to_run_it_and_what_it_prints(path):
    text = ast.get_docstring(ast.parse(path.read_text()))
    assert f"python examples/{path.name}" in text
    assert re.search(r"(?:prints|below the line:)\n\n    \S", text)


@pytest.mark.skipif(not SHARED.exists(), reason="needs the click sessions of ../shared/data")
def test_clicks_in_a_shop_are_predicted_three_times_as_often_as_by_popularity():
    assert min(times_popularity(SHARED / "sessions/yoochoose_100k.txt")) >= 3


@pytest.mark.skipif("PAIRLOOM_SLOW" not in os.environ, reason="takes a minute or two; set PAIRLOOM_SLOW=1 to run it")
def test_bloggers_are_labelled_as_well_as_in_the_deepwalk_paper():
    edges, labels = (SHARED / f"graphs/blogcatalog.{kind}" for kind in ("edgelist", "labels"))
    assert micro_f1(edges, labels) >= 0.40
