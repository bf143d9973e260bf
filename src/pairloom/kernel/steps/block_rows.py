"""Blocks of a worker that has only some rows of blocks, and only the rows of W and C that these need."""

from typing import NamedTuple

import numpy as np

from pairloom.kernel.compile import njit
from pairloom.kernel.rng import derive
from pairloom.kernel.steps.block import Block, RoundTables, train_block
from pairloom.kernel.steps.parts import PartNoise, PartRows


class BlockRows(NamedTuple):
    """Rows first..last-1 of the blocks of a step.

    The worker's own rows of blocks begin at `own`. Row i has the words of seat i - own, and the contexts of the seat
    that is `turned` further, round the seats.
    """

    first: int
    last: int
    own: int
    step: int
    turned: int


@njit(nogil=True, cache=True)
def train_rows(model, buffers, tables, rows, key, negatives, rates, frozen=None):
    """Train the blocks of some rows, one after the other. tables: words and contexts by seat, noise by part.

    Returns the largest mean square of `train_block`, or NaN if one is NaN.
    """
    noise, contexts = tables.noise, tables.contexts
    parts, seats, worst, bits = len(noise.drawn), len(contexts.ids), 0.0, 0
    while 1 << bits < parts:
        bits += 1
    for i in range(rows.first, rows.last):
        j, here = (i + rows.step) % parts, i - rows.own
        seat, at = (here + rows.turned) % seats, i * parts + j
        here_tables = RoundTables(
            tables.pairs,
            tables.starts,
            tables.words,
            PartRows(contexts.ids[seat : seat + 1], contexts.hubs, contexts.copies),
            PartNoise(noise.cut[j : j + 1], noise.other[j : j + 1], noise.drawn[j : j + 1], noise.together),
        )
        block = Block(here, 0, tables.starts[at], tables.starts[at + 1], bits, derive(key, at))
        square = train_block(model, buffers, here_tables, block, negatives, rates, frozen)
        worst = np.maximum(worst, square)  # NaN if either is
    return worst
