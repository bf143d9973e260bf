"""Blocks of hierarchical softmax: pairs gathered by their half, trained by the steps of the definition."""

import numpy as np
import pytest

from pairloom.kernel.simd import LANES
from pairloom.kernel.steps.block import RoundTables, Steps, begin_steps
from pairloom.kernel.steps.parts import Merging, PartRows
from pairloom.kernel.steps.path_block import HalfPaths, make_half_buffers, train_path_steps
from pairloom.kernel.steps.six import SIX
from pairloom.method.draws import key
from pairloom.method.hierarchical import huffman, path_step
from pairloom.pairs.halves import Halves
from pairloom.pairs.hubs import merge_share, merged
from pairloom.pairs.parts import deal, rows_of_parts
from pairloom.system.threads import workers
from tests.models import matrices, random_model

N, DIM, PARTS, CURVATURE = 40, 9, 2, 0.05
COUNTS = np.array([400, 200, 100, *range(60, 23, -1)])
TREE = huffman(COUNTS)
HALVES = Halves.of(TREE, COUNTS / COUNTS.sum(), PARTS)
HUB_WORDS = np.array([0, 1], np.int32)
WORDS, (LOWER, UPPER) = deal(N, HUB_WORDS, PARTS, key(1)), HALVES.deal(PARTS, key(2))
PATHS = HalfPaths(
    HALVES.begin, HALVES.turns, TREE.nodes, np.append(1 - TREE.bits, np.zeros(LANES)).astype(np.float32), N
)
RATES = np.array([0.4, 0.3, 0.1])
NODE_STEPS, WORD_STEPS = np.linspace(90, 10, HALVES.n_top), np.array([50.0, 30.0])
SAMPLED = np.arange(3)


def dealt_pairs(rng, n):
    """Pairs of w and the number of a half, with their blocks; sorted by block. Hubs and upper halves in any part."""
    w, c = rng.integers(0, N, n), rng.choice(N, n, p=COUNTS / COUNTS.sum())
    is_upper = rng.random(n) < 0.5
    half = np.where(is_upper, UPPER[c], LOWER.labels[c]).astype(np.int64)
    number = np.where(is_upper, N + HALVES.subtree[c], c)
    half += np.where(is_upper, rng.integers(0, PARTS, n), 0)
    label = WORDS.labels[w].astype(np.int64)
    label += np.where(label >= WORDS.first_hub, rng.integers(0, PARTS, n), 0)
    some = half >= 0
    label, half, w, number = (x[some] for x in (label, half, w, number))
    blocks = label % PARTS * PARTS + half % PARTS
    order = np.argsort(blocks, kind="stable")
    starts = np.searchsorted(blocks[order], np.arange(PARTS**2 + 1))
    return (label << 32 | half)[order], starts, list(zip(w[order].tolist(), number[order].tolist(), strict=True))


def from_left_to_right(half):
    """Sorts lower halves before upper ones, and each of them by the turns from the root to its end, 0 before 1."""
    context = half if half < N else int(np.flatnonzero(HALVES.subtree == half - N)[0])
    turns = TREE.bits[TREE.path(context)].tolist()
    return half >= N, turns if half < N else turns[: HALVES.turns[half]]


def batches(pairs):
    """What is gathered, plainly: the pairs of a half leave when they are six, and at the end those that are left."""
    waiting, sixes = {}, []
    for w, half in pairs:
        waiting.setdefault(half, []).append(w)
        if len(waiting[half]) == SIX:
            sixes.append((waiting[half], half))
            waiting[half] = []
    left = [(waiting[half], half) for half in sorted(waiting, key=from_left_to_right) if waiting[half]]
    return sixes + left


def defined(W, C, starts, pairs):
    """A round by the definitions, in float64: each block with its own copies of hubs, merged after every step."""
    top = np.arange(HALVES.n_top)
    for step in range(PARTS):
        copies_w, copies_c = [], []
        before_w, before_c = W[HUB_WORDS].copy(), C[top].copy()
        for i in range(PARTS):
            W[HUB_WORDS], C[top] = before_w, before_c
            at = i * PARTS + (i + step) % PARTS
            planned = batches(pairs[starts[at] : starts[at + 1]])
            for number, (words, half) in enumerate(planned):
                lr = RATES[step] + (RATES[step + 1] - RATES[step]) * number / len(planned)
                path = slice(HALVES.begin[half], HALVES.begin[half] + HALVES.turns[half])
                groups = [words] if len(words) > 2 else [[w] for w in words]  # few words step one by one
                for group in groups:
                    path_step(W, C, np.array(group), TREE.nodes[path], TREE.bits[path], lr)
            copies_w.append(W[HUB_WORDS].copy())
            copies_c.append(C[top].copy())
        W[HUB_WORDS], C[top] = before_w, before_c
        pull = [RATES[step] * CURVATURE * (m[SAMPLED] ** 2).sum(axis=1).mean() for m in (C, W)]
        for rows, hubs, copies, steps, x in (
            (W, HUB_WORDS, copies_w, WORD_STEPS, pull[0]),
            (C, top, copies_c, NODE_STEPS, pull[1]),
        ):
            for h, row in enumerate(hubs):
                rows[row] = merged(rows[row], np.stack(copies)[:, h], merge_share(steps[h] * x, PARTS))


def tables_of(pairs, starts, stride):
    def rows(ids, hubs):
        return PartRows(ids, hubs, np.zeros(PARTS * len(hubs) * stride, np.float32))

    words, halves = rows(rows_of_parts(WORDS), HUB_WORDS), rows(rows_of_parts(LOWER), LOWER.hubs)
    return RoundTables(pairs, starts, words, halves, None)


def train(model, pairs, starts, threads=1, most=PARTS**2):
    tables, progress = tables_of(pairs, starts, model.stride), begin_steps(PARTS, 0)
    merging = Merging(SAMPLED, SAMPLED, WORD_STEPS, NODE_STEPS, CURVATURE)

    def call(_):
        buffers = make_half_buffers(len(pairs), LOWER.slots + HALVES.n_subtrees, HALVES.longest, model.width)
        steps = Steps(PARTS, PARTS, progress, most)
        square = train_path_steps(model, buffers, tables, steps, merging, RATES, PATHS)
        assert not buffers.padding.any() and not buffers.waiting[:, SIX].any()  # ready for the next block
        return square

    squares = []
    with workers(threads) as pool:
        while progress[8] < PARTS**2:
            squares += pool.map(call, range(threads))
    return max(squares)


@pytest.mark.parametrize("n", [1, 30, 2000])
def test_a_round_is_its_steps_along_halves_with_copies_of_hubs_merged(n):
    rng = np.random.default_rng(n)
    model = random_model(rng, N, DIM, scale=1 / np.sqrt(DIM))
    model = model._replace(C=model.C[: (N - 1) * model.stride])
    packed, starts, pairs = dealt_pairs(rng, n)
    W, C = matrices(model, DIM)
    defined(W, C, starts, pairs)
    square = train(model, packed, starts)
    for now, expected in zip(matrices(model, DIM), (W, C), strict=True):
        np.testing.assert_allclose(now, expected, rtol=1e-3, atol=1e-4)
    assert 0 <= square < 100


def test_any_number_of_threads_trains_the_same_bytes():
    rng = np.random.default_rng(7)
    start = random_model(rng, N, DIM)
    packed, starts, _ = dealt_pairs(rng, 3000)
    found = set()
    for threads, most in ((1, 4), (1, 1), (2, 4), (3, 1)):
        model = start._replace(W=start.W.copy(), C=start.C.copy())
        train(model, packed, starts, threads, most)
        found.add(model.W.tobytes() + model.C.tobytes())
    assert len(found) == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e30])
def test_a_row_that_is_not_finite_shows_in_the_mean_square(bad):
    rng = np.random.default_rng(8)
    model = random_model(rng, N, DIM)
    model.C[3] = bad  # of the root
    packed, starts, _ = dealt_pairs(rng, 500)
    assert not train(model, packed, starts) <= 1e6
