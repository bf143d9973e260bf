"""Training on given pairs: what it learns, and that threads and files change no byte."""

import hashlib

import numpy as np
import pytest

import pairloom
from pairloom.config import TrainConfig
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import ConfigError, InputError
from pairloom.pairs import blocks, from_pairs
from pairloom.pairs.from_pairs import PairSource
from pairloom.pairs.hubs import hubs_of
from tests.pairs.examples import ANIMALS, COLOURS, PAIRS, TOY, encoded, write


def sha256(embedding):
    return [
        hashlib.sha256(np.ascontiguousarray(side.vectors)).hexdigest() for side in (embedding.words, embedding.contexts)
    ]


@pytest.fixture(scope="module")
def many():
    """200 000 pairs of 3 000 words and 1 000 contexts: enough for several parts, rounds and chunks."""
    rng = np.random.default_rng(0)
    w, c = (rng.zipf(1.3, 200_000) % n for n in (3000, 1000))
    return [(f"w{a}", f"c{b}") for a, b in zip(w.tolist(), ((w + c) % 1000).tolist(), strict=True)]


@pytest.fixture
def small_rounds(monkeypatch):
    monkeypatch.setattr(blocks, "SHORTEST_ROUND", 20_000)
    monkeypatch.setattr(blocks, "LONGEST_ROUND", 60_000)
    monkeypatch.setattr(blocks, "FEWEST_LONG_ROUNDS", 2)
    monkeypatch.setattr(from_pairs, "SLICES_PER_CHUNK", 3)


def test_words_of_the_same_contexts_are_neighbours():
    emb = pairloom.train_pairs(PAIRS * 100, **TOY)
    assert {word for word, _ in emb.most_similar("cat", topn=2)} == {"dog", "cow"}
    assert emb.most_similar("red", topn=1)[0][0] == "blue"
    assert sorted(emb.contexts.words) == ["eats", "fades", "is", "sleeps"]
    assert emb.probability("cat", "eats") > 5 * emb.probability("cat", "fades")


def test_the_noise_comes_from_the_contexts_own_counts():
    """p(D=1|w,c) = #(w,c) / (#(w,c) + k #(w) noise(c))

    Half of every word's pairs have the context `often`; 20 others share the other half.
    """
    often = [(w, "often", 20.0) for w in "abcdefgh"] * 20  # heavy, so that weights matter
    pairs = often + [(w, f"c{i}", 1.0) for w in "abcdefgh" for i in range(20)] * 20
    options = TOY | {"epochs": 30, "negatives": 1}
    as_in_d = pairloom.train_pairs(pairs, **options, noise_power=1.0)
    assert as_in_d.probability("a", "often") == pytest.approx(0.5, abs=0.1)
    assert as_in_d.probability("a", "c7") == pytest.approx(0.5, abs=0.1)
    uniform = pairloom.train_pairs(pairs, **options, noise_power=0.0)
    assert uniform.probability("a", "often") == pytest.approx(0.5 / (0.5 + 1 / 21), abs=0.05)
    assert uniform.probability("a", "c7") == pytest.approx((1 / 40) / (1 / 40 + 1 / 21), abs=0.1)


def test_a_heavy_weight_learns_what_as_many_pairs_would():
    """Counts that were added up before: each pair once, with its weight."""
    pairs = [(w, "often", 8000.0) for w in "abcdefgh"] + [(w, f"c{i}", 400.0) for w in "abcdefgh" for i in range(20)]
    emb = pairloom.train_pairs(pairs, **TOY | {"epochs": 6}, negatives=1, noise_power=1.0)
    assert emb.probability("a", "often") == pytest.approx(0.5, abs=0.05)
    assert emb.probability("a", "c7") == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("more", [{}, {"sample": 1e-3}])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_bytes_are_the_same_for_any_number_of_threads_and_for_files(many, small_rounds, tmp_path, more, weighted):
    pairs = [(w, c, 0.5 + i % 3) for i, (w, c) in enumerate(many)] if weighted else many
    path = write(tmp_path / "p.txt", pairs)
    options = {"dim": 20, "epochs": 2, "min_count": 2, "min_context_count": 3, **more}
    results = [pairloom.train_pairs(source, threads=t, **options) for source, t in ((pairs, 1), (path, 2), (path, 5))]
    assert len({tuple(sha256(emb)) for emb in results}) == 1
    for i, emb in enumerate(results):
        emb.save(tmp_path / f"{i}.loom")
    assert len({(tmp_path / f"{i}.loom").read_bytes() for i in range(3)}) == 1


def test_the_small_rounds_above_do_cut_the_pairs_into_parts_and_rounds(many, small_rounds, tmp_path):
    got = encoded(many, tmp_path, 2, 3)
    source = PairSource(got, TrainConfig(sample=0.0))
    division = blocks.Division.of(len(got.words.names), len(got.contexts.names), 20, 5, source.n_pairs)
    assert division.parts >= division.parts_of(0) >= 8
    assert len(list(source.rounds(division.round_edges(source.n_pairs, 0, epochs=1)))) >= 3
    assert len(hubs_of(source.word_share, division.parts)) > 0


def test_pairs_of_a_text_train_as_well_as_the_text(two_topics):
    """The same D by another way: fixed windows, written down as pairs."""
    pairs = [(w, c) for s in two_topics for i, w in enumerate(s) for j, c in enumerate(s) if 0 < abs(i - j) <= 5]
    emb = pairloom.train_pairs(pairs, **TOY)
    text = pairloom.train(two_topics, **TOY, sample=0, window_shape="fixed")
    assert emb.record["heldout"]["loss"][-1] == pytest.approx(text.record["heldout"]["loss"][-1], abs=0.1)
    for word in emb:
        assert {w for w, _ in emb.most_similar(word, topn=9)} == {w for w, _ in text.most_similar(word, topn=9)}


def test_lower_case_folds_pairs_of_python_too():
    emb = pairloom.train_pairs([(w.upper(), c) for w, c in PAIRS] * 9, **TOY, lowercase=True)
    assert sorted(emb) == sorted(ANIMALS + COLOURS)


def test_given_vocabularies_are_checked():
    one, two = Vocabulary.of([("is", 3)]), Vocabulary.of([("is", 3), ("eats", 2)])
    with pytest.raises(InputError, match="The given vocabulary of contexts has 1 of them, and at least 2 are needed"):
        pairloom.train_pairs(PAIRS * 9, contexts=one)
    with pytest.raises(ConfigError, match=r"words is not a pairloom\.Vocabulary"):
        pairloom.train_pairs(PAIRS * 9, words=["cat"])
    with pytest.raises(ConfigError, match=r"Given contexts are used as they are\. Leave out min_context_count"):
        pairloom.train_pairs(PAIRS * 9, contexts=two, min_context_count=3)


@pytest.mark.parametrize("option", ["window", "left", "positional", "clean", "max_sentence", "as_text"])
def test_options_of_text_are_refused(option):
    with pytest.raises(ConfigError, match=f"{option} is about text, but pairs are given here"):
        pairloom.train_pairs(PAIRS, **{option: 3 if option in ("window", "left", "max_sentence") else True})


def test_and_those_of_pairs_are_refused_for_text(two_topics):
    with pytest.raises(ConfigError, match="min_context_count is for pairs"):
        pairloom.train(two_topics, min_context_count=2)


def test_nothing_is_left_in_the_cache(tmp_path):
    pairloom.train_pairs(PAIRS * 10, **TOY, cache_dir=tmp_path)
    with pytest.raises(InputError):
        pairloom.train_pairs([("a", "x")], **TOY, cache_dir=tmp_path)
    assert list(tmp_path.iterdir()) == []
