"""All options of a training are checked before the corpus is touched and before anything is written."""

import numpy as np
import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.errors import ConfigError, IgnoredOptionWarning, InputError
from pairloom.training.plan import Plan

AB = pairloom.Vocabulary(("a", "b"), np.array([2, 1]))
SMALL = pairloom.Embedding.of_words(pairloom.Vectors(["a", "b"], np.ones((2, 4), np.float32)))


class Untouched:
    """A corpus that fails the test when it is read."""

    def __iter__(self):
        raise AssertionError("the corpus was read")


WRONG_FOR_TEXT = [
    ({"dim": 0}, "dim=0 is out of range. Use 1 to 4096; 100 to 300 is usual."),
    ({"min_count": 0}, "min_count=0 is out of range. Use 1 to 4611686018427387904; 5 is usual, 1 keeps every word."),
    (
        {"min_count": 2.5},
        "min_count=2.5 is not a whole number. Use 1 to 4611686018427387904; 5 is usual, 1 keeps every word.",
    ),
    ({"max_vocab": 1}, "max_vocab=1 is out of range. Use 2 to 2147483647; leave it out to keep all words."),
    ({"keep": ["x", "b"], "drop": ["b"]}, "'b' is in both keep and drop. Take it out of one of them."),
    ({"drop": "the"}, "drop='the' is not a list of words. Use a list of strings."),
    ({"keep": [3]}, "keep and drop are lists of words, and 3 is not a string. Use str() on it."),
    ({"threads": 0}, "threads=0 is out of range. Use 1 to 256; leave it out to use all cores."),
    ({"max_memory": "much"}, "max_memory='much' is not an amount of memory. Use bytes, or 512MB, 2GB or 2GiB."),
    ({"dmi": 3}, "There is no option 'dmi'; did you mean 'dim'?"),
    ({"grow": True}, "grow needs vectors to start from. Name them with start."),
    (
        {"vocabulary": {"a": 1}},
        "vocabulary is not a pairloom.Vocabulary. Make one with Vocabulary.of or Vocabulary.read.",
    ),
    (
        {"vocabulary": AB, "keep": ["a"]},
        "A given vocabulary is used as it is. Leave out min_count, max_vocab, keep and drop.",
    ),
    (
        {"vocabulary": AB, "start": SMALL, "grow": True},
        "A given vocabulary is used as it is, so it cannot grow. Leave out one of the two.",
    ),
    (
        {"start": SMALL, "freeze": "words", "objective": "hs"},
        "freeze=words is for skip-gram by negative sampling, not for model=skipgram and objective=hs. "
        "Leave out one of them.",
    ),
    (
        {"min_context_count": 2},
        "min_context_count is for pairs; the contexts of a text are its words. Use min_count.",
    ),
    (
        {"model": "sppmi-svd", "start": SMALL},
        "model=sppmi-svd is computed and does not start from vectors. Leave out start.",
    ),
]
WRONG_FOR_PAIRS = [
    ({"dim": 0}, "dim=0 is out of range. Use 1 to 4096; 100 to 300 is usual."),
    ({"window": 3}, "window is about text, but pairs are given here. Leave it out."),
    ({"model": "sppmi-svd"}, "model=sppmi-svd counts the pairs of a text, but pairs are given here. Use skipgram."),
    (
        {"objective": "hs"},
        "model=skipgram and objective=hs are learnt from text, not from pairs. Use skipgram, and negative or softmax.",
    ),
    ({"words": AB, "min_count": 2}, "Given words are used as they are. Leave out min_count."),
    ({"contexts": "ab"}, "contexts is not a pairloom.Vocabulary. Make one with Vocabulary.of or Vocabulary.read."),
]


@pytest.mark.parametrize(("options", "said"), WRONG_FOR_TEXT, ids=lambda value: "" if isinstance(value, str) else None)
def test_what_is_wrong_with_a_training_on_text_is_said_before_it_is_read(options, said, tmp_path):
    with pytest.raises(ConfigError) as error:
        pairloom.train(Untouched(), output=tmp_path / "m.loom", checkpoint=None, **options)
    assert str(error.value) == said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("options", "said"), WRONG_FOR_PAIRS, ids=lambda value: "" if isinstance(value, str) else None)
def test_what_is_wrong_with_a_training_on_pairs_is_said_before_they_are_read(options, said, tmp_path):
    with pytest.raises(ConfigError) as error:
        pairloom.train_pairs(Untouched(), output=tmp_path / "m.loom", **options)
    assert str(error.value) == said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pairs", [[], ["--pairs"]])
def test_on_the_command_line_options_come_before_the_files_of_words(pairs, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["train", "missing.txt", *pairs, "--read-vocab", "missing.words", "-o", "m.loom", "--dim", "0"]) == 2
    assert capsys.readouterr().err == "pairloom train: --dim 0 is out of range. Use 1 to 4096; 100 to 300 is usual.\n"
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_cannot_be_written_is_refused_too(tmp_path):
    with pytest.raises(InputError) as error:
        pairloom.train(Untouched(), output=tmp_path / "nowhere" / "m.loom")
    assert str(error.value) == (
        f"The folder {tmp_path / 'nowhere'} of {tmp_path / 'nowhere' / 'm.loom'} does not exist. Create it first."
    )


@pytest.mark.parametrize(
    ("options", "unused"),
    [
        ({"cbow_gradient": "undivided"}, "cbow_gradient=undivided has no effect with model=skipgram."),
        ({"objective": "hs", "negatives": 7}, "negatives=7 has no effect with objective=hs."),
        ({"objective": "softmax", "noise_power": 1.0}, "noise_power=1.0 has no effect with objective=softmax."),
        ({"model": "sppmi-svd", "epochs": 7}, "epochs=7 has no effect with model=sppmi-svd."),
        ({"model": "sppmi-svd", "lr": 0.1}, "lr=0.1 has no effect with model=sppmi-svd."),
        ({"model": "sppmi-svd", "min_lr": 0.0}, "min_lr=0.0 has no effect with model=sppmi-svd."),
        ({"model": "sppmi-svd", "heldout": 0.1}, "heldout=0.1 has no effect with model=sppmi-svd."),
        ({"sample": 0, "subsampling": "published"}, "subsampling=published has no effect with sample=0."),
        ({"left": 1, "right": 2, "window": 9}, "window=9 has no effect with left and right."),
    ],
)
def test_an_option_without_effect_is_warned_of(options, unused):
    with pytest.warns(IgnoredOptionWarning) as warned:
        Plan.of_text(options)
    assert [str(warning.message) for warning in warned] == [f"{unused} Leave it out."]


@pytest.mark.parametrize(
    "options",
    [
        {"cbow_gradient": "derivative", "negatives": 5, "objective": "hs"},  # at their defaults
        {"model": "cbow", "cbow_gradient": "undivided"},
        {"model": "sppmi-svd", "negatives": 7, "noise_power": 1.0},
        {"left": 1, "window": 9},
        {"left": 1, "right": 2, "window": "sentence"},
        {"subsampling": "published"},
    ],
)
def test_an_option_with_an_effect_or_at_its_default_is_not(options):
    Plan.of_text(options)  # warnings are errors here
