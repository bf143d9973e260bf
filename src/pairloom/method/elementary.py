"""log, exp and powers of float64 arrays, from +, -, *, / and sqrt alone.

IEEE 754 fixes the bits of these five. It does not fix those of a logarithm: NumPy, the C library and vector units round
the last bit differently, so `np.log` of one array differs between two CPUs, as do `np.exp` and `np.power`.
"""

import math

import numpy as np

from pairloom.types import Float64s

_LOG_2 = math.log(2)
_LOG_2_HIGH, _LOG_2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # n * _LOG_2_HIGH is exact
_EVEN = [2 / (2 * i + 1) for i in range(11, 0, -1)]  # log((1 + s) / (1 - s)) = 2s + s (2/3 s² + 2/5 s⁴ + ...)
_TAYLOR = [1 / math.factorial(i) for i in range(14, -1, -1)]


def log(x: Float64s) -> Float64s:
    """The natural logarithm, to 4e-16 of the larger of 1 and the result. 0 has -inf, numbers below 0 have NaN."""
    with np.errstate(all="ignore"):
        fraction, exponent = np.frexp(x)  # in [1/2, 1)
        small = fraction < math.sqrt(0.5)
        fraction, exponent = np.where(small, 2 * fraction, fraction), exponent - small
        s = (fraction - 1) / (fraction + 1)
        logs: Float64s = exponent * _LOG_2 + (2 * s + s * (s * s * _polynomial(_EVEN, s * s)))
    logs[x == 0] = -np.inf
    logs[x < 0] = np.nan
    return logs


def exp(x: Float64s) -> Float64s:
    """e^x, to 4e-16 of the result. -inf has 0."""
    bounded = np.clip(x, -800.0, 800.0)  # beyond, the result is 0 or infinity
    n = np.rint(bounded / _LOG_2)
    rest = (bounded - n * _LOG_2_HIGH) - n * _LOG_2_LOW
    with np.errstate(over="ignore"):
        return np.ldexp(_polynomial(_TAYLOR, rest), n.astype(np.int64))


def power(x: Float64s, exponent: float) -> Float64s:
    """x^exponent for x above 0, by squares for the whole part and by roots for the rest: x^0.75 = √x √√x."""
    rest, whole = math.modf(abs(exponent))
    result, square, root = np.ones_like(x), x, x
    for bit in reversed(f"{int(whole):b}"):
        result = result * square if bit == "1" else result
        square = square * square
    while rest:
        root, rest = np.sqrt(root), 2 * rest
        if rest >= 1:
            result, rest = result * root, rest - 1
    return 1 / result if exponent < 0 else result


def _polynomial(coefficients: list[float], x: Float64s) -> Float64s:
    """Horner's rule, the highest coefficient first."""
    value = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        value = value * x + coefficient
    return value
