"""CBOW: the loss of a window, its gradient divided or not, and the kernels that follow it."""

import numpy as np
import pytest

from pairloom.kernel.alias import AliasTable
from pairloom.kernel.rng import below, draw, lower
from pairloom.kernel.steps import cbow
from pairloom.kernel.steps.hierarchical import TreePaths
from pairloom.kernel.steps.rates import Rates
from pairloom.method.cbow import hierarchical_loss, hierarchical_step, mean_of, negative_loss, negative_step
from pairloom.method.hierarchical import huffman
from pairloom.pairs.segments import Segment
from tests.models import matrices, random_model

RNG = np.random.default_rng(0)


def test_the_mean_counts_a_word_as_often_as_it_is_in_the_window():
    np.testing.assert_allclose(mean_of(np.array([[3.0], [0.0]]), np.array([0, 0, 1])), [2.0])


def check_step_is_gradient(loss, step, W, other, lr=1e-3, h=1e-6):
    """Against finite differences, in every component of both matrices."""
    moved = W.copy(), other.copy()
    step(*moved, lr)
    for at, (before, after) in enumerate(zip((W, other), moved, strict=True)):
        for index in np.ndindex(before.shape):
            bump = np.zeros_like(before)
            bump[index] = h
            up, down = ([m + sign * bump if i == at else m for i, m in enumerate((W, other))] for sign in (1, -1))
            slope = (loss(*up) - loss(*down)) / (2 * h)
            assert after[index] - before[index] == pytest.approx(-lr * slope, abs=1e-9)


def test_the_step_by_negative_sampling_is_the_gradient_of_finite_differences():
    W, C = RNG.normal(size=(2, 9, 4))
    windows, c, drawn = [np.array([0, 1, 1]), np.array([2, 3])], np.array([4, 5]), np.array([6, 7])

    def loss(W, C):
        return sum(negative_loss(W, C, window, x, drawn) for window, x in zip(windows, c, strict=True))

    check_step_is_gradient(loss, lambda W, C, lr: negative_step(W, C, windows, c, drawn, lr), W, C)


def test_the_step_by_hierarchical_softmax_is_the_gradient_of_finite_differences():
    W, N = RNG.normal(size=(2, 5, 4))
    window, nodes, bits = np.array([0, 1, 1, 3]), np.array([0, 2, 4]), np.array([0, 1, 1], np.int8)
    check_step_is_gradient(
        lambda W, N: hierarchical_loss(W, N, window, nodes, bits),
        lambda W, N, lr: hierarchical_step(W, N, window, nodes, bits, lr),
        W,
        N,
    )


def test_undivided_every_word_takes_the_whole_step_of_the_mean():
    W, C = RNG.normal(size=(2, 9, 4))
    windows, c, drawn = [np.array([0, 1, 2])], np.array([3]), np.array([4])
    (divided, _), (undivided, _) = both = [(W.copy(), C.copy()) for _ in range(2)]
    for matrices_, divide in zip(both, (True, False), strict=True):
        negative_step(*matrices_, windows, c, drawn, 0.1, divide=divide)
    np.testing.assert_allclose(undivided - W, 3 * (divided - W))


# --- The kernels

KEPT = np.array([0, 1, 2, 0, 3, 4, 1, 1, 2, 4, 3], np.int32)


def segment_of(widths):
    n = len(KEPT)
    left = np.array([max(0, i - width) for i, width in enumerate(widths)], np.int32)
    right = np.array([min(n, i + width + 1) for i, width in enumerate(widths)], np.int32)
    return Segment(KEPT, left, right, 0, n)


def window_of(segment, place):
    left, right = segment.left[place], segment.right[place]
    return np.delete(segment.kept[left:right], place - left)


WIDTHS = [[1] * 11, [4] * 11, [0, 3, 1, 0, 10, 2, 1, 0, 5, 10, 1]]


@pytest.mark.parametrize("widths", WIDTHS)
@pytest.mark.parametrize("divide", [True, False])
@pytest.mark.parametrize("dim", [1, 9, 100])
def test_windows_step_along_the_path_to_their_word_one_after_the_other(widths, divide, dim):
    tree = huffman(np.array([5, 4, 3, 2, 2]))
    model = random_model(np.random.default_rng(dim), 5, dim, scale=1 / np.sqrt(dim))
    W, N = matrices(model, dim)
    segment = segment_of(widths)
    order = np.flatnonzero(segment.right - segment.left > 1).astype(np.int32)
    for i, place in enumerate(order):
        path = tree.path(KEPT[place])
        rate = 0.4 + (0.1 - 0.4) * i / len(order)
        hierarchical_step(W, N, window_of(segment, place), tree.nodes[path], tree.bits[path], rate, divide=divide)
    buffers, paths = cbow.make_buffers(10, 3, model.width), TreePaths.of(tree)
    n, square = cbow.train_hierarchical(model, buffers, segment, order, paths, Rates(0.4, 0.1), divide)
    assert n == len(order)
    assert square > 0
    for now, expected in zip(matrices(model, dim), (W, N), strict=True):
        np.testing.assert_allclose(now, expected, atol=5e-6)


def drawn_by(noise, key, number, negatives):
    """What the kernel draws against the word of window `number`, by Python."""
    for k in range(negatives):
        bits = np.uint64(draw(key, number * negatives + k))
        slot = below(bits, len(noise.cut))
        yield int(slot if lower(bits) < noise.cut[slot] else noise.other[slot])


@pytest.mark.parametrize("widths", WIDTHS)
@pytest.mark.parametrize("divide", [True, False])
@pytest.mark.parametrize("dim", [1, 9, 100])
@pytest.mark.parametrize("negatives", [1, 7, 20])  # of five contexts, so that some are drawn twice, or are the word
def test_windows_step_six_at_a_time_with_contexts_that_are_drawn_for_each_six(widths, divide, dim, negatives):
    model = random_model(np.random.default_rng(dim), 5, dim, scale=1 / np.sqrt(dim))
    W, C = matrices(model, dim)
    segment, key = segment_of(widths), np.uint64(7)
    places = np.flatnonzero(segment.right - segment.left > 1).astype(np.int32)
    noise = AliasTable.of(np.array([0.4, 0.3, 0.1, 0.1, 0.1]))
    sixes = cbow.in_sixes(places).reshape(-1, 6)
    for i, six in enumerate(sixes):
        drawn, six = np.array(list(drawn_by(noise, key, i, negatives))), six[six >= 0]
        rate = 0.2 + (0.1 - 0.2) * i / len(sixes)
        negative_step(W, C, [window_of(segment, place) for place in six], KEPT[six], drawn, rate, divide=divide)
    buffers = cbow.make_six_buffers(10, negatives, model.width)
    descent = cbow.WindowDescent(negatives, key, Rates(0.2, 0.1))
    n, square = cbow.train_negative(model, buffers, segment, sixes.ravel(), noise, descent, divide)
    assert n == len(places)
    assert square > 0
    for now, expected in zip(matrices(model, dim), (W, C), strict=True):
        np.testing.assert_allclose(now, expected, atol=1e-5)
