from typing import get_args

import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.config import TrainConfig
from pairloom.errors import ConfigError
from pairloom.preparing.inspection.presets import PRESETS, Preset

TEXT = [["a", "b", "c", "d"], ["b", "c", "e"]] * 50


def test_every_preset_is_a_set_of_valid_options():
    assert set(PRESETS) == set(get_args(Preset))
    for options in PRESETS.values():
        TrainConfig(**options)


@pytest.mark.parametrize("preset", PRESETS)
def test_what_is_recorded_are_the_options(preset):
    given = {"dim": 4, "epochs": 2, "sample": 0.5}
    options = {**PRESETS[preset], **given}
    by_name = pairloom.train(TEXT, preset=preset, **given)
    assert by_name.record == pairloom.train(TEXT, **options).record
    assert (by_name.words.vectors == pairloom.train(TEXT, **options).words.vectors).all()


def test_options_that_are_given_win():
    assert pairloom.train(TEXT, preset="items", dim=4, epochs=1, negatives=2).record["config"]["negatives"] == 2


def test_a_preset_is_no_reason_to_refuse_a_vocabulary():
    vocabulary = pairloom.Vocabulary.of([("a", 50), ("b", 100), ("c", 100)])
    emb = pairloom.train(TEXT, preset="items", dim=4, epochs=1, vocabulary=vocabulary)
    assert len(emb) == 3


@pytest.mark.filterwarnings("error")
def test_a_preset_chooses_the_epochs_so_there_is_no_advice_about_them():
    pairloom.train(TEXT, preset="small", dim=4)


def test_an_unknown_preset_is_refused():
    with pytest.raises(
        ConfigError, match=r"preset='huge' is not a choice\. Use small, standard, large, items or graph\."
    ):
        pairloom.train(TEXT, preset="huge")


def test_the_command_line_has_them_too(tmp_path, capsys):
    text = tmp_path / "text.txt"
    text.write_text("".join(" ".join(line) + "\n" for line in TEXT))
    out = str(tmp_path / "a.loom")
    assert main(["train", str(text), "-o", out, "--preset", "graph", "--dim", "4", "--quiet"]) == 0
    assert pairloom.load(out).record["config"]["min_count"] == 1
    assert main(["train", str(text), "-o", out, "--preset", "graph", "--pairs"]) == 2
    assert "--preset is for text, not for --pairs. Give its options instead." in capsys.readouterr().err
