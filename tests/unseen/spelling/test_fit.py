"""Words never seen get vectors from their spelling, and words seen keep their own."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pairloom
from pairloom.errors import ConfigError, InputError, UnknownWordError
from pairloom.unseen.spelling import ridge
from pairloom.vectors.documents import DocumentModel
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.subwords import SubwordVectors, hash_of
from pairloom.vectors.vectors import Vectors


def test_words_of_the_model_keep_their_vectors_to_the_bit(plain, spelled):
    assert spelled.words.words == plain.words.words
    assert spelled.words.vectors.tobytes() == plain.words.vectors.tobytes()
    assert spelled.contexts is plain.contexts
    assert not isinstance(plain.words, SubwordVectors)


def test_an_unseen_word_is_near_the_words_that_share_its_parts(spelled):
    for word, stem in (("teaching", "teach"), ("painter", "paint")):
        assert word not in spelled and spelled.words.has_vector(word)
        assert {near for near, _ in spelled.most_similar(word, topn=3)} & {stem, stem + "s", stem + "rs", stem + "ers"}


def test_the_vector_is_the_mean_of_the_rows_of_its_ngrams(spelled):
    subwords = spelled.words.subwords
    text = "<painter>"
    ngrams = [text[i : i + n] for i in range(len(text)) for n in range(3, 7) if i + n <= len(text)]
    rows = {bucket: subwords.rows[i] for i, bucket in enumerate(subwords.used.tolist())}
    found = [rows.get(hash_of(ngram.encode()) % subwords.bucket, subwords.rows[-1]) for ngram in ngrams]
    np.testing.assert_allclose(spelled["painter"], np.mean(found, axis=0), rtol=1e-5, atol=1e-6)


def test_a_word_that_shares_no_ngram_gets_the_mean_of_all(plain, spelled):
    units = plain.words.vectors / plain.words.norms[:, None]
    mean = np.average(units, axis=0, weights=np.sqrt(plain.words.counts)) * plain.words.norms.mean()
    np.testing.assert_allclose(spelled["qqqq"], mean, rtol=1e-4, atol=1e-6)


def test_the_rows_are_the_optimum_of_the_definition(monkeypatch):
    monkeypatch.setattr(ridge, "TOLERANCE", 1e-6)
    words, l2 = ["aab", "aba", "bab", "abc"], 0.05
    vectors = np.random.default_rng(3).normal(size=(4, 3)).astype(np.float32)
    counts = np.array([16, 9, 4, 1])
    spelled = Embedding.of_words(Vectors(words, vectors, counts)).with_spelling(minn=2, maxn=2, l2=l2, threads=1)
    subwords = spelled.words.subwords
    A = np.zeros((4, len(subwords.used)))
    for w, word in enumerate(words):
        text = f"<{word}>"
        for i in range(len(text) - 1):
            bucket = hash_of(text[i : i + 2].encode()) % subwords.bucket
            A[w, np.searchsorted(subwords.used, bucket)] += 1 / (len(text) - 1)
    norms = np.linalg.norm(vectors, axis=1)
    weights = np.sqrt(counts) / np.sqrt(counts).mean()
    units = vectors / norms[:, None]
    mean = np.average(units, axis=0, weights=weights)
    normal = A.T @ (weights[:, None] * A) + l2 * np.eye(A.shape[1])
    U = np.linalg.solve(normal, A.T @ (weights[:, None] * (units - mean)))
    np.testing.assert_allclose(subwords.rows[:-1], (U + mean) * norms.mean(), atol=1e-4)


def test_the_same_bytes_from_any_number_of_threads(plain, spelled, tmp_path):
    plain.with_spelling(threads=3).save(tmp_path / "three.loom")
    spelled.save(tmp_path / "one.loom")
    assert (tmp_path / "three.loom").read_bytes() == (tmp_path / "one.loom").read_bytes()


def test_the_record_says_what_was_chosen_and_what_it_explains(spelled):
    made = spelled.record["spelling"]
    assert spelled.record["seed"] == 1
    assert (made["minn"], made["maxn"], made["buckets"]) == (3, 6, 2_000_000)
    assert made["ngrams"] == len(spelled.words.subwords.used)
    assert 0 < made["heldout"]["words"] < len(spelled) / 4
    assert 0.3 < made["heldout"]["explained"] < 1


def test_random_vectors_are_not_explained_and_ask_for_the_largest_penalty():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdefgh"), 7)) for _ in range(400)]
    emb = Embedding.of_words(Vectors(sorted(set(words)), rng.normal(size=(len(set(words)), 8)).astype(np.float32)))
    made = emb.with_spelling(threads=1).record["spelling"]
    assert made["l2"] == 0.32 and made["heldout"]["explained"] < 0.1


def test_a_given_l2_is_used(plain):
    made = plain.with_spelling(l2=0.5, threads=1).record["spelling"]
    assert made["l2"] == 0.5 and made["heldout"]["explained"] is not None


def test_few_words_leave_none_out():
    emb = Embedding.of_words(Vectors(["cat", "cats"], [[1, 0], [1, 0.5]]))
    made = emb.with_spelling(threads=1).record["spelling"]
    assert made["l2"] == 0.02 and made["heldout"]["explained"] is None


def test_zero_vectors_and_words_without_ngrams_do_not_count():
    words = ["cat", "cats", "nothing", "</s>"]
    emb = Embedding.of_words(Vectors(words, [[1, 0], [1, 0.5], [0, 0], [5, 5]])).with_spelling(threads=1)
    without = Embedding.of_words(Vectors(words[:2], [[1, 0], [1, 0.5]])).with_spelling(threads=1)
    units = emb["catz"] / np.linalg.norm(emb["catz"]), without["catz"] / np.linalg.norm(without["catz"])
    np.testing.assert_allclose(*units, atol=1e-6)
    assert not emb["nothing"].any()


@pytest.mark.parametrize(
    ("words", "message"),
    [([], "No word of these vectors has n-grams of 4 to 6"), (["a", "b"], "No word of these vectors has n-grams")],
)
def test_without_ngrams_there_is_nothing_to_learn_from(words, message):
    emb = Embedding.of_words(Vectors(words, np.ones((len(words), 2), np.float32)))
    with pytest.raises(InputError, match=message):
        emb.with_spelling(minn=4)


@pytest.mark.parametrize(
    "options", [{"minn": 0}, {"minn": 7}, {"maxn": 51}, {"buckets": 0}, {"l2": 0}, {"l2": float("nan")}]
)
def test_options_out_of_range_are_refused(plain, options):
    with pytest.raises(ConfigError, match=next(iter(options))):
        plain.with_spelling(**options)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40) | st.sampled_from(["", "x", "😀", "猫", "</s>", "\0", "ü" * 10_000, "a\nb", "\ud800"]))
def test_any_string_has_a_finite_vector_or_is_unknown(spelled, word):
    if spelled.words.has_vector(word):
        vector = spelled.words.vector(word)
        assert vector.shape == (24,) and np.isfinite(vector).all()
    else:
        with pytest.raises(UnknownWordError, match="no n-grams of 3 to 6 letters"):
            spelled.words.vector(word)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12), min_size=1, unique=True))
def test_any_words_can_be_fitted(words):
    rows = np.random.default_rng(0).normal(size=(len(words), 3)).astype(np.float32)
    emb = Embedding.of_words(Vectors([*words, "word" * 2500], np.vstack([rows, [[1, 2, 3]]])))
    spelled = emb.with_spelling(threads=1)
    assert np.isfinite(spelled.words.subwords.rows).all()
    assert spelled.words.vectors.tobytes() == emb.words.vectors.tobytes()


def test_documents_and_lists_use_unseen_words(plain, spelled):
    documents = [["teaching"], ["sing", "teaching", "teaching"], ["</s>"]]
    one, several, none = pairloom.document_vectors(spelled, documents)
    np.testing.assert_allclose(one, spelled["teaching"], rtol=1e-6)
    np.testing.assert_allclose(several, (spelled["sing"] + 2 * spelled["teaching"]) / 3, rtol=1e-5)
    assert not none.any()
    assert not pairloom.document_vectors(plain, documents)[0].any()
    assert spelled.words.vectors_for_all(["teaching", "sing"]).words == ["teaching", "sing"]


@pytest.mark.parametrize("weighting", ["tfidf", "sif"])
def test_unseen_words_of_documents_weigh_as_the_rarest(spelled, weighting):
    model = DocumentModel.learn(spelled, [["sing"], ["sing", "talk"]], weighting)
    assert model.weight_of_made >= model.weights.max()
    assert np.isfinite(model.transform([["teaching", "sing"]])).all()


def test_copies_keep_the_spelling(spelled):
    for other in (copy.deepcopy(spelled), pickle.loads(pickle.dumps(spelled))):
        assert other["painter"].tobytes() == spelled["painter"].tobytes()
        assert not other.words.subwords.rows.flags.writeable


def test_progress_reaches_its_end(plain):
    reports = []
    plain.with_spelling(threads=1, on_progress=reports.append)
    assert [reports[0].stage, reports[-1].stage] == ["compile", "spell"]
    assert reports[-1].done == reports[-1].total


def test_new_words_folded_in_keep_the_spelling(spelled):
    folded = spelled.fold_in(pairs=[("zebra", spelled.contexts.words[0], 5)], threads=1)
    joined = spelled.with_words(folded)
    assert "zebra" in joined and joined["painter"].tobytes() == spelled["painter"].tobytes()
