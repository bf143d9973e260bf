"""The page of a report."""

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest

import pairloom
from pairloom.judging.reports.curve import CurvePoint
from pairloom.judging.reports.environment import TITLE, _version, processor
from pairloom.judging.reports.small_map import frequent_words
from pairloom.system.display import visible


def written(embedding, path, **options):
    pairloom.report(embedding, path, **options)
    text = path.read_text()
    return ET.fromstring(text.removeprefix("<!DOCTYPE html>\n")), text


def titles(root):
    return [heading.text for heading in root.iter("h2")]


def without_environment(text):
    return re.sub(rf"<section>\n<h2>{TITLE}</h2>.*?</section>", "", text, flags=re.DOTALL)


@pytest.fixture(scope="module")
def watched(zipf_text):
    curve = pairloom.LearningCurve()
    emb = pairloom.train(zipf_text, dim=16, epochs=3, min_count=2, on_progress=curve)
    return emb, curve


def test_the_page_is_well_formed_and_loads_nothing(watched, tmp_path):
    emb, curve = watched
    root, text = written(emb, tmp_path / "r.html", name="a <b> & c.loom", corpus="<i>.txt", curve=curve)
    assert root.find("head/title").text == "a <b> & c.loom: report of the training"
    assert titles(root) == ["Learning curve", "Sample neighbours", "Corpus and vocabulary", "Settings", TITLE]
    assert len(root.findall(".//svg")) >= 3
    assert all(picture.get("role") == "img" and picture.get("aria-label") for picture in root.iter("svg"))
    assert not re.search(r"https?:|//|src=|url\(|@import|<script|href", text.replace("</", "<"))
    numbers = [float(n) for n in re.findall(r'(?:x|y|cx|cy|width|height)="([-0-9.a-z]+)"', text)]
    assert numbers and np.all(np.isfinite(numbers)) and min(numbers) >= 0
    looks = [p.text for p in root.iter("p") if p.text.startswith("Look for: ")]
    assert len(looks) == len(root.findall(".//figure")) == len(set(looks))


def test_it_begins_with_the_verdict_and_shows_what_the_record_holds(watched, tmp_path):
    emb, curve = watched
    found = pairloom.report(emb, tmp_path / "r.html", curve=curve)
    root = ET.fromstring((tmp_path / "r.html").read_text().removeprefix("<!DOCTYPE html>\n"))
    assert root.find("body/p").text == found.answer
    assert [item.text for item in root.iter("li")] == found.remarks != []
    rows = [[cell.text for cell in row] for row in root.iter("tr")]
    for epoch, loss in enumerate(emb.record["heldout"]["loss"]):
        assert [str(epoch), f"{loss:.4f}"] in [row[:2] for row in rows]
    assert ["min_count", "2"] in rows and ["epochs", "3"] in rows
    assert ["occurrences of these words", f"{emb.words.counts.sum():,}"] in rows
    for row in [row for row in rows if row[0] in emb and row[-1] and "(" in row[-1]]:
        near = emb.most_similar(row[0], topn=6)
        assert row[-1] == ", ".join(f"{word} ({cosine:.2f})" for word, cosine in near)


def test_equal_trainings_differ_only_in_environment_and_time(zipf_text, tmp_path):
    pages = []
    for threads in (1, 2):
        curve = pairloom.LearningCurve()
        emb = pairloom.train(zipf_text, dim=16, epochs=2, min_count=2, threads=threads, on_progress=curve)
        emb.save(tmp_path / "m.loom")
        pages.append(written(emb, tmp_path / "r.html", curve=curve, threads=threads)[1])
    pages.append(written(pairloom.load(tmp_path / "m.loom"), tmp_path / "r.html")[1])  # not watched
    assert without_environment(pages[0]) == without_environment(pages[1]) == without_environment(pages[2])
    assert TITLE not in without_environment(pages[0]) and len({*pages}) == 3


@pytest.mark.parametrize("word", ["</td><script>alert(1)</script>", "\"'><img src=x>", "\u202eexe.gpj", "\x1b[2J"])
def test_hostile_words_and_names_are_text(word, two_topics, tmp_path):
    text = [[word if token in ("cat", "red") else token for token in sentence] for sentence in two_topics]
    emb = pairloom.train(text, dim=4, epochs=1, min_count=1, sample=0)
    root, _ = written(emb, tmp_path / "r.html", name=word, corpus=word)
    assert root.find("head/title").text.startswith(visible(word))
    assert not [element.tag for element in root.iter() if element.tag in ("script", "img")]
    assert any(cell.text == visible(word) for cell in root.iter("td"))


def test_there_is_a_map_of_frequent_words(model, tmp_path):
    stages = []
    root, text = written(
        pairloom.load(model), tmp_path / "r.html", on_progress=lambda report: stages.append(report.stage)
    )
    assert "A small map" in titles(root) and stages
    (drawn,) = (picture for picture in root.iter("svg") if picture.get("class") == "pairloom-map")
    labels = {label.text for label in drawn.iter("text")}
    assert {"cat", "dog", "red", "green"} <= labels and "20 frequent words" in labels
    assert "Drawn by the two main directions" in text  # t-SNE needs 50 words
    assert not re.search(r"https?:|//|src=|url\(|@import|<script|href", text.replace("</", "<"))


def test_the_map_has_frequent_words_of_letters():
    names = ["the", "42", "a", ",", "zero", "king", "queen"]
    rows = np.eye(7, dtype=np.float32)
    rows[4] = 0
    assert frequent_words(pairloom.Vectors(names, rows, [9, 8, 7, 6, 5, 3, 4])) == ["the", "queen", "king"]


@pytest.mark.parametrize("suffix", [".bin", ".vec"])
def test_models_of_other_programs_have_a_report(suffix, watched, tmp_path):
    watched[0].save(tmp_path / f"v{suffix}")
    root, text = written(pairloom.load(tmp_path / f"v{suffix}"), tmp_path / "r.html")
    assert root.find("body/p").text.startswith("The model has no record of a training")
    assert "The file does not say how it was trained. So there is no learning curve." in text
    assert "The file holds no counts of its words" in text
    assert "The training was not watched for this report" in text


@pytest.mark.filterwarnings("ignore::pairloom.errors.IgnoredOptionWarning")  # all kinds get the same options
@pytest.mark.parametrize(
    "options",
    [
        {"objective": "hs"},
        {"objective": "softmax"},
        {"model": "cbow"},
        {"model": "sppmi-svd", "negatives": 1},
        {"heldout": 0},
        {"patience": 1, "epochs": 3},
        {"positional": True},
        {"dim": 1},
    ],
)
def test_every_kind_of_model_has_a_report(options, two_topics, tmp_path):
    emb = pairloom.train(two_topics[:60], **{"dim": 5, "epochs": 1, "min_count": 1, "sample": 0, **options})
    written(emb, tmp_path / "r.html")


def test_pairs_and_a_start_have_a_report(two_topics, tmp_path):
    pairs = [pair for sentence in two_topics[:60] for pair in pairwise(sentence)]
    emb = pairloom.train_pairs(pairs, dim=4, min_count=1)
    assert "pairs of the corpus" in written(emb, tmp_path / "r.html")[1]
    more = pairloom.train(two_topics, start=pairloom.train(two_topics, dim=4, min_count=1, sample=0), epochs=1)
    assert "taken over from an earlier model" in written(more, tmp_path / "r.html")[1]


@pytest.mark.parametrize("n", [1, 2, 3, 30])
def test_few_words_are_enough_for_a_report(n, tmp_path):
    rng = np.random.default_rng(1)
    words = pairloom.Vectors([f"w{i}" for i in range(n)], rng.normal(size=(n, 3)), np.arange(n, 0, -1))
    written(pairloom.Embedding.of_words(words), tmp_path / "r.html")


def test_odd_records_have_a_report(tmp_path):
    words = pairloom.Vectors(["a", "b", "c"], np.eye(3, dtype=np.float32), [3, 2, 1])
    for record in (
        {"config": {"lr": "fast", "min_count": "<b>"}, "heldout": {"loss": [3.0]}},
        {"config": {"epochs": 0, "lr": 1, "min_lr": 0}, "heldout": {"loss": [2.0, 2.0, 2.0]}},
        {"config": {"epochs": 3, "lr": 1, "min_lr": 0}, "heldout": {"loss": [2.0, 1.0]}, "start": {"words": "all"}},
    ):
        written(pairloom.Embedding.of_words(words, record), tmp_path / "r.html")


def test_scores_are_those_of_evaluate(watched, tmp_path):
    emb, _ = watched
    questions = tmp_path / "q.tsv"
    questions.write_text("".join(f"w{i}\tw{i + 1}\t{i}\n" for i in range(1, 30)))
    root, _ = written(emb, tmp_path / "r.html", questions=[questions])
    rows = [[cell.text for cell in row] for row in root.iter("tr")]
    spearman, pearson = ([*line] for line in pairloom.evaluate(emb, questions).lines())
    assert spearman in rows and pearson in rows


def test_what_cannot_be_reported_is_refused_before_the_work(watched, tmp_path):
    emb, _ = watched
    for path, options, message in (
        (tmp_path / "none" / "r.html", {}, "does not exist"),
        (tmp_path / "r.html", {"curve": print}, "Give the LearningCurve"),
        (tmp_path / "r.html", {"questions": "q.tsv"}, "Give a list"),
        (tmp_path / "r.html", {"name": 5}, "name is an int"),
    ):
        with pytest.raises(pairloom.InputError, match=message):
            pairloom.report(emb, path, **options)
    with pytest.raises(pairloom.InputError, match="An embedding cannot be a Vectors"):
        pairloom.report(emb.words, tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []
    questions = tmp_path / "q.tsv"
    questions.write_text("w1\tw2\t3\n")
    with pytest.raises(pairloom.InputError, match="files to be read"):
        pairloom.report(emb, questions, questions=[questions])


def test_speed_is_drawn_over_time(watched, tmp_path):
    curve = pairloom.LearningCurve()
    curve.points = [CurvePoint(seconds, 1000 * seconds) for seconds in range(5)]
    curve.stages, curve.seconds = {"count": 1.5, "train": 4.0}, 5.5
    root, text = written(watched[0], tmp_path / "r.html", curve=curve, threads=1)
    (drawn,) = (picture for picture in root.iter("svg") if picture.get("aria-label") == "Words per second over time")
    heights = {point.split(",")[1] for line in drawn.iter("polyline") for point in line.get("points").split()}
    assert len(heights) == 1 and "1k" in [label.text for label in drawn.iter("text")]
    assert "From the first word read to the last trained: 5.5 s." in text
    assert "<td>counting words</td><td>1.5 s</td>" in text


def test_a_package_without_metadata_is_no_error():
    assert _version("numpy") == np.__version__ and _version("no-such-package") == "not installed"


def test_the_processor_has_a_name(tmp_path):
    info = tmp_path / "cpuinfo"
    info.write_text("processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\n")
    assert processor(info) == "Some CPU @ 3 GHz"
    assert processor(tmp_path / "none") != ""
