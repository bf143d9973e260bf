"""Models and objectives beside skip-gram with negative sampling, from text to questions."""

import json
import random

import numpy as np
import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.config import TrainConfig
from pairloom.errors import ConfigError, DivergedError, InputError
from pairloom.pairs import segments
from tests.conftest import TOPICS

TOY = {"dim": 16, "epochs": 20, "min_count": 1, "sample": 0, "lr": 0.1}
TRAININGS = {
    "skip-gram, hs": {"objective": "hs"},
    "cbow, negative": {"model": "cbow"},
    "cbow, negative, undivided": {"model": "cbow", "cbow_gradient": "undivided"},
    "cbow, hs": {"model": "cbow", "objective": "hs"},
}
each = pytest.mark.parametrize("options", TRAININGS.values(), ids=TRAININGS.keys())


def digest(embedding):
    return [m.vectors.tobytes() for m in (embedding.words, embedding.contexts)]


@each
def test_words_of_a_topic_are_neighbours(two_topics, options):
    emb = pairloom.train(two_topics, **TOY, **options)
    for topic in TOPICS:
        for word in topic:
            near = [other for other, _ in emb.most_similar(word, topn=9)]
            assert set(near) == set(topic) - {word}


@each
def test_the_bytes_are_the_same_for_any_number_of_threads(zipf_text, monkeypatch, tmp_path, options):
    monkeypatch.setattr(segments, "TOKENS_PER_CHUNK", 3_000)
    files = []
    for threads in (1, 2, 5):
        emb = pairloom.train(zipf_text, threads=threads, dim=20, epochs=2, min_count=2, sample=1e-2, **options)
        emb.save(tmp_path / "same.loom")
        files.append((tmp_path / "same.loom").read_bytes())
    assert files == [files[0]] * 3


@each
def test_another_seed_gives_other_vectors(two_topics, options):
    one, other = (pairloom.train(two_topics, seed=seed, **TOY, **options) for seed in (1, 2))
    assert digest(one) != digest(other)


@each
@pytest.mark.parametrize(
    "windows",
    [{"window": "sentence"}, {"left": 0, "right": 3}, {"clean": True}, {"window_shape": "harmonic"}, {"window": 1000}],
    ids=str,
)
def test_every_kind_of_window_trains(two_topics, options, windows):
    emb = pairloom.train(two_topics[:100], dim=8, epochs=2, min_count=1, **options, **windows)
    assert np.isfinite(emb.words.vectors).all()
    assert emb.contexts.vectors.any()


@each
def test_the_held_out_loss_falls(two_topics, options):
    emb = pairloom.train(two_topics, heldout=0.1, **TOY, **options)
    losses = emb.record["heldout"]["loss"]
    assert len(losses) == TOY["epochs"] + 1
    assert losses[-1] < losses[0] - 0.2


def test_before_training_a_window_costs_log_2_for_each_of_its_k_plus_1_rows(two_topics):
    emb = pairloom.train(two_topics, model="cbow", negatives=3, heldout=0.1, **TOY)
    assert emb.record["heldout"]["loss"][0] == pytest.approx(4 * np.log(2))


def test_before_training_a_way_costs_log_2_for_each_of_its_turns(two_topics):
    emb = pairloom.train([["a", "b"]] * 100, objective="hs", heldout=0.1, **TOY)
    assert emb.record["heldout"]["loss"][0] == pytest.approx(np.log(2))  # two words, one turn
    assert emb.record["heldout"]["loss"][-1] < 0.1  # a is always beside b


@each
def test_nothing_held_out_trains_too(two_topics, options):
    emb = pairloom.train(two_topics, heldout=0, **(TOY | {"epochs": 1}), **options)
    assert emb.record["heldout"] == {"pairs": 0, "loss": [None, None]}


@each
def test_a_rate_that_is_too_high_is_noticed(two_topics, options):
    with pytest.raises(DivergedError, match="is likely too high"):
        pairloom.train(two_topics, **(TOY | {"lr": 1e5}), **options)


@each
def test_lines_of_one_word_have_nothing_to_learn(options):
    with pytest.raises(InputError, match=r"No line of the corpus .* has two words, so there are no pairs"):
        pairloom.train([["a"], ["b"]] * 50, **TOY, **options)


@each
def test_training_goes_on_where_a_model_stopped(two_topics, options):
    first = pairloom.train(two_topics, heldout=0.1, **TOY, **options)
    second = pairloom.train(two_topics, start=first, heldout=0.1, epochs=1, lr=0.01)
    assert second.record["config"]["model"] == first.record["config"]["model"]
    assert second.record["heldout"]["loss"][0] == first.record["heldout"]["loss"][-1]
    assert second.record["start"]["contexts"] == len(first.contexts)


def test_the_nodes_of_one_tree_are_no_start_for_another(two_topics):
    first = pairloom.train(two_topics, objective="hs", **TOY)
    other = pairloom.train([*two_topics, ["rare", "cat"]], start=first, epochs=1)
    assert other.record["start"]["words"] == 20
    assert other.record["start"]["contexts"] == 0


# --- What one can ask of a tree


@pytest.fixture(scope="module")
def by_tree(two_topics):
    return pairloom.train(two_topics, objective="hs", **TOY)


def test_probabilities_by_hierarchical_softmax_add_up_to_one_and_know_the_topics(by_tree):
    p = {c: by_tree.probability("cat", c) for c in by_tree}
    assert sum(p.values()) == pytest.approx(1.0)
    assert sum(p[c] for c in TOPICS[0]) > 0.95


def test_a_tree_is_saved_and_loaded(by_tree, tmp_path):
    by_tree.save(tmp_path / "tree.loom")
    loaded = pairloom.load(tmp_path / "tree.loom")
    assert loaded.contexts.words[0] == "/"
    assert len(loaded.contexts) == len(loaded.words) - 1
    assert loaded.contexts.counts[0] == loaded.words.counts.sum()
    assert loaded.probability("cat", "dog") == by_tree.probability("cat", "dog")


def test_a_part_of_a_tree_gives_no_probability(by_tree, tmp_path):
    by_tree.save(tmp_path / "tree.loom")
    part = pairloom.load(tmp_path / "tree.loom", limit=10)
    with pytest.raises(InputError, match="needs the whole tree"):
        part.probability(part.words.words[0], part.words.words[1])


def test_the_nodes_of_a_tree_are_no_words(by_tree, tmp_path, capsys):
    with pytest.raises(InputError, match="nodes of a tree"):
        by_tree.combined()
    by_tree.save(tmp_path / "tree.loom")
    assert main(["near", str(tmp_path / "tree.loom"), "cat", "--contexts"]) == 2
    assert capsys.readouterr().err == (
        "pairloom near: This model was trained with hierarchical softmax (objective=hs), so it has nodes of a tree "
        "instead of contexts. Leave out --contexts, or write the nodes to a file with: pairloom convert --contexts\n"
    )


def test_a_word_predicts_another_in_a_window_of_its_own(two_topics):
    emb = pairloom.train(two_topics, model="cbow", **TOY)
    assert emb.probability("cat", "dog") > 5 * emb.probability("cat", "red")
    assert len(emb.combined()) == len(emb)


# --- What can be asked for


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "glove"}, "model='glove' is not a choice. Use skipgram, cbow or sppmi-svd."),
        ({"objective": "nce"}, "objective='nce' is not a choice. Use negative, hs or softmax."),
        ({"cbow_gradient": 1}, "cbow_gradient=1 is not a choice. Use derivative or undivided."),
        (
            {"model": "cbow", "objective": "softmax"},
            "objective=softmax is skip-gram's, equation (3). With model=cbow use negative or hs.",
        ),
        (
            {"objective": "hs", "positional": True},
            "positional contexts are not learnt with model=skipgram and objective=hs. "
            "Use skipgram and negative, or leave out positional.",
        ),
    ],
)
def test_what_does_not_exist_is_refused(options, message):
    with pytest.raises(ConfigError) as error:
        TrainConfig(**options)
    assert str(error.value) == message


def test_every_model_has_its_usual_rate():
    assert TrainConfig().lr == TrainConfig(objective="hs").lr == 0.025
    assert TrainConfig(model="cbow").lr == 0.15
    assert TrainConfig(model="cbow", cbow_gradient="undivided").lr == 0.05
    assert TrainConfig(model="cbow", lr=0.3).lr == 0.3


@pytest.mark.parametrize("freeze", ["words", "contexts"])
@pytest.mark.parametrize("other", [{"model": "cbow"}, {"objective": "hs"}, {"objective": "softmax"}])
def test_a_side_is_frozen_in_skip_gram_with_negative_sampling_only(two_topics, freeze, other):
    first, stages = pairloom.train(two_topics, **TOY), []
    kind = {"model": "skipgram", "objective": "negative"} | other
    with pytest.raises(
        ConfigError,
        match=f"^freeze={freeze} is for skip-gram by negative sampling, not for model={kind['model']} "
        rf"and objective={kind['objective']}\.",
    ):
        pairloom.train(two_topics, start=first, freeze=freeze, on_progress=stages.append, **other)
    assert not stages  # nothing was compiled for it, nor read


def test_pairs_are_learnt_by_negative_sampling_only():
    with pytest.raises(ConfigError, match="are learnt from text, not from pairs"):
        pairloom.train_pairs([("a", "b")] * 10, objective="hs", min_count=1)


def test_the_command_line_trains_them(corpus, tmp_path, capsys):
    out = tmp_path / "cbow.loom"
    common = ["train", str(corpus), "-o", str(out), "--min-count", "1", "--sample", "0", "--json"]
    assert main([*common, "--model", "cbow", "--objective", "hs", "--cbow-gradient", "undivided"]) == 0
    assert json.loads(capsys.readouterr().out)["words"] == 20
    config = pairloom.load(out).record["config"]
    assert (config["model"], config["objective"], config["cbow_gradient"]) == ("cbow", "hs", "undivided")
    assert config["lr"] == 0.05


@pytest.mark.parametrize(("cbow", "hs"), [(1, 0), (0, 1), (1, 1)])
def test_word2vecs_flags_train_what_they_say(corpus, tmp_path, capsys, cbow, hs):
    common = ["-min-count", "1", "-sample", "0", "-size", "8", "-iter", "2", "-binary", "1", "-debug", "0"]
    flags = ["-cbow", str(cbow), "-hs", str(hs), "-negative", str(5 * (1 - hs))]
    assert main(["word2vec", "-train", str(corpus), "-output", str(tmp_path / "v.bin"), *common, *flags]) == 0
    same = pairloom.train(
        corpus,
        model="cbow" if cbow else "skipgram",
        objective="hs" if hs else "negative",
        cbow_gradient="undivided",
        dim=8,
        epochs=2,
        min_count=1,
        sample=0,
        heldout=0,
        max_sentence=1000,
        min_lr=(0.05 if cbow else 0.025) * 1e-4,
    )
    np.testing.assert_array_equal(pairloom.load(tmp_path / "v.bin").words.vectors, same.words.vectors)


def test_a_high_rate_on_few_words_does_not_make_them_move_too_far(tmp_path):
    """Words that move some batches late would diverge here."""
    draw, path = random.Random(1), tmp_path / "few.txt"
    path.write_text("".join(" ".join(f"w{draw.randrange(20)}" for _ in range(20)) + "\n" for _ in range(5_000)))
    embedding = pairloom.train(path, model="cbow", dim=100, sample=0, lr=0.5, epochs=2)
    before, *_, after = embedding.record["heldout"]["loss"]
    assert after < 0.7 * before
