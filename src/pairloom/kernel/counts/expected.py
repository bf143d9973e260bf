"""Section 3 in the mean: the pairs that a text is expected to give, instead of those that draws give.

Training draws which tokens stay and how far each window reaches. A token at some distance is the context of a word if
it stays and the window reaches it: how far that has to be depends on how many of the tokens between stay. So one goes
from token to token and carries along how likely it is that 0, 1, 2, ... of those passed have stayed.
"""

import numpy as np

from pairloom.kernel.compile import njit

UNIT = 2.0**32  # expected pairs are counted in 1 / UNIT, as whole numbers: their sum does not depend on their order
FAINT = 1e-4  # where a window reaches less often than that, one looks no further


@njit(nogil=True, cache=True)
def expected_contexts(ids, tokens, keep, left, right, units, touched):
    """How often these tokens, if they stay, are expected to have each context: the contexts' ids, rising, and units.

    tokens: (n, 3), where the sentence of each begins, where it stands, and where the sentence ends. keep[id]: how
    likely a token stays. left[s], right[s]: how likely a window reaches the (s + 1)-th of the tokens that stay on that
    side. Contexts are the ids below len(units). units, all 0, and touched are room to work in.
    """
    n = 0
    chance = np.empty(max(1, len(left), len(right)))
    for i in range(len(tokens)):
        begin, position, end = tokens[i]
        n = _look(ids, position, begin - 1, -1, keep, left, chance, units, touched, n)
        n = _look(ids, position, end, 1, keep, right, chance, units, touched, n)
    # Of many contexts it is faster to look for them than to sort them.
    contexts = np.sort(touched[:n]) if 64 * n < len(units) else np.flatnonzero(units).astype(np.int32)
    found = units[contexts]
    units[contexts] = 0
    return contexts, found


@njit(nogil=True, cache=True)
def _look(ids, position, end, step, keep, reach, chance, units, touched, n):
    """Add one side's contexts; touched[:n] are those that have units, and the new n is returned.

    chance[s], for s from low to high, is how likely it is that s of the tokens passed have stayed.
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
            units[ids[at]] += np.int64(stays * reached * UNIT) + 1  # never 0, so that it is touched once
        if high + 1 < len(reach):
            high += 1
            chance[high] = 0.0
        for s in range(high, low, -1):
            chance[s] += stays * (chance[s - 1] - chance[s])
        chance[low] *= 1.0 - stays
        low += chance[low] == 0.0
    return n
