"""Hubs: words and contexts with a large share of all pairs, which would fill the part that they are in.

Without subsampling, *the* is the word of 6 % of the pairs of a text. In one of 32 parts, it would be the word of two
thirds of the pairs: one thread would do most of the work, and batches would step with the same row again and again.

So a hub is in every part. Each of its tokens, or given pairs, is dealt to a random part. In a step of a
round, each of the P blocks begins with a *copy* of the hubs' rows as they are and trains that. After the step, the
copies are merged:

    v += share * Σ_i (copy_i - v)        share = (1 + x) / (1 + P x)

x says how close a copy came to where its own pairs pull it: the steps it took, times lr, times the curvature of the
loss. If it is still far (x near 0), the steps of all copies add up (share 1), as they would have in one block after the
other. If it has arrived (x large), another copy's steps lead to the same place, and their mean counts (share 1 / P).
"""

import math

import numpy as np
import numpy.typing as npt

from pairloom.types import Float64s, Ids

SHARE_OF_A_HUB = 0.1  # of the pairs that a part has on average
# Copying and merging hubs takes time in every step, and each has P copies. More parts have more hubs, one for each
# part. 256 in the blocks of long rounds take no larger a share of the time than 64 in the smallest blocks of others.
FEWEST_LIMIT, LARGEST_LIMIT = 64, 256
# The curvature of the loss of a pair in v_c is σ(1 - σ) v_w·v_w along v_w, and 0 across it. Measured on texts with 5 M
# words (sample 0 and 1e-3, 1 to 3 epochs), 0.03 to 0.1 times v_w·v_w were all alike; with 0.01 copies overshoot.
CURVATURE = 0.05
SAMPLED_ROWS = 256  # whose mean v·v stands for that of all


def most_hubs(parts: int) -> int:
    """How many rows of a matrix can be hubs.

    >>> [most_hubs(parts) for parts in (32, 128, 1024)]
    [64, 128, 256]
    """
    return min(max(FEWEST_LIMIT, parts), LARGEST_LIMIT)


def hubs_of(share: Float64s, parts: int) -> Ids:
    """The rows that are hubs, largest first. share: of all pairs, for each row.

    >>> hubs_of(np.array([0.02, 0.5, 0.08, 0.4]), parts=4).tolist()
    [1, 3, 2]
    """
    order = np.argsort(-share, kind="stable")[: most_hubs(parts)]
    many = parts * share[order] > SHARE_OF_A_HUB if parts > 1 else np.zeros(len(order), bool)
    return order[many].astype(np.int32)


def shares(mass: Float64s) -> Float64s:
    """mass divided by its sum, which is exact: the order in which NumPy adds depends on the CPU. 0 if all are 0."""
    return np.asarray(mass / (math.fsum(mass.tolist()) or 1.0))


def sampled_rows(share: Float64s) -> npt.NDArray[np.int64]:
    """Rows at equal steps through the shares, so that frequent ones come more often."""
    edges = np.cumsum(share)
    steps = (np.arange(SAMPLED_ROWS) + 0.5) / SAMPLED_ROWS
    return np.asarray(np.searchsorted(edges, steps * edges[-1]).astype(np.int64))


def merge_share(x: float, parts: int) -> float:
    """(1 + x) / (1 + P x), with x = steps in a block * lr * CURVATURE * mean v·v

    >>> [merge_share(x, parts=4) for x in (0.0, 1.0, 1e12)]
    [1.0, 0.4, 0.25...]
    """
    return (1.0 + x) / (1.0 + parts * x)


def merged(row: Float64s, copies: Float64s, share: float) -> Float64s:
    """A hub's row after a step. The compiled form is `kernel.steps.parts.merge_hubs`."""
    return np.asarray(row + share * (copies - row).sum(axis=0))
