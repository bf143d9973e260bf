"""Parts: how the words, and the contexts, of a round are dealt, and what noise each part draws from.

Every row of a matrix is dealt to one of P parts, all parts of equal size (or one row apart). The dealing is a random
order of the rows, drawn for each round: row number r of that order has the *label* r, which is slot * P + part. So any
two contexts are as likely as any other two to be in one part, and a context meets all others as noise. (Before,
contexts of similar frequency were always in different parts, so they were never noise for each other.)

Hubs are in every part (`hubs.py`): their labels come after all others.
"""

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.method.draws import draw
from pairloom.types import Float64s, Ids

if TYPE_CHECKING:  # the kernel brings Numba
    from pairloom.kernel.steps.parts import PartNoise


class Dealing(NamedTuple):
    """The rows of one matrix, dealt to parts."""

    labels: Ids  # of each row
    parts: int
    slots: int  # of a part; the last one may be empty
    hubs: Ids  # rows that are in all parts, in the slots after these

    @property
    def first_hub(self) -> int:
        """The label of the first hub."""
        return self.slots * self.parts

    @property
    def together(self) -> float:
        """The probability that another context, not a hub, is in the part of a given one.

        >>> deal(4, np.empty(0, np.int32), 2, np.uint64(0)).together
        0.3333333333333333
        """
        n = len(self.labels) - len(self.hubs)
        larger = n - self.parts * (self.slots - 1)  # parts whose last slot is taken
        pairs = larger * math.comb(self.slots, 2) + (self.parts - larger) * math.comb(self.slots - 1, 2)
        return pairs / math.comb(n, 2) if self.parts > 1 else 1.0


def deal(n: int, hubs: Ids, parts: int, key: np.uint64) -> Dealing:
    """Deal n rows, except the hubs, to parts by the order of their draws.

    >>> deal(6, np.array([0], np.int32), 2, np.uint64(0)).labels.tolist()
    [6, 3, 0, 4, 1, 2]
    """
    others = np.delete(np.arange(n), hubs)
    slots = -(-len(others) // parts)
    labels = np.empty(n, np.int32)
    labels[others[np.argsort(draw(key, others))]] = np.arange(len(others))  # no two draws under one key are equal
    labels[hubs] = parts * (slots + np.arange(len(hubs)))
    return Dealing(labels, parts, slots, hubs)


def undealt(n: int) -> Dealing:
    """All rows in one part, in their order: the label of a row is its number."""
    return Dealing(np.arange(n, dtype=np.int32), 1, n, np.empty(0, np.int32))


def rows_of_parts(dealing: Dealing) -> npt.NDArray[np.int32]:
    """(P, slots): the row in each slot of each part, 0 where there is none."""
    from pairloom.kernel.steps.parts import fill_ids

    ids = np.zeros((dealing.parts, dealing.slots), np.int32)
    fill_ids(dealing.labels, ids)
    return ids


def noise_of_parts(probability: Float64s, dealing: Dealing, ids: npt.NDArray[np.int32]) -> "PartNoise":
    """The noise of each part of the contexts: noise(n) for a hub n, noise(n) / together for the part's own contexts.

    See `objective.NoiseWeights`. Over many rounds every pair (w, c) meets every n, c included, as often as noise(n)
    says. (If c is a hub, its part is drawn apart from those of others, and it meets the n that are not hubs more often
    by the factor 1 / (P * together): 1.0005 with 68,000 words in 32 parts.) ids: `rows_of_parts`.
    """
    from pairloom.kernel.steps.parts import PartNoise, fill_noise

    shape = dealing.parts, dealing.slots + len(dealing.hubs)
    drawn = np.empty(dealing.parts, np.float32)
    noise = PartNoise(np.empty(shape, np.uint64), np.empty(shape, np.int32), drawn, dealing.together)
    fill_noise(probability, ids, dealing.hubs, noise)
    return noise
