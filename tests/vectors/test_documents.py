"""Vectors for documents: each weighting against its formula, and the same bits however documents are put together."""

import hashlib
import math
import os
import subprocess
import sys
from itertools import permutations

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

import pairloom
from pairloom.errors import ConfigError, CorpusTypeError
from pairloom.vectors.documents import DocumentModel, _first_eigenvector, document_vectors
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors

WEIGHTINGS = ["mean", "tfidf", "sif"]


@pytest.fixture
def axes() -> Vectors:
    """A word for each axis: a document's vector shows what each of its words counted."""
    return Vectors(["the", "cat", "dog", "car"], np.eye(4), [70, 15, 10, 5])


@pytest.fixture(scope="module")
def many() -> tuple[Vectors, list[list[str]]]:
    rng = np.random.default_rng(7)
    words = [f"w{i}" for i in range(300)]
    matrix = rng.normal(size=(300, 20)) + rng.normal(size=20)  # a direction that all words share
    lengths = rng.integers(0, 40, 200)
    documents = [[f"w{i}" for i in np.minimum(rng.zipf(1.3, n) - 1, 400)] for n in lengths]
    return Vectors(words, matrix, rng.integers(1, 1000, 300)), documents


def test_the_mean_counts_every_occurrence_of_a_word_once(axes):
    rows = document_vectors(axes, [["the", "cat", "the", "dog"], ["car"]])
    assert rows.tolist() == [[0.5, 0.25, 0.25, 0], [0, 0, 0, 1]]
    assert rows.dtype == np.float32
    assert rows.flags.c_contiguous


def test_tfidf_weighs_a_word_by_the_documents_it_is_in_not_by_its_occurrences(axes):
    documents = [["the", "cat", "the", "the"], ["the", "dog"], ["the"]]
    often, rare = math.log(4 / 4) + 1, math.log(4 / 2) + 1
    rows = document_vectors(axes, documents, "tfidf")
    np.testing.assert_allclose(rows[0], np.array([3 * often, rare, 0, 0]) / (3 * often + rare), rtol=1e-6)
    np.testing.assert_allclose(rows[1], np.array([often, 0, rare, 0]) / (often + rare), rtol=1e-6)
    assert rows[2].tolist() == [1, 0, 0, 0]


def test_the_idf_of_a_word_that_no_document_has_is_the_largest(axes):
    idf = DocumentModel.learn(axes, [["the", "cat"], ["the"]], "tfidf").weights
    np.testing.assert_allclose(idf, [1, math.log(3 / 2) + 1, math.log(3) + 1, math.log(3) + 1], rtol=1e-15)


def test_idf_is_that_of_scikit_learn(many):
    vectors, documents = many
    theirs = TfidfVectorizer(analyzer=list, vocabulary=vectors.words).fit(documents).idf_
    np.testing.assert_allclose(DocumentModel.learn(vectors, documents, "tfidf").weights, theirs, rtol=1e-12)


def test_sif_weighs_a_word_by_its_share_of_the_text_that_the_vectors_were_trained_on(axes):
    weights = DocumentModel.learn(axes, [["cat"]], "sif", sif_a=0.05).weights
    np.testing.assert_allclose(weights, [0.05 / 0.75, 0.05 / 0.2, 0.05 / 0.15, 0.05 / 0.1], rtol=1e-15)


def test_sif_counts_the_documents_where_the_vectors_do_not_know_how_often_a_word_occurred():
    unknown = Vectors(["a", "b", "c"], np.eye(3))
    weights = DocumentModel.learn(unknown, [["a", "b", "a"], ["a", "x"]], "sif", sif_a=0.25).weights
    np.testing.assert_allclose(weights, [0.25 / (0.25 + 0.75), 0.25 / (0.25 + 0.25), 1], rtol=1e-15)


def test_sif_takes_away_the_first_singular_vector_of_the_weighted_means(many):
    vectors, documents = many
    p = dict(zip(vectors.words, vectors.counts / vectors.counts.sum(), strict=True))
    x = np.zeros((len(documents), 20))
    for d, document in enumerate(documents):
        known = [word for word in document if word in vectors]
        for word in known:
            x[d] += 1e-3 / (1e-3 + p[word]) * vectors[word].astype(np.float64) / len(known)
    u = np.linalg.svd(x)[2][0]
    np.testing.assert_allclose(document_vectors(vectors, documents, "sif"), x - np.outer(x @ u, u), atol=1e-7)
    component = DocumentModel.learn(vectors, documents, "sif").component
    np.testing.assert_allclose(component, u * np.sign(u[np.abs(u).argmax()]), atol=1e-10)


def test_what_was_learnt_from_some_documents_is_used_on_others(many):
    vectors, documents = many
    model = DocumentModel.learn(vectors, documents[:150], "sif")
    rows = model.transform(documents[150:])
    assert np.abs(rows @ model.component).max() < 1e-6  # nothing is left in that direction
    assert np.abs(document_vectors(vectors, documents[150:], "sif") - rows).max() > 1e-4


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_words_without_a_vector_are_left_out_and_documents_without_words_are_zero(axes, weighting):
    documents = [["unicorn", "cat"], ["dog", "cat"], [], ["unicorn"], ("", "cat")]
    rows = document_vectors(axes, documents, weighting)
    np.testing.assert_array_equal(rows[0], rows[4])
    assert rows[0].any()
    assert not rows[2:4].any()


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_documents_that_nothing_is_known_of_are_all_zero(axes, weighting):
    assert document_vectors(axes, [["unicorn"], []], weighting).tolist() == [[0.0] * 4] * 2
    assert document_vectors(axes, [], weighting).shape == (0, 4)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_any_chunking_any_kind_of_iterable_and_any_order_of_words_gives_the_same_bits(many, weighting):
    vectors, documents = many
    model = DocumentModel.learn(vectors, documents, weighting)
    whole = model.transform(documents)
    for size in (1, 7, 64):
        chunks = [model.transform(documents[i : i + size]) for i in range(0, len(documents), size)]
        assert np.concatenate(chunks).tobytes() == whole.tobytes()
    assert model.transform(iter(documents)).tobytes() == whole.tobytes()
    assert model.transform(np.array(document) for document in documents).tobytes() == whole.tobytes()
    assert document_vectors(vectors, [d[::-1] for d in documents], weighting).tobytes() == whole.tobytes()


def test_words_are_added_up_in_one_order_whatever_order_they_stand_in():
    vectors = Vectors(["large", "one", "minus large"], [[1e30], [1], [-1e30]])  # whose sum is 0 or 1, as one adds
    documents = [list(words) for words in permutations(vectors.words)]
    assert len({row.tobytes() for row in document_vectors(vectors, documents)}) == 1


def test_the_bits_do_not_depend_on_the_number_of_threads():
    program = """
import hashlib, numpy as np
from pairloom.vectors.documents import DocumentModel
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors
rng = np.random.default_rng(0)
v = Vectors([str(i) for i in range(500)], rng.normal(size=(500, 301)))
documents = rng.integers(500, size=(300, 30)).astype(str).tolist()
model = DocumentModel.learn(v, documents, "sif")
print(hashlib.sha256(model.component.tobytes() + model.transform(documents).tobytes()).hexdigest())
"""
    digests = set()
    for threads in "14":
        env = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}
        done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
        digests.add(done.stdout)
    assert len(digests) == 1
    assert len(digests.pop().strip()) == len(hashlib.sha256().hexdigest())


def test_the_bits_do_not_depend_on_the_cpu(printed_on_cpus):
    program = """
import hashlib, numpy as np
from pairloom.vectors.documents import DocumentModel
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors
rng = np.random.default_rng(0)
v = Vectors([str(i) for i in range(400)], rng.normal(size=(400, 30)))
documents = [[str(i) for i in rng.integers(0, 400, 9)] for _ in range(200)]
for weighting in ("mean", "tfidf", "sif"):
    model = DocumentModel.learn(v, documents, weighting)
    print(hashlib.sha256(model.weights.tobytes() + model.transform(documents).tobytes()).hexdigest())
"""
    assert len(printed_on_cpus(program)) == 1


@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_the_power_iteration_finds_the_first_eigenvector(n):
    rows = np.random.default_rng(n).normal(size=(200, n)) + 1
    u = _first_eigenvector(rows.T @ rows)
    theirs = np.linalg.eigh(rows.T @ rows)[1][:, -1]
    np.testing.assert_allclose(u, theirs * np.sign(theirs[np.abs(theirs).argmax()]), atol=1e-10)


def test_the_power_iteration_is_not_caught_by_an_axis_that_is_an_eigenvector_but_not_the_first():
    u = _first_eigenvector(np.array([[2.0, 0, 0], [0, 1.5, 1.5], [0, 1.5, 1.5]]))
    np.testing.assert_allclose(u, [0, math.sqrt(0.5), math.sqrt(0.5)], atol=1e-10)


def test_rows_so_long_or_short_that_float32_sums_fail_have_their_true_mean():
    vectors = Vectors(["huge", "tiny"], [[3e38], [1e-42]])
    assert document_vectors(vectors, [["huge", "huge"], ["tiny"]]).tolist() == vectors.vectors.tolist()


def test_the_mean_reads_an_iterator_since_one_reading_is_enough(axes):
    assert pairloom.document_vectors(axes, (["cat"] for _ in range(3))).tolist() == [[0, 1, 0, 0]] * 3


@pytest.mark.parametrize("weighting", ["tfidf", "sif"])
def test_an_iterator_is_refused_where_documents_are_read_several_times(axes, weighting):
    with pytest.raises(CorpusTypeError) as refusal:
        document_vectors(axes, (["cat"] for _ in range(3)), weighting)
    assert str(refusal.value) == (
        f"A generator can be read only once, and {weighting} reads the documents several times. "
        "Give a list, or an object whose __iter__ starts from the beginning each time."
    )


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("the cat", "The documents are one str, 'the cat'. Give a list of documents."),
        (b"the cat", "The documents are one bytes, b'the cat'. Give a list of documents."),
        (
            [["the"], "the cat"],
            "A document must be a list of words, but documents[1] is the string 'the cat'. Use .split() on it.",
        ),
        (
            [["the"], float("nan")],
            "A document must be a list of words, but documents[1] is nan, of type float. "
            "Leave it out, or give an empty list.",
        ),
        (
            [["the", 3]],
            "Words are strings, but documents[0] has 3, of type int. Use str() on it.",
        ),
        ({"the": ["cat"]}, "Documents cannot be of type dict. Give a list of documents."),
        ({"the", "cat"}, "Documents cannot be of type set. Give a list of documents."),
        (None, "Documents cannot be of type NoneType. Give a list of documents."),
        (
            np.array([["the", "cat"]]),
            "The documents are a ndarray of shape (1, 2). Give one column of it, for example table['text'].",
        ),
    ],
)
def test_what_is_no_list_of_documents_is_refused_in_one_line(axes, documents, message):
    for weighting in WEIGHTINGS:
        with pytest.raises(CorpusTypeError) as refusal:
            document_vectors(axes, documents, weighting)
        assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weighting": "idf"}, "weighting='idf' does not exist. Use one of mean, tfidf, sif."),
        ({"weighting": None}, "weighting=None does not exist. Use one of mean, tfidf, sif."),
        ({"sif_a": 0}, "sif_a=0 is out of range. Use 1e-12 to 1e+12; 1e-3 is usual."),
        ({"sif_a": math.nan}, "sif_a=nan is out of range. Use 1e-12 to 1e+12; 1e-3 is usual."),
        ({"sif_a": "x"}, "sif_a='x' is not a number. Use 1e-12 to 1e+12; 1e-3 is usual."),
    ],
)
def test_what_is_no_weighting_is_refused(axes, options, message):
    with pytest.raises(ConfigError) as refusal:
        document_vectors(axes, [["cat"]], **options)
    assert str(refusal.value) == message


def test_strings_are_split_as_the_text_of_an_embedding_was():
    vectors = Vectors(["king", "queen"], [[1, 0], [0, 1]], [3, 1])
    embedding = Embedding.of_words(vectors, {"text": {"tokenize": "words"}})
    for weighting in ("mean", "tfidf", "sif"):
        by_words = document_vectors(vectors, [["king", "queen"], ["queen"]], weighting)
        assert document_vectors(embedding, ["King, queen!", "Queen?"], weighting).tobytes() == by_words.tobytes()
    lower = Embedding.of_words(vectors, {"text": {"lowercase": True, "tokenize": "of_tomorrow"}})
    assert document_vectors(lower, ["KING king!"]).tolist() == [[1, 0]]
