"""Options are checked when they are set. A message names the option, its range and the usual values."""

from dataclasses import fields

import pytest

from pairloom.config import TextKeywords, TextOptions, TrainConfig, TrainKeywords, check_names
from pairloom.errors import ConfigError


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"dim": 0}, "dim=0 is out of range. Use 1 to 4096; 100 to 300 is usual."),
        ({"dim": -5}, "dim=-5 is out of range. Use 1 to 4096; 100 to 300 is usual."),
        (
            {"dim": 2_000_000_000},
            "dim=2000000000 is out of range: one word would take 16,000,000,000 bytes. Use 1 to 4096; "
            "100 to 300 is usual.",
        ),
        ({"dim": "abc"}, "dim='abc' is not a whole number. Use 1 to 4096; 100 to 300 is usual."),
        ({"dim": 100.0}, "dim=100.0 is not a whole number. Use 1 to 4096; 100 to 300 is usual."),
        ({"dim": True}, "dim=True is not a whole number. Use 1 to 4096; 100 to 300 is usual."),
        ({"window": 0}, "window=0 is out of range. Use 1 to 1000; 5 is usual, 2 for syntax, 10 for topics."),
        (
            {"window": "line"},
            "window='line' is not a choice. Use 1 to 1000, or sentence; 5 is usual, 2 for syntax, 10 for topics.",
        ),
        ({"left": -1}, "left=-1 is out of range. Use 0 to 1000; leave it out to reach as far as window."),
        ({"left": 0, "right": 0}, "left=0 and right=0 leave no contexts. Use 1 or more for one of them."),
        (
            {"window_shape": "round"},
            "window_shape='round' is not a choice. Use dynamic, fixed, harmonic or linear.",
        ),
        ({"positional": 1}, "positional=1 is not a choice. Use True or False."),
        (
            {"window": "sentence", "window_shape": "harmonic"},
            "window=sentence treats all words of a sentence alike, and window_shape=harmonic does not. "
            "Use a window of 1 to 1000 with it.",
        ),
        (
            {"window": "sentence", "positional": True},
            "positional counts positions in a window, and window=sentence is unbounded. Use 1 to 1000.",
        ),
        ({"subsampling": "mine"}, "subsampling='mine' is not a choice. Use program or published."),
        ({"window": -3}, "window=-3 is out of range. Use 1 to 1000; 5 is usual, 2 for syntax, 10 for topics."),
        (
            {"negatives": 0},
            "negatives=0 leaves D' empty, and without it all vectors drift together. "
            "Use 5 to 20 for a small corpus, 2 to 5 for a large one.",
        ),
        (
            {"negatives": 65},
            "negatives=65 is out of range. Use 1 to 64; 5 to 20 for a small corpus, 2 to 5 for a large one.",
        ),
        ({"noise_power": float("inf")}, "noise_power=inf is out of range. Use -2 to 2; 0.75 is usual."),
        (
            {"min_count": 0},
            "min_count=0 is out of range. Use 1 to 4611686018427387904; 5 is usual, 1 keeps every word.",
        ),
        ({"max_vocab": 1}, "max_vocab=1 is out of range. Use 2 to 2147483647; leave it out to keep all words."),
        (
            {"sample": float("nan")},
            "sample=nan is out of range. Use 0 to 1; 1e-3 to 1e-5 is usual, 0 keeps every occurrence.",
        ),
        ({"sample": -1}, "sample=-1 is out of range. Use 0 to 1; 1e-3 to 1e-5 is usual, 0 keeps every occurrence."),
        ({"epochs": 0}, "epochs=0 is out of range. Use 1 to 1000000; 5 is usual, more for a small corpus."),
        ({"epochs": -1}, "epochs=-1 is out of range. Use 1 to 1000000; 5 is usual, more for a small corpus."),
        ({"lr": 0}, "lr=0 is out of range: use a number above 0, up to 1e6; 0.025 is usual."),
        ({"lr": -1.0}, "lr=-1.0 is out of range: use a number above 0, up to 1e6; 0.025 is usual."),
        ({"lr": float("nan")}, "lr=nan is out of range: use a number above 0, up to 1e6; 0.025 is usual."),
        ({"lr": 1e30}, "lr=1e+30 is out of range: use a number above 0, up to 1e6; 0.025 is usual."),
        ({"min_lr": 0.1}, "min_lr=0.1 is out of range: use 0 up to the learning rate, lr=0.025."),
        ({"seed": -1}, "seed=-1 is out of range. Use 0 to 9223372036854775807; any whole number."),
        ({"heldout": 0.6}, "heldout=0.6 is out of range. Use 0 to 0.5; 0.001 is usual, 0 turns it off."),
    ],
)
def test_a_bad_option_is_refused_by_name(option, message):
    with pytest.raises(ConfigError) as caught:
        TrainConfig(**option)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "option",
    [{"dim": 1}, {"dim": 4096}, {"negatives": 64}, {"sample": 0}, {"lr": 1e6}, {"min_lr": 0.025}, {"noise_power": 0}],
)
def test_the_ends_of_the_ranges_are_allowed(option):
    TrainConfig(**option)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("vector_size", "did you mean 'dim'?"),
        ("workers", "did you mean 'threads'?"),
        ("min_cuont", "did you mean 'min_count'?"),
        ("zzz", "the options are dim, threads, min_count."),
    ],
)
def test_an_unknown_option_is_answered_with_the_one_that_was_probably_meant(name, hint):
    with pytest.raises(ConfigError) as caught:
        check_names([name], ["dim", "threads", "min_count"])
    assert str(caught.value) == f"There is no option {name!r}; {hint}"


@pytest.mark.parametrize(
    ("keywords", "options"), [(TextKeywords, [TextOptions]), (TrainKeywords, [TextOptions, TrainConfig])]
)
def test_the_keywords_for_editors_are_the_fields(keywords, options):
    fields_of = {field.name: field.type for kind in options for field in fields(kind)}
    assert keywords.__annotations__ == fields_of
