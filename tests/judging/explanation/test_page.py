"""The HTML page."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

import pairloom
from pairloom.judging.explanation import explain
from pairloom.judging.explanation.page import introduction, page, verdict
from pairloom.system.display import visible


def test_the_page_is_well_formed_and_loads_nothing(report):
    text = page(report, "a <b> & c.loom")
    root = ET.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    assert root.find("head/title").text == "a <b> & c.loom, explained"
    assert len(root.findall(".//svg")) == 6 and len(root.findall(".//table")) == 7
    assert all(picture.get("role") == "img" and picture.get("aria-label") for picture in root.iter("svg"))
    assert not re.search(r"https?:|//|src=|url\(|@import|<script|href", text.replace("</", "<"))
    assert "prefers-color-scheme: dark" in text
    numbers = [float(n) for n in re.findall(r'(?:x|y|cx|cy|width|height)="([-0-9.a-z]+)"', text)]
    assert numbers and np.all(np.isfinite(numbers)) and min(numbers) >= 0


@pytest.mark.parametrize(
    "name", ["</title><script>alert(1)</script>", "\"'><img src=x>", "\u202eexe.gpj", "\x1b[2J\x00"]
)
def test_a_hostile_name_is_text_on_the_page(report, name):
    hostile = replace(report, facts=report.facts | {"corpus": name, "window": name})
    root = ET.fromstring(page(hostile, name).removeprefix("<!DOCTYPE html>\n"))
    assert root.find("head/title").text == f"{visible(name)}, explained"
    assert root.find("body/p").text.count(visible(name)) == 2
    assert not [element.tag for element in root.iter() if element.tag in ("script", "img")]


def test_the_first_sentence_is_the_verdict(report):
    reached = report.objective.reached
    assert introduction(report).startswith("The model has learnt ")
    assert f"it went {reached:.0%} of the way" in introduction(report)

    def with_figures(reached, error):
        objective = report.objective._replace(reached=reached)
        return verdict(replace(report, objective=objective, calibration=report.calibration._replace(error=error)))

    assert "learnt much" in with_figures(0.5, 0.01) and "at their word (off by 0.010" in with_figures(0.5, 0.01)
    assert "learnt little" in with_figures(-0.1, 0.2) and "should not be trusted" in with_figures(-0.1, 0.2)


def test_every_plot_says_what_to_look_for_and_every_symbol_is_defined(report):
    root = ET.fromstring(page(report, "m").removeprefix("<!DOCTYPE html>\n"))
    looks = [p.text for p in root.iter("p") if p.text.startswith("Look for: ")]
    assert len(looks) == len(root.findall(".//figure")) == len(set(looks)) == 5
    defined = " ".join(name.text for name in root.iter("dt"))
    for symbol in ("v_w", "v_c", "#(w, c)", "k", "noise(c)", "PMI(w, c)", "D", "D'", "σ(x)", "p(D=1 | w, c)"):
        assert symbol in defined
    first = [[name.text for name in section.iter("dt")] for section in root.iter("section")]
    assert "v_w, v_c" in first[0] and "D'" in first[1] and "σ(x)" in first[2]  # where they first stand


@pytest.mark.parametrize("options", [{"window": "sentence"}, {"dim": 1, "left": 0, "right": 1}, {"noise_power": 0.0}])
def test_a_page_can_be_made_of_any_model(options, two_topics):
    emb = pairloom.train(two_topics[:40], **{"dim": 5, "epochs": 1, "min_count": 1, "sample": 0, **options})
    ET.fromstring(page(explain(emb, two_topics[:40]), "m").removeprefix("<!DOCTYPE html>\n"))
