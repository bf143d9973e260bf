"""Hubs: which rows they are, and how their copies are merged."""

import numpy as np
import pytest

from pairloom.kernel.steps.parts import PartRows, copy_hubs, mean_square_length, merge_hubs
from pairloom.pairs.hubs import hubs_of, merge_share, merged, most_hubs, sampled_rows, shares
from tests.models import random_model


def test_a_hub_has_a_tenth_of_a_part_or_more():
    share = np.array([0.5, 0.2, 0.0063, 0.0062, 0.0001])
    assert hubs_of(share, 16).tolist() == [0, 1, 2]
    assert hubs_of(share, 1).tolist() == []


def test_the_number_of_hubs_is_limited_and_the_largest_come_first():
    share = np.random.default_rng(0).permutation(np.arange(200, 400)) / np.arange(200, 400).sum()
    for parts in (64, 128):
        found = hubs_of(share, parts)
        assert len(found) == most_hubs(parts)
        assert share[found].tolist() == sorted(share, reverse=True)[: most_hubs(parts)]


def test_more_parts_have_more_hubs_within_bounds():
    assert [most_hubs(parts) for parts in (16, 32, 64, 128, 256, 1024)] == [64, 64, 64, 128, 256, 256]


def test_small_steps_add_up_and_large_ones_are_averaged():
    few, some, many = (merge_share(x, 32) for x in (1e-12, 0.1, 1e9))
    assert few == pytest.approx(1.0) and many == pytest.approx(1 / 32)
    assert many < some < few


@pytest.mark.parametrize("x", [1e-3, 0.1, 1.0, 10.0, 1e3])
@pytest.mark.parametrize("parts", [2, 16, 64])
def test_merged_copies_never_overshoot_a_place_that_they_all_approach(x, parts):
    """Each copy goes the way 1 - e^-x to where its pairs pull it; together they must not go much further."""
    copies = np.full((parts, 1), 1 - np.exp(-x))
    assert 0 < merged(np.zeros(1), copies, merge_share(x, parts))[0] < 1.3


def test_shares_and_sampled_rows_follow_the_mass():
    assert shares(np.array([1.0, 3.0])).tolist() == [0.25, 0.75]
    assert np.bincount(sampled_rows(np.array([0.25, 0.0, 0.75]))).tolist() == [64, 0, 192]


@pytest.mark.parametrize("parts", [1, 4, 8, 32])
def test_the_kernel_copies_and_merges_as_the_definition_says(parts):
    rng = np.random.default_rng(1)
    model = random_model(rng, 7, 20)
    hubs = np.array([5, 0], np.int32)
    rows = PartRows(np.zeros((parts, 1), np.int32), hubs, np.zeros(parts * 2 * model.stride, np.float32))
    for i in range(parts):
        copy_hubs(model.W, rows, i, model.stride, model.width)
    before = model.W.reshape(7, -1).copy()
    copies = rows.copies.reshape(parts, 2, model.stride)
    assert all(np.array_equal(copies[i, :, :20], before[hubs, :20]) for i in range(parts))
    copies[:, :, :20] += rng.normal(size=(parts, 2, 20)).astype(np.float32)
    steps, copies = np.array([3.0, 40.0]), copies.copy()
    merge_hubs(model.W, rows, parts, model.stride, model.width, steps, 0.01)
    after = model.W.reshape(7, -1)
    for h, hub in enumerate(hubs):
        expected = merged(before[hub].astype(float), copies[:, h].astype(float), merge_share(0.01 * steps[h], parts))
        np.testing.assert_allclose(after[hub], expected, rtol=1e-5, atol=1e-6)
    assert np.array_equal(np.delete(after, hubs, axis=0), np.delete(before, hubs, axis=0))


def test_copies_that_did_not_move_leave_the_row_bit_for_bit():
    """A frozen side stays as it is."""
    model = random_model(np.random.default_rng(2), 3, 8)
    rows = PartRows(np.zeros((2, 1), np.int32), np.array([1], np.int32), np.zeros(2 * model.stride, np.float32))
    for i in range(2):
        copy_hubs(model.C, rows, i, model.stride, model.width)
    before = model.C.copy()
    merge_hubs(model.C, rows, 2, model.stride, model.width, np.array([0.7]), 1.0)
    assert np.array_equal(model.C, before)


def test_the_mean_square_length_is_that_of_the_rows():
    model = random_model(np.random.default_rng(3), 9, 10)
    rows = np.array([0, 3, 3, 8])
    expected = (model.W.reshape(9, -1)[rows].astype(float) ** 2).sum(axis=1).mean()
    assert mean_square_length(model.W, rows, model.stride, model.width) == pytest.approx(expected)


def test_shares_of_nothing_are_0():
    """In a text without pairs, for which the advice is still to be found."""
    assert shares(np.zeros(2)).tolist() == [0.0, 0.0]
