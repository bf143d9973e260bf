"""The arrays that users get: rows without padding, read-only, and in the form that NumPy and other libraries expect."""

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import pairloom
from pairloom.sklearn import DocumentVectorizer
from pairloom.vectors.classes import word_classes
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors
from tests.formats.test_fasttext import model as fasttext_file

DIM = 5  # rows are padded to 16 numbers in training


@pytest.fixture(scope="module")
def trained(corpus) -> Embedding:
    return pairloom.train(corpus, dim=DIM, epochs=1, min_count=1, sample=0)


# --- Contiguous

TRAININGS = {
    "negative": {},
    "patience": {"patience": 1, "epochs": 3},
    "hs": {"objective": "hs"},
    "softmax": {"objective": "softmax"},
    "cbow": {"model": "cbow"},
    "sppmi-svd": {"model": "sppmi-svd", "negatives": 1},
}


@pytest.mark.parametrize("options", TRAININGS.values(), ids=TRAININGS)
def test_both_matrices_of_every_training_are_contiguous(corpus, options):
    emb = pairloom.train(corpus, **{"dim": DIM, "epochs": 1, "min_count": 1, "sample": 0, **options})
    assert emb.words.vectors.flags.c_contiguous
    assert emb.contexts.vectors.flags.c_contiguous


def test_pairs_that_are_not_text_give_contiguous_matrices():
    emb = pairloom.train_pairs([("a", "x"), ("b", "y"), ("a", "y")] * 5, dim=DIM, epochs=1, min_count=1)
    assert emb.words.vectors.flags.c_contiguous
    assert emb.contexts.vectors.flags.c_contiguous


@pytest.mark.parametrize("name", ["m.loom", "m.bin", "m.vec", "m.vec.gz"])
@pytest.mark.parametrize("limit", [None, 7])
def test_files_of_every_format_give_contiguous_matrices(trained, tmp_path, name, limit):
    trained.save(tmp_path / name)
    loaded = pairloom.load(tmp_path / name, limit=limit)
    assert loaded.words.vectors.flags.c_contiguous
    assert loaded.contexts.vectors.flags.c_contiguous
    assert np.array_equal(loaded.words.vectors, trained.words.vectors[:limit])


def folded(emb: Embedding):
    return emb.fold_in([["new", "cat", "dog", "red"]] * 5, words=["new"])


COMPUTED = {
    "a word": lambda emb: emb["cat"],
    "unit vectors": lambda emb: emb.words.get_normed_vectors(),
    "some words": lambda emb: emb.words.vectors_for_all(["dog", "cat"]).vectors,
    "sums": lambda emb: emb.combined().vectors,
    "folded in": lambda emb: folded(emb).vectors.vectors,
    "with new words": lambda emb: emb.with_words(folded(emb)).words.vectors,
    "documents": lambda emb: pairloom.document_vectors(emb, [["cat", "dog"], []]),
    "documents by sif": lambda emb: pairloom.document_vectors(emb, [["cat", "dog"], ["red"]], "sif"),
    "documents in scikit-learn": lambda emb: DocumentVectorizer(embedding=emb).fit_transform(["cat dog", "red"]),
    "centres of classes": lambda emb: word_classes(emb, 2).centres,
}


@pytest.mark.parametrize("compute", COMPUTED.values(), ids=COMPUTED)
def test_every_matrix_that_is_computed_is_contiguous(trained, compute):
    assert compute(trained).flags.c_contiguous


@pytest.mark.parametrize("given", [np.arange(32.0).reshape(4, 8)[:, :3], np.asfortranarray(np.ones((4, 3), "f4"))])
def test_rows_given_with_gaps_or_by_column_become_contiguous(given):
    vectors = Vectors("a b c d".split(), given)
    assert vectors.vectors.flags.c_contiguous
    assert np.array_equal(vectors.vectors, given)


def test_safetensors_saves_the_rows_of_a_training_as_they_are(trained, tmp_path):
    save_file({"W": trained.words.vectors, "C": trained.contexts.vectors}, tmp_path / "m.safetensors")
    saved = load_file(tmp_path / "m.safetensors")
    assert np.array_equal(saved["W"], np.array([trained[word] for word in trained]))
    assert np.array_equal(saved["C"], np.array([trained.contexts[word] for word in trained.contexts]))


def test_the_rows_of_a_fasttext_file_are_contiguous(tmp_path):
    (tmp_path / "model.bin").write_bytes(fasttext_file()[0])
    for limit in (None, 3):
        loaded = pairloom.load(tmp_path / "model.bin", limit=limit)
        assert loaded.words.vectors.flags.c_contiguous
        assert loaded.contexts.vectors.flags.c_contiguous
