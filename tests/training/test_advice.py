"""A corpus that is too small is refused with advice, and the advice is true: following it leads on.

The tests follow the advice of each message until training works, or until no option would help and the message says so.
"""

import random
import re

import pytest

import pairloom
from pairloom.training.sppmi import sppmi_table

KINDS = {
    "skipgram": {},
    "cbow": {"model": "cbow"},
    "hs": {"objective": "hs"},
    "softmax": {"objective": "softmax"},
    "sppmi": {"model": "sppmi-svd"},
    "positional": {"positional": True},
}
WHOLE = {"min_count", "negatives", "dim"}


def followed(message, options):
    """The options after following the advice of a message, or None if it says that the corpus itself must change."""
    advice = message.rpartition(": ")[2] if ": a table" in message else message
    changes = {}
    for name, value in re.findall(r"[Uu]se (?:a )?(\w+)=([\d.e-]+\d|\d)", advice) + re.findall(
        r" and (heldout)=(0)", advice.partition(". Use ")[2]
    ):
        changes[name] = int(value) if name in WHOLE and value.isdigit() else float(value)
    if match := re.search(r"dim=\d+ is too large.* Use (\d+) or less", message):
        changes["dim"] = int(match[1])
    for name in re.findall(r"[Ll]eave out (clean|max_vocab|patience)", advice):
        changes[name] = None
    if re.search("[Dd]rop fewer words", advice):
        changes["drop"] = None
    after = {name: value for name, value in {**options, **changes}.items() if value is not None}
    assert after != options or not changes, message
    return after if changes else None


def messages_until_trained(train, corpus, options):
    """Follow the advice of every message. Returns all messages, and whether training worked at the end."""
    messages = []
    for _ in range(8):
        try:
            train(corpus, **options)
            return messages, True
        except pairloom.InputError as error:
            messages.append(str(error))
        options = followed(messages[-1], options)
        if options is None:
            return messages, False
    raise AssertionError(f"no end of advice: {messages}")


def a_text(draw):
    """A few short lines over a few words, often repeated."""
    words = [f"w{i}" for i in range(draw.choice([1, 2, 3, 8]))]
    lines = [draw.choices(words, k=draw.choice([1, 1, 2, 2, 3, 6])) for _ in range(draw.choice([1, 2, 10, 30]))]
    return lines * draw.choice([1, 3, 20])


def some_options(draw):
    options = {
        "min_count": draw.choice([1, 2, 5, 50]),
        "sample": draw.choice([0.0, 1e-3, 1e-9]),
        "heldout": draw.choice([0.0, 0.001, 0.5]),
        "clean": draw.choice([False, True]),
        "window": draw.choice([1, 5]),
        "max_vocab": draw.choice([None, 2]),
        "drop": draw.choice([None, ["w0"], ["w0", "w1"]]),
    }
    return {name: value for name, value in options.items() if value is not None}


@pytest.mark.filterwarnings("ignore::pairloom.errors.IgnoredOptionWarning")  # all kinds get the same options
@pytest.mark.parametrize("kind", KINDS)
def test_advice_leads_from_any_tiny_text_to_vectors_or_to_the_text_itself(kind):
    draw, refused, trained = random.Random(kind), 0, 0
    for _ in range(60):
        text, options = a_text(draw), {**some_options(draw), **KINDS[kind], "dim": 4, "epochs": 2}
        messages, works = messages_until_trained(pairloom.train, text, options)
        refused, trained = refused + bool(messages), trained + works
        if not works and "different words" not in messages[-1]:
            single, alone = len({word for line in text for word in line}) < 2, all(len(line) < 2 for line in text)
            assert single or alone, (messages, options)
            assert messages[-1].startswith(
                "the corpus (a list) has only one word" if single else "No line of the corpus (a list) has two words"
            )
    assert refused > 20 and trained > 20


def a_list_of_pairs(draw):
    names = [[f"{side}{i}" for i in range(draw.choice([1, 2, 5]))] for side in "wc"]
    weights = draw.choice([[1.0], [0.01], [0.0, 0.4, 3.0]])
    return [
        (draw.choice(names[0]), draw.choice(names[1]), draw.choice(weights)) for _ in range(draw.choice([1, 5, 60]))
    ]


def test_advice_leads_from_any_few_pairs_to_vectors_or_to_the_pairs_themselves():
    draw, refused, trained = random.Random(5), 0, 0
    for _ in range(120):
        options = {
            "min_count": draw.choice([0.5, 1, 5]),
            "min_context_count": draw.choice([None, 0.5, 4]),
            "sample": draw.choice([0.0, 1e-9]),
            "heldout": draw.choice([0.0, 0.5]),
            "dim": 4,
            "epochs": 1,
        }
        given = {name: value for name, value in options.items() if value is not None}
        messages, works = messages_until_trained(pairloom.train_pairs, a_list_of_pairs(draw), given)
        refused, trained = refused + bool(messages), trained + works
        assert works or re.search("Use more pairs|Multiply all weights", messages[-1]), messages
    assert refused > 20 and trained > 20


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            [["a", "b"]] * 200,
            {},
            "With sample=0.001, no two words of the corpus (a list) are in one window, "
            "so there are no pairs to learn from. "
            "Use sample=0, or more words.",
        ),
        (
            [["a"], ["b"]] * 20,
            {},
            "No line of the corpus (a list) has two words, "
            "so there are no pairs to learn from. Put several words on a line.",
        ),
        (
            [["a", "x"], ["b", "y"]] * 4 + [["a"], ["b"]],
            {"min_count": 5, "sample": 0},
            "With min_count=5, no two words of the corpus (a list) are in one window, "
            "so there are no pairs to learn from. "
            "Use min_count=1.",
        ),
        (
            [["a", "x"], ["b", "y"]] * 9,
            {"drop": ["x", "y"], "sample": 0},
            "With drop, no two words of the corpus (a list) are in one window, "
            "so there are no pairs to learn from. "
            "Drop fewer words.",
        ),
        (
            [["a", "x", "b"]] * 9,
            {"drop": ["x"], "clean": True, "window": 1, "sample": 0},
            "With clean windows, no two words of the corpus (a list) are in one window, "
            "so there are no pairs to learn from. "
            "Use a larger window, or leave out clean.",
        ),
        (
            [["a", "b"]] * 9,
            {"drop": ["b"]},
            "drop leaves 1 of the 2 words of the corpus (a list), and at least 2 words are needed. "
            "Drop fewer words, or use more text.",
        ),
        (
            [["a", "b", "b", "c"]],
            {},
            "min_count=5 leaves none of the 3 words of the corpus (a list), and at least 2 words are needed. "
            "Use min_count=1, or more text.",
        ),
        (
            [["a", "b"]] * 200,
            {"model": "sppmi-svd", "dim": 1, "sample": 0},
            "No pair occurs more than 2 times as often as by chance, so SPPMI with negatives=5 is 0 everywhere. "
            "Use negatives=1, or more text.",
        ),
    ],
)
def test_messages_name_the_option_that_would_help(text, options, message):
    with pytest.raises(pairloom.InputError) as error:
        pairloom.train(text, **options)
    assert str(error.value) == message


def test_a_given_vocabulary_is_named_when_no_line_has_two_of_its_words():
    vocabulary = pairloom.Vocabulary.of([("a", 20), ("b", 20)])
    with pytest.raises(pairloom.InputError) as error:
        pairloom.train([["a", "x"], ["b", "y"]] * 20, vocabulary=vocabulary, sample=0)
    assert str(error.value) == (
        "No line of the corpus (a list) has two of the given words, so there are no pairs to learn from. "
        "Put several on a line, or give other words."
    )


def test_the_table_of_sppmi_gives_the_same_advice():
    with pytest.raises(pairloom.InputError, match=r"With sample=1e-09, .* Use sample=0, or more words\."):
        sppmi_table([["a", "b"]] * 200, sample=1e-9)
    with pytest.raises(pairloom.InputError, match=r"With min_count=5, .* Use min_count=1\."):
        sppmi_table([["a", "x"], ["b", "y"]] * 4 + [["a"], ["b"]], sample=0)


PAIRS = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "z")]


@pytest.mark.parametrize(
    ("pairs", "options", "advice"),
    [
        ([("a", "x")] * 9, {}, "only one word of weight above 0"),
        (PAIRS, {}, "Use min_count=2, or more pairs."),
        ([(*pair, 0.2) for pair in PAIRS], {}, "Use min_count=0.396, or more pairs."),
        (PAIRS, {"min_count": 1, "min_context_count": 2}, "Use min_context_count=1, or more pairs."),
        ([(*pair, 0.0) for pair in PAIRS], {}, "no word of weight above 0"),
        (PAIRS * 9, {"sample": 1e-9}, "Use sample=0, or more pairs."),
    ],
)
def test_messages_about_pairs_name_the_option_that_would_help(pairs, options, advice):
    with pytest.raises(pairloom.InputError, match=re.escape(advice)):
        pairloom.train_pairs(pairs, **options)


def test_pairs_whose_frequent_words_have_rare_contexts():
    pairs = [("w", f"c{i}") for i in range(9)] + [("v", f"d{i}") for i in range(9)]
    pairs += [(f"a{i}", context) for i in range(9) for context in "xy"]
    with pytest.raises(pairloom.InputError, match=r"has both its word and its context.* Use min_context_count=1\."):
        pairloom.train_pairs(pairs, min_count=5)
    contexts = pairloom.Vocabulary.of([("x", 9), ("y", 9)])
    with pytest.raises(pairloom.InputError, match=r"has both its word and its context.* Use min_count=2\."):
        pairloom.train_pairs(pairs, min_count=5, contexts=contexts)
    with pytest.raises(pairloom.InputError, match=r"has both its word and its context.* Leave out max_vocab\."):
        pairloom.train_pairs(pairs, min_count=1, max_vocab=2, contexts=contexts)
    with pytest.raises(pairloom.InputError, match=r"Give vocabularies of these pairs\."):
        pairloom.train_pairs(pairs, contexts=pairloom.Vocabulary.of([("p", 9), ("q", 9)]), min_count=5)
