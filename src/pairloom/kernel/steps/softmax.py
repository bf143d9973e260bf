"""The softmax over all contexts, compiled: dense products of a batch of words with slices of the contexts.

A batch is a whole number of sixes of words. Threads work on slices of contexts:
    `expect`   x = v_c·v_w for the batch and the slice, then e^(x - m), where m is the largest of a word's x there
    `descend`  slopes from these, the words' share of the gradient, and a step of the slice's contexts
Between the two, the sums of the slices are added up in order, so no sum depends on the number of threads.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.exponential import exponential
from pairloom.kernel.memory import address
from pairloom.kernel.simd import LANES, add, broadcast, clamp, load, multiply, store, zero
from pairloom.kernel.steps.six import SIX, dots_two, exchange, load_six, six_rows, store_six
from pairloom.method.objective import ADAGRAD_FLOOR

TILE = 32  # contexts whose gradients are made together: with those of six words they fit the nearest cache


class Batch(NamedTuple):
    """Some words, their counts in D, and a buffer for the products with all contexts."""

    words: npt.NDArray[np.int64]  # addresses of rows of W, a whole number of sixes
    begin: npt.NDArray[np.int64]  # the pairs of word b: contexts[begin[b] : end[b]], in order, with their counts
    end: npt.NDArray[np.int64]
    contexts: npt.NDArray[np.int32]
    counts: npt.NDArray[np.float32]
    x: npt.NDArray[np.float32]  # (sixes, n_contexts, LANES)


@njit(nogil=True, cache=True)
def _larger(x, y):
    return clamp(x, y, broadcast(np.inf))


@njit(nogil=True, cache=True)
def _first_from(contexts, begin, end, c):
    """The first index in the sorted contexts[begin:end] whose context is at least c."""
    while begin < end:
        middle = (begin + end) // 2
        if contexts[middle] < c:
            begin = middle + 1
        else:
            end = middle
    return begin


@njit(nogil=True, cache=True)
def expect(model, batch, first, last, largest, total):
    """Products with the contexts first..last-1: batch.x becomes e^(x - largest), and each word's sum goes to `total`.

    largest, total: (words,). Returns Σ n(w,c) x over the pairs of the batch with these contexts. Summed up over the
    slices, this is equivalent to the two sums of `objective.softmax_loss`.
    """
    C, row, size = address(model.C), 4 * model.stride, 4 * LANES * batch.x.shape[1]
    seen = 0.0
    for six in range(len(batch.words) // SIX):
        words, x = address(batch.words) + 8 * SIX * six, address(batch.x) + size * six
        top = broadcast(-np.inf)
        for c in range(first, last, 2):
            other = min(c + 1, last - 1)  # the last of an odd number is paired with itself
            one, two = dots_two(words, C + row * c, C + row * other, model.width)
            store(x, LANES * c, one)
            store(x, LANES * other, two)
            top = _larger(_larger(one, two), top)
        for b in range(SIX):
            word = six * SIX + b
            at = _first_from(batch.contexts, batch.begin[word], batch.end[word], first)
            while at < batch.end[word] and batch.contexts[at] < last:
                seen += np.float64(batch.counts[at]) * batch.x[six, batch.contexts[at], b]
                at += 1
        minus = multiply(top, broadcast(-1.0))
        sums = zero()
        for c in range(first, last):
            e = exponential(add(load(x, LANES * c), minus))
            store(x, LANES * c, e)
            sums = add(sums, e)
        _put(top, largest, six)
        _put(sums, total, six)
    return seen


@njit(nogil=True, cache=True)
def _put(lanes, out, six):
    """Write the first SIX of LANES to out[six * SIX :], where LANES can be written."""
    store(address(out), SIX * six, lanes)


@njit(nogil=True, cache=True)
def descend(model, squares, batch, first, last, scale, lr, gradients, gradient):
    """Step with the contexts first..last-1, and add their part of the words' gradient to `gradient`.

    Equivalent to `objective.softmax_gradient`, and to `objective.adagrad` for the contexts. scale: (sixes, LANES), the
    factors that turn batch.x into the expected counts n(w) p(c | w). squares: summed squares of C's gradients, laid out
    as C. gradients: a buffer for those of TILE contexts. gradient: (words, width).
    """
    C, row, size, width = address(model.C), 4 * model.stride, 4 * LANES * batch.x.shape[1], model.width
    _slopes(batch, first, last, scale)
    for tile in range(first, last, TILE):
        end = min(tile + TILE, last)
        gradients[:] = 0.0
        for six in range(len(batch.words) // SIX):
            slopes = address(batch.x) + size * six + 4 * LANES * tile
            shares = address(gradient) + 4 * width * SIX * six
            words = address(batch.words) + 8 * SIX * six
            _gather(words, C + row * tile, row, end - tile, slopes, width, gradients, shares)
        for c in range(tile, end):
            for i in range(width):
                g = gradients[(c - tile) * width + i]
                at = c * model.stride + i
                squares[at] += g * g
                model.C[at] -= np.float32(lr) * g / np.sqrt(squares[at] + np.float32(ADAGRAD_FLOOR))


@njit(nogil=True, cache=True)
def _slopes(batch, first, last, scale):
    """Replace x by n(w) p(c | w) - n(w,c)."""
    for six in range(len(batch.words) // SIX):
        x = address(batch.x) + 4 * LANES * batch.x.shape[1] * six
        by = load(address(scale), LANES * six)
        for c in range(first, last):
            store(x, LANES * c, multiply(by, load(x, LANES * c)))
        for b in range(SIX):
            word = six * SIX + b
            at = _first_from(batch.contexts, batch.begin[word], batch.end[word], first)
            while at < batch.end[word] and batch.contexts[at] < last:
                batch.x[six, batch.contexts[at], b] -= batch.counts[at]
                at += 1


@njit(nogil=True, cache=True)
def _gather(words, C, row, n, slopes, width, gradients, shares):
    """For n contexts from C on and six words: Σ_b slope_b v_b for each context, Σ_c slope_c v_c for each word."""
    rows, share_rows, out = six_rows(words), _rows_from(shares, 4 * width), address(gradients)
    for i in range(0, width, LANES):
        v = load_six(rows, i)
        s = load_six(share_rows, i)
        for c in range(n):
            g = slopes + 4 * LANES * c
            total, s = exchange(g, load(C + row * c, i), v, load(out, c * width + i), s)
            store(out, c * width + i, total)
        store_six(share_rows, i, s)


@njit(nogil=True, cache=True)
def _rows_from(first, row):
    """The addresses of six rows that follow each other."""
    return first, first + row, first + 2 * row, first + 3 * row, first + 4 * row, first + 5 * row
