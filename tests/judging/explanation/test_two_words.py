"""The HTML page about two words."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import pairloom
from pairloom.judging.explanation import count_corpus, explain_similarity
from pairloom.judging.explanation.two_words import similarity_page, verdict
from pairloom.system.display import visible


def page_of(embedding, a, b, **options):
    text = similarity_page(explain_similarity(embedding, a, b, **options), embedding, "topics.loom")
    return ET.fromstring(text.removeprefix("<!DOCTYPE html>\n")), text


@pytest.fixture(scope="module")
def topics(model):
    return pairloom.load(model)


def cells(root, section):
    (found,) = (one for one in root.iter("section") if one.find("h2").text == section)
    return [["".join(cell.itertext()) for cell in row] for row in found.iter("tr")]


def test_the_page_is_well_formed_and_loads_nothing(topics):
    root, text = page_of(topics, "cat", "dog")
    assert root.find("head/title").text == "cat and dog, in topics.loom"
    assert all(picture.get("role") == "img" and picture.get("aria-label") for picture in root.iter("svg"))
    assert not re.search(r"https?:|//|src=|url\(|@import|<script|href", text.replace("</", "<"))
    numbers = [float(n) for n in re.findall(r'(?:x|y|width|height)="([-0-9.a-z]+)"', text)]
    assert numbers and np.all(np.isfinite(numbers)) and min(numbers) >= 0
    looks = [p.text for p in root.iter("p") if p.text.startswith("Look for: ")]
    assert len(looks) == len(set(looks)) == 3


def test_the_first_sentence_is_the_verdict(topics):
    close, far = explain_similarity(topics, "cat", "dog"), explain_similarity(topics, "cat", "red")
    assert verdict(close).startswith(f"“cat” and “dog” are very similar: their cosine is {close.cosine:.2f}.")
    assert f"What they share most is how they stand to “{close.sought[0].context}”" in verdict(close)
    assert re.match("“cat” and “red” are (not|hardly) similar", verdict(far))
    assert f"What sets them apart most is “{far.apart[0].context}”" in verdict(far)


def test_the_parts_of_the_sum_add_up_to_the_cosine(topics):
    found = explain_similarity(topics, "cat", "red")
    root, _ = page_of(topics, "cat", "red")
    sentence = root.find("body/section/p").text
    total, *terms = [float(n) for n in re.findall(r"[-+]?\d+\.\d+", sentence)]
    assert total == round(found.cosine, 3) and sum(terms) == pytest.approx(total, abs=0.002)


def test_probabilities_and_counts_are_those_of_the_library(topics, corpus):
    counts = count_corpus(topics, corpus)
    root, _ = page_of(topics, "cat", "dog", counts=counts, topn=3)
    head, first, *_ = cells(root, "What the model expects")
    assert head == ["context c", "p(cat, c)", "p(dog, c)", "#(cat, c)", "#(dog, c)"]
    context = first[0]
    row = topics.words.get_index("cat")
    assert first[1] == f"{topics.probability('cat', context):.4f}"
    assert first[3] == f"{counts.count(row, topics.contexts.get_index(context)):,.1f}"
    assert cells(page_of(topics, "cat", "dog", topn=3)[0], "What the model expects")[0] == head[:3]


def test_neighbours_of_both_are_marked(topics):
    root, _ = page_of(topics, "cat", "dog")
    (left, right), *rows = cells(root, "Neighbours")
    assert (left, right) == ("cat", "dog") and len(rows) == 15
    names = [[cell.removeprefix("● ").rpartition(" (")[0] for cell in column] for column in zip(*rows, strict=True)]
    for row in rows:
        for cell in row:
            name = cell.removeprefix("● ").rpartition(" (")[0]
            assert cell.startswith("● ") == (name in names[0] and name in names[1])
    assert any(cell.startswith("● ") for row in rows for cell in row)


@pytest.mark.parametrize("word", ["</title><script>alert(1)</script>", "\"'><img", "\u202eexe.gpj", "\x1b[2J"])
def test_a_hostile_word_is_text_on_the_page(word, two_topics):
    text = [[word if token in ("cat", "red") else token for token in sentence] for sentence in two_topics[:200]]
    emb = pairloom.train(text, dim=5, epochs=2, min_count=1, sample=0)
    root, _ = page_of(emb, word, "dog")
    assert root.find("head/title").text.startswith(visible(word))
    assert not [element.tag for element in root.iter() if element.tag in ("script", "img")]


def test_identical_words_have_a_page(topics):
    root, _ = page_of(topics, "cat", "cat")
    assert "1.00" in root.find("body/p").text
