"""W and C of a crew are read and written as arrays are."""

import numpy as np
import pytest

from pairloom.cluster import remote
from pairloom.cluster.driver import Driver
from pairloom.cluster.ledger import Ledger
from pairloom.cluster.remote import RemoteHolder, RemoteMatrix
from tests.cluster.crew import ThreadCrew


class Rows:
    """Two workers, one with the even rows and one with the odd ones."""

    def __init__(self, matrix):
        self.matrix, self.number, self.asked = matrix, 0, []
        self.dim, self.sizes = matrix.shape[1], (len(matrix), len(matrix))

    def ask_all(self, method, number, side, *args):
        assert number == self.number and side == "W"
        self.asked.append(method)
        return [getattr(self, method)(odd, *args) for odd in (0, 1)]

    def rows(self, odd, first, last):
        here = np.flatnonzero(np.arange(first, last) % 2 == odd)
        return here, self.matrix[first:last][here]

    def put_rows(self, odd, ids, rows):
        here = ids % 2 == odd
        self.matrix[ids[here]] = rows[here]


@pytest.fixture
def rows(monkeypatch):
    monkeypatch.setattr(remote, "BYTES_AT_ONCE", 5 * 4 * 3)  # five rows
    return Rows(np.arange(69, dtype=np.float32).reshape(23, 3))


@pytest.mark.parametrize("part", [slice(None), slice(0, 5), slice(3, 17), slice(20, 99), slice(7, 7), slice(-4, None)])
def test_rows_are_those_of_the_array(rows, part):
    np.testing.assert_array_equal(RemoteMatrix(rows, "W", 23)[part], rows.matrix[part])


def test_the_shape_is_that_of_the_array(rows):
    matrix = RemoteMatrix(rows, "W", 23)
    assert (matrix.shape, len(matrix), matrix.size, matrix.ndim, matrix.dtype) == ((23, 3), 23, 69, 2, np.float32)


def test_neighbouring_rows_are_fetched_together_and_only_once(rows):
    matrix = RemoteMatrix(rows, "W", 23)
    for row in range(23):
        np.testing.assert_array_equal(matrix[row : row + 1], rows.matrix[row : row + 1])
    assert len(rows.asked) == 5
    rows.number += 1  # a round was trained
    rows.matrix += 1
    np.testing.assert_array_equal(matrix[22:23], rows.matrix[22:23])


WHERE = {
    "all": ...,
    "a slice": slice(4, 19),
    "numbers in any order": np.array([20, 3, 11, 0, 7, 8, 9]),
    "a mask": np.arange(23) % 3 == 0,
}


@pytest.mark.parametrize("where", WHERE)
def test_rows_are_set_as_in_an_array(rows, where):
    matrix, expected = RemoteMatrix(rows, "W", 23), rows.matrix.copy()
    values = -1.0 - np.arange(expected[WHERE[where]].size, dtype=np.float64).reshape(-1, 3)
    expected[WHERE[where]] = values
    matrix[0:3]  # read before
    matrix[WHERE[where]] = values
    np.testing.assert_array_equal(matrix[:], expected)


@pytest.mark.parametrize("n", [1, 3])
def test_a_crew_gives_back_the_rows_that_were_put(monkeypatch, zipf_corpus, n):
    """Of hubs, too, of which every worker has a copy."""
    import pairloom

    seen = {}
    monkeypatch.setattr(remote, "BYTES_AT_ONCE", 40 * 4 * 6)

    class Looking(Driver):
        def begin(self, setting):
            holder = super().begin(setting)
            rng = np.random.default_rng(0)
            for matrix in (holder.W, holder.C):
                before, rows = matrix[:], rng.permutation(len(matrix))[:100]
                values = rng.normal(size=(100, 6)).astype(np.float32)
                matrix[rows] = values
                before[rows] = values
                np.testing.assert_array_equal(matrix[:], before)
            W, C = holder.copied()
            np.testing.assert_array_equal(W, holder.W[:])
            np.testing.assert_array_equal(C, holder.C[:])
            w, c = rng.integers(0, len(W), 50).astype(np.int32), rng.integers(0, len(C), (50, 4)).astype(np.int32)
            products = np.einsum("id,ijd->ij", W[w].astype(np.float64), C[c].astype(np.float64))
            np.testing.assert_allclose(holder.products(w, c), products, rtol=1e-12)
            assert holder.largest() == max(np.abs(W).max(), np.abs(C).max())
            seen["holder"] = holder
            return holder

    executor = Looking(ThreadCrew(n), None, Ledger())
    pairloom.train(zipf_corpus[:3000], executor=executor, dim=6, min_count=1, epochs=1, sample=0.0)
    assert isinstance(seen["holder"], RemoteHolder)
