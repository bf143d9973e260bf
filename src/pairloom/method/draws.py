"""Randomness as a function of position.

A draw is a hash of what it is for and where it falls: (seed, purpose, epoch, ...) make a key, and the i-th draw under
a key is SplitMix64's i-th output from that state. There is no generator to hold, save or pass on, so the draws do not
depend on who makes them, in what order, or whether the work was interrupted. `kernel/rng.py` is the compiled twin.
"""

from enum import IntEnum
from typing import cast

import numpy as np
import numpy.typing as npt

GAMMA = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, SplitMix64's step
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)

UInt64s = npt.NDArray[np.uint64]


class Purpose(IntEnum):
    """What a draw decides. Each purpose has draws of its own, so that changing one leaves the others alone."""

    START = 1  # the first value of a vector's component
    KEEP = 2  # whether a frequent word's occurrence stays in the text
    WINDOW = 3  # the half-width at a position
    NOISE = 4  # the contexts of D'
    HELDOUT = 5  # whether a sentence is held out
    PARTS = 6  # the part that a word falls into
    WEIGHT = 7  # whether a pair of fractional weight comes once more
    WALK_ORDER = 20  # which node's walk comes when
    WALK_STEP = 21  # where a walk may go next
    WALK_ACCEPT = 22  # whether it does
    SAMPLE = 9  # the pairs by which an explanation stands for all


def mix(x: UInt64s) -> UInt64s:
    """SplitMix64's finaliser: a bijection of 64 bits in which every input bit moves every output bit."""
    x = (x ^ (x >> np.uint64(30))) * MIX_1
    x = (x ^ (x >> np.uint64(27))) * MIX_2
    return x ^ (x >> np.uint64(31))


def key(*parts: int) -> np.uint64:
    """One key from whole numbers, the order of which matters: key(seed, Purpose.KEEP, epoch)."""
    state = np.zeros(1, np.uint64)
    for part in parts:
        state = mix(state + GAMMA + np.array([part]).astype(np.uint64))
    return cast(np.uint64, state[0])


def heldout_key() -> np.uint64:
    """The key of the sentences' draws; it does not depend on the seed, so that runs can be compared."""
    return key(0, Purpose.HELDOUT)


def draw(key: np.uint64, index: npt.NDArray[np.integer]) -> UInt64s:
    """The draws at `index` under `key`: 64 uniform bits each."""
    return mix(key + (index.astype(np.uint64) + np.uint64(1)) * GAMMA)


def uniform(key: np.uint64, index: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """The same draws as numbers in [0, 1), from their upper 53 bits."""
    return (draw(key, index) >> np.uint64(11)).astype(np.float64) * 2.0**-53


PAIRS_PER_SLICE = 1024  # pairs: two pages of a file
