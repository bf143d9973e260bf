"""What scripts rely on in gensim's Word2Vec: vocabularies, several trainings, files, predictions, and odd arguments."""

import math
import pickle

import numpy as np
import pytest

import pairloom
from pairloom.errors import CorpusTypeError, IgnoredOptionWarning, InputError
from pairloom.gensim_compat import KeyedVectors, LineSentence, PathLineSentences, Text8Corpus, Word2Vec, utils
from tests.gensim_compat.conftest import TITLES

SMALL = {"vector_size": 8, "min_count": 1, "sample": 0}
TEXT = [[*"abcd"], [*"efgh"]] * 100


# --- The same as pairloom


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ({"sg": 1}, {}),
        ({"sg": 1, "hs": 1, "negative": 0}, {"objective": "hs"}),
        ({"sg": 0}, {"model": "cbow", "cbow_gradient": "undivided"}),
        ({"sg": 1, "shrink_windows": False, "ns_exponent": 0.5}, {"window_shape": "fixed", "noise_power": 0.5}),
    ],
)
def test_it_learns_what_pairloom_learns_with_the_same_options(theirs, ours):
    model = Word2Vec(TEXT, epochs=2, seed=5, **SMALL, **theirs)
    options = {"dim": 8, "min_count": 1, "sample": 0, "epochs": 2, "seed": 5, "lr": 0.025, "min_lr": 1e-4}
    emb = pairloom.train(TEXT, **options, **ours)
    assert model.wv.vectors.tobytes() == emb.words.vectors.tobytes()
    assert model.syn1neg.tobytes() == emb.contexts.vectors.tobytes()


def test_cbow_is_the_default_as_in_gensim():
    assert Word2Vec(TEXT, **SMALL).embedding.record["config"]["model"] == "cbow"


def test_looking_at_the_random_vectors_does_not_change_what_is_learnt():
    model = Word2Vec(sg=1, **SMALL)
    model.build_vocab(TEXT)
    assert len(model.wv) == 8
    assert model.syn1neg.shape == (8, 8)
    assert model.train(TEXT, total_examples=model.corpus_count, epochs=model.epochs) == (4000, 4000)
    assert model.wv.vectors.tobytes() == Word2Vec(TEXT, sg=1, **SMALL).wv.vectors.tobytes()


def test_vectors_that_were_set_before_training_are_started_from():
    model = Word2Vec(sg=1, **SMALL)
    model.build_vocab(TEXT)
    model.wv["a"] = np.full(8, 3.0)
    model.train(TEXT, epochs=1, start_alpha=1e-6, end_alpha=1e-6)
    assert model.wv["a"] == pytest.approx(np.full(8, 3.0), abs=0.01)
    assert model.embedding.record["start"]["words"] == 1


# --- Vocabularies


def test_words_are_counted_and_sorted_by_frequency():
    model = Word2Vec(**SMALL)
    model.build_vocab(TITLES)
    assert (model.corpus_count, model.corpus_total_words, len(model.wv)) == (9, 29, 12)
    assert model.wv.index_to_key[0] == "system"
    assert model.wv.get_vecattr("system", "count") == 4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"min_count": 4}, None),
        ({"min_count": 3}, {"system", "user", "trees", "graph"}),
        ({"min_count": 0, "max_final_vocab": 5}, {"system", "user", "trees", "graph"}),  # eight have the next count, 2
        ({"min_count": 3, "max_final_vocab": 50}, {"system", "user", "trees", "graph"}),
    ],
)
def test_rare_words_are_left_out(options, words):
    model = Word2Vec(**{**SMALL, **options})
    if words is None:  # only one is left
        with pytest.raises(
            RuntimeError, match=r"1 word left after min_count=4, and at least 2 are needed\. Use min_count=1"
        ):
            model.build_vocab(TITLES)
    else:
        model.build_vocab(TITLES)
        assert {*model.wv.key_to_index} == words


def test_a_trim_rule_decides_before_min_count():
    def rule(word, count, min_count):
        return {"human": utils.RULE_DISCARD, "minors": utils.RULE_KEEP}.get(word, utils.RULE_DEFAULT)

    model = Word2Vec(trim_rule=rule, **{**SMALL, "min_count": 3})
    model.build_vocab(TITLES)
    assert {*model.wv.key_to_index} == {"system", "user", "trees", "graph", "minors"}


def test_counts_may_come_from_elsewhere():
    model = Word2Vec(**SMALL)
    model.build_vocab_from_freq({"a": 5, "b": 9, "c": 1}, corpus_count=20, keep_raw_vocab=True)
    assert (model.wv.index_to_key, model.corpus_count, model.raw_vocab["c"]) == (["b", "a", "c"], 20, 1)


def test_an_update_adds_counts_and_keeps_vectors():
    model = Word2Vec(TEXT, **SMALL)
    before = model.wv["a"].copy()
    model.build_vocab([["a", "z", "a"]] * 5, update=True)
    assert (model.wv.get_vecattr("a", "count"), model.wv.get_vecattr("z", "count")) == (110, 5)
    assert model.wv["a"].tobytes() == before.tobytes()
    with pytest.raises(InputError, match="there is none yet"):
        Word2Vec(**SMALL).build_vocab(TEXT, update=True)


def test_a_vocabulary_can_be_taken_from_another_model_and_weights_forgotten():
    model, other = Word2Vec(TEXT, **SMALL), Word2Vec(**SMALL)
    other.reset_from(model)
    other.train(TEXT, epochs=5)
    assert other.wv.vectors.tobytes() == model.wv.vectors.tobytes()
    model.init_weights()
    assert len(model.wv) == 8
    assert model.wv.vectors.tobytes() != other.wv.vectors.tobytes()


# --- Sentences


def test_files_and_lists_are_the_same_text(tmp_path):
    (tmp_path / "one.txt").write_text("".join(" ".join(line) + "\n" for line in TEXT))
    expected = Word2Vec(TEXT, **SMALL)
    by_file = Word2Vec(corpus_file=tmp_path / "one.txt", **SMALL)
    by_lines = Word2Vec(LineSentence(tmp_path / "one.txt"), **SMALL)
    by_folder = Word2Vec(PathLineSentences(tmp_path), **SMALL)
    for model in (by_file, by_lines, by_folder):
        assert model.wv.vectors.tobytes() == expected.wv.vectors.tobytes()
        assert (model.corpus_count, model.corpus_total_words) == (200, 800)
    with (tmp_path / "one.txt").open("rb") as file:
        assert list(LineSentence(file)) == TEXT
    assert list(LineSentence(tmp_path / "one.txt", max_sentence_length=3, limit=1)) == [["a", "b", "c"], ["d"]]
    assert list(Text8Corpus(tmp_path / "one.txt")) == TEXT
    assert list(PathLineSentences(tmp_path, limit=2)) == TEXT[:2]
    with pytest.raises(InputError, match="does not exist"):
        PathLineSentences(tmp_path / "nowhere")


def test_a_generator_is_enough_for_one_reading_only():
    model = Word2Vec(**SMALL)
    model.build_vocab(sentence for sentence in TEXT)
    model.train((sentence for sentence in TEXT), epochs=1)
    with pytest.raises(TypeError, match="A generator can be read only once"):
        model.train((sentence for sentence in TEXT), epochs=2)
    with pytest.raises(TypeError, match="A generator can be read only once"):
        Word2Vec((sentence for sentence in TEXT), **SMALL)


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (["one two"], "A sentence must be a list of words"),
        ("corpus.txt", "The sentences are a str. Give lists of words, or a path as corpus_file."),
        (5, "The sentences cannot be an int"),
    ],
)
def test_what_is_not_sentences_is_refused(sentences, message):
    with pytest.raises(TypeError, match=message):
        Word2Vec(sentences, **SMALL)


def test_empty_words_and_other_sequences_are_taken():
    model = Word2Vec([("a", "b", ""), np.array(["c", "d"])] * 50, **SMALL)
    assert sorted(model.wv.index_to_key) == ["a", "b", "c", "d"]


def test_a_toy_text_is_trained_without_subsampling():
    with pytest.warns(IgnoredOptionWarning, match=r"sample=0\.001 leaves no pairs of a text this small"):
        model = Word2Vec(TITLES[:3], vector_size=8, min_count=1)
    assert model.embedding.record["config"]["sample"] == 0
    assert math.isnan(model.get_latest_training_loss()) or model.get_latest_training_loss() > 0


# --- Arguments


@pytest.mark.parametrize(
    ("argument", "reason"),
    [
        ({"hashfxn": len}, "hashfxn=len has no effect: vectors start from the seed"),
        ({"null_word": 1}, "null_word=1 has no effect"),
        ({"sorted_vocab": 0}, "sorted_vocab=0 has no effect: words are always sorted by frequency"),
        ({"batch_words": 50}, "batch_words=50 has no effect"),
        ({"max_vocab_size": 50}, "use max_final_vocab"),
        ({"cbow_mean": 0}, "averaged, not added up"),
        ({"hs": 1}, "negative=5 has no effect beside hs=1"),
    ],
)
def test_what_has_no_effect_is_said_once(argument, reason, recwarn):
    Word2Vec(**argument)
    Word2Vec(**argument)
    (warning,) = recwarn
    assert reason in str(warning.message)
    assert warning.category is IgnoredOptionWarning


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 100}, "Word2Vec has no argument 'size'. Did you mean 'vector_size'?"),
        ({"iter": 5}, "Did you mean 'epochs'?"),
        ({"dimension": 5}, "Word2Vec has no argument 'dimension'. Leave it out."),
        ({"hs": 0, "negative": 0}, "leave nothing to train with"),
        ({"min_count": -1}, "min_count=-1 is out of range"),
    ],
)
def test_arguments_that_cannot_be_are_refused(arguments, message):
    with pytest.raises(ValueError) as caught:
        Word2Vec(**arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize(("sample", "share"), [(0, 0.0), (None, 0.0), (1e-3, 1e-3), (8, 20 / 800)])
def test_a_sample_of_one_or_more_is_a_count(sample, share):
    model = Word2Vec(**{**SMALL, "sample": sample})
    model.build_vocab(TEXT)
    model.train(TEXT, epochs=1)
    assert model.embedding.record["config"]["sample"] == pytest.approx(share)


def test_old_names_say_where_their_successors_are():
    model = Word2Vec(TEXT, **SMALL)
    for old, new in {"most_similar": "model.wv.most_similar", "doesnt_match": "model.wv.doesnt_match"}.items():
        with pytest.raises(AttributeError, match=new):
            getattr(model, old)
    with pytest.raises(AttributeError, match="Word2Vec has no 'docvecs'"):
        _ = model.docvecs
    with pytest.raises(RuntimeError, match="Call build_vocab first"):
        Word2Vec(**SMALL).train(TEXT)


def test_part_of_a_text_cannot_be_counted_as_done():
    model = Word2Vec(TEXT, **SMALL)
    with pytest.warns(IgnoredOptionWarning, match="word_count=5 has no effect"):
        model.train(TEXT, word_count=5)


# --- Predictions


def test_words_are_predicted_by_the_softmax_over_contexts():
    model = Word2Vec(TEXT, **SMALL)
    found = model.predict_output_word(["a", "b", "nowhere"], topn=8)
    h = (model.wv["a"].astype(float) + model.wv["b"]) / 2
    shares = np.exp(model.syn1neg.astype(float) @ h)
    expected = dict(zip(model.wv.index_to_key, shares / shares.sum(), strict=True))
    assert dict(found) == pytest.approx(expected)
    assert sum(p for _, p in found) == pytest.approx(1)
    assert model.predict_output_word([model.wv.get_index("a"), "b"], topn=8) == found
    assert model.predict_output_word(["nowhere"]) is None
    with pytest.raises(RuntimeError, match="needs a model of hierarchical softmax"):
        model.score(TEXT)


@pytest.mark.parametrize("sg", [0, 1])
def test_sentences_are_scored_by_the_tree(sg):
    model = Word2Vec(TEXT, sg=sg, hs=1, negative=0, window=1, **SMALL)
    emb = model.embedding
    seen, unseen = model.score([["a", "b"], ["a", "h"]])
    assert seen > unseen
    assert seen == pytest.approx(math.log(emb.probability("a", "b")) + math.log(emb.probability("b", "a")), rel=1e-5)
    assert model.score([[], ["a"], ["nowhere", "a"]]).tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="negative sampling"):
        model.predict_output_word(["a"])
    model.wv.add_vector("new", np.ones(8))
    with pytest.raises(InputError, match="words were added"):
        model.score(TEXT)


# --- Files


def test_models_before_training_and_of_pairloom_are_loaded(tmp_path):
    model = Word2Vec(sg=1, comment="mine", **SMALL)
    model.build_vocab(TEXT)
    model.save(tmp_path / "untrained")
    loaded = Word2Vec.load(tmp_path / "untrained")
    loaded.train(TEXT)
    assert loaded.comment == "mine"
    assert loaded.wv.vectors.tobytes() == Word2Vec(TEXT, sg=1, **SMALL).wv.vectors.tobytes()
    pairloom.train(TEXT, dim=8, min_count=1, sample=0, objective="hs").save(tmp_path / "ours.loom")
    ours = Word2Vec.load(tmp_path / "ours.loom")
    assert (ours.sg, ours.hs, ours.negative, ours.vector_size, ours.epochs) == (1, 1, 0, 8, 5)
    ours.train(TEXT, epochs=1)
    assert ours.embedding.record["start"]["epochs"] == 5
    with pytest.raises(InputError, match="nothing to save"):
        Word2Vec(**SMALL).save(tmp_path / "none")


@pytest.mark.parametrize("kind", [Word2Vec, KeyedVectors])
def test_a_pickle_is_refused_with_the_way_to_convert_it(kind, tmp_path):
    (tmp_path / "old.model").write_bytes(pickle.dumps({"wv": 1}))
    with pytest.raises(
        InputError, match=r"a pickle, which can run any code.*save_word2vec_format\('.*old\.model\.bin'"
    ):
        kind.load(tmp_path / "old.model")
    with pytest.raises(InputError, match=r"No such file|does not exist|not found"):
        kind.load(tmp_path / "missing")


def test_other_vectors_can_take_the_place_of_the_trained_ones(kv):
    model = Word2Vec(**SMALL)
    assert len(model.wv) == 0
    model.wv = kv
    assert model.wv is kv
    with pytest.raises(RuntimeError, match="negative sampling"):
        model.predict_output_word(["cat"])
    assert repr(model) == "Word2Vec<vocab=0, vector_size=2, alpha=0.025>"


def test_training_keeps_its_epochs_and_rates_as_in_gensim():
    model = Word2Vec(min_count=1, vector_size=4, sg=1, sample=0, workers=1)
    model.build_vocab(TEXT)
    model.train(TEXT, epochs=2, start_alpha=0.02, end_alpha=0.01)
    assert (model.epochs, model.alpha, model.min_alpha) == (2, 0.02, 0.01)


# --- What scripts catch


def test_a_missing_file_is_a_file_not_found_error(tmp_path):
    """`try: load, except FileNotFoundError: train` is common."""
    for ask in (
        lambda: Word2Vec.load("none.model"),
        lambda: KeyedVectors.load_word2vec_format("none.bin", binary=True),
        lambda: Word2Vec(corpus_file="none.txt"),
        lambda: Word2Vec(LineSentence("none.txt")),
        lambda: PathLineSentences("none"),
        lambda: Word2Vec(TEXT, **SMALL).wv.evaluate_word_pairs("none.tsv"),
    ):
        with pytest.raises(FileNotFoundError, match=r"^none\.?\w* (cannot be read|does not exist)") as missing:
            ask()
        assert isinstance(missing.value, InputError)


class Once:
    """Its second iteration goes on where the first has ended, which `iter(x) is x` does not show."""

    def __init__(self, sentences):
        self.iterator = iter(sentences)

    def __iter__(self):
        return (sentence for sentence in self.iterator)


@pytest.mark.parametrize("sentences", [[], Once(TEXT)])
def test_sentences_that_are_none_or_none_again_are_refused(sentences):
    with pytest.raises(CorpusTypeError, match=r"^There are no sentences, or none when they are read again\."):
        Word2Vec(sentences, **SMALL)


def test_what_the_bridge_lacks_says_where_to_find_the_like():
    with pytest.raises(ImportError, match=r"has no FastText: pairloom.load reads fastText's \.bin"):
        from pairloom.gensim_compat.models import FastText  # noqa: F401
    with pytest.raises(ImportError, match="cannot import name"):
        from pairloom.gensim_compat.models import NoSuchName  # noqa: F401


def test_vectors_can_be_assigned_and_brought_to_length_1():
    model = Word2Vec(TEXT, sg=1, **SMALL)
    model.wv.vectors -= model.wv.vectors.mean(axis=0)
    assert abs(model.wv.vectors.mean(axis=0)).max() < 1e-6
    model.init_sims(replace=True)
    assert np.linalg.norm(model.wv["a"]) == pytest.approx(1, abs=1e-6)
    with pytest.raises(InputError, match=r"^The vectors have the shape \(3, 8\)\. Give 8 rows of 8 numbers\.$"):
        model.wv.vectors = np.zeros((3, 8))
