"""The short form of `reliability.damage`."""

from reliability import damage


def test_all_random_damage_to_a_native_file_is_detected_and_nearly_all_to_others():
    figures = damage.measure(short=True, seed=0)
    assert [figure.misses for figure in figures if not figure.met] == []
    assert figures[0].found == "1,000 of 1,000 detected"


def test_every_damage_changes_the_file():
    raw = bytes(range(256)) * 4
    assert all(damaged != raw for damaged in damage.damages(raw, 2000, "seed"))
