"""The rank of the right answer among others, by inner products that are the same on every machine.

BLAS adds in an order that depends on the machine and on the number of threads. Here both matrices are first rounded to
multiples of a power of two, about 2^-20 of the largest number. Then all products and sums are exact in float64, in any
order, and ranks are the same everywhere.
"""

import numpy as np
import numpy.typing as npt

from pairloom.types import Float64s, Rows

_BITS = 20  # of a rounded number: 2 * 20 bits for a product and 12 for a sum of 4096 are 52
_CELLS = 4_000_000  # inner products at a time


def rounded(matrix: npt.NDArray[np.floating]) -> Float64s:
    """The matrix rounded to multiples of a power of two, so that no number has more than 20 bits."""
    numbers = matrix.astype(np.float64)
    largest = float(np.abs(numbers).max(initial=0.0))
    if largest == 0.0:
        return numbers
    unit = 2.0 ** (np.frexp(largest)[1] - _BITS)
    return np.asarray(np.round(numbers / unit) * unit, np.float64)


def ranks(queries: npt.NDArray[np.floating], answers: npt.NDArray[np.floating], prior: Float64s, right: Rows) -> Rows:
    """For each query, 1 + the number of answers with a larger score than the right one.

    score(q, a) = queries[q]·answers[a] + prior[a]
    right  the row of the right answer of each query
    """
    exact_queries, exact_answers = rounded(queries), rounded(answers).T
    added = np.round(prior * 2.0**20) / 2.0**20  # logarithms differ in their last bits between machines
    step = max(1, _CELLS // max(1, len(prior)))
    found = np.empty(len(right), np.intp)
    for begin in range(0, len(right), step):
        part = slice(begin, begin + step)
        scores = exact_queries[part] @ exact_answers + added
        own = scores[np.arange(len(scores)), right[part]]
        found[part] = 1 + (scores > own[:, None]).sum(axis=1)
    return found
