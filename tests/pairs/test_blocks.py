"""How a training is divided depends on the corpus and the model, never on threads."""

import numpy as np
import pytest

from pairloom.pairs.blocks import Division, ranges, stride_of


def parts(n_words, n_contexts, dim):
    return Division.of(n_words, n_contexts, dim, 5, 1e8).parts


def test_every_part_has_enough_words_to_draw_noise_from():
    for n_words in (2, 63, 64, 128, 1000, 70_000, 3_000_000):
        for dim in (1, 100, 4096):
            assert parts(n_words, n_words, dim) == 1 or n_words // parts(n_words, n_words, dim) >= 32


def test_a_larger_model_has_more_parts():
    assert parts(60, 60, 100) == 1
    assert parts(68_000, 68_000, 100) == parts(68_000, 68_000, 300) == 32
    assert parts(1_000_000, 1_000_000, 100) == parts(1_000_000, 1_000_000, 4096) == 64


def test_the_smaller_vocabulary_bounds_the_parts():
    assert parts(68_000, 60, 100) == parts(60, 68_000, 100) == 1
    assert parts(68_000, 1_000_000, 100) == 64


@pytest.mark.parametrize("n_words", [512, 5000, 68_000, 1_000_000])
def test_all_rounds_have_at_least_16_parts_if_the_vocabulary_has_the_words(n_words):
    division = Division.of(n_words, n_words, 100, 5, 1e8)
    assert division.parts_of(0) == 16
    assert division.parts_of(division.longest_round) == division.parts >= 16


@pytest.mark.parametrize("n_words", [1_000_000, 30_000_000, 100_000_000, 1_000_000_000])
@pytest.mark.parametrize("pairs", [1e6, 1e9, 1e13])
def test_a_worker_can_hold_a_part_also_in_short_rounds(n_words, pairs):
    division = Division.of(n_words, n_words, 300, 5, pairs)
    assert all(4 * 300 * n_words / division.parts_of(length) < 2 * 2**30 for length in (1e5, 1e6, 1e7, pairs / 128))
    assert division.fewest_parts <= division.usual_parts <= division.parts <= 1024


def test_a_round_is_shorter_where_its_blocks_would_be_too_long():
    for pairs in (1e8, 1e11):
        assert Division.of(60, 60, 1, 1, pairs).longest_round == 500_000
        assert Division.of(128, 128, 4096, 64, pairs).longest_round == 16 * (10**9 // (4096 * 65))
    assert Division.of(68_000, 68_000, 100, 5, 1e8).longest_round == 8_000_000


# --- Long trainings


@pytest.mark.parametrize("n_words", [60, 600, 5000, 68_000, 1_000_000, 10_000_000])
@pytest.mark.parametrize("pairs", [1e3, 1e8, 128 * 8e6])
def test_up_to_128_times_8_million_pairs_the_size_of_the_training_makes_no_difference(n_words, pairs):
    assert Division.of(n_words, n_words, 100, 5, pairs) == Division.of(n_words, n_words, 100, 5, 1.0)


@pytest.mark.parametrize("n_words", [5000, 68_000, 1_000_000])
@pytest.mark.parametrize("pairs", [2e9, 3e10, 1e11, 1e12, 1e14])
def test_longer_trainings_have_longer_rounds_and_more_parts(n_words, pairs):
    division = Division.of(n_words, n_words, 100, 5, pairs)
    parts, longest = division.parts, division.longest_round
    assert parts >= Division.of(n_words, n_words, 100, 5, 1e9).parts
    assert parts <= 1024 and n_words // parts >= 32
    assert 8_000_000 < longest <= min(pairs / 128, parts * 8_000_000, parts**2 * 500_000)
    assert parts == division.usual_parts or longest / parts**2 >= 7812  # pairs of a block


def test_a_training_of_100_billion_pairs_can_use_256_workers():
    assert Division.of(10**6, 10**6, 300, 5, 1e11) == Division(16, 64, 256, 781_250_000)


def test_on_the_way_to_the_longest_rounds_the_parts_become_more():
    division = Division.of(10**6, 10**6, 300, 5, 1e11)
    lengths = np.diff(division.round_edges(1e11, 0, epochs=1)) * 1e11
    assert [division.parts_of(pairs) for pairs in lengths if pairs < 4e6] == [16] * 7
    assert sorted({division.parts_of(pairs) for pairs in lengths}) == [16, 64, 128, 256]
    assert all(pairs / division.parts_of(pairs) ** 2 < 32_000 for pairs in lengths)
    assert 128 <= len(lengths) <= 145


def lengths(pairs, epochs, longest=8_000_000):
    """The pairs of all rounds of a training."""
    division = Division(16, 32, 32, longest)
    return [np.diff(division.round_edges(pairs, epoch, epochs)) * pairs for epoch in range(epochs)]


@pytest.mark.parametrize("pairs", [0.3, 5e4, 1e5, 1.1e5, 9.9e5, 5e6, 2.3e7, 6e7, 1e9])
def test_rounds_fill_the_epoch_and_none_is_longer_than_allowed(pairs):
    for epoch, found in enumerate(lengths(pairs, 3)):
        assert found.sum() == pytest.approx(pairs)
        assert found.max() <= 8_000_000 * 1.001
        assert found.min() >= min(pairs, 50_000) * 0.999
        assert epoch == 0 or found.max() <= 2 * found.min()  # no short rest at the end


def test_a_round_is_at_most_as_long_as_all_before_it_but_for_the_shortest():
    rounds = np.concatenate(lengths(2.3e7, 3))
    before = np.cumsum(rounds) - rounds
    assert (rounds <= np.maximum(before, 100_000) * 1.001).all()
    assert rounds[0] == pytest.approx(100_000, rel=0.01)
    assert 20 <= len(rounds) <= 26


@pytest.mark.parametrize(("pairs", "epochs"), [(3e6, 1), (1.7e7, 1), (1.7e7, 3), (5.8e7, 1), (1e9, 2)])
def test_no_round_is_longer_than_a_sixteenth_of_the_training(pairs, epochs):
    rounds = np.concatenate(lengths(pairs, epochs))
    assert rounds.max() <= max(100_000, pairs * epochs / 16) * 1.001


def test_the_epochs_of_a_short_text_are_not_cut_if_there_are_many_of_them():
    assert [len(rounds) for rounds in lengths(80_000, 40)] == [1] * 40


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
