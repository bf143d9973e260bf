"""Windows of a text, compiled: the mean of their words, and the words' share of the step that the mean takes.

The words of the window at a place are kept[left : right] without the place itself.
"""

from typing import NamedTuple

import numpy as np

from pairloom.kernel.compile import COLUMNS, njit
from pairloom.kernel.memory import address, int32_at, int64_at, prefetch, put_int64
from pairloom.kernel.simd import add, broadcast_wide, fma, load_wide, multiply, store, zero_wide
from pairloom.kernel.steps.six import LINE, zero_six_wide

AHEAD = 9  # places: how early words are asked for, before windows of usual widths reach them


class Words(NamedTuple):
    """Where the words of a text are: addresses of a `Segment`'s arrays and of a matrix, and the text's last place."""

    kept: int
    left: int
    right: int
    last: int
    W: int
    row: int  # bytes from row to row


@njit(nogil=True, cache=True)
def words_of(model, segment):
    """Take the addresses."""
    kept, left, right = address(segment.kept), address(segment.left), address(segment.right)
    W, row, last = address(model.W), 4 * model.stride, len(segment.kept) - 1
    return Words(kept, left, right, last, W, row)


@njit(nogil=True, cache=True)
def n_words(words, place):
    """How many words the window at a place has."""
    return int32_at(words.right, place) - int32_at(words.left, place) - 1


@njit(nogil=True, cache=True)
def ask_for_next(words, place, width):
    """Prefetch a word that windows will reach soon."""
    ask(words.W + words.row * int32_at(words.kept, min(place + AHEAD, words.last)), width)


@njit(nogil=True, cache=True)
def ask(row, width):
    """Prefetch a row."""
    for i in range(0, width, LINE):
        prefetch(row, i)


@njit(nogil=True, cache=True)
def put_mean(words, place, width, mean, rows):
    """Write the mean of the window at a place to the row `mean`, or zeros if place is -1. See `cbow.mean_of`.

    rows: where the rows of the window are listed.
    """
    m, first = (n_words(words, place), int32_at(words.left, place)) if place >= 0 else (0, 0)
    share, i = broadcast_wide(np.float32(1.0 / max(1, m))), 0
    while i <= width - 6 * COLUMNS:  # many columns at a time: where the loop over the words ends is hard to predict
        x0, x1, x2, x3, x4, x5 = zero_six_wide()
        for k in range(m):
            row = _row(words, rows, first, place, k, i)
            x0 = add(x0, load_wide(row, i))
            x1 = add(x1, load_wide(row, i + COLUMNS))
            x2 = add(x2, load_wide(row, i + 2 * COLUMNS))
            x3 = add(x3, load_wide(row, i + 3 * COLUMNS))
            x4 = add(x4, load_wide(row, i + 4 * COLUMNS))
            x5 = add(x5, load_wide(row, i + 5 * COLUMNS))
        store(mean, i, multiply(x0, share))
        store(mean, i + COLUMNS, multiply(x1, share))
        store(mean, i + 2 * COLUMNS, multiply(x2, share))
        store(mean, i + 3 * COLUMNS, multiply(x3, share))
        store(mean, i + 4 * COLUMNS, multiply(x4, share))
        store(mean, i + 5 * COLUMNS, multiply(x5, share))
        i += 6 * COLUMNS
    while i <= width - 2 * COLUMNS:
        x0, x1 = zero_wide(), zero_wide()
        for k in range(m):
            row = _row(words, rows, first, place, k, i)
            x0 = add(x0, load_wide(row, i))
            x1 = add(x1, load_wide(row, i + COLUMNS))
        store(mean, i, multiply(x0, share))
        store(mean, i + COLUMNS, multiply(x1, share))
        i += 2 * COLUMNS
    while i < width:
        x = zero_wide()
        for k in range(m):
            x = add(x, load_wide(_row(words, rows, first, place, k, i), i))
        store(mean, i, multiply(x, share))
        i += COLUMNS


@njit(nogil=True, cache=True)
def put_step(mean, before, share, width, step):
    """Write to `step` how far each word of a window goes: this share of what its mean went from `before`."""
    minus, share = broadcast_wide(np.float32(-1.0)), broadcast_wide(np.float32(share))
    for i in range(0, width, COLUMNS):
        store(step, i, multiply(share, fma(load_wide(before, i), minus, load_wide(mean, i))))


@njit(nogil=True, cache=True)
def move_rows(rows, m, width, step):
    """Add the row `step` to each of m listed rows."""
    i = 0
    while i <= width - 6 * COLUMNS:
        x0, x1, x2 = load_wide(step, i), load_wide(step, i + COLUMNS), load_wide(step, i + 2 * COLUMNS)
        x3, x4, x5 = (
            load_wide(step, i + 3 * COLUMNS),
            load_wide(step, i + 4 * COLUMNS),
            load_wide(step, i + 5 * COLUMNS),
        )
        for k in range(m):
            row = int64_at(rows, k)
            store(row, i, add(load_wide(row, i), x0))
            store(row, i + COLUMNS, add(load_wide(row, i + COLUMNS), x1))
            store(row, i + 2 * COLUMNS, add(load_wide(row, i + 2 * COLUMNS), x2))
            store(row, i + 3 * COLUMNS, add(load_wide(row, i + 3 * COLUMNS), x3))
            store(row, i + 4 * COLUMNS, add(load_wide(row, i + 4 * COLUMNS), x4))
            store(row, i + 5 * COLUMNS, add(load_wide(row, i + 5 * COLUMNS), x5))
        i += 6 * COLUMNS
    while i <= width - 2 * COLUMNS:
        x0, x1 = load_wide(step, i), load_wide(step, i + COLUMNS)
        for k in range(m):
            row = int64_at(rows, k)
            store(row, i, add(load_wide(row, i), x0))
            store(row, i + COLUMNS, add(load_wide(row, i + COLUMNS), x1))
        i += 2 * COLUMNS
    while i < width:
        x = load_wide(step, i)
        for k in range(m):
            row = int64_at(rows, k)
            store(row, i, add(load_wide(row, i), x))
        i += COLUMNS


@njit(nogil=True, cache=True)
def _row(words, rows, first, place, k, i):
    """The row of word k of the window at a place that begins at place `first`, for its columns from i on.

    It is found without a branch, and listed, for the first columns. A list made before by a loop of its own takes
    longer, since the processor predicts the end of one more loop wrongly.
    """
    if i > 0:
        return int64_at(rows, k)
    j = first + k
    row = words.W + words.row * int32_at(words.kept, j + (j >= place))
    put_int64(rows, k, row)
    return row
