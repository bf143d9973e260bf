"""Pictures of words: well-formed, without overlap, the same every time, and harmless whatever the words are."""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import pairloom
from pairloom import InputError, MissingExtraError, Vectors
from pairloom.drawing.colours import hues, scale
from pairloom.maps.bars import neighbour_chart
from tests.maps.test_coordinates import grouped

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<script>alert(1)</script>",
    '"onload="x',
    "&amp;",
    "]]>",
    "\u202egpj",
    "\x00\x1b[31m",
    "国王",
    "ملك",
    "👑",
    "a" * 300,
]


def tree(svg):
    return ElementTree.fromstring(svg)


def texts(svg):
    return [element.text for element in tree(svg).iter(f"{SVG}text")]


def labels(svg):
    return [element.text for group in tree(svg).iter(f"{SVG}g") if group.get("class") == "labels" for element in group]


def n_dots(svg):
    return sum(path.get("d").count("M") for path in tree(svg).iter(f"{SVG}path"))


def test_a_map_has_a_dot_for_each_word_a_title_and_a_legend():
    drawn = grouped(40)[0].plot(title="Forty words")
    assert n_dots(drawn.svg) == 40 == len(drawn.words) == len(drawn.coordinates)
    root = tree(drawn.svg)
    assert root.get("role") == "img" and root.find(f"{SVG}title").text == "Forty words"
    assert {"Forty words", "occurrences", "1", "40"} <= set(texts(drawn.svg))
    assert set(labels(drawn.svg)) <= set(drawn.words)
    assert drawn._repr_svg_() == drawn.svg and repr(drawn) == "WordMap(title='Forty words')"


def test_the_default_title_says_what_is_shown(tmp_path):
    vectors, _ = grouped(40)
    assert vectors.plot().title == "40 words"
    assert vectors.plot(n=20, model_path=tmp_path / "m.loom").title == "The 20 most frequent words of m.loom"
    assert vectors.plot(["w1", "w2", "w1"]).title == "2 words"
    near = vectors.plot(neighbours_of="w3", n=5)
    assert near.title == "w3 and its 5 nearest words" and near.words[0] == "w3" and len(near.words) == 6


def test_the_same_words_give_the_same_picture():
    vectors, _ = grouped(80)
    assert vectors.plot(threads=1).svg == vectors.plot(threads=2).svg


def test_an_embedding_draws_its_words():
    vectors, _ = grouped(5)
    assert pairloom.Embedding.of_words(vectors).plot().svg == vectors.plot().svg


@pytest.mark.parametrize("suffix", ["svg", "html", "png"])
def test_hostile_words_are_only_text(suffix, tmp_path):
    rows = np.random.default_rng(0).normal(size=(len(HOSTILE), 4))
    path = tmp_path / f"map.{suffix}"
    drawn = Vectors(HOSTILE, rows, range(1, len(HOSTILE) + 1)).plot(path=path, title="<b>title")
    for written in (drawn.svg, drawn.detailed_svg, drawn.html):
        assert "<script" not in written and "\u202e" not in written and "\x1b" not in written and 'd="x' not in written
    names = {element.tag for element in tree(drawn.detailed_svg).iter()}
    assert names == {SVG + name for name in ("svg", "title", "style", "rect", "text", "circle", "g")}
    attributes = {name for element in tree(drawn.detailed_svg).iter() for name in element.attrib}
    assert not [name for name in attributes if name.startswith("on") or "href" in name]
    assert path.read_bytes().startswith({"svg": b"<svg", "html": b"<!DOC", "png": b"\x89PNG"}[suffix])


def test_a_page_names_every_word_and_loads_nothing(tmp_path):
    drawn = grouped(60)[0].plot()
    hints = [circle.find(f"{SVG}title").text for circle in tree(drawn.detailed_svg).iter(f"{SVG}circle")]
    assert hints[:2] == ["w0: 60", "w1: 59"] and len(hints) == 60
    assert not re.search(r"<script|src=|href=|url\(|@import", drawn.html)


def test_colours_by_class(tmp_path):
    vectors, of = grouped(60, groups=3)
    drawn = vectors.plot(colour="class", classes=3)
    numbers = drawn.colouring.numbers
    assert all(len(set(numbers[of == group].tolist())) == 1 for group in range(3)) and len(set(numbers.tolist())) == 3
    file = tmp_path / "classes.txt"
    file.write_text("".join(f"{word} {group}\n" for word, group in zip(vectors.words, of, strict=True)) + "\nother 9\n")
    by_file = vectors.plot(colour="class", classes=file)
    assert by_file.colouring.names == drawn.colouring.names == ["w0, w3", "w1, w4", "w2, w5"]
    assert {"w0, w3", "w1, w4"} <= set(texts(by_file.svg))
    assert Path(file).exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("w1 1 2\n", "Line 1 of .* is 'w1 1 2'. Give a UTF-8 file of `word class` lines"),
        ("x 1\n", "has none of the words"),
    ],
)
def test_a_wrong_file_of_classes(content, message, tmp_path):
    (tmp_path / "c").write_text(content)
    with pytest.raises(InputError, match=message):
        grouped(5)[0].plot(colour="class", classes=tmp_path / "c")


def test_colours_by_similarity():
    drawn = grouped(60, groups=3)[0].plot(colour="similarity", to="w0")
    numbers = drawn.colouring.numbers
    assert numbers[0] == drawn.colouring.n_colours - 1 and numbers[3] > numbers[1]
    assert "cosine to w0" in texts(drawn.svg)


def test_without_counts_colours_show_the_rank():
    vectors, _ = grouped(10)
    drawn = Vectors(vectors.words, vectors.vectors).plot()
    assert {"rank", "10", "1"} <= set(texts(drawn.svg))
    assert drawn.colouring.numbers[0] > drawn.colouring.numbers[9]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"words": ["w1"]}, "A map needs at least 2 words, and here is 1 word. Name more words."),
        ({"words": ["w1", "wx"]}, "'wx' is not among the 10 words"),
        ({"words": ["w1", "w2"], "neighbours_of": "w3"}, "Words and neighbours_of do not go together."),
        ({"neighbours_of": "wx"}, "'wx' is not among"),
        ({"n": 0}, "n=0 is out of range."),
        ({"colour": "red"}, "colour='red' is not a choice. Use frequency, class or similarity."),
        ({"colour": "similarity"}, "go together. Give both"),
        ({"to": "w1"}, "go together. Give both"),
        ({"colour": "class", "classes": 11}, "10 words cannot be put into 11 classes."),
        ({"path": "map.gif"}, "map.gif does not say what to write. End its name in .svg, .png or .html."),
        ({"path": "no/map.svg"}, "does not exist. Create it first."),
    ],
)
def test_wrong_arguments(options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=re.escape(message)):
        grouped(10)[0].plot(**options)
    assert list(tmp_path.iterdir()) == []


def test_a_png_needs_its_extra_and_fonts(tmp_path, monkeypatch):
    vectors, _ = grouped(5)
    with monkeypatch.context() as patch:
        patch.setattr("resvg_py.svg_to_bytes", lambda **_: b"same")
        with pytest.raises(InputError, match="A PNG picture needs fonts, and this system has none"):
            vectors.plot(path=tmp_path / "m.png")
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingExtraError, match=r"A PNG picture needs an extra package.*pairloom\[png\]"):
        vectors.plot(path=tmp_path / "m.png")
    assert list(tmp_path.iterdir()) == []


def contrast(one, other):
    """WCAG's contrast of two colours."""
    levels = []
    for colour in (one, other):
        values = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
        levels.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(levels) + 0.05) / (min(levels) + 0.05)


@pytest.mark.parametrize(("dark", "paper"), [(False, "#ffffff"), (True, "#14181d")])
def test_colours_can_be_seen_on_either_paper(dark, paper):
    values = [contrast(colour, paper) for colour in scale(16, dark)]
    assert min(values) > 2 and values == sorted(values)  # a higher value stands out more
    assert min(contrast(colour, paper) for colour in hues(24, dark)) > 3
    assert len(set(hues(24, dark))) == 24


def test_a_chart_has_a_bar_for_each_neighbour():
    chart = neighbour_chart({"king": [("queen", 0.5), ("<b>", -0.25)], "x": []})
    bars = [r for r in tree(chart.svg).iter(f"{SVG}rect") if r.get("class") != "paper"]
    assert [bar.get("class") for bar in bars] == ["bar", "minus"]
    assert {"king", "queen", "0.50", "<b>", "-0.25", "x", "no neighbours"} == set(texts(chart.svg))
    assert chart.title == "Nearest to king, x"
