"""The arrays that users get: rows without padding, read-only, and in the form that NumPy and other libraries expect."""

import copy
import multiprocessing
import pickle

import joblib
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import pairloom
from pairloom.formats.fasttext import FastTextVectors
from pairloom.sklearn import DocumentVectorizer
from pairloom.vectors.classes import word_classes
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.subwords import Subwords
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


@pytest.mark.filterwarnings("ignore::pairloom.errors.IgnoredOptionWarning")  # all kinds get the same options
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


# --- As NumPy takes them


@pytest.fixture
def pets() -> Vectors:
    return Vectors(["cat", "dog"], np.array([[1, 2, 3], [4, 5, 6]], np.float32), [7, 3])


def test_numpy_takes_vectors_for_their_matrix_without_a_copy(pets):
    array = np.asarray(pets)
    assert np.array_equal(array, pets.vectors)
    assert array.dtype == np.float32
    assert np.shares_memory(array, pets.vectors)
    assert not array.flags.writeable
    assert np.shares_memory(np.asarray(pets, copy=False), pets.vectors)
    assert np.shares_memory(np.asarray(pets, dtype=np.float32), pets.vectors)


def test_a_copy_is_made_where_one_is_asked_for_and_can_be_written_to(pets):
    for array in (np.array(pets), np.asarray(pets, copy=True), np.array(pets, dtype=np.float32)):
        assert not np.shares_memory(array, pets.vectors)
        array[0, 0] = 9
    assert pets["cat"].tolist() == [1, 2, 3]


def test_another_dtype_takes_a_copy_or_is_refused(pets):
    assert np.array(pets, dtype=np.float64).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert np.asarray(pets, dtype=np.float16).dtype == np.float16
    with pytest.raises(ValueError, match="copy"):
        np.asarray(pets, dtype=np.float64, copy=False)


def test_functions_of_numpy_take_vectors_as_a_matrix(pets):
    assert np.linalg.norm(pets, axis=1) == pytest.approx(pets.norms)
    assert np.dot(pets, [1, 0, 0]).tolist() == [1, 4]
    assert Vectors(pets, pets).vectors.tolist() == pets.vectors.tolist()


def test_an_embedding_stands_for_the_matrix_of_its_words(pets):
    emb = Embedding(words=pets, contexts=Vectors(["c"], [[0, 0, 1]]))
    assert np.shares_memory(np.asarray(emb), pets.vectors)
    assert np.asarray(emb, dtype=np.float64).dtype == np.float64
    assert np.asarray(emb.contexts).tolist() == [[0, 0, 1]]
    with pytest.raises(ValueError, match="copy"):
        np.asarray(emb, dtype=np.float64, copy=False)


def test_vectors_in_a_query_still_stand_for_their_words(pets):
    three = Vectors(["cat", "dog", "cow"], np.eye(3))
    assert three.most_similar(pets) == three.most_similar(["cat", "dog"]) == [("cow", 0.0)]


# --- Read-only, whichever way they come


def fasttext_vectors() -> FastTextVectors:
    rows = np.arange(33, dtype=np.float32).reshape(11, 3)
    rows.flags.writeable = False
    return FastTextVectors(["a", "b"], rows[:2], np.array([2, 1]), Subwords(rows, 2, 9, 1, 2), {})


def out_of_band(given):
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(given, 5, buffer_callback=buffers.append)
    return pickle.loads(pickled, buffers=[bytearray(buffer) for buffer in buffers])


def through_joblib(given, tmp_path, mmap_mode=None):
    joblib.dump(given, tmp_path / "given.joblib")
    return joblib.load(tmp_path / "given.joblib", mmap_mode=mmap_mode)


def same(given):
    return given


ROUTES = {
    "copy": lambda given, _: copy.copy(given),
    "deepcopy": lambda given, _: copy.deepcopy(given),
    **{f"pickle {n}": lambda given, _, n=n: pickle.loads(pickle.dumps(given, n)) for n in (2, 3, 4, 5)},
    "buffers apart": lambda given, _: out_of_band(given),
    "joblib": through_joblib,
    "joblib, mapped": lambda given, tmp_path: through_joblib(given, tmp_path, "r+"),
}


def arrays_of(vectors: Vectors) -> list[np.ndarray]:
    arrays = [vectors.vectors, vectors.counts, vectors.norms, vectors[vectors.words[0]]]
    return [*arrays, vectors.subwords.rows] if isinstance(vectors, FastTextVectors) else arrays


def assert_read_only(vectors: Vectors) -> None:
    for array in arrays_of(vectors):
        assert array.flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 7


@pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)
@pytest.mark.parametrize("asked", [False, True])
def test_copies_are_read_only_and_answer_alike(pets, route, asked, tmp_path):
    emb = Embedding(words=pets, contexts=fasttext_vectors(), record={"config": {}})
    if asked:
        emb.most_similar("cat")
        emb.contexts.most_similar("b")
    copied = route(emb, tmp_path)
    assert_read_only(copied.words)
    assert_read_only(copied.contexts)
    assert copied.words.most_similar("cat") == pets.most_similar("cat")
    assert copied.contexts.most_similar("ba") == emb.contexts.most_similar("ba")
    assert copied.words.counts.tolist() == [7, 3]


def test_vectors_from_another_process_are_read_only(pets):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert_read_only(pool.apply(same, (pets,)))


def test_a_loaded_file_can_be_copied(trained, tmp_path):
    trained.save(tmp_path / "m.loom")
    loaded = pairloom.load(tmp_path / "m.loom")
    for copied in (copy.copy(loaded), copy.deepcopy(loaded), pickle.loads(pickle.dumps(loaded))):
        assert_read_only(copied.words)
        assert np.array_equal(copied.contexts.vectors, trained.contexts.vectors)


def test_scikit_learn_takes_vectors_for_an_array():
    decomposition = pytest.importorskip("sklearn.decomposition")
    vectors = Vectors(list("abcdef"), np.random.default_rng(0).normal(size=(6, 4)))
    assert vectors.shape == (6, 4)
    assert decomposition.PCA(2).fit_transform(vectors).shape == (6, 2)
