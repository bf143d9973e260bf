"""Ask for what one needs: candidates, unknown words that do not matter, tables, and names that gensim's users type."""

import sys

import numpy as np
import pytest

import pairloom
from pairloom.errors import ConfigError, InputError, MissingExtraError, UnknownWordError
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors


@pytest.fixture(scope="module")
def v():
    return Vectors(["cat", "dog", "car", "bus"], [[2, 1], [1, 1], [-1, 2], [-2, 3]], [9, 7, 5, 3])


# --- Candidates


def test_candidates_are_ranked_as_they_would_be_among_all(v):
    everything = v.most_similar("cat")
    assert v.most_similar("cat", candidates=["bus", "dog"]) == [
        near for near in everything if near[0] in ("bus", "dog")
    ]
    assert v.most_similar("cat", candidates=v.words) == everything  # without the word of the query
    assert v.most_similar("cat", candidates=["dog", "dog", "cat"], topn=5) == everything[:1]
    assert v.most_similar("cat", candidates=iter(["bus", "dog"]), topn=1) == everything[:1]
    assert v.most_similar("cat", candidates=[]) == []
    assert Embedding.of_words(v).most_similar("cat", candidates=["bus"]) == v.most_similar("cat", candidates=["bus"])


def test_unknown_candidates_are_named_or_ignored(v):
    with pytest.raises(UnknownWordError, match=r"'dgo' is not among the 4 words.*Did you mean 'dog'"):
        v.most_similar("cat", candidates=["dgo"])
    assert v.most_similar("cat", candidates=["dgo", "dog"], ignore_missing=True) == v.most_similar("cat", topn=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"candidates": "dog"}, "candidates='dog' is not a list of words"),
        ({"candidates": 5}, "candidates=5 is not a list of words"),
        ({"candidates": ["dog"], "restrict_vocab": 2}, "candidates are searched alone"),
        ({"candidates": ["dog"], "indexer": object()}, "candidates are searched alone"),
    ],
)
def test_candidates_are_a_list_and_stand_alone(v, options, message):
    with pytest.raises(ConfigError, match=message):
        v.most_similar("cat", **options)


# --- Unknown words


def test_unknown_words_can_be_ignored(v):
    assert v.most_similar(["cat", "no"], ["bus", "nor"], ignore_missing=True) == v.most_similar(["cat"], ["bus"])
    weighted = v.most_similar(["cat", "no", "dog"], weights=[2, 5, 1], ignore_missing=True)
    assert weighted == v.most_similar(["cat", "dog"], weights=[2, 1])
    assert v.n_similarity(["cat", "no"], ["dog"], ignore_missing=True) == v.n_similarity(["cat"], ["dog"])
    assert v.doesnt_match(["cat", "dog", "no", "bus"], ignore_missing=True) == "bus"
    for ask in (v.most_similar, v.doesnt_match):
        with pytest.raises(InputError, match="None of these words has a vector"):
            ask(["no", "nor"], ignore_missing=True)
        with pytest.raises(UnknownWordError):
            ask(["cat", "no"])


def test_a_dict_can_be_made_of_vectors(v):
    assert v.keys() == v.words
    assert dict(v)["dog"].tolist() == [1, 1]
    assert v.get("dog").tolist() == [1, 1]
    assert (v.get("no"), v.get("no", 5)) == (None, 5)
    emb = Embedding.of_words(v)
    assert emb.wv is emb.words
    assert (emb.keys(), emb.get("no"), emb.get("dog").tolist()) == (v.words, None, [1, 1])


# --- Tables


def test_vectors_neighbours_and_scores_become_data_frames(v, tmp_path):
    frame = v.to_pandas()
    assert frame.loc["dog"].tolist() == [1, 1]
    assert (frame.index.name, frame.shape) == ("word", (4, 2))
    near = v.most_similar("cat")
    assert near.to_pandas().to_dict("list") == {"word": [w for w, _ in near], "score": [x for _, x in near]}
    questions = {
        "a.txt": ": s\ncat dog car bus\n",
        "s.tsv": "cat\tdog\t9\ncat\tbus\t1\n",
        "c.tsv": "cat\tpet\ndog\tpet\n",
    }
    frames = {}
    for name, text in questions.items():
        (tmp_path / name).write_text(text)
        frames[name] = pairloom.evaluate(v, tmp_path / name).to_pandas()
    assert frames["a.txt"]["name"].tolist() == ["s", "total"]
    assert frames["s.tsv"]["pairs"].tolist() == [2]
    assert frames["c.tsv"]["purity"].tolist() == [1.0]


def test_a_table_names_its_extra(v, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"Install it with: pip install 'pairloom\[pandas\]'"):
        v.to_pandas()


# --- Names of other programs


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ({"sg": 1}, "sg=1 is model='skipgram', the default, and sg=0 is model='cbow'."),
        ({"hs": 1}, "hs=1 is objective='hs'"),
        ({"callbacks": []}, "on_epoch= takes a function"),
        ({"minn": 3}, "pairloom learns whole words"),
        ({"wordNgrams": 2}, "pairloom learns whole words"),
        ({"minCount": 3}, "did you mean 'min_count'?"),
        ({"ws": 5}, "did you mean 'window'?"),
        ({"neg": 5}, "did you mean 'negatives'?"),
        ({"t": 1e-4}, "did you mean 'sample'?"),
        ({"loss": "ns"}, "loss='ns' is objective='negative'"),
        ({"size": 5}, "did you mean 'dim'?"),
        ({"iter": 5}, "did you mean 'epochs'?"),
        ({"alpha": 0.1}, "did you mean 'lr'?"),
        ({"min_alpha": 0.1}, "did you mean 'min_lr'?"),
        ({"workers": 2}, "did you mean 'threads'?"),
        ({"compute_loss": True}, "the held-out loss is always measured"),
        ({"trim_rule": None}, "keep= and drop= are lists of words"),
        ({"binary": 1}, ".bin is word2vec's binary"),
        ({"hashfxn": hash}, "it would change nothing here. Leave it out."),
    ],
)
def test_options_of_other_programs_get_a_hint(given, advice):
    with pytest.raises(ConfigError) as caught:
        pairloom.train([["a", "b"]], **given)
    assert str(caught.value).startswith(f"There is no option {next(iter(given))!r}; ")
    assert advice in str(caught.value)


@pytest.mark.parametrize("name", ["sentences", "corpus_file", "input"])
def test_another_name_for_the_corpus_gets_the_hint_too(name):
    with pytest.raises(ConfigError, match=f"There is no option '{name}'; did you mean 'corpus'"):
        pairloom.train(**{name: [["a", "b"]]})


def test_without_a_corpus_the_error_says_what_one_is():
    for train in (pairloom.train, pairloom.train_pairs):
        with pytest.raises(InputError):
            train()


# --- Epochs


def test_every_epoch_is_shown_with_its_loss_and_vectors(two_topics):
    seen = []
    options = {"dim": 8, "epochs": 3, "min_count": 1, "sample": 0}
    emb = pairloom.train(two_topics, on_epoch=lambda epoch: seen.append((epoch, epoch.embedding())), **options)
    alone = pairloom.train(two_topics, **options)
    assert emb.record == alone.record
    assert emb.words.vectors.tobytes() == alone.words.vectors.tobytes() == seen[-1][1].words.vectors.tobytes()
    assert [(epoch.number, epoch.epochs) for epoch, _ in seen] == [(1, 3), (2, 3), (3, 3)]
    assert [epoch.heldout for epoch, _ in seen] == emb.record["heldout"]["loss"][1:]
    assert [then.record["config"]["epochs"] for _, then in seen] == [1, 2, 3]
    assert not np.shares_memory(seen[0][1].words.vectors, seen[1][1].words.vectors)
    assert seen[0][1].record["heldout"]["loss"] == emb.record["heldout"]["loss"][:2]


def test_the_vectors_of_an_epoch_are_the_latest_not_the_best(two_topics):
    seen = []
    options = {"dim": 8, "epochs": 3, "min_count": 1, "sample": 0, "patience": 3}
    pairloom.train(two_topics, on_epoch=lambda epoch: seen.append(epoch.embedding().record["heldout"]), **options)
    assert [("best" in heldout) for heldout in seen] == [False] * 3
