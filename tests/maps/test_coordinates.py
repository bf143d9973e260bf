"""Places of words: similar words are near each other, whatever the number of threads."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from pairloom import ConfigError, InputError, MissingExtraError, Vectors
from pairloom.maps import coordinates as module
from pairloom.maps import tsne
from pairloom.maps.components import components_of
from pairloom.maps.coordinates import coordinates


def grouped(n, groups=6, dim=12, seed=0):
    """n words in groups, and the group of each."""
    rng = np.random.default_rng(seed)
    of = np.arange(n) % groups
    centres = rng.normal(size=(groups, dim))
    return Vectors([f"w{i}" for i in range(n)], centres[of] + 0.25 * rng.normal(size=(n, dim)), n - np.arange(n)), of


def share_beside_own_group(places, of, rows):
    """The share of nearest words on the map that are of the same group."""
    distances = ((places[rows, None] - places[None]) ** 2).sum(axis=2)
    distances[np.arange(len(rows)), rows] = np.inf
    return np.mean(of[distances.argmin(axis=1)] == of[rows])


@pytest.mark.parametrize("method", ["auto", "tsne", "pca"])
@pytest.mark.parametrize("n", [5, 80])
def test_places_fill_a_square(method, n):
    places = coordinates(grouped(n)[0], method)
    assert places.shape == (n, 2) and places.dtype == np.float32
    assert np.abs(places).max() == 1


def test_words_of_a_group_are_together():
    vectors, of = grouped(300)
    assert share_beside_own_group(coordinates(vectors, "tsne"), of, np.arange(300)) > 0.98


@pytest.mark.parametrize("method", ["tsne", "pca"])
def test_any_number_of_threads_gives_the_same_bytes(method, monkeypatch):
    monkeypatch.setattr(module, "MAPPED", 400)
    vectors, _ = grouped(600)
    digests = {hashlib.sha256(coordinates(vectors, method, threads=t).tobytes()).digest() for t in (1, 2, 4)}
    assert len(digests) == 1


@pytest.mark.parametrize(("least", "gradient"), [(100, "fft"), (101, "bh")])
def test_many_words_are_arranged_by_fft_on_the_grid_that_was_measured(least, gradient, monkeypatch):
    import openTSNE

    asked = {}
    original = openTSNE.TSNEEmbedding

    def recording(*args, **options):
        asked.update(options)
        return original(*args, **options)

    monkeypatch.setattr(openTSNE, "TSNEEmbedding", recording)
    monkeypatch.setattr(tsne, "BY_FFT", least)
    vectors, of = grouped(100)
    assert share_beside_own_group(coordinates(vectors, "tsne"), of, np.arange(100)) > 0.95
    assert asked == {"negative_gradient_method": gradient, "ints_in_interval": tsne.GRID, "n_jobs": 1}


def test_another_seed_gives_another_map_of_the_same_groups():
    vectors, of = grouped(200)
    one, other = coordinates(vectors, "tsne"), coordinates(vectors, "tsne", seed=2)
    assert not np.array_equal(one, other)
    assert share_beside_own_group(other, of, np.arange(200)) > 0.98


def test_rare_words_are_placed_beside_the_words_they_are_like(monkeypatch):
    vectors, of = grouped(600)
    monkeypatch.setattr(module, "MAPPED", 300)
    places = coordinates(vectors, "tsne")
    assert share_beside_own_group(places, of, np.arange(300, 600)) > 0.98
    assert len(np.unique(places, axis=0)) == 600  # no two coincide
    few = Vectors(vectors.words[:400], vectors.vectors[:400], vectors.counts[:400])
    np.testing.assert_array_equal(coordinates(few, "tsne"), places[:400])  # more rare words change nothing


def test_the_most_frequent_words_are_mapped_wherever_their_rows_are(monkeypatch):
    vectors, _ = grouped(120)
    monkeypatch.setattr(module, "MAPPED", 60)
    shuffled = np.random.default_rng(3).permutation(120)
    other = Vectors([vectors.words[i] for i in shuffled], vectors.vectors[shuffled], vectors.counts[shuffled])
    np.testing.assert_array_equal(coordinates(other, "tsne"), coordinates(vectors, "tsne")[shuffled])


def test_the_components_are_those_of_numpy():
    vectors, _ = grouped(500)
    units = vectors.vectors / vectors.norms[:, None]
    _, _, expected = np.linalg.svd(units - units.mean(axis=0), full_matrices=False)
    axes = components_of(vectors, np.arange(500)).axes
    np.testing.assert_allclose(np.abs(axes @ expected[:2].T), np.eye(2), atol=1e-4)
    assert all(axis[np.abs(axis).argmax()] > 0 for axis in axes)


@pytest.mark.parametrize("method", ["tsne", "pca"])
@pytest.mark.parametrize("rows", [np.zeros((60, 3)), np.ones((60, 3)), np.arange(60.0)[:, None] - 30])
def test_odd_vectors_have_places_too(method, rows):
    places = coordinates(Vectors([f"w{i}" for i in range(60)], rows), method)
    assert np.isfinite(places).all() and np.abs(places).max() <= 1


def test_one_word_or_none():
    assert coordinates(grouped(1)[0]).tolist() == [[0, 0]]
    assert coordinates(Vectors([], np.empty((0, 3)))).shape == (0, 2)


def test_wrong_arguments_are_named():
    vectors, _ = grouped(3)
    with pytest.raises(ConfigError, match=r"method='umap' is not a choice. Use auto, tsne or pca."):
        coordinates(vectors, "umap")
    with pytest.raises(ConfigError, match="seed=-1 is out of range"):
        coordinates(vectors, seed=-1)
    with pytest.raises(InputError, match=r"t-SNE needs at least 4 words, and here are 3 words. Use pca."):
        coordinates(vectors, "tsne")


def test_without_the_extra_a_map_is_by_principal_components(monkeypatch):
    vectors, _ = grouped(80)
    by_pca = coordinates(vectors, "pca")
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    np.testing.assert_array_equal(coordinates(vectors), by_pca)
    with pytest.raises(MissingExtraError, match=r"t-SNE needs an extra package.*pairloom\[map\]"):
        coordinates(vectors, "tsne")


def test_progress_is_reported_by_stage(monkeypatch):
    monkeypatch.setattr(module, "MAPPED", 100)
    seen = []
    coordinates(grouped(150)[0], "tsne", on_progress=seen.append)
    assert list(dict.fromkeys(report.stage for report in seen)) == ["compile", "neighbours", "layout", "place"]
    assert [(r.done, r.total) for r in seen if r.done == r.total] == [(100, 100), (1000, 1000), (50, 50)]


def test_a_callback_can_stop_it():
    def stop(report):
        if report.stage == "layout":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        coordinates(grouped(100)[0], "tsne", on_progress=stop)


def test_importing_it_loads_neither_opentsne_nor_the_compiler():
    code = "import sys, pairloom.maps.plot; print({'openTSNE', 'numba', 'sklearn'} & sys.modules.keys())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"
