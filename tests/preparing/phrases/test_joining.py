"""Phrases are joined from left to right, the same in bytes as in lists."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pairloom import Phrases
from pairloom.preparing.phrases.joining import inner_words
from tests.reading import read_in_blocks


@pytest.mark.parametrize(
    ("sentence", "joined"),
    [
        ("we like new york", "we like new_york"),
        ("new new york", "new new_york"),
        ("new york new york", "new_york new_york"),
        ("new york times", "new_york times"),  # york was joined already, so york_times is not
        ("york times", "york_times"),
        ("bank of america", "bank_of_america"),
        ("bank of the america", "bank of the america"),
        ("of bank of", "of bank of"),
        ("bank of of america", "bank of of america"),
        ("bank bank of america", "bank bank_of_america"),
        ("new of york", "new of york"),
        ("", ""),
    ],
)
def test_phrases_are_joined_greedily_from_left_to_right(sentence, joined, tmp_path):
    phrases = Phrases(
        ({("new", "york"): 3.0, ("york", "times"): 9.0, ("bank", "of", "america"): 1.0},), frozenset({"of", "the"})
    )
    assert phrases.apply(sentence.split()) == joined.split()
    (tmp_path / "in.txt").write_text(sentence + "\n")
    phrases.transform(tmp_path / "in.txt", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == joined + "\n"


def test_a_later_pass_sees_the_phrases_of_the_earlier_as_words():
    phrases = Phrases(({("new", "york"): 1.0}, {("new_york", "city"): 1.0}))
    assert phrases.apply("new york city".split()) == ["new_york_city"]
    assert phrases.apply("new_york city".split()) == ["new_york_city"]


WORD = st.sampled_from(["a", "b", "c", "of", "the", "dé", "漢", "x_y"])
SPACE = st.sampled_from([" ", "  ", "\t", "\u3000", "\u2028", "\n", "\n\n", " \r\n"])
WILD_TEXT = st.lists(st.tuples(WORD, SPACE), max_size=60).map(lambda pairs: "".join(map("".join, pairs)))
ENDS, BETWEEN = st.sampled_from(["a", "b", "c", "dé", "漢", "x_y", "a_b", "b_c"]), st.sampled_from(["of", "the"])
PHRASE = st.tuples(ENDS, st.lists(BETWEEN, max_size=2), ENDS).map(lambda parts: (parts[0], *parts[1], parts[2]))
PASSES = st.lists(st.lists(PHRASE, max_size=8), min_size=1, max_size=3)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=WILD_TEXT,
    passes=PASSES,
    delimiter=st.sampled_from(["_", "·", "--"]),
    block=st.sampled_from([1, 7, 1 << 20]),
    last=st.sampled_from(["", "a", " "]),
)
def test_text_is_joined_as_its_lines_are(text, passes, delimiter, block, last, tmp_path):
    """The kernel, the cutting of long lines and the order of blocks, against `join` on whole lines."""
    passes = tuple(dict.fromkeys(phrases, 1.0) for phrases in passes)
    phrases = Phrases(passes, frozenset({"of", "the", "unused"}), delimiter)
    text += last
    (tmp_path / "in.txt").write_text(text, newline="")
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []
    expected = "".join(" ".join(phrases.apply(line.split())) + "\n" for line in lines)
    with pytest.MonkeyPatch.context() as patch:
        read_in_blocks(patch, block)
        phrases.transform(tmp_path / "in.txt", tmp_path / "out.txt", threads=2)
    assert (tmp_path / "out.txt").read_text() == expected


def test_a_long_line_of_nothing_but_phrases_is_joined_whole(tmp_path, monkeypatch):
    read_in_blocks(monkeypatch, 100)
    (tmp_path / "in.txt").write_text("a " * 5001 + "\n")
    Phrases(({("a", "a"): 1.0},)).transform(tmp_path / "in.txt", tmp_path / "out.txt", threads=2)
    assert (tmp_path / "out.txt").read_text() == "a_a " * 2500 + "a\n"


def test_words_with_which_a_phrase_goes_on_are_known_through_all_passes():
    passes = [{("new", "york"): 1.0}, {("in", "new_york"): 1.0}, {("x", "in_new_york"): 1.0}]
    assert inner_words(passes, "_") == {"york", "new", "new_york", "in", "in_new_york"}
