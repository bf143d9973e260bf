"""e^x and σ(x) of vectors of floats: one polynomial for both, no table and no system library."""

from pairloom.kernel.compile import njit
from pairloom.kernel.simd import add, add_exponent, broadcast_like, clamp, divide, fma, multiply, nearest

_LOG2_E = 1.4426950408889634


@njit(nogil=True, cache=True)
def _power_of_two(t):
    """2^t = 2^n * 2^f, where n is whole and f is in [-1/2, 1/2]. 2^f is a polynomial of degree 6."""
    n = nearest(t)
    f = fma(n, broadcast_like(t, -1.0), t)
    p = broadcast_like(t, 0.00015403530393381609)
    p = fma(p, f, broadcast_like(t, 0.0013333558146428443))
    p = fma(p, f, broadcast_like(t, 0.009618129107628477))
    p = fma(p, f, broadcast_like(t, 0.05550410866482158))
    p = fma(p, f, broadcast_like(t, 0.2402265069591007))
    p = fma(p, f, broadcast_like(t, 0.6931471805599453))
    p = fma(p, f, broadcast_like(t, 1.0))
    return add_exponent(p, n)


@njit(nogil=True, cache=True)
def sigmoid(x):
    """Equivalent to `objective.sigmoid`, to within 2e-6 of the result.

    1 / (1 + e^-x). Beyond |x| = 40 float32 cannot tell the result from 0 or 1.
    """
    one = broadcast_like(x, 1.0)
    t = multiply(clamp(x, broadcast_like(x, -40.0), broadcast_like(x, 40.0)), broadcast_like(x, -_LOG2_E))
    return divide(one, add(one, _power_of_two(t)))


@njit(nogil=True, cache=True)
def exponential(x):
    """e^x for x up to 0, to within 5e-6 of the result. Below -87 it is e^-87."""
    return _power_of_two(
        multiply(clamp(x, broadcast_like(x, -87.0), broadcast_like(x, 0.0)), broadcast_like(x, _LOG2_E))
    )
