"""The scripts in examples/ run, and find the structure of small data."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.comparison.conftest import SWAPPED, sentences

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


@pytest.mark.skipif(not SHARED.exists(), reason="needs the click sessions of ../shared/data")
def test_clicks_in_a_shop_are_predicted_three_times_as_often_as_by_popularity():
    assert min(times_popularity(SHARED / "sessions/yoochoose_100k.txt")) >= 3


@pytest.mark.skipif("PAIRLOOM_SLOW" not in os.environ, reason="takes a minute or two; set PAIRLOOM_SLOW=1 to run it")
def test_bloggers_are_labelled_as_well_as_in_the_deepwalk_paper():
    edges, labels = (SHARED / f"graphs/blogcatalog.{kind}" for kind in ("edgelist", "labels"))
    assert micro_f1(edges, labels) >= 0.40
