"""CBOW: the loss of a window, its gradient divided or not, and the kernels that follow it."""

import numpy as np
import pytest

from pairloom.kernel.alias import AliasTable
from pairloom.kernel.rng import below, draw, lower
from pairloom.kernel.steps import cbow
from pairloom.kernel.steps.hierarchical import TreePaths
from pairloom.kernel.steps.lockstep import locksteps, slice_edges
from pairloom.kernel.steps.rates import Rates
from pairloom.method.cbow import Window, hierarchical_loss, mean_of, negative_loss, train_in_batches
from pairloom.method.hierarchical import huffman
from pairloom.pairs.in_order import Segment
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


def drawn_window(words, c, drawn, lr):
    return Window(words, np.append(c, drawn), np.append(1.0, np.zeros(len(drawn))), lr)


def test_the_step_by_negative_sampling_is_the_gradient_of_finite_differences():
    W, C = RNG.normal(size=(2, 9, 4))
    window, c, drawn = np.array([0, 1, 1]), 4, np.array([6, 7])
    check_step_is_gradient(
        lambda W, C: negative_loss(W, C, window, c, drawn),
        lambda W, C, lr: train_in_batches(W, C, [[drawn_window(window, c, drawn, lr)]]),
        W,
        C,
    )


def test_the_step_by_hierarchical_softmax_is_the_gradient_of_finite_differences():
    W, N = RNG.normal(size=(2, 5, 4))
    window, nodes, bits = np.array([0, 1, 1, 3]), np.array([0, 2, 4]), np.array([0, 1, 1], np.int8)
    check_step_is_gradient(
        lambda W, N: hierarchical_loss(W, N, window, nodes, bits),
        lambda W, N, lr: train_in_batches(W, N, [[Window(window, nodes, 1.0 - bits, lr)]]),
        W,
        N,
    )


def test_undivided_every_word_takes_the_whole_step_of_the_mean():
    W, C = RNG.normal(size=(2, 9, 4))
    window = drawn_window(np.array([0, 1, 2]), 3, np.array([4]), 0.1)
    (divided, _), (undivided, _) = both = [(W.copy(), C.copy()) for _ in range(2)]
    for matrices_, divide in zip(both, (True, False), strict=True):
        train_in_batches(*matrices_, [[window]], divide=divide)
    np.testing.assert_allclose(undivided - W, 3 * (divided - W))


def test_the_products_of_a_batch_are_taken_before_the_batch_before_it_moves_rows():
    W, C = RNG.normal(size=(2, 3, 4))
    window = Window(np.array([0]), np.array([1]), np.ones(1), 0.5)
    g = 0.5 * (1 - 1 / (1 + np.exp(-W[0] @ C[1])))
    expected = C[1] + 2 * g * W[0]
    train_in_batches(W, C, [[window], [window]])
    np.testing.assert_allclose(C[1], expected)


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


def train(model, plan, batch, predicted, divide):
    """With one thread, which has all slices."""
    [step] = locksteps(slice_edges(model.width), batch * cbow.whole_vectors(predicted), 1)
    buffers = cbow.make_buffers(batch, 10, predicted, model.width)
    return cbow.train_windows(model, buffers, plan, step, Rates(0.2, 0.1), divide)


def in_batches(examples, size):
    return [examples[at : at + size] for at in range(0, len(examples), size)]


def rate(i, n):
    return 0.2 + (0.1 - 0.2) * i / n


@pytest.mark.parametrize("widths", WIDTHS)
@pytest.mark.parametrize("divide", [True, False])
@pytest.mark.parametrize("dim", [1, 9, 100])
@pytest.mark.parametrize("batch", [1, 3, 16])
def test_windows_step_along_the_path_to_their_word(widths, divide, dim, batch):
    tree = huffman(np.array([5, 4, 3, 2, 2]))
    model = random_model(np.random.default_rng(dim), 5, dim, scale=1 / np.sqrt(dim))
    W, N = matrices(model, dim)
    segment = segment_of(widths)
    places = segment.centres
    examples = []
    for i, place in enumerate(places):
        path = tree.path(KEPT[place])
        labels = 1.0 - tree.bits[path]
        examples.append(Window(window_of(segment, place), tree.nodes[path], labels, rate(i, len(places))))
    train_in_batches(W, N, in_batches(examples, batch), divide=divide)
    plan = cbow.make_plan(segment, places, 8 * len(places))
    cbow.plan_paths(plan, TreePaths.of(tree))
    assert train(model, plan, batch, 3, divide) > 0
    for now, expected in zip(matrices(model, dim), (W, N), strict=True):
        np.testing.assert_allclose(now, expected, atol=1e-5)


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
@pytest.mark.parametrize("batch", [1, 3, 16])
def test_windows_step_with_contexts_that_are_drawn_for_each(widths, divide, dim, negatives, batch):
    model = random_model(np.random.default_rng(dim), 5, dim, scale=1 / np.sqrt(dim))
    W, C = matrices(model, dim)
    segment, key = segment_of(widths), np.uint64(7)
    places = segment.centres
    noise = AliasTable.of(np.array([0.4, 0.3, 0.1, 0.1, 0.1]))
    examples = [
        drawn_window(
            window_of(segment, place), KEPT[place], list(drawn_by(noise, key, i, negatives)), rate(i, len(places))
        )
        for i, place in enumerate(places)
    ]
    train_in_batches(W, C, in_batches(examples, batch), divide=divide)
    plan = cbow.make_plan(segment, places, len(places) * cbow.whole_vectors(1 + negatives))
    cbow.plan_drawn(plan, noise, negatives, key)
    assert train(model, plan, batch, 1 + negatives, divide) > 0
    for now, expected in zip(matrices(model, dim), (W, C), strict=True):
        np.testing.assert_allclose(now, expected, atol=2e-5)
