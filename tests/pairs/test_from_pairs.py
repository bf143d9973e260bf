"""Given pairs are dealt as often as their weights say, and every round comes from all over the file."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

import pairloom
from pairloom.config import TrainConfig
from pairloom.method.draws import key
from pairloom.pairs import from_pairs
from pairloom.pairs.blocks import spread_order
from pairloom.pairs.from_pairs import PairSource
from pairloom.pairs.pair_encoding import EncodedPairs
from pairloom.pairs.parts import deal, undealt
from pairloom.pairs.source import Dealings, WeightedNames
from pairloom.system.threads import workers
from tests.pairs.examples import PAIRS, TOY, encoded


def source_of(weights, n_pairs=1000, **options):
    pairs = (np.arange(n_pairs, dtype=np.int64) % 7 << 32) | (np.arange(n_pairs) % 5)
    sides = [WeightedNames([str(i) for i in range(n)], np.full(n, 10.0)) for n in (7, 5)]
    return PairSource(
        EncodedPairs(pairs, np.asarray(weights, np.float32), *sides, ""), TrainConfig(sample=0.0, **options)
    )


ONE_ROUND = (0.0, 1.0)


def dealt_pairs(source, epoch=0, edges=ONE_ROUND):
    """The pairs of each round, in one part."""
    words, contexts = (undealt(len(side.names)) for side in (source.words, source.contexts))
    with workers(1) as pool:
        rounds = (source.deal(epoch, a, Dealings(words, contexts, key(1)), pool) for a in source.rounds(edges))
        return [dealt.pairs[: dealt.starts[-1]].copy() for dealt in rounds]


def test_a_pair_comes_as_often_as_its_weight_says():
    n = 50_000
    source = source_of(np.tile([0.0, 0.25, 1.0, 2.3], n // 4), n, heldout=0.0)
    chunks = list(from_pairs._chunks(source.order, 0, 3 * len(source.order)))
    by_sweep = []
    for sweep in range(3):
        copies = np.empty(len(source.order) * 1024, np.int32)
        for chunk in chunks:
            if chunk.sweep == sweep:
                copies.reshape(-1, 1024)[chunk.numbers] = source.copies_of(chunk, 1, 0, 3).reshape(-1, 1024)
        by_sweep.append(copies[:n])
    assert max(np.ptp([some[3::4] for some in by_sweep], axis=0)) == 1  # spread evenly
    copies = np.sum(by_sweep, axis=0).reshape(-1, 4)
    assert (copies[:, 0] == 0).all() and (copies[:, 2] == 1).all()
    assert set(copies[:, 1]) == {0, 1} and set(copies[:, 3]) == {2, 3}
    for column, p in ((1, 0.25), (3, 0.3)):
        more = copies[:, column].sum() - copies[:, column].min() * len(copies)
        assert chisquare([more, len(copies) - more], [len(copies) * p, len(copies) * (1 - p)]).pvalue > 0.001


def test_weights_are_drawn_again_in_every_epoch():
    source = source_of(np.full(1000, 0.5), heldout=0.0)
    assert not np.array_equal(dealt_pairs(source, 0)[0], dealt_pairs(source, 1)[0])
    assert np.array_equal(dealt_pairs(source, 0)[0], dealt_pairs(source, 0)[0])


def test_every_pair_is_in_one_round_and_every_round_comes_from_all_over_the_file():
    source = source_of([], 100_000, heldout=0.0)
    rounds = dealt_pairs(source, edges=(0.0, 0.1, 0.2, 0.5, 1.0))
    assert [len(some) // 1024 for some in rounds] == [10, 10, 29, 48]
    assert Counter(np.concatenate(rounds).tolist()) == Counter(source.encoded.pairs.tolist())


@pytest.mark.parametrize("n", [1, 2, 3, 98, 1000, 1024])
def test_any_stretch_of_slices_is_spread_over_the_file(n):
    order = spread_order(n)
    twice = np.concatenate([chunk.numbers for chunk in from_pairs._chunks(order, 0, 2 * n)])
    assert sorted(twice.tolist()) == sorted([*range(n)] * 2)  # each sweep takes all
    for length in {1, 5, n // 4} & set(range(1, n)):
        for first in range(0, n - length, 7):
            numbers = np.concatenate([c.numbers for c in from_pairs._chunks(order, first, first + length)])
            assert len(numbers) == length
            assert np.diff(numbers, prepend=0, append=n).max() <= 3 * n / length + 1


def test_held_out_pairs_are_not_trained():
    source = source_of([], 10_000, heldout=0.3)
    held = Counter(w << 32 | c for w, c in source.heldout_pairs())
    trained = Counter(np.concatenate(dealt_pairs(source)).tolist())
    assert 2000 < held.total() < 4000
    assert held + trained == Counter(source.encoded.pairs.tolist())


def test_subsampling_thins_each_side_by_itself(tmp_path):
    got = encoded([("a", "x")] * 40_000 + [("b", "y")] * 10_000, tmp_path)
    source = PairSource(got, TrainConfig(sample=0.01, heldout=0.0))
    (dealt,) = dealt_pairs(source)
    p = {f: (0.01 / f) ** 0.5 + 0.01 / f for f in (0.8, 0.2)}
    seen = np.bincount(dealt >> 32)
    assert seen[0] == pytest.approx(40_000 * p[0.8] ** 2, rel=0.1)
    assert seen[1] == pytest.approx(10_000 * p[0.2] ** 2, rel=0.1)
    assert source.n_pairs == pytest.approx(50_000 * (0.8 * p[0.8] + 0.2 * p[0.2]) ** 2)


def test_more_weight_than_lines_makes_more_rounds_than_slices():
    source = source_of(np.full(1000, 1000.0), heldout=0.0)
    rounds = dealt_pairs(source, edges=np.linspace(0, 1, 18))
    assert len(rounds) == 17 and sum(map(len, rounds)) == 1_000_000
    assert max(map(len, rounds)) - min(map(len, rounds)) <= 1000


def test_each_copy_of_a_hubs_pair_falls_into_a_part_of_its_own():
    pairs = np.array([0 << 32 | 0, 0 << 32 | 3, 6 << 32 | 3], np.int64)
    sides = [WeightedNames([str(i) for i in range(n)], np.full(n, 10.0)) for n in (7, 5)]
    weights = np.full(3, 4000.0, np.float32)
    source = PairSource(EncodedPairs(pairs, weights, *sides, ""), TrainConfig(sample=0.0, heldout=0.0))
    hub = np.array([0], np.int32)
    dealings = Dealings(deal(7, hub, 2, key(1)), deal(5, hub, 2, key(2)), key(3))
    with workers(1) as pool:
        dealt = source.deal(0, next(source.rounds(ONE_ROUND)), dealings, pool)
    w, c = dealt.pairs[:12_000] >> 32, dealt.pairs[:12_000] & 0xFFFFFFFF
    assert np.array_equal(np.repeat(np.arange(4), np.diff(dealt.starts)), w % 2 * 2 + c % 2)  # each in its block
    hub_w, hub_c = w >= dealings.words.first_hub, c >= dealings.contexts.first_hub
    assert Counter(zip(hub_w.tolist(), hub_c.tolist(), strict=True)) == {
        (True, True): 4000,
        (True, False): 4000,
        (False, False): 4000,
    }
    both = np.bincount((w % 2 * 2 + c % 2)[hub_w & hub_c], minlength=4)
    assert chisquare(both).pvalue > 0.001
    assert chisquare(np.bincount((w % 2)[hub_w & ~hub_c])).pvalue > 0.001
    assert set((c % 2)[~hub_c].tolist()) == {int(dealings.contexts.labels[3]) % 2}


def test_copies_of_a_pair_do_not_stand_in_a_row():
    source = source_of(np.tile([1.0, 100.0], 500), heldout=0.0)
    (dealt,) = dealt_pairs(source)
    runs = np.diff(np.flatnonzero(np.diff(dealt, prepend=-1, append=-1)))
    assert runs.max() <= 2


def test_of_weights_a_share_is_held_out_not_whole_pairs():
    pairs = [(w, c, 500.0) for w, c in PAIRS]
    emb = pairloom.train_pairs(pairs, **TOY)
    assert emb.record["heldout"]["pairs"] == pytest.approx(325, abs=20)  # a twentieth of them all
    source = source_of(np.full(1000, 10.0), heldout=0.3)
    held, trained = len(list(source.heldout_pairs())), sum(map(len, dealt_pairs(source)))
    assert (held, trained) == (pytest.approx(3000, rel=0.05), pytest.approx(7000, rel=0.05))
