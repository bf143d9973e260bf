"""CBOW: the loss of a window, its gradient divided or not, and the kernels that follow it."""

import threading
import time
from concurrent.futures import Future

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
from pairloom.pairs.window_order import far_apart
from pairloom.training.segmentwise import TwoSides
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

KEPT = RNG.integers(0, 5, 90).astype(np.int32)


def segment_of(widths):
    n, widths = len(KEPT), np.resize(widths, len(KEPT))
    left = np.array([max(0, i - width) for i, width in enumerate(widths)], np.int32)
    right = np.array([min(n, i + width + 1) for i, width in enumerate(widths)], np.int32)
    places = np.flatnonzero(right - left > 1).astype(np.int32)
    return Segment(KEPT, left, right, far_apart(places), len(places), 20, 0, n)


def window_of(segment, place):
    left, right = segment.left[place], segment.right[place]
    return np.delete(segment.kept[left:right], place - left)


def train_late(W, sixes, pace, step):
    """step(W, i, six) for each six, where the words of a batch move some batches later than contexts."""
    moves, late = [], 0 if pace == cbow.IN_TURN else pace.lag
    for t in range(0, len(sixes), pace.batch // 6):
        seen = W + sum(moves[: max(0, len(moves) - late)])
        moves.append(0)
        for i in range(t, min(t + pace.batch // 6, len(sixes))):
            moved = seen.copy()
            step(moved, i, sixes[i][sixes[i] >= 0])
            moves[-1] = moves[-1] + moved - seen
    W += sum(moves)


WIDTHS = [[1], [4], [0, 3, 1, 0, 10, 2, 1, 0, 5, 10, 1]]


@pytest.mark.parametrize("widths", WIDTHS)
@pytest.mark.parametrize("divide", [True, False])
@pytest.mark.parametrize("dim", [1, 9, 100])
@pytest.mark.parametrize("pace", [cbow.IN_TURN, cbow.OVERLAPPING])
def test_windows_step_along_the_path_to_their_word_one_after_the_other(widths, divide, dim, pace):
    tree = huffman(np.array([5, 4, 3, 2, 2]))
    model = random_model(np.random.default_rng(dim), 5, dim, scale=1 / np.sqrt(dim))
    W, N = matrices(model, dim)
    segment = segment_of(widths)
    sixes = segment.places.reshape(-1, 6)

    def step(W, i, six):
        for b, place in enumerate(six):
            path, rate = tree.path(KEPT[place]), 0.2 + (0.1 - 0.2) * (6 * i + b) / sixes.size
            mean = W.copy()
            hierarchical_step(
                mean, N, window_of(segment, place), tree.nodes[path], tree.bits[path], rate, divide=divide
            )
            moves.append(mean - W)
        W += sum(moves)
        moves.clear()

    moves = []
    train_late(W, sixes, pace, step)
    buffers, paths = cbow.buffers_for_paths(segment.most_words, 3, model.width), TreePaths.of(tree)
    descent = cbow.WindowDescent(0, np.uint64(0), Rates(0.2, 0.1), divide, pace)
    cbow.train_hierarchical(model, buffers, segment, paths, descent, cbow.CONTEXTS)
    assert buffers.sums.sum() > 0
    for now, expected in zip(matrices(model, dim), (W, N), strict=True):
        np.testing.assert_allclose(now, expected, atol=1e-5)


def drawn_by(noise, key, number, negatives):
    """What the kernel draws for six number `number`, by Python."""
    for k in range(negatives):
        bits = np.uint64(draw(key, number * negatives + k))
        slot = below(bits, len(noise.cut))
        yield int(slot if lower(bits) < noise.cut[slot] else noise.other[slot])


NOISE = np.array([0.4, 0.3, 0.1, 0.1, 0.1])


@pytest.mark.parametrize("widths", WIDTHS)
@pytest.mark.parametrize("divide", [True, False])
@pytest.mark.parametrize("dim", [1, 9, 100])
@pytest.mark.parametrize("pace", [cbow.IN_TURN, cbow.OVERLAPPING])
@pytest.mark.parametrize("negatives", [1, 7, 20])  # of five contexts, so that some are drawn twice, or are the word
def test_windows_step_six_at_a_time_with_contexts_that_are_drawn_for_each_six(widths, divide, dim, negatives, pace):
    model = random_model(np.random.default_rng(dim), 5, dim, scale=1 / np.sqrt(dim))
    W, C = matrices(model, dim)
    segment, key, noise = segment_of(widths), np.uint64(7), AliasTable.of(NOISE)
    sixes = segment.places.reshape(-1, 6)

    def step(W, i, six):
        drawn = np.array(list(drawn_by(noise, key, i, negatives)))
        rate = 0.1 + (0.05 - 0.1) * i / len(sixes)
        negative_step(W, C, [window_of(segment, place) for place in six], KEPT[six], drawn, rate, divide=divide)

    train_late(W, sixes, pace, step)
    buffers = cbow.buffers_for_sixes(segment.most_words, negatives, model.width)
    descent = cbow.WindowDescent(negatives, key, Rates(0.1, 0.05), divide, pace)
    cbow.train_negative(model, buffers, segment, noise, descent, cbow.CONTEXTS)
    assert buffers.sums[:6].sum() > 0
    for now, expected in zip(matrices(model, dim), (W, C), strict=True):
        np.testing.assert_allclose(now, expected, rtol=1e-5, atol=1e-4)


# --- Two threads


def train_by(first, *others, delay=0.0, pace=cbow.OVERLAPPING, n=20_000):
    """The bytes of W and C after a segment that is trained by threads that keep these sides."""
    rng = np.random.default_rng(3)
    kept, place = rng.integers(0, 50, n).astype(np.int32), np.arange(n, dtype=np.int32)
    left, right = np.maximum(place - 5, 0), np.minimum(place + 6, n).astype(np.int32)
    segment = Segment(kept, left, right, far_apart(place), n, 10, 0, n)
    model, noise = random_model(np.random.default_rng(0), 50, 300, scale=0.05), AliasTable.of(np.full(50, 0.02))
    buffers = cbow.buffers_for_sixes(segment.most_words, 5, model.width)
    descent = cbow.WindowDescent(5, np.uint64(7), Rates(0.1, 0.05), True, pace)
    arguments = model, buffers, segment, noise, descent
    threads = [threading.Thread(target=cbow.train_negative, args=(*arguments, side)) for side in others]
    for thread in threads:
        thread.start()
        time.sleep(delay)
    cbow.train_negative(*arguments, first)
    for thread in threads:
        thread.join()
    return model.W.tobytes() + model.C.tobytes()


@pytest.mark.parametrize("pace", [cbow.IN_TURN, cbow.OVERLAPPING])
def test_one_thread_trains_both_sides_whichever_it_keeps(pace):
    alone = train_by(cbow.CONTEXTS, pace=pace)
    assert train_by(cbow.WORDS, pace=pace) == train_by(cbow.WORDS, cbow.CONTEXTS, pace=pace) == alone


@pytest.mark.parametrize("delay", [0.0, 0.003, 1.0])
@pytest.mark.parametrize("sides", [(cbow.WORDS, cbow.CONTEXTS), (cbow.CONTEXTS, cbow.WORDS)])
def test_two_threads_train_the_same_bytes_as_one_and_the_second_may_come_late(sides, delay):
    alone = train_by(cbow.CONTEXTS)
    for _ in range(5 if delay < 1 else 1):
        assert train_by(*sides, delay=delay) == alone


def test_the_number_of_threads_that_was_faster_lately_trains_the_next_segments():
    sides = TwoSides(threads=2)
    sides.costs[1].extend([3.0] * 5)
    sides.costs[2].extend([2.0, 2.0, 90.0, 2.0, 2.0])  # one interruption
    sides.n_trained = 1
    assert sides._threads() == 2
    sides.costs[2].extend([4.0] * 3)
    assert sides._threads() == 1
    sides.n_trained = 64  # a trial of the other
    assert sides._threads() == 2
    assert TwoSides(threads=1)._threads() == 1


def test_a_segment_is_trained_although_no_other_thread_is_free(pool_that_never_runs):
    calls = []
    sides = TwoSides(threads=2)
    sides.n_trained = 1  # the first is a trial of one thread
    sides.run(pool_that_never_runs, lambda *arguments: calls.append(arguments), "model")
    assert calls == [("model", cbow.CONTEXTS)]
    assert pool_that_never_runs.task.cancelled()


@pytest.fixture
def pool_that_never_runs():
    class Pool:
        def submit(self, function, *args):
            self.task = Future()
            return self.task

    return Pool()
