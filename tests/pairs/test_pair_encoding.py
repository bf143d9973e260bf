"""Given pairs are numbered by the weight of their words and contexts."""

import numpy as np
import pytest

from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import InputError
from tests.pairs.examples import encoded, write


def unpacked(encoded):
    names = encoded.words.names, encoded.contexts.names
    return [(names[0][p >> 32], names[1][p & 0xFFFFFFFF]) for p in encoded.pairs.tolist()]


def test_words_and_contexts_are_numbered_by_weight_and_then_by_bytes(tmp_path):
    got = encoded([("a", "x", 0.5), ("b", "y", 3), ("c", "x", 0.5), ("c", "z", 0)], tmp_path, 0.1, 0.1)
    assert (got.words.names, got.words.mass.tolist()) == (["b", "a", "c"], [3, 0.5, 0.5])
    assert (got.contexts.names, got.contexts.mass.tolist()) == (["y", "x"], [3, 1])
    assert unpacked(got) == [("a", "x"), ("b", "y"), ("c", "x")]
    assert got.weights.tolist() == [0.5, 3, 0.5]


def test_each_side_has_a_min_count_of_its_own(tmp_path):
    pairs = [("a", "x")] * 5 + [("b", "x")] * 3 + [("b", "y")] * 2 + [("c", "z")]
    got = encoded(pairs, tmp_path, least=2, context_least=2)
    assert (got.words.names, got.contexts.names) == (["a", "b"], ["x", "y"])
    assert unpacked(got) == pairs[:-1]


def test_a_weight_that_comes_late_finds_the_pairs_before_it_counted_once(tmp_path):
    pairs = [("a", "x")] * 200_000 + [("b", "y", 2.5)] + [("a", "y")] * 200_000
    got = encoded(pairs, tmp_path)
    assert len(got.weights) == len(got.pairs) == 400_001
    assert got.weights[200_000] == 2.5 and got.weights.sum() == 400_002.5
    assert dict(zip(got.contexts.names, got.contexts.mass.tolist(), strict=True)) == {"x": 200_000, "y": 200_002.5}


def test_given_vocabularies_are_taken_as_they_are(tmp_path):
    words, contexts = Vocabulary.of([("b", 7), ("q", 9)]), Vocabulary.of([("x", 3), ("y", 2)])
    got = encoded([("a", "x"), ("b", "y"), ("b", "z")], tmp_path, words=words, contexts=contexts)
    assert (got.words.names, got.words.mass.tolist()) == (("q", "b"), [9, 7])
    assert unpacked(got) == [("b", "y")]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "the list of pairs contains no pairs. Each line must read like: cat sleeps"),
        (
            [("a", "x"), ("b", "x")],
            "the list of pairs has only one context of weight above 0, and training needs at least 2. Use more pairs.",
        ),
    ],
)
def test_too_few_to_learn_from(pairs, message, tmp_path):
    with pytest.raises(InputError) as error:
        encoded(pairs, tmp_path)
    assert str(error.value) == message


def test_weights_of_any_size_add_up_alike_however_the_input_is_cut(tmp_path):
    rng = np.random.default_rng(0)
    weights = 10.0 ** rng.uniform(-9, 1, 300_000)
    pairs = [(f"w{i % 7}", f"c{i % 11}", float(np.float32(n))) for i, n in enumerate(weights.tolist())]
    write(tmp_path / "1.txt", pairs[:123_456])
    write(tmp_path / "2.txt", pairs[123_456:])
    digests = []
    for number, source in enumerate((pairs, [tmp_path / "1.txt", tmp_path / "2.txt"])):
        folder = tmp_path / str(number)
        folder.mkdir()
        digests.append(encoded(source, folder).digest)
    assert digests[0] == digests[1]
