"""The contexts of new words, counted in a text in expectation, or added up from pairs."""

import itertools
from collections import Counter

import numpy as np
import pytest

import pairloom
from pairloom import Embedding
from pairloom.method.contexts import Windows, keep_limit, sentence_pairs
from pairloom.method.draws import key


def test_the_pairs_of_a_text_are_those_that_training_expects(without):
    """The mean of many draws by contexts.py equals what is computed without drawing."""
    sentence = "cat new dog cat hen cat red cat cow new cat pig".split()
    expected = _expected(without, sentence, sample=0.005, window=3)
    words = [*without.contexts.words, "new"]
    scaled = np.append(without.contexts.counts, max(1, round(2 * without.contexts.counts.sum() / len(sentence))))
    keep = pairloom.Vocabulary(tuple(words), scaled).keep_probability(0.005)
    assert 0.1 < keep.min() < keep.max() < 0.5
    ids = np.array([words.index(word) for word in sentence], np.int32)
    drawn = Counter()
    n = 10_000
    for i in range(n):
        keys = {"keep_key": key(1, i), "window_key": key(2, i)}
        drawn.update(sentence_pairs(ids, 0, windows=Windows(3, 3), limit=keep_limit(keep), **keys))
    mean = {words[c]: times / n for (w, c), times in drawn.items() if words[w] == "new" and words[c] != "new"}
    assert mean.keys() == expected.keys()
    for word, times in mean.items():
        assert times == pytest.approx(expected[word], abs=5 * np.sqrt(max(expected[word], 1e-4) / n) + 2e-4)


def _expected(embedding, sentence, **options):
    """n(new, c) for all c, as fold_in computes them from a text of one sentence."""
    import pairloom.unseen.fold_in.fold_in as module

    calls = []
    original = module.solve

    def spy(occurrences, *rest):
        calls.append(occurrences)
        return original(occurrences, *rest)

    module.solve = spy
    try:
        embedding.fold_in([sentence], words=["new"], **options)
    finally:
        module.solve = original
    (found,) = calls
    return {embedding.contexts.words[row]: t for row, t in zip(found.rows.tolist(), found.times.tolist(), strict=True)}


def test_without_thinning_a_window_reaches_less_and_less_far(without):
    expected = _expected(without, "cat dog hen new cow pig goat sheep".split(), sample=0, window=3)
    third = 1 / 3
    assert expected == pytest.approx(
        {"cat": third, "dog": 2 * third, "hen": 1, "cow": 1, "pig": 2 * third, "goat": third}
    )


def test_windows_are_those_of_the_model(two_topics):
    right = pairloom.train(two_topics, dim=8, min_count=1, sample=0, left=0, right=2, window_shape="fixed")
    sentence = "cat dog new hen cow pig".split()
    assert _expected(right, sentence) == pytest.approx({"hen": 1, "cow": 1})
    assert _expected(right, sentence, side="contexts") == pytest.approx({"cat": 1, "dog": 1})


def test_unknown_words_leave_the_text_before_windows_are_taken(without):
    near = _expected(without, "cat new dog".split(), sample=0)
    assert _expected(without, "cat zebra zebra new gnu dog".split(), sample=0) == near


def test_a_context_has_the_noise_that_training_draws_for_it(two_topics):
    """k |D| noise(c) pairs (w, c) of D', as training draws them, equal what the regression takes."""
    emb = pairloom.train(two_topics, dim=4, epochs=1, min_count=1, sample=0)
    fewer = Embedding(
        words=emb.words,
        contexts=emb.contexts.vectors_for_all((w for w in emb.contexts if w != "duck"), copy_vecattrs=True),
        record=emb.record,
    )
    import pairloom.unseen.fold_in.fold_in as module

    taken = {}
    original = module.solve
    module.solve = lambda occurrences, matrix, noise, drawn, *rest: (
        taken.update(drawn=drawn) or original(occurrences, matrix, noise, drawn, *rest)
    )
    try:
        fewer.fold_in(two_topics, side="contexts")
    finally:
        module.solve = original
    vocabulary = pairloom.Vocabulary(tuple(emb.contexts.words), emb.contexts.counts)
    pairs = dict.fromkeys(vocabulary.words, 0.0)
    for sentence in two_topics:
        for i, j in itertools.permutations(range(len(sentence)), 2):
            pairs[sentence[j]] += max(0, 1 - (abs(i - j) - 1) / 5)
    duck = vocabulary.index["duck"]
    per_pair = 5 * sum(pairs.values()) * vocabulary.noise()[duck] / pairs["duck"]
    assert taken["drawn"][0] == pytest.approx(per_pair, rel=0.1)


def test_pairs_are_added_up_whatever_their_order(without):
    pairs = [("new", "cat", 0.1), ("new", "dog", 2), ("new", "cat", 0.7), ("new", "cat", 1e-9), ("other", "red")] * 3
    one, other = (without.fold_in(pairs=some).vectors for some in (pairs, sorted(pairs, reverse=True)))
    assert one.words == other.words == ["new", "other"]
    np.testing.assert_array_equal(one.vectors, other.vectors)
    assert one.counts.tolist() == [8, 3]


def test_pairs_of_known_words_or_with_unknown_contexts_are_ignored(without):
    pairs = [("new", "cat"), ("new", "zebra"), ("cat", "dog")]
    folded = without.fold_in(pairs=pairs)
    assert folded.vectors.words == ["new"]
    np.testing.assert_array_equal(folded.vectors.vectors, without.fold_in(pairs=[("new", "cat")]).vectors.vectors)


def test_pairs_can_give_new_contexts(without):
    folded = without.fold_in(pairs=[("cat", "near_1"), ("dog", "near_1", 2.5)], side="contexts")
    assert folded.vectors.words == ["near_1"]
    assert "near_1" in without.with_words(folded).contexts
