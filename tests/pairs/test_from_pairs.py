"""Given pairs are dealt as often as their weights say, and every round comes from all over the file."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

import pairloom
from pairloom.config import TrainConfig
from pairloom.pairs import from_pairs
from pairloom.pairs.from_pairs import PairSource
from pairloom.pairs.pair_encoding import EncodedPairs
from pairloom.pairs.source import WeightedNames
from pairloom.system.threads import workers
from tests.pairs.examples import PAIRS, TOY, encoded


def source_of(weights, n_pairs=1000, **options):
    pairs = (np.arange(n_pairs, dtype=np.int64) % 7 << 32) | (np.arange(n_pairs) % 5)
    sides = [WeightedNames([str(i) for i in range(n)], np.full(n, 10.0)) for n in (7, 5)]
    return PairSource(
        EncodedPairs(pairs, np.asarray(weights, np.float32), *sides, ""), TrainConfig(sample=0.0, **options)
    )


def dealt_pairs(source, epoch=0, pairs_per_round=10**9, parts=1):
    found = []
    w_part, c_part = ((np.arange(n) % parts).astype(np.int32) for n in (7, 5))
    with workers(1) as pool:
        for a_round in source.rounds(pairs_per_round):
            dealt = source.deal(epoch, a_round, parts, w_part, c_part, pool)
            found.append(dealt.pairs[: dealt.starts[-1]].copy())
    return found


def test_a_pair_comes_as_often_as_its_weight_says():
    n = 50_000
    source = source_of(np.tile([0.0, 0.25, 1.0, 2.3], n // 4), n, heldout=0.0)
    chunks = list(from_pairs._chunks(n, 0, 1))
    by_sweep = [np.concatenate([source._copies(chunk, 1, 0, s, 3) for chunk in chunks])[:n] for s in range(3)]
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
    rounds = dealt_pairs(source, pairs_per_round=30_000)
    assert len(rounds) == 4
    assert Counter(np.concatenate(rounds).tolist()) == Counter(source.encoded.pairs.tolist())
    numbers = [
        np.concatenate([np.arange(s * 1024, min((s + 1) * 1024, 100_000)) for s in range(r, 98, 4)]) for r in range(4)
    ]
    for got, expected in zip(rounds, numbers, strict=True):
        assert got.tolist() == source.encoded.pairs[expected].tolist()


def test_held_out_pairs_are_not_trained():
    source = source_of([], 10_000, heldout=0.3)
    held = Counter(w << 32 | c for w, c in source.heldout_pairs())
    trained = Counter(np.concatenate(dealt_pairs(source)).tolist())
    assert 2000 < held.total() < 4000
    assert held + trained == Counter(source.encoded.pairs.tolist())


def test_subsampling_thins_each_side_by_itself(tmp_path):
    got = encoded([("a", "x")] * 40_000 + [("b", "y")] * 10_000, tmp_path)
    source = PairSource(got, TrainConfig(sample=0.01, heldout=0.0))
    with workers(1) as pool:
        none = np.zeros(2, np.int32)
        dealt = source.deal(0, next(source.rounds(10**9)), 1, none, none, pool)
    p = {f: (0.01 / f) ** 0.5 + 0.01 / f for f in (0.8, 0.2)}
    seen = np.bincount(dealt.pairs[: dealt.starts[-1]] >> 32)
    assert seen[0] == pytest.approx(40_000 * p[0.8] ** 2, rel=0.1)
    assert seen[1] == pytest.approx(10_000 * p[0.2] ** 2, rel=0.1)
    assert source.n_pairs == pytest.approx(50_000 * (0.8 * p[0.8] + 0.2 * p[0.2]) ** 2)


def test_more_weight_than_lines_makes_more_rounds_than_slices():
    source = source_of(np.full(1000, 1000.0), heldout=0.0)
    rounds = dealt_pairs(source, pairs_per_round=60_000)
    assert len(rounds) == 17 and sum(map(len, rounds)) == 1_000_000
    assert max(map(len, rounds)) - min(map(len, rounds)) <= 1000


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
