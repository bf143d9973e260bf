"""The estimator as scikit-learn and its users use it: in pipelines, cloned, pickled, with odd documents."""

import inspect
import pickle
import subprocess
import sys
from dataclasses import fields

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks, get_tags

import pairloom
from pairloom.config import TrainConfig
from pairloom.errors import ConfigError, CorpusTypeError, IgnoredOptionWarning, InputError
from pairloom.pairs.from_text import TextSource
from pairloom.sklearn import DocumentVectorizer
from pairloom.vectors.documents import document_vectors
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors
from tests.conftest import TOPICS

WEIGHTINGS = ["mean", "tfidf", "sif"]
TOY = {"dim": 8, "epochs": 20, "min_count": 1, "sample": 0}


@pytest.fixture(scope="module")
def texts():
    """Documents about animals and about colours, with the same common words around them."""
    rng = np.random.default_rng(3)
    return [f"the {' and the '.join(rng.choice(TOPICS[i % 2], 5))}\n and so on" for i in range(120)]


@pytest.fixture(scope="module")
def topics(texts):
    return np.array(["animals", "colours"] * (len(texts) // 2))


@pytest.fixture(scope="module")
def fitted(texts):
    return DocumentVectorizer(weighting="tfidf", **TOY).fit(texts)


# --- What it computes


def test_fit_trains_as_pairloom_train_does_and_transform_gives_document_vectors(texts):
    documents = [text.split() for text in texts]
    embedding = pairloom.train(documents, **TOY)
    for weighting in WEIGHTINGS:
        vectorizer = DocumentVectorizer(weighting=weighting, **TOY).fit(texts)
        assert vectorizer.embedding_.words.vectors.tobytes() == embedding.words.vectors.tobytes()
        expected = document_vectors(embedding.words, documents, weighting)
        assert vectorizer.transform(texts).tobytes() == expected.tobytes()
        assert (expected.dtype, expected.shape) == (np.float32, (120, 8))


def test_every_option_of_training_is_a_parameter_with_the_same_default_and_reaches_it(texts):
    parameters = inspect.signature(DocumentVectorizer).parameters
    defaults = {f.name: f.default for f in fields(TrainConfig) if f.name not in TextSource.unused_options}
    assert {name: parameters[name].default for name in defaults} == defaults
    other = {"dim": 3, "window": 2, "negatives": 1, "noise_power": 1.0, "min_count": 2, "max_vocab": 15, "sample": 0.5}
    other |= {
        "epochs": 2,
        "lr": 0.01,
        "min_lr": 1e-3,
        "seed": 9,
        "heldout": 0.1,
        "patience": 1,
        "left": 1,
        "right": 2,
        "clean": True,
    }
    other |= {"window_shape": "harmonic", "positional": False, "subsampling": "published", "model": "cbow"}
    other |= {"objective": "hs", "cbow_gradient": "undivided"}
    with pytest.warns(IgnoredOptionWarning):  # no training uses all of them
        assert DocumentVectorizer(**other).fit(texts).embedding_.record["config"] == other


def test_the_same_documents_give_the_same_bits_for_any_number_of_threads_and_any_container(texts):
    lists = [text.split() for text in texts]
    given = [texts, tuple(texts), np.array(texts), np.array(texts, object), iter(texts), lists, map(tuple, lists)]
    rows = {
        DocumentVectorizer(threads=1 + i % 3, weighting="sif", **TOY).fit_transform(documents).tobytes()
        for i, documents in enumerate(given)
    }
    assert len(rows) == 1
    assert DocumentVectorizer(weighting="sif", **TOY, seed=2).fit_transform(texts).tobytes() not in rows


def test_fitted_attributes_hold_what_was_learnt(texts):
    n_words = len({word for text in texts for word in text.split()})
    mean, tfidf, sif = (DocumentVectorizer(weighting=weighting, **TOY).fit(texts) for weighting in WEIGHTINGS)
    assert isinstance(mean.embedding_, pairloom.Embedding)
    assert (mean.idf_, mean.component_, mean.n_features_out_) == (None, None, 8)
    assert tfidf.idf_.shape == (n_words,)
    assert tfidf.idf_.min() == tfidf.idf_[tfidf.embedding_.words.key_to_index["the"]] == 1
    assert (tfidf.component_, sif.idf_) == (None, None)
    assert np.linalg.norm(sif.component_) == pytest.approx(1)


def test_a_line_break_in_a_document_is_white_space_like_any_other(texts):
    flat = [" ".join(text.split()) for text in texts]
    assert DocumentVectorizer(**TOY).fit_transform(flat).tobytes() == (
        DocumentVectorizer(**TOY).fit_transform(texts).tobytes()
    )


def test_a_given_embedding_is_used_unchanged_from_memory_or_from_a_file(fitted, texts, tmp_path):
    fitted.embedding_.save(tmp_path / "topics.loom")
    expected = document_vectors(fitted.embedding_.words, [["cat"], ["dog", "the"]], "tfidf")
    for embedding in (fitted.embedding_, tmp_path / "topics.loom", str(tmp_path / "topics.loom")):
        vectorizer = DocumentVectorizer(embedding=embedding, weighting="tfidf", dim=77, min_count=10**6)
        assert vectorizer.fit_transform(["cat", "dog the"]).tobytes() == expected.tobytes()
        assert vectorizer.n_features_out_ == 8
        assert vectorizer.embedding is embedding


def test_tokenize_and_lowercase_make_the_words_of_strings(fitted):
    given = {"embedding": fitted.embedding_}
    cat = document_vectors(fitted.embedding_.words, [["cat", "dog"]]).tobytes()
    assert (
        DocumentVectorizer(**given, tokenize=lambda text: text.split("_")).fit_transform(["cat_dog"]).tobytes() == cat
    )
    assert DocumentVectorizer(**given, tokenize=lambda text: iter(text.split("_"))).fit(["a"]) is not None
    assert DocumentVectorizer(**given, lowercase=True).fit_transform(["Cat DOG"]).tobytes() == cat
    assert DocumentVectorizer(**given, lowercase=True).fit_transform([["Cat", "DOG"]]).tobytes() == cat
    assert not DocumentVectorizer(**given).fit_transform(["Cat DOG"]).any()


def test_empty_documents_are_zero_and_do_not_stop_training(texts):
    rows = DocumentVectorizer(**TOY).fit_transform(["", *texts, " \n", "unicorns"][:-1])
    assert not rows[[0, -1]].any()
    assert rows[1:-1].any(axis=1).all()


# --- What scikit-learn requires of an estimator


def test_it_passes_the_checks_for_estimators():
    with pytest.warns(SkipTestWarning, match="Can't test estimator DocumentVectorizer"):
        results = estimator_checks.check_estimator(DocumentVectorizer(), on_skip=None)
    assert [result["status"] for result in results] == ["passed"] * len(results)


# check_estimator skips these for estimators of text, although they need no data
CHECKS_WITHOUT_NUMBERS = [
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_valid_tag_types",
]


@pytest.mark.parametrize("check", CHECKS_WITHOUT_NUMBERS)
def test_it_passes_the_checks_that_need_no_numbers(check):
    getattr(estimator_checks, check)("DocumentVectorizer", DocumentVectorizer())


def test_its_tags_say_that_it_takes_text():
    tags = get_tags(DocumentVectorizer())
    assert (tags.input_tags.string, tags.input_tags.two_d_array, tags.no_validation) == (True, False, True)
    assert (tags.requires_fit, tags.target_tags.required, tags.transformer_tags.preserves_dtype) == (True, False, [])


def test_before_fit_it_says_that_it_is_not_fitted():
    with pytest.raises(NotFittedError):
        DocumentVectorizer().transform(["cat"])
    with pytest.raises(NotFittedError):
        DocumentVectorizer().get_feature_names_out()
    assert not hasattr(DocumentVectorizer(), "idf_")


def test_fit_takes_a_target_and_ignores_it_and_leaves_parameters_alone(texts, topics):
    vectorizer = DocumentVectorizer(**TOY)
    before = vectorizer.get_params()
    assert vectorizer.fit(texts, topics) is vectorizer
    assert vectorizer.get_params() == before
    assert vectorizer.transform(texts).tobytes() == DocumentVectorizer(**TOY).fit_transform(texts, topics).tobytes()


def test_a_second_fit_forgets_the_first(texts):
    vectorizer = DocumentVectorizer(weighting="sif", **TOY).fit(texts)
    vectorizer.set_params(weighting="tfidf", dim=5).fit(texts)
    assert vectorizer.component_ is None
    assert vectorizer.transform(texts).shape == (120, 5)


def test_a_clone_has_the_parameters_but_not_what_was_learnt(fitted):
    copied = clone(fitted)
    assert copied.get_params() == fitted.get_params()
    assert not hasattr(copied, "embedding_")
    assert hasattr(fitted, "embedding_")


def test_clones_share_a_given_embedding_because_it_is_read_only(fitted, monkeypatch):
    monkeypatch.setattr(pairloom.Embedding, "__deepcopy__", lambda *_: pytest.fail("was copied"), raising=False)
    pipeline = make_pipeline(DocumentVectorizer(embedding=fitted.embedding_), LogisticRegression())
    assert clone(pipeline)[0].embedding is fitted.embedding_
    assert pipeline[0].embedding is fitted.embedding_


def test_a_clone_keeps_the_choice_of_set_output(fitted):
    copied = clone(DocumentVectorizer(embedding=fitted.embedding_).set_output(transform="default"))
    assert copied._sklearn_output_config == {"transform": "default"}


def test_it_is_the_same_after_pickling(fitted, texts):
    for vectorizer in (fitted, DocumentVectorizer(weighting="sif", embedding=fitted.embedding_).fit(texts)):
        again = pickle.loads(pickle.dumps(vectorizer))
        assert again.transform(texts).tobytes() == vectorizer.transform(texts).tobytes()


def test_features_are_named_by_the_class(fitted):
    assert fitted.get_feature_names_out().tolist() == [f"documentvectorizer{i}" for i in range(8)]


def test_output_can_be_a_table_of_pandas(texts):
    pandas = pytest.importorskip("pandas", reason="pandas is not needed by anything else")
    series = pandas.Series(texts, index=range(1000, 1000 + len(texts)))
    vectorizer = DocumentVectorizer(**TOY).set_output(transform="pandas")
    table = vectorizer.fit_transform(series)
    # Only newer versions of scikit-learn keep the index of a Series.
    as_is = FunctionTransformer(lambda s: np.ones((len(s), 1)), feature_names_out=lambda *_: ["one"])
    assert table.index.equals(as_is.set_output(transform="pandas").fit_transform(series).index)
    assert table.columns.tolist() == vectorizer.get_feature_names_out().tolist()
    assert set(table.dtypes) == {np.dtype(np.float32)}
    assert vectorizer.transform(series).equals(table)
    assert table.to_numpy().tobytes() == DocumentVectorizer(**TOY).fit_transform(texts).tobytes()
    for missing in (float("nan"), None, pandas.NA):
        series.iloc[7] = missing
        with pytest.raises(CorpusTypeError, match=r"documents\[7\] is (nan|None|<NA>), of type "):
            vectorizer.fit(series)
    with pytest.raises(CorpusTypeError, match=r"a DataFrame of shape \(120, 1\)"):
        vectorizer.fit(pandas.DataFrame({"text": texts}))


# --- Pipelines and searches


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_a_pipeline_tells_two_topics_apart(texts, topics, weighting):
    pipeline = make_pipeline(DocumentVectorizer(weighting=weighting, **TOY), LogisticRegression(C=100))
    assert cross_val_score(pipeline, texts, topics, cv=3).tolist() == [1.0] * 3


def test_a_grid_search_goes_over_dim_and_weighting(texts, topics):
    pipeline = make_pipeline(DocumentVectorizer(**TOY), LogisticRegression(C=100))
    grid = {"documentvectorizer__dim": np.array([4, 8]), "documentvectorizer__weighting": WEIGHTINGS}
    search = GridSearchCV(pipeline, grid, cv=2).fit(texts, topics)
    assert search.best_score_ == 1.0
    assert search.cv_results_["mean_test_score"].shape == (6,)
    assert search.best_estimator_[0].transform(["cat"]).shape == (1, search.best_params_["documentvectorizer__dim"])
    assert search.predict(["the cat and the dog", "a grey and a pink one"]).tolist() == ["animals", "colours"]


def test_a_search_runs_in_processes_of_its_own(texts, topics, fitted):
    pipeline = make_pipeline(DocumentVectorizer(embedding=fitted.embedding_), LogisticRegression(C=100))
    search = GridSearchCV(pipeline, {"documentvectorizer__weighting": WEIGHTINGS}, cv=2, n_jobs=2)
    assert search.fit([text.split() for text in texts], topics).best_score_ == 1.0


# --- Wrong input


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("the cat", "The documents are one str, 'the cat'. Give a list of documents."),
        (
            ["fine", "fine", float("nan")],
            "A document is a string or a list of words, but documents[2] is nan, of type float. "
            "Leave it out, or make it an empty string, as table['text'].fillna('') does.",
        ),
        (
            np.array(["fine", None], object),
            "A document is a string or a list of words, but documents[1] is None, of type NoneType. "
            "Leave it out, or make it an empty string, as table['text'].fillna('') does.",
        ),
        (
            [b"bytes"],
            "A document is a string or a list of words, but documents[0] is b'bytes', of type bytes. "
            "Use .decode() on it.",
        ),
        (
            [["fine"], ["fine", 3]],
            "Words are strings, but documents[1] has 3, of type int. Use str() on it.",
        ),
        (
            np.array([["fine"], ["fine"]]),
            "The documents are a ndarray of shape (2, 1). Give one column of it, for example table['text'].",
        ),
        ({0: "fine"}, "Documents cannot be of type dict. Give a list of documents."),
        (3, "Documents cannot be of type int. Give a list of documents."),
    ],
)
def test_other_values_than_documents_are_refused_with_their_row(fitted, documents, message):
    for use in (DocumentVectorizer().fit, DocumentVectorizer().fit_transform, fitted.transform):
        with pytest.raises(CorpusTypeError) as refusal:
            use(documents)
        assert str(refusal.value) == message


def test_a_tokenizer_that_returns_no_list_of_words_is_named():
    with pytest.raises(CorpusTypeError) as refusal:
        DocumentVectorizer(tokenize=str.upper).fit(["the cat"])
    assert str(refusal.value) == (
        "A document must be a list of words, but tokenize(documents[0]) is the string 'THE CAT'. Use .split() on it."
    )


@pytest.mark.parametrize("documents", [[], [""], [[], []]])
def test_documents_without_words_cannot_be_trained_on(documents):
    with pytest.raises(InputError, match="has no words"):
        DocumentVectorizer().fit(documents)


def test_a_wrong_weighting_is_refused_before_training(texts, monkeypatch):
    monkeypatch.setattr("pairloom.sklearn.documents.train", lambda *_, **__: pytest.fail("trained first"))
    with pytest.raises(ConfigError):
        DocumentVectorizer(weighting="sif", sif_a=-1).fit(texts)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"threads": 0}, "threads=0 is out of range. Use 1 to 256; "),
        ({"weighting": "max"}, "weighting='max' does not exist. Use one of mean, tfidf, sif."),
        ({"embedding": 3}, "embedding has the type int. Give a pairloom.Embedding or the path of one."),
        ({"dim": 0}, "dim=0 is out of range. Use 1 to 4096; "),
    ],
)
def test_a_wrong_parameter_is_refused_by_fit_and_not_by_the_constructor(texts, parameters, message):
    vectorizer = DocumentVectorizer(**parameters)
    with pytest.raises(ConfigError) as refusal:
        vectorizer.fit(texts)
    assert str(refusal.value).startswith(message)


def test_the_words_of_an_embedding_will_do(texts, fitted):
    alone = DocumentVectorizer(embedding=fitted.embedding_.words, weighting="tfidf").fit(texts)
    assert alone.transform(texts).tobytes() == fitted.transform(texts).tobytes()
    assert alone.embedding_.words is fitted.embedding_.words


# --- Imports


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)


def test_nothing_else_imports_scikit_learn():
    program = """
import importlib, pathlib, sys, pairloom
package = pathlib.Path(pairloom.__file__).parent
for path in package.rglob("*.py"):
    name = ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")
    if not name.startswith(("pairloom.sklearn", "pairloom.__main__")):
        importlib.import_module(name)
print("sklearn" in sys.modules)
"""
    done = run(program)
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_without_scikit_learn_the_import_says_what_to_install():
    done = run("import sys; sys.modules['sklearn'] = None; import pairloom.sklearn")
    assert done.stderr.splitlines()[-1] == (
        "pairloom.errors.MissingExtraError: "
        "pairloom.sklearn needs an extra package. Install it with: pip install 'pairloom[sklearn]'"
    )
    assert "During handling" not in done.stderr


def test_strings_are_split_as_the_text_of_the_given_embedding_was():
    rows = np.eye(2, dtype=np.float32)
    embedding = Embedding.of_words(Vectors(["king", "queen"], rows), {"text": {"tokenize": "words"}})
    assert DocumentVectorizer(embedding=embedding).fit_transform(["King, King!", "(queen)"]).tolist() == rows.tolist()
    by_spaces = DocumentVectorizer(embedding=embedding, tokenize="spaces")
    assert by_spaces.fit(["a"]).transform(["King, king"]).tolist() == [[1, 0]]
    assert not by_spaces.transform(["King, King!"]).any()
    with pytest.raises(ConfigError, match="tokenize='wrods' is not a choice"):
        DocumentVectorizer(embedding=embedding, tokenize="wrods").fit(["a"])
