"""The HTML page."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

import pairloom
from pairloom.explanation import explain
from pairloom.explanation.page import page
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


@pytest.mark.parametrize("options", [{"window": "sentence"}, {"dim": 1, "left": 0, "right": 1}, {"noise_power": 0.0}])
def test_a_page_can_be_made_of_any_model(options, two_topics):
    emb = pairloom.train(two_topics[:40], **{"dim": 5, "epochs": 1, "min_count": 1, "sample": 0, **options})
    ET.fromstring(page(explain(emb, two_topics[:40]), "m").removeprefix("<!DOCTYPE html>\n"))
