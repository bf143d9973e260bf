"""A block's pairs are gathered into batches, noise is drawn for them as it should be, and they are trained in turn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from pairloom.kernel.alias import alias_table
from pairloom.kernel.steps.block import (
    Descent,
    Diagonal,
    PairBlock,
    PartNoise,
    gather,
    make_buffers,
    train_block,
    train_diagonal,
)
from pairloom.kernel.steps.rates import Rates
from pairloom.kernel.steps.sgns import DRAWN, OWN, SIX, Model
from pairloom.method import objective
from pairloom.method.draws import key
from pairloom.pairs.source import DealtPairs
from pairloom.training.blockwise import noise_by_part
from tests.models import matrices, random_model


def alias_probabilities(probability):
    """The exact distribution that an alias table draws from."""
    n = len(probability)
    cut, other = np.empty(n, np.uint64), np.empty(n, np.int64)
    alias_table(probability, cut, other)
    share = cut.astype(float) / 2**32
    return (share + np.bincount(other, weights=1 - share, minlength=n)) / n


@pytest.mark.parametrize("probability", [[1.0], [0.5, 0.5], [0.9, 0.05, 0.05], [0.0, 1.0], [1e-12, 0.3, 0.7 - 1e-12]])
def test_an_alias_table_draws_from_the_distribution_it_was_made_of(probability):
    np.testing.assert_allclose(alias_probabilities(np.array(probability)), probability, atol=1e-9)


def test_an_alias_table_of_many_words_too():
    p = np.random.default_rng(3).random(5000) ** 4
    np.testing.assert_allclose(alias_probabilities(p / p.sum()), p / p.sum(), atol=1e-9)


def test_drawn_contexts_follow_the_noise_of_their_part():
    """Rows that were pushed are rows that were drawn: one batch at a time, count who moved."""
    counts = np.array([60, 50, 40, 30, 20, 10, 8, 6])
    part_of = np.array([0, 1, 1, 0, 0, 1, 1, 0], np.int32)
    noise = noise_by_part(counts / counts.sum(), part_of, parts=2)
    seen = np.zeros(8)
    model = Model(np.ones(9 * 8, np.float32), np.zeros(9 * 8, np.float32), 8, 8)
    buffers = make_buffers(1, 1, 9, 8)
    for i in range(4000):
        model.C[:] = 0
        pairs = np.array([(8 << 32) | 8])  # a word and a context outside the noise, so that every draw counts
        train_block(model, buffers, pairs, PairBlock(0, 1, 1, 0, key(i)), noise, 1, Rates(0.1, 0.1))
        seen += model.C.reshape(9, 8)[:8, 0] != 0
    assert seen[part_of == 0].sum() == 0
    expected = np.where(part_of == 1, counts, 0)
    assert chisquare(seen[part_of == 1], (expected / expected.sum() * 4000)[part_of == 1]).pvalue > 0.001


def planned(pairs):
    """What `gather` does, plainly: a context's pairs leave when they are six; at the end the others do."""
    waiting, sixes = {}, []
    for w, c in pairs:
        mine = waiting.setdefault(c, [])
        mine.append((w, c))
        if len(mine) == SIX:
            sixes.append(list(mine))
            mine.clear()
    others = [pair for mine in waiting.values() for pair in mine]
    return sixes, [others[at : at + SIX] for at in range(0, len(others), SIX)]


@settings(max_examples=100, deadline=None)
@given(n=st.integers(0, 200), n_contexts=st.integers(1, 40), parts=st.sampled_from([1, 4]), seed=st.integers(0, 99))
def test_pairs_of_one_context_are_gathered_by_six_and_none_is_lost(n, n_contexts, parts, seed):
    rng = np.random.default_rng(seed)
    pairs = np.stack([rng.integers(0, 50, n), rng.integers(0, n_contexts, n) * parts + 3 % parts], axis=1)
    model = Model(np.empty(0, np.float32), np.empty(0, np.float32), 8, 16)
    buffers = make_buffers(2, n, n_contexts, 8)
    sixes, others = planned(pairs.tolist())
    block = PairBlock(0, n, 3 % parts, parts.bit_length() - 1, key(1))
    found = gather(model, buffers, (pairs[:, 0] << 32) | pairs[:, 1], block)
    assert found == len(sixes)
    w = (buffers.plan[:, :OWN] - model.W.ctypes.data) // 64
    c = (buffers.plan[:, OWN:DRAWN] - model.C.ctypes.data) // 64
    for i, six in enumerate(sixes):
        assert w[i].tolist() == [pair[0] for pair in six]
        assert c[i, -1] == six[0][1]
    for i, batch in enumerate(others, start=found):
        assert list(zip(w[i], c[i], strict=True))[: len(batch)] == [tuple(pair) for pair in batch]
        assert (buffers.plan[i, len(batch) : OWN] == buffers.padding.ctypes.data).all()
        assert (buffers.plan[i, OWN + len(batch) : DRAWN] == buffers.padding.ctypes.data + 4 * 8).all()
    assert not buffers.waiting[:, SIX].any()  # ready for the next block


def test_a_block_is_its_batches_one_after_the_other_with_the_rate_falling():
    rng = np.random.default_rng(4)
    n_words, dim, negatives, n = 30, 10, 3, 80
    model = random_model(rng, n_words, dim)
    w, c = rng.integers(0, n_words, n), rng.integers(0, 8, n)
    W, C = matrices(model, dim)
    only = np.array([7], np.int32)  # a noise of one context makes the draws known
    noise = PartNoise(only, np.array([2**32], np.uint64), only, np.array([0, 1]))
    sixes, others = planned(zip(w.tolist(), c.tolist(), strict=True))
    assert len(sixes) > 5 and len(others) > 2 and len(others[-1]) < SIX
    drawn = np.full(negatives, 7)
    for i, batch in enumerate(sixes + others):
        w_b, c_b = np.array(batch).T
        lr = 0.1 - 0.05 * i / len(sixes + others)
        if i < len(sixes):
            objective.six_step(W, C, w_b, c_b[0], drawn, lr)
        else:
            objective.batch_step(W, C, w_b, c_b, drawn, lr)
    buffers = make_buffers(negatives, n, n_words, model.width)
    block = PairBlock(0, n, 0, 0, key(1))
    square = train_block(model, buffers, (w << 32) | c, block, noise, negatives, Rates(0.1, 0.05))
    for now, expected in zip(matrices(model, dim), (W, C), strict=True):
        np.testing.assert_allclose(now, expected, rtol=1e-4, atol=1e-6)
    assert 0 < square < 10
    assert not buffers.padding.any()


def test_an_empty_block_changes_nothing():
    model = random_model(np.random.default_rng(5), 4, 8)
    W = model.W.copy()
    noise = noise_by_part(np.full(4, 0.25), np.zeros(4, np.int32), 1)
    buffers = make_buffers(5, 0, 4, 8)
    block = PairBlock(0, 0, 0, 0, key(1))
    assert train_block(model, buffers, np.empty(0, np.int64), block, noise, 5, Rates(0.1, 0.1)) == 0
    assert np.array_equal(model.W, W)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e30])
def test_a_row_that_is_not_finite_shows_in_the_mean_square(bad):
    rng = np.random.default_rng(6)
    model = random_model(rng, 8, 8)
    model.W[3] = bad
    noise = noise_by_part(np.full(8, 0.125), np.array([0, 1] * 4, np.int32), 2)
    pairs = (rng.integers(0, 8, 40) // 2 * 2 << 32) | (rng.integers(0, 8, 40) // 2 * 2)
    starts = np.array([0, 40, 40, 40, 40])
    buffers = make_buffers(5, 40, 4, 8)
    descent = Descent(5, key(1), Rates(0.1, 0.1))
    square = train_diagonal(model, buffers, DealtPairs(pairs, starts), noise, Diagonal(2, 0, 0, 2), descent)
    assert not square <= 1e6
