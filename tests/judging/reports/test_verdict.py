"""The first sentences of a report, for trainings that went well and for those that did not."""

import numpy as np
import pytest

import pairloom
from pairloom.judging.reports.history import History
from pairloom.judging.reports.verdict import verdict

CONFIG = {"model": "skipgram", "objective": "negative", "epochs": 5, "lr": 0.025, "min_lr": 0.0}


def model(losses, *, tokens=17_000_000, vectors=None, **heldout):
    rows = np.eye(4, dtype=np.float32) if vectors is None else vectors
    words = pairloom.Vectors(["a", "b", "c", "d"], rows, [9, 7, 5, 3])
    record = {"config": CONFIG, "corpus": {"tokens": tokens}, "heldout": {"pairs": 10, "loss": losses, **heldout}}
    return pairloom.Embedding.of_words(words, record)


# Measured on Wikipedia: 10 MB of text, dim 100, sample 1e-4.
MEASURED = {
    2: [4.1589, 2.6571, 2.5744],
    3: [4.1589, 2.6518, 2.5311, 2.497],
    5: [4.1589, 2.6486, 2.5144, 2.4532, 2.4376, 2.4233],
    10: [4.1589, 2.6466, 2.5074, 2.4459, 2.4314, 2.4069, 2.4017, 2.3902, 2.3929, 2.3861, 2.3839],
    14: [4.1589, 2.6457, 2.5052, 2.4458, 2.4368, 2.4157, 2.4176, 2.4085, 2.4217, 2.4233, 2.4313, 2.4308, 2.4305, 2.441,
         2.4397],
}  # fmt: skip


@pytest.mark.parametrize(
    ("epochs", "answer"),
    [
        (2, "The model learnt, but more epochs would help: "),
        (3, "The model learnt, but more epochs would help: "),
        (5, "The model learnt, and nothing looks wrong: "),
        (10, "The model learnt, and nothing looks wrong: "),
        (14, "The model learnt, but the loss has risen since epoch 7: "),
    ],
)
def test_measured_curves_get_the_right_advice(epochs, answer):
    losses = MEASURED[epochs]
    found = verdict(model(losses), "m.loom")
    numbers = (
        f"the loss on held-out pairs was 4.159 before training and is {losses[-1]:.3f} now, after {epochs} epochs."
    )
    assert found.answer == answer + numbers
    assert len(found.remarks) == ("but" in answer)


def test_what_was_trained_on_what():
    found = verdict(model(MEASURED[5]), "m.loom", "a.txt")
    assert found.subject == (
        "m.loom has 4 words with 4 numbers each, learnt by skip-gram with negative sampling from a.txt "
        "(17,000,000 words)."
    )
    assert verdict(model(MEASURED[5]), "m").subject.endswith("from a corpus of 17,000,000 words.")


def test_one_epoch_says_nothing_about_the_next():
    assert verdict(model([4.1, 2.7]), "m").answer.startswith("The model learnt, but more epochs may help: ")


@pytest.mark.parametrize("losses", [[2.0, 2.0, 2.5], [2.0, 2.0]])
def test_a_model_that_did_not_learn(losses):
    found = verdict(model(losses), "m")
    assert found.answer.startswith("The model did not learn: the loss on held-out pairs was 2.000 before")
    assert "lower learning rate" in found.remarks[0]


def test_with_patience_the_vectors_are_those_of_the_best_epoch():
    found = verdict(model([4.0, 2.0, 2.5, 2.6], best=1), "m")
    assert found.remarks == [] and "is 2.000 now" in found.answer


def test_a_small_corpus_and_nothing_held_out():
    found = verdict(model([None], tokens=5000), "m")
    assert found.answer == (
        "The model was not measured while it was trained, so only its vectors can be judged: nothing was held out, and "
        "the corpus is very small."
    )
    assert "5,000 words" in found.remarks[1]


def test_zeros_and_vectors_that_all_point_the_same_way():
    rows = np.ones((4, 4), np.float32) + 0.01 * np.eye(4, dtype=np.float32)
    assert "all vectors point the same way" in verdict(model(MEASURED[5], vectors=rows), "m").answer
    rows = np.eye(4, dtype=np.float32)
    rows[3] = 0
    assert verdict(model(MEASURED[5], vectors=rows), "m").remarks == [
        "1 vector of 4 are all zeros: nothing is known of these words."
    ]


def test_a_file_without_a_record():
    words = pairloom.Vectors(["a", "b"], np.eye(2, dtype=np.float32))
    found = verdict(pairloom.Embedding.of_words(words), "v.bin")
    assert found.answer == "The model has no record of a training, so only its vectors can be judged."
    assert found.subject == "v.bin has 2 words with 2 numbers each. The file does not say how they were made."


@pytest.mark.parametrize(
    "record",
    [
        {"config": [], "corpus": 3, "heldout": "no"},
        {"config": {"dim": 3}, "heldout": {"loss": [1.0, "x"], "best": "first"}, "corpus": {"tokens": "many"}},
        {"config": {"lr": "fast"}, "heldout": {"loss": {}, "pairs": None}, "start": {"words": "all"}},
        {"heldout": {"loss": [3.0, 2.0], "best": 9}},
    ],
)
def test_an_odd_record_is_read_as_far_as_it_can_be(record):
    history = History.of(record)
    assert history.best is None and history.size is None and all(isinstance(loss, float) for loss in history.losses)
    verdict(pairloom.Embedding.of_words(pairloom.Vectors(["a", "b"], np.eye(2, dtype=np.float32)), record), "m")
