"""A training that ends with worse vectors than it began with is refused; one that learnt its text by heart is not."""

import math

import numpy as np
import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.cluster.executor import ThreadExecutor
from pairloom.config import TrainConfig
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import WordSelection
from pairloom.errors import DivergedError
from pairloom.pairs.from_text import TextSource
from pairloom.system.threads import workers
from pairloom.training import heldout, monitoring
from pairloom.training.monitoring import Health

OBJECTIVES = {
    "sgns": {},
    "hs": {"objective": "hs"},
    "softmax": {"objective": "softmax"},
    "cbow": {"model": "cbow"},
    "cbow undivided": {"model": "cbow", "cbow_gradient": "undivided"},
    "cbow by hs": {"model": "cbow", "objective": "hs"},
}


@pytest.fixture(scope="module")
def text(zipf_corpus):
    return [[word for word in line if int(word[1:]) < 300] for line in zipf_corpus[:3000]]


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("factor", [1, 3, 10, 30, 100, 1000])
def test_what_ends_is_better_than_untrained_vectors_and_what_is_not_is_refused(name, factor, text):
    options = OBJECTIVES[name]
    lr = factor * TrainConfig(**options).usual_lr
    try:
        emb = pairloom.train(text, dim=20, epochs=1, min_count=1, lr=lr, **options)
    except DivergedError as error:
        assert factor > 1 and f"The learning rate {lr:g} is likely too high; " in str(error)
        return
    losses = emb.record["heldout"]["loss"]
    assert losses[-1] <= 1.02 * losses[0]


def test_the_message_has_both_losses_and_the_command_ends_with_3(text, tmp_path, capsys):
    path = tmp_path / "text.txt"
    path.write_text("".join(" ".join(line) + "\n" for line in text))
    command = ["train", str(path), "-o", str(tmp_path / "m.loom"), "--objective", "softmax", "--lr", "10"]
    assert main([*command, "--dim", "20", "--epochs", "1", "--min-count", "1"]) == 3
    message = capsys.readouterr().err.splitlines()[-1]
    assert "The vectors are worse than before training: their loss on the training data is " in message
    assert message.endswith(", and was 5.704. The learning rate 10 is likely too high; 0.1 is usual.")
    assert not (tmp_path / "m.loom").exists()


@pytest.mark.parametrize("name", OBJECTIVES)
def test_with_nothing_held_out_trained_pairs_alone_decide(name, text):
    options = {"dim": 20, "min_count": 1, "heldout": 0, **OBJECTIVES[name]}
    assert pairloom.train(text, epochs=1, **options).record["heldout"]["loss"] == [None, None]
    if name == "softmax":
        with pytest.raises(DivergedError, match="worse than before training"):
            pairloom.train(text, epochs=1, lr=10, **options)
    assert len(pairloom.train([["a", "b"]], epochs=1, sample=0, **options).words) == 2


def test_a_text_learnt_by_heart_is_not_refused():
    rng = np.random.default_rng(0)
    text = [[f"w{i}" for i in rng.integers(0, 60, 8)] for _ in range(40)]  # there is nothing to learn but the text
    for options in ({"objective": "softmax", "epochs": 40}, {"epochs": 400, "lr": 0.1}):
        losses = pairloom.train(text, dim=40, min_count=1, sample=0, **options).record["heldout"]["loss"]
        assert losses[-1] > 1.1 * losses[0]


def test_with_patience_the_best_epoch_counts(text):
    options = {"objective": "softmax", "dim": 20, "min_count": 1, "patience": 1, "epochs": 2}
    assert pairloom.train(text, **options).record["heldout"]["best"] in (1, 2)
    with pytest.raises(DivergedError, match="worse than before training"):
        pairloom.train(text, lr=10, **options)


@pytest.mark.parametrize("freeze", [None, "words", "contexts"])
def test_a_start_from_vectors_that_do_not_fit_is_not_refused(freeze, text):
    """They are worse than untrained ones at first, and a short training leaves them so."""
    other = pairloom.train([list(reversed(line)) for line in text], dim=20, min_count=1, epochs=1, right=2, left=1)
    far = pairloom.Embedding(
        words=pairloom.Vectors(other.words.words, 8 * other.words.vectors[::-1], other.words.counts),
        contexts=pairloom.Vectors(other.contexts.words, 8 * other.contexts.vectors, other.contexts.counts),
        record=other.record,
    )
    losses = pairloom.train(text, start=far, freeze=freeze, epochs=1, lr=1e-4).record["heldout"]["loss"]
    assert losses[-1] > 1.02 * 6 * math.log(2)


def test_where_all_that_is_measured_is_held_out_that_loss_counts(text, monkeypatch):
    monkeypatch.setattr(heldout, "MOST_HELDOUT", 50)
    with pytest.raises(DivergedError, match="worse than before training"):
        pairloom.train(text, dim=20, min_count=1, epochs=1, objective="softmax", lr=10)


def test_without_a_heldout_loss_there_is_nothing_to_compare(two_topics):
    assert pairloom.train(two_topics[:10], dim=2, min_count=1, epochs=1).record["heldout"]["loss"] == [None, None]


@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_loss_of_untrained_vectors_is_known_without_measuring(name, text):
    emb = pairloom.train(text, dim=4, min_count=1, epochs=1, lr=1e-9, min_lr=0, **OBJECTIVES[name])
    with open_corpus(text) as corpus, prepare(corpus, WordSelection(min_count=1)) as encoded, workers(1) as pool:
        from pairloom.training.learn import _training_of
        from pairloom.training.loop import Runtime

        config = TrainConfig(dim=4, min_count=1, **OBJECTIVES[name])
        training = _training_of(config)(TextSource(encoded, config), None, Runtime(pool, 1, ThreadExecutor(pool, 1)))
        assert training.heldout.untrained == pytest.approx(emb.record["heldout"]["loss"][0], rel=1e-7)


@pytest.mark.parametrize(("lr", "advice"), [(0.025, "try 0.0025"), (0.01, "try 0.001"), (0.03, "0.025 is usual")])
def test_the_rate_that_was_used_is_never_the_advice(lr, advice, text):
    with open_corpus(text) as corpus, prepare(corpus, WordSelection(min_count=1)) as encoded, workers(1) as pool:
        health = Health(TextSource(encoded, TrainConfig(lr=lr)), None, pool)
        with pytest.raises(DivergedError) as caught:
            health.check_products(2 * monitoring.LARGEST_SQUARE, 7)
    expected = f"The vectors diverged in epoch 1, near word 7. The learning rate {lr:g} is likely too high; {advice}."
    assert str(caught.value) == expected
