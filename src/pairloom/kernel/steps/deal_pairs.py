"""Given pairs, dealt into the blocks that train them.

A round has some slices of the pairs, by their numbers. If pairs have weights, or some are held out or subsampled,
`draw_copies` first says how often each pair comes. An empty array of copies means once each. A given pair is
w * 2^32 + c, a dealt one has labels in their place (`parts.py`).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.rng import below, derive, draw, lower, upper
from pairloom.kernel.steps.deal_text import is_wanted_row, is_wanted_step, with_part
from pairloom.method.draws import PAIRS_PER_SLICE

_CONTEXT = 0xFFFFFFFF  # the bits of a pair that are its context


class PairDraws(NamedTuple):
    """The draws that decide which pairs come. The two limits may be empty: then nothing is subsampled."""

    keys: npt.NDArray[np.uint64]  # of keeping, of weights and of holding out
    w_limit: npt.NDArray[np.uint64]  # in units of 2^-32, as `contexts.keep_limit` has them
    c_limit: npt.NDArray[np.uint64]
    heldout_limit: np.uint64


@njit(nogil=True, cache=True)
def draw_copies(pairs, weights, slices, sweep, sweeps, draws, copies):
    """How often each pair of the slices comes in one of an epoch's sweeps.

    Over all sweeps, a weight of 2.3 means twice, plus once more in three of ten epochs, spread evenly over the sweeps.
    weights may be empty: then each pair comes once unless it is held out.
    """
    at = 0
    for number in slices:
        for i in range(number * PAIRS_PER_SLICE, min((number + 1) * PAIRS_PER_SLICE, len(pairs))):
            if len(weights) > 0:
                begun = np.float64(upper(draw(draws.keys[1], i))) * 2.0**-32
                share = np.float64(weights[i]) / sweeps
                copies[at] = np.floor(begun + share * (sweep + 1)) - np.floor(begun + share * sweep)
            else:
                copies[at] = upper(draw(draws.keys[2], i)) >= draws.heldout_limit
            if len(draws.w_limit) > 0:
                w_limit, c_limit = draws.w_limit[pairs[i] >> 32], draws.c_limit[pairs[i] & _CONTEXT]
                copies[at] = _subsampled(draws.keys[0], i, sweep, copies[at], w_limit, c_limit)
            at += 1


@njit(nogil=True, cache=True)
def _subsampled(key, i, sweep, copies, w_limit, c_limit):
    """How many of the copies of a pair stay, each by its own draw."""
    stay = 0
    for copy in range(copies):
        bits = draw(derive(key, i), sweep * 2**32 + copy)
        stay += (upper(bits) < w_limit) & (lower(bits) < c_limit)
    return stay


class Pass(NamedTuple):
    """One of several passes over some slices. Each has an equal part of every pair's copies.

    A hundred steps on one pair in a row would run away with it.
    """

    slices: npt.NDArray[np.int64]
    copies: npt.NDArray[np.int32]
    number: int
    passes: int


@njit(nogil=True, cache=True)
def count(pairs, a_pass, labels, counts):
    """Add to counts[block] how many pairs a pass has for each block. labels: a `deal_text.Labels`.

    Blocks that are not wanted are counted, too.
    """
    at = 0
    for number in a_pass.slices:
        for i in range(number * PAIRS_PER_SLICE, min((number + 1) * PAIRS_PER_SLICE, len(pairs))):
            first, last = _copies_in(a_pass, at, i, labels.key)
            for copy in range(first, last):
                counts[_block_of(_dealt(pairs[i], labels, i, copy), labels.n)] += 1
            at += 1


@njit(nogil=True, cache=True)
def deal(pairs, a_pass, labels, places, dealt, wanted=None):
    """Write the pairs of a pass to dealt[places[block]] and the places after it."""
    at = 0
    for number in a_pass.slices:
        for i in range(number * PAIRS_PER_SLICE, min((number + 1) * PAIRS_PER_SLICE, len(pairs))):
            first, last = _copies_in(a_pass, at, i, labels.key)
            for copy in range(first, last):
                pair = _dealt(pairs[i], labels, i, copy)
                block = _block_of(pair, labels.n)
                if is_wanted(wanted, block, labels.n):
                    dealt[places[block]] = pair
                    places[block] += 1
            at += 1


@njit(nogil=True, cache=True)
def _copies_in(a_pass, at, i, key):
    """The copies of pair number i that come in this pass: first to last - 1.

    The pass in which a pair's first copy comes is drawn. (When single copies all came in the last pass, the others had
    the passes before it to themselves.)
    """
    if len(a_pass.copies) == 0:
        return np.int64(0), np.int64(1)
    begun, copies = below(draw(key, i), a_pass.passes), np.int64(a_pass.copies[at])
    first = (copies * a_pass.number + begun) // a_pass.passes
    return first, (copies * (a_pass.number + 1) + begun) // a_pass.passes


@njit(nogil=True, cache=True)
def _dealt(pair, labels, i, copy):
    """The pair number i with labels. Each copy of a hub's pair in a sweep is dealt to a random part."""
    w, c = np.int64(labels.words[pair >> 32]), np.int64(labels.contexts[pair & _CONTEXT])
    if w >= labels.first_hub_word or c >= labels.first_hub_context:
        bits = draw(derive(labels.key, i), copy)
        w = with_part(w, labels.first_hub_word, upper(bits), labels.n)
        c = with_part(c, labels.first_hub_context, lower(bits), labels.n)
    return (w << 32) | c


@njit(nogil=True, cache=True)
def is_wanted(wanted, block, parts):
    """Whether the pairs of a block are dealt. Without `wanted`, all are."""
    i, j = block // parts, block % parts
    return is_wanted_row(wanted, i) and is_wanted_step(wanted, (j - i) & (parts - 1))


@njit(nogil=True, cache=True)
def _block_of(pair, parts):
    return ((pair >> 32) & (parts - 1)) * parts + (pair & (parts - 1))
