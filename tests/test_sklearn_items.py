"""The recommender as scikit-learn and its users use it."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.model_selection import GridSearchCV
from sklearn.utils import estimator_checks

import pairloom
from pairloom.errors import ConfigError, CorpusTypeError
from pairloom.sklearn import ItemRecommender
from tests.test_sklearn import CHECKS_WITHOUT_NUMBERS

SESSIONS = [["bread", "butter", "jam"], ["bow", "arrow", "quiver"]] * 50
TOY = {"dim": 8, "epochs": 20}


@pytest.fixture(scope="module")
def fitted():
    return ItemRecommender(**TOY).fit(SESSIONS)


def names(near):
    return [item for item, _ in near]


def test_items_are_ranked_by_the_formula(fitted):
    emb = fitted.embedding_
    query = 0.5 * emb["bread"].astype(float) + emb["butter"]
    x = emb.contexts.vectors @ query + np.log(emb.contexts.counts**0.75 / (emb.contexts.counts**0.75).sum())
    expected = dict(zip(emb.contexts.words, x, strict=True))
    (found,) = ItemRecommender(embedding=emb, exclude_seen=False).fit(None).recommend([["bread", "butter"]], n=6)
    assert dict(found) == pytest.approx(expected, rel=1e-5)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_unknown_items_count_for_nothing(fitted):
    known = fitted.recommend([["bread", "butter"], []])
    assert fitted.recommend([["bread", "?", "butter", "?", "?"], ["?"]]) == known


@pytest.mark.parametrize(
    "ask, problem",
    [
        (lambda r: r.score([["bread"]], [7]), "Words are strings, but y has 7, of type int. Use str() on it."),
        (lambda r: r.recommend([[7, 8]]), "Words are strings, but sessions[0] has 7, of type int. Use str() on it."),
        (
            lambda r: r.fit(np.zeros((3, 2))),
            "The sessions are a ndarray. Give lists of items, for example "
            "table.groupby('session')['item'].agg(list); or pairloom.train(table, session=..., item=...), and its "
            "result as embedding.",
        ),
    ],
)
def test_items_that_are_no_strings_and_tables_are_refused(fitted, ask, problem):
    """score() would otherwise be 0 for the numbers of a table, without a word."""
    with pytest.raises(CorpusTypeError) as refused:
        ask(clone(fitted).fit(SESSIONS))
    assert str(refused.value) == problem


def test_items_of_the_session_are_left_out(fitted):
    (found,) = fitted.recommend([["bread"]], n=6)
    assert names(found)[:2] in (["butter", "jam"], ["jam", "butter"])
    assert "bread" not in names(found) and len(found) == 5
    assert fitted.predict([["bread", "butter"], ["arrow", "bow"]]).tolist() == ["jam", "quiver"]
    every = [item for session in SESSIONS[:2] for item in session]
    assert fitted.predict([every]).tolist() == [None]


def test_a_session_without_known_items_gets_the_most_frequent(fitted):
    frequent = [*SESSIONS, *[["bread", "salt"]] * 30]
    recommender = ItemRecommender(**TOY).fit(frequent)
    assert recommender.predict([["nowhere"], []]).tolist() == ["bread", "bread"]
    assert recommender.n_items_ == 7


def test_the_score_is_the_share_of_hits(fitted):
    assert fitted.score([["bread"], ["bow"]], ["butter", "jam"]) == 1.0  # ten guesses among five others
    narrow = ItemRecommender(n=2, embedding=fitted.embedding_).fit(SESSIONS)
    assert narrow.score([["bread"], ["bow"]], ["butter", "jam"]) == 0.5
    with pytest.raises(CorpusTypeError, match="There are 1 sessions and 2 next items"):
        narrow.score([["bread"]], ["butter", "jam"])


def test_it_can_be_tuned_cloned_and_pickled(fitted):
    sessions, following = [session[:2] for session in SESSIONS[:20]], [session[2] for session in SESSIONS[:20]]
    search = GridSearchCV(ItemRecommender(n=1, **TOY), {"decay": [0.0, 1.0]}, cv=2).fit(sessions, following)
    assert search.best_score_ >= 0
    again = pickle.loads(pickle.dumps(fitted))
    assert again.recommend([["bread"]]) == fitted.recommend([["bread"]])
    assert clone(fitted).get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        clone(fitted).predict([["bread"]])


def test_a_softmax_needs_no_noise():
    emb = pairloom.train(SESSIONS, dim=8, objective="softmax", min_count=1, sample=0)
    (found,) = ItemRecommender(embedding=emb, exclude_seen=False).fit(None).recommend([["bread"]], n=1)
    (word, x) = found[0]
    assert x == pytest.approx(float(emb.contexts[word] @ emb["bread"]), rel=1e-5)


@pytest.mark.parametrize(
    ("parameters", "X", "message"),
    [
        ({"decay": 2}, SESSIONS, "decay=2 is out of range"),
        ({"embedding": 5}, SESSIONS, "embedding has the type int"),
        ({}, ["bread butter"], "A document must be a list of words, but sessions"),
        ({}, "bread", "one str"),
    ],
)
def test_what_cannot_be_is_refused(parameters, X, message):
    with pytest.raises(ValueError, match=message):
        ItemRecommender(**parameters).fit(X)


def test_vectors_without_contexts_are_refused(fitted):
    with pytest.raises(ConfigError, match="needs vectors of contexts"):
        ItemRecommender(embedding=fitted.embedding_.words).fit(SESSIONS)
    with pytest.raises(ConfigError, match="n=0 is out of range"):
        fitted.recommend([["bread"]], n=0)


def test_it_passes_the_checks_of_scikit_learn_that_apply():
    with pytest.warns(SkipTestWarning):
        results = estimator_checks.check_estimator(ItemRecommender(), on_skip="warn", on_fail=None)
    assert [result["check_name"] for result in results if result["status"] == "failed"] == []


@pytest.mark.parametrize("check", CHECKS_WITHOUT_NUMBERS)
def test_it_passes_the_checks_that_need_no_numbers(check):
    getattr(estimator_checks, check)("ItemRecommender", ItemRecommender())


def test_a_trained_model_needs_no_sessions_to_fit(tmp_path):
    path = tmp_path / "clicks.loom"
    pairloom.train([["bread", "butter", "jam"]] * 50, dim=4, epochs=20, sample=0, min_count=1, output=path)
    assert ItemRecommender(embedding=path, n=1).fit().predict([["bread", "jam"]]).tolist() == ["butter"]
    with pytest.raises(CorpusTypeError, match="Give fit a list of sessions, or set embedding"):
        ItemRecommender().fit()
