"""Randomness as a function of position.

A draw is a hash of its purpose and its place. (seed, purpose, epoch, ...) make a key, and draw number i under a key is
output number i of SplitMix64 from that state. There is no generator to hold, save or pass on. So the draws do not
depend on which thread makes them, in what order, or whether the work was interrupted. `kernel/rng.py` is the compiled
twin.
"""

from enum import IntEnum
from typing import cast

import numpy as np
import numpy.typing as npt

GAMMA = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, SplitMix64's step
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)

PAIRS_PER_SLICE = 1024  # given pairs that a round takes together: two pages of a file

UInt64s = npt.NDArray[np.uint64]


class Purpose(IntEnum):
    """What a draw decides. Each purpose has its own draws, so changing one leaves the others alone."""

    START = 1  # the first value of a vector's component
    KEEP = 2  # whether a frequent word's token stays in the text
    WINDOW = 3  # the half-width at a position
    NOISE = 4  # the contexts of D'
    HELDOUT = 5  # whether a sentence is held out
    PARTS = 6  # the part that a word falls into
    WEIGHT = 7  # whether a pair of fractional weight comes once more
    WALK_ORDER = 20  # the order of the nodes whose walks begin
    WALK_STEP = 21  # the node to which a walk may go next
    WALK_ACCEPT = 22  # whether the walk goes there
    SAMPLE = 9  # the pairs that represent all pairs in an explanation
    PLACE = 10  # where exactly a word is put on a map


def key(*parts: int) -> np.uint64:
    """One key from whole numbers, whose order matters: key(seed, Purpose.KEEP, epoch)."""
    state = np.zeros(1, np.uint64)
    for part in parts:
        state = mix(state + GAMMA + np.array([part]).astype(np.uint64))
    return cast(np.uint64, state[0])


def heldout_key() -> np.uint64:
    """The key that decides which sentences are held out. It ignores the seed, so that runs can be compared."""
    return key(0, Purpose.HELDOUT)


def draw(key: np.uint64, index: npt.NDArray[np.integer]) -> UInt64s:
    """The draws at `index` under `key`: 64 uniform bits each."""
    return mix(key + (index.astype(np.uint64) + np.uint64(1)) * GAMMA)


def mix(x: UInt64s) -> UInt64s:
    """SplitMix64's finaliser: a bijection of 64 bits in which every input bit affects every output bit."""
    x = (x ^ (x >> np.uint64(30))) * MIX_1
    x = (x ^ (x >> np.uint64(27))) * MIX_2
    return x ^ (x >> np.uint64(31))


# --- What is made of 64 bits


def upper(draws: UInt64s) -> UInt64s:
    """The upper 32 bits of each draw."""
    return draws >> np.uint64(32)


def lower(draws: UInt64s) -> UInt64s:
    """The lower 32 bits of each draw, independent of the upper bits."""
    return draws & np.uint64(0xFFFFFFFF)


def uniform(key: np.uint64, index: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """The draws at `index` as numbers in [0, 1), from their upper 53 bits."""
    return (draw(key, index) >> np.uint64(11)).astype(np.float64) * 2.0**-53
