"""Walker's alias method: a draw from any distribution by one look-up, for any number of contexts."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit


class AliasTable(NamedTuple):
    """A slot yields its own number in cut / 2^32 of all draws, and otherwise other[slot]."""

    cut: npt.NDArray[np.uint64]
    other: npt.NDArray[np.int32]

    @classmethod
    def of(cls, probability: npt.NDArray[np.float64]) -> "AliasTable":
        """The table of one distribution."""
        table = cls(np.empty(len(probability), np.uint64), np.empty(len(probability), np.int32))
        alias_table(probability, *table)
        return table


@njit(nogil=True, cache=True)
def alias_table(probability, cut, other):
    """Fill `cut` (in units of 2^-32) and `other` for probabilities that add up to 1.

    A draw takes one of the n slots at random. It is the slot's own index with probability cut / 2^32, else other[slot].
    Vose's construction: slots with too little mass take the rest from slots with too much.
    """
    n = len(probability)
    mass = probability * n
    order = np.empty(n, np.int64)  # slots with too little from the front, with too much from the back
    few, many = 0, n
    for i in range(n):
        if mass[i] < 1.0:
            order[few] = i
            few += 1
        else:
            many -= 1
            order[many] = i
    while few > 0 and many < n:
        few -= 1
        poor, rich = order[few], order[many]
        cut[poor] = np.uint64(mass[poor] * 4294967296.0)
        other[poor] = rich
        mass[rich] -= 1.0 - mass[poor]
        if mass[rich] < 1.0:
            order[few] = rich
            few += 1
            many += 1
    for i in range(few):
        cut[order[i]], other[order[i]] = 4294967296, order[i]
    for i in range(many, n):
        cut[order[i]], other[order[i]] = 4294967296, order[i]
