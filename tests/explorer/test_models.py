"""A model of a file gets a map of its first rows, in their order, which is kept beside it."""

import numpy as np
import pytest

from pairloom.errors import InputError
from pairloom.explorer.models import explored_file, n_mapped
from pairloom.maps.coordinates import coordinates
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors
from tests.explorer.conftest import WORDS, embedding


@pytest.mark.parametrize("sorted_by_count", [True, False])
def test_the_places_are_those_of_the_first_rows(sorted_by_count, tmp_path):
    emb = embedding(1)
    if not sorted_by_count:  # words that were folded in stand at the end, however frequent they are
        counts = np.random.default_rng(0).permutation(emb.words.counts)
        emb = Embedding(words=Vectors(WORDS, emb.words.vectors, counts), contexts=emb.contexts)
    path = str(tmp_path / "m.loom")
    model = explored_file(path, emb, 30, "pca")
    assert (model.name, model.mapped) == ("m.loom", 30) and (tmp_path / "m.loom.map").exists()
    np.testing.assert_array_equal(model.coordinates, coordinates(emb.words, "pca")[:30])
    np.testing.assert_array_equal(explored_file(path, emb, 30, "pca").coordinates, model.coordinates)
    assert explored_file(path, emb, 1000, "pca").mapped == 100


def test_a_model_without_words_is_refused():
    with pytest.raises(InputError, match="The model has no words"):
        n_mapped(5, Embedding.of_words(Vectors([], np.empty((0, 3), np.float32))))
    with pytest.raises(InputError, match="words=0"):
        n_mapped(0, embedding(1))
