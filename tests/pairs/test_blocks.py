"""Parts and rounds depend on the corpus and the model, never on threads."""

import numpy as np
import pytest

from pairloom.method.draws import key
from pairloom.pairs.blocks import deal_parts, number_of_parts, pairs_per_round, ranges, stride_of


def test_parts_weigh_the_same():
    counts = 1e6 / np.arange(1, 20_001)
    parts = deal_parts(20_000, 32, key(1))
    assert np.bincount(parts).tolist() == [625] * 32
    without_the_most_frequent = np.bincount(parts[64:], weights=counts[64:])
    assert without_the_most_frequent.max() / without_the_most_frequent.min() < 1.2


def test_which_words_share_a_part_changes_from_round_to_round():
    one, other = deal_parts(20_000, 32, key(1)), deal_parts(20_000, 32, key(2))
    partners = one[:100] == one[100:200]
    assert np.mean(partners == (other[:100] == other[100:200])) < 1
    assert not np.array_equal(one, other)


def test_every_part_has_enough_words_to_draw_noise_from():
    for n_words in (2, 63, 64, 128, 1000, 70_000, 3_000_000):
        for dim in (1, 100, 4096):
            parts = number_of_parts(n_words, n_words, dim, 1e9)
            assert parts == 1 or np.bincount(deal_parts(n_words, parts, key(1))).min() >= 32


def test_a_larger_model_has_more_parts():
    assert number_of_parts(60, 60, 100, 1e9) == 1
    assert number_of_parts(68_000, 68_000, 100, 1e9) == number_of_parts(68_000, 68_000, 300, 1e9) == 32
    assert number_of_parts(1_000_000, 1_000_000, 100, 1e9) == number_of_parts(1_000_000, 1_000_000, 4096, 1e9) == 64


def test_a_short_text_has_fewer_parts_unless_the_model_is_large():
    assert number_of_parts(50_000, 50_000, 100, 3e6) == 16
    assert number_of_parts(50_000, 50_000, 100, 5e6) == 32
    assert number_of_parts(1_000_000, 1_000_000, 100, 3e6) == 64


@pytest.mark.parametrize("n_words", [2, 100, 1025, 70_001])
def test_the_words_of_a_part_are_numbered_by_dropping_the_bits_that_choose_it(n_words):
    """The kernel's memory has a place for each of these numbers, and checks no bounds."""
    parts = number_of_parts(n_words, n_words, 100, 1e9)
    part_of = deal_parts(n_words, parts, key(1))
    members = [np.flatnonzero(part_of == part) for part in range(parts)]
    for ids in members:
        numbers = ids >> (parts.bit_length() - 1)
        assert len(set(numbers.tolist())) == len(ids)
        assert numbers.max() < max(map(len, members))


def test_a_round_is_shorter_where_its_blocks_would_be_too_long():
    assert pairs_per_round(32, 100, 5) == 8_000_000
    assert pairs_per_round(1, 1, 1) == 500_000
    assert pairs_per_round(2, 4096, 64) == 4 * (10**9 // (4096 * 65))


@pytest.mark.parametrize("dim", [1, 16, 17, 100, 128, 300, 512, 1024, 4096])
def test_rows_are_whole_cache_lines_and_an_odd_number_of_them(dim):
    stride = stride_of(dim)
    assert dim <= stride <= dim + 31
    assert stride % 16 == 0 and stride // 16 % 2 == 1


def test_ranges_cover_all_sentences_in_order():
    starts = np.concatenate([[0], np.cumsum(np.random.default_rng(0).integers(1, 50, 1000))])
    for tokens in (1, 10, 777, 10**9):
        found = list(ranges(starts, tokens))
        assert [a for a, _ in found] + [1000] == [0] + [b for _, b in found]
        assert all(starts[b] - starts[a] >= tokens for a, b in found[:-1])


def test_the_smaller_vocabulary_bounds_the_parts():
    assert number_of_parts(68_000, 60, 100, 1e9) == number_of_parts(60, 68_000, 100, 1e9) == 1
    assert number_of_parts(68_000, 1_000_000, 100, 1e9) == 64
