"""A block's pairs are gathered into batches, noise is drawn for them as it should be, and they are trained in turn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from pairloom.kernel.alias import AliasTable
from pairloom.kernel.steps.block import (
    Block,
    Descent,
    RoundTables,
    Steps,
    begin_steps,
    draw_noise,
    gather,
    make_buffers,
    train_block,
    train_steps,
)
from pairloom.kernel.steps.parts import Merging, PartNoise, PartRows
from pairloom.kernel.steps.rates import Rates
from pairloom.kernel.steps.sgns import DRAWN, OWN, SIX, Model
from pairloom.method import objective
from pairloom.method.draws import key
from pairloom.pairs.parts import deal, noise_of_parts, rows_of_parts, undealt
from pairloom.system.threads import workers
from tests.models import matrices, random_model

NO_HUBS = np.empty(0, np.int32)
NO_MERGING = Merging(np.zeros(1, np.int64), np.zeros(1, np.int64), np.empty(0), np.empty(0), 0.0)


def alias_probabilities(table):
    """The exact distribution that an alias table draws from."""
    n = len(table.cut)
    share = table.cut.astype(float) / 2**32
    return (share + np.bincount(table.other, weights=1 - share, minlength=n)) / n


@pytest.mark.parametrize("probability", [[1.0], [0.5, 0.5], [0.9, 0.05, 0.05], [0.0, 1.0], [1e-12, 0.3, 0.7 - 1e-12]])
def test_an_alias_table_draws_from_the_distribution_it_was_made_of(probability):
    np.testing.assert_allclose(alias_probabilities(AliasTable.of(np.array(probability))), probability, atol=1e-9)


def test_an_alias_table_of_many_words_too():
    p = np.random.default_rng(3).random(5000) ** 4
    np.testing.assert_allclose(alias_probabilities(AliasTable.of(p / p.sum())), p / p.sum(), atol=1e-9)


def tables_of(pairs, starts, dealing, probability, stride):
    """The tables of a round in which words and contexts are dealt alike."""
    copies = [np.zeros(dealing.parts * len(dealing.hubs) * stride, np.float32) for _ in range(2)]
    ids = rows_of_parts(dealing)
    words, contexts = (PartRows(ids, dealing.hubs, some) for some in copies)
    return RoundTables(
        np.asarray(pairs), np.asarray(starts), words, contexts, noise_of_parts(probability, dealing, ids)
    )


def block_of(tables, i, j, parts, block_key):
    begin, end = tables.starts[i * parts + j : i * parts + j + 2].tolist()
    return Block(i, j, begin, end, parts.bit_length() - 1, block_key)


def test_drawn_contexts_follow_the_noise_of_their_part_and_of_the_hubs():
    counts = np.array([100, 60, 50, 40, 30, 20, 10, 8, 6])
    dealing = deal(9, np.array([0], np.int32), 2, key(7))
    model = Model(np.zeros(9 * 8, np.float32), np.zeros(9 * 8, np.float32), 8, 8)
    tables = tables_of(np.empty(0, np.int64), [0] * 5, dealing, counts / counts.sum(), 8)
    plan = np.empty((4000, DRAWN + 5), np.int64)
    draw_noise(model, tables, block_of(tables, 1, 0, 2, key(1)), 5, plan, 4000)
    hub = plan[:, DRAWN:] == tables.contexts.copies.ctypes.data + 4 * 8  # block row 1 has the second copy
    rows = (plan[:, DRAWN:][~hub] - model.C.ctypes.data) // 32
    mine = np.flatnonzero((dealing.labels % 2 == 0) & (np.arange(9) > 0))
    expected = np.append(counts[0], counts[mine] / dealing.together)
    seen = np.append(hub.sum(), np.bincount(rows, minlength=9)[mine])
    assert seen.sum() == 20_000  # and no other row was drawn
    assert chisquare(seen, expected / expected.sum() * 20_000).pvalue > 0.001
    assert tables.noise.drawn[0] == pytest.approx(expected.sum() / counts.sum())


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
@given(n=st.integers(0, 200), n_words=st.integers(8, 40), parts=st.sampled_from([1, 4]), seed=st.integers(0, 99))
def test_pairs_of_one_context_are_gathered_by_six_and_none_is_lost(n, n_words, parts, seed):
    rng = np.random.default_rng(seed)
    hubs = np.arange(parts // 4, dtype=np.int32)
    dealing = deal(n_words, hubs, parts, key(seed))
    model = Model(*np.empty((2, n_words * 16), np.float32), 8, 16)  # whole rows: no other array has their addresses
    i, j = 2 % parts, 3 % parts
    w, c = (
        rng.choice(np.flatnonzero((dealing.labels % parts == x) | (np.arange(n_words) < len(hubs))), n) for x in (i, j)
    )
    labels = [
        dealing.labels[rows].astype(np.int64) + np.where(rows < len(hubs), part, 0) for rows, part in ((w, i), (c, j))
    ]
    starts = np.where(np.arange(parts**2 + 1) > i * parts + j, n, 0)
    tables = tables_of((labels[0] << 32) | labels[1], starts, dealing, np.full(n_words, 1 / n_words), 16)
    buffers = make_buffers(2, n, dealing.slots + len(hubs), 8)
    sixes, others = planned(zip(w.tolist(), c.tolist(), strict=True))
    found = gather(model, buffers, tables, block_of(tables, i, j, parts, key(1)))
    assert found == len(sixes)

    def rows(addresses, matrix, copies):
        from_copies = (addresses - copies.ctypes.data) // 64 - i * len(hubs)
        is_copy = (from_copies >= 0) & (from_copies < len(hubs)) if len(hubs) else np.zeros(addresses.shape, bool)
        return np.where(is_copy, from_copies, (addresses - matrix.ctypes.data) // 64)

    got_w = rows(buffers.plan[:, :OWN], model.W, tables.words.copies)
    got_c = rows(buffers.plan[:, OWN:DRAWN], model.C, tables.contexts.copies)
    for number, six in enumerate(sixes):
        assert got_w[number].tolist() == [pair[0] for pair in six]
        assert got_c[number, -1] == six[0][1]
    for number, batch in enumerate(others, start=found):
        assert list(zip(got_w[number], got_c[number], strict=True))[: len(batch)] == batch
        assert (buffers.plan[number, len(batch) : OWN] == buffers.padding.ctypes.data).all()
        assert (buffers.plan[number, OWN + len(batch) : DRAWN] == buffers.padding[1].ctypes.data).all()
    assert not buffers.waiting[:, SIX].any()  # ready for the next block


def test_a_block_is_its_batches_one_after_the_other_with_the_rate_falling():
    rng = np.random.default_rng(4)
    n_words, dim, negatives, n = 30, 10, 3, 80
    model = random_model(rng, n_words, dim)
    w, c = rng.integers(0, n_words, n), rng.integers(0, 8, n)
    W, C = matrices(model, dim)
    only = np.zeros(n_words)
    only[7] = 1.0  # a noise of one context makes the draws known
    tables = tables_of((w << 32) | c, [0, n], undealt(n_words), only, model.stride)
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
    square = train_block(model, buffers, tables, block_of(tables, 0, 0, 1, key(1)), negatives, Rates(0.1, 0.05))
    for now, expected in zip(matrices(model, dim), (W, C), strict=True):
        np.testing.assert_allclose(now, expected, rtol=1e-4, atol=1e-6)
    assert 0 < square < 10
    assert not buffers.padding.any()


def test_a_block_in_parts_steps_with_the_weights_of_its_part():
    """The noise is a single context, drawn in full from its part and never from the other."""
    model = random_model(np.random.default_rng(8), 8, 8)
    dealing = deal(8, NO_HUBS, 2, key(3))
    w, c, n = np.flatnonzero(dealing.labels % 2 == 0)[[0, 1, 2]]
    only = np.zeros(8)
    only[n] = 1.0
    W, C = matrices(model, 8)
    weights = objective.NoiseWeights(1 / dealing.together, dealing.together)
    objective.batch_step(W, C, np.array([w]), np.array([c]), np.array([n]), 0.1, weights)
    pair = (np.int64(dealing.labels[w]) << 32) | dealing.labels[c]
    tables = tables_of([pair], [0, 1, 1, 1, 1], dealing, only, model.stride)
    train_block(model, make_buffers(1, 1, 4, 8), tables, block_of(tables, 0, 0, 2, key(1)), 1, Rates(0.1, 0.1))
    for now, expected in zip(matrices(model, 8), (W, C), strict=True):
        np.testing.assert_allclose(now, expected, rtol=1e-5, atol=1e-7)


def test_an_empty_block_changes_nothing():
    model = random_model(np.random.default_rng(5), 4, 8)
    W = model.W.copy()
    tables = tables_of(np.empty(0, np.int64), [0, 0], undealt(4), np.full(4, 0.25), model.stride)
    block = block_of(tables, 0, 0, 1, key(1))
    assert train_block(model, make_buffers(5, 0, 4, 8), tables, block, 5, Rates(0.1, 0.1)) == 0
    assert np.array_equal(model.W, W)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e30])
def test_a_row_that_is_not_finite_shows_in_the_mean_square(bad):
    rng = np.random.default_rng(6)
    model = random_model(rng, 8, 8)
    dealing = deal(8, NO_HUBS, 2, key(1))
    labels = np.flatnonzero(np.arange(8) % 2 == 0)
    model.W.reshape(8, -1)[np.flatnonzero(dealing.labels == 2)[0], 3] = bad
    pairs = (rng.choice(labels, 40) << 32) | rng.choice(labels, 40)
    tables = tables_of(pairs, [0, 40, 40, 40, 40], dealing, np.full(8, 0.125), model.stride)
    steps = Steps(2, 1, begin_steps(2, 0), 2)
    square = train_steps(
        model, make_buffers(5, 40, 4, 8), tables, steps, NO_MERGING, Descent(5, key(1), np.full(3, 0.1))
    )
    assert not square <= 1e6


def round_of(rng, hubs, dim=8):
    """The tables of a round of 8 parts, and a model of 64 words."""
    dealing = deal(64, hubs, 8, key(2))
    rows = rng.choice(64, (2, 3000), p=np.where(np.arange(64) < len(hubs), 6, 1) / (64 + 5 * len(hubs)))
    labels = dealing.labels[rows].astype(np.int64)
    labels += np.where(labels >= dealing.first_hub, rng.integers(0, 8, labels.shape), 0)
    blocks = (labels[0] % 8) * 8 + labels[1] % 8
    order = np.argsort(blocks, kind="stable")
    model = random_model(rng, 64, dim)
    starts = np.searchsorted(blocks[order], np.arange(65))
    pairs = (labels[0] << 32 | labels[1])[order]
    return model, lambda: tables_of(pairs, starts, dealing, np.full(64, 1 / 64), model.stride)


@pytest.mark.parametrize("n_hubs", [0, 3])
def test_any_number_of_threads_and_calls_train_the_blocks_of_all_steps_alike(n_hubs):
    start, tables = round_of(np.random.default_rng(9), np.arange(n_hubs, dtype=np.int32))
    merging = Merging(np.arange(4), np.arange(4), np.full(n_hubs, 9.0), np.full(n_hubs, 5.0), 0.05)
    descent = Descent(2, key(1), np.linspace(0.1, 0.05, 9))
    found = []
    for threads, most, ends in ((1, 64, [8]), (1, 1, [8]), (4, 3, [8]), (7, 64, [3, 8])):
        model, progress = start._replace(W=start.W.copy(), C=start.C.copy()), begin_steps(8, 0)
        for last in ends:
            shared = tables()  # a resumed round deals its pairs again

            def call(_, last=last, shared=shared, model=model, progress=progress, most=most):
                steps = Steps(8, last, progress, most)
                return train_steps(model, make_buffers(2, 3000, 16, 8), shared, steps, merging, descent)

            with workers(threads) as pool:
                while progress[8] < last * 8:
                    assert all(square >= 0 for square in pool.map(call, range(threads)))
            assert progress[16] == last
            progress = begin_steps(8, last)
        found.append(model.W.tobytes() + model.C.tobytes())
    assert len(set(found)) == 1 and found[0] != start.W.tobytes() + start.C.tobytes()


def test_the_noise_of_a_part_is_that_of_the_definition():
    """`fill_noise` against the formula, for parts of unequal size and with hubs."""
    probability = np.arange(1, 12) / 66
    dealing = deal(11, np.array([10, 2], np.int32), 4, key(5))
    ids = rows_of_parts(dealing)
    taken = np.arange(12).reshape(3, 4).T < 9  # slot * P + part
    assert sorted(ids[taken].tolist()) == [0, 1, 3, 4, 5, 6, 7, 8, 9] and not ids[~taken].any()
    noise = noise_of_parts(probability, dealing, ids)
    assert isinstance(noise, PartNoise)
    for part in range(4):
        own = np.where(taken[part], probability[ids[part]], 0)
        mass = np.append(own / dealing.together, probability[[10, 2]])
        table = AliasTable(noise.cut[part], noise.other[part])
        np.testing.assert_allclose(alias_probabilities(table), mass / mass.sum(), atol=1e-9)
        assert noise.drawn[part] == pytest.approx(mass.sum())
