"""The record of how vectors were made: which ones are read, and the options that they hold."""

import json
from dataclasses import asdict

import numpy as np
import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.config import TextOptions, TrainConfig
from pairloom.errors import ConfigError, InputError
from pairloom.formats import native
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.record import fault_in, recorded_config, recorded_options, recorded_text
from pairloom.vectors.vectors import Vectors


def embedding(record):
    vectors = Vectors(["cat", "dog"], np.eye(2, dtype=np.float32), np.array([5, 3]))
    return Embedding(words=vectors, contexts=vectors, record=record)


GOOD = [
    {},
    {"config": {"dim": 2, "epochs": 3, "lr": 0.1, "left": None, "model": "skipgram", "clean": False}},
    {"text": {"lowercase": True}, "corpus": {"sha256": "", "tokens": 5}, "start": {"epochs": 7, "words": 3}},
    {"heldout": {"pairs": 0, "loss": [None, 0.5]}},
    {"heldout": {}, "folded_in": [{}], "of mine": [1, [2]]},
]
BAD = [
    ("config", []), ("config", None), ("config", "x"), ("config", {"a": []}), ("config", {"a": {}}),
    ("config", {"epochs": "3"}), ("config", {"epochs": -1}), ("config", {"epochs": 1.5}), ("config", {"epochs": None}),
    ("config", {"epochs": 10**30}), ("config", {"seed": 10**31}), ("text", 5), ("text", {"lowercase": []}),
    ("corpus", []), ("corpus", "corpus.txt"), ("start", 3), ("start", {"epochs": None}), ("start", {"epochs": 1 << 40}),
    ("heldout", None), ("heldout", []), ("heldout", {"loss": None}), ("heldout", {"loss": []}),
    ("heldout", {"loss": {}}), ("heldout", {"loss": ["x"]}), ("heldout", {"loss": 5}), ("folded_in", {}),
]  # fmt: skip


@pytest.mark.parametrize("record", GOOD)
def test_what_training_writes_is_read(record, tmp_path):
    assert fault_in(record) is None
    embedding(record).save(tmp_path / "a.loom")
    assert pairloom.load(tmp_path / "a.loom").record == record


@pytest.mark.parametrize(("name", "value"), BAD)
def test_what_no_training_writes_is_refused_by_one_line(name, value, tmp_path, monkeypatch, capsys):
    path, record = tmp_path / "a.loom", {"text": {}, name: value}
    with pytest.raises(
        InputError, match=rf"^The record of the embedding has .* for {name}\. Put it under another name\.$"
    ):
        embedding(record).save(path)
    with monkeypatch.context() as patch:
        patch.setattr(native, "fault_in", lambda record: None)  # as a stranger saves it
        embedding(record).save(path)
    for command in ("info", "near", "explain"):
        assert main([command, str(path), *["cat", "dog"][: 2 * (command != "info")]]) == 2
        output = capsys.readouterr()
        assert output.out == ""
        assert output.err.count("\n") == 1
        assert f"cannot be loaded: its record has {json.loads(json.dumps(value))!r:.80}" in output.err
        assert f"for {name}, which no pairloom writes. It is damaged, or not a file that pairloom saved" in output.err


def test_text_options_that_this_version_does_not_know_are_passed_over(tmp_path, two_topics, capsys):
    path, text = tmp_path / "a.loom", tmp_path / "a.txt"
    text.write_text("".join(" ".join(sentence) + "\n" for sentence in two_topics))
    made = pairloom.train(text, dim=2, epochs=1)
    Embedding(words=made.words, contexts=made.contexts, record=made.record | {"text": {"of_tomorrow": 1}}).save(path)
    assert main(["explain", str(path), str(text), "--quiet"]) == 0
    assert "The objective" in capsys.readouterr().out


# --- The options that a record holds


def test_the_options_of_training_come_back_from_its_record(two_topics):
    made = pairloom.train(two_topics, dim=2, epochs=2, window=3, lowercase=True)
    assert recorded_config(made.record) == TrainConfig(dim=2, epochs=2, window=3)
    assert recorded_text(made.record) == TextOptions(lowercase=True)
    both = asdict(TrainConfig(dim=2, epochs=2, window=3)) | asdict(TextOptions(lowercase=True))
    assert recorded_options(made.record).items() <= both.items()


def test_changes_take_the_place_of_recorded_options():
    record = {"config": {"dim": 7, "negatives": 3}, "text": {"lowercase": True, "max_sentence": 50}}
    assert recorded_config(record, negatives=9) == TrainConfig(dim=7, negatives=9)
    assert recorded_text(record, max_sentence=60) == TextOptions(lowercase=True, max_sentence=60)


def test_options_that_this_version_does_not_know_are_left_out():
    record = {"config": {"dim": 7, "of_tomorrow": 1}, "text": {"encoding": "latin-1", "too": 2}, "corpus": {"dim": 9}}
    assert recorded_options(record) == {"dim": 7, "encoding": "latin-1"}
    assert recorded_config(record) == TrainConfig(dim=7)
    assert recorded_text(record) == TextOptions(encoding="latin-1")


@pytest.mark.parametrize("record", [{}, {"config": None, "text": []}, {"config": "dim"}])
def test_a_record_without_options_means_the_defaults(record):
    assert recorded_options(record) == {}
    assert recorded_config(record) == TrainConfig()
    assert recorded_text(record) == TextOptions()


def test_recorded_values_are_checked_only_when_they_are_used():
    record = {"config": {"dim": 0}}
    assert recorded_options(record) == {"dim": 0}
    with pytest.raises(ConfigError, match=r"^dim=0 is out of range"):
        recorded_config(record)
