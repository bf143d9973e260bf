"""Copying rows is assigning by index."""

import numpy as np

from pairloom.kernel.rows import copy_rows


def test_rows_are_copied_to_their_places_and_others_stay():
    rng = np.random.default_rng(1)
    source, target = (rng.random((n, 16), np.float32) for n in (50, 70))
    from_rows, to_rows = rng.permutation(50)[:30], rng.permutation(70)[:30]
    expected = target.copy()
    expected[to_rows] = source[from_rows]
    copy_rows(source, from_rows, target, to_rows)
    assert np.array_equal(target, expected)
