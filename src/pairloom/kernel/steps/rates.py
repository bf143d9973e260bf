"""The learning rate within a piece of work, which falls linearly from its begin to its end."""

from typing import NamedTuple

from pairloom.kernel.compile import njit


class Rates(NamedTuple):
    """The learning rate at the begin and at the end of a piece of work."""

    first: float
    last: float


@njit(nogil=True, cache=True)
def rate_at(rates, i, n):
    """The rate of step i out of n."""
    return rates.first + (rates.last - rates.first) * (i / n)
