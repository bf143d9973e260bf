"""Labels do not overlap, and the most important words have them."""

from itertools import combinations

import numpy as np
import pytest

from pairloom.maps.labels import LONGEST, Box, label_text, place_labels, text_width

AREA = Box(0, 0, 400, 300)


def crowd(n, seed=0):
    """Words of many lengths and scripts at random places, the first of them in the largest size."""
    rng = np.random.default_rng(seed)
    places = (rng.random((n, 2)) * (400, 300)).tolist()
    stems = ["a", "king", "internationalisation", "国王", "ملك", "<script>", "👑", "WWW"]
    return places, [stems[i % len(stems)] for i in range(n)], [16 - 6 * i / n for i in range(n)]


@pytest.mark.parametrize("n", [20, 400])
def test_labels_do_not_overlap_and_stay_inside(n):
    placed = place_labels(*crowd(n), AREA, most=n)
    assert len(placed) > 15
    assert not [(a, b) for a, b in combinations(placed, 2) if a.box.overlaps(b.box)]
    assert all(label.box.is_inside(AREA) for label in placed)


def test_the_first_words_come_first():
    places, words, sizes = crowd(200)
    placed = place_labels(places, words, sizes, AREA, most=10)
    assert len(placed) == 10 and placed[0].number == 0
    assert [label.number for label in placed] == sorted(label.number for label in placed)


def test_a_label_is_left_of_its_point_at_the_right_edge():
    (label,) = place_labels([(395, 150)], ["king"], [12], AREA, 1)
    assert label.box.right < 395 and label.anchor == "end"


def test_a_label_does_not_cover_a_dot_if_it_can_help_it():
    first, _ = place_labels([(100, 150), (130, 150)], ["king", "queen"], [12, 12], AREA, 2)
    dot = Box(127, 147, 133, 153)
    assert not first.box.overlaps(dot)


def test_a_word_without_a_free_place_has_no_label():
    places = [(200.0, 150.0)] * 20
    placed = place_labels(places, ["king"] * 20, [12] * 20, AREA, 20)
    assert [label.anchor for label in placed] == ["start", "end"]  # these touch those above and below


@pytest.mark.parametrize(
    ("narrow", "wide"), [("ill", "cat"), ("cat", "CAT"), ("CAT", "MWM"), ("cat", "国王王"), ("é", "e\u0301ab")]
)
def test_widths_depend_on_the_characters(narrow, wide):
    assert text_width(narrow, 10) < text_width(wide, 10)


def test_marks_and_joiners_have_no_width():
    assert text_width("e\u0301", 10) == text_width("e", 10)


def test_a_label_shows_what_is_invisible_and_is_cut():
    assert label_text("\u202ea\x07") == "\\u202ea\\x07"
    assert label_text("x" * 100) == "x" * (LONGEST - 1) + "…"
