"""New words get vectors while the model stays as it is."""

import inspect
import json
from dataclasses import fields

import numpy as np
import pytest

import pairloom
from pairloom import Embedding, Vectors
from pairloom.config import TextOptions, TrainConfig
from pairloom.errors import ConfigError, InputError
from pairloom.unseen.fold_in.fold_in import _MODEL, FoldInKeywords, PairKeywords, fold_in


def test_a_sample_of_the_noise_yields_nearly_the_same_vectors(large, zipf_corpus):
    target = large.words.words[-1]
    pairs = [(f"new{i}", c, 1.0 + i) for i in range(5) for c in large.contexts.words[10 + i : 400 : 3]]
    assert target in large and len(large.contexts) > 250
    exact, near = (large.fold_in(pairs=pairs, most_contexts=n).vectors.get_normed_vectors() for n in (None, 200))
    assert ((exact * near).sum(axis=1) > 0.98).all() and not np.array_equal(exact, near)


@pytest.mark.parametrize("windows", ["clean", "positional"])
def test_a_model_with_other_kinds_of_windows_is_refused(two_topics, windows):
    model = pairloom.train(two_topics, dim=8, min_count=1, sample=0, **{windows: True})
    with pytest.raises(InputError, match=f"Words cannot be folded into a model with {windows} windows"):
        model.fold_in([["new", "cat"]] * 9)


def test_a_model_of_pairs_takes_pairs():
    model = pairloom.train_pairs([(w, c) for w in "abc" for c in "xyz"] * 30, dim=8)
    with pytest.raises(InputError, match="This model was trained on pairs"):
        model.fold_in([["new", "x"]] * 9)
    assert list(model.fold_in(pairs=[("new", "x"), ("new", "y", 2)]).vectors) == ["new"]


def test_a_word_folded_in_has_the_neighbours_of_its_topic(without, two_topics):
    folded = without.fold_in(two_topics)
    assert sorted(folded.vectors) == ["duck", "pink"] and folded.left_out == []
    whole = without.with_words(folded)
    animals = {"cat", "dog", "horse", "cow", "sheep", "goat", "hen", "pig", "goose"}
    assert {word for word, _ in whole.most_similar("duck", topn=9)} == animals
    assert folded.vectors.get_vecattr("duck", "count") == sum(sentence.count("duck") for sentence in two_topics)


def test_the_order_of_the_text_and_the_threads_do_not_change_a_byte(large, zipf_corpus, tmp_path):
    options = {"min_count": 20, "most_contexts": 100}
    saved = set()
    for name, text, threads in (("a", zipf_corpus, 1), ("b", zipf_corpus[::-1], 2), ("c", zipf_corpus, 5)):
        folded = large.fold_in(text, threads=threads, **options)
        assert len(folded.vectors) > 100
        rest = {**folded.record, "corpus": None}
        order = np.argsort(folded.vectors.words)
        saved.add((folded.vectors.vectors[order].tobytes(), json.dumps(rest)))
        without_threads = tmp_path / f"{name}.loom"
        large.with_words(folded).save(without_threads)
    assert len(saved) == 1
    assert (tmp_path / "a.loom").read_bytes() == (tmp_path / "c.loom").read_bytes()


def test_the_models_own_settings_are_the_default_and_the_record_says_so(without, two_topics):
    record = without.fold_in(two_topics, words=["duck"]).record
    assert (record["window"], record["sample"], record["negatives"], record["side"]) == (5, 0.0, 5, "words")
    other = without.fold_in(two_topics, words=["duck"], window=1, negatives=2)
    assert (other.record["window"], other.record["negatives"]) == (1, 2)
    assert not np.array_equal(other.vectors.vectors, without.fold_in(two_topics, words=["duck"]).vectors.vectors)


def test_more_ridge_makes_shorter_vectors(without, two_topics):
    norms = [without.fold_in(two_topics, words=["duck"], l2=l2).vectors.norms[0] for l2 in (1, 100, 10_000)]
    assert norms[0] > norms[1] > norms[2] > 0


def test_new_contexts_are_solved_for_with_the_words_fixed(two_topics):
    emb = pairloom.train(two_topics, dim=16, epochs=20, min_count=1, sample=0)
    fewer = Embedding(
        words=emb.words,
        contexts=emb.contexts.vectors_for_all((w for w in emb.contexts if w != "duck"), copy_vecattrs=True),
        record=emb.record,
    )
    folded = fewer.fold_in(two_topics, side="contexts")
    assert folded.vectors.words == ["duck"]
    whole = fewer.with_words(folded)
    assert len(whole.contexts) == 20 and len(whole.words) == 20
    cosine = np.corrcoef(
        [whole.probability(w, "duck") for w in emb.words], [emb.probability(w, "duck") for w in emb.words]
    )
    assert cosine[0, 1] > 0.95


def test_words_without_a_known_context_are_reported_not_made_up(without):
    folded = without.fold_in(pairs=[("new", "cat"), ("lost", "zebra")])
    assert (folded.vectors.words, folded.left_out) == (["new"], ["lost"])
    assert folded.record["left_out"] == 1
    folded = without.fold_in([["cat", "new"], ["lost"]], words=["new", "lost", "absent"])
    assert (folded.vectors.words, folded.left_out) == (["new"], ["absent", "lost"])


def test_the_old_rows_do_not_change_and_the_record_grows(without, two_topics, tmp_path):
    once = without.with_words(without.fold_in(two_topics, words=["duck"]))
    twice = once.with_words(once.fold_in(two_topics, words=["pink"]))
    np.testing.assert_array_equal(twice.words.vectors[: len(without)], without.words.vectors)
    np.testing.assert_array_equal(twice.contexts.vectors, without.contexts.vectors)
    assert twice.words.words[-2:] == ["duck", "pink"]
    assert [entry["words"] for entry in twice.record["folded_in"]] == [1, 1]
    assert "folded_in" not in without.record
    twice.save(tmp_path / "m.loom")
    assert pairloom.load(tmp_path / "m.loom").record == twice.record


def test_words_are_joined_once_and_to_their_own_model(without, two_topics):
    folded = without.fold_in(two_topics, words=["duck"])
    with pytest.raises(InputError, match=r"'duck' is already in the model\."):
        without.with_words(folded).with_words(folded)
    small = Embedding.of_words(Vectors(["a"], [[1.0]]))
    with pytest.raises(InputError, match=r"^These new vectors have dim 16, and the model has dim 1\. "):
        small.with_words(folded)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "New words are learnt either from a corpus or from pairs."),
        ({"corpus": [["a", "cat"]], "pairs": []}, "New words are learnt either from a corpus or from pairs."),
        ({"pairs": [("a", "cat")], "min_count": 2}, "min_count is for a corpus"),
        ({"pairs": []}, "None of the new words occurs with a context that the model knows"),
        ({"pairs": [("a", "zebra")]}, "None of the new words occurs with a context that the model knows"),
        ({"pairs": 7}, "Pairs cannot be of type int."),
        ({"pairs": [("a", "cat"), "ac"]}, r"pairs\[1\] is 'ac', which is not a pair."),
        ({"pairs": [("a",)]}, r"pairs\[0\] is \('a',\)."),
        ({"pairs": [("a", "")]}, r"The context of pairs\[0\] is an empty string."),
        ({"pairs": [("a", "cat"), ("a", "cat", float("nan"))]}, r"pairs\[1\]: a pair cannot have the weight nan."),
        ({"pairs": [("a", "cat", -1)]}, r"pairs\[0\]: a pair cannot have the weight -1."),
        ({"pairs": [("a", "cat", 0)]}, "None of the new words occurs with a context that the model knows"),
        ({"pairs": [("a", "cat", float("inf"))]}, r"pairs\[0\]: a pair cannot have the weight inf."),
        ({"pairs": [("a", "cat", "2")]}, r"The weight of pairs\[0\] is '2', which is not a number."),
        ({"corpus": [["a", "cat"]], "words": ["cat"]}, "'cat' is already in the model."),
        ({"corpus": [["a", "cat"]], "words": []}, "words must be a list of one or more strings, none of them empty."),
        ({"corpus": [["a", "cat"]], "words": "cat"}, "words='cat' is not a list of words."),
        ({"corpus": [["a", "cat"]], "words": [3]}, "words must be a list of one or more strings, none of them empty."),
        ({"corpus": [["cat", "dog"]]}, "are already in the model. Give text that contains new words."),
        (
            {"corpus": [["a", "b"]], "min_count": 2},
            "min_count=2 leaves out all new words of .* Use min_count=1, or",
        ),
        ({"corpus": [["a", "b"]]}, "None of the new words occurs with a context"),
        ({"corpus": []}, "has no words"),
        ({"corpus": [["a", "cat"]], "min_count": 0}, "min_count=0 is out of range."),
        ({"corpus": [["a", "cat"]], "l2": 0}, "l2=0 is out of range"),
        ({"corpus": [["a", "cat"]], "l2": float("nan")}, "l2=nan is out of range"),
        ({"corpus": [["a", "cat"]], "most_contexts": 0}, "most_contexts=0 is out of range."),
        ({"corpus": [["a", "cat"]], "side": "both"}, "side='both' is not a choice."),
        ({"corpus": [["a", "cat"]], "window": 0}, "window=0 is out of range."),
        ({"corpus": [["a", "cat"]], "ws": 3}, "did you mean 'window'"),
        ({"corpus": [["a", "cat"]], "dim": 3}, "There is no option 'dim'"),
    ],
)
def test_bad_input_is_refused_with_its_reason(without, options, message):
    with pytest.raises(InputError, match=message):
        without.fold_in(**options)


def test_a_model_without_contexts_cannot_have_words_folded_in(without):
    with pytest.raises(InputError, match="these vectors hold no contexts"):
        Embedding.of_words(without.words).fold_in([["cat", "new"]], words=["new"])


def test_a_model_without_counts_or_with_nan_is_refused(without):
    def with_contexts(contexts):
        return Embedding(words=without.words, contexts=contexts)

    plain = with_contexts(Vectors(without.contexts.words, without.contexts.vectors))
    with pytest.raises(InputError, match="This model has no word counts"):
        plain.fold_in([["cat", "new"]], words=["new"])
    broken = without.contexts.vectors.copy()
    broken[3, 2] = np.nan
    with pytest.raises(InputError, match="holds NaN or infinity"):
        with_contexts(Vectors(without.contexts.words, broken, without.contexts.counts)).fold_in([["cat", "new"]])


@pytest.mark.parametrize("trained", [{"objective": "hs"}, {"model": "cbow"}])
def test_a_model_of_another_objective_is_refused(without, trained):
    other = Embedding(words=without.words, contexts=without.contexts, record={"config": trained})
    with pytest.raises(InputError, match="This model was trained with"):
        other.fold_in([["cat", "new"]])


def test_config_errors_are_of_the_options(without):
    with pytest.raises(ConfigError):
        without.fold_in([["a", "cat"]], l2=-1)


def test_the_keywords_for_editors_are_the_parameters():
    taken = inspect.signature(fold_in, eval_str=True).parameters
    named = {name: p.annotation for name, p in taken.items() if p.kind is inspect.Parameter.KEYWORD_ONLY}
    trained = {field.name: field.type for field in fields(TrainConfig) if field.name in _MODEL}
    text = {field.name: field.type for field in fields(TextOptions)}
    assert PairKeywords.__annotations__ == trained | text
    assert FoldInKeywords.__annotations__ == named | trained | text
