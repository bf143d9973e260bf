"""A map is kept beside its model, and used only for the vectors that it was made of."""

import os
from pathlib import Path

import numpy as np
import pytest

import pairloom.maps.saved as module
from pairloom import Vectors, VectorsWarning
from pairloom.maps.coordinates import coordinates
from pairloom.maps.saved import SUFFIX, map_of
from tests.maps.test_coordinates import grouped


@pytest.fixture
def computed(monkeypatch):
    """The number of words of each map that is computed."""
    calls = []
    original = module.places_of

    def counting(vectors, n, *args, **options):
        calls.append(n)
        return original(vectors, n, *args, **options)

    monkeypatch.setattr(module, "places_of", counting)
    return calls


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.loom"


def test_a_map_is_computed_once(path, computed):
    vectors, _ = grouped(70)
    first = map_of(path, vectors)
    np.testing.assert_array_equal(first, coordinates(vectors))
    np.testing.assert_array_equal(map_of(path, vectors), first)
    assert computed == [70]
    kept = Path(f"{path}{SUFFIX}").read_bytes()
    Path(f"{path}{SUFFIX}").unlink()
    map_of(path, vectors, threads=1)
    assert Path(f"{path}{SUFFIX}").read_bytes() == kept


@pytest.mark.parametrize("change", ["vectors", "counts", "method", "seed"])
def test_another_map_is_computed_for_what_is_different(change, path, computed):
    vectors, _ = grouped(70)
    map_of(path, vectors, "tsne")
    rows, counts = vectors.vectors.copy(), vectors.counts.copy()
    if change == "vectors":
        rows[69, 0] += 0.01
    if change == "counts":
        counts[69] = 1000
    other = Vectors(vectors.words, rows, counts)
    options = {"method": "pca" if change == "method" else "tsne", "seed": 2 if change == "seed" else 1}
    np.testing.assert_array_equal(map_of(path, other, **options), coordinates(other, **options))
    assert len(computed) == 2


@pytest.mark.parametrize("at", [0, 40, 200, -1])
def test_a_damaged_map_is_reported_and_made_again(at, path, computed):
    vectors, _ = grouped(70)
    first = map_of(path, vectors)
    file = Path(f"{path}{SUFFIX}")
    damaged = bytearray(file.read_bytes())
    damaged[at] ^= 255
    file.write_bytes(damaged)
    with pytest.warns(VectorsWarning, match=r"m.loom.map cannot be used: .* The map is made again."):
        np.testing.assert_array_equal(map_of(path, vectors), first)
    assert len(computed) == 2
    map_of(path, vectors)
    assert len(computed) == 2


@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else True, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written(path, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.warns(VectorsWarning, match="The map is not kept"):
        map_of(path, grouped(10)[0])
    tmp_path.chmod(0o700)


def test_a_map_that_cannot_be_kept_is_returned_all_the_same(tmp_path):
    vectors, _ = grouped(10)
    with pytest.warns(VectorsWarning, match=r"The map is not kept, so it has to be made again next time: .*no/m.loom"):
        places = map_of(tmp_path / "no" / "m.loom", vectors)
    np.testing.assert_array_equal(places, coordinates(vectors))


def test_a_map_with_places_outside_the_square_is_not_used(path, computed):
    vectors, _ = grouped(10)
    record = module._record(vectors, "pca", 1)
    for places in (
        np.full((10, 2), 2, np.float32),
        np.full((10, 2), np.nan, np.float32),
        np.zeros((10, 3), np.float32),
    ):
        module.write(f"{path}{SUFFIX}", module.LAYOUT, {"places": places}, record)
        np.testing.assert_array_equal(map_of(path, vectors), coordinates(vectors))
    assert len(computed) == 3


def test_a_map_of_all_words_serves_for_the_most_frequent_and_not_the_other_way_round(path, computed, monkeypatch):
    for part in ("coordinates", "saved"):
        monkeypatch.setattr(f"pairloom.maps.{part}.MAPPED", 60)
    vectors, _ = grouped(100)
    some = module.most_frequent_map(path, vectors, 20, "tsne")
    everything = map_of(path, vectors, "tsne")
    np.testing.assert_array_equal(everything[:20], some)
    np.testing.assert_array_equal(module.most_frequent_map(path, vectors, 80, "tsne"), everything[:80])
    assert computed == [60, 100]
