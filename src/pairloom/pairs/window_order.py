"""The order in which CBOW trains the windows of a segment: in sixes, the batches of its kernels."""

from collections.abc import Callable

import numpy as np

from pairloom.types import Ids

Order = Callable[[Ids], Ids]  # from places in the text to the same in sixes, the last ones filled up with NO_PLACE

NO_PLACE = -1


def in_order(places: Ids) -> Ids:
    """Sixes of neighbours.

    >>> in_order(np.array([3, 4])).tolist()
    [3, 4, -1, -1, -1, -1]
    """
    from pairloom.kernel.steps.six import SIX

    filled = np.full(-(-len(places) // SIX) * SIX, NO_PLACE, np.int32)
    filled[: len(places)] = places
    return filled


def far_apart(places: Ids) -> Ids:
    """Sixes of places that are far from each other.

    >>> far_apart(np.arange(10)).tolist()
    [0, 2, 4, 6, 8, -1, 1, 3, 5, 7, 9, -1]
    """
    from pairloom.kernel.steps.six import SIX

    return in_order(places).reshape(SIX, -1).T.ravel()
