"""Section 3: how text becomes pairs. The definitions, and their compiled twin."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from pairloom.config import TrainConfig
from pairloom.kernel.steps import deal_text as kernel
from pairloom.method.contexts import Windows, half_widths, keep_limit, kept_by_subsampling, pairs, sentence_pairs
from pairloom.method.draws import Purpose, key

KEYS = np.array([key(1, Purpose.KEEP, 0), key(1, Purpose.WINDOW, 0), key(0, Purpose.HELDOUT)])
SHAPES = ("dynamic", "fixed", "harmonic", "linear")


def neighbours(sentence, widths):
    return [(w, c) for w, c, _ in pairs(sentence, widths, widths)]


def of_sentence(ids, windows, limit):
    keys = {"keep_key": KEYS[0], "window_key": KEYS[1]}
    return list(sentence_pairs(np.array(ids, np.int32), 0, windows=windows, limit=limit, **keys))


def test_each_word_is_paired_with_its_neighbours_but_not_with_itself():
    assert neighbours([7, 8, 9], [1, 1, 1]) == [(7, 8), (8, 7), (8, 9), (9, 8)]


def test_a_word_that_occurs_twice_is_its_own_context():
    assert neighbours([7, 7], [1, 1]) == [(7, 7), (7, 7)]


def test_the_window_belongs_to_the_word_in_its_middle():
    assert neighbours([1, 2, 3], [2, 1, 1]) == [(1, 2), (1, 3), (2, 1), (2, 3), (3, 2)]


def test_a_sentence_of_one_word_has_no_pairs():
    assert neighbours([7], [5]) == []


def test_a_window_may_reach_to_one_side_only():
    assert list(pairs([7, 8, 9], [0, 0, 0], [1, 1, 1])) == [(7, 8, 1), (8, 9, 1)]
    assert list(pairs([7, 8, 9], [1, 1, 1], [0, 0, 0])) == [(8, 7, -1), (9, 8, -1)]


NEVER_ZERO = np.array([0, 2**32, 2**32], np.uint64)


def test_words_leave_before_windows_are_taken_so_the_window_reaches_over_the_gap():
    assert of_sentence([0, 1, 0, 2], Windows(1, 1), NEVER_ZERO) == [(1, 2), (2, 1)]


def test_clean_windows_are_taken_before_words_leave():
    assert of_sentence([0, 1, 0, 2], Windows(1, 1, clean=True), NEVER_ZERO) == []
    assert of_sentence([0, 1, 0, 2], Windows(2, 2, "fixed", clean=True), NEVER_ZERO) == [(1, 2), (2, 1)]


def test_a_gap_is_no_word_even_where_every_word_stays():
    everything = np.full(3, 2**32, np.uint64)
    assert of_sentence([1, -1, 2], Windows(1, 1, "fixed", clean=True), everything) == []
    assert of_sentence([1, -1, 2], Windows(2, 2, "fixed", clean=True), everything) == [(1, 2), (2, 1)]


def test_a_positional_context_is_a_word_and_its_place():
    everything = np.full(3, 2**32, np.uint64)
    windows = Windows(2, 1, "fixed", positional=True)
    assert windows.offsets == [-2, -1, 1]
    at = {(c, o): c * 3 + k for c in range(3) for k, o in enumerate(windows.offsets)}
    expected = [(0, at[1, 1]), (1, at[0, -1]), (1, at[2, 1]), (2, at[0, -2]), (2, at[1, -1])]
    assert of_sentence([0, 1, 2], windows, everything) == expected


def test_half_widths_are_uniform_on_one_to_window():
    left, right = half_widths(np.arange(50_000), Windows(5, 5), KEYS[1])
    assert left == right  # one draw for both sides, as the paper has one k'
    counts = np.bincount(left, minlength=6)
    assert counts[0] == 0 and len(counts) == 6
    assert chisquare(counts[1:]).pvalue > 0.001


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("reach", [(5, 5), (3, 7), (0, 4), (1, 0)])
def test_a_word_d_away_is_a_context_as_often_as_the_weights_say(shape, reach):
    windows, n = Windows(*reach, shape), 50_000
    for side, widths in zip(reach, half_widths(np.arange(n), windows, KEYS[1]), strict=True):
        weights = windows.weights(side)
        assert len(weights) == side and max(widths) <= side
        exactly = -np.diff(np.concatenate([[1.0], weights, [0.0]]))  # p(k' = d), d = 0..side
        seen = np.bincount(widths, minlength=side + 1)
        assert (seen[exactly == 0] == 0).all()
        possible = exactly > 0
        if possible.sum() > 1:
            assert chisquare(seen[possible], n * exactly[possible]).pvalue > 0.001


@pytest.mark.parametrize("shape", ["harmonic", "linear"])
def test_the_sides_of_a_weighted_window_do_not_depend_on_each_other(shape):
    left, right = half_widths(np.arange(50_000), Windows(5, 5, shape), KEYS[1])
    assert abs(np.corrcoef(left, right)[0, 1]) < 0.02


def test_windows_follow_the_configuration():
    assert Windows.of(TrainConfig()) == Windows(5, 5)
    assert Windows.of(TrainConfig(window=4, left=0, window_shape="harmonic")) == Windows(0, 4, "harmonic")
    assert Windows.of(TrainConfig(window="sentence")) == Windows(1_000_000, 1_000_000, "fixed")
    assert Windows.of(TrainConfig(clean=True, positional=True)) == Windows(5, 5, "dynamic", True, True)


def test_the_mean_number_of_contexts_is_the_sum_of_the_weights():
    assert Windows(5, 5).contexts_per_word == 6.0
    assert Windows(2, 3, "fixed").contexts_per_word == 5.0
    assert Windows(0, 2, "harmonic").contexts_per_word == 1.5


def test_words_stay_as_often_as_their_probability_says():
    probability = np.array([0.01, 0.3, 0.999, 1.0])
    for word, p in enumerate(probability):
        n = 100_000
        kept = sum(kept_by_subsampling(np.full(n, word, np.int32), np.arange(n), keep_limit(probability), KEYS[0]))
        if p == 1.0:
            assert kept == n
        else:
            assert chisquare([kept, n - kept], [n * p, n * (1 - p)]).pvalue > 0.001


def deal_all(ids, starts, limit, windows, parts, word_part, context_part, chunks, heldout_limit=0):
    """All pairs by the kernel, cut into chunks, as {block: [(w, c), ...]}."""
    memory = np.empty((4, len(ids)), np.int32)
    draws = kernel.TextDraws(limit, kernel.Reach.of(windows), KEYS, np.uint64(heldout_limit))
    no_hubs = 2**31
    in_parts = kernel.Labels(parts, word_part, context_part, no_hubs, no_hubs, np.uint64(0))
    offsets = windows.left, windows.n_offsets
    counts = np.zeros((len(chunks), parts * parts), np.int64)
    survivors = []
    for (first, last), row in zip(chunks, counts, strict=True):
        chunk = kernel.Survivors(*memory[:, starts[first] :])
        m = kernel.thin(kernel.Slices(ids, starts, np.array([first]), np.array([last])), draws, chunk)
        if windows.positional:
            kernel.count_placed(chunk, m, *offsets, in_parts, row)
        else:
            kernel.put_labels(chunk, m, in_parts)
            kernel.count(chunk, m, in_parts, row)
        survivors.append(m)
    ends = counts.T.cumsum()
    places = np.ascontiguousarray((ends - counts.T.ravel()).reshape(-1, len(chunks)).T)
    begins = np.append(places[0], ends[-1])
    dealt = np.full(ends[-1], -1)
    for (first, _), m, at in zip(chunks, survivors, places, strict=True):
        chunk = kernel.Survivors(*memory[:, starts[first] :])
        if windows.positional:
            kernel.deal_placed(chunk, m, *offsets, in_parts, at, dealt)
        else:
            kernel.deal(chunk, m, in_parts, at, dealt)
    return {
        block: [(p >> 32, p & 0xFFFFFFFF) for p in dealt[begins[block] : begins[block + 1]].tolist()]
        for block in range(parts * parts)
    }


@settings(max_examples=150, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 12), min_size=1, max_size=12),
    reach=st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(any),
    shape=st.sampled_from(SHAPES),
    clean=st.booleans(),
    positional=st.booleans(),
    parts=st.sampled_from([1, 2, 4]),
    seed=st.integers(0, 10**6),
)
def test_the_kernel_gives_the_pairs_of_the_definition_in_the_same_order(
    lengths, reach, shape, clean, positional, parts, seed
):
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    ids = rng.integers(-1 if clean else 0, 9, starts[-1]).astype(np.int32)
    limit = keep_limit(rng.random(9) * 1.3)
    windows = Windows(*reach, shape, clean, positional)
    word_part = np.arange(9, dtype=np.int32)  # as labels: the part is what is left of a division by their number
    context_part = np.arange(9 * windows.n_offsets, dtype=np.int32) if positional else word_part
    expected = {block: [] for block in range(parts * parts)}
    for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        options = {"windows": windows, "limit": limit, "keep_key": KEYS[0], "window_key": KEYS[1]}
        for w, c in sentence_pairs(ids[begin:end], begin, **options):
            expected[w % parts * parts + c % parts].append((w, c))
    sentences = len(lengths)
    for chunks in ([(0, sentences)], [(i, i + 1) for i in range(sentences)]):
        assert deal_all(ids, starts, limit, windows, parts, word_part, context_part, chunks) == expected


@pytest.mark.parametrize("window", [1, 5, 1000])
def test_the_number_of_pairs_is_that_of_a_brute_force_count(window):
    rng = np.random.default_rng(0)
    starts = np.concatenate([[0], np.cumsum(rng.integers(1, 40, 60))])
    ids = rng.integers(0, 50, starts[-1]).astype(np.int32)
    everything = np.full(50, 2**32, np.uint64)
    sentence_of = np.repeat(np.arange(60), np.diff(starts))
    windows = Windows(window, window)
    widths = half_widths(np.arange(len(ids)), windows, KEYS[1])[0]
    brute = sum(
        i != j and sentence_of[i] == sentence_of[j] and abs(i - j) <= widths[i]
        for i in range(len(ids))
        for j in range(len(ids))
    )
    none = np.zeros(50, np.int32)
    assert len(deal_all(ids, starts, everything, windows, 1, none, none, [(0, 60)])[0]) == brute


def test_held_out_sentences_give_no_pairs():
    starts = np.arange(0, 2001, 10)
    ids = np.repeat(np.arange(200), 10).astype(np.int32)  # the word tells the sentence
    everything, words = np.full(200, 2**32, np.uint64), np.arange(200, dtype=np.int32)
    dealt = deal_all(ids, starts, everything, Windows(2, 2), 1, words, words, [(0, 200)], heldout_limit=2**31)[0]
    trained = {w for w, _ in dealt}
    assert 70 < len(trained) < 130
    assert all(w == c for w, c in dealt)


def test_places_are_counted_as_often_as_fixed_windows_have_them():
    rng = np.random.default_rng(0)
    starts = np.concatenate([[0], np.cumsum(rng.integers(1, 9, 40))])
    ids = rng.integers(0, 5, starts[-1]).astype(np.int32)
    windows = Windows(2, 3, "fixed", positional=True)
    counts = np.zeros(5 * 5, np.int64)
    kernel.count_places(ids, starts, 0, 40, windows.left, windows.right, counts)
    everything = np.full(5, 2**32, np.uint64)
    seen = [c for a, b in pairwise(starts) for _, c in of_sentence(ids[a:b], windows, everything)]
    assert counts.tolist() == np.bincount(seen, minlength=25).tolist()
