"""Dealt to parts, every context meets every other as noise, as often as the noise says."""

import numpy as np
import pytest

from pairloom.corpus.vocabulary import keep_probability, noise
from pairloom.method.draws import key
from pairloom.pairs.hubs import hubs_of, shares
from pairloom.pairs.parts import deal, noise_of_parts, rows_of_parts, undealt

NO_HUBS = np.empty(0, np.int32)


def members(dealing):
    """Which part every row is in; -1 for hubs, which are in all."""
    return np.where(dealing.labels < dealing.first_hub, dealing.labels % dealing.parts, -1)


@pytest.mark.parametrize("n", [64, 1000, 20_001])
def test_parts_have_equal_sizes_and_every_row_has_a_slot_of_its_own(n):
    dealing = deal(n, np.array([5, 0, 17], np.int32), 16, key(1))
    sizes = np.bincount(members(dealing)[members(dealing) >= 0], minlength=16)
    assert sizes.sum() == n - 3 and sizes.max() - sizes.min() <= 1
    assert len(set(dealing.labels.tolist())) == n
    slots = dealing.labels // 16
    assert slots[[5, 0, 17]].tolist() == [dealing.slots + i for i in range(3)]
    assert np.delete(slots, [5, 0, 17]).max() == dealing.slots - 1
    ids = rows_of_parts(dealing)
    assert all(ids[label % 16, label // 16] == row for row, label in enumerate(dealing.labels) if row not in (5, 0, 17))


def test_one_part_in_the_order_of_the_rows():
    assert undealt(3).labels.tolist() == [0, 1, 2]
    assert rows_of_parts(undealt(3)).tolist() == [[0, 1, 2]]
    assert undealt(3).together == 1.0


def test_any_two_rows_are_as_likely_to_share_a_part_as_any_other_two():
    """Neighbours in frequency included: an earlier dealing never put them into one part."""
    together = np.zeros(100)
    for i in range(4000):
        part = members(deal(100, NO_HUBS, 8, key(i)))
        together += part == part[3]
    expected = 4000 * deal(100, NO_HUBS, 8, key(0)).together
    assert together[3] == 4000
    assert np.abs(np.delete(together, 3) - expected).max() < 4.5 * np.sqrt(expected)


@pytest.mark.parametrize(("n", "parts"), [(64, 2), (65, 2), (1000, 32), (1001, 32)])
def test_the_probability_to_be_together_is_counted_right(n, parts):
    part = members(deal(n, NO_HUBS, parts, key(1)))
    same = (part[:, None] == part) & ~np.eye(n, dtype=bool)
    assert deal(n, NO_HUBS, parts, key(1)).together == pytest.approx(same.sum() / (n * (n - 1)))


def zipf(n, tokens=10_000_000):
    counts = 1 / np.arange(1, n + 1) ** 1.05
    return np.maximum(5, np.rint(counts / counts.sum() * tokens))


def drawn_noise(word_pairs, share, probability, parts, rounds):
    """The noise that the contexts of D' come from, over many rounds: the exact expectation under every dealing.

    word_pairs: the share of pairs that each context has, own draws included. As in training, a pair (w, c) draws from
    the table of c's part with the weight of that part, an own draw of c counts `together`, and hubs are in all parts.
    """
    hubs = hubs_of(share, parts)
    total = np.zeros(len(share))
    for i in range(rounds):
        dealing = deal(len(share), hubs, parts, key(i))
        ids = rows_of_parts(dealing)
        tables = noise_of_parts(probability, dealing, ids)
        cut = tables.cut.astype(float) / 2**32
        for part in range(parts):
            drawn = cut[part] + np.bincount(tables.other[part], 1 - cut[part], minlength=cut.shape[1])
            drawn *= float(tables.drawn[part]) / cut.shape[1]
            mine = ids[part][: np.count_nonzero(members(dealing) == part)]
            hub_pairs = word_pairs[hubs].sum() / parts  # each pair of a hub falls into a part by a draw
            total[mine] += (word_pairs[mine].sum() + hub_pairs) * drawn[: len(mine)]
            total[mine] -= (1 - dealing.together) * word_pairs[mine] * drawn[: len(mine)]
            total[hubs] += (word_pairs[mine].sum() + hub_pairs) * drawn[dealing.slots :]
    return total / rounds


GROUPS = [(0, 1), (1, 5), (5, 32), (32, 40), (40, 200), (200, 1000), (1000, 8000)]


@pytest.mark.parametrize("sample", [0, 1e-3, 1e-4])
@pytest.mark.parametrize("parts", [16, 32, 64])
def test_over_many_rounds_every_context_is_drawn_as_often_as_the_noise_says(parts, sample):
    """Within 2 % for each group of ranks. (Dealt by groups of neighbours, *the* had 0.46 to 0.58 of its noise.)"""
    counts = zipf(8000)
    share = shares(counts * keep_probability(counts, sample, "program"))
    stated = noise(counts, 0.75)
    found = drawn_noise(share, share, stated, parts, rounds=400)
    for first, last in GROUPS:
        assert found[first:last].sum() == pytest.approx(stated[first:last].sum(), rel=0.02), (first, last)


@pytest.mark.parametrize("power", [1.0, 0.75, 0.0, -0.5])
@pytest.mark.parametrize("parts", [16, 64])
def test_given_pairs_with_two_vocabularies_draw_the_noise_of_the_contexts(parts, power):
    """A word's own pairs need not be those of all: the noise of the pairs of one word is the same."""
    counts = zipf(8000)
    stated = noise(counts, power)
    rng = np.random.default_rng(1)
    of_one_word = shares(counts * rng.gamma(0.5, size=8000))
    found = drawn_noise(of_one_word, shares(counts), stated, parts, rounds=400)
    for first, last in GROUPS:
        assert found[first:last].sum() == pytest.approx(stated[first:last].sum(), rel=0.02), (first, last)


def test_a_part_whose_contexts_are_never_drawn_counts_nothing():
    dealing = deal(8, NO_HUBS, 2, key(1))
    probability = np.where(members(dealing) == 0, 0.25, 0.0)
    tables = noise_of_parts(probability, dealing, rows_of_parts(dealing))
    assert tables.drawn[1] == 0
    assert tables.cut[1].tolist() == [0] * 4 and tables.other[1].tolist() == [0] * 4
