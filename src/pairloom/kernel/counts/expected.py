"""Section 3 in the mean: the pairs that a text gives on average, without any draws.

Training draws which tokens stay and how far each window reaches. A token is the context of a word if it stays and the
window reaches it, which depends on how many of the tokens between them stay. So the kernel goes from token to token
with the probabilities that 0, 1, 2, ... of the tokens passed have stayed. It computes the mean of
`contexts.sentence_pairs`.
"""

import numpy as np

from pairloom.kernel.compile import njit

UNIT = 2.0**32  # expected pairs are whole numbers of 1 / UNIT, so their sum does not depend on their order
FAINT = 1e-4  # the search ends where a window reaches less often than this


@njit(nogil=True, cache=True)
def add_contexts(ids, tokens, keep, left, right, units, touched, n):
    """Add to units[c] how often these tokens, if they stay, have the context c on average. Returns the new n.

    tokens: (n, 3), where the sentence of each begins, where the token stands, and where the sentence ends. keep[id]:
    the probability that a token stays. left[s], right[s]: the probability that a window reaches the (s + 1)-th token
    that stays on that side. Contexts are the ids below len(units). touched[:n] are those with units.
    """
    chance = np.empty(max(1, len(left), len(right)))
    for i in range(len(tokens)):
        begin, position, end = tokens[i]
        n = _add_side(ids, position, begin - 1, -1, keep, left, chance, units, touched, n)
        n = _add_side(ids, position, end, 1, keep, right, chance, units, touched, n)
    return n


@njit(nogil=True, cache=True)
def take_contexts(units, touched, n):
    """The contexts that have units, in order, and their units, which become 0 again."""
    # Many contexts are found faster than sorted.
    contexts = np.sort(touched[:n]) if 64 * n < len(units) else np.flatnonzero(units).astype(np.int32)
    found = units[contexts]
    units[contexts] = 0
    return contexts, found


@njit(nogil=True, cache=True)
def _add_side(ids, position, end, step, keep, reach, chance, units, touched, n):
    """Add the contexts of one side. touched[:n] are the contexts that have units. Returns the new n.

    chance[s], for s from low to high: the probability that s of the tokens passed have stayed.
    """
    low = high = 0
    chance[0] = 1.0
    for at in range(position + step, end, step):
        reached = 0.0
        for s in range(low, min(high + 1, len(reach))):
            reached += chance[s] * reach[s]
        if reached < FAINT:
            break
        stays = keep[ids[at]]
        if ids[at] < len(units):
            touched[n] = ids[at]
            n += units[ids[at]] == 0
            units[ids[at]] += np.int64(stays * reached * UNIT) + 1  # never 0, so that it is listed once
        if high + 1 < len(reach):
            high += 1
            chance[high] = 0.0
        for s in range(high, low, -1):
            chance[s] += stays * (chance[s - 1] - chance[s])
        chance[low] *= 1.0 - stays
        low += chance[low] == 0.0
    return n
