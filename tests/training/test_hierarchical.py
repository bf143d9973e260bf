"""Hierarchical softmax: the tree, the probabilities along it, their gradient, and the kernel that follows it."""

import heapq

import numpy as np
import pytest
from numba import njit

from pairloom.kernel import memory
from pairloom.kernel.loss import paths_loss
from pairloom.kernel.steps.hierarchical import (
    LANES,
    path_floats,
    step_path,
    step_path_of_one,
)
from pairloom.kernel.steps.six import SIX
from pairloom.method.hierarchical import Tree, huffman, node_mass, node_names, pairs_loss, path_loss, path_step
from tests.models import matrices, random_model

RNG = np.random.default_rng(0)
LR = 0.5  # a step as large as the vectors, so that an error in it cannot hide in their rounding


def paths(tree):
    return [tree.path(c) for c in range(len(tree.starts) - 1)]


def codes(tree):
    return ["".join(map(str, tree.bits[path].tolist())) for path in paths(tree)]


def test_frequent_contexts_have_short_paths():
    assert codes(huffman(np.array([9, 4, 2, 1]))) == ["0", "10", "110", "111"]


def test_of_equal_counts_the_shallowest_tree_is_made_and_always_the_same():
    assert codes(huffman(np.array([1, 1, 1, 1]))) == ["00", "01", "10", "11"]
    assert codes(huffman(np.array([2, 1, 1]))) == ["1", "00", "01"]  # of leaf and node that weigh 2, the leaf first


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_no_tree_has_a_smaller_mean_length(n):
    counts = np.sort(RNG.integers(1, 50, n))[::-1].copy()
    lengths = np.diff(huffman(counts).starts)
    heap = counts.tolist()
    heapq.heapify(heap)
    optimal = 0
    while len(heap) > 1:
        merged = heapq.heappop(heap) + heapq.heappop(heap)
        optimal += merged
        heapq.heappush(heap, merged)
    assert lengths @ counts == optimal
    assert sum(2.0 ** -float(x) for x in lengths) == 1.0  # Kraft: every turn leads somewhere


def test_counts_need_not_be_in_order():
    counts = np.array([1, 8, 2, 4])
    by_order = np.array([1, 3, 2, 0])
    assert [codes(huffman(counts))[i] for i in by_order] == codes(huffman(counts[by_order]))


def test_every_path_begins_at_the_root_and_goes_from_parent_to_child():
    tree = huffman(RNG.integers(1, 9, 50))
    child_of = {}
    for path in paths(tree):
        assert tree.nodes[path][0] == 0
        turns = list(zip(tree.nodes[path].tolist(), tree.bits[path].tolist(), strict=True))
        for turn, child in zip(turns, [*tree.nodes[path][1:].tolist(), None], strict=True):
            assert child is None or child > turn[0]
            assert child is None or child_of.setdefault(turn, child) == child
    assert sorted(set(tree.nodes.tolist())) == list(range(49))


def test_nodes_are_named_by_the_bits_that_lead_to_them_and_count_what_is_below():
    counts = np.array([9, 4, 2, 1])
    tree = huffman(counts)
    assert node_names(tree) == ["/", "/1", "/11"]
    assert node_mass(tree, counts).tolist() == [16, 7, 3]


def test_the_probabilities_of_all_contexts_add_up_to_one():
    tree = huffman(RNG.integers(1, 100, 30))
    v_w, N = RNG.normal(size=6), RNG.normal(size=(29, 6))
    p = [np.exp(-path_loss(v_w, N[tree.nodes[path]], tree.bits[path])) for path in paths(tree)]
    assert sum(p) == pytest.approx(1.0)


def test_untrained_nodes_give_a_context_a_half_for_every_turn():
    tree = huffman(np.array([9, 4, 2, 1]))
    W, N = RNG.normal(size=(4, 3)), np.zeros((3, 3))
    w, c = np.array([0, 1, 2]), np.array([0, 3, 1])
    assert pairs_loss(W, N, w, c, tree) == pytest.approx(np.log(2) * (1 + 3 + 2) / 3)


def test_the_step_is_the_gradient_of_finite_differences():
    tree = huffman(np.array([9, 4, 2, 1]))
    W, N = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 3))
    w, path, lr, h = np.array([0, 2, 3]), paths(tree)[3], 1e-3, 1e-6
    nodes, bits = tree.nodes[path], tree.bits[path]

    def loss(W, N):
        return sum(path_loss(W[x], N[nodes], bits) for x in w)

    moved_W, moved_N = W.copy(), N.copy()
    path_step(moved_W, moved_N, w, nodes, bits, lr)
    for at, (before, after) in enumerate(((W, moved_W), (N, moved_N))):
        for index in np.ndindex(before.shape):
            step = np.zeros_like(before)
            step[index] = h
            up, down = ([m + sign * step if i == at else m for i, m in enumerate((W, N))] for sign in (1, -1))
            slope = (loss(*up) - loss(*down)) / (2 * h)
            assert after[index] - before[index] == pytest.approx(-lr * slope, abs=1e-9)


def test_a_word_that_occurs_twice_steps_twice():
    W, N = np.ones((1, 2)), np.zeros((1, 2))
    path_step(W, N, np.array([0, 0]), np.array([0]), np.array([0], np.int8), 0.1)
    np.testing.assert_allclose(N[0], 2 * 0.1 * 0.5)


# --- The kernel


@njit
def _step_six(words, path, labels, turns, width, lr, step):
    at = memory.address(path)
    step_path(memory.address(words), at, memory.address(labels), turns, width, lr, memory.address(step), at, turns)


@njit
def _step_one(row, path, labels, turns, width, lr, step):
    at = memory.address(path)
    step_path_of_one(row, at, memory.address(labels), turns, width, lr, memory.address(step), at, turns)


@pytest.mark.parametrize("dim", [1, 8, 9, 100, 300])
@pytest.mark.parametrize("turns", [1, 2, 3, 7, 8, 9, 24])
@pytest.mark.parametrize("one", [True, False])
def test_the_kernel_takes_the_step_of_the_definition(dim, turns, one):
    rng = np.random.default_rng(dim + turns)
    model = random_model(rng, 30, dim, scale=1 / np.sqrt(dim))
    w = rng.integers(0, 30, 1 if one else SIX)
    nodes, bits = rng.permutation(30)[:turns], rng.integers(0, 2, turns).astype(np.int8)
    W, N = start = matrices(model, dim)
    start = [m.copy() for m in start]
    path_step(W, N, w, nodes, bits, LR)
    padding = np.zeros(model.width, np.float32)
    path = np.append(model.C.ctypes.data + 4 * model.stride * nodes, [padding.ctypes.data] * LANES)
    labels = np.append(1 - bits, np.zeros(LANES)).astype(np.float32)
    words = model.W.ctypes.data + 4 * model.stride * w
    step = np.empty(path_floats(turns), np.float32)
    if one:
        _step_one(int(words[0]), path, labels, turns, model.width, LR, step)
    else:
        _step_six(words, path, labels, turns, model.width, LR, step)
    for now, expected, was in zip(matrices(model, dim), (W, N), start, strict=True):
        assert np.abs(now - expected).max() <= 1e-5 * np.abs(expected - was).max()
    assert not padding.any()
    for m in (model.W, model.C):
        assert not m.reshape(-1, model.stride)[:, dim:].any()


def test_the_compiled_loss_is_that_of_the_definition():
    tree: Tree = huffman(RNG.integers(1, 100, 30))
    W, N = RNG.normal(size=(30, 7)).astype(np.float32), RNG.normal(size=(29, 7)).astype(np.float32)
    w, c = RNG.integers(0, 30, (2, 50)).astype(np.int32)
    assert paths_loss(W, N, w, c, tree, 0.0) / 50 == pytest.approx(pairs_loss(W, N, w, c, tree), rel=1e-12)
