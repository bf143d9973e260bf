"""Section 3: how text becomes pairs. The definitions, and their compiled twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from wordloom.contexts import half_widths, keep_limit, pairs, sentence_pairs, stays
from wordloom.draws import Purpose, key
from wordloom.kernel import pairs as kernel

KEYS = np.array([key(1, Purpose.KEEP, 0), key(1, Purpose.WINDOW, 0), key(0, Purpose.HELDOUT)])


def test_each_word_is_paired_with_its_neighbours_but_not_with_itself():
    assert list(pairs([7, 8, 9], [1, 1, 1])) == [(7, 8), (8, 7), (8, 9), (9, 8)]


def test_a_word_that_occurs_twice_is_its_own_context():
    assert list(pairs([7, 7], [1, 1])) == [(7, 7), (7, 7)]


def test_the_window_belongs_to_the_word_in_its_middle():
    assert list(pairs([1, 2, 3], [2, 1, 1])) == [(1, 2), (1, 3), (2, 1), (2, 3), (3, 2)]


def test_a_sentence_of_one_word_has_no_pairs():
    assert list(pairs([7], [5])) == []


def test_words_leave_before_windows_are_taken_so_the_window_reaches_over_the_gap():
    ids = np.array([0, 1, 0, 2], np.int32)
    never_zero = np.array([0, 2**32, 2**32], np.uint64)
    found = sentence_pairs(ids, 0, window=1, limit=never_zero, keep_key=KEYS[0], window_key=KEYS[1])
    assert list(found) == [(1, 2), (2, 1)]


def test_half_widths_are_uniform_on_one_to_window():
    widths = half_widths(np.arange(50_000), 5, KEYS[1])
    counts = np.bincount(widths, minlength=6)
    assert counts[0] == 0 and len(counts) == 6
    assert chisquare(counts[1:]).pvalue > 0.001


def test_words_stay_as_often_as_their_probability_says():
    probability = np.array([0.01, 0.3, 0.999, 1.0])
    for word, p in enumerate(probability):
        n = 100_000
        kept = sum(stays(np.full(n, word, np.int32), np.arange(n), keep_limit(probability), KEYS[0]))
        if p == 1.0:
            assert kept == n
        else:
            assert chisquare([kept, n - kept], [n * p, n * (1 - p)]).pvalue > 0.001


def deal_all(ids, starts, limit, window, parts, part_of, chunks, heldout_limit=0):
    """All pairs by the kernel, cut into chunks, as {block: [(w, c), ...]}."""
    n = len(ids)
    kept, left, right, part = np.empty((4, n), np.int32)
    counts = np.zeros((len(chunks), parts * parts), np.int64)
    survivors = []
    for (first, last), row in zip(chunks, counts, strict=True):
        at = starts[first]
        room = kept[at:], left[at:], right[at:]
        m = kernel.thin(ids, starts, first, last, limit, window, KEYS, np.uint64(heldout_limit), *room)
        kernel.count(*room, m, parts, part_of, part[at:], row)
        survivors.append(m)
    ends = counts.T.cumsum()
    places = np.ascontiguousarray((ends - counts.T.ravel()).reshape(-1, len(chunks)).T)
    begins = np.append(places[0], ends[-1])
    dealt = np.full(ends[-1], -1)
    for (first, _), m, place in zip(chunks, survivors, places, strict=True):
        at = starts[first]
        kernel.deal(kept[at:], left[at:], right[at:], m, parts, part[at:], place, dealt)
    return {
        block: [(p >> 32, p & 0xFFFFFFFF) for p in dealt[begins[block] : begins[block + 1]].tolist()]
        for block in range(parts * parts)
    }


@settings(max_examples=60, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 12), min_size=1, max_size=12),
    window=st.integers(1, 7),
    parts=st.sampled_from([1, 2, 4]),
    seed=st.integers(0, 10**6),
)
def test_the_kernel_gives_the_pairs_of_the_definition_in_the_same_order(lengths, window, parts, seed):
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    ids = rng.integers(0, 9, starts[-1]).astype(np.int32)
    limit = keep_limit(rng.random(9) * 1.3)
    part_of = (np.arange(9) % parts).astype(np.int32)
    expected = {block: [] for block in range(parts * parts)}
    for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        options = {"window": window, "limit": limit, "keep_key": KEYS[0], "window_key": KEYS[1]}
        for w, c in sentence_pairs(ids[begin:end], begin, **options):
            expected[part_of[w] * parts + part_of[c]].append((w, c))
    sentences = len(lengths)
    for chunks in ([(0, sentences)], [(i, i + 1) for i in range(sentences)]):
        assert deal_all(ids, starts, limit, window, parts, part_of, chunks) == expected


@pytest.mark.parametrize("window", [1, 5, 1000])
def test_the_number_of_pairs_is_that_of_a_brute_force_count(window):
    rng = np.random.default_rng(0)
    starts = np.concatenate([[0], np.cumsum(rng.integers(1, 40, 60))])
    ids = rng.integers(0, 50, starts[-1]).astype(np.int32)
    everything = np.full(50, 2**32, np.uint64)
    sentence_of = np.repeat(np.arange(60), np.diff(starts))
    widths = np.array(half_widths(np.arange(len(ids)), window, KEYS[1]))
    brute = sum(
        i != j and sentence_of[i] == sentence_of[j] and abs(i - j) <= widths[i]
        for i in range(len(ids))
        for j in range(len(ids))
    )
    none = np.zeros(50, np.int32)
    assert len(deal_all(ids, starts, everything, window, 1, none, [(0, 60)])[0]) == brute


def test_held_out_sentences_give_no_pairs():
    starts = np.arange(0, 2001, 10)
    ids = np.repeat(np.arange(200), 10).astype(np.int32)  # the word tells the sentence
    everything = np.full(200, 2**32, np.uint64)
    dealt = deal_all(ids, starts, everything, 2, 1, np.zeros(200, np.int32), [(0, 200)], heldout_limit=2**31)[0]
    trained = {w for w, _ in dealt}
    assert 70 < len(trained) < 130
    assert all(w == c for w, c in dealt)
