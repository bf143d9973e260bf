"""`deal_text.py` for hierarchical softmax, where a pair is dealt as two: the halves of its path (`pairs/halves.py`)."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, int32_at, int64_at, put_int32, put_int64
from pairloom.kernel.rng import draw, lower
from pairloom.kernel.steps.deal_text import is_wanted_row, is_wanted_step, with_part


class HalfLabels(NamedTuple):
    """Where words and halves are in a round: `deal_text.Labels` with two labels for each context.

    An empty half has the label -1.
    """

    n: int  # a power of two
    words: npt.NDArray[np.int32]
    lower: npt.NDArray[np.int32]
    upper: npt.NDArray[np.int32]
    first_hub_word: int
    key: np.uint64  # of the draws


@njit(nogil=True, cache=True)
def put_half_labels(survivors, uppers, n, labels):
    """Replace the places of the first n survivors by their labels as words, and their ids by those of lower halves.

    uppers: gets the labels of upper halves. A token's draw deals it as a hub by its lower 32 bits, and its upper half
    by the bits above them.
    """
    kept, label, upper = address(survivors.kept), address(survivors.place), address(uppers)
    for i in range(n):
        id, bits = int32_at(kept, i), draw(labels.key, i)
        put_int32(label, i, with_part(labels.words[id], labels.first_hub_word, lower(bits), labels.n))
        put_int32(kept, i, labels.lower[id])
        put_int32(upper, i, with_part(labels.upper[id], 0, bits >> np.uint64(32), labels.n))


@njit(nogil=True, cache=True)
def count_halves(survivors, uppers, n, labels, counts, wanted=None):
    """Add the halves of all pairs of the first n survivors to counts[block]."""
    left, right, label = address(survivors.left), address(survivors.right), address(survivors.place)
    lower, upper = address(survivors.kept), address(uppers)
    counts, mask = address(counts), labels.n - 1
    for i in range(n):
        part = int32_at(label, i) & mask
        if not is_wanted_row(wanted, part):
            continue
        row = counts + 8 * labels.n * part
        for j in range(int32_at(left, i), int32_at(right, i)):
            if j != i:
                for half in (int32_at(upper, j), int32_at(lower, j)):
                    if half >= 0:
                        put_int64(row, half & mask, int64_at(row, half & mask) + 1)


@njit(nogil=True, cache=True)
def deal_halves(survivors, uppers, n, labels, places, pairs, wanted=None):
    """`deal_text.deal` for the halves of pairs: each is label of w * 2^32 + label of the half."""
    left, right, label = address(survivors.left), address(survivors.right), address(survivors.place)
    lower, upper = address(survivors.kept), address(uppers)
    places, pairs, mask = address(places), address(pairs), labels.n - 1
    for i in range(n):
        w = int32_at(label, i) << 32
        part = int32_at(label, i) & mask
        if not is_wanted_row(wanted, part):
            continue
        row = places + 8 * labels.n * part
        for j in range(int32_at(left, i), int32_at(right, i)):
            if j != i:
                for half in (int32_at(upper, j), int32_at(lower, j)):
                    if half >= 0:
                        place = int64_at(row, half & mask)
                        put_int64(pairs, place, w | half)
                        put_int64(row, half & mask, place + is_wanted_step(wanted, (half - part) & mask))
